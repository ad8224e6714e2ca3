//! Preemptive resume: a customer of larger priority takes the server from one of smaller priority,
//! which later goes on where it was.
//!
//! The facility owns the remaining service of its customers. Only those in service have a timer.
//! The preempted goes to the head of its priority. Of several in service the one of least priority
//! is preempted, among equals the one that was put into service last. A customer whose service ends
//! at the very instant of the preemption has finished.

use std::cell::{RefCell, RefMut};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use slotmap::{SlotMap, new_key_type};

use super::Station;
use crate::event_list::Phase;
use crate::name::Name;
use crate::sim::{now, now_if_running};
use crate::stats::Visit;
use crate::time::{SimDuration, SimTime};
use crate::wait::{Wait, WaitKey};

new_key_type! { struct CustomerKey; }

/// Equal servers under preemptive resume; clones share them. See the [module](self).
#[derive(Clone, Debug)]
pub struct PreemptiveFacility(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    name: Name,
    servers: usize,
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    customers: SlotMap<CustomerKey, Customer>,
    /// Least priority first, among equals the one put into service last.
    serving: BTreeSet<(i64, Reverse<u64>, CustomerKey)>,
    /// Largest priority first, then by place.
    queue: BTreeMap<(Reverse<i64>, i64), CustomerKey>,
    /// Places at the end and before the head of the line.
    next_place: i64,
    head_place: i64,
    /// Number of times that a customer was put into service.
    starts: u64,
    station: Option<Box<Station>>,
}

#[derive(Debug)]
struct Customer {
    wait: WaitKey,
    priority: i64,
    remaining: SimDuration,
    stage: Stage,
    visits: Option<(Visit, Option<Visit>)>,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    Queued { place: i64 },
    Serving { since: SimTime, start: u64 },
    Finished,
}

impl PreemptiveFacility {
    /// A facility of idle servers.
    ///
    /// # Panics
    /// If there are no servers.
    pub fn new(name: impl Into<Name>, servers: u32) -> Self {
        assert!(servers > 0, "a facility has at least one server");
        let state = State {
            customers: SlotMap::with_key(),
            serving: BTreeSet::new(),
            queue: BTreeMap::new(),
            next_place: 0,
            head_place: -1,
            starts: 0,
            station: None,
        };
        let shared = Shared { name: name.into(), servers: servers as usize, state: RefCell::new(state) };
        PreemptiveFacility(Rc::new(shared))
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

    /// The statistics; `None` unless [`observed`](PreemptiveFacility::observed).
    pub fn station(&self) -> Option<RefMut<'_, Station>> {
        RefMut::filter_map(self.0.state.borrow_mut(), |state| state.station.as_deref_mut()).ok()
    }

    /// Servers in use.
    pub fn busy(&self) -> usize {
        self.0.state.borrow().serving.len()
    }

    /// Customers in line, the preempted included.
    pub fn queued(&self) -> usize {
        self.0.state.borrow().queue.len()
    }

    /// Receives `service` of a server's time at `priority`, however often interrupted by larger
    /// ones.
    pub fn use_for(&self, priority: i64, service: SimDuration) -> PreemptiveUse<'_> {
        PreemptiveUse {
            facility: self,
            priority,
            service,
            wait: Wait::new(),
            customer: None,
            since: SimTime::ZERO,
        }
    }
}

impl State {
    fn arrive(&mut self, servers: usize, mut customer: Customer) -> CustomerKey {
        let priority = customer.priority;
        customer.visits = self.station.as_deref_mut().map(|station| {
            let now = now();
            (station.inside.enter(now), Some(station.queue.enter(now)))
        });
        let key = self.customers.insert(customer);
        if self.serving.len() == servers
            && let Some(&(least, _, victim)) = self.serving.first()
            && least < priority
        {
            self.preempt(victim);
        }
        if self.serving.len() < servers {
            self.serve(key);
        } else {
            let place = self.next_place;
            self.next_place += 1;
            self.enqueue(key, place);
        }
        key
    }

