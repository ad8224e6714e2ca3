//! The timetable of a machine whose processors are all alike: a count of free ones over time.

use crate::batch::profile::{Profile, SearchHints, signed};
use crate::batch::queue::Waiting;
use crate::batch::running::NEXT_NANO;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::Timetable;

/// Free processors over time.
///
/// Processors of jobs past their estimates are free in it from now on: they are taken to come back
/// within a nanosecond, and only a start at this instant is held to the processors that are free.
#[derive(Debug)]
pub(in crate::batch) struct Counts {
    profile: Profile,
    /// Lower bounds of starts that searches have shown.
    hints: SearchHints,
    now: SimTime,
    /// Processors of jobs past their estimates.
    overdue: u64,
}

impl Counts {
    /// The profile of an instant, in which jobs past their estimates are not free, however long
    /// they are taken to go on.
    pub(in crate::batch) fn new(profile: Profile, now: SimTime) -> Self {
        Counts { profile, hints: SearchHints::default(), now, overdue: 0 }
    }

    /// The same, in which the processors of jobs past their estimates, which are not free for a
    /// nanosecond, are free.
    pub(in crate::batch) fn without_overdue(mut self, overdue: u64) -> Self {
        self.profile.release(self.now, self.now.saturating_add(NEXT_NANO), overdue);
        self
    }

    /// A decision begins, with so many processors held by jobs past their estimates. What was
    /// before is forgotten.
    pub(in crate::batch) fn begin(&mut self, now: SimTime, overdue: u64) {
        if overdue > 0 || self.overdue > 0 {
            // that too few are free at an instant is not what the profile says
            self.hints.clear();
        }
        self.profile.advance(now);
        (self.now, self.overdue) = (now, overdue);
    }

    /// The first start that a search finds which begins at an instant, unless that is now and too
    /// few are free.
    fn first(
        &self,
        procs: u64,
        from: SimTime,
        search: impl Fn(&Profile, SimTime) -> Option<SimTime>,
    ) -> Option<SimTime> {
        let found = search(&self.profile, from.max(self.now))?;
        if found > self.now || self.profile.at(self.now) - signed(self.overdue) >= signed(procs) {
            return Some(found);
        }
        search(&self.profile, self.now.saturating_add(NEXT_NANO))
    }
}

impl Timetable for Counts {
    fn earliest(&mut self, job: &Waiting, span: SimDuration, from: SimTime) -> Option<SimTime> {
        let procs = u64::from(job.procs);
        let floor = self.hints.floor(&self.profile, procs, span, SimTime::MAX);
        let search = |profile: &Profile, from| profile.earliest(procs, span, from, SimTime::MAX);
        let found = self.first(procs, floor.max(from), search);
        if from <= self.now {
            self.hints.note(procs, span, found.unwrap_or(SimTime::MAX));
        }
        found
    }

    fn holds(&mut self, job: &Waiting, span: SimDuration, at: SimTime) -> bool {
        self.profile.holds(u64::from(job.procs), at, span)
    }

    fn book(&mut self, job: &Waiting, span: SimDuration, start: SimTime) {
        self.profile.reserve(start, span, u64::from(job.procs));
    }

    fn move_forward(&mut self, job: &Waiting, span: SimDuration, start: SimTime) -> Option<SimTime> {
        let procs = u64::from(job.procs);
        let floor = self.hints.floor(&self.profile, procs, span, start);
        let search = |profile: &Profile, from| profile.earlier(procs, span, from, start);
        let found = self.first(procs, floor, search);
        if let Some(to) = found {
            self.profile.move_forward(start, to, span, procs);
            let (was, is) = (start.saturating_add(span), to.saturating_add(span));
            self.hints.raise(&self.profile, start.max(is), was);
        }
        self.hints.note(procs, span, found.unwrap_or(start));
        found
    }

    fn release(&mut self, _: JobId, procs: u32, from: SimTime, to: SimTime) {
        self.profile.release(from, to, u64::from(procs));
        self.hints.clear();
    }

    fn extend(&mut self, _: JobId, procs: u32, from: SimTime, to: SimTime) {
        self.profile.reserve(from, to.since(from), u64::from(procs));
    }
}
