//! The reservation of the head of the queue: when it will fit by the estimates, and where.

use std::sync::Arc;

use crate::batch::planned::{Planned, before};
use crate::batch::running::NEXT_NANO;
use crate::collections::{IntervalSet, OrderedMap};
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::resources::NodeUse;

use super::chunk::Chunk;
use super::free::Free;
use super::offered::{Left, Offered};
use super::placement::place;
use super::{Asking, FreeResources};

/// Instant at which a job fits, and what it leaves to others from now on.
#[derive(Clone, Debug)]
pub struct Reservation {
    /// Shadow time.
    pub time: SimTime,
    left: Left,
}

impl Reservation {
    /// A reservation from an instant on that leaves all that is free now, but of these nodes only
    /// these parts.
    pub(super) fn of_parts(time: SimTime, parts: OrderedMap<u32, Free>) -> Self {
        Reservation { time, left: Left::Parts(parts) }
    }

    /// One that leaves these parts of these nodes, and nothing else.
    pub(super) fn of_only(time: SimTime, parts: OrderedMap<u32, Free>) -> Self {
        Reservation { time, left: Left::Only(parts) }
    }

    /// The same of nodes that jobs have whole.
    pub(super) fn of_nodes(time: SimTime, classes: &Arc<Vec<usize>>, counts: Vec<u64>) -> Self {
        Reservation { time, left: Left::Nodes { classes: Arc::clone(classes), counts } }
    }

    /// Parts that are free now and not reserved, on each node, for a job with so many processors.
    pub(super) fn alongside<'n>(&'n self, now: &'n [Free], procs: u32) -> Offered<'n> {
        Offered::of(now, &self.left, procs)
    }
}

impl FreeResources {
    /// The parts that are free now and stay so for a span, as far as known reservations of nodes
    /// are concerned: where nodes count, those of a class that is not reserved as a whole.
    pub fn around(&self, planned: &[Planned], now: SimTime, to: SimTime) -> Reservation {
        let planned = before(planned, to.max(now.saturating_add(NEXT_NANO)));
        let meeting = || planned.iter().filter(|one| one.from < to && now < one.to);
        let nodes = |one: &Planned| one.nodes.booked.clone().into_iter().flat_map(|run| run.first..=run.last);
        if let Some(classes) = &self.classes {
            let mut all = vec![0_u64; classes.iter().max().map_or(0, |last| last + 1)];
            classes.iter().for_each(|&class| all[class] += 1);
            let mut counts = vec![u64::MAX; all.len()];
            // of reservations that follow each other one has the nodes at a time
            for at in meeting().map(|one| one.from.max(now)) {
                let mut left = all.clone();
                for node in meeting().filter(|one| one.from <= at && at < one.to).flat_map(nodes) {
                    let count = &mut left[classes[node as usize]];
                    *count = count.saturating_sub(1);
                }
                counts.iter_mut().zip(left).filter(|(_, left)| *left == 0).for_each(|(count, _)| *count = 0);
            }
            return Reservation::of_nodes(now, classes, counts);
        }
        let mut reserved = IntervalSet::default();
        for nodes in meeting().flat_map(|one| &one.nodes.booked) {
            reserved.cover(*nodes);
        }
        Reservation { time: now, left: Left::Without(reserved) }
    }

    /// The parts that are free now on these nodes alone.
    pub fn only(&self, now: SimTime, nodes: &IntervalSet) -> Reservation {
        let each = nodes.iter().flat_map(|run| run.first..=run.last);
        let parts = each.map(|node| (node, self.now[node as usize].clone()));
        Reservation::of_only(now, parts.collect())
    }

    /// The reservation of a job that does not fit now: at the earliest of the estimated ends at
    /// which it does, those being `ends` in order. `None` if all of them do not free enough for it.
    ///
    /// # Complexity
    /// A step for each node, and for each node of each running job.
    pub fn reserve(
        &self,
        head: Asking,
        ends: impl IntoIterator<Item = (SimTime, JobId)>,
    ) -> Option<Reservation> {
        let chunk = self.chunk(head.demand);
        let mut then = self.now.clone();
        let whole = u64::from(head.procs / chunk.demand.procs);
        let mut capacity = self.capacity(head.demand) / u64::from(chunk.demand.procs);
        let mut ends = ends.into_iter().peekable();
        while let Some((time, job)) = ends.next() {
            let Some(held) = self.jobs.get(&job) else { continue };
            let demand = *self.resources.demands.of(held.demand);
            for part in &held.parts {
                let node = &mut then[part.node as usize];
                capacity -= u64::from(node.chunks(&chunk));
                node.give_back(&demand, part.procs, held.gpus_on(part.node));
                capacity += u64::from(node.chunks(&chunk));
            }
            // all that are estimated to end then have left
            let last = ends.peek().is_none_or(|next| next.0 > time);
            if last
                && capacity >= whole
                && let Some(reservation) = self.reserve_in(time, &mut then, chunk, head.procs)
            {
                return Some(reservation);
            }
        }
        None
    }

