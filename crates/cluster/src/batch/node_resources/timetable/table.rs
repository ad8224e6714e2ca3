//! The timetable of nodes: what is booked on them, by how jobs have them.

use std::sync::Arc;

use crate::batch::node_resources::chunk::Makes;
use crate::batch::node_resources::gpu_choice::Held;
use crate::batch::node_resources::{FreeResources, Reservation};
use crate::batch::planned::Planned;
use crate::batch::profile::Profile;
use crate::batch::queue::Waiting;
use crate::batch::running::Running;
use crate::batch::timetable::{Ticket, Timetable};
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;
use crate::workload::resources::Resources;

use super::named::{self, NamedNodes};
use super::whole::{self, WholeNodes};
use super::{NEXT_NANO, Need, Span};

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

/// Nodes over time, by how jobs have them.
#[derive(Debug)]
enum Supply {
    Whole(WholeNodes),
    Named(Box<NamedNodes>),
}

/// Bookings of nodes.
#[derive(Debug)]
pub(in crate::batch) struct NodeTimetable {
    makes: Arc<Makes>,
    resources: Arc<Resources>,
    /// The jobs, for their demands.
    jobs: Arc<Vec<Job>>,
    supply: Supply,
    /// Free processors of all nodes; it may be more than can be had.
    sum: Profile,
    /// Spans of the bookings.
    booked: OrderedMap<JobId, Span>,
    now: SimTime,
}

/// The instant of a decision, on nodes.
#[derive(Clone, Copy, Debug)]
pub(in crate::batch) struct Instant<'a> {
    pub(in crate::batch) now: SimTime,
    pub(in crate::batch) running: &'a Running,
    pub(in crate::batch) resources: &'a FreeResources,
    /// The reservations of nodes that are known and not over.
    pub(in crate::batch) planned: &'a [Planned],
}

impl Instant<'_> {
    /// The jobs past their estimates, with what they hold.
    fn overdue(&self) -> impl Iterator<Item = &Held> {
        let late = self.running.each().take_while(|&(end, ..)| end <= self.now);
        late.filter_map(|(_, job, _)| self.resources.jobs.get(&job))
    }
}

impl NodeTimetable {
    /// The running jobs until their estimated ends, and reservations. Jobs past their estimates are
    /// booked for `late`, or not at all.
    pub(in crate::batch) fn new(
        instant: Instant<'_>,
        jobs: Arc<Vec<Job>>,
        late: Option<SimDuration>,
    ) -> Self {
        let Instant { now, running, resources, planned } = instant;
        let supply = match &resources.classes {
            Some(classes) => Supply::Whole(WholeNodes::new(resources, Arc::clone(classes), now)),
            None => Supply::Named(Box::new(NamedNodes::new(resources, now))),
        };
        let up = resources.empty.iter().zip(&resources.now).filter(|(_, now)| !now.is_down());
        let sum = Profile::idle(now, up.map(|(empty, _)| u64::from(empty.procs())).sum());
        let mut table = NodeTimetable {
            makes: Arc::clone(&resources.makes),
            resources: Arc::clone(&resources.resources),
            jobs,
            supply,
            sum,
            booked: OrderedMap::new(),
            now,
        };
        for (end, job, procs) in running.each() {
            let end = match late {
                _ if end > now => end,
                Some(late) => now.saturating_add(late.max(NEXT_NANO)),
                None => continue,
            };
            table.runs(resources, job, procs, end);
        }
        // in the order in which they begin
        planned.iter().rev().for_each(|one| table.reserve(one));
        table
    }

    /// The nodes of a reservation are not free in its span. Of the sum only what would be free is
    /// taken: jobs may still be on its nodes.
    pub(in crate::batch) fn reserve(&mut self, one: &Planned) {
        let span = Span { from: one.from.max(self.now), to: one.to };
        if span.from >= span.to {
            return;
        }
        let nodes = one.nodes.booked.iter().flat_map(|nodes| nodes.first..=nodes.last);
        let procs = match &mut self.supply {
            Supply::Whole(whole) => whole.reserve(nodes, span),
            Supply::Named(named) => {
                let free = named.reserve(nodes, span).into_iter();
                free.map(|node| u64::from(self.resources.nodes.processors(node).1)).sum()
            }
        };
        self.sum.reserve(span.from, span.to.since(span.from), procs);
    }

