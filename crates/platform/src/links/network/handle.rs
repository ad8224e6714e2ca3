//! The network of a run: the process that drives a carrier, and the handle to it.
//!
//! ```text
//!            news                        next event at t
//!   asleep ────────▶ settles: all of the ──────────────▶ holds until t, or news
//!      ◀── nothing ── instant has started                  │ 2. advances, notifies
//!           comes                  ◀───────────────────────┘
//! ```
//!
//! The end of a transfer is an *event* of its instant; at one instant transfers end in the order in
//! which they started. What is started in answer to that is seen in the same instant. The end is
//! reported to a [`TransferObserver`], so that agents can be resumed without a process between;
//! [`Network::transfer`] is the same as a future, and dropping that takes the transfer back.
//!
//! To hold it has a [`Work`], whose end news brings to the present instant: one wait, where a race
//! of time and news would be two.
//!
//! The process is a daemon. While only [background](TransferClass::Background) transfers are in
//! progress its holds are background holds: they keep no run from being over, nor a deadlock from
//! being found.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use slotmap::SecondaryMap;

use crate::kernel::{Signal, SimDuration, SimTime, Work, hold, now, race, settle, spawn_daemon};
use crate::links::{End, Ended, Request, TransferId};
use crate::sharing::{LinkId, OutOfRange};
use crate::{HostId, NoRoute, Platform};

use super::{Carrier, Transport};

/// Reason that a transfer did not arrive.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TransferFailed {
    /// This link failed, or did not work from the beginning.
    #[error("link `{0}` failed")]
    Link(String),
    /// Nothing joins the hosts.
    #[error(transparent)]
    NoRoute(#[from] NoRoute),
    /// The request is no transfer.
    #[error(transparent)]
    Wrong(#[from] OutOfRange),
}

/// An observer that waits for the end of a transfer.
pub trait TransferObserver {
    /// The transfer has ended; called by the network's process, at the very instant.
    fn ended(&self, end: End);
}

/// True if a run may be over while a transfer is in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransferClass {
    /// The run waits for it.
    Foreground,
    /// Only takes bandwidth.
    Background,
}

/// A transfer of this size from one host to another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Transfers {
    /// The host that sends.
    pub from: HostId,
    /// The host that gets.
    pub to: HostId,
    /// The size, in the unit of bandwidths.
    pub size: f64,
    /// The most it may have, if it limits itself.
    pub bound: Option<f64>,
}

/// The state of a transfer after its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Started {
    /// Over: it crosses no link and takes no time.
    Over,
    /// In progress, under this name.
    InProgress(TransferId),
}

/// The network of a run; clones share it. See the module's essay.
#[derive(Clone)]
pub struct Network(Rc<Shared>);

struct Shared {
    platform: Arc<Platform>,
    state: RefCell<State>,
    news: Signal,
    /// The work that its process holds for while a transfer is waited for.
    ahead: Work,
}

struct State {
    carrier: Box<dyn Carrier>,
    ongoing: SecondaryMap<TransferId, Ongoing>,
    /// Of those, the ones in the foreground.
    foreground: usize,
    route: Vec<LinkId>,
    back: Vec<LinkId>,
    ended: Vec<Ended>,
    /// Transfers that have ended at the present instant and whose ends have not been reported:
    /// their names may be given again before.
    unreported: VecDeque<(TransferId, Ongoing, End)>,
}

struct Ongoing {
    observer: Option<Rc<dyn TransferObserver>>,
    class: TransferClass,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.state.borrow();
        let under_way = state.ongoing.len();
        f.debug_struct("Network").field("carrier", &state.carrier).field("under_way", &under_way).finish()
    }
}

