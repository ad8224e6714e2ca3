//! The reservation of the head of the queue: when it will fit by the estimates, and where.

use std::borrow::Cow;

use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::resources::NodeUse;

use super::chunk::Chunk;
use super::free::Free;
use super::placement::place;
use super::{Asking, FreeResources};

/// Instant at which the head fits, and the free parts of each node then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reservation {
    /// Shadow time.
    pub time: SimTime,
    /// Free parts of each node then, the head being on its place.
    alongside: Vec<Free>,
}

impl Reservation {
    /// What is free on each node beside what is booked, from an instant on.
    pub(super) fn beside(time: SimTime, alongside: Vec<Free>) -> Self {
        Reservation { time, alongside }
    }

    /// Parts that are free now and not reserved, on each node.
    pub(super) fn alongside(&self, now: &[Free]) -> Cow<'_, [Free]> {
        now.iter().zip(&self.alongside).map(|(now, then)| now.both(then)).collect::<Vec<_>>().into()
    }

    /// Parts that are free now and not reserved, on one node.
    pub(super) fn on(&self, node: u32, now: &[Free]) -> Free {
        now[node as usize].both(&self.alongside[node as usize])
    }
}

impl FreeResources {
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
        let mut capacity: u64 = then.iter().map(|node| u64::from(node.chunks(&chunk))).sum();
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
            if last && capacity >= whole && self.settle(&mut then, chunk, head.procs) {
                return Some(Reservation { time, alongside: then });
            }
        }
        None
    }

    /// The reservation of a job at a time by which these jobs have left; where it does not fit then,
    /// nothing is left beside it.
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
        if !self.settle(&mut then, self.chunk(head.demand), head.procs) {
            then.iter_mut().for_each(|node| *node = node.shut());
        }
        Reservation { time, alongside: then }
    }

    /// Puts the job where it leaves most of what is free now; false if it does not fit.
    fn settle(&self, then: &mut [Free], chunk: Chunk<'_>, procs: u32) -> bool {
        let demand = &chunk.demand;
        let nodes = 0..then.len() as u32;
        let mut left = procs;
        if demand.node_use == NodeUse::Exclusive {
            // nodes with jobs on them now are none that others could have meanwhile
            let (busy, idle): (Vec<u32>, Vec<u32>) =
                nodes.partition(|&node| !self.now[node as usize].is_empty());
            let order: Vec<u32> = busy.into_iter().chain(idle).collect();
            let ordered: Vec<Free> = order.iter().map(|&node| then[node as usize].clone()).collect();
            let Some(parts) = place(&ordered, || 0..order.len() as u32, chunk, procs) else { return false };
            for part in parts {
                then[order[part.node as usize] as usize].take(demand, part.procs);
            }
            return true;
        }
        if place(then, || nodes.clone(), chunk, procs).is_none() {
            return false;
        }
        for (node, now) in then.iter_mut().zip(&self.now) {
            let (whole, beyond) = (left / demand.procs, node.beyond(now));
            let taken = beyond.chunks(&chunk).min(node.chunks(&chunk)).min(whole);
            if taken > 0 {
                node.take_with(demand, taken * demand.procs, &beyond.lowest_gpus(demand, taken));
                left -= taken * demand.procs;
            }
        }
        // chunks are alike, so what is left fits still
        let Some(parts) = place(then, || nodes.clone(), chunk, left) else { return false };
        for part in parts {
            then[part.node as usize].take(demand, part.procs);
        }
        true
    }
}
