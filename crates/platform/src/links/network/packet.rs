//! The packet model: transfers cut into packets, which go from link to link one behind the other.
//!
//! A link *carries* a packet for its size over the bandwidth, exactly integrated where a trace
//! changes that; the packet is at the next link one latency after it has left this one. Each link
//! by itself picks the packet by the discipline of its [`SingleResource`]:
//! - *FIFO*: packets in the order in which they left the link before, or were sent. The link waits
//!   for one that is in transit to it, even if another is there already.
//! - *FRFO*: packets in the order in which they arrive.
//! - *SHARED*: one packet of each transfer that has any there, at equal shares.
//!
//! Under FIFO and FRFO all packets of a transfer are at the first link when it is sent, one behind
//! the other; so a transfer that is sent later waits for all of them. One by itself over n links of
//! equal bandwidth B takes the latencies and (k + n - 1) p / B for k packets of size p, and up to a
//! nanosecond more for every packet, since each is rounded up.
//!
//! What a route takes beyond its links, by coordinates, follows the latency of the last.
//!
//! A fatpipe carries a packet of each transfer at full bandwidth. A transfer that bounds its rate
//! sends each packet when its rate has sent all those before, which a rate of 0 never has. A link
//! that fails ends every transfer that still has to cross it, at that instant; at one instant
//! packets arrive first.
//!
//! Source: H. Casanova, "Simgrid: a toolkit for the simulation of application scheduling", CCGrid
//! 2001, for the disciplines and for packets as the finer of two models. Left out:
//! acknowledgements, losses, and room in front of links, which is unlimited.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use slotmap::SlotMap;

use crate::Platform;
use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::{SimDuration, SimTime};
use crate::links::{End, Ended, Link, Request, TransferId};
use crate::registry::{Complaint, Entry, Key, Kind, Params, code, key, keys};
use crate::sharing::{Discipline, LinkId, OutOfRange, Schedule, ServiceId, SharingPolicy, SingleResource};
use crate::topology::Links;
use crate::units::Bytes;

use super::{Carrier, Transport};

pub(super) const DISCIPLINE: Key = key! {
    "discipline" Kind::Choice(&[
        ("fifo", "in the order of sending, idle while the next is in transit"),
        ("frfo", "in the order of arrival"),
        ("shared", "one of each transfer at a time, at equal shares"),
    ]), or "frfo" => "in which order a link carries transfers", source "Casanova, CCGrid 2001"
};

pub(super) const ENTRY: Entry<dyn Transport> = Entry::published(
    "packet",
    "packets go from link to link, each carried as a whole",
    "Casanova, CCGrid 2001",
    &keys! {
        "size" Kind::Bytes, or "1500 B" => "size of a packet; the last of a transfer is what is left";
        ..DISCIPLINE;
    },
    |params| {
        let size: Bytes = params.read("size")?;
        if size.get() == 0 {
            let complaint = Complaint::new(code::RANGE, "packets have a size", params.span("size"));
            return Err(complaint.label("expected more than nothing"));
        }
        Ok(Box::new(Packet { size: Some(size.get() as f64), discipline: discipline(params)? }))
    },
);

pub(super) fn discipline(params: &Params<'_>) -> Result<Discipline, Complaint> {
    use Discipline::{Fifo, Frfo, Shared};
    params.pick("discipline", &[("fifo", Fifo), ("frfo", Frfo), ("shared", Shared)])
}

/// The packet model, and store and forward.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Packet {
    /// Size of a packet, above 0, in the unit of bandwidths; without one a transfer is a packet as
    /// a whole.
    pub size: Option<f64>,
    /// Order in which a link carries packets.
    pub discipline: Discipline,
}

impl Transport for Packet {
    fn carrier(&self, platform: &Platform) -> Result<Box<dyn Carrier>, OutOfRange> {
        Ok(Box::new(Packets::new(*self, platform.links())?))
    }

    fn lets_go(&self) -> bool {
        true
    }

    fn carries(&self, size: f64) -> Result<(), OutOfRange> {
        let packets = self.packets(size);
        if packets > MOST_PACKETS { Err(OutOfRange::Packets(packets)) } else { Ok(()) }
    }

    fn at_once(&self) -> f64 {
        self.size.unwrap_or(f64::INFINITY)
    }
}

impl Packet {
    /// Packets that a transfer is cut into, at least 1.
    fn packets(&self, size: f64) -> f64 {
        let packet = self.size.unwrap_or(size).min(size);
        if packet > 0.0 { (size / packet).ceil().max(1.0) } else { 1.0 }
    }
}

