//! The workqueue: an idle host takes a task, and nothing is planned.
//!
//! The inputs of a task are sent when a host has taken it, not before.
//!
//! Source: H0 of the report of the Parameter Sweep Template; T. Hagerup, "Allocating independent
//! tasks to parallel processors: an experimental study", JPDC 47(2), 1997. The data-aware form is
//! known from schedulers of data grids: K. Ranganathan, I. Foster, "Decoupling computation and data
//! scheduling in distributed data-intensive applications", HPDC-11, 2002.

use crate::heuristic::completion::Completions;
use crate::heuristic::{Heuristic, Rank};
use crate::registry::{Entry, entry};

pub(super) const ENTRY: Entry<dyn Heuristic> = entry!(
    "workqueue" => "an idle host takes the next task in order; nothing is planned",
    source "T. Hagerup, JPDC 47(2), 1997", builds Workqueue
);

pub(super) const DATA_AWARE: Entry<dyn Heuristic> = entry!(
    "data-aware-workqueue" => "an idle host takes the task of which the most bytes are there; nothing is planned",
    source "K. Ranganathan, I. Foster, HPDC-11, 2002", builds DataAwareWorkqueue
);

/// Choice of a task by an idle host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkqueueOrder {
    /// The first in order.
    First,
    /// The task with the most bytes of its inputs on the cluster, of equals the first in order.
    MostBytes,
}

/// H0.
#[derive(Clone, Copy, Debug)]
pub struct Workqueue;

impl Heuristic for Workqueue {
    fn rank(&self, _: &Completions<'_>) -> Rank {
        Rank::default()
    }

    fn workqueue(&self) -> Option<WorkqueueOrder> {
        Some(WorkqueueOrder::First)
    }
}

/// The workqueue that looks where files are.
#[derive(Clone, Copy, Debug)]
pub struct DataAwareWorkqueue;

impl Heuristic for DataAwareWorkqueue {
    fn rank(&self, _: &Completions<'_>) -> Rank {
        Rank::default()
    }

    fn workqueue(&self) -> Option<WorkqueueOrder> {
        Some(WorkqueueOrder::MostBytes)
    }
}
