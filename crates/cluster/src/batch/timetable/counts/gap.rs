//! A raised span of the profile with what is free next to it, and which jobs fit there as a whole.

use std::ops::Range;

use crate::batch::profile::{Profile, Raised, Seen, StepId, signed};
use crate::batch::running::NEXT_NANO;
use crate::kernel::{SimDuration, SimTime};

use super::needs::{CLASSES, class, class_above, classes_within};

/// Steps next to a raised span that are looked at; the stretches that go on have no end.
const REACH: usize = if cfg!(test) { 3 } else { 64 };

/// A span for each class of need.
pub(super) type Spans = [SimDuration; CLASSES];

/// The longest span of no job.
pub(super) const ENDLESS: SimDuration = SimDuration::from_nanos(u64::MAX - 1);

/// A step next to a stretch.
#[derive(Clone, Copy)]
struct Side {
    id: StepId,
    from: SimTime,
    /// The class behind those for which it is high enough.
    open: usize,
}

impl Side {
    /// There is no step, or it does not count.
    const NONE: Side = Side { id: StepId::NONE, from: SimTime::MAX, open: 0 };

    fn new(profile: &Profile, id: StepId, needs: &Needs) -> Self {
        if id == StepId::NONE {
            return Side::NONE;
        }
        let Seen { from, free, .. } = profile.seen(id);
        Side { id, from, open: needs.within(free) }
    }
}

/// A stretch around a raised span, and the steps next to it.
#[derive(Clone, Copy)]
struct Near {
    /// Beginning of the stretch.
    begin: SimTime,
    /// The step before the stretch, and the step behind it.
    left: Side,
    right: Side,
    /// Number of steps that it has been widened by on either side.
    seen: (usize, usize),
}

impl Near {
    fn new(profile: &Profile, (first, end): (StepId, StepId), needs: &Needs) -> Self {
        let begin = profile.begins(first);
        let left = Side::new(profile, profile.before(first), needs);
        Near { begin, left, right: Side::new(profile, end, needs), seen: (0, 0) }
    }

    /// The class behind those for which a step next to it is high enough.
    fn open(&self) -> usize {
        self.left.open.max(self.right.open)
    }

    /// Length of it.
    fn stretch(&self) -> SimDuration {
        if self.right.id == StepId::NONE { ENDLESS } else { self.right.from.since(self.begin).min(ENDLESS) }
    }

    /// Widens it by the higher step next to it. Gives that, and true if it came before.
    fn widen(&mut self, profile: &Profile, needs: &Needs) -> (StepId, bool) {
        if self.left.open >= self.right.open {
            let Side { id, from, .. } = self.left;
            self.seen.0 += 1;
            (self.begin, self.left) = if self.seen.0 < REACH {
                (from, Side::new(profile, profile.before(id), needs))
            } else {
                (SimTime::ZERO, Side::NONE)
            };
            return (id, true);
        }
        let Side { id, .. } = self.right;
        self.seen.1 += 1;
        self.right =
            if self.seen.1 < REACH { Side::new(profile, profile.behind(id), needs) } else { Side::NONE };
        (id, false)
    }
}

/// The needs of jobs that may find more free processors than there were.
#[derive(Clone, Debug)]
struct Needs {
    /// A number below all of them.
    few: i64,
    /// Their classes.
    classes: Range<usize>,
}

impl Needs {
    /// The class behind those for some need of which so many free processors are enough.
    fn within(&self, free: i64) -> usize {
        let Range { start: lowest, end: most } = self.classes;
        if free <= self.few { lowest } else { classes_within(free).clamp(lowest, most) }
    }
}

/// Returns false if a stretch makes no place for any of jobs of which these are the shortest, in a
/// range of classes of which it is high enough for all.
fn may_take(profile: &Profile, mut near: Near, needs: &Needs, shortest: &Spans) -> bool {
    let mut open = needs.classes.end;
    while needs.classes.start < open {
        let (next, stretch) = (near.open().clamp(needs.classes.start, open), near.stretch());
        if shortest[next..open].iter().any(|&one| one <= stretch) {
            return true;
        }
        open = next;
        if needs.classes.start < open {
            near.widen(profile, needs);
        }
    }
    false
}

/// The steps of a raised span, and those next to it that are high enough for some job, in a row:
/// whether jobs fit is asked of them many times.
#[derive(Clone, Debug)]
pub(super) struct Gap {
    raised: Raised,
    /// The longest stretch that meets the raised span and is high enough for each class of need.
    longest: Spans,
    needs: Needs,
    steps: Vec<Seen>,
    /// Place of the step that covers the beginning of the raised span.
    first: usize,
    /// Number of the steps before it, and true if others that are high enough come before them.
    before: (Vec<Seen>, bool),
    /// The same behind its end.
    behind: (Vec<Seen>, bool),
}

impl Gap {
    /// The gap that no rise has made.
    pub(super) fn none() -> Self {
        let first = StepId::NONE;
        Gap {
            raised: Raised { from: SimTime::ZERO, to: SimTime::ZERO, by: 0, first },
            longest: [SimDuration::ZERO; CLASSES],
            needs: Needs { few: 0, classes: 0..0 },
            steps: Vec::new(),
            first: 0,
            before: (Vec::new(), false),
            behind: (Vec::new(), false),
        }
    }