/// The most packets of one transfer.
const MOST_PACKETS: f64 = 1e7;

/// A link, and the packets that are on it or on the way to it.
#[derive(Debug)]
struct LinkQueue {
    link: Link,
    resource: SingleResource,
    packets: OrderedMap<ServiceId, (TransferId, u32)>,
}

/// A link of a transfer's route.
#[derive(Debug, Default)]
struct Hop {
    link: u32,
    /// Packets that have left it.
    left: u64,
    /// Packets that were handed to it.
    handed: u64,
    /// Under SHARED and on a fatpipe: when the packets that wait for the one before them arrive, or
    /// did.
    behind: VecDeque<SimTime>,
    /// On a fatpipe, when the packet that is carried leaves.
    leaves: Option<SimTime>,
}

#[derive(Debug)]
struct Transfer {
    serial: u64,
    packets: u64,
    packet: f64,
    last: f64,
    /// Rate at which the source sends, infinite without a bound.
    bound: f64,
    /// Instant at which the first packet was sent.
    sent: SimTime,
    hops: Vec<Hop>,
    /// Seconds from the end of the last link to the destination.
    extra_latency: f64,
}

/// Events at no link's own time: the last packet of a transfer arrives (hop `u32::MAX`), or
/// one leaves a fatpipe.
type Due = (SimTime, u64, u32, TransferId);

const ARRIVAL: u32 = u32::MAX;

/// Links and the packets on them; the module's documentation has the rules.
#[derive(Debug)]
pub struct Packets {
    model: Packet,
    now: SimTime,
    queues: Vec<LinkQueue>,
    /// The next event of each queue.
    schedule: Schedule,
    due: OrderedSet<Due>,
    failures: BinaryHeap<Reverse<(SimTime, u32)>>,
    transfers: SlotMap<TransferId, Transfer>,
    started: u64,
    at_once: Vec<Ended>,
}

impl Packets {
    /// No packets yet, at the start of the run.
    ///
    /// # Errors
    /// Packets without size, and links whose bandwidth or latency is no such number.
    pub fn new(model: Packet, links: &Links) -> Result<Self, OutOfRange> {
        if let Some(size) = model.size.filter(|size| !(size.is_finite() && *size > 0.0)) {
            return Err(OutOfRange::Bound(size));
        }
        let mut packets = Packets {
            model,
            now: SimTime::ZERO,
            queues: Vec::with_capacity(links.len()),
            schedule: Schedule::default(),
            due: OrderedSet::new(),
            failures: BinaryHeap::new(),
            transfers: SlotMap::with_key(),
            started: 0,
            at_once: Vec::new(),
        };
        for link in links.iter() {
            let wrong = |value: &f64| !value.is_finite() || *value < 0.0;
            if let Some(bandwidth) = link.bandwidth.values().find(wrong) {
                return Err(OutOfRange::Capacity(bandwidth));
            }
            if let Some(latency) = link.latency.values().find(wrong) {
                return Err(OutOfRange::Bound(latency));
            }
            let resource = SingleResource::new(model.discipline, 1.0, link.bandwidth.clone());
            packets.queues.push(LinkQueue { link: link.into_owned(), resource, packets: OrderedMap::new() });
            packets.expect_failure(packets.queues.len() as u32 - 1);
        }
        Ok(packets)
    }

    fn expect_failure(&mut self, link: u32) {
        if let Some(at) = self.queues[link as usize].link.working.next_change(self.now) {
            self.failures.push(Reverse((at, link)));
        }
    }

    fn works(&self, link: LinkId) -> bool {
        self.queues[link.index()].link.working.value_at(self.now) > 0.0
    }

    /// Packets of one transfer go one behind the other, each when the one before it has left.
    fn one_at_a_time(&self, link: u32) -> bool {
        self.model.discipline == Discipline::Shared || self.is_fatpipe(link)
    }

    fn is_fatpipe(&self, link: u32) -> bool {
        self.queues[link as usize].link.policy == SharingPolicy::Fatpipe
    }

