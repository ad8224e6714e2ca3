//! Ends of a job that would come to wait now, by the estimates of all that run and wait.
//!
//! Every running job is taken to end, and every waiting one to run, by its estimate. Those that
//! wait are placed in the order of the queue, each as early as it can be without moving those
//! before it; where no job may overtake, none before another that stands before it. The job that is
//! asked about comes after all of them.

use std::sync::Arc;

use crate::batch::node_resources::{Instant, NodeTimetable};
use crate::batch::queue::Waiting;
use crate::batch::running::NEXT_NANO;
use crate::batch::timetable::{Counts, PooledTable, Timetable};
use crate::kernel::SimTime;

use super::View;
use super::pooled_room::with_pools;
use super::room::counts_of;

/// Capacity once all waiting jobs have been placed.
#[derive(Debug)]
pub struct ExpectedEnds {
    table: Table,
    /// Instant before which no job behind them starts.
    from: SimTime,
}

#[derive(Debug)]
enum Table {
    Counts(Counts),
    Pooled(PooledTable<Counts>),
    Nodes(PooledTable<NodeTimetable>),
}

impl ExpectedEnds {
    /// The jobs of a view, where others may overtake them or not.
    pub fn of(view: &View<'_>, overtakes: bool) -> Self {
        let late = Some(NEXT_NANO);
        let (table, from) = match (view.nodes, view.pools) {
            (Some(nodes), _) => {
                let View { now, running, planned, .. } = *view;
                let instant = Instant { now, running, resources: nodes.resources, planned };
                let nodes = NodeTimetable::new(instant, Arc::clone(nodes.jobs), late);
                let mut table = with_pools(view, nodes, late);
                let from = place(&mut table, view, overtakes);
                (Table::Nodes(table), from)
            }
            (None, None) => {
                let mut table = counts_of(view, late);
                let from = place(&mut table, view, overtakes);
                (Table::Counts(table), from)
            }
            (None, _) => {
                let mut table = with_pools(view, counts_of(view, late), late);
                let from = place(&mut table, view, overtakes);
                (Table::Pooled(table), from)
            }
        };
        ExpectedEnds { table, from }
    }

    /// End of a job, if it has one.
    pub fn end(&mut self, job: &Waiting) -> Option<SimTime> {
        let (span, from) = (job.estimate, self.from);
        let start = match &mut self.table {
            Table::Counts(table) => table.earliest(job, span, from),
            Table::Pooled(table) => table.earliest(job, span, from),
            Table::Nodes(table) => table.earliest(job, span, from),
        };
        start.map(|start| start.saturating_add(span))
    }
}

/// Places the waiting jobs; gives the instant before which no further one starts.
fn place<T: Timetable>(table: &mut T, view: &View<'_>, overtakes: bool) -> SimTime {
    let mut from = view.now;
    for waiting in view.queue.iter() {
        let span = waiting.estimate.max(NEXT_NANO);
        // a job that needs more than is in service is passed over
        let Some(start) = table.earliest(waiting, span, from) else { continue };
        table.book(waiting, span, start);
        if !overtakes {
            from = start;
        }
    }
    from
}
