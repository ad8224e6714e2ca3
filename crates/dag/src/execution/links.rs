//! Transfers between hosts while a plan is executed.
//!
//! | order | a transfer starts when |
//! |---|---|
//! | [`LinkOrder::Free`] | its parent has ended: every transfer has its links to itself |
//! | [`LinkOrder::Planned`] | its parent has ended and it is the next on every link of its route |
//! | [`LinkOrder::Network`] | its parent has ended; the network model decides on its duration |
//!
//! Planned transfers have the links of their routes to themselves. Under the first two orders a
//! transfer takes what [`Grid::carried`] says from its start on: predictions that are right say the
//! same.
//!
//! Source: "DAGSim" (links first in, first out in the order of the schedule; `contention_free` for
//! textbook comparisons).

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use smallvec::SmallVec;

use crate::collections::OrderedMap;
use crate::kernel::{SimTime, Work, now};
use crate::model::grid::Grid;
use crate::platform::HostId;
use crate::platform::network::{Network, Started, TransferClass, TransferObserver, Transfers, Transport};
use crate::platform::sharing::LinkId;
use crate::platform::{End, TransferId};

/// Order of transfers on links.
#[derive(Clone, Debug, Default)]
pub enum LinkOrder {
    /// Each has its links to itself.
    Free,
    /// Links carry one transfer at a time, in the planned order.
    #[default]
    Planned,
    /// As this network model says.
    Network(Rc<dyn Transport>),
}

/// A transfer by its place in the record of all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct TransferNumber(pub(super) u32);

impl TransferNumber {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Data to be carried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cargo {
    pub(super) transfer: TransferNumber,
    pub(super) from: HostId,
    pub(super) to: HostId,
    pub(super) bytes: u64,
}

/// Party that is notified of the end of a transfer, and whether it completed.
pub(super) trait Arrivals {
    fn arrived(&self, transfer: TransferNumber, completed: bool);
}

/// Carrier of transfers, by one of the three orders.
#[expect(clippy::large_enum_variant, reason = "there is one a run")]
pub(super) enum Links {
    /// Transfers that end at known instants.
    Timed(Timed),
    /// The network model's process, and the transfers that it carries.
    Network(Network, RefCell<OrderedMap<TransferNumber, TransferId>>),
}

impl Links {
    /// The transfers in progress.
    pub(super) fn under_way(&self) -> Vec<TransferNumber> {
        match self {
            Links::Timed(timed) => {
                let under_way = timed.under_way.borrow();
                let mut all: Vec<TransferNumber> =
                    under_way.iter().map(|Reverse((_, number))| *number).collect();
                all.sort_unstable();
                all
            }
            Links::Network(_, under_way) => under_way.borrow().keys().copied().collect(),
        }
    }

    /// Breaks off a transfer that is in progress.
    pub(super) fn cancel(&self, transfer: TransferNumber) {
        match self {
            Links::Timed(timed) => timed.cancel(transfer),
            Links::Network(network, under_way) => {
                if let Some(id) = under_way.borrow_mut().remove(&transfer) {
                    network.cancel(id);
                }
            }
        }
    }

    /// The transfers that are in progress, and do not end now as far as that is known.
    pub(super) fn carried(&self) -> Vec<TransferNumber> {
        match self {
            Links::Timed(timed) => timed.carried(),
            Links::Network(_, under_way) => under_way.borrow().keys().copied().collect(),
        }
    }

    /// Starts a transfer over the network.
    pub(super) fn start_over_network(&self, cargo: Cargo, arrivals: &Rc<dyn Arrivals>) {
        let Links::Network(network, under_way) = self else { return };
        let transfers = Transfers { from: cargo.from, to: cargo.to, size: cargo.bytes as f64, bound: None };
        let transfer = cargo.transfer;
        let arrival = Arrival { arrivals: Rc::clone(arrivals), transfer };
        match network.start(transfers, Some(Rc::new(arrival)), TransferClass::Foreground) {
            Ok(Started::InProgress(id)) => {
                under_way.borrow_mut().insert(transfer, id);
            }
            Ok(Started::Over) => arrivals.arrived(transfer, true),
            Err(_) => arrivals.arrived(transfer, false),
        }
    }

    /// A transfer over the network has ended.
    pub(super) fn over(&self, transfer: TransferNumber) {
        if let Links::Network(_, under_way) = self {
            under_way.borrow_mut().remove(&transfer);
        }
    }
}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Links::Timed(timed) => timed.fmt(f),
            Links::Network(network, _) => network.fmt(f),
        }
    }
}

/// Transfers in progress, and those that wait for their turns.
#[derive(Debug)]
pub(super) struct Timed {
    under_way: RefCell<BinaryHeap<Reverse<(SimTime, TransferNumber)>>>,
    next: Work,
    queues: Option<RefCell<LinkQueues>>,
    /// Transfers that may start as others were broken off.
    freed: RefCell<Vec<TransferNumber>>,
}

