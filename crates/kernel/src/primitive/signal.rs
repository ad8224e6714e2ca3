//! A signal: resumes the one process that waits for it. If none does, it is forgotten or
//! remembered, as the giver says.
//!
//! For a process that looks at its own condition in a loop and is notified when to look again. An
//! [`Event`](super::Event) does that as well, for any number of processes; a signal is a few words
//! inside whatever owns it, so that to wait for one and to give one touch nothing else. With one
//! process that waits, [`Signal::set`] and [`Signal::wait`] do at the same instants what those of
//! an event do.
//!
//! CSIM has no such thing: there it is an event, cleared before each wait if it is to be forgotten.

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::name::Name;
use crate::time::SimTime;
use crate::wait::{Wait, WaitKey};

/// A signal, waited for by one process, time and again; see the [module](self).
#[derive(Debug)]
#[repr(C)]
pub struct Signal {
    waiter: Cell<Option<WaitKey>>,
    /// True if it was set while no process waited.
    occurred: Cell<bool>,
    name: Name,
}

impl Signal {
    /// A signal that no process waits for and that has not occurred.
    pub fn new(name: impl Into<Name>) -> Self {
        Signal { name: name.into(), waiter: Cell::default(), occurred: Cell::default() }
    }

    /// Resumes the process that waits, at this instant and behind everything already scheduled for
    /// it; nothing if none does.
    ///
    /// # Panics
    /// If a process waits and this is called outside a simulation.
    #[inline]
    pub fn give(&self) {
        if let Some(waiter) = self.waiter.take() {
            waiter.grant();
        }
    }

    /// As [`Signal::give`]; but if no process waits, the next wait finds that the signal has
    /// occurred. Setting it twice is setting it once.
    ///
    /// # Panics
    /// If a process waits and this is called outside a simulation.
    #[inline]
    pub fn set(&self) {
        match self.waiter.take() {
            Some(waiter) => waiter.grant(),
            None => self.occurred.set(true),
        }
    }

    /// The signal has not occurred, from now on.
    #[inline]
    pub fn clear(&self) {
        self.occurred.set(false);
    }

    /// Waits until the signal is next given or set. If it has occurred, resets it and returns at
    /// once without yielding. A signal that came to a wait that was dropped before it returned is
    /// lost.
    ///
    /// # Panics
    /// When awaited while another process waits.
    #[inline]
    pub fn wait(&self) -> SignalWait<'_> {
        SignalWait { signal: self, wait: Wait::new(), since: SimTime::ZERO }
    }

    /// As [`Signal::wait`]; a report of blocked processes has what `describe` says in place of the
    /// signal's name.
    ///
    /// # Panics
    /// When awaited while another process waits.
    #[inline]
    pub fn wait_for<F: Fn() -> String>(&self, describe: F) -> SignalWaitFor<'_, F> {
        SignalWaitFor { waits: self.wait(), describe }
    }
}

/// The future of [`Signal::wait`].
#[derive(Debug)]
#[must_use = "nothing is awaited before `.await`"]
pub struct SignalWait<'a> {
    signal: &'a Signal,
    wait: Wait,
    since: SimTime,
}

impl SignalWait<'_> {
    #[inline]
    fn poll_described(
        &mut self,
        cx: &Context<'_>,
        describe: impl FnOnce(Name, SimTime) -> String,
    ) -> Poll<()> {
        if self.wait.is_armed() {
            let (name, since) = (self.signal.name, self.since);
            ready!(self.wait.poll_granted(cx, || describe(name, since)));
            return Poll::Ready(());
        }
        if self.signal.occurred.replace(false) {
            return Poll::Ready(());
        }
        assert!(self.signal.waiter.get().is_none(), "two processes wait for the same signal");
        let (waiter, now) = self.wait.queue(cx);
        self.since = now;
        self.signal.waiter.set(Some(waiter));
        Poll::Pending
    }
}

impl Future for SignalWait<'_> {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_described(cx, |name, since| format!("waits for signal `{name}` since {since}"))
    }
}

/// The future of [`Signal::wait_for`].
#[derive(Debug)]
#[must_use = "nothing is awaited before `.await`"]
pub struct SignalWaitFor<'a, F> {
    waits: SignalWait<'a>,
    describe: F,
}

// what describes is only ever called, never pinned
impl<F> Unpin for SignalWaitFor<'_, F> {}

impl<F: Fn() -> String> Future for SignalWaitFor<'_, F> {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        this.waits.poll_described(cx, |_, since| format!("{} since {since}", (this.describe)()))
    }
}

impl Drop for SignalWait<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(key) = self.wait.key()
            && self.signal.waiter.get() == Some(key)
        {
            self.signal.waiter.set(None);
        }
    }
}