impl Network {
    /// Starts the process of a network over the links of `platform`.
    ///
    /// # Errors
    /// A link that the model cannot have.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn begin(platform: &Arc<Platform>, transport: &dyn Transport) -> Result<Self, OutOfRange> {
        let state = State {
            carrier: transport.carrier(platform)?,
            ongoing: SecondaryMap::new(),
            foreground: 0,
            route: Vec::new(),
            back: Vec::new(),
            ended: Vec::new(),
            unreported: VecDeque::new(),
        };
        let shared = Shared {
            platform: Arc::clone(platform),
            state: RefCell::new(state),
            news: Signal::new("transfers to carry"),
            ahead: Work::new("the next event of the network"),
        };
        let network = Network(Rc::new(shared));
        spawn_daemon("network", network.clone().carry());
        Ok(network)
    }

    /// The platform that it is of.
    pub fn platform(&self) -> &Arc<Platform> {
        &self.0.platform
    }

    /// Transfers in progress.
    pub fn under_way(&self) -> usize {
        self.0.state.borrow().ongoing.len()
    }

    /// Carries `size` from one host to another, at no more than `bound` a second. From a host to
    /// itself it takes no time and does not yield, unless a route says otherwise. A transfer whose
    /// future is dropped is taken back.
    ///
    /// # Errors
    /// A link of the route fails, nothing joins the hosts, or size or bound are no such numbers.
    ///
    /// # Panics
    /// Outside a simulation, or if a host is of another platform.
    pub async fn transfer(
        &self,
        from: HostId,
        to: HostId,
        size: f64,
        bound: Option<f64>,
    ) -> Result<(), TransferFailed> {
        let arrival = Rc::new(Arrival { over: Signal::new("the end of a transfer"), end: Cell::new(None) });
        let what = Transfers { from, to, size, bound };
        let observer: Rc<dyn TransferObserver> = Rc::<Arrival>::clone(&arrival);
        let Started::InProgress(transfer) = self.start(what, Some(observer), TransferClass::Foreground)?
        else {
            return Ok(());
        };
        let _in_progress = InProgress { network: self, transfer };
        while arrival.end.get().is_none() {
            arrival.over.wait().await;
        }
        match arrival.end.get() {
            Some(End::Failed(link)) => Err(self.failed(link)),
            _ => Ok(()),
        }
    }

    /// Starts a transfer at the present instant; `observer` is notified of its end, unless it is
    /// [over](Started::Over) at once.
    ///
    /// # Errors
    /// Nothing joins the hosts, or size or bound are no such numbers. A link that does not work is
    /// reported to `observer`.
    ///
    /// # Panics
    /// Outside a simulation, or if a host is of another platform.
    pub fn start(
        &self,
        what: Transfers,
        observer: Option<Rc<dyn TransferObserver>>,
        class: TransferClass,
    ) -> Result<Started, TransferFailed> {
        let mut guard = self.0.state.borrow_mut();
        let state = &mut *guard;
        let platform = &self.0.platform;
        let extra_latency = platform.route_with_delay(what.from, what.to, &mut state.route)?;
        if state.route.is_empty() && extra_latency <= 0.0 {
            return Ok(Started::Over);
        }
        state.back.clear();
        if state.carrier.wants_reverse_route() {
            platform.route(what.to, what.from, &mut state.back)?;
        }
        state.catch_up(now());
        let Transfers { size, bound, .. } = what;
        let request = Request { size, route: &state.route, back: &state.back, bound, extra_latency };
        let transfer = state.carrier.start(request)?;
        state.ongoing.insert(transfer, Ongoing { observer, class });
        state.foreground += usize::from(class == TransferClass::Foreground);
        drop(guard);
        self.look_again();
        Ok(Started::InProgress(transfer))
    }

    /// Takes back a transfer without notifying its observer; nothing if it has ended.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn cancel(&self, transfer: TransferId) {
        let mut guard = self.0.state.borrow_mut();
        let state = &mut *guard;
        state.unreported.retain(|(ended, ..)| *ended != transfer);
        if state.leave(transfer).is_some() {
            state.catch_up(now());
            state.carrier.cancel(transfer);
            drop(guard);
            self.look_again();
        }
    }

    /// The failure of a transfer that met this link.
    pub fn failed(&self, link: LinkId) -> TransferFailed {
        TransferFailed::Link(self.0.platform.link_name(link).into_owned())
    }

    /// The network's process.
    async fn carry(self) {
        let Shared { state, news, .. } = &*self.0;
        loop {
            settle().await;
            news.clear();
            loop {
                let next = state.borrow_mut().next_event();
                let Some(next) = next else {
                    news.wait().await;
                    break;
                };
                self.hold_until(next).await;
                if now() < next {
                    break;
                }
                if now() == SimTime::MAX {
                    // what is left would happen after the last instant
                    hold(SimDuration::MAX).await;
                }
                if self.advance() > 0 {
                    // observers that were notified start something new in this instant
                    break;
                }
            }
        }
    }

    /// Holds until the instant `next`, or until there is news.
    async fn hold_until(&self, next: SimTime) {
        let Shared { state, news, ahead, .. } = &*self.0;
        if next <= now() {
            return;
        }
        let span = next.since(now());
        if state.borrow().foreground == 0 {
            race(hold(span).background(), news.wait()).await;
        } else {
            ahead.set(span);
            ahead.go();
            ahead.done().await;
            ahead.pause();
            news.clear();
        }
    }

    /// Lets the process look at what is in progress again, after all that happens in this instant.
    fn look_again(&self) {
        let Shared { ahead, news, .. } = &*self.0;
        if ahead.is_going() && !ahead.left().is_zero() {
            ahead.set(SimDuration::ZERO);
        }
        news.set();
    }

    /// Lets what happens at the present instant happen, and notifies the observers; gives how many
    /// transfers ended.
    fn advance(&self) -> usize {
        let state = &self.0.state;
        state.borrow_mut().advance(now());
        let mut count = 0;
        loop {
            // not in the head of the loop: an observer may use the network
            let next = state.borrow_mut().unreported.pop_front();
            let Some((_, ongoing, end)) = next else { return count };
            count += 1;
            if let Some(observer) = ongoing.observer {
                observer.ended(end);
            }
        }
    }
}