/// Queue of the transfers of each link, in the planned order.
#[derive(Debug, Default)]
struct LinkQueues {
    /// Of each link that carries something.
    queues: Vec<VecDeque<TransferNumber>>,
    queue_of: OrderedMap<LinkId, u32>,
    /// By pair of hosts: the place of its route, once something was sent between them.
    route_of: OrderedMap<(HostId, HostId), u32>,
    /// The queues of the links of each route, in the order of the links, one route after the other;
    /// where each begins, and the last ends.
    routes: Vec<u32>,
    firsts: Vec<u32>,
    /// By transfer.
    queued: Vec<Queued>,
    /// Places that were given.
    turns: u64,
}

/// A transfer that has a place in the order of each of its links.
#[derive(Clone, Copy, Debug, Default)]
struct Queued {
    route: u32,
    /// The links of which it is the first.
    first_on: u32,
    is_ready: bool,
    has_started: bool,
    /// Place among all that were ever queued; where it was queued again the last one counts.
    turn: u64,
}

impl Timed {
    pub(super) fn new(is_planned: bool) -> Self {
        Timed {
            under_way: RefCell::default(),
            next: Work::new("the end of a transfer"),
            queues: is_planned.then(|| RefCell::new(LinkQueues { firsts: vec![0], ..LinkQueues::default() })),
            freed: RefCell::default(),
        }
    }

    /// So many transfers are about to be queued.
    pub(super) fn expect(&self, transfers: usize) {
        if let Some(queues) = &self.queues {
            queues.borrow_mut().queued.reserve_exact(transfers);
        }
    }

    /// Gives a transfer its place in the order of each link of its route.
    pub(super) fn queue(&self, grid: &Grid, cargo: Cargo) {
        let Some(queues) = &self.queues else { return };
        let mut queues = queues.borrow_mut();
        let route = queues.route(grid, cargo.from, cargo.to);
        let mut first_on = 0;
        for place in queues.places(route) {
            let queue = queues.routes[place] as usize;
            let queue = &mut queues.queues[queue];
            first_on += u32::from(queue.is_empty());
            queue.push_back(cargo.transfer);
        }
        let count = queues.queued.len().max(cargo.transfer.index() + 1);
        queues.queued.resize(count, Queued::default());
        queues.turns += 1;
        let turn = queues.turns;
        queues.queued[cargo.transfer.index()] = Queued { route, first_on, turn, ..Queued::default() };
    }

    /// Brings transfers into the order in which links had them by their last plans; one that took
    /// the place of another follows it.
    pub(super) fn in_turn(&self, transfers: &mut [TransferNumber]) {
        if let Some(queues) = &self.queues {
            let queues = queues.borrow();
            transfers.sort_by_key(|transfer| queues.queued.get(transfer.index()).map(|queued| queued.turn));
        }
    }

    /// Takes back every transfer that has not started.
    pub(super) fn take_back(&self) {
        let Some(queues) = &self.queues else { return };
        let mut queues = queues.borrow_mut();
        let LinkQueues { queues, queued, .. } = &mut *queues;
        // what may start as another one was broken off has not started
        for transfer in self.freed.take() {
            queued[transfer.index()].has_started = false;
        }
        for queue in queues {
            queue.retain(|transfer| queued[transfer.index()].has_started);
        }
    }

    /// The data are there to be sent; gives the transfer back if it may start.
    pub(super) fn ready(&self, cargo: Cargo) -> bool {
        let Some(queues) = &self.queues else { return true };
        let mut queues = queues.borrow_mut();
        queues.queued[cargo.transfer.index()].is_ready = true;
        queues.may_start(cargo.transfer)
    }

    /// Lets a transfer start.
    pub(super) fn start(&self, transfer: TransferNumber, end: SimTime) {
        self.under_way.borrow_mut().push(Reverse((end, transfer)));
        self.look_again();
    }

    /// Breaks off a transfer that is in progress.
    fn cancel(&self, transfer: TransferNumber) {
        self.under_way.borrow_mut().retain(|Reverse((_, under_way))| *under_way != transfer);
        self.freed.borrow_mut().extend(self.leave(transfer));
        self.look_again();
    }

    /// A transfer that has not started leaves the orders of its links.
    pub(super) fn withdraw(&self, transfer: TransferNumber) {
        self.freed.borrow_mut().retain(|freed| *freed != transfer);
        let Some(queues) = &self.queues else { return };
        let mut queues = queues.borrow_mut();
        for place in queues.places(queues.queued[transfer.index()].route) {
            let queue = queues.routes[place] as usize;
            let queue = &mut queues.queues[queue];
            let Some(position) = queue.iter().position(|queued| *queued == transfer) else { continue };
            queue.remove(position);
            if let Some(&next) = queue.front().filter(|_| position == 0) {
                queues.queued[next.index()].first_on += 1;
                if queues.may_start(next) {
                    self.freed.borrow_mut().push(next);
                }
            }
        }
    }

