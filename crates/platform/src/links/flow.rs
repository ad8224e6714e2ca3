//! Flows in time: transfers over links that share their bandwidth.
//!
//! ```text
//! started --1--> waiting for its latency --2--> transferring --3--> completed
//!                        \------------------------\--------4------> failed
//! ```
//! 1. It starts at the present instant, and fails at once if a link of its route does not work.
//! 2. The latency of its route is over; until then it takes no bandwidth.
//! 3. All of its size has been carried, at the rates of [`MaxMin`].
//! 4. A link of its route, or of the route back of its acknowledgements, fails.
//!
//! Rates are solved again once an instant, after everything of it has happened. At one instant
//! flows complete first, in the order in which they started; then links change or fail; then
//! latencies are over. So a flow whose last byte arrives as a link fails has completed.
//!
//! The progress of a flow is worked out when its rate changes, and not before: changes elsewhere
//! cost it nothing. Of a link that no flow crosses nothing is awaited: its values are looked up
//! when one does. Ends are whole nanoseconds, rounded up, so that none is before the last byte; a
//! rate holds until then, and what a link carried in the last fraction of a nanosecond of a flow is
//! lost.
//!
//! [`Flows`] is a plain data structure without a clock of its own: [`Carrier::next_event`] says
//! when something happens next, and [`Flows::advance`] lets it. Sources are those of [`Model`].
//!
//! If the latency of a link on its route changes, a flow's weight and window follow, and so its
//! weight does when a bandwidth changes that it is made of; the time that it waits for its latency
//! stays. Left out: packets, and losses.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use slotmap::SlotMap;

use crate::collections::OrderedSet;
use crate::kernel::{SimDuration, SimTime};
use crate::links::network::Carrier;
use crate::links::{Link, Model};
use crate::sharing::{Crossing, FlowId, LinkId, MaxMin, OutOfRange, Schedule, capacity_in_range};
use crate::trace::Trace;

slotmap::new_key_type! {
    /// A transfer of a [`Flows`].
    pub struct TransferId;
}

/// The end of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All was carried.
    Completed,
    /// This link failed.
    Failed(LinkId),
}

/// A transfer that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// Number of the transfer.
    pub transfer: TransferId,
    /// The instant of the end.
    pub at: SimTime,
    /// The end.
    pub end: End,
}

/// A request for a transfer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Request<'a> {
    /// The size, in the unit of bandwidths.
    pub size: f64,
    /// The links in order; none for a transfer within a host, which takes no time.
    pub route: &'a [LinkId],
    /// The links of the route back, for acknowledgements if the model has any.
    pub back: &'a [LinkId],
    /// The most it may have, if it limits itself.
    pub bound: Option<f64>,
    /// Seconds that the route takes beyond the latencies of its links
    /// ([`Platform::route_with_delay`](crate::Platform::route_with_delay)).
    pub extra_latency: f64,
}

impl Request<'_> {
    /// Refuses numbers that are none.
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        let numbers = self.bound.into_iter().chain([self.size, self.extra_latency]);
        match numbers.into_iter().find(|number| number.is_nan() || *number < 0.0) {
            Some(wrong) => Err(OutOfRange::Bound(wrong)),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Debug)]
struct Transfer {
    serial: u64,
    phase: Phase,
    /// The terms of its weight, if a trace of the route may change them.
    weighed: Option<Box<WeightTerms>>,
}

/// The terms of the weight and the bound of a transfer.
#[derive(Clone, Debug)]
struct WeightTerms {
    route: Vec<LinkId>,
    extra_latency: f64,
    own_bound: Option<f64>,
}

#[derive(Clone, Debug)]
enum Phase {
    Waiting { until: SimTime, size: f64, weight: f64, bound: Option<f64>, crossings: Vec<Crossing> },
    Transferring(FlowId),
}

/// A flow in progress, by its number in the solver.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    transfer: TransferId,
    serial: u64,
    /// The size that was left at `since`.
    left: f64,
    since: SimTime,
    rate: f64,
}

/// A property of a link that a trace changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    Bandwidth,
    Latency,
    Working,
}

/// Events of a link that are watched, besides those of its flows.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    /// Crossings of transfers that wait for their latency.
    waiting: u32,
    /// True for each of its changes that is awaited.
    awaited: [bool; 3],
}

/// Links and the transfers over them; the module's documentation has the rules.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    model: Model,
    now: SimTime,
    links: Vec<Link>,
    watches: Vec<Watch>,
    shares: MaxMin,
    started: u64,
    transfers: SlotMap<TransferId, Transfer>,
    waiting: OrderedSet<(SimTime, u64, TransferId)>,
    progress: Vec<Progress>,
    schedule: Schedule,
    changes: BinaryHeap<Reverse<(SimTime, u32, Change)>>,
    /// Ended as they started, with the present instant.
    at_once: Vec<Ended>,
    /// Room for the crossings of transfers to come.
    spare: Vec<Vec<Crossing>>,
}

