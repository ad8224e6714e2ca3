//! Conditions: processes that wait until a predicate over some state holds.
//!
//! Nothing is polled: the predicate is tested when a process begins to wait and again only when the
//! state says that it changed. Every change resumes all processes that wait, in order of arrival;
//! each tests for itself, so that a later one sees what an earlier one did. A process that finds
//! the predicate still false keeps its place in the order.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use crate::name::Name;
use crate::time::SimTime;
use crate::wait::{Wait, WaitKey};

/// Some state that processes watch; clones share it. See the [module](self).
#[derive(Debug)]
pub struct Condition<S>(Rc<Shared<S>>);

impl<S> Clone for Condition<S> {
    fn clone(&self) -> Self {
        Condition(Rc::clone(&self.0))
    }
}

#[derive(Debug)]
struct Shared<S> {
    name: Name,
    state: RefCell<S>,
    /// The processes that wait, by ticket; without a key between being resumed and testing again.
    waiting: RefCell<std::collections::BTreeMap<u64, Option<WaitKey>>>,
    tickets: Cell<u64>,
}

impl<S> Condition<S> {
    /// Watches `state`.
    pub fn new(name: impl Into<Name>, state: S) -> Self {
        Condition(Rc::new(Shared {
            name: name.into(),
            state: RefCell::new(state),
            waiting: RefCell::default(),
            tickets: Cell::new(0),
        }))
    }

    /// The state, to look at.
    ///
    /// # Panics
    /// Inside [`Condition::change`].
    pub fn state(&self) -> Ref<'_, S> {
        self.0.state.borrow()
    }

    /// Processes that wait.
    pub fn waiting(&self) -> usize {
        self.0.waiting.borrow().len()
    }

    /// Changes the state and lets every process that waits test again, at this instant and behind
    /// everything already scheduled for it.
    ///
    /// # Panics
    /// Inside itself, or if a process waits and this is called outside a simulation.
    pub fn change<R>(&self, act: impl FnOnce(&mut S) -> R) -> R {
        let result = act(&mut RefMut::map(self.0.state.borrow_mut(), |state| state));
        for key in self.0.waiting.borrow_mut().values_mut().filter_map(Option::take) {
            key.grant();
        }
        result
    }

    /// Waits until `holds` is true of the state; returns at once without yielding if it is.
    pub fn until<F: FnMut(&S) -> bool>(&self, holds: F) -> Until<'_, S, F> {
        Until { condition: self, holds, wait: Wait::new(), ticket: None, since: SimTime::ZERO }
    }
}

/// The future of [`Condition::until`].
#[derive(Debug)]
#[must_use = "nothing is awaited before `.await`"]
pub struct Until<'a, S, F> {
    condition: &'a Condition<S>,
    holds: F,
    wait: Wait,
    ticket: Option<u64>,
    since: SimTime,
}

// the predicate is only ever called, never pinned
impl<S, F> Unpin for Until<'_, S, F> {}

impl<S, F: FnMut(&S) -> bool> Future for Until<'_, S, F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let shared = &*this.condition.0;
        if this.wait.is_armed() {
            ready!(this.wait.poll_granted(cx, || {
                format!("waits for condition `{}` since {}", shared.name, this.since)
            }));
        }
        if (this.holds)(&shared.state.borrow()) {
            if let Some(ticket) = this.ticket.take() {
                shared.waiting.borrow_mut().remove(&ticket);
            }
            return Poll::Ready(());
        }
        let (key, now) = this.wait.queue(cx);
        let ticket = *this.ticket.get_or_insert_with(|| {
            this.since = now;
            shared.tickets.replace(shared.tickets.get() + 1)
        });
        shared.waiting.borrow_mut().insert(ticket, Some(key));
        Poll::Pending
    }
}

impl<S, F> Drop for Until<'_, S, F> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.condition.0.waiting.borrow_mut().remove(&ticket);
        }
    }
}
