//! Work: a span of time that passes only while its owner lets it go on.
//!
//! What a processor does for a task is of this kind: it goes on while the task runs, stands still
//! while others run, and is over when its whole span has passed. The process that awaits the end is
//! resumed once, at the end, however often the work was paused in between; a pause costs its caller
//! two steps and the waiting process none.
//!
//! ```text
//!            set, going          span has passed
//!   paused ──────────▶ going ─────────────────────▶ over
//!          ◀──pause── ──go──▶
//! ```
//!
//! The end is an *event* of its instant; that of a [`Work::limit`] is a *time-out*, so that
//! whatever occurs at the same instant comes first. Work that is paused at the very instant of its
//! end has been done. Work of no length is over as soon as it goes on.
//!
//! CSIM has no such thing: there a scheduler process keeps the remaining time of the process it
//! runs, and is itself resumed at the end of every piece of work ("ClusterSchedSim", section 3.2,
//! `DoCompute` and `DoScheduler`).

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::event_list::Phase;
use crate::name::Name;
use crate::sim::{now, now_if_running};
use crate::time::{SimDuration, SimTime};
use crate::wait::{Wait, WaitKey};

/// A span of time that can be paused; see the [module](self).
#[derive(Debug)]
#[repr(C)]
pub struct Work {
    /// Rest of the span at the last change.
    left: Cell<SimDuration>,
    /// Since when it goes on.
    since: Cell<Option<SimTime>>,
    waiter: Cell<Option<WaitKey>>,
    phase: Phase,
    name: Name,
}

impl Work {
    /// Work of no length, paused.
    pub fn new(name: impl Into<Name>) -> Self {
        Self::ending_in(Phase::Events, name.into())
    }

    /// The same, for a limit: whatever occurs at the instant of its end comes first.
    pub fn limit(name: impl Into<Name>) -> Self {
        Self::ending_in(Phase::Timeouts, name.into())
    }

    fn ending_in(phase: Phase, name: Name) -> Self {
        Work { name, phase, left: Cell::default(), since: Cell::default(), waiter: Cell::default() }
    }

    /// Returns true if time passes for it.
    #[inline]
    pub fn is_going(&self) -> bool {
        self.since.get().is_some()
    }

    /// The work that remains.
    ///
    /// # Panics
    /// Outside a simulation, if it is going.
    pub fn left(&self) -> SimDuration {
        let passed = self.since.get().map_or(SimDuration::ZERO, |since| now().since(since));
        self.left.get().saturating_sub(passed)
    }

    /// Replaces what is left by `span`. If the work is going, it goes on with that at once.
    ///
    /// # Panics
    /// Outside a simulation, if it is going.
    #[inline]
    pub fn set(&self, span: SimDuration) {
        self.left.set(span);
        if self.since.get().is_some() {
            self.since.set(Some(now()));
            if let Some(waiter) = self.waiter.get() {
                waiter.unschedule();
                waiter.end_after(span, self.phase);
            }
        }
    }

    /// Lets it go on; nothing if it does.
    ///
    /// # Panics
    /// Outside a simulation.
    #[inline]
    pub fn go(&self) {
        if self.since.get().is_none() {
            self.since.set(Some(now()));
            if let Some(waiter) = self.waiter.get() {
                waiter.end_after(self.left.get(), self.phase);
            }
        }
    }

    /// Lets it stand still; nothing if it does. If nothing is left at this very instant, the work
    /// has been done.
    ///
    /// # Panics
    /// Outside a simulation.
    #[inline]
    pub fn pause(&self) {
        if let Some(since) = self.since.take() {
            let left = self.left.get().saturating_sub(now().since(since));
            self.left.set(left);
            if let Some(waiter) = self.waiter.get()
                && !left.is_zero()
            {
                waiter.unschedule();
            }
        }
    }

    /// Waits until nothing is left. Returns at once, without yielding, if the work is going and
    /// nothing is.
    ///
    /// At most one process waits for the same work. Dropping the wait changes nothing of the work.
    ///
    /// # Panics
    /// If another process waits already.
    #[inline]
    pub fn done(&self) -> Done<'_> {
        Done { work: self, wait: Wait::new(), since: SimTime::ZERO }
    }
}

/// The future of [`Work::done`].
#[derive(Debug)]
#[must_use = "nothing is awaited before `.await`"]
pub struct Done<'a> {
    work: &'a Work,
    wait: Wait,
    since: SimTime,
}

impl Future for Done<'_> {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let work = this.work;
        if this.wait.is_armed() {
            ready!(this.wait.poll_granted(cx, || {
                let standing = if work.is_going() { "" } else { ", which stands still," };
                format!("waits for the end of work `{}`{standing} since {}", work.name, this.since)
            }));
            work.waiter.set(None);
            work.left.set(SimDuration::ZERO);
            if work.since.get().is_some() {
                work.since.set(Some(now()));
            }
            return Poll::Ready(());
        }
        let going = work.is_going();
        let left = work.left();
        if going && left.is_zero() {
            return Poll::Ready(());
        }
        assert!(work.waiter.get().is_none(), "two processes wait for the same work");
        let (waiter, now) = this.wait.queue(cx);
        this.since = now;
        work.waiter.set(Some(waiter));
        if going {
            waiter.end_after(left, work.phase);
        }
        Poll::Pending
    }
}

impl Drop for Done<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.wait.is_armed() {
            self.work.waiter.set(None);
            if now_if_running().is_none() {
                self.work.since.set(None);
            }
        }
    }
}
