//! Waiting jobs that are booked, by their needs and spans: which of them may fit as a whole across
//! a span over which the profile was raised.
//!
//! The jobs of a class of need stand in order of their spans. Those that begin behind an instant
//! are summed up by the shortest of each class. Starts fall from one decision to the next, so sums
//! of an earlier instant still count every job that begins behind it; they may count others too.

use crate::batch::timetable::Ticket;
use crate::kernel::{SimDuration, SimTime};

use super::gap::{ENDLESS, Gap, Shortest};
use super::needs::{CLASSES, class};

/// Bookings that are summed up together, on average.
const CHUNK: usize = if cfg!(test) { 2 } else { 16 };

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

#[derive(Clone, Debug)]
pub(super) struct Jumps {
    /// Beginning of the first chunk of time, and the length of each as a power of two.
    begin: SimTime,
    bits: u32,
    /// The shortest of the jobs that begin in a chunk or behind it.
    chunks: Vec<Shortest>,
    /// The jobs of each class of need in order of their spans.
    classes: Vec<Vec<(SimDuration, Ticket)>>,
}

impl Default for Jumps {
    fn default() -> Self {
        Jumps {
            begin: SimTime::ZERO,
            bits: 63,
            chunks: vec![Shortest::NO_JOB],
            classes: vec![Vec::new(); CLASSES],
        }
    }
}

impl Jumps {
    /// The chunk of an instant.
    fn chunk(&self, instant: SimTime) -> usize {
        let after = instant.as_nanos().saturating_sub(self.begin.as_nanos()) >> self.bits;
        (after as usize).min(self.chunks.len() - 1)
    }

    /// A booking is made.
    pub(super) fn add(&mut self, one: Jumper) {
        let jobs = &mut self.classes[one.class];
        let place = jobs.partition_point(|&job| job < (one.span, one.ticket));
        jobs.insert(place, (one.span, one.ticket));
        let chunk = self.chunk(one.start);
        for behind in self.chunks[..=chunk].iter_mut().rev() {
            if !behind.add(one.class, one.span) {
                break;
            }
        }
    }

    /// A booking moves no more.
    pub(super) fn remove(&mut self, one: Jumper) {
        let jobs = &mut self.classes[one.class];
        if let Ok(place) = jobs.binary_search(&(one.span, one.ticket)) {
            jobs.remove(place);
        }
    }

    /// Sums the bookings up by their starts.
    pub(super) fn sum_up(&mut self, all: impl Iterator<Item = Jumper> + Clone) {
        let starts = || all.clone().map(|one| one.start);
        self.begin = starts().min().unwrap_or(SimTime::ZERO);
        let last = starts().max().unwrap_or(self.begin);
        let most = self.classes.iter().map(Vec::len).sum::<usize>() / CHUNK + 1;
        let long = last.since(self.begin).as_nanos() / most as u64;
        self.bits = (64 - long.leading_zeros()).min(63);
        self.chunks.clear();
        let chunks = (last.since(self.begin).as_nanos() >> self.bits) as usize + 1;
        self.chunks.resize(chunks, Shortest::NO_JOB);
        for one in all {
            let chunk = self.chunk(one.start);
            let shortest = &mut self.chunks[chunk].each[one.class];
            *shortest = one.span.min(*shortest);
        }
        let mut behind = [SimDuration::MAX; CLASSES];
        for chunk in self.chunks.iter_mut().rev() {
            let mut least = SimDuration::MAX;
            for ((each, within), behind) in chunk.each.iter_mut().zip(&mut chunk.within).zip(&mut behind) {
                *behind = (*each).min(*behind);
                *each = *behind;
                least = least.min(*behind);
                *within = least;
            }
        }
    }

    /// The shortest of the jobs that may begin behind an instant.
    pub(super) fn shortest(&self, from: SimTime) -> &Shortest {
        &self.chunks[self.chunk(from)]
    }

    /// Calls `each` for the jobs that a gap may take, among them all that begin behind an instant.
    pub(super) fn each(&self, from: SimTime, gap: &Gap, mut each: impl FnMut(Ticket)) {
        let shortest = &self.shortest(from).each;
        for class in gap.classes() {
            let longest = gap.longest(class);
            if shortest[class] > longest {
                continue;
            }
            for &(_, ticket) in self.classes[class].iter().take_while(|job| job.0 <= longest) {
                each(ticket);
            }
        }
    }
}