    /// Cuts a transfer into packets, unless there would be too many.
    fn cut(&self, request: &Request<'_>) -> Result<Transfer, OutOfRange> {
        let Request { size, route, bound, extra_latency, .. } = *request;
        let packet = self.model.size.unwrap_or(size).min(size);
        let packets = self.model.packets(size);
        let bound = bound.unwrap_or(f64::INFINITY);
        self.model.carries(size)?;
        if packets > 1.0 && !(packet / bound).is_finite() {
            return Err(OutOfRange::Bound(0.0));
        }
        let hop = |link: &LinkId| Hop { link: link.index() as u32, ..Hop::default() };
        Ok(Transfer {
            serial: self.started,
            packets: packets as u64,
            packet,
            last: size - (packets - 1.0) * packet,
            bound,
            sent: self.now,
            hops: route.iter().map(hop).collect(),
            extra_latency,
        })
    }

    /// Lets the source send: everything at once, or the first packet where they go one at a time.
    fn send(&mut self, id: TransferId) {
        let transfer = &self.transfers[id];
        let first = transfer.hops[0].link;
        let count = if self.one_at_a_time(first) { 1 } else { transfer.packets };
        for packet in 0..count {
            let ready = self.transfers[id].sent_at(packet);
            self.hand(id, 0, ready);
        }
    }

    /// A packet is at a hop from `ready` on, or waits there for the one before it.
    fn hand(&mut self, id: TransferId, place: usize, ready: SimTime) {
        let link = self.transfers[id].hops[place].link;
        let alone = self.one_at_a_time(link);
        let hop = &mut self.transfers[id].hops[place];
        if alone && hop.handed > hop.left {
            hop.behind.push_back(ready);
            return;
        }
        let number = hop.handed;
        hop.handed += 1;
        let size = self.transfers[id].size(number);
        let now = self.now;
        if self.is_fatpipe(link) {
            let ready = ready.max(now);
            let Some(leaves) = self.queues[link as usize].link.bandwidth.finish(ready, size) else { return };
            let transfer = &mut self.transfers[id];
            transfer.hops[place].leaves = Some(leaves);
            self.due.insert((leaves, transfer.serial, place as u32, id));
            return;
        }
        let queue = &mut self.queues[link as usize];
        queue.resource.catch_up(now);
        let task = queue.resource.schedule(size, 1.0, ready);
        queue.packets.insert(task, (id, place as u32));
        self.look(link);
    }

    /// Notes when a queue does something next.
    fn look(&mut self, link: u32) {
        match self.queues[link as usize].resource.next_event() {
            Some(at) => self.schedule.set(link, u64::from(link), at.as_nanos()),
            None => self.schedule.remove(link),
        }
    }

    /// The next packet of a transfer has left a hop at the present instant.
    fn leave(&mut self, id: TransferId, place: usize) {
        let now = self.now;
        let Some(transfer) = self.transfers.get_mut(id) else { return };
        let (packets, hops) = (transfer.packets, transfer.hops.len());
        let hop = &mut transfer.hops[place];
        hop.left += 1;
        hop.leaves = None;
        let (left, link, next) = (hop.left, hop.link, hop.behind.pop_front());
        let latency = self.queues[link as usize].link.latency.value_at(now);
        let there = now.saturating_add(SimDuration::ceil_secs(latency));
        if place + 1 < hops {
            self.hand(id, place + 1, there);
        } else if left == packets {
            let Transfer { serial, extra_latency, .. } = self.transfers[id];
            let there = there.saturating_add(SimDuration::ceil_secs(extra_latency));
            self.due.insert((there, serial, ARRIVAL, id));
        }
        if let Some(ready) = next {
            self.hand(id, place, ready);
        } else if place == 0 && left < packets && self.one_at_a_time(link) {
            let ready = self.transfers[id].sent_at(left);
            self.hand(id, 0, ready);
        }
    }

    /// Takes all of a transfer out.
    fn forget(&mut self, id: TransferId) {
        let Some(transfer) = self.transfers.remove(id) else { return };
        self.due.retain(|due| due.3 != id);
        for hop in &transfer.hops {
            let now = self.now;
            let queue = &mut self.queues[hop.link as usize];
            let lost: Vec<ServiceId> =
                queue.packets.iter().filter(|(_, packet)| packet.0 == id).map(|(&task, _)| task).collect();
            if lost.is_empty() {
                continue;
            }
            queue.resource.catch_up(now);
            for task in lost {
                queue.packets.remove(&task);
                queue.resource.cancel(task);
            }
            self.look(hop.link);
        }
    }