impl Flows {
    /// No links yet, at the start of the run.
    ///
    /// # Errors
    /// Factors of the model that are negative or no numbers, and cross traffic outside of 0.01 to 1
    /// that is not 0.
    pub fn new(model: Model) -> Result<Self, OutOfRange> {
        Ok(Flows { model: model.checked()?, ..Flows::default() })
    }

    /// A link, numbered from 0 in the order of this.
    ///
    /// # Errors
    /// Bandwidths, now or later in its trace, that are out of range, and latencies that are no
    /// times.
    pub fn add_link(&mut self, link: Link) -> Result<LinkId, OutOfRange> {
        self.check(&link)?;
        let bandwidth = link.bandwidth.value_at(self.now) * self.model.bandwidth_factor;
        let id = self.shares.link(bandwidth, link.policy)?;
        self.links.push(link);
        self.watches.push(Watch::default());
        Ok(id)
    }

    /// Refuses a link as [`Flows::add_link`] does.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn check(&self, link: &Link) -> Result<(), OutOfRange> {
        for bandwidth in link.bandwidth.values() {
            capacity_in_range(bandwidth * self.model.bandwidth_factor)?;
        }
        match link.latency.values().find(|latency| !latency.is_finite() || *latency < 0.0) {
            Some(latency) => Err(OutOfRange::Bound(latency)),
            None => Ok(()),
        }
    }

    /// The rate of a transfer at the present instant: 0 while it waits for its latency, and after
    /// its end.
    pub fn rate(&mut self, transfer: TransferId) -> f64 {
        self.find_rates();
        match self.transfers.get(transfer) {
            Some(Transfer { phase: Phase::Transferring(flow), .. }) => self.shares.rate(*flow),
            _ => 0.0,
        }
    }

    /// Lets everything happen up to and at `to`, which becomes the present instant; gives what
    /// ended, in order. To start a transfer when another ends, advance no further than
    /// [`Carrier::next_event`].
    pub fn advance(&mut self, to: SimTime) -> Vec<Ended> {
        let mut ended = Vec::new();
        Carrier::advance(self, to, &mut ended);
        ended
    }

    fn works(&self, link: LinkId) -> bool {
        self.links[link.index()].working.value_at(self.now) > 0.0
    }

    /// Returns true if no transfer crosses a link.
    fn is_idle(&self, link: LinkId) -> bool {
        self.watches[link.index()].waiting == 0 && self.shares.flows_on(link).next().is_none()
    }

    /// Lets a link that was idle be as it is now, and awaits its changes.
    fn wake(&mut self, link: LinkId) {
        let bandwidth = self.links[link.index()].bandwidth.value_at(self.now) * self.model.bandwidth_factor;
        if bandwidth.to_bits() != self.shares.capacity(link).to_bits() {
            let set = self.shares.set_capacity(link, bandwidth);
            set.expect("every value of the trace was tried when the link was added");
        }
        for change in [Change::Bandwidth, Change::Latency, Change::Working] {
            self.expect_change(link, change);
        }
    }

    fn expect_change(&mut self, link: LinkId, change: Change) {
        let Link { bandwidth, latency, working, .. } = &self.links[link.index()];
        let trace = match change {
            Change::Bandwidth => bandwidth,
            Change::Latency => latency,
            Change::Working => working,
        };
        let awaited = &mut self.watches[link.index()].awaited[change as usize];
        if let Some(at) = trace.next_change(self.now).filter(|_| !*awaited) {
            *awaited = true;
            self.changes.push(Reverse((at, link.index() as u32, change)));
        }
    }

    fn change(&mut self, link: LinkId, change: Change, ended: &mut Vec<Ended>) {
        self.watches[link.index()].awaited[change as usize] = false;
        if self.is_idle(link) {
            return;
        }
        match change {
            Change::Bandwidth => {
                let bandwidth = self.links[link.index()].bandwidth.value_at(self.now);
                let set = self.shares.set_capacity(link, bandwidth * self.model.bandwidth_factor);
                set.expect("every value of the trace was tried when the link was added");
                if self.model.weight_size > 0.0 {
                    self.weigh_again(link);
                }
            }
            Change::Latency => self.weigh_again(link),
            Change::Working if self.links[link.index()].working.least_at(self.now) <= 0.0 => {
                self.fail(link, ended);
            }
            Change::Working => {}
        }
        self.expect_change(link, change);
    }

    /// The latency of a route at the present instant, and the weight and bound of a flow over it.
    fn terms(&self, route: &[LinkId], extra: f64, own_bound: Option<f64>) -> (f64, f64, Option<f64>) {
        let of_links = route.iter().map(|link| self.links[link.index()].latency.value_at(self.now));
        let latency = of_links.sum::<f64>() + extra;
        let bandwidths = route.iter().map(|link| self.shares.capacity(*link) / self.model.bandwidth_factor);
        let weight = self.model.weight(latency, bandwidths);
        // where no link is crossed the route takes its latency and nothing else
        let bound = self.model.bound(own_bound, latency).filter(|_| !route.is_empty());
        (latency, weight, bound)
    }

    /// Returns true if the weight of a flow over this route may change from now on.
    fn may_change(&self, route: &[LinkId]) -> bool {
        route.iter().map(|link| &self.links[link.index()]).any(|Link { latency, bandwidth, .. }| {
            let changes = |trace: &Trace| trace.next_change(self.now).is_some();
            changes(latency) || self.model.weight_size > 0.0 && changes(bandwidth)
        })
    }

    /// Gives all transfers over a link the weight and bound that they have now.
    fn weigh_again(&mut self, link: LinkId) {
        let under_way = self.shares.flows_on(link).map(|flow| self.progress[flow.index()].transfer);
        let mut over: Vec<TransferId> = under_way.collect();
        over.extend(self.waiting.iter().map(|&(.., transfer)| transfer));
        for transfer in over {
            let weighed = self.transfers.get(transfer).and_then(|transfer| transfer.weighed.as_deref());
            let Some(weighed) = weighed.filter(|weighed| weighed.route.contains(&link)) else { continue };
            let (_, new_weight, new_bound) =
                self.terms(&weighed.route, weighed.extra_latency, weighed.own_bound);
            match &mut self.transfers[transfer].phase {
                Phase::Waiting { weight, bound, .. } => (*weight, *bound) = (new_weight, new_bound),
                &mut Phase::Transferring(flow) => {
                    let set = self.shares.set_weight(flow, new_weight);
                    let set = set.and_then(|()| self.shares.set_bound(flow, new_bound));
                    set.expect("weights are within their range, and bounds not negative");
                }
            }
        }
    }

    fn fail(&mut self, link: LinkId, ended: &mut Vec<Ended>) {
        let under_way = self.shares.flows_on(link).map(|flow| self.progress[flow.index()]);
        let mut lost: Vec<(u64, TransferId)> =
            under_way.map(|progress| (progress.serial, progress.transfer)).collect();
        for &(_, serial, transfer) in &self.waiting {
            if let Phase::Waiting { crossings, .. } = &self.transfers[transfer].phase
                && crossings.iter().any(|crossing| crossing.link == link)
            {
                lost.push((serial, transfer));
            }
        }
        lost.sort_unstable();
        for (_, transfer) in lost {
            self.cancel(transfer);
            ended.push(Ended { transfer, at: self.now, end: End::Failed(link) });
        }
    }

    /// Ends the transfers that have been carried.
    fn complete(&mut self, ended: &mut Vec<Ended>) {
        while let Some((_, flow)) = self.schedule.first().filter(|&(end, _)| end <= self.now.as_nanos()) {
            let transfer = self.progress[flow as usize].transfer;
            self.cancel(transfer);
            ended.push(Ended { transfer, at: self.now, end: End::Completed });
        }
    }

    /// The latency is over.
    fn transfer(&mut self, transfer: TransferId) {
        let Some(started) = self.transfers.get_mut(transfer) else { return };
        let Phase::Waiting { size, weight, bound, crossings, .. } = &mut started.phase else { return };
        let (size, mut crossings) = (*size, std::mem::take(crossings));
        waits_no_more(&mut self.watches, &crossings);
        let flow = self.shares.add(*weight, *bound, &crossings);
        let flow = flow.expect("links, weight and bound were looked at when it started");
        started.phase = Phase::Transferring(flow);
        crossings.clear();
        self.spare.push(crossings);
        if self.progress.len() <= flow.index() {
            self.progress.resize(flow.index() + 1, Progress::default());
        }
        let serial = started.serial;
        self.progress[flow.index()] = Progress { transfer, serial, left: size, since: self.now, rate: 0.0 };
    }

    /// Takes up the rates after all that has happened at the present instant.
    fn find_rates(&mut self) {
        let now = self.now;
        // ids first: the list borrows the solver
        for place in 0..self.shares.solve().len() {
            let flow = self.shares.changed(place);
            let rate = self.shares.rate(flow);
            let progress = &mut self.progress[flow.index()];
            if now > progress.since {
                progress.left -= progress.rate * now.since(progress.since).as_secs_f64();
            }
            (progress.since, progress.rate) = (now, rate);
            let span = match progress.left {
                left if left <= 0.0 || rate.is_infinite() => SimDuration::ZERO,
                _ if rate <= 0.0 => {
                    self.schedule.remove(flow.index() as u32);
                    continue;
                }
                left => SimDuration::ceil_ratio(left, rate),
            };
            let end = now.saturating_add(span).as_nanos();
            self.schedule.set(flow.index() as u32, progress.serial, end);
        }
    }
}