    /// Becomes the gap that a rise has made; `end` is the step at its end, and somewhere in it the
    /// free processors were as few as the first of two numbers, and are as many as the second.
    /// Returns false if it takes none of jobs of which these are the shortest.
    pub(super) fn widen(
        &mut self,
        profile: &Profile,
        (raised, end): (Raised, StepId),
        (few, many): (i64, i64),
        shortest: &Spans,
    ) -> bool {
        let needs = Needs { few, classes: class_above(few)..classes_within(many) };
        let near = Near::new(profile, (raised.first, end), &needs);
        if !may_take(profile, near, &needs, shortest) {
            return false;
        }
        (self.raised, self.needs) = (raised, needs);
        self.reach(profile, near);
        self.steps.clear();
        self.steps.extend(self.before.0.iter().rev());
        self.first = self.steps.len();
        self.steps.extend(profile.seen_from(raised.first).take_while(|step| step.from < raised.to));
        let flat = self.steps.len() == self.first + 1;
        self.steps.extend(&self.behind.0);
        if flat {
            return true;
        }
        self.measure();
        self.takes_any(shortest)
    }

    /// Finds the longest stretches, as if the raised span were as high everywhere as it is
    /// somewhere, and the steps next to it that they cover.
    fn reach(&mut self, profile: &Profile, mut near: Near) {
        let Range { start: lowest, end: mut open } = self.needs.classes;
        self.longest = [SimDuration::ZERO; CLASSES];
        let (before, behind) = (&mut self.before, &mut self.behind);
        (before.1, behind.1) = (false, false);
        before.0.clear();
        behind.0.clear();
        loop {
            let next = near.open().clamp(lowest, open);
            self.longest[next..open].fill(near.stretch());
            if next == lowest {
                // the stretches end here
                if near.right.id != StepId::NONE {
                    behind.0.push(profile.seen(near.right.id));
                }
                return;
            }
            open = next;
            let (step, comes_before) = near.widen(profile, &self.needs);
            if comes_before { &mut before.0 } else { &mut behind.0 }.push(profile.seen(step));
            (before.1, behind.1) = (near.seen.0 == REACH, near.seen.1 == REACH);
        }
    }

    /// Finds the longest stretches where the raised span is not as high everywhere.
    fn measure(&mut self) {
        let Range { start: lowest, .. } = self.needs.classes;
        let begin = self.steps.first().map_or(SimTime::ZERO, |step| step.from);
        let mut begins = [if self.before.1 { SimTime::ZERO } else { begin }; CLASSES];
        let (mut high, mut started) = (lowest, false);
        self.longest = [SimDuration::ZERO; CLASSES];
        for &Seen { from, free, .. } in &self.steps {
            let open = self.needs.within(free);
            if open < high && from > self.raised.from {
                for (longest, &begin) in self.longest[open..high].iter_mut().zip(&begins[open..high]) {
                    *longest = from.since(begin).min(ENDLESS).max(*longest);
                }
            }
            if from < self.raised.to {
                if open > high && started {
                    begins[high..open].fill(from);
                }
                (high, started) = (open, true);
            } else {
                high = open.min(high);
            }
        }
        self.longest[lowest..high].fill(ENDLESS);
    }

    /// The instant at which it begins to be raised.
    pub(super) fn from(&self) -> SimTime {
        self.raised.from
    }

    /// The longest stretch that is high enough for a class of need.
    pub(super) fn longest(&self, class: usize) -> SimDuration {
        self.longest[class]
    }

    /// Returns false if a job of this need and span does not fit.
    pub(super) fn takes(&self, procs: u32, span: SimDuration) -> bool {
        signed(procs.into()) > self.needs.few && span.min(ENDLESS) <= self.longest[class(procs.into())]
    }

    /// Returns false if it takes none of jobs of which these are the shortest.
    pub(super) fn takes_any(&self, shortest: &Spans) -> bool {
        let classes = self.needs.classes.clone();
        shortest[classes.clone()].iter().zip(&self.longest[classes]).any(|(one, longest)| one <= longest)
    }

    /// The earliest start before `start`, of a `span` in which so many processors are free and
    /// which meets the raised span; the job holds them from `start` on.
    pub(super) fn start(
        &self,
        profile: &Profile,
        procs: u32,
        span: SimDuration,
        start: SimTime,
    ) -> Option<SimTime> {
        let (need, raised) = (signed(procs.into()), self.raised);
        let whole = || profile.earliest_across(raised, procs.into(), span, start);
        // a job that starts before this is over when the raised span begins
        let least = SimTime::from_nanos(
            raised.from.saturating_add(NEXT_NANO).as_nanos().saturating_sub(span.as_nanos()),
        );
        let (mut place, mut since) = (self.first, raised.from);
        if self.steps[place].free >= need {
            since = self.steps[place].from;
            while since > least && place > 0 && self.steps[place - 1].free >= need {
                place -= 1;
                since = self.steps[place].from;
            }
            if since > least && place == 0 && self.before.1 {
                return whole();
            }
            since = since.max(least);
        }
        if since >= start {
            return None;
        }
        let before = raised.to.min(start);
        let mut found = None;
        for step in &self.steps[place..] {
            match found {
                Some((start, over)) if over <= step.from => return Some(start),
                Some(_) if step.free < need => found = None,
                None if step.from >= before => return None,
                None if step.free >= need => {
                    let begin = step.from.max(since);
                    found = Some((begin, begin.saturating_add(span).min(start)));
                }
                _ => {}
            }
        }
        if self.behind.1 { whole() } else { found.map(|found| found.0) }
    }
}
