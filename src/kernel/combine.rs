//! Waiting for one of several things, or for all of them.
//!
//! The combinators of the `futures` crate work in processes too. These here poll in argument order, every time, so that
//! at one instant the first argument wins; they allocate nothing and draw no random numbers.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::{Either, MaybeDone, maybe_done};
use pin_project::pin_project;

use super::time::SimDuration;
use super::wait::{Timer, timer};

/// Awaits `future` for at most `limit`; `None` if time runs out.
///
/// Whatever happens at the same instant as the time-out, cascades of zero time included, wins over it. The future is
/// dropped with this one. A limit of zero still lets everything of the present instant happen.
pub fn timed<F: Future>(limit: SimDuration, future: F) -> Timed<F> {
    Timed { future, timer: timer(limit) }
}

/// The future of [`timed`].
#[pin_project]
#[derive(Debug)]
#[must_use = "nothing is awaited before `.await`"]
pub struct Timed<F> {
    #[pin]
    future: F,
    #[pin]
    timer: Timer,
}

impl<F: Future> Future for Timed<F> {
    type Output = Option<F::Output>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(value) = this.future.poll(cx) {
            return Poll::Ready(Some(value));
        }
        this.timer.poll(cx).map(|()| None)
    }
}

/// Awaits whichever ends first; at one instant the first argument wins. The other one is dropped with this future.
pub fn race<A: Future, B: Future>(first: A, second: B) -> Race<A, B> {
    Race { first, second }
}

/// The future of [`race`].
#[pin_project]
#[derive(Debug)]
#[must_use = "nothing is awaited before `.await`"]
pub struct Race<A, B> {
    #[pin]
    first: A,
    #[pin]
    second: B,
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
    JoinBoth { first: maybe_done(first), second: maybe_done(second) }
}

/// The future of [`join`].
#[pin_project]
#[must_use = "nothing is awaited before `.await`"]
pub struct JoinBoth<A: Future, B: Future> {
    #[pin]
    first: MaybeDone<A>,
    #[pin]
    second: MaybeDone<B>,
}

impl<A: Future, B: Future> Future for JoinBoth<A, B> {
    type Output = (A::Output, B::Output);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let first = this.first.as_mut().poll(cx).is_ready();
        let second = this.second.as_mut().poll(cx).is_ready();
        if !(first && second) {
            return Poll::Pending;
        }
        match (this.first.take_output(), this.second.take_output()) {
            (Some(first), Some(second)) => Poll::Ready((first, second)),
            _ => unreachable!("both are done and neither was taken: a join is polled only until it is ready"),
        }
    }
}