    fn fail(&mut self, link: u32, ended: &mut Vec<Ended>) {
        let crosses = |transfer: &Transfer| {
            transfer.hops.iter().any(|hop| hop.link == link && hop.left < transfer.packets)
        };
        let mut lost: Vec<(u64, TransferId)> = self
            .transfers
            .iter()
            .filter(|(_, transfer)| crosses(transfer))
            .map(|(id, transfer)| (transfer.serial, id))
            .collect();
        lost.sort_unstable();
        for (_, transfer) in lost {
            self.forget(transfer);
            ended.push(Ended { transfer, at: self.now, end: End::Failed(LinkId::new(link)) });
        }
    }

    /// Lets everything happen that is due at the present instant.
    fn happen(&mut self, ended: &mut Vec<Ended>) {
        // the number of a transfer is given away only once its end is reported
        for over in std::mem::take(&mut self.at_once) {
            self.forget(over.transfer);
            ended.push(over);
        }
        while let Some((at, link)) = self.schedule.first().filter(|&(at, _)| at <= self.now.as_nanos()) {
            debug_assert_eq!(at, self.now.as_nanos(), "nothing is due before the present instant");
            let queue = &mut self.queues[link as usize];
            let over = queue.resource.advance(self.now);
            let over: Vec<(TransferId, u32)> =
                over.into_iter().filter_map(|(_, task)| queue.packets.remove(&task)).collect();
            self.look(link);
            for (id, place) in over {
                self.leave(id, place as usize);
            }
        }
        while let Some(&(_, _, place, id)) = self.due.first().filter(|due| due.0 <= self.now) {
            self.due.pop_first();
            if place == ARRIVAL {
                self.transfers.remove(id);
                ended.push(Ended { transfer: id, at: self.now, end: End::Completed });
            } else {
                self.leave(id, place as usize);
            }
        }
    }
}

impl Transfer {
    /// Size of the packet of this number.
    fn size(&self, number: u64) -> f64 {
        if number + 1 == self.packets { self.last } else { self.packet }
    }

    /// The instant at which the source sends the packet of this number.
    fn sent_at(&self, number: u64) -> SimTime {
        let number = number as f64;
        let exact = SimDuration::exact_ratio(self.packet * number, self.bound);
        let span = exact.unwrap_or_else(|| SimDuration::ceil_secs(self.packet / self.bound * number));
        self.sent.saturating_add(span)
    }
}

impl Carrier for Packets {
    fn now(&self) -> SimTime {
        self.now
    }

    fn start(&mut self, request: Request<'_>) -> Result<TransferId, OutOfRange> {
        let Request { route, extra_latency, .. } = request;
        request.check()?;
        if let Some(link) = route.iter().find(|link| link.index() >= self.queues.len()) {
            return Err(OutOfRange::NoLink(link.index()));
        }
        let transfer = self.cut(&request)?;
        self.started += 1;
        let serial = transfer.serial;
        let id = self.transfers.insert(transfer);
        if let Some(&link) = route.iter().find(|link| !self.works(**link)) {
            self.at_once.push(Ended { transfer: id, at: self.now, end: End::Failed(link) });
        } else if route.is_empty() {
            let there = self.now.saturating_add(SimDuration::ceil_secs(extra_latency));
            self.due.insert((there, serial, ARRIVAL, id));
        } else {
            self.send(id);
        }
        Ok(id)
    }

    fn cancel(&mut self, transfer: TransferId) {
        self.forget(transfer);
    }

    fn next_event(&mut self) -> Option<SimTime> {
        if !self.at_once.is_empty() {
            return Some(self.now);
        }
        let queue = self.schedule.first().map(|(at, _)| SimTime::from_nanos(at));
        let due = self.due.first().map(|due| due.0);
        let failure = self.failures.peek().map(|&Reverse((at, _))| at);
        queue.into_iter().chain(due).chain(failure).min()
    }

    fn advance(&mut self, to: SimTime, ended: &mut Vec<Ended>) {
        while let Some(at) = self.next_event().filter(|&at| at <= to) {
            self.now = at;
            loop {
                self.happen(ended);
                let due = self.schedule.first().is_some_and(|(at, _)| at <= self.now.as_nanos());
                if !due && self.due.first().is_none_or(|due| due.0 > self.now) {
                    break;
                }
            }
            while let Some(&Reverse((_, link))) = self.failures.peek().filter(|Reverse((due, _))| *due <= at)
            {
                self.failures.pop();
                if self.queues[link as usize].link.working.least_at(self.now) <= 0.0 {
                    self.fail(link, ended);
                }
                self.expect_failure(link);
            }
        }
        self.now = self.now.max(to);
    }
}
