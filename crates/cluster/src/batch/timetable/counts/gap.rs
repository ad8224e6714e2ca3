//! A raised span of the profile with what is free next to it, and which jobs fit there as a whole.

use std::ops::Range;

use crate::batch::profile::{Profile, Raised, Seen, StepId, signed};
use crate::batch::running::NEXT_NANO;
use crate::kernel::{SimDuration, SimTime};

use super::needs::{CLASSES, class_above, classes_within};

/// Steps next to a raised span that are looked at; the stretches that go on have no end.
const REACH: usize = if cfg!(test) { 3 } else { 64 };

/// A span for each class of need.
pub(super) type Spans = [SimDuration; CLASSES];

/// The shortest of some jobs.
#[derive(Clone, Debug)]
pub(super) struct Shortest {
    /// Shortest span of each class of need.
    pub(super) each: Spans,
    /// Shortest span of each class and those below it.
    pub(super) within: Spans,
}

impl Shortest {
    /// The shortest of no jobs.
    pub(super) const NO_JOB: Shortest =
        Shortest { each: [SimDuration::MAX; CLASSES], within: [SimDuration::MAX; CLASSES] };

    /// The shortest of those that need no more than so many processors.
    fn within(&self, free: i64) -> SimDuration {
        match classes_within(free) {
            0 => SimDuration::MAX,
            classes => self.within[classes - 1],
        }
    }

    /// Takes a job in. Returns false if that is of no matter.
    pub(super) fn add(&mut self, class: usize, span: SimDuration) -> bool {
        let is_shorter = span < self.each[class];
        if is_shorter {
            self.each[class] = span;
            self.within[class..].iter_mut().for_each(|one| *one = span.min(*one));
        }
        is_shorter
    }
}

/// The longest span of no job.
pub(super) const ENDLESS: SimDuration = SimDuration::from_nanos(u64::MAX - 1);

/// A stretch around a raised span, and the steps next to it.
#[derive(Clone, Copy)]
struct Near {
    begin: SimTime,
    left: Seen,
    right: Seen,
}

impl Near {
    fn new(profile: &Profile, (first, end): (Seen, Seen)) -> Self {
        Near { begin: first.from, left: profile.seen_before(first.id), right: end }
    }

    /// Free processors in the higher step next to it.
    fn free(&self) -> i64 {
        self.left.free.max(self.right.free)
    }

    /// Length of it.
    fn stretch(&self) -> SimDuration {
        if self.right.id == StepId::NONE { ENDLESS } else { self.right.from.since(self.begin).min(ENDLESS) }
    }

    /// Widens it by the higher step next to it. Gives that, and true if it came before.
    fn widen(&mut self, profile: &Profile) -> (Seen, bool) {
        let comes_before = self.left.free >= self.right.free;
        let step = if comes_before { self.left } else { self.right };
        if comes_before {
            self.begin = step.from;
            self.left = profile.seen_before(step.id);
        } else {
            self.right = profile.seen_behind(step.id);
        }
        (step, comes_before)
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

/// Returns false if the stretches around a raised span make no place for any of jobs of which these
/// are the shortest; somewhere in the span as many processors are free as the second number, and
/// jobs that need no more than the first are of no matter.
fn may_take(profile: &Profile, near: Near, (few, many): (i64, i64), shortest: &Shortest) -> bool {
    let Near { mut begin, mut left, mut right } = near;
    // as high is the stretch, and so long the shortest of the jobs that need no more
    let (mut high, mut least) = (many, shortest.within(many));
    for _ in 0..REACH {
        let next = left.free.max(right.free);
        let stretch = if right.id == StepId::NONE { ENDLESS } else { right.from.since(begin) };
        if stretch >= least && next < high {
            let classes = class_above(next.max(few))..classes_within(high);
            if shortest.each[classes].iter().any(|&one| one <= stretch) {
                return true;
            }
        }
        if next <= few {
            return false;
        }
        if next < high {
            (high, least) = (next, shortest.within(next));
        }
        if left.free >= right.free {
            begin = left.from;
            left = profile.seen_before(left.id);
        } else {
            right = profile.seen_behind(right.id);
        }
    }
    true
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
        raised: Raised,
        (first, end): (Seen, Seen),
        (few, many): (i64, i64),
        shortest: &Shortest,
    ) -> bool {
        let near = Near::new(profile, (first, end));
        if !may_take(profile, near, (few, many), shortest) {
            return false;
        }
        (self.raised, self.needs) = (raised, Needs { few, classes: class_above(few)..classes_within(many) });
        self.reach(profile, near, (few, many));
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
        self.takes_any(&shortest.each)
    }

    /// Finds the longest stretches, as if the raised span were as high everywhere as it is
    /// somewhere, and the steps next to it that they cover.
    fn reach(&mut self, profile: &Profile, mut near: Near, (few, many): (i64, i64)) {
        let Gap { longest, before, behind, .. } = self;
        (before.1, behind.1) = (false, false);
        before.0.clear();
        behind.0.clear();
        let mut high = many;
        loop {
            let next = near.free();
            if next < high {
                longest[class_above(next.max(few))..classes_within(high)].fill(near.stretch());
                high = next;
            }
            if next <= few {
                // the stretches end here
                if near.right.id != StepId::NONE {
                    behind.0.push(near.right);
                }
                return;
            }
            let (step, comes_before) = near.widen(profile);
            let (steps, go_on) = if comes_before { &mut *before } else { &mut *behind };
            steps.push(step);
            *go_on = steps.len() == REACH;
            if before.1 {
                (near.begin, near.left) = (SimTime::ZERO, Seen::NONE);
            }
            if behind.1 {
                near.right = Seen::NONE;
            }
        }
    }

    /// Finds the longest stretches where the raised span is not as high everywhere.
    fn measure(&mut self) {
        let Range { start: lowest, end } = self.needs.classes;
        let begin = self.steps.first().map_or(SimTime::ZERO, |step| step.from);
        let mut begins = [if self.before.1 { SimTime::ZERO } else { begin }; CLASSES];
        let (mut high, mut started) = (lowest, false);
        self.longest[lowest..end].fill(SimDuration::ZERO);
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

    /// The classes of need that may find more free processors than there were.
    pub(super) fn classes(&self) -> Range<usize> {
        self.needs.classes.clone()
    }

    /// The longest stretch that is high enough for a class of need.
    pub(super) fn longest(&self, class: usize) -> SimDuration {
        self.longest[class]
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
    ) -> Option<(SimTime, StepId)> {
        let (need, raised) = (signed(procs.into()), self.raised);
        let whole = || {
            let found = profile.earliest_across(raised, procs.into(), span, start)?;
            Some((found, StepId::NONE))
        };
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
                    found = Some(((begin, step.id), begin.saturating_add(span).min(start)));
                }
                _ => {}
            }
        }
        if self.behind.1 { whole() } else { found.map(|found| found.0) }
    }
}