    /// A decision begins. What was before is forgotten.
    pub(in crate::batch) fn begin(&mut self, instant: Instant<'_>) {
        self.now = instant.now;
        self.sum.advance(instant.now);
        match &mut self.supply {
            Supply::Whole(nodes) => nodes.begin(instant.now, instant.overdue()),
            Supply::Named(nodes) => {
                nodes.begin(instant.now, instant.resources.open_nodes(), instant.overdue());
            }
        }
    }

    /// A job runs from now on, or has done so, until this instant, on the nodes that it has; the
    /// booking that it had as a waiting job is given up.
    pub(in crate::batch) fn runs(
        &mut self,
        resources: &FreeResources,
        job: JobId,
        procs: u32,
        until: SimTime,
    ) {
        self.take_out(job, procs);
        let (Some(held), true) = (resources.jobs.get(&job), until > self.now) else { return };
        let span = Span { from: self.now, to: until };
        match &mut self.supply {
            Supply::Whole(nodes) => {
                let place = nodes.place_of(held);
                nodes.book(job, span, place);
            }
            Supply::Named(nodes) => nodes.book(job, span, named::place_of(held), self.now),
        }
        self.note(job, procs, span);
    }

    /// A job that has a booking is taken to end at another instant.
    pub(in crate::batch) fn until(&mut self, job: JobId, procs: u32, to: SimTime) {
        let Some(span) = self.booked.get_mut(&job) else { return };
        let was = std::mem::replace(&mut span.to, to).max(self.now);
        let to = to.max(self.now);
        if was < to {
            self.sum.reserve(was, to.since(was), procs.into());
        } else {
            self.sum.release(to, was, procs.into());
        }
        match &mut self.supply {
            Supply::Whole(nodes) => nodes.until(job, (was, to)),
            Supply::Named(nodes) => nodes.until(job, (was, to)),
        }
    }

    /// Nodes and parts of them on which a job may start now for a span, next to all bookings but
    /// its own.
    pub(in crate::batch) fn alongside(
        &mut self,
        resources: &FreeResources,
        job: &Waiting,
        span: SimDuration,
    ) -> Reservation {
        let (now, span) = (self.now, Span::new(self.now, span));
        let own = self.take_out(job.job, job.procs);
        let alongside = match &self.supply {
            Supply::Whole(nodes) => nodes.throughout(span, now),
            Supply::Named(nodes) => {
                let less = nodes.less_within(resources.open_nodes(), &resources.now, span);
                Reservation::of_parts(now, less)
            }
        };
        if let Some((span, place)) = own {
            self.put(job.job, job.procs, span, place);
        }
        alongside
    }

    /// Need of a job, and the nodes.
    fn need(&mut self, job: &Waiting) -> (Need<'_>, &mut Supply) {
        let demand = self.jobs[job.job.index()].demand;
        let chunk = self.makes.chunk(*self.resources.demands.of(demand));
        (Need { chunk, demand, procs: job.procs }, &mut self.supply)
    }

    /// Notes a booking that has been made.
    fn note(&mut self, job: JobId, procs: u32, span: Span) {
        self.sum.reserve(span.from, span.to.since(span.from), u64::from(procs));
        self.booked.insert(job, span);
    }

    /// Takes the booking of a job out.
    fn take_out(&mut self, job: JobId, procs: u32) -> Option<(Span, Place)> {
        if let Supply::Named(nodes) = &mut self.supply {
            nodes.gives_up(job);
        }
        let mut span = self.booked.remove(&job)?;
        span.from = span.from.max(self.now);
        if span.from < span.to {
            self.sum.release(span.from, span.to, u64::from(procs));
        }
        let place = match &mut self.supply {
            Supply::Whole(nodes) if span.from < span.to => Place::Whole(nodes.take_out(job, span)),
            Supply::Whole(nodes) => Place::Whole(nodes.forget(job)),
            Supply::Named(nodes) => Place::Named(nodes.take_out(job, span)),
        };
        Some((span, place))
    }

    /// A job has left, or gives up its booking as it waits; if it has one.
    pub(in crate::batch) fn leaves(&mut self, job: JobId, procs: u32) {
        self.take_out(job, procs);
    }

    fn put(&mut self, job: JobId, procs: u32, span: Span, place: Place) {
        match (&mut self.supply, place) {
            (Supply::Whole(nodes), Place::Whole(place)) => nodes.book(job, span, place),
            (Supply::Named(nodes), Place::Named(place)) => nodes.book(job, span, place, self.now),
            _ => unreachable!("places are those of the supply"),
        }
        self.note(job, procs, span);
    }

