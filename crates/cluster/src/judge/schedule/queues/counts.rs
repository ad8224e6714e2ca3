//! Amounts of runs that limits count: what a job needs while it waits, and has while it runs.

use crate::workload::resources::Resources;

use super::super::Row;
use super::super::nodes::NodeAmounts;
use super::limits::{LimitMeasure, LimitedQueues};

/// Amounts of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::judge::schedule) struct Counted {
    procs: u64,
    nodes: u64,
    /// GPUs in common parts, of which a whole one has so many.
    gpus: u64,
    whole_gpu: u64,
}

impl Counted {
    pub(super) fn of(&self, measure: LimitMeasure) -> u64 {
        match measure {
            LimitMeasure::Jobs => 1,
            LimitMeasure::Procs => self.procs,
            LimitMeasure::Nodes => self.nodes,
            LimitMeasure::Gpus => self.gpus,
        }
    }

    /// The amount that a limit grants, of GPUs in common parts.
    pub(super) fn most(&self, measure: LimitMeasure, most: u64) -> u64 {
        if measure == LimitMeasure::Gpus { most.saturating_mul(self.whole_gpu) } else { most }
    }

    /// Common parts of GPUs that it counts more than another does.
    pub(super) fn more_gpus(&self, other: &Counted) -> u64 {
        self.gpus.saturating_sub(other.gpus)
    }
}

/// Amounts of runs on the nodes of a site.
pub(in crate::judge::schedule) struct LimitCounts<'a> {
    /// None where limits count no nodes.
    nodes: Option<NodeAmounts<'a>>,
}

impl<'a> LimitCounts<'a> {
    /// What limits of these queues count.
    pub(in crate::judge::schedule) fn new(
        queues: Option<&LimitedQueues>,
        resources: Option<&'a Resources>,
    ) -> Self {
        let counts = queues.is_some_and(LimitedQueues::count_nodes);
        LimitCounts { nodes: resources.filter(|_| counts).map(NodeAmounts::new) }
    }

    fn counted(&self, row: &Row, (nodes, gpus): (u64, u64)) -> Counted {
        let whole_gpu = self.nodes.as_ref().map_or(1, |nodes| nodes.whole_gpu);
        Counted { procs: u64::from(row.procs), nodes, gpus, whole_gpu }
    }

    /// The amounts that a job counts while it waits.
    pub(super) fn needed(&mut self, row: &Row) -> Counted {
        let needed = self.nodes.as_mut().map(|nodes| nodes.needed(row)).unwrap_or_default();
        self.counted(row, (needed.fewest, needed.gpus))
    }

    /// Nodes that a job cannot exceed if it starts on as few as hold it then.
    pub(super) fn most_nodes(&mut self, row: &Row) -> u64 {
        self.nodes.as_mut().map_or(0, |nodes| nodes.needed(row).most)
    }

    /// The amounts that a run has.
    pub(super) fn held(&self, row: &Row) -> Counted {
        let on = self.nodes.as_ref().map(|nodes| nodes.of(row)).unwrap_or_default();
        self.counted(row, (on.len() as u64, on.iter().map(|one| one.held.gpus).sum()))
    }
}