    fn enqueue(&mut self, key: CustomerKey, place: i64) {
        let customer = &mut self.customers[key];
        customer.stage = Stage::Queued { place };
        self.queue.insert((Reverse(customer.priority), place), key);
    }

    fn serve(&mut self, key: CustomerKey) {
        let customer = &mut self.customers[key];
        self.starts += 1;
        customer.stage = Stage::Serving { since: now(), start: self.starts };
        self.serving.insert((customer.priority, Reverse(self.starts), key));
        if let (Some(station), Some((_, queued))) = (&mut self.station, &mut customer.visits) {
            let now = now();
            station.busy.rise(now, 1);
            if let Some(visit) = queued.take() {
                station.queue.leave(now, visit);
            }
        }
        customer.wait.end_after(customer.remaining, Phase::Events);
    }

    /// Takes a customer out of service; says whether it has finished in this very instant.
    fn stop_serving(&mut self, key: CustomerKey) -> bool {
        let customer = &mut self.customers[key];
        let Stage::Serving { since, start } = customer.stage else { return false };
        self.serving.remove(&(customer.priority, Reverse(start), key));
        let now = now_if_running();
        if let (Some(station), Some(now)) = (&mut self.station, now) {
            station.busy.fall(now, 1);
        }
        let received = now.unwrap_or(since).since(since);
        customer.remaining = customer.remaining.saturating_sub(received);
        customer.stage = Stage::Finished;
        customer.remaining.is_zero()
    }

    fn preempt(&mut self, key: CustomerKey) {
        if self.stop_serving(key) {
            return;
        }
        let customer = &mut self.customers[key];
        customer.wait.unschedule();
        if let (Some(station), Some((_, queued))) = (&mut self.station, &mut customer.visits) {
            *queued = Some(station.queue.enter(now()));
        }
        let place = self.head_place;
        self.head_place -= 1;
        self.enqueue(key, place);
    }

    fn leave(&mut self, key: CustomerKey, servers: usize) {
        self.stop_serving(key);
        let Some(customer) = self.customers.remove(key) else { return };
        if let Stage::Queued { place } = customer.stage {
            self.queue.remove(&(Reverse(customer.priority), place));
        }
        if let (Some(station), Some((inside, queued)), Some(now)) =
            (&mut self.station, customer.visits, now_if_running())
        {
            station.inside.leave(now, inside);
            if let Some(visit) = queued {
                station.queue.leave(now, visit);
            }
        }
        if self.serving.len() < servers
            && let Some((_, next)) = self.queue.pop_first()
        {
            self.serve(next);
        }
    }
}

/// The future of [`PreemptiveFacility::use_for`].
#[derive(Debug)]
#[must_use = "nothing is used before `.await`"]
pub struct PreemptiveUse<'a> {
    facility: &'a PreemptiveFacility,
    priority: i64,
    service: SimDuration,
    wait: Wait,
    customer: Option<CustomerKey>,
    since: SimTime,
}

impl Future for PreemptiveUse<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let shared = &*this.facility.0;
        if let Some(key) = this.customer {
            ready!(
                this.wait
                    .poll_granted(cx, || { format!("uses facility `{}` since {}", shared.name, this.since) })
            );
            this.customer = None;
            shared.state.borrow_mut().leave(key, shared.servers);
            return Poll::Ready(());
        }
        let (wait, now) = this.wait.queue(cx);
        this.since = now;
        let customer = Customer {
            wait,
            priority: this.priority,
            remaining: this.service,
            stage: Stage::Finished,
            visits: None,
        };
        this.customer = Some(shared.state.borrow_mut().arrive(shared.servers, customer));
        Poll::Pending
    }
}

impl Drop for PreemptiveUse<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.customer.take() {
            self.wait.withdraw(|_, _| ());
            let shared = &*self.facility.0;
            shared.state.borrow_mut().leave(key, shared.servers);
        }
    }
}
