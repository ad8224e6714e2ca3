//! One node over time.

use std::cell::OnceCell;

use crate::batch::devices::HeldGpu;
use crate::batch::node_resources::chunk::Chunk;
use crate::batch::node_resources::free::Free;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::{DemandId, Demands};

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
    /// Free parts over time, since they were last asked for.
    steps: OnceCell<Vec<Step>>,
}

impl Lane {
    pub(super) fn new(empty: Free) -> Self {
        let (bookings, reserved, overdue) = (Vec::new(), Vec::new(), Vec::new());
        Lane { empty, bookings, reserved, overdue, steps: OnceCell::new() }
    }

    /// Returns true if it is reserved at any time of a span.
    fn is_reserved(&self, span: Span) -> bool {
        let next = self.reserved.partition_point(|other| other.to <= span.from);
        self.reserved.get(next).is_some_and(|other| other.from < span.to)
    }

    /// Returns false if it is reserved in a span, or has fewer free processors when that begins.
    pub(super) fn may_have(&self, procs: u32, span: Span) -> bool {
        let there = |booking: &&Booking| booking.span.from <= span.from && span.from < booking.span.to;
        let held: u64 = self.bookings.iter().filter(there).map(|one| u64::from(one.taken.procs)).sum();
        held + u64::from(procs) <= u64::from(self.empty.procs()) && !self.is_reserved(span)
    }

    /// Returns true if it is in service.
    pub(super) fn is_there(&self) -> bool {
        self.empty.procs() > 0
    }

    /// Make of the node.
    pub(super) fn make(&self) -> u32 {
        self.empty.make()
    }

    pub(super) fn book(&mut self, job: JobId, span: Span, taken: Taken) {
        self.bookings.push(Booking { job, span, taken });
        self.steps.take();
    }

    /// All of the node is reserved for a span. Returns false if some of it is booked meanwhile.
    pub(super) fn reserve(&mut self, span: Span) -> bool {
        let place = self.reserved.partition_point(|other| other.from < span.from);
        self.reserved.insert(place, span);
        let meets = |other: &Span| other.from < span.to && span.from < other.to;
        !self.bookings.iter().any(|booking| meets(&booking.span))
    }

    /// Takes out the booking of a job.
    pub(super) fn take_out(&mut self, job: JobId) -> Option<Taken> {
        let at = self.bookings.iter().position(|booking| booking.job == job)?;
        self.steps.take();
        Some(self.bookings.swap_remove(at).taken)
    }

    pub(super) fn extend(&mut self, job: JobId, to: SimTime) {
        self.bookings
            .iter_mut()
            .filter(|booking| booking.job == job)
            .for_each(|booking| booking.span.to = to);
        self.steps.take();
    }

    /// Forgets what is over by now, and jobs past their estimates.
    pub(super) fn begin(&mut self, now: SimTime) {
        self.overdue.clear();
        self.reserved.retain(|span| span.to > now);
        let before = self.bookings.len();
        self.bookings.retain(|booking| booking.span.to > now);
        if self.bookings.len() < before {
            self.steps.take();
        }
    }

    /// A job past its estimate has this.
    pub(super) fn is_held(&mut self, taken: Taken) {
        self.overdue.push(taken);
    }

    fn steps(&self, demands: &Demands) -> &[Step] {
        self.steps.get_or_init(|| {
            let ends = self.bookings.iter().flat_map(|booking| [booking.span.from, booking.span.to]);
            let mut times: Vec<SimTime> = ends.chain([SimTime::ZERO]).collect();
            times.sort_unstable();
            times.dedup();
            let state = |at: SimTime| {
                let mut free = self.empty.clone();
                let there = |booking: &&Booking| booking.span.from <= at && at < booking.span.to;
                for Booking { taken, .. } in self.bookings.iter().filter(there) {
                    free.withhold(demands.of(taken.demand), taken.procs, &taken.gpus);
                }
                free
            };
            times.into_iter().map(|from| Step { from, free: state(from) }).collect()
        })
    }

    /// The steps that meet a span.
    fn meeting(&self, demands: &Demands, span: Span) -> &[Step] {
        let steps = self.steps(demands);
        let first = steps.partition_point(|step| step.from <= span.from) - 1;
        let last = steps.partition_point(|step| step.from < span.to);
        &steps[first..last.max(first + 1)]
    }

    /// Parts that are free throughout a span, which does not begin before `now`.
    pub(super) fn throughout(&self, demands: &Demands, span: Span, now: SimTime) -> Free {
        let steps = self.meeting(demands, span);
        let mut free = steps[0].free.clone();
        for step in &steps[1..] {
            free = free.both(&step.free);
        }
        if self.is_reserved(span) {
            return free.shut();
        }
        if span.from <= now {
            self.overdue.iter().for_each(|taken| {
                free.withhold(demands.of(taken.demand), taken.procs, &taken.gpus);
            });
        }
        free
    }

    /// Time for which the node has been without jobs at an instant, counted from `now` on.
    pub(super) fn idle_before(&self, demands: &Demands, at: SimTime, now: SimTime) -> SimDuration {
        let first = if self.overdue.is_empty() { now } else { now.saturating_add(NEXT_NANO) };
        if at <= first {
            return SimDuration::ZERO;
        }
        let steps = self.steps(demands);
        let last = steps.partition_point(|step| step.from < at);
        let idle = steps[..last].iter().rev().take_while(|step| step.free.is_empty());
        let before = self.reserved.partition_point(|span| span.from < at);
        let reserved = self.reserved[..before].last().map_or(SimTime::ZERO, |span| span.to.min(at));
        idle.last().map_or(SimDuration::ZERO, |step| at.since(step.from.max(first).max(reserved)))
    }

    /// Instants from one on at which something may have become free.
    pub(super) fn ends(
        &self,
        demands: &Demands,
        from: SimTime,
        now: SimTime,
    ) -> impl Iterator<Item = SimTime> {
        let ends = self.reserved.iter().map(|span| span.to);
        let after = self.steps(demands).iter().map(|step| step.from).chain(ends);
        let after = after.filter(move |&at| at > from);
        let late = !self.overdue.is_empty() && from <= now;
        let late = late.then(|| now.saturating_add(NEXT_NANO));
        [from].into_iter().chain(late).chain(after)
    }

    /// The last instant at which something changes.
    pub(super) fn last(&self, demands: &Demands) -> SimTime {
        let booked = self.steps(demands).last().map(|step| step.from);
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
        let steps = &self.steps(demands)[self.steps(demands).partition_point(|step| step.from <= from) - 1..];
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
        let reserved = self.reserved.iter().map(|one| [meets(one.from), one.to]);
        for both in [
            &mut steps.take_while(|&[met, _]| met < before) as &mut dyn Iterator<Item = [SimTime; 2]>,
            &mut reserved.take_while(|&[met, _]| met < before),
        ] {
            times.extend(both.flatten().filter(|&at| at > from && at < before));
        }
        times.sort_unstable();
        times.dedup();
        let by_device = chunk.demand.gpus > 0 && self.empty.node_gpus().is_some();
        let mut last = 0;
        for at in times {
            let held = if self.is_reserved(Span::new(at, span)) {
                0
            } else if by_device || at <= now {
                chunks(&self.throughout(demands, Span::new(at, span), now), chunk)
            } else {
                let meeting = self.meeting(demands, Span::new(at, span));
                meeting.iter().map(|step| chunks(&step.free, chunk)).min().unwrap_or(0)
            };
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
