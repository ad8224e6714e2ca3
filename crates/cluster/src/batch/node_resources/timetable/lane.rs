//! One node over time.

use crate::batch::devices::HeldGpu;
use crate::batch::node_resources::chunk::Chunk;
use crate::batch::node_resources::free::Free;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::{DemandId, Demands};

use super::outline::Outline;
use super::{NEXT_NANO, Span};

/// Part of a job on a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Taken {
    pub(super) demand: DemandId,
    pub(super) procs: u32,
    pub(super) gpus: Vec<HeldGpu>,
}

/// Part of a job that is booked on a node.
#[derive(Clone, Debug)]
struct Booking {
    job: JobId,
    span: Span,
    taken: Taken,
}

/// Free parts of a node from an instant on, until the next step.
#[derive(Clone, Debug)]
struct Step {
    from: SimTime,
    free: Free,
}

/// A node and its bookings.
#[derive(Debug)]
pub(super) struct Lane {
    empty: Free,
    bookings: Vec<Booking>,
    /// Spans in which all of it is reserved, one after the other.
    reserved: Vec<Span>,
    /// Parts of jobs past their estimates, which no booking has and which are not free now.
    overdue: Vec<Taken>,
    /// Free parts over time, as the bookings leave them.
    steps: Vec<Step>,
}

impl Lane {
    pub(super) fn new(empty: Free) -> Self {
        let (bookings, reserved, overdue) = (Vec::new(), Vec::new(), Vec::new());
        let steps = vec![Step { from: SimTime::ZERO, free: empty.clone() }];
        Lane { empty, bookings, reserved, overdue, steps }
    }

    /// Returns true if it is reserved at any time of a span.
    pub(super) fn is_reserved(&self, span: Span) -> bool {
        let next = self.reserved.partition_point(|other| other.to <= span.from);
        self.reserved.get(next).is_some_and(|other| other.from < span.to)
    }

    /// Returns true if it is in service.
    pub(super) fn is_there(&self) -> bool {
        self.empty.procs() > 0
    }

    /// Make of the node.
    pub(super) fn make(&self) -> u32 {
        self.empty.make()
    }

    /// Returns true if it has the same as another node, and neither is reserved.
    pub(super) fn is_like(&self, other: &Lane) -> bool {
        self.empty == other.empty && self.reserved.is_empty() && other.reserved.is_empty()
    }

    /// Outline of the node from an instant on.
    pub(super) fn outline(&self, now: SimTime) -> Outline {
        if !self.overdue.is_empty() {
            return Outline::NONE;
        }
        let first = self.steps.partition_point(|step| step.from <= now).saturating_sub(1);
        let behind = self.steps[first..].iter().position(|step| !step.free.is_full());
        let full_until = match behind {
            Some(0) => SimTime::ZERO,
            Some(place) => self.steps[first + place].from,
            None => SimTime::MAX,
        };
        let empty = self.steps.iter().rev().take_while(|step| step.free.is_empty()).last();
        let rises = self.bookings.iter().all(|booking| booking.span.from <= now);
        Outline { full_until, empty_from: empty.map_or(SimTime::MAX, |step| step.from), rises }
    }

    /// Parts of it that are free at an instant, as its bookings leave them.
    pub(super) fn at(&self, at: SimTime) -> &Free {
        let step = self.steps.partition_point(|step| step.from <= at).saturating_sub(1);
        &self.steps[step].free
    }

    /// Parts of it while no job is on it.
    pub(super) fn empty(&self) -> &Free {
        &self.empty
    }

    /// Books part of a job; bookings that were over before `now` are forgotten.
    pub(super) fn book(&mut self, demands: &Demands, (job, span, taken): (JobId, Span, Taken), now: SimTime) {
        if self.bookings.iter().any(|booking| booking.span.to < now) {
            self.bookings.retain(|booking| booking.span.to >= now);
            let past = self.steps.partition_point(|step| step.from <= now).saturating_sub(1);
            self.steps.drain(..past);
        }
        let (first, behind) = (self.cut(span.from), self.cut(span.to));
        for step in &mut self.steps[first..behind] {
            step.free.withhold(demands.of(taken.demand), taken.procs, &taken.gpus);
        }
        self.bookings.push(Booking { job, span, taken });
    }

    /// Place of the step that begins at an instant, which is made if there is none.
    fn cut(&mut self, at: SimTime) -> usize {
        let place = self.steps.partition_point(|step| step.from < at);
        if self.steps.get(place).is_none_or(|step| step.from > at) {
            let free = self.steps[place.saturating_sub(1)].free.clone();
            self.steps.insert(place, Step { from: at, free });
        }
        place
    }

