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
#[cfg(test)]
mod tests;

use std::fmt;

use crate::kernel::SimDuration;
use crate::registry::choices;
use crate::workload::Job;

pub use book::{HoldChange, Limits, QueuePriorities};
pub use divisions::{Divisions, JointQueues};
pub use keys::{KEY, read};

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

/// A limit that a job has met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Requests more time than its queue allows.
    RunTime(SimDuration),
    /// Needs more processors than a job of its queue may have.
    Procs(u64),
    /// As many jobs of its queue run as may.
    Running(u64),
    /// More processors than the queue may hold.
    RunningProcs(u64),
    /// As many of its user's jobs in this queue run as may.
    RunningPerUser(u64),
    /// More processors than its user may hold in this queue.
    RunningProcsPerUser(u64),
    /// As many of its user's jobs are considered already as may be.
    QueuedPerUser(u64),
}

impl Limit {
    /// Reason that a job can never run, with what it asks for and the name of its queue.
    pub fn refusal(self, job: &Job, queue: &str) -> String {
        let asked = match self {
            Limit::RunTime(_) => job.estimate.to_string(),
            _ => format!("{} processors", job.procs),
        };
        format!("it asks for {asked}; {self} ({queue})")
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::RunTime(most) => write!(f, "its queue grants at most {most}"),
            Limit::Procs(most) => {
                write!(f, "its queue grants a job at most {most} processors")
            }
            Limit::Running(most) => write!(f, "{most} jobs of its queue run, as many as may"),
            Limit::RunningProcs(most) => write!(f, "its queue may hold {most} processors"),
            Limit::RunningPerUser(most) => {
                write!(f, "{most} jobs of its user run in this queue, as many as may")
            }
            Limit::RunningProcsPerUser(most) => write!(f, "a user may hold {most} processors in this queue"),
            Limit::QueuedPerUser(most) => {
                write!(f, "{most} jobs of its user are considered before it, as many as may be")
            }
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
    /// Most waiting jobs of a user that are considered.
    pub max_queued_per_user: Option<u64>,
}
