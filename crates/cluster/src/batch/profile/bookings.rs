//! Bookings that remember their steps: they move forward without a search for their ends.

use crate::batch::running::NEXT_NANO;
use crate::kernel::{SimDuration, SimTime};

use super::steps::{Step, StepId};
use super::{Profile, signed};

/// The steps at which a booking begins and ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::batch) struct Ends {
    pub(in crate::batch) begin: StepId,
    end: StepId,
}

/// A span over which the profile was raised by `by` everywhere; stale once it changes again.
#[derive(Clone, Copy, Debug)]
pub(in crate::batch) struct Raised {
    pub(in crate::batch) from: SimTime,
    pub(in crate::batch) to: SimTime,
    pub(in crate::batch) by: i64,
    /// The step that covers its beginning.
    pub(in crate::batch) first: StepId,
}

/// A step as it is looked at.
#[derive(Clone, Copy, Debug)]
pub(in crate::batch) struct Seen {
    pub(in crate::batch) id: StepId,
    pub(in crate::batch) from: SimTime,
    pub(in crate::batch) free: i64,
}

impl Seen {
    /// There is none: none are free in it.
    pub(in crate::batch) const NONE: Seen = Seen { id: StepId::NONE, from: SimTime::MAX, free: i64::MIN };
}

impl Profile {
    /// Takes `procs` processors away from `start` for `span`, and remembers the ends.
    pub(in crate::batch) fn hold(&mut self, start: SimTime, span: SimDuration, procs: u64) -> Ends {
        let begin = self.cut(start);
        let end = self.cut(start.saturating_add(span));
        self.steps.hold(begin);
        self.steps.hold(end);
        self.steps.add(begin, end, -signed(procs));
        Ends { begin, end }
    }

    /// The ends of a booking need be remembered no longer; it stays.
    pub(in crate::batch) fn let_go(&mut self, Ends { begin, end }: Ends) {
        self.steps.let_go(end);
        self.steps.let_go(begin);
    }

    /// The first of the steps right before another in which `procs` processors are free, if they
    /// are, and where it begins.
    pub(in crate::batch) fn free_since(&self, start: StepId, procs: u64) -> Option<(StepId, SimTime)> {
        let need = signed(procs);
        let (mut since, mut before) = (None, self.steps[start].before);
        while let Some((step, free)) = self.steps.get(before)
            && free >= need
        {
            since = Some((before, step.from));
            before = step.before;
        }
        since
    }

    /// The earliest start before `start`, of a `span` in which `procs` processors are free and
    /// which reaches across a raised span; the job holds them from `start` on.
    pub(in crate::batch) fn earliest_across(
        &self,
        raised: Raised,
        procs: u64,
        span: SimDuration,
        start: SimTime,
    ) -> Option<SimTime> {
        let need = signed(procs);
        // a job that starts before this is over when the raised span begins
        let least = SimTime::from_nanos(
            raised.from.saturating_add(NEXT_NANO).as_nanos().saturating_sub(span.as_nanos()),
        );
        let (mut first, mut since) = (raised.first, raised.from);
        if self.steps.free(first) >= need {
            since = self.steps[first].from;
            while since > least {
                let before = self.steps[first].before;
                if before == StepId::NONE || self.steps.free(before) < need {
                    break;
                }
                (first, since) = (before, self.steps[before].from);
            }
            since = since.max(least);
        }
        if since >= start {
            return None;
        }
        self.search_from(first, procs, span, since, (raised.to.min(start), start))
    }

    /// The step that begins at an instant, which is made if there is none. It is to be held at
    /// once.
    pub(in crate::batch) fn step_at(&mut self, instant: SimTime) -> StepId {
        self.cut(instant)
    }

    /// A step.
    pub(in crate::batch) fn seen(&self, id: StepId) -> Seen {
        self.steps.get(id).map_or(Seen::NONE, |(step, free)| Seen { id, from: step.from, free })
    }

    /// The step behind another.
    pub(in crate::batch) fn seen_behind(&self, step: StepId) -> Seen {
        self.seen(self.steps[step].next)
    }

    /// The step before another.
    pub(in crate::batch) fn seen_before(&self, step: StepId) -> Seen {
        self.seen(self.steps[step].before)
    }

    /// As [`Profile::search`], where a step may be known to cover the first instant.
    pub(in crate::batch) fn search_near(
        &self,
        known: StepId,
        procs: u64,
        span: SimDuration,
        from: SimTime,
        (before, clear): (SimTime, SimTime),
    ) -> Option<SimTime> {
        let first = if self.steps.covers(known, from) { known } else { self.steps.place(from) };
        self.search_from(first, procs, span, from, (before, clear))
    }

    /// The steps from one on.
    pub(in crate::batch) fn seen_from(&self, step: StepId) -> impl Iterator<Item = Seen> {
        let next = |step: &Seen| Some(self.seen_behind(step.id)).filter(|next| next.id != StepId::NONE);
        std::iter::successors(Some(self.seen(step)), next)
    }

    /// A span over which the profile was raised by so many processors.
    pub(in crate::batch) fn raised(&self, from: SimTime, to: SimTime, procs: u64) -> Raised {
        Raised { from, to, by: signed(procs), first: self.steps.place(from) }
    }

    /// Moves a booking of `procs` processors for `span` to an earlier step. Gives its ends, and
    /// where the profile is raised.
    pub(in crate::batch) fn bring_forward(
        &mut self,
        Ends { begin: old, end }: Ends,
        begin: StepId,
        span: SimDuration,
        procs: u64,
    ) -> (Ends, Raised) {
        let procs = signed(procs);
        let (was, to) = (self.steps[old].from, self.steps[end].from);
        let over = self.steps[begin].from.saturating_add(span);
        self.steps.hold(begin);
        let from = was.max(over);
        let (end, mut first) = if over > was {
            self.steps.add(begin, old, -procs);
            self.end_earlier(end, over, procs)
        } else {
            let new = self.cut(over);
            self.steps.hold(new);
            self.steps.add(begin, new, -procs);
            self.steps.add(old, end, procs);
            self.steps.let_go(end);
            (new, old)
        };
        let before = self.steps[old].before;
        if self.steps.let_go(old) && first == old {
            first = before;
        }
        (Ends { begin, end }, Raised { from, to, by: procs, first })
    }

    /// Lets a booking end earlier, but later than it began. Gives the step at which it ends, which
    /// is the first that is raised.
    fn end_earlier(&mut self, end: StepId, over: SimTime, procs: i64) -> (StepId, StepId) {
        let Step { from, before: mut place, held, .. } = self.steps[end];
        if from <= over {
            return (end, end);
        }
        let last = self.steps[place].from;
        if last < over {
            if held == 1 && self.steps.free(place) + procs == self.steps.free(end) {
                self.steps.shift(end, over);
                return (end, end);
            }
        } else {
            while self.steps[place].from > over {
                place = self.steps[place].before;
            }
        }
        let new = self.steps.cut(place, over);
        self.steps.hold(new);
        self.steps.add(new, end, procs);
        self.steps.let_go(end);
        (new, new)
    }
}
