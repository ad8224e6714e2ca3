//! The step function itself: its blocks, changes of it, and searches in it.

use crate::frontend::running::Running;
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
    /// The profile that follows from the running jobs when `free` processors are free now. A job past its estimate goes on
    /// for `late`, a nanosecond at least.
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

    /// The profile of a machine of which `free` processors are free for ever.
    pub fn idle(now: SimTime, free: u64) -> Self {
        Profile { blocks: Block::all(&[Step { from: now, free: signed(free) }]) }
    }

    /// How many processors are free at an instant, which is not before the beginning.
    pub fn at(&self, instant: SimTime) -> i64 {
        let Place { block, step } = self.place(instant);
        self.blocks[block].free(step)
    }

    /// The earliest instant from `from` on, and before `before`, from which `procs` processors are free for the whole of
    /// `span`.
    pub fn earliest(&self, procs: u64, span: SimDuration, from: SimTime, before: SimTime) -> Option<SimTime> {
        let need = signed(procs);
        let mut found: Option<SimTime> = None;
        let first = self.place(from);
        let mut skip = first.step;
        for block in &self.blocks[first.block..] {
            let begins = block.from();
            if found.is_none() && begins >= before && skip == 0 {
                return None;
            }
            let passed = if found.is_some() { block.least() >= need } else { block.most() < need };
            if skip == 0 && passed {
                continue;
            }
            for step in block.steps(skip) {
                match found {
                    Some(start) if start.saturating_add(span) <= step.from => return found,
                    Some(_) if step.free < need => found = None,
                    None if step.from >= before => return None,
                    None if step.free >= need => found = Some(step.from.max(from)),
                    _ => {}
                }
            }
            skip = 0;
        }
        found.filter(|&start| start < before)
    }

    /// Whether `procs` processors are free from `start` on for the whole of `span`.
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

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: SimTime) {
        let place = self.place(now);
        self.blocks.drain(..place.block);
        self.blocks[0].begin(place.step, now);
    }

    /// The least and the largest number of free processors from `start` to `end`.
    pub fn range(&self, start: SimTime, end: SimTime) -> (i64, i64) {
        let place = self.place(start);
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        let mut skip = place.step;
        for block in &self.blocks[place.block..] {
            for step in block.steps(skip) {
                if step.from >= end {
                    return (least, most);
                }
                least = least.min(step.free);
                most = most.max(step.free);
            }
            skip = 0;
        }
        (least, most)
    }

    /// The longest span around one from `start` to `end` in which `level` processors are free throughout, if they are
    /// within it.
    pub fn stretch(&self, start: SimTime, end: SimTime, level: i64) -> (SimTime, SimTime) {
        let Place { block, step } = self.place(start);
        let mut from = start;
        'back: for index in (0..=block).rev() {
            let here = &self.blocks[index];
            let upto = if index == block { step + 1 } else { here.len() };
            if upto == here.len() && here.least() >= level {
                from = here.from().min(from);
                continue;
            }
            for step in (0..upto).rev() {
                if here.free(step) < level {
                    break 'back;
                }
                from = here.begins(step).min(from);
            }
        }
        let mut skip = step;
        for block in &self.blocks[block..] {
            if skip > 0 || block.least() < level {
                let below = block.steps(skip).find(|step| step.free < level && step.from >= end);
                if let Some(below) = below {
                    return (from, below.from);
                }
            }
            skip = 0;
        }
        (from, SimTime::MAX)
    }

    /// How many steps there are.
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
            && self.blocks[block].thin_beside(next)
        {
            let next = self.blocks.remove(block + 1);
            self.blocks[block].take_in(&next);
        }
    }
}
