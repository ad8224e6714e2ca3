//! Bookings in order of their starts, summed up by the shortest of each class of need: which of
//! them may fit as a whole across a span over which the profile was raised.
//!
//! Starts fall from one decision to the next, so the order of an earlier instant still names every
//! booking that begins behind a raised span; it may name others too.

use std::ops::Range;

use crate::batch::profile::{Profile, Raised, Seen, StepId};
use crate::batch::timetable::Ticket;
use crate::kernel::{SimDuration, SimTime};

use super::needs::{CLASSES, class, classes_within, least};

/// Bookings that are summed up together, on average.
const CHUNK: usize = if cfg!(test) { 2 } else { 16 };

/// Steps next to a raised span that are looked at; the stretches that go on have no end.
const REACH: usize = if cfg!(test) { 3 } else { 64 };

/// The shortest jobs by class of need.
type Shortest = [SimDuration; CLASSES];

const NO_JOB: Shortest = [SimDuration::MAX; CLASSES];

/// The longest span that is told from no job.
const ENDLESS: SimDuration = SimDuration::from_nanos(u64::MAX - 1);

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

/// A raised span with what is free next to it.
#[derive(Clone, Debug)]
pub(super) struct Gap {
    pub(super) from: SimTime,
    /// The longest stretch in it that is high enough for each class of need.
    longest: Shortest,
}

impl Gap {
    /// Returns false if a job of this need and span does not fit.
    pub(super) fn takes(&self, procs: u32, span: SimDuration) -> bool {
        span.min(ENDLESS) <= self.longest[class(procs.into())]
    }

    /// Finds the longest stretches for these classes among the steps from one on; those in which
    /// it is begin at an instant.
    fn measure(
        &mut self,
        profile: &Profile,
        raised: Raised,
        (first, begin): (StepId, SimTime),
        classes: Range<usize>,
    ) {
        let mut begins = [begin; CLASSES];
        let (mut high, mut behind, mut started) = (classes.start, 0, false);
        self.longest = [SimDuration::ZERO; CLASSES];
        for Seen { from, free, .. } in profile.seen_from(first) {
            let open = classes_within(free).clamp(classes.start, classes.end);
            if open < high && from > raised.from {
                for (longest, &begin) in self.longest[open..high].iter_mut().zip(&begins[open..high]) {
                    *longest = from.since(begin).min(ENDLESS).max(*longest);
                }
            }
            if from < raised.to {
                if open > high && started {
                    begins[high..open].fill(from);
                }
                (high, started) = (open, true);
                continue;
            }
            high = open.min(high);
            behind += 1;
            if high == classes.start {
                return;
            }
            if behind == REACH {
                break;
            }
        }
        self.longest[classes.start..high].fill(ENDLESS);
    }

    /// Returns false if it takes none of jobs of which these are the shortest.
    fn takes_any(&self, shortest: &Shortest) -> bool {
        shortest.iter().zip(&self.longest).any(|(one, longest)| one <= longest)
    }
}

/// Bookings that begin in a part of time.
#[derive(Clone, Debug)]
struct Chunk {
    /// Place of its last in the order of all, and one more.
    upto: usize,
    within: Shortest,
    /// The shortest in it and behind it.
    behind: Shortest,
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
        for chunk in &mut self.chunks[..=chunk] {
            let shortest = &mut chunk.behind[one.class];
            *shortest = one.span.min(*shortest);
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

    /// The gap that a rise has made, to `most` free processors at most; `behind` is the step at its
    /// end. `None` if it takes no booking as a whole.
    pub(super) fn gap(
        &self,
        profile: &Profile,
        raised: Raised,
        behind: Option<StepId>,
        most: i64,
    ) -> Option<Gap> {
        let open = classes_within(most);
        let shortest = &self.chunks[self.chunk(raised.from)].behind;
        let lowest = shortest[..open].iter().position(|&span| span < SimDuration::MAX)?;
        let mut gap = Gap { from: raised.from, longest: [SimDuration::ZERO; CLASSES] };
        let mut before = profile.seen_before(raised.first).take(REACH).peekable();
        let mut behind = behind.into_iter().flat_map(|step| profile.seen_from(step)).take(REACH).peekable();
        let (mut first, mut begin) = (raised.first, profile.begins(raised.first));
        let mut takes = false;
        // as if it were as high everywhere as it is somewhere
        for class in (lowest..open).rev() {
            let need = least(class);
            while let Some(step) = before.next_if(|step| step.free >= need) {
                (first, begin) = (step.id, step.from);
            }
            while behind.next_if(|step| step.free >= need).is_some() {}
            let from = if before.peek().is_some() { begin } else { SimTime::ZERO };
            let stretch = behind.peek().map_or(ENDLESS, |step| step.from.since(from).min(ENDLESS));
            gap.longest[class] = stretch;
            takes |= shortest[class] <= stretch;
        }
        if !takes {
            return None;
        }
        let flat = profile.seen_from(raised.first).nth(1).is_none_or(|step| step.from >= raised.to);
        if !flat {
            let begin = if before.peek().is_some() { begin } else { SimTime::ZERO };
            gap.measure(profile, raised, (first, begin), lowest..open);
        }
        (flat || gap.takes_any(shortest)).then_some(gap)
    }

    /// Calls `each` for the bookings that may begin behind a gap and that it may take.
    pub(super) fn each(&self, gap: &Gap, mut each: impl FnMut(Ticket)) {
        let first = self.chunk(gap.from);
        let mut from = if first == 0 { 0 } else { self.chunks[first - 1].upto };
        let mut offer = |some: &[Jumper]| {
            let fits = |one: &&Jumper| one.span <= gap.longest[one.class];
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
