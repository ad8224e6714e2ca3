//! The step function itself: its blocks, changes of it, and searches in it.

use crate::batch::planned::Outlook;
use crate::batch::running::Running;
use crate::kernel::{SimDuration, SimTime};

use super::signed;
use super::steps::{Block, Step};

/// Free processors as a step function of time. Estimates that proved wrong may make it negative.
#[derive(Clone, Debug)]
pub struct Profile {
    /// In order of time, the steps each at their own instant; no block is empty.
    blocks: Vec<Block>,
}

/// The place of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    block: usize,
    step: usize,
}

impl Profile {
    /// The profile that follows from the running jobs when `free` processors are free now. A job
    /// past its estimate goes on for `late`, a nanosecond at least.
    pub fn new(now: SimTime, free: u64, running: &Running, late: SimDuration) -> Self {
        let mut level = signed(free);
        let mut steps = vec![Step { from: now, free: level }];
        for (end, procs) in running.releases_by(now, late) {
            level += i64::from(procs);
            match steps.last_mut() {
                Some(last) if last.from == end => last.free = level,
                _ => steps.push(Step { from: end, free: level }),
            }
        }
        Profile { blocks: Block::all(&steps) }
    }

    /// The same with reservations of processors, which lower it in their spans.
    pub fn with_planned(scene: &Outlook<'_>, late: SimDuration) -> Self {
        let Outlook { now, free, running, planned, .. } = *scene;
        if planned.is_empty() {
            return Profile::new(now, free, running, late);
        }
        let ends = running.releases_by(now, late);
        let mut changes: Vec<(SimTime, i64)> =
            ends.into_iter().map(|(end, procs)| (end, i64::from(procs))).collect();
        for one in planned {
            changes.extend([(one.from.max(now), -signed(one.lacks())), (one.to, signed(one.procs))]);
        }
        changes.sort_unstable_by_key(|&(at, _)| at);
        let mut steps = vec![Step { from: now, free: signed(free) }];
        for (at, by) in changes {
            match steps.last_mut() {
                Some(last) if last.from == at => last.free += by,
                Some(&mut Step { free, .. }) => steps.push(Step { from: at, free: free + by }),
                None => {}
            }
        }
        steps.dedup_by_key(|step| step.free);
        Profile { blocks: Block::all(&steps) }
    }

    /// The profile of a machine of which `free` processors are free for ever.
    pub fn idle(now: SimTime, free: u64) -> Self {
        Profile { blocks: Block::all(&[Step { from: now, free: signed(free) }]) }
    }

    /// Number of processors free at an instant, which is not before the beginning.
    pub fn at(&self, instant: SimTime) -> i64 {
        let Place { block, step } = self.place(instant);
        self.blocks[block].free(step)
    }

    /// The earliest instant from `from` on, and before `before`, from which `procs` processors are
    /// free for the whole of `span`.
    pub fn earliest(&self, procs: u64, span: SimDuration, from: SimTime, before: SimTime) -> Option<SimTime> {
        self.search(procs, span, from, (before, SimTime::MAX))
    }

    /// As [`Profile::earliest`], for a job that holds `procs` processors for `span` from `start`
    /// on, which the profile calls taken: the earliest start from `from` on, if it is before
    /// `start`.
    pub fn earlier(&self, procs: u64, span: SimDuration, from: SimTime, start: SimTime) -> Option<SimTime> {
        // a job that moves forward ends before the end of what is held, so from `start` on nothing
        // need be looked at
        self.search(procs, span, from, (start, start))
    }

    /// The earliest start before the first of two instants, where all is free from the second on.
    fn search(
        &self,
        procs: u64,
        span: SimDuration,
        from: SimTime,
        (before, clear): (SimTime, SimTime),
    ) -> Option<SimTime> {
        self.search_at(self.place(from), procs, span, from, (before, clear))
    }

