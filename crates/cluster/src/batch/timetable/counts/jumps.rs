//! Bookings in order of their starts, summed up by the shortest of each class of need: which of
//! them may fit as a whole across a span over which the profile was raised.
//!
//! Starts fall from one decision to the next, so the order of an earlier instant still names every
//! booking that begins behind a raised span; it may name others too.

use crate::batch::timetable::Ticket;
use crate::kernel::{SimDuration, SimTime};

use super::gap::{ENDLESS, Gap, Spans};
use super::needs::{CLASSES, class};

/// Bookings that are summed up together, on average.
const CHUNK: usize = if cfg!(test) { 2 } else { 16 };

/// The shortest of no jobs.
const NO_JOB: Spans = [SimDuration::MAX; CLASSES];

/// A booking that may jump.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jumper {
    ticket: Ticket,
    /// Class of its need.
    class: usize,
    start: SimTime,
    span: SimDuration,
}

impl Jumper {
    pub(super) fn new(ticket: Ticket, procs: u32, (start, span): (SimTime, SimDuration)) -> Self {
        Jumper { ticket, class: class(procs.into()), start, span: span.min(ENDLESS) }
    }
}

/// Bookings that begin in a part of time.
#[derive(Clone, Debug)]
struct Chunk {
    /// Place of its last in the order of all, and one more.
    upto: usize,
    within: Spans,
    /// The shortest in it and behind it.
    behind: Spans,
}

impl Chunk {
    const EMPTY: Chunk = Chunk { upto: 0, within: NO_JOB, behind: NO_JOB };
}

#[derive(Clone, Debug)]
pub(super) struct Jumps {
    /// Where the first chunk begins, and the length of each as a power of two.
    begin: SimTime,
    bits: u32,
    chunks: Vec<Chunk>,
    order: Vec<Jumper>,
    /// Bookings that were made since they were put in order.
    fresh: Vec<Jumper>,
    room: Vec<Jumper>,
}

impl Default for Jumps {
    fn default() -> Self {
        Jumps {
            begin: SimTime::ZERO,
            bits: 63,
            chunks: vec![Chunk::EMPTY],
            order: Vec::new(),
            fresh: Vec::new(),
            room: Vec::new(),
        }
    }
}

impl Jumps {
    /// The chunk of an instant.
    fn chunk(&self, instant: SimTime) -> usize {
        let after = instant.as_nanos().saturating_sub(self.begin.as_nanos()) >> self.bits;
        (after as usize).min(self.chunks.len() - 1)
    }

    /// A booking was made.
    pub(super) fn add(&mut self, one: Jumper) {
        let chunk = self.chunk(one.start);
        for chunk in self.chunks[..=chunk].iter_mut().rev() {
            let shortest = &mut chunk.behind[one.class];
            if *shortest <= one.span {
                break;
            }
            *shortest = one.span;
        }
        self.fresh.push(one);
    }

    /// Returns true if more bookings were made since they were put in order than there are.
    pub(super) fn is_loose(&self, there: usize) -> bool {
        self.fresh.len() > 2 * there + 4 * CHUNK
    }

    /// Puts the bookings in order.
    pub(super) fn put_in_order(&mut self, all: impl Iterator<Item = Jumper>) {
        self.fresh.clear();
        self.room.clear();
        self.room.extend(all);
        let starts = || self.room.iter().map(|one| one.start);
        self.begin = starts().min().unwrap_or(SimTime::ZERO);
        let last = starts().max().unwrap_or(self.begin);
        let most = self.room.len() / CHUNK + 1;
        let long = last.since(self.begin).as_nanos() / most as u64;
        self.bits = (64 - long.leading_zeros()).min(63);
        self.chunks.clear();
        self.chunks.resize((last.since(self.begin).as_nanos() >> self.bits) as usize + 1, Chunk::EMPTY);
        for place in 0..self.room.len() {
            let one = self.room[place];
            let chunk = self.chunk(one.start);
            let chunk = &mut self.chunks[chunk];
            chunk.upto += 1;
            let shortest = &mut chunk.within[one.class];
            *shortest = one.span.min(*shortest);
        }
        let mut behind = NO_JOB;
        for chunk in self.chunks.iter_mut().rev() {
            for (least, within) in behind.iter_mut().zip(&chunk.within) {
                *least = (*within).min(*least);
            }
            chunk.behind = behind;
        }
        let mut upto = 0;
        for chunk in &mut self.chunks {
            // where its next booking is put
            upto += std::mem::replace(&mut chunk.upto, upto);
        }
        self.order.clear();
        self.order.extend_from_slice(&self.room);
        for one in &self.room {
            let chunk = self.chunk(one.start);
            let place = &mut self.chunks[chunk].upto;
            self.order[*place] = *one;
            *place += 1;
        }
    }

    /// The shortest of the bookings that may begin behind an instant.
    pub(super) fn shortest(&self, from: SimTime) -> &Spans {
        &self.chunks[self.chunk(from)].behind
    }

    /// Calls `each` for the bookings that may begin behind a gap and that it may take.
    pub(super) fn each(&self, gap: &Gap, mut each: impl FnMut(Ticket)) {
        let first = self.chunk(gap.from());
        let mut from = if first == 0 { 0 } else { self.chunks[first - 1].upto };
        let mut offer = |some: &[Jumper]| {
            let fits = |one: &&Jumper| one.span <= gap.longest(one.class);
            some.iter().filter(fits).for_each(|one| each(one.ticket));
        };
        for chunk in &self.chunks[first..] {
            if !gap.takes_any(&chunk.behind) {
                break;
            }
            if gap.takes_any(&chunk.within) {
                offer(&self.order[from..chunk.upto]);
            }
            from = chunk.upto;
        }
        offer(&self.fresh);
    }
}