/// A transfer over these waits for its latency no more.
fn waits_no_more(watches: &mut [Watch], crossings: &[Crossing]) {
    for crossing in crossings {
        watches[crossing.link.index()].waiting -= 1;
    }
}

impl Carrier for Flows {
    fn now(&self) -> SimTime {
        self.now
    }

    fn wants_reverse_route(&self) -> bool {
        self.model.cross_traffic > 0.0
    }

    fn start(&mut self, request: Request<'_>) -> Result<TransferId, OutOfRange> {
        let Request { size, route, back, bound, extra_latency } = request;
        request.check()?;
        if let Some(link) = route.iter().chain(back).find(|link| link.index() >= self.links.len()) {
            return Err(OutOfRange::NoLink(link.index()));
        }
        let back = if self.model.cross_traffic > 0.0 { back } else { &[] };
        for link in route.iter().chain(back) {
            if self.is_idle(*link) {
                self.wake(*link);
            }
            self.watches[link.index()].waiting += 1;
        }
        let weighed = self.may_change(route).then(|| {
            let route = route.to_vec();
            Box::new(WeightTerms { route, extra_latency, own_bound: bound })
        });
        let (latency, weight, bound) = self.terms(route, extra_latency, bound);
        let data = route.iter().map(|&link| Crossing { link, usage: 1.0 });
        let acknowledgements = back.iter().map(|&link| Crossing { link, usage: self.model.cross_traffic });
        let mut crossings = self.spare.pop().unwrap_or_default();
        crossings.extend(data.chain(acknowledgements));
        let until = self.now.saturating_add(SimDuration::ceil_secs(latency * self.model.latency_factor));
        let serial = self.started;
        self.started += 1;
        let broken = crossings.iter().map(|crossing| crossing.link).find(|link| !self.works(*link));
        let phase = Phase::Waiting { until, size, weight, bound, crossings };
        let transfer = self.transfers.insert(Transfer { serial, phase, weighed });
        if let Some(link) = broken {
            self.at_once.push(Ended { transfer, at: self.now, end: End::Failed(link) });
        } else if until > self.now {
            self.waiting.insert((until, serial, transfer));
        } else {
            self.transfer(transfer);
        }
        Ok(transfer)
    }