    fn search_at(
        &self,
        first: Place,
        procs: u64,
        span: SimDuration,
        from: SimTime,
        (before, clear): (SimTime, SimTime),
    ) -> Option<SimTime> {
        let need = signed(procs);
        let mut found: Option<SimTime> = None;
        // where the span from `found` on is over
        let mut over = SimTime::MAX;
        let mut skip = first.step;
        for block in &self.blocks[first.block..] {
            if skip == 0 {
                let begins = block.from();
                let passed = match found {
                    Some(_) if over <= begins => return found,
                    Some(_) => block.least() >= need,
                    None if begins >= before => return None,
                    None => block.most() < need,
                };
                if passed {
                    continue;
                }
            }
            for step in block.steps(skip) {
                if found.is_some() {
                    if over <= step.from {
                        return found;
                    }
                    if step.free < need {
                        found = None;
                    }
                } else if step.from >= before {
                    return None;
                } else if step.free >= need {
                    let start = step.from.max(from);
                    found = Some(start);
                    over = start.saturating_add(span).min(clear);
                }
            }
            skip = 0;
        }
        found.filter(|&start| start < before)
    }

    /// The earliest start, before `before`, of a `span` in which `procs` processors are free and
    /// which reaches across a part of the profile.
    pub(super) fn earliest_across(
        &self,
        (from, to): (SimTime, SimTime),
        procs: u64,
        span: SimDuration,
        before: SimTime,
    ) -> Option<SimTime> {
        let need = signed(procs);
        let from = from.max(self.blocks[0].from());
        if from >= to {
            return None;
        }
        let spot = self.place(from);
        // a job that starts before this is over when the part begins
        let limit = SimTime::from_nanos((from.as_nanos() + 1).saturating_sub(span.as_nanos()));
        let (mut first, mut since) = (spot, from);
        let mut here = spot;
        while self.blocks[here.block].free(here.step) >= need {
            first = here;
            since = self.blocks[here.block].begins(here.step).min(from);
            if since <= limit {
                since = limit.max(since);
                break;
            }
            here = match here {
                Place { block: 0, step: 0 } => break,
                Place { block, step: 0 } => {
                    Place { block: block - 1, step: self.blocks[block - 1].len() - 1 }
                }
                Place { block, step } => Place { block, step: step - 1 },
            };
        }
        if since >= before {
            return None;
        }
        self.search_at(first, procs, span, since, (to.min(before), SimTime::MAX))
    }

    /// Returns true if `procs` processors are free from `start` on for the whole of `span`.
    pub fn holds(&self, procs: u64, start: SimTime, span: SimDuration) -> bool {
        let next = start.saturating_add(SimDuration::from_nanos(1));
        self.earliest(procs, span, start, next).is_some()
    }

    /// Takes `procs` processors away from `start` for `span`.
    pub fn reserve(&mut self, start: SimTime, span: SimDuration, procs: u64) {
        self.change(start, start.saturating_add(span), -signed(procs));
    }

    /// Gives `procs` processors back from `start`, which is not before the beginning, to `end`.
    pub fn release(&mut self, start: SimTime, end: SimTime, procs: u64) {
        self.change(start, end, signed(procs));
    }