impl State {
    /// Brings the carrier to the present instant. Its process has seen to what comes before it
    /// while transfers were in progress; what ends at this very instant and has not been reported
    /// yet is kept for it.
    fn catch_up(&mut self, now: SimTime) {
        if self.carrier.now() < now {
            self.advance(now);
        }
    }

    /// Lets what happens up to `now` happen, and keeps what ended until it is reported.
    fn advance(&mut self, now: SimTime) {
        self.carrier.advance(now, &mut self.ended);
        for place in 0..self.ended.len() {
            let Ended { transfer, end, .. } = self.ended[place];
            if let Some(ongoing) = self.leave(transfer) {
                self.unreported.push_back((transfer, ongoing, end));
            }
        }
        self.ended.clear();
    }

    fn next_event(&mut self) -> Option<SimTime> {
        if !self.unreported.is_empty() {
            return Some(self.carrier.now());
        }
        if self.ongoing.is_empty() { None } else { self.carrier.next_event() }
    }

    fn leave(&mut self, transfer: TransferId) -> Option<Ongoing> {
        let ongoing = self.ongoing.remove(transfer)?;
        self.foreground -= usize::from(ongoing.class == TransferClass::Foreground);
        Some(ongoing)
    }
}

/// The end of a transfer that a future waits for.
struct Arrival {
    over: Signal,
    end: Cell<Option<End>>,
}

impl TransferObserver for Arrival {
    fn ended(&self, end: End) {
        self.end.set(Some(end));
        self.over.give();
    }
}

/// A transfer that is taken back if it is not waited for any more.
struct InProgress<'a> {
    network: &'a Network,
    transfer: TransferId,
}

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        self.network.cancel(self.transfer);
    }
}
