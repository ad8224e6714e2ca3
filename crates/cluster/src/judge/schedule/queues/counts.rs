//! Amounts of runs that limits count: what a job needs while it waits, and has while it runs.

use crate::workload::resources::Resources;

use super::super::Row;
use super::super::nodes::NodeAmounts;
use super::limits::{Counted, LimitedQueues, RunCounts};

/// Amounts of runs on the nodes of a site.
pub(in crate::judge::schedule) struct LimitCounts<'a> {
    /// None where limits count no nodes.
    nodes: Option<NodeAmounts<'a>>,
}

impl<'a> LimitCounts<'a> {
    /// Amounts that limits of these queues count.
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
    pub(in crate::judge::schedule) fn needed(&mut self, row: &Row) -> Counted {
        let needed = self.nodes.as_mut().map(|nodes| nodes.needed(row)).unwrap_or_default();
        self.counted(row, (needed.fewest, needed.gpus))
    }

    /// The amounts of a run before it starts and after that.
    pub(in crate::judge::schedule) fn of(&mut self, row: &Row) -> RunCounts {
        let most_nodes = self.nodes.as_mut().map_or(0, |nodes| nodes.needed(row).most);
        RunCounts { needs: self.needed(row), has: self.held(row), most_nodes }
    }

    /// The amounts that a run has.
    fn held(&self, row: &Row) -> Counted {
        let on = self.nodes.as_ref().map(|nodes| nodes.of(row)).unwrap_or_default();
        self.counted(row, (on.len() as u64, on.iter().map(|one| one.held.gpus).sum()))
    }
}