    fn cancel(&mut self, transfer: TransferId) {
        let Some(cancelled) = self.transfers.remove(transfer) else { return };
        match cancelled.phase {
            Phase::Waiting { until, crossings, .. } => {
                self.waiting.remove(&(until, cancelled.serial, transfer));
                waits_no_more(&mut self.watches, &crossings);
            }
            Phase::Transferring(flow) => {
                self.shares.remove(flow);
                self.schedule.remove(flow.index() as u32);
            }
        }
    }

    fn next_event(&mut self) -> Option<SimTime> {
        self.find_rates();
        if !self.at_once.is_empty() {
            return Some(self.now);
        }
        let end = self.schedule.first().map(|(end, _)| SimTime::from_nanos(end));
        let begin = self.waiting.first().map(|&(until, ..)| until);
        let change = self.changes.peek().map(|&Reverse((at, ..))| at);
        end.into_iter().chain(begin).chain(change).min()
    }

    fn advance(&mut self, to: SimTime, ended: &mut Vec<Ended>) {
        while let Some(at) = self.next_event().filter(|&at| at <= to) {
            self.now = at;
            // the number of a transfer is given away only once its end is reported
            for over in std::mem::take(&mut self.at_once) {
                self.cancel(over.transfer);
                ended.push(over);
            }
            self.complete(ended);
            while let Some(&Reverse((_, link, change))) =
                self.changes.peek().filter(|Reverse((due, ..))| *due <= at)
            {
                self.changes.pop();
                self.change(LinkId::new(link), change, ended);
            }
            while let Some(&(_, _, transfer)) = self.waiting.first().filter(|(until, ..)| *until <= at) {
                self.waiting.pop_first();
                self.transfer(transfer);
            }
        }
        self.now = self.now.max(to);
    }
}
