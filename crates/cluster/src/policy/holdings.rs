//! What running jobs hold, as limits and charges have it: told at each start; and starts on as few
//! nodes as limits leave.

use std::cell::Cell;
use std::sync::Arc;

use tracing::debug;

use crate::batch::holding::{Footprint, RunHolding};
use crate::batch::node_resources::{Asking, FreeResources, Reservation};
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::kernel::now;
use crate::workload::Job;

use super::PolicyError;
use super::batch_scheduler::BatchScheduler;

impl BatchScheduler {
    /// A job has started, and its places on nodes are taken: orders charge it, and limits count it.
    pub(super) fn has_started(&mut self, id: JobId, nodes: Option<&FreeResources>) {
        let is_ranked = self.components.discipline.moves() || self.divisions.count() > 1;
        let is_limited = !self.components.limits.is_empty();
        if !is_ranked && !is_limited {
            return;
        }
        let job = self.front.job(id);
        if is_ranked {
            let looks = Cell::new(false);
            self.each_ranking(|ranking| looks.set(looks.get() || ranking.looks_at_holdings()));
            let pools = self.pools.as_ref().filter(|_| looks.get()).map(|pools| Arc::clone(pools.pools()));
            let nodes = nodes.filter(|_| looks.get());
            let asked = pools.iter().flat_map(|pools| {
                pools.asked(id).iter().map(|share| (pools.pool(share.pool).0, share.amount))
            });
            let holding = RunHolding {
                nodes: nodes.map_or_else(Vec::new, |nodes| nodes.shares(id)),
                whole_gpu: nodes.map_or(1, FreeResources::whole_gpu),
                pools: asked.collect(),
            };
            self.each_ranking(|ranking| ranking.started(now(), id, &job, &holding));
        }
        if is_limited {
            let nodes = nodes.filter(|_| self.components.limits.count_nodes());
            let on = nodes.map_or_else(Footprint::default, |nodes| nodes.footprint(id));
            self.components.limits.started(id, &job, on, &mut self.turns);
            self.release();
        }
    }

    /// Numbers of nodes and GPUs that a job needs, where limits count them.
    pub(super) fn needed(&self, job: &Job) -> Footprint {
        let nodes = self.nodes.as_ref().filter(|_| self.components.limits.count_nodes());
        let asking = Asking { procs: job.procs, demand: job.demand };
        nodes.map_or_else(Footprint::default, |nodes| nodes.needed(asking))
    }

    /// Parts of a whole GPU in which GPUs are counted.
    pub(super) fn whole_gpu(&self) -> u64 {
        self.nodes.as_ref().map_or(1, FreeResources::whole_gpu)
    }

    /// Starts a job that waits on nodes, next to a reservation if one is given: where it might have
    /// more nodes than limits leave, on as few as hold it. Returns false if these are too many: it
    /// is passed over then, until the next decision.
    pub(super) fn start_within_limits(
        &mut self,
        resources: &mut FreeResources,
        waiting: Waiting,
        alongside: Option<&Reservation>,
        reason: Reason,
    ) -> Result<bool, PolicyError> {
        let (id, asking) = (waiting.job, self.asking(&waiting));
        let limits = &self.components.limits;
        let left = if limits.count_nodes() { limits.nodes_left(&self.front.job(id)) } else { None };
        let Some(left) = left.filter(|&left| resources.most_nodes(asking) > left) else {
            return self.start_on_nodes(resources, waiting, alongside, reason).map(|()| true);
        };
        match resources.on_fewest_nodes(asking, alongside) {
            Some((nodes, alone)) if nodes <= left => {
                self.start_on_nodes(resources, waiting, Some(&alone), reason).map(|()| true)
            }
            found => {
                let job = self.front.job(id);
                debug!(
                    at = now().as_secs_f64(),
                    job = job.number,
                    nodes = found.map(|one| one.0),
                    "passed over"
                );
                self.take_out_of_queue(id);
                self.components.limits.passes_over(id, &job);
                Ok(false)
            }
        }
    }
}