    /// The reservation of a job for which this is free then; `None` if it does not fit.
    fn reserve_in(
        &self,
        time: SimTime,
        then: &mut [Free],
        chunk: Chunk<'_>,
        procs: u32,
    ) -> Option<Reservation> {
        let Some(classes) = &self.classes else {
            let taken = self.settle(then, chunk, procs)?;
            let left = |node: u32| (node, self.now[node as usize].both(&then[node as usize]));
            return Some(Reservation::of_parts(time, taken.into_iter().map(left).collect()));
        };
        let parts = place(then, || 0..then.len() as u32, chunk, procs)?;
        let mut counts = vec![0; classes.iter().max().map_or(0, |last| last + 1)];
        for (node, &class) in then.iter().zip(classes.iter()) {
            counts[class] += u64::from(node.is_empty() && !node.is_down());
        }
        parts.iter().for_each(|part| counts[classes[part.node as usize]] -= 1);
        Some(Reservation::of_nodes(time, classes, counts))
    }

    /// The reservation of a job at a time by which these jobs have left. Where it does not fit
    /// then, it leaves nothing.
    pub(in crate::batch) fn reserve_at(
        &self,
        head: Asking,
        time: SimTime,
        gone: impl IntoIterator<Item = JobId>,
    ) -> Reservation {
        let mut then = self.now.clone();
        for held in gone.into_iter().filter_map(|job| self.jobs.get(&job)) {
            let demand = *self.resources.demands.of(held.demand);
            for part in &held.parts {
                then[part.node as usize].give_back(&demand, part.procs, held.gpus_on(part.node));
            }
        }
        let nothing = || Reservation::of_only(time, OrderedMap::new());
        self.reserve_in(time, &mut then, self.chunk(head.demand), head.procs).unwrap_or_else(nothing)
    }

    /// Puts the job where it leaves most of what is free now, and gives its nodes; `None` if it
    /// does not fit.
    fn settle(&self, then: &mut [Free], chunk: Chunk<'_>, procs: u32) -> Option<Vec<u32>> {
        let demand = &chunk.demand;
        let nodes = 0..then.len() as u32;
        let (mut left, mut has) = (procs, Vec::new());
        if demand.node_use == NodeUse::Exclusive {
            // nodes with jobs on them now are none that others could have meanwhile
            let (busy, idle): (Vec<u32>, Vec<u32>) =
                nodes.partition(|&node| !self.now[node as usize].is_empty());
            let order: Vec<u32> = busy.into_iter().chain(idle).collect();
            let ordered: Vec<Free> = order.iter().map(|&node| then[node as usize].clone()).collect();
            for part in place(&ordered, || 0..order.len() as u32, chunk, procs)? {
                then[order[part.node as usize] as usize].take(demand, part.procs);
                has.push(order[part.node as usize]);
            }
            return Some(has);
        }
        place(then, || nodes.clone(), chunk, procs)?;
        for (number, (node, now)) in (0..).zip(then.iter_mut().zip(&self.now)) {
            let whole = left / demand.procs;
            if whole == 0 {
                break;
            }
            if !chunk.may_be_on(node.make()) {
                continue;
            }
            let taken = node.beyond(now).chunks(&chunk).min(node.chunks(&chunk)).min(whole);
            if taken > 0 {
                let gpus = node.beyond(now).lowest_gpus(demand, taken);
                node.take_with(demand, taken * demand.procs, &gpus);
                left -= taken * demand.procs;
                has.push(number);
            }
        }
        // chunks are alike, so what is left fits still
        for part in place(then, || nodes.clone(), chunk, left)? {
            then[part.node as usize].take(demand, part.procs);
            has.push(part.node);
        }
        Some(has)
    }
}