    /// Transfers in progress that do not end now.
    pub(super) fn carried(&self) -> Vec<TransferNumber> {
        let under_way = self.under_way.borrow();
        let later = under_way.iter().filter(|Reverse((end, _))| *end > now());
        let mut carried: Vec<TransferNumber> = later.map(|Reverse((_, transfer))| *transfer).collect();
        carried.sort_unstable();
        carried
    }

    /// A transfer was broken off by a link: another one takes its places in the orders of its
    /// links, and is not ready yet.
    pub(super) fn replace(&self, old: TransferNumber, new: TransferNumber) {
        self.under_way.borrow_mut().retain(|Reverse((_, under_way))| *under_way != old);
        if let Some(queues) = &self.queues {
            let mut queues = queues.borrow_mut();
            let count = queues.queued.len().max(new.index() + 1);
            queues.queued.resize(count, Queued::default());
            let queued = queues.queued[old.index()];
            for place in queues.places(queued.route) {
                // it was carried, so it is the first of each
                let queue = queues.routes[place] as usize;
                queues.queues[queue].pop_front();
                queues.queues[queue].push_front(new);
            }
            queues.queued[new.index()] = Queued { is_ready: false, has_started: false, ..queued };
        }
        self.look_again();
    }

    /// A transfer that may start by the orders of its links cannot yet: it keeps its places, and is
    /// not ready.
    pub(super) fn put_off(&self, transfer: TransferNumber) {
        if let Some(queues) = &self.queues {
            let queued = &mut queues.borrow_mut().queued[transfer.index()];
            (queued.is_ready, queued.has_started) = (false, false);
        }
    }

    /// Transfers that may start as others were broken off.
    pub(super) fn freed(&self) -> Vec<TransferNumber> {
        self.freed.take()
    }

    fn look_again(&self) {
        let first = self.under_way.borrow().peek().map(|Reverse((end, _))| *end);
        match first {
            Some(end) => {
                self.next.set(end.since(now()));
                self.next.go();
            }
            None => self.next.pause(),
        }
    }

    /// The transfers that may start now that this one has ended.
    fn leave(&self, transfer: TransferNumber) -> SmallVec<[TransferNumber; 4]> {
        let mut now_first = SmallVec::new();
        let Some(queues) = &self.queues else { return now_first };
        let mut queues = queues.borrow_mut();
        for place in queues.places(queues.queued[transfer.index()].route) {
            let queue = queues.routes[place] as usize;
            let queue = &mut queues.queues[queue];
            queue.pop_front();
            if let Some(&next) = queue.front() {
                queues.queued[next.index()].first_on += 1;
                if queues.may_start(next) {
                    now_first.push(next);
                }
            }
        }
        now_first
    }

    /// The process: notifies of every end at its instant.
    pub(super) async fn carry(&self, arrivals: &dyn Arrivals, start: &dyn Fn(TransferNumber)) {
        loop {
            self.next.done().await;
            self.next.pause();
            loop {
                let mut under_way = self.under_way.borrow_mut();
                let Some(&Reverse((end, transfer))) = under_way.peek() else { break };
                if end > now() {
                    break;
                }
                under_way.pop();
                drop(under_way);
                arrivals.arrived(transfer, true);
                self.leave(transfer).into_iter().for_each(start);
            }
            self.look_again();
        }
    }
}

impl LinkQueues {
    /// The place of the route between two hosts.
    fn route(&mut self, grid: &Grid, from: HostId, to: HostId) -> u32 {
        let LinkQueues { queues, queue_of, route_of, routes, firsts, .. } = self;
        *route_of.entry((from, to)).or_insert_with(|| {
            let mut links = Vec::new();
            grid.platform().route(from, to, &mut links).expect("the plan is lawful");
            links.sort_unstable();
            links.dedup();
            routes.extend(links.into_iter().map(|link| {
                *queue_of.entry(link).or_insert_with(|| {
                    queues.push(VecDeque::new());
                    queues.len() as u32 - 1
                })
            }));
            firsts.push(routes.len() as u32);
            firsts.len() as u32 - 2
        })
    }

    /// The places of a route's queues.
    fn places(&self, route: u32) -> Range<usize> {
        self.firsts[route as usize] as usize..self.firsts[route as usize + 1] as usize
    }

    /// Returns true if a transfer is ready and the first on all of its links; then it is taken to
    /// start.
    fn may_start(&mut self, transfer: TransferNumber) -> bool {
        let links = self.places(self.queued[transfer.index()].route).len();
        let queued = &mut self.queued[transfer.index()];
        let may = queued.is_ready && !queued.has_started && queued.first_on as usize == links;
        queued.has_started |= may;
        may
    }
}

/// Notifies of the end of a transfer over the network.
struct Arrival {
    arrivals: Rc<dyn Arrivals>,
    transfer: TransferNumber,
}

impl TransferObserver for Arrival {
    fn ended(&self, end: End) {
        self.arrivals.arrived(self.transfer, end == End::Completed);
    }
}
