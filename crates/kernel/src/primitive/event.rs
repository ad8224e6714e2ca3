//! The event of CSIM: a flag that processes wait for.
//!
//! An event has *occurred* or has *not occurred*. Setting it resumes every process that waits and
//! the first that queues, and leaves it not occurred; with no process there it stays occurred until
//! one waits or queues, which then does not wait at all and resets it. So a receiver tests its own
//! condition again after every wait.
//!
//! Source: H. Schwetman, CSIM user's guide, as used by "ClusterSchedSim" (SIMULATION 80(4-5),
//! 2004), section 3.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use super::line::{EntryKey, Line};
use crate::combine::{InLine, TimedInLine, timed_in_line};
use crate::name::Name;
use crate::time::{SimDuration, SimTime};
use crate::wait::Wait;

/// A flag that processes wait for; clones share it. See the [module](self).
#[derive(Clone, Debug)]
pub struct Event(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    name: Name,
    occurred: Cell<bool>,
    waiting: RefCell<Line<bool>>,
    /// In a served entry: whether the `set` that served it resumed no other process.
    queued: RefCell<Line<bool>>,
}

impl Event {
    /// An event that has not occurred.
    pub fn new(name: impl Into<Name>) -> Self {
        Event(Rc::new(Shared {
            name: name.into(),
            occurred: Cell::new(false),
            waiting: RefCell::new(Line::new()),
            queued: RefCell::new(Line::new()),
        }))
    }

    /// Returns true if the event has occurred and no process has taken note yet.
    pub fn has_occurred(&self) -> bool {
        self.0.occurred.get()
    }

    /// Processes that wait or queue.
    pub fn waiting(&self) -> usize {
        self.0.waiting.borrow().len() + self.0.queued.borrow().len()
    }

    /// The event occurs: resumes all waiters in order of arrival, then the first of the queue, at
    /// this instant and behind everything already scheduled for it. With no process there the event
    /// stays occurred; setting it again changes nothing.
    ///
    /// # Panics
    /// If a process waits and this is called outside a simulation.
    pub fn set(&self) {
        let mut resumed = self.0.resume_waiting();
        let mut queued = self.0.queued.borrow_mut();
        if let Some((key, _)) = queued.first() {
            queued.hand(key, !resumed);
            resumed = true;
        }
        if !resumed {
            self.0.occurred.set(true);
        }
    }

    /// The event has not occurred, from now on.
    pub fn clear(&self) {
        self.0.occurred.set(false);
    }

    /// Waits until the event occurs. If it has occurred, resets it and returns at once without
    /// yielding.
    pub fn wait(&self) -> EventWait<'_> {
        self.pending(Manner::Wait)
    }

    /// Waits in line until the event occurs and this is the first in line. If it has occurred,
    /// resets it and returns at once without yielding.
    pub fn queue(&self) -> EventWait<'_> {
        self.pending(Manner::Queue)
    }

    /// [`Event::wait`] for at most `limit`; `None` if time runs out. An event at the very same
    /// instant wins.
    pub fn timed_wait(&self, limit: SimDuration) -> TimedInLine<EventWait<'_>> {
        timed_in_line(limit, self.wait())
    }

    /// [`Event::queue`] for at most `limit`; `None` if time runs out. An event at the very same
    /// instant wins.
    pub fn timed_queue(&self, limit: SimDuration) -> TimedInLine<EventWait<'_>> {
        timed_in_line(limit, self.queue())
    }

    fn pending(&self, manner: Manner) -> EventWait<'_> {
        EventWait { event: self, manner, wait: Wait::new(), entry: None, since: SimTime::ZERO }
    }
}

impl Shared {
    /// Resumes every process that waits; says whether there was one.
    fn resume_waiting(&self) -> bool {
        let mut waiting = self.waiting.borrow_mut();
        let mut resumed = false;
        while waiting.serve_first().is_some() {
            resumed = true;
        }
        resumed
    }

    #[inline]
    fn line(&self, manner: Manner) -> &RefCell<Line<bool>> {
        match manner {
            Manner::Wait => &self.waiting,
            Manner::Queue => &self.queued,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    Wait,
    Queue,
}

/// The future of [`Event::wait`] and [`Event::queue`].
#[derive(Debug)]
#[must_use = "nothing is awaited before `.await`"]
pub struct EventWait<'a> {
    event: &'a Event,
    manner: Manner,
    wait: Wait,
    entry: Option<EntryKey>,
    since: SimTime,
}

impl Future for EventWait<'_> {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let shared = &*this.event.0;
        if let Some(key) = this.entry {
            ready!(this.wait.poll_granted(cx, || {
                let verb = if this.manner == Manner::Wait { "waits" } else { "queues" };
                format!("{verb} for event `{}` since {}", shared.name, this.since)
            }));
            this.entry = None;
            shared.line(this.manner).borrow_mut().collect(key);
            return Poll::Ready(());
        }
        if shared.occurred.replace(false) {
            return Poll::Ready(());
        }
        let (wait, now) = this.wait.queue(cx);
        this.since = now;
        this.entry = Some(shared.line(this.manner).borrow_mut().join(wait, false));
        Poll::Pending
    }
}

impl InLine for EventWait<'_> {
    fn wait(&self) -> &Wait {
        &self.wait
    }

    fn is_queued(&self) -> bool {
        self.entry.is_some_and(|key| self.event.0.line(self.manner).borrow().is_queued(key))
    }
}

impl EventWait<'_> {
    fn give_up(&self, key: EntryKey) {
        let shared = &*self.event.0;
        let left = shared.line(self.manner).borrow_mut().leave(key);
        // a wake-up that was not taken goes to the next in line; if it was all that its `set` did,
        // and none else is there, the event has occurred after all
        if self.manner == Manner::Queue
            && let Some((alone, false)) = left
        {
            let mut queued = shared.queued.borrow_mut();
            if let Some((next, _)) = queued.first() {
                queued.hand(next, alone);
            } else if alone && !shared.resume_waiting() {
                shared.occurred.set(true);
            }
        }
    }
}

impl Drop for EventWait<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(key) = self.entry.take() {
            self.give_up(key);
        }
    }
}
