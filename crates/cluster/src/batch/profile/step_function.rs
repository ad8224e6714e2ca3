//! The step function itself: changes of it, and searches in it.

use crate::batch::planned::Outlook;
use crate::batch::running::Running;
use crate::kernel::{SimDuration, SimTime};

use super::signed;
use super::steps::{StepId, Steps};

/// Free processors as a step function of time. Estimates that proved wrong may make it negative.
#[derive(Clone, Debug)]
pub struct Profile {
    pub(super) steps: Steps,
}

impl Profile {
    /// The profile that follows from the running jobs when `free` processors are free now. A job
    /// past its estimate goes on for `late`, a nanosecond at least.
    pub fn new(now: SimTime, free: u64, running: &Running, late: SimDuration) -> Self {
        let mut level = signed(free);
        let mut steps = vec![(now, level)];
        for (end, procs) in running.releases_by(now, late) {
            level += i64::from(procs);
            match steps.last_mut() {
                Some(last) if last.0 == end => last.1 = level,
                _ => steps.push((end, level)),
            }
        }
        Profile { steps: Steps::new(&steps) }
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
        Profile::of_changes((now, signed(free)), changes)
    }

    /// The profile that is so high from an instant on, and changes by these amounts from then or
    /// later on.
    pub(in crate::batch) fn of_changes(first: (SimTime, i64), mut changes: Vec<(SimTime, i64)>) -> Self {
        changes.sort_unstable_by_key(|&(at, _)| at);
        let mut steps = vec![first];
        for (at, by) in changes {
            match steps.last_mut() {
                Some(last) if last.0 == at => last.1 += by,
                Some(&mut (_, free)) => steps.push((at, free + by)),
                None => {}
            }
        }
        steps.dedup_by_key(|&mut (_, free)| free);
        Profile { steps: Steps::new(&steps) }
    }

    /// The profile of a machine of which `free` processors are free for ever.
    pub fn idle(now: SimTime, free: u64) -> Self {
        Profile { steps: Steps::new(&[(now, signed(free))]) }
    }

    /// Number of processors free at an instant, which is not before the beginning.
    pub fn at(&self, instant: SimTime) -> i64 {
        self.steps.free(self.steps.place(instant))
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
    pub(in crate::batch) fn search(
        &self,
        procs: u64,
        span: SimDuration,
        from: SimTime,
        (before, clear): (SimTime, SimTime),
    ) -> Option<SimTime> {
        self.search_from(self.steps.place(from), procs, span, from, (before, clear))
    }

    /// The same from the step on that covers the first instant.
    pub(super) fn search_from(
        &self,
        first: StepId,
        procs: u64,
        span: SimDuration,
        from: SimTime,
        (before, clear): (SimTime, SimTime),
    ) -> Option<SimTime> {
        let need = signed(procs);
        let mut at = first;
        loop {
            let high = self.steps.first_high(at, need, before)?;
            let start = self.steps[high].from.max(from);
            // where the span from it on is over
            let over = start.saturating_add(span).min(clear);
            let Some(low) = self.steps.first_low(self.steps[high].next, need, over) else {
                return Some(start);
            };
            at = self.steps[low].next;
        }
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
        self.steps.advance(now);
    }

    /// The least number of free processors from one instant to another.
    pub(in crate::batch) fn least(&self, start: SimTime, end: SimTime) -> i64 {
        let mut at = self.steps.place(start);
        let mut least = self.steps.free(at);
        while at != StepId::NONE && self.steps[at].from < end {
            least = least.min(self.steps.free(at));
            at = self.steps[at].next;
        }
        least
    }

    /// Instants after `from` at which it rises.
    pub(in crate::batch) fn rises(&self, from: SimTime) -> Vec<SimTime> {
        let (mut level, mut rises) = (i64::MAX, Vec::new());
        let mut at = self.steps.place(from);
        while at != StepId::NONE {
            let free = self.steps.free(at);
            if free > level {
                rises.push(self.steps[at].from);
            }
            level = free;
            at = self.steps[at].next;
        }
        rises
    }

    /// Number of steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Never: a profile has a step at least.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Changes it by these amounts, each from an instant on, which is not before the beginning; in
    /// the end they come to nothing.
    pub(in crate::batch) fn change_by(&mut self, changes: &mut Vec<(SimTime, i64)>) {
        changes.sort_unstable_by_key(|&(at, _)| at);
        let (mut since, mut by) = (SimTime::ZERO, 0);
        for (at, more) in changes.drain(..) {
            if at > since && by != 0 {
                self.change(since, at, by);
            }
            (since, by) = (at, by + more);
        }
    }

    pub(super) fn change(&mut self, start: SimTime, end: SimTime, by: i64) {
        if start >= end {
            return;
        }
        let first = self.cut(start);
        let last = self.cut(end);
        self.steps.add(first, last, by);
        self.steps.join(last);
        self.steps.join(first);
    }

    /// The step that begins at an instant, which is made if there is none.
    pub(super) fn cut(&mut self, at: SimTime) -> StepId {
        let place = self.steps.place(at);
        self.steps.cut(place, at)
    }
}