    /// All of the node is reserved for a span. Returns false if some of it is booked meanwhile.
    pub(super) fn reserve(&mut self, span: Span) -> bool {
        let (first, behind) = (
            self.reserved.partition_point(|other| other.to < span.from),
            self.reserved.partition_point(|other| other.from <= span.to),
        );
        let meeting = &self.reserved[first..behind.max(first)];
        let from = meeting.first().map_or(span.from, |other| other.from.min(span.from));
        let to = meeting.last().map_or(span.to, |other| other.to.max(span.to));
        self.reserved.splice(first..behind.max(first), [Span { from, to }]);
        let meets = |other: &Span| other.from < span.to && span.from < other.to;
        !self.bookings.iter().any(|booking| meets(&booking.span))
    }

    /// Takes out the booking of a job.
    pub(super) fn take_out(&mut self, demands: &Demands, job: JobId) -> Option<Taken> {
        let at = self.bookings.iter().position(|booking| booking.job == job)?;
        let Booking { span, taken, .. } = self.bookings.swap_remove(at);
        let place = |steps: &[Step], at: SimTime| steps.partition_point(|step| step.from < at);
        for step in place(&self.steps, span.from)..place(&self.steps, span.to) {
            self.steps[step].free = self.state(demands, self.steps[step].from);
        }
        for end in [span.from, span.to] {
            let step = place(&self.steps, end);
            let others = self.bookings.iter().any(|one| one.span.from == end || one.span.to == end);
            // the first step is that of all time before
            if step > 0 && !others && self.steps.get(step).is_some_and(|step| step.from == end) {
                self.steps.remove(step);
            }
        }
        Some(taken)
    }

    /// The booking of a job is over at an instant.
    pub(super) fn until(&mut self, demands: &Demands, job: JobId, to: SimTime) {
        self.bookings
            .iter_mut()
            .filter(|booking| booking.job == job)
            .for_each(|booking| booking.span.to = to);
        self.look_again(demands);
    }

    /// A decision begins: jobs past their estimates are forgotten.
    pub(super) fn begin(&mut self) {
        self.overdue.clear();
    }

    /// A job past its estimate has this.
    pub(super) fn is_held(&mut self, taken: Taken) {
        self.overdue.push(taken);
    }

    /// Finds the steps that follow from the bookings.
    fn look_again(&mut self, demands: &Demands) {
        let ends = self.bookings.iter().flat_map(|booking| [booking.span.from, booking.span.to]);
        let mut times: Vec<SimTime> = ends.chain([SimTime::ZERO]).collect();
        times.sort_unstable();
        times.dedup();
        self.steps = times.into_iter().map(|from| Step { from, free: self.state(demands, from) }).collect();
    }

    /// Free parts at an instant, as the bookings leave them.
    fn state(&self, demands: &Demands, at: SimTime) -> Free {
        let mut free = self.empty.clone();
        let there = |booking: &&Booking| booking.span.from <= at && at < booking.span.to;
        for Booking { taken, .. } in self.bookings.iter().filter(there) {
            free.withhold(demands.of(taken.demand), taken.procs, &taken.gpus);
        }
        free
    }

    /// Notes the whole chunks that fit within a span, from one instant to another, where any do.
    pub(super) fn chunks_within(
        &self,
        chunk: &Chunk<'_>,
        span: Span,
        note: &mut impl FnMut(SimTime, SimTime, i64),
    ) {
        let steps = self.meeting(span);
        for (place, step) in steps.iter().enumerate() {
            let held = chunks(&step.free, chunk);
            if held == 0 {
                continue;
            }
            let mut from = step.from.max(span.from);
            let to = steps.get(place + 1).map_or(span.to, |next| next.from);
            let first = self.reserved.partition_point(|other| other.to <= from);
            for other in self.reserved[first..].iter().take_while(|other| other.from < to) {
                if other.from > from {
                    note(from, other.from, held);
                }
                from = other.to;
            }
            if from < to {
                note(from, to, held);
            }
        }
    }

    /// Whole chunks that fit throughout a span, which does not begin before `now`.
    pub(super) fn least(&self, demands: &Demands, chunk: &Chunk<'_>, span: Span, now: SimTime) -> i64 {
        if self.is_reserved(span) {
            return 0;
        }
        let by_device = chunk.demand.gpus > 0 && self.empty.node_gpus().is_some();
        if by_device || span.from <= now && !self.overdue.is_empty() {
            return chunks(&self.throughout(demands, span, now), chunk);
        }
        self.meeting(span).iter().map(|step| chunks(&step.free, chunk)).min().unwrap_or(0)
    }

    /// Instants after `now` from which on less may be free.
    pub(super) fn falls(&self, now: SimTime) -> impl Iterator<Item = SimTime> {
        let bookings = self.bookings.iter().map(|booking| booking.span.from).filter(move |&from| from > now);
        bookings.chain(self.next_reserved(now))
    }

    /// The first instant after `now` from which on it is reserved.
    pub(super) fn next_reserved(&self, now: SimTime) -> Option<SimTime> {
        let next = self.reserved.partition_point(|other| other.from <= now);
        self.reserved.get(next).map(|other| other.from)
    }