    /// The place of a job that starts at an instant for a span.
    fn place_from(&mut self, job: &Waiting, span: SimDuration, start: SimTime) -> Option<(Span, Place)> {
        let (now, span) = (self.now, Span::new(start, span));
        if start == SimTime::MAX {
            return None;
        }
        let (need, supply) = self.need(job);
        if let Supply::Named(nodes) = supply
            && let Some(place) = nodes.take_found(&need, span)
        {
            return Some((span, Place::Named(place)));
        }
        // one that is booked for longer than it was looked for is where it fits at first
        let first = || supply.place(&need, Span::new(start, NEXT_NANO), now);
        Some((span, supply.place(&need, span, now).or_else(first)?))
    }
}

impl Supply {
    fn place(&self, need: &Need<'_>, span: Span, now: SimTime) -> Option<Place> {
        match self {
            Supply::Whole(nodes) => nodes.place(need, span, now).map(Place::Whole),
            Supply::Named(nodes) => nodes.place(need, span, now).map(Place::Named),
        }
    }

    fn earliest(&mut self, need: &Need<'_>, within: (SimTime, SimDuration), now: SimTime) -> Option<SimTime> {
        match self {
            Supply::Whole(nodes) => nodes.earliest(need, within, now),
            Supply::Named(nodes) => nodes.earliest(need, within, now),
        }
    }
}

/// Place of a booking.
#[derive(Debug)]
enum Place {
    Whole(whole::Place),
    Named(named::Place),
}

impl Timetable for NodeTimetable {
    fn earliest(&mut self, job: &Waiting, span: SimDuration, from: SimTime) -> Option<SimTime> {
        let floor = self.sum.earliest(u64::from(job.procs), span, from.max(self.now), SimTime::MAX)?;
        let now = self.now;
        let (need, supply) = self.need(job);
        supply.earliest(&need, (floor, span), now)
    }

    fn holds(&mut self, job: &Waiting, span: SimDuration, at: SimTime) -> bool {
        let now = self.now;
        match self.need(job) {
            (need, Supply::Named(nodes)) if at == now => nodes.holds_now(&need, span, at),
            (need, supply) => supply.place(&need, Span::new(at, span), now).is_some(),
        }
    }

    fn book(&mut self, job: &Waiting, span: SimDuration, start: SimTime) {
        if let Some((span, place)) = self.place_from(job, span, start) {
            self.put(job.job, job.procs, span, place);
        }
    }

    fn starts(&mut self, _: &Waiting, _: SimDuration, _: SimTime) {}

    fn book_alone(&mut self, job: &Waiting, span: SimDuration, start: SimTime) {
        match (self.place_from(job, span, start), &mut self.supply) {
            (Some((span, Place::Named(place))), Supply::Named(nodes)) => {
                nodes.put_ahead(job.job, span, place);
            }
            (Some((span, place)), _) => self.put(job.job, job.procs, span, place),
            (None, _) => {}
        }
    }

    fn move_forward(
        &mut self,
        _: Ticket,
        job: &Waiting,
        span: SimDuration,
        start: SimTime,
    ) -> Option<SimTime> {
        let procs = u64::from(job.procs);
        let floor = self.sum.earlier(procs, span, self.now, start)?;
        let now = self.now;
        let (need, supply) = self.need(job);
        let floor = match supply {
            Supply::Whole(nodes) => {
                if let Some(own) = nodes.only_kind(job.job, &need) {
                    let to = nodes.move_forward(own, (floor, span), (start, now))?;
                    self.sum.move_forward(start, to, span, procs);
                    self.booked.insert(job.job, Span::new(to, span));
                    return Some(to);
                }
                floor
            }
            Supply::Named(nodes) => nodes.earlier(&need, (floor, span), start)?,
        };
        let own = self.take_out(job.job, job.procs);
        let (need, supply) = self.need(job);
        let found = supply.earliest(&need, (floor, span), now).filter(|&found| found < start);
        match (found, own) {
            (Some(found), _) => self.book(job, span, found),
            (None, Some((span, place))) => self.put(job.job, job.procs, span, place),
            (None, None) => {}
        }
        found
    }

    fn release(&mut self, job: JobId, procs: u32, _: SimTime, _: SimTime) {
        self.take_out(job, procs);
    }

    fn extend(&mut self, job: JobId, procs: u32, _: SimTime, to: SimTime) {
        self.until(job, procs, to);
    }
}
