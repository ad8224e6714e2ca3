//! Buffers: a bounded level that some processes fill and others drain.
//!
//! Both sides are served strictly in order, each for itself. What a putter brings becomes part of
//! the level when the putter is resumed, and what a getter takes becomes room when the getter is;
//! until then it is reserved. So a put or get that is dropped before it returned undoes itself
//! exactly, whatever happened in between.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use super::line::{EntryKey, Line};
use crate::name::Name;
use crate::time::SimTime;
use crate::wait::Wait;

/// A bounded level; clones share it. See the [module](self).
#[derive(Clone, Debug)]
pub struct Buffer(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    name: Name,
    capacity: u64,
    state: RefCell<State>,
}

/// Of both sides, by [`Side`].
#[derive(Debug)]
struct State {
    /// Units available to each side: units filled, and room.
    units: [u64; 2],
    lines: [Line<u64>; 2],
}

impl State {
    /// Serves both lines as far as they go.
    fn serve(&mut self) {
        for (units, line) in self.units.iter_mut().zip(&mut self.lines) {
            while let Some((key, &wanted)) = line.first()
                && wanted <= *units
            {
                *units -= wanted;
                line.serve(key);
            }
        }
    }
}

/// Source of a process: a getter takes from the units filled, a putter from the room. It gives to
/// the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Get = 0,
    Put = 1,
}

impl Buffer {
    /// A buffer of `capacity` units of which `level` are filled.
    ///
    /// # Panics
    /// If the level exceeds the capacity.
    pub fn new(name: impl Into<Name>, capacity: u64, level: u64) -> Self {
        let room = capacity.checked_sub(level).expect("a buffer is not filled beyond its capacity");
        let state = State { units: [level, room], lines: [Line::new(), Line::new()] };
        Buffer(Rc::new(Shared { name: name.into(), capacity, state: RefCell::new(state) }))
    }

    /// Units that can be got.
    pub fn level(&self) -> u64 {
        self.0.state.borrow().units[Side::Get as usize]
    }

    /// Units that can be put.
    pub fn room(&self) -> u64 {
        self.0.state.borrow().units[Side::Put as usize]
    }

    /// Takes `units` out, waiting in line until they are there; returns at once without yielding if
    /// they are and none waits before.
    pub fn get(&self, units: u64) -> Transfer<'_> {
        self.transfer(Side::Get, units)
    }

    /// Puts `units` in, waiting in line until there is room; returns at once without yielding if
    /// there is and none waits before.
    pub fn put(&self, units: u64) -> Transfer<'_> {
        self.transfer(Side::Put, units)
    }

    fn transfer(&self, side: Side, units: u64) -> Transfer<'_> {
        Transfer { buffer: self, side, units, wait: Wait::new(), entry: None, since: SimTime::ZERO }
    }
}

/// The future of [`Buffer::get`] and [`Buffer::put`].
#[derive(Debug)]
#[must_use = "nothing is moved before `.await`"]
pub struct Transfer<'a> {
    buffer: &'a Buffer,
    side: Side,
    units: u64,
    wait: Wait,
    entry: Option<EntryKey>,
    since: SimTime,
}

impl Future for Transfer<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let shared = &*this.buffer.0;
        let (from, to) = (this.side as usize, 1 - this.side as usize);
        if let Some(key) = this.entry {
            ready!(this.wait.poll_granted(cx, || {
                let verb = if this.side == Side::Get { "gets" } else { "puts" };
                let (units, capacity) = (this.units, shared.capacity);
                format!("{verb} {units} of {capacity} of buffer `{}` since {}", shared.name, this.since)
            }));
            this.entry = None;
            let mut state = shared.state.borrow_mut();
            state.lines[from].leave(key);
            state.units[to] += this.units;
            state.serve();
            return Poll::Ready(());
        }
        let mut state = shared.state.borrow_mut();
        if state.lines[from].is_empty() && this.units <= state.units[from] {
            state.units[from] -= this.units;
            state.units[to] += this.units;
            state.serve();
            return Poll::Ready(());
        }
        drop(state);
        let (wait, now) = this.wait.queue(cx);
        this.since = now;
        this.entry = Some(shared.state.borrow_mut().lines[from].join(wait, this.units));
        Poll::Pending
    }
}

impl Drop for Transfer<'_> {
    fn drop(&mut self) {
        let Some(key) = self.entry.take() else { return };
        let mut state = self.buffer.0.state.borrow_mut();
        if let Some((units, false)) = state.lines[self.side as usize].leave(key) {
            state.units[self.side as usize] += units;
        }
        // those behind it may fit now
        state.serve();
    }
}