    /// The last instant up to one at which it was reserved.
    pub(super) fn reserved_before(&self, at: SimTime) -> SimTime {
        let before = self.reserved.partition_point(|span| span.from < at);
        self.reserved[..before].last().map_or(SimTime::ZERO, |span| span.to.min(at))
    }

    /// The steps that meet a span.
    fn meeting(&self, span: Span) -> &[Step] {
        let steps = &self.steps;
        let first = steps.partition_point(|step| step.from <= span.from).saturating_sub(1);
        let last = steps.partition_point(|step| step.from < span.to);
        &steps[first..last.max(first + 1)]
    }

    /// Processors that are free throughout a span, if it is not reserved then.
    pub(super) fn procs(&self, span: Span) -> u32 {
        self.meeting(span).iter().map(|step| step.free.procs()).min().unwrap_or(0)
    }

    /// Parts that are free throughout a span, which does not begin before `now`.
    pub(super) fn throughout(&self, demands: &Demands, span: Span, now: SimTime) -> Free {
        let steps = self.meeting(span);
        let mut free = steps[0].free.clone();
        if self.is_reserved(span) {
            return free.shut();
        }
        // jobs past their estimates have left by the next step
        if span.from <= now {
            self.overdue.iter().for_each(|taken| {
                free.withhold(demands.of(taken.demand), taken.procs, &taken.gpus);
            });
        }
        for step in &steps[1..] {
            free = free.both(&step.free);
        }
        free
    }

    /// Time for which the node has been without jobs at an instant, counted from `now` on.
    pub(super) fn idle_before(&self, at: SimTime, now: SimTime) -> SimDuration {
        let first = if self.overdue.is_empty() { now } else { now.saturating_add(NEXT_NANO) };
        if at <= first {
            return SimDuration::ZERO;
        }
        let last = self.steps.partition_point(|step| step.from < at);
        let idle = self.steps[..last].iter().rev().take_while(|step| step.free.is_empty());
        let reserved = self.reserved_before(at);
        idle.last().map_or(SimDuration::ZERO, |step| at.since(step.from.max(first).max(reserved)))
    }

    /// Instants from one on at which something may have become free.
    pub(super) fn ends(&self, from: SimTime, now: SimTime) -> impl Iterator<Item = SimTime> {
        let ends = self.reserved.iter().map(|span| span.to);
        let after = self.steps.iter().map(|step| step.from).chain(ends);
        let after = after.filter(move |&at| at > from);
        let late = !self.overdue.is_empty() && from <= now;
        let late = late.then(|| now.saturating_add(NEXT_NANO));
        [from].into_iter().chain(late).chain(after)
    }

    /// The last instant at which something changes.
    pub(super) fn last(&self) -> SimTime {
        let booked = self.steps.last().map(|step| step.from);
        let reserved = self.reserved.last().map(|span| span.to);
        booked.into_iter().chain(reserved).max().unwrap_or(SimTime::ZERO)
    }

    /// Tells how many chunks the node holds from each instant of [`from`, `before`) on for a span,
    /// as changes over time; the first is that at `from`, which is not before `now`.
    pub(super) fn holds(
        &self,
        demands: &Demands,
        chunk: &Chunk<'_>,
        (from, before, span): (SimTime, SimTime, SimDuration),
        now: SimTime,
        changes: &mut impl FnMut(SimTime, i64),
    ) {
        let first = self.steps.partition_point(|step| step.from <= from).saturating_sub(1);
        let steps = &self.steps[first..];
        let mut times = vec![from];
        if !self.overdue.is_empty() && from <= now {
            times.push(now.saturating_add(NEXT_NANO));
        }
        // the first start whose span meets what begins then
        let meets = |begins: SimTime| {
            let behind = begins.saturating_add(NEXT_NANO);
            SimTime::from_nanos(behind.as_nanos().saturating_sub(span.as_nanos()))
        };
        let steps = steps[1..].iter().map(|step| [meets(step.from), step.from]);
        let next = self.reserved.partition_point(|one| one.to <= from);
        let reserved = self.reserved[next..].iter().map(|one| [meets(one.from), one.to]);
        for both in [
            &mut steps.take_while(|&[met, _]| met < before) as &mut dyn Iterator<Item = [SimTime; 2]>,
            &mut reserved.take_while(|&[met, _]| met < before),
        ] {
            times.extend(both.flatten().filter(|&at| at > from && at < before));
        }
        times.sort_unstable();
        times.dedup();
        let mut last = 0;
        for at in times {
            let held = self.least(demands, chunk, Span::new(at, span), now);
            if held != last {
                changes(at, held - last);
                last = held;
            }
        }
    }
}

fn chunks(free: &Free, chunk: &Chunk<'_>) -> i64 {
    i64::from(free.chunks(chunk))
}
