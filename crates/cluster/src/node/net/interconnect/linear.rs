//! The linear interconnect: one process for the whole network, free of contention but at the
//! destination.
//!
//! A message that enters at `t` is ready at its destination at `t + latency + size / bandwidth`.
//! There the receive DMA serves ready messages one at a time, first come, first served by when they
//! were ready; what is ready at the same instant goes in the order in which it entered. The one
//! process (`DoInterconnect`) waits for the next end of a receive DMA anywhere; a message that will
//! be the next shortens that wait.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 3.2. The paper gives the form of
//! the latency; the constants are of a Myrinet of its time.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

use crate::kernel::{SimDuration, SimTime, Work, now, spawn_daemon};
use crate::node::cluster_state::{Carried, Carrier, LastSize, Parcel};
use crate::node::net::nic;
use crate::node::os::node::transfer;
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, entry};
use crate::units::{Bandwidth, Bytes};

use super::Interconnect;

/// The key of the latency, which all interconnects share.
pub(super) const LATENCY: Key = Key::new("latency", Kind::Duration(Bounds::NotNegative))
    .or("10us")
    .about("time on the wire of a message without content");

/// The key of the bandwidth, which all interconnects share.
pub(super) const BANDWIDTH: Key = Key::new("bandwidth", Kind::Bandwidth)
    .or("160MB/s")
    .about("what the wire time of a message grows by with its size")
    .source("a Myrinet link of 2004");

pub(super) const ENTRY: Entry<dyn Interconnect> = entry! {
    "linear" => "latency linear in the size, no contention but at the destination's receive DMA",
    source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 3.2",
    keys &[LATENCY, BANDWIDTH],
    reads |params| Linear::read(params)?
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Linear {
    latency: SimDuration,
    bandwidth: Bandwidth,
}

impl Linear {
    /// Reads [`LATENCY`] and [`BANDWIDTH`].
    pub(super) fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        Ok(Linear { latency: params.read("latency")?, bandwidth: params.read("bandwidth")? })
    }

    /// Time for which a message holds a wire.
    pub(super) fn holds(&self, size: Bytes) -> SimDuration {
        transfer(size, self.bandwidth)
    }

    /// The carrier of messages between `nodes` nodes.
    pub(super) fn network(&self, nodes: u32) -> Network {
        Network {
            wire: *self,
            latency: LastSize::default(),
            ports: (0..nodes).map(|_| RefCell::default()).collect(),
            ends: RefCell::default(),
            next: Cell::new(SimTime::MAX),
            wait: Work::new("next delivery"),
            entered: Cell::new(0),
        }
    }
}

impl Interconnect for Linear {
    fn latency(&self, size: Bytes) -> SimDuration {
        self.latency.saturating_add(transfer(size, self.bandwidth))
    }

    fn carrier(&self, nodes: u32) -> Rc<dyn Carrier> {
        Rc::new(self.network(nodes))
    }
}

/// A message in transit to a port.
#[derive(Debug)]
struct InProgress {
    ready: SimTime,
    /// In the order of entering.
    number: u64,
    parcel: Parcel,
}

/// The receive DMA of one destination: a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Port {
    /// In the order in which they are ready; the DMA serves the first.
    coming: VecDeque<InProgress>,
    /// Instant at which the last DMA was over.
    free: SimTime,
    /// Instant at which that of the first message will be over.
    end: SimTime,
}

/// The end of a receive DMA: when, of which message, where. Stale unless the message is the first
/// of its port and the port has this very end: a message that has come before it has had the DMA
/// first.
type End = Reverse<(SimTime, u64, u32)>;

#[derive(Debug)]
pub(super) struct Network {
    wire: Linear,
    /// The last latency that was asked for.
    latency: LastSize,
    ports: Box<[RefCell<Port>]>,
    ends: RefCell<BinaryHeap<End>>,
    /// The earliest end, which `wait` is set to.
    next: Cell<SimTime>,
    wait: Work,
    entered: Cell<u64>,
}

impl Network {
    /// The first message of a port is next: notes when its DMA will be over.
    fn schedule_first(&self, cluster: &Carried, port: &mut Port, to: u32) {
        let Some(first) = port.coming.front() else { return };
        let dma = cluster.0.dma(to, first.parcel.message.size);
        let end = first.ready.max(port.free).saturating_add(dma);
        port.end = end;
        self.ends.borrow_mut().push(Reverse((end, first.number, to)));
        if end < self.next.get() {
            self.next.set(end);
            self.wait.set(end.since(now()));
            self.wait.go();
        }
    }

    /// Takes out the message whose DMA is over now.
    fn over(&self, cluster: &Carried) -> Option<Parcel> {
        loop {
            let Reverse((end, number, to)) = *self.ends.borrow().peek()?;
            if end > now() {
                return None;
            }
            self.ends.borrow_mut().pop();
            let mut port = self.ports[to as usize].borrow_mut();
            if port.end == end && port.coming.front().is_some_and(|first| first.number == number) {
                port.free = end;
                let parcel = port.coming.pop_front().map(|under_way| under_way.parcel);
                if port.coming.is_empty() {
                    // from the beginning of its room again, which is in the cache
                    port.coming.clear();
                }
                self.schedule_first(cluster, &mut port, to);
                return parcel;
            }
        }
    }

    /// A message will be ready at its destination after `latency`.
    pub(super) fn due(&self, cluster: &Carried, parcel: Parcel, latency: SimDuration) {
        let ready = now().saturating_add(latency);
        let number = self.entered.get();
        self.entered.set(number + 1);
        let to = parcel.message.to;
        let mut port = self.ports[to as usize].borrow_mut();
        let place = port.coming.partition_point(|other| other.ready <= ready);
        port.coming.insert(place, InProgress { ready, number, parcel });
        if place == 0 {
            self.schedule_first(cluster, &mut port, to);
        }
    }

    /// The process of the interconnect.
    async fn run(self: Rc<Self>, cluster: Carried) {
        loop {
            self.wait.done().await;
            while let Some(parcel) = self.over(&cluster) {
                nic::receive(&cluster.0, parcel);
            }
            let next = self.ends.borrow().peek().map_or(SimTime::MAX, |&Reverse((end, ..))| end);
            self.next.set(next);
            if next == SimTime::MAX {
                self.wait.pause();
            } else {
                self.wait.set(next.since(now()));
            }
        }
    }
}

impl Carrier for Network {
    fn start(self: Rc<Self>, cluster: &Carried) {
        spawn_daemon("interconnect", self.run(cluster.clone()));
    }

    fn enter(&self, cluster: &Carried, parcel: Parcel) {
        // a message to the same node skips the wire, and nothing else
        let local = parcel.from == parcel.message.to;
        let size = parcel.message.size;
        let latency =
            if local { SimDuration::ZERO } else { self.latency.or_else(size, || self.wire.latency(size)) };
        self.due(cluster, parcel, latency);
    }
}
