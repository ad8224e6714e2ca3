//! Mailboxes: messages wait for receivers, or receivers for messages.
//!
//! Messages are handed over in the order in which they were sent, to receivers in the order in
//! which they came. A message handed to a receiver that is dropped before it took it goes to the
//! next receiver in line, or back to the head of the mailbox; several that go back are again in the
//! order in which they were sent.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use super::line::{EntryKey, Line};
use crate::combine::{InLine, TimedInLine, timed_in_line};
use crate::name::Name;
use crate::time::{SimDuration, SimTime};
use crate::wait::Wait;

/// A mailbox of unlimited size; clones share it. See the [module](self).
#[derive(Debug)]
pub struct Mailbox<T>(Rc<Shared<T>>);

impl<T> Clone for Mailbox<T> {
    fn clone(&self) -> Self {
        Mailbox(Rc::clone(&self.0))
    }
}

#[derive(Debug)]
struct Shared<T> {
    name: Name,
    state: RefCell<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    /// Not empty only while no process waits; in order of their numbers.
    messages: VecDeque<Sent<T>>,
    receivers: Line<Option<Sent<T>>>,
    sent: u64,
}

/// A message and its number.
#[derive(Debug)]
struct Sent<T>(u64, T);

impl<T> State<T> {
    fn hand_to_next(&mut self, message: Sent<T>) -> Result<(), Sent<T>> {
        match self.receivers.first() {
            Some((key, _)) => {
                self.receivers.hand(key, Some(message));
                Ok(())
            }
            None => Err(message),
        }
    }
}

impl<T> Mailbox<T> {
    /// An empty mailbox.
    pub fn new(name: impl Into<Name>) -> Self {
        let state = State { messages: VecDeque::new(), receivers: Line::new(), sent: 0 };
        Mailbox(Rc::new(Shared { name: name.into(), state: RefCell::new(state) }))
    }

    /// Messages that no process has been handed yet.
    pub fn len(&self) -> usize {
        self.0.state.borrow().messages.len()
    }

    /// Returns true if no message is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Processes that wait for a message.
    pub fn receivers(&self) -> usize {
        self.0.state.borrow().receivers.len()
    }

    /// Puts a message in. It takes no time; the receiver that was longest in line is handed it and
    /// resumed at this instant, behind everything already scheduled for it.
    ///
    /// # Panics
    /// If a process waits and this is called outside a simulation.
    pub fn send(&self, message: T) {
        let mut state = self.0.state.borrow_mut();
        let message = Sent(state.sent, message);
        state.sent += 1;
        if let Err(message) = state.hand_to_next(message) {
            state.messages.push_back(message);
        }
    }

    /// Takes the first message, waiting in line for one if there is none; returns at once without
    /// yielding if there is.
    pub fn receive(&self) -> Receive<'_, T> {
        Receive { mailbox: self, wait: Wait::new(), entry: None, since: SimTime::ZERO }
    }

    /// Takes the first message if there is one.
    pub fn try_receive(&self) -> Option<T> {
        self.0.state.borrow_mut().messages.pop_front().map(|Sent(_, message)| message)
    }

    /// [`Mailbox::receive`] for at most `limit`; `None` if time runs out. A message at the very
    /// same instant wins.
    pub fn timed_receive(&self, limit: SimDuration) -> TimedInLine<Receive<'_, T>> {
        timed_in_line(limit, self.receive())
    }
}

/// The future of [`Mailbox::receive`].
#[derive(Debug)]
#[must_use = "nothing is received before `.await`"]
pub struct Receive<'a, T> {
    mailbox: &'a Mailbox<T>,
    wait: Wait,
    entry: Option<EntryKey>,
    since: SimTime,
}

impl<T> Future for Receive<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        let shared = &*this.mailbox.0;
        if let Some(key) = this.entry {
            ready!(this.wait.poll_granted(cx, || {
                format!("receives from mailbox `{}` since {}", shared.name, this.since)
            }));
            this.entry = None;
            let handed = shared.state.borrow_mut().receivers.leave(key);
            let message = handed.and_then(|(message, _)| message);
            let Sent(_, message) = message.expect("a receiver is served with a message");
            return Poll::Ready(message);
        }
        if let Some(message) = this.mailbox.try_receive() {
            return Poll::Ready(message);
        }
        let (wait, now) = this.wait.queue(cx);
        this.since = now;
        this.entry = Some(shared.state.borrow_mut().receivers.join(wait, None));
        Poll::Pending
    }
}

impl<T> InLine for Receive<'_, T> {
    fn wait(&self) -> &Wait {
        &self.wait
    }

    fn is_queued(&self) -> bool {
        self.entry.is_some_and(|key| self.mailbox.0.state.borrow().receivers.is_queued(key))
    }
}

impl<T> Drop for Receive<'_, T> {
    fn drop(&mut self) {
        let Some(key) = self.entry.take() else { return };
        let mut state = self.mailbox.0.state.borrow_mut();
        if let Some((Some(message), false)) = state.receivers.leave(key)
            && let Err(message) = state.hand_to_next(message)
        {
            let place = state.messages.partition_point(|kept| kept.0 < message.0);
            state.messages.insert(place, message);
        }
    }
}
