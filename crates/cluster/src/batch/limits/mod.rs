//! Several queues, each with limits.
//!
//! A job belongs to the queue that lists the number its log gives it (SWF field 15), or else to the
//! queue that lists none, or else to no queue and has no limits. Tables with `of` are lines of
//! another list: they go by the job's partition (SWF field 16) or its quality of service, which
//! dumps of Slurm and tables state. So a job belongs to up to three, one a list, and starts when
//! the limits of all of them let it. A job that a limit can never let run is rejected at its
//! submission. One that a limit holds back is not considered: it takes no
//! place, delays no job and is promised nothing, until the limit lets it through. What limits are
//! about is the time that its user requested, whatever a scheduler takes it to run: a job that
//! requested none is within all limits of time.
//!
//! `max-queued-per-user` is how many of a user's waiting jobs are considered at a time, the
//! earliest ones (as Maui's MAXIJOB); those behind wait their turn.
//!
//! Limits of nodes and GPUs count what runs have: each node with a processor of a run counts for
//! that run, whoever else is there, and parts of GPUs count in proportion. How many nodes a job has
//! is known when it starts, where chunks may share a node. Until then it counts as few as could
//! hold it ([`Footprint`](crate::batch::holding::Footprint)); at its turn it starts where it fits
//! on as few nodes as the limits leave, or is passed over until the next decision.
//!
//! A queue may have nodes of its own. Queues that share nodes are a *division* of the machine, and
//! jobs of different divisions never meet: each division has its own order and its own promises
//! ([`Divisions`]).
//!
//! # Complexity
//! A start or an end looks again at the waiting jobs whose limits it may have changed: those of the
//! job's queue and user, or, where a limit of the whole queue is reached or left, those of the
//! queue. Jobs of other queues cost nothing while there is one list; where jobs belong to several,
//! all waiting jobs of these users are looked at.

mod book;
mod divisions;
mod keys;
mod limit;
#[cfg(test)]
mod tests;

use crate::kernel::SimDuration;
use crate::registry::choices;
use crate::workload::Job;

pub use book::{HoldChange, Limits, QueuePriorities};
pub use divisions::{Divisions, JointQueues};
pub use keys::{KEY, read};
pub use limit::Limit;

choices! {
    /// Number of a job by which it belongs to a queue.
    #[derive(Default)]
    pub enum QueueOf {
        #[default]
        Queue = "queue", "its queue (SWF field 15); of a dump of Slurm its quality of service";
        Partition = "partition", "its partition (SWF field 16)";
        Qos = "qos", "its quality of service, where the workload states one: a dump of Slurm, or a table";
    }
}

impl QueueOf {
    /// The number of a job, if its input states one.
    pub fn of(self, job: &Job) -> Option<u16> {
        match self {
            QueueOf::Queue => job.queue(),
            QueueOf::Partition => job.partition(),
            QueueOf::Qos => job.qos(),
        }
    }
}

/// A queue and its limits, `None` where there is none.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct QueueLimits {
    /// Name in messages.
    pub name: String,
    /// Number by which jobs belong to it.
    pub of: QueueOf,
    /// The numbers that logs give it; none: every other number, too.
    pub numbers: Vec<u16>,
    /// Features of its nodes, each of which has one of them; none: all nodes.
    pub nodes: Vec<String>,
    /// Priority, for the discipline `priority`.
    pub priority: f64,
    /// The longest request.
    pub max_run_time: Option<SimDuration>,
    /// Most processors of a job.
    pub max_procs: Option<u64>,
    /// Most jobs that run.
    pub max_running: Option<u64>,
    /// Most processors that its jobs hold.
    pub max_running_procs: Option<u64>,
    /// Most jobs of a user that run.
    pub max_running_per_user: Option<u64>,
    /// Most processors that a user's jobs hold.
    pub max_running_procs_per_user: Option<u64>,
    /// Most nodes of a job.
    pub max_nodes: Option<u64>,
    /// Most nodes that its jobs have.
    pub max_running_nodes: Option<u64>,
    /// Most nodes that a user's jobs have.
    pub max_running_nodes_per_user: Option<u64>,
    /// Most GPUs of a job.
    pub max_gpus: Option<u64>,
    /// Most GPUs that its jobs hold.
    pub max_running_gpus: Option<u64>,
    /// Most GPUs that a user's jobs hold.
    pub max_running_gpus_per_user: Option<u64>,
    /// Most waiting jobs of a user that are considered.
    pub max_queued_per_user: Option<u64>,
}

impl QueueLimits {
    /// Returns true if some limit is about nodes or GPUs.
    pub(super) fn count_nodes(&self) -> bool {
        let nodes = [self.max_nodes, self.max_running_nodes, self.max_running_nodes_per_user];
        let gpus = [self.max_gpus, self.max_running_gpus, self.max_running_gpus_per_user];
        nodes.iter().chain(&gpus).any(Option::is_some)
    }
}
