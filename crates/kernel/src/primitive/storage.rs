//! Storage: a number of equal units that processes allocate and give back.
//!
//! Requests are served strictly in order: one that does not fit holds back those behind it, so that
//! a large request is not starved. With [`Storage::first_fit`] any that fits goes, in order.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use super::line::{EntryKey, Line};
use crate::name::Name;
use crate::time::SimTime;
use crate::wait::Wait;

/// A store of equal units; clones share it. See the [module](self).
#[derive(Clone, Debug)]
pub struct Storage(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    name: Name,
    capacity: u64,
    first_fit: bool,
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    free: u64,
    requests: Line<u64>,
}

impl Storage {
    /// A full store of `capacity` units, served strictly first come, first served.
    pub fn new(name: impl Into<Name>, capacity: u64) -> Self {
        Self::build(name.into(), capacity, false)
    }

    /// A full store in which a request that fits may overtake those that do not.
    pub fn first_fit(name: impl Into<Name>, capacity: u64) -> Self {
        Self::build(name.into(), capacity, true)
    }

    fn build(name: Name, capacity: u64, first_fit: bool) -> Self {
        let state = RefCell::new(State { free: capacity, requests: Line::new() });
        Storage(Rc::new(Shared { name, capacity, first_fit, state }))
    }

    /// All units, free or not.
    pub fn capacity(&self) -> u64 {
        self.0.capacity
    }

    /// Units that are free.
    pub fn available(&self) -> u64 {
        self.0.state.borrow().free
    }

    /// Processes that wait for units.
    pub fn waiting(&self) -> usize {
        self.0.state.borrow().requests.len()
    }

    /// Takes `units`, waiting in line until they are there; returns at once without yielding if
    /// they are and none waits before. A request for more than the capacity waits for ever, and a
    /// deadlock report names it.
    pub fn allocate(&self, units: u64) -> Allocate<'_> {
        Allocate { storage: self, units, wait: Wait::new(), entry: None, since: SimTime::ZERO }
    }
}

impl Shared {
    fn give_back(&self, units: u64) {
        self.state.borrow_mut().free += units;
        self.serve();
    }

    /// Hands units to those in line that the rule allows to go.
    fn serve(&self) {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        if self.first_fit {
            let mut left = state.free;
            let fits = |(key, &units): (EntryKey, &u64)| {
                let go = units <= left;
                left -= if go { units } else { 0 };
                go.then_some(key)
            };
            let served: Vec<EntryKey> = state.requests.iter().filter_map(fits).collect();
            served.into_iter().for_each(|key| state.requests.serve(key));
            state.free = left;
        } else {
            while let Some((key, &units)) = state.requests.first()
                && units <= state.free
            {
                state.free -= units;
                state.requests.serve(key);
            }
        }
    }
}

/// The future of [`Storage::allocate`].
#[derive(Debug)]
#[must_use = "nothing is allocated before `.await`"]
pub struct Allocate<'a> {
    storage: &'a Storage,
    units: u64,
    wait: Wait,
    entry: Option<EntryKey>,
    since: SimTime,
}

impl<'a> Future for Allocate<'a> {
    type Output = AllocatedUnits<'a>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let shared = &*this.storage.0;
        if let Some(key) = this.entry {
            ready!(this.wait.poll_granted(cx, || {
                let (units, capacity) = (this.units, shared.capacity);
                format!("allocates {units} of {capacity} of storage `{}` since {}", shared.name, this.since)
            }));
            this.entry = None;
            shared.state.borrow_mut().requests.leave(key);
            return Poll::Ready(AllocatedUnits { storage: this.storage, units: this.units });
        }
        let mut state = shared.state.borrow_mut();
        if (state.requests.is_empty() || shared.first_fit) && this.units <= state.free {
            state.free -= this.units;
            return Poll::Ready(AllocatedUnits { storage: this.storage, units: this.units });
        }
        drop(state);
        let (wait, now) = this.wait.queue(cx);
        this.since = now;
        this.entry = Some(shared.state.borrow_mut().requests.join(wait, this.units));
        Poll::Pending
    }
}

impl Drop for Allocate<'_> {
    fn drop(&mut self) {
        let Some(key) = self.entry.take() else { return };
        let left = self.storage.0.state.borrow_mut().requests.leave(key);
        match left {
            Some((units, false)) => self.storage.0.give_back(units),
            // those behind it may fit now
            Some((_, true)) => self.storage.0.serve(),
            None => {}
        }
    }
}

/// Units taken from a [`Storage`]; they go back when this is dropped.
#[derive(Debug)]
#[must_use = "dropping it gives the units back"]
pub struct AllocatedUnits<'a> {
    storage: &'a Storage,
    units: u64,
}

impl AllocatedUnits<'_> {
    /// Number of units.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Gives the units back; the same as dropping them, in the model's words.
    pub fn deallocate(self) {}
}

impl Drop for AllocatedUnits<'_> {
    fn drop(&mut self) {
        self.storage.0.give_back(self.units);
    }
}