    /// Moves what holds `procs` processors for `span` from one start to an earlier one.
    pub fn move_forward(&mut self, from: SimTime, to: SimTime, span: SimDuration, procs: u64) {
        let (was, is) = (from.saturating_add(span), to.saturating_add(span));
        self.change(to, is.min(from), -signed(procs));
        self.change(from.max(is), was, signed(procs));
    }

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: SimTime) {
        let place = self.place(now);
        self.blocks.drain(..place.block);
        self.blocks[0].begin(place.step, now);
    }

    /// The largest number of free processors from one instant to another.
    pub(super) fn most(&self, start: SimTime, end: SimTime) -> i64 {
        let place = self.place(start);
        let mut most = i64::MIN;
        let mut skip = place.step;
        for block in &self.blocks[place.block..] {
            for step in block.steps(skip) {
                if step.from >= end {
                    return most;
                }
                most = most.max(step.free);
            }
            skip = 0;
        }
        most
    }

    /// The least number of free processors from one instant to another.
    pub(in crate::batch) fn least(&self, start: SimTime, end: SimTime) -> i64 {
        let place = self.place(start);
        let mut least = self.blocks[place.block].free(place.step);
        let mut skip = place.step;
        for block in &self.blocks[place.block..] {
            for step in block.steps(skip) {
                if step.from >= end {
                    return least;
                }
                least = least.min(step.free);
            }
            skip = 0;
        }
        least
    }

    /// Instants after `from` at which it rises.
    pub(in crate::batch) fn rises(&self, from: SimTime) -> Vec<SimTime> {
        let place = self.place(from);
        let (mut level, mut skip, mut rises) = (i64::MAX, place.step, Vec::new());
        for block in &self.blocks[place.block..] {
            for step in block.steps(skip) {
                if step.free > level {
                    rises.push(step.from);
                }
                level = step.free;
            }
            skip = 0;
        }
        rises
    }

    /// Number of steps there are.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(Block::len).sum()
    }

    /// Never: a profile has a step at least.
    pub fn is_empty(&self) -> bool {
        false
    }

    pub(super) fn change(&mut self, start: SimTime, end: SimTime, by: i64) {
        if start >= end {
            return;
        }
        let first = self.cut(start);
        // a cut behind the first one moves it at most into the next block
        let last = self.cut(end);
        let first = if self.begins(first) == Some(start) { first } else { self.place(start) };
        for block in first.block..=last.block.min(self.blocks.len() - 1) {
            let from = if block == first.block { first.step } else { 0 };
            let upto = if block == last.block { last.step } else { self.blocks[block].len() };
            self.blocks[block].add(from, upto, by);
        }
        self.join(end);
        self.join(start);
    }

    fn begins(&self, place: Place) -> Option<SimTime> {
        let block = self.blocks.get(place.block)?;
        (place.step < block.len()).then(|| block.begins(place.step))
    }

    /// The step that covers an instant.
    ///
    /// # Panics
    /// If the instant is before the beginning.
    fn place(&self, instant: SimTime) -> Place {
        let block = self.blocks.partition_point(|block| block.from() <= instant);
        let block = block.checked_sub(1).expect("the profile begins before what is asked of it");
        Place { block, step: self.blocks[block].covering(instant) }
    }

    /// Makes an instant begin a step.
    fn cut(&mut self, at: SimTime) -> Place {
        let place = self.place(at);
        if self.blocks[place.block].begins(place.step) == at {
            return place;
        }
        let mut place = Place { step: place.step + 1, ..place };
        if let Some(upper) = self.blocks[place.block].split_if_full() {
            let lower = self.blocks[place.block].len();
            self.blocks.insert(place.block + 1, upper);
            if place.step > lower {
                place = Place { block: place.block + 1, step: place.step - lower };
            }
        }
        self.blocks[place.block].insert(place.step, at);
        place
    }

    /// Joins the step that begins at an instant with the one before it, if they are equal.
    fn join(&mut self, at: SimTime) {
        let Place { block, step } = self.place(at);
        if self.blocks[block].begins(step) != at {
            return;
        }
        let before = match (step, block) {
            (0, 0) => return,
            (0, _) => self.blocks[block - 1].free(self.blocks[block - 1].len() - 1),
            _ => self.blocks[block].free(step - 1),
        };
        if before != self.blocks[block].free(step) {
            return;
        }
        self.blocks[block].remove(step);
        if self.blocks[block].len() == 0 {
            self.blocks.remove(block);
        } else if let Some(next) = self.blocks.get(block + 1)
            && self.blocks[block].thin_alongside(next)
        {
            let next = self.blocks.remove(block + 1);
            self.blocks[block].take_in(&next);
        }
    }
}
