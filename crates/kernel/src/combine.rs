//! Waiting for one of several things, or for all of them.
//!
//! The combinators of the `futures` crate work in processes too. These here poll in argument order,
//! every time, so that at one instant the first argument wins; they allocate nothing and draw no
//! random numbers.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::time::SimDuration;
use super::wait::{Timer, Wait, timer};

/// Awaits `future` for at most `limit`; `None` if time runs out.
///
/// Whatever happens at the same instant as the time-out, cascades of zero time included, wins over
/// it. The future is dropped with this one. A limit of zero still lets everything of the present
/// instant happen. A limit that leads past the end of virtual time, such as [`SimDuration::MAX`],
/// is none: it never runs out. (A [`hold`](super::hold) that long is an error, because it has
/// nothing else to end with.)
pub fn timed<F: Future>(limit: SimDuration, future: F) -> Timed<F> {
    Timed { future, timer: timer(limit) }
}

pin_project! {
    /// The future of [`timed`].
    #[derive(Debug)]
    #[must_use = "nothing is awaited before `.await`"]
    pub struct Timed<F> {
        #[pin]
        future: F,
        #[pin]
        timer: Timer,
    }
}

impl<F: Future> Future for Timed<F> {
    type Output = Option<F::Output>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(value) = this.future.poll(cx) {
            return Poll::Ready(Some(value));
        }
        this.timer.poll_limit(cx).map(|()| None)
    }
}

/// A future that waits in one line, with one wait, and is over once it is served there.
pub(super) trait InLine: Future + Unpin {
    /// Wait.
    fn wait(&self) -> &Wait;
    /// Returns true if it is still in the order of its line.
    fn is_queued(&self) -> bool;
}

/// The same as [`Timed`] for something that waits in a line: there the limit rides on the wait
/// itself and needs no timer of its own. See [`Event::timed_wait`](super::Event::timed_wait) and
/// its kin.
#[derive(Debug)]
#[must_use = "nothing is awaited before `.await`"]
pub struct TimedInLine<F> {
    future: F,
    limit: SimDuration,
    armed: bool,
}

pub(super) fn timed_in_line<F: InLine>(limit: SimDuration, future: F) -> TimedInLine<F> {
    TimedInLine { future, limit, armed: false }
}

impl<F: InLine> Future for TimedInLine<F> {
    type Output = Option<F::Output>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if this.armed && this.future.wait().has_fired() && this.future.is_queued() {
            return Poll::Ready(None);
        }
        if let Poll::Ready(value) = Pin::new(&mut this.future).poll(cx) {
            return Poll::Ready(Some(value));
        }
        if !this.armed {
            this.armed = true;
            this.future.wait().limit(this.limit);
        }
        Poll::Pending
    }
}

/// Outcome of the one of two that ended first; see [`race`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The first argument.
    Left(A),
    /// The second one.
    Right(B),
}

/// Awaits whichever ends first; at one instant the first argument wins. The other one is dropped
/// with this future.
pub fn race<A: Future, B: Future>(first: A, second: B) -> Race<A, B> {
    Race { first, second }
}

pin_project! {
    /// The future of [`race`].
    #[derive(Debug)]
    #[must_use = "nothing is awaited before `.await`"]
    pub struct Race<A, B> {
        #[pin]
        first: A,
        #[pin]
        second: B,
    }
}

impl<A: Future, B: Future> Future for Race<A, B> {
    type Output = Either<A::Output, B::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(value) = this.first.poll(cx) {
            return Poll::Ready(Either::Left(value));
        }
        this.second.poll(cx).map(Either::Right)
    }
}

/// Awaits both.
pub fn join<A: Future, B: Future>(first: A, second: B) -> JoinBoth<A, B> {
    JoinBoth { first: Side::new(first), second: Side::new(second) }
}

pin_project! {
    /// The future of [`join`].
    #[must_use = "nothing is awaited before `.await`"]
    pub struct JoinBoth<A: Future, B: Future> {
        #[pin]
        first: Side<A>,
        #[pin]
        second: Side<B>,
    }
}

pin_project! {
    /// One of the two: a future, which is dropped once it is over, or what it came to.
    struct Side<F: Future> {
        #[pin]
        future: Option<F>,
        output: Option<F::Output>,
    }
}

impl<F: Future> Side<F> {
    fn new(future: F) -> Self {
        Side { future: Some(future), output: None }
    }

    /// Returns true if it is over.
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> bool {
        let mut this = self.project();
        if let Some(future) = this.future.as_mut().as_pin_mut()
            && let Poll::Ready(value) = future.poll(cx)
        {
            *this.output = Some(value);
            this.future.set(None);
        }
        this.output.is_some()
    }
}

impl<A: Future, B: Future> Future for JoinBoth<A, B> {
    type Output = (A::Output, B::Output);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if !(this.first.as_mut().poll(cx) & this.second.as_mut().poll(cx)) {
            return Poll::Pending;
        }
        match (this.first.project().output.take(), this.second.project().output.take()) {
            (Some(first), Some(second)) => Poll::Ready((first, second)),
            _ => unreachable!("both are over and neither was taken: a join is polled only until it is ready"),
        }
    }
}
