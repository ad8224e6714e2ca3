//! The timetable itself.

use crate::batch::planned::Planned;
use crate::batch::profile::{Profile, SearchHints, StepId, signed};
use crate::batch::queue::Waiting;
use crate::batch::running::NEXT_NANO;
use crate::batch::timetable::{Ticket, Timetable};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::waits::{Look, Place, Waits};

/// Free processors over time.
///
/// Processors of jobs past their estimates are free in it from now on: they are taken to come back
/// within a nanosecond, and only a start at this instant is held to the processors that are free.
#[derive(Debug)]
pub(in crate::batch) struct Counts {
    profile: Profile,
    /// Lower bounds of starts that searches have shown.
    hints: SearchHints,
    /// Waiting jobs that are booked.
    waits: Waits,
    now: SimTime,
    /// Processors of jobs past their estimates.
    overdue: u64,
}

impl Counts {
    /// The profile of an instant, in which jobs past their estimates are not free, however long
    /// they are taken to go on.
    pub(in crate::batch) fn new(profile: Profile, now: SimTime) -> Self {
        Counts { profile, hints: SearchHints::default(), waits: Waits::default(), now, overdue: 0 }
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
        self.waits.begin();
        (self.now, self.overdue) = (now, overdue);
    }

    /// Books a reservation of the site, which has not begun.
    pub(in crate::batch) fn withhold(&mut self, one: &Planned) {
        self.profile.reserve(one.from, one.to.since(one.from), one.lacks());
    }

    /// Returns true if jobs past their estimates keep a job from a start now that was found.
    fn is_refused(&self, found: SimTime, procs: u64) -> bool {
        found <= self.now && self.profile.at(self.now) - signed(self.overdue) < signed(procs)
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
        if self.is_refused(found, procs) {
            return search(&self.profile, self.now.saturating_add(NEXT_NANO));
        }
        Some(found)
    }

    /// The earliest start before its own of a booked job that looks so, and the step that begins
    /// there if it is known.
    fn earlier(
        &mut self,
        ticket: Ticket,
        look: Look,
        (start, span): (SimTime, SimDuration),
    ) -> Option<(SimTime, Option<StepId>)> {
        let procs = self.waits.procs(ticket);
        let whole = |profile: &Profile, from| profile.earlier(procs, span, from, start);
        let (found, step) = match look {
            Look::Anywhere => (whole(&self.profile, self.now)?, None),
            Look::Reach { slides, places } => {
                let slid = if slides { self.waits.slid(&self.profile, ticket) } else { None };
                let slide = slid.map(|(start, step)| (start, Some(step)));
                let (mut jump, mut best) = (None, slide.map_or(start, |slide| slide.0));
                for &Place { from, to, step } in self.waits.places(ticket, places) {
                    let (from, before) = (from.max(self.now), best.min(to));
                    let search = || self.profile.search_near(step, procs, span, from, (before, start));
                    if let Some(found) = (from < before).then(search).flatten() {
                        (best, jump) = (found, Some(found));
                    }
                }
                jump.map(|found| (found, None)).or(slide)?
            }
        };
        if self.is_refused(found, procs) {
            self.waits.look_anywhere(ticket);
            return whole(&self.profile, self.now.saturating_add(NEXT_NANO)).map(|found| (found, None));
        }
        Some((found, step))
    }
}

impl Timetable for Counts {
    fn earliest(&mut self, job: &Waiting, span: SimDuration, from: SimTime) -> Option<SimTime> {
        let procs = u64::from(job.procs);
        let floor = self.hints.floor(procs, span);
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

    fn promise(&mut self, job: &Waiting, span: SimDuration, start: SimTime) -> Ticket {
        let ticket = self.waits.book(&mut self.profile, job.procs, span, start);
        if self.overdue > 0 {
            // a start now may have been refused
            self.waits.look_anywhere(ticket);
        }
        ticket
    }

    fn may_move(&self, ticket: Ticket) -> bool {
        self.waits.may_move(ticket)
    }

    fn move_forward(
        &mut self,
        ticket: Ticket,
        _: &Waiting,
        span: SimDuration,
        start: SimTime,
    ) -> Option<SimTime> {
        let look = self.waits.look(ticket);
        let found = self.earlier(ticket, look, (start, span))?;
        self.waits.bring_forward(&mut self.profile, ticket, found);
        self.hints.clear();
        Some(found.0)
    }

    fn move_unmarked(&mut self, job: &Waiting, span: SimDuration, start: SimTime) -> Option<SimTime> {
        self.release(job.job, job.procs, start, start.saturating_add(span));
        let found = self.earliest(job, span, self.now).filter(|&found| found < start);
        self.book(job, span, found.unwrap_or(start));
        found
    }

    fn settle(&mut self, ticket: Ticket) {
        self.waits.settle(&mut self.profile, ticket);
    }

    fn release(&mut self, _: JobId, procs: u32, from: SimTime, to: SimTime) {
        if from < to {
            self.profile.release(from, to, u64::from(procs));
            if !self.waits.are_few() {
                self.waits.rises(&self.profile, self.profile.raised(from, to, procs.into()));
            }
            self.hints.clear();
        }
    }

    fn extend(&mut self, _: JobId, procs: u32, from: SimTime, to: SimTime) {
        self.profile.reserve(from, to.since(from), u64::from(procs));
    }
}
