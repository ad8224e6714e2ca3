//! Processor sharing: all customers are served at once, at equal rates.
//!
//! With `n` customers and `c` servers each receives service at rate min(1, c/n). Let V be the
//! service that a customer present all along would have received: one that arrives with demand `d`
//! leaves when V has grown by `d`. So only the customer with the least leaving V needs a timer, and
//! an arrival or a departure costs O(log n).
//!
//! V is kept as an integer in units of 2^-32 ns, rounded down at every change, while timers round
//! up: no process leaves before its last bit of service, and after a timer V has always reached the
//! mark.

use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use super::Station;
use crate::event_list::Phase;
use crate::name::Name;
use crate::sim::{now, now_if_running};
use crate::stats::Visit;
use crate::time::{SimDuration, SimTime};
use crate::wait::{Wait, WaitKey};

/// Fractional bits of the virtual service.
const FRACTION: u32 = 32;

/// Servers that all customers share equally; clones share them. See the [module](self).
#[derive(Clone, Debug)]
pub struct SharedFacility(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    name: Name,
    servers: u64,
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    /// Service received by a process that was there all along [2^-32 ns], up to `updated`.
    served: u128,
    updated: SimTime,
    /// By leaving mark, then by arrival.
    customers: BTreeMap<(u128, u64), WaitKey>,
    arrivals: u64,
    /// Customer whose timer is running.
    timed: Option<(u128, u64)>,
    station: Option<Box<Station>>,
}

impl SharedFacility {
    /// A facility of idle servers.
    ///
    /// # Panics
    /// If there are no servers.
    pub fn new(name: impl Into<Name>, servers: u32) -> Self {
        assert!(servers > 0, "a facility has at least one server");
        let state = State {
            served: 0,
            updated: SimTime::ZERO,
            customers: BTreeMap::new(),
            arrivals: 0,
            timed: None,
            station: None,
        };
        let shared = Shared { name: name.into(), servers: u64::from(servers), state: RefCell::new(state) };
        SharedFacility(Rc::new(shared))
    }

    /// The same facility with statistics, from the present instant on.
    ///
    /// # Panics
    /// Outside a simulation.
    #[must_use]
    pub fn observed(self) -> Self {
        self.0.state.borrow_mut().station = Some(Box::new(Station::new(now())));
        self
    }

    /// The statistics; `None` unless [`observed`](SharedFacility::observed).
    pub fn station(&self) -> Option<RefMut<'_, Station>> {
        RefMut::filter_map(self.0.state.borrow_mut(), |state| state.station.as_deref_mut()).ok()
    }

    /// Customers present.
    pub fn present(&self) -> usize {
        self.0.state.borrow().customers.len()
    }

    /// Receives `service` of a server's time, sharing the servers with all others.
    pub fn use_for(&self, service: SimDuration) -> SharedUse<'_> {
        SharedUse {
            facility: self,
            service,
            wait: Wait::new(),
            customer: None,
            inside: None,
            since: SimTime::ZERO,
        }
    }
}

impl State {
    /// Brings the virtual service up to `now`.
    fn advance(&mut self, servers: u64, now: SimTime) {
        let elapsed = u128::from(now.since(self.updated).as_nanos()) << FRACTION;
        let present = self.customers.len() as u128;
        self.served += if present <= u128::from(servers) {
            elapsed
        } else {
            // at most 2^96 × 2^32: no overflow
            elapsed * u128::from(servers) / present
        };
        self.updated = now;
        if self.customers.is_empty() {
            self.served = 0;
        }
    }

    /// Sets the timer of the next to leave.
    fn set_timer(&mut self, servers: u64) {
        let next = self.customers.first_key_value().map(|(&key, &wait)| (key, wait));
        if let Some(wait) = self.timed.take().and_then(|key| self.customers.get(&key)) {
            wait.unschedule();
        }
        let Some((key, wait)) = next else { return };
        let missing = key.0.saturating_sub(self.served);
        let present = (self.customers.len() as u128).max(u128::from(servers));
        let nanos = (missing * present).div_ceil(u128::from(servers) << FRACTION);
        self.timed = Some(key);
        let span = SimDuration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        wait.end_after(span, Phase::Events);
    }

    fn note(&mut self, servers: u64) {
        let busy = servers.min(self.customers.len() as u64);
        if let (Some(station), Some(now)) = (&mut self.station, now_if_running()) {
            station.busy.set(now, busy);
        }
    }

    fn leave(&mut self, servers: u64, key: (u128, u64), inside: Option<Visit>) {
        // without a simulation no process is served any more
        let Some(now) = now_if_running() else {
            self.customers.remove(&key);
            return;
        };
        self.advance(servers, now);
        self.customers.remove(&key);
        self.note(servers);
        if let (Some(station), Some(visit)) = (&mut self.station, inside) {
            station.inside.leave(now, visit);
        }
        self.set_timer(servers);
    }
}

/// The future of [`SharedFacility::use_for`].
#[derive(Debug)]
#[must_use = "nothing is used before `.await`"]
pub struct SharedUse<'a> {
    facility: &'a SharedFacility,
    service: SimDuration,
    wait: Wait,
    customer: Option<(u128, u64)>,
    inside: Option<Visit>,
    since: SimTime,
}

impl Future for SharedUse<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let shared = &*this.facility.0;
        if let Some(key) = this.customer {
            ready!(
                this.wait.poll_granted(cx, || {
                    format!("shares facility `{}` since {}", shared.name, this.since)
                })
            );
            this.customer = None;
            shared.state.borrow_mut().leave(shared.servers, key, this.inside.take());
            return Poll::Ready(());
        }
        let (wait, now) = this.wait.queue(cx);
        this.since = now;
        let mut state = shared.state.borrow_mut();
        state.advance(shared.servers, this.since);
        let mark = state.served + (u128::from(this.service.as_nanos()) << FRACTION);
        let key = (mark, state.arrivals);
        state.arrivals += 1;
        state.customers.insert(key, wait);
        this.inside = state.station.as_deref_mut().map(|station| station.inside.enter(this.since));
        state.note(shared.servers);
        state.set_timer(shared.servers);
        this.customer = Some(key);
        Poll::Pending
    }
}

impl Drop for SharedUse<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.customer.take() {
            let shared = &*self.facility.0;
            let mut state = shared.state.borrow_mut();
            if state.timed == Some(key) {
                state.timed = None;
            }
            self.wait.withdraw(|_, _| ());
            state.leave(shared.servers, key, self.inside.take());
        }
    }
}
