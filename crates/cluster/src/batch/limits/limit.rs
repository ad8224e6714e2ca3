//! Limits by name, in the words of explanations.

use std::fmt;

use crate::batch::holding::Footprint;
use crate::kernel::SimDuration;
use crate::workload::Job;

/// A limit that a job has met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Requests more time than its queue allows.
    RunTime(SimDuration),
    /// Needs more processors than a job of its queue may have.
    Procs(u64),
    /// Needs more nodes than a job of its queue may have.
    Nodes(u64),
    /// Needs more GPUs than a job of its queue may have.
    Gpus(u64),
    /// As many jobs of its queue run as may.
    Running(u64),
    /// More processors than the queue may hold.
    RunningProcs(u64),
    /// More nodes than the jobs of the queue may have.
    RunningNodes(u64),
    /// More GPUs than the queue may hold.
    RunningGpus(u64),
    /// As many of its user's jobs in this queue run as may.
    RunningPerUser(u64),
    /// More processors than its user may hold in this queue.
    RunningProcsPerUser(u64),
    /// More nodes than the jobs of its user may have in this queue.
    RunningNodesPerUser(u64),
    /// More GPUs than its user may hold in this queue.
    RunningGpusPerUser(u64),
    /// As many of its user's jobs are considered already as may be.
    QueuedPerUser(u64),
}

impl Limit {
    /// Reason that a job can never run: what it asks for, the limit and the name of its queue; `on`
    /// is what it needs of nodes and GPUs, the latter in parts of which a whole one has so many.
    pub fn refusal(self, job: &Job, on: Footprint, whole_gpu: u64, queue: &str) -> String {
        let asked = match self {
            Limit::RunTime(_) => job.estimate.to_string(),
            Limit::Nodes(_) | Limit::RunningNodes(_) | Limit::RunningNodesPerUser(_) => {
                format!("at least {} nodes", on.nodes)
            }
            Limit::Gpus(_) | Limit::RunningGpus(_) | Limit::RunningGpusPerUser(_) => {
                format!("{} GPUs", on.gpus as f64 / whole_gpu as f64)
            }
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
            Limit::Nodes(most) => write!(f, "its queue grants a job at most {most} nodes"),
            Limit::Gpus(most) => write!(f, "its queue grants a job at most {most} GPUs"),
            Limit::Running(most) => write!(f, "{most} jobs of its queue run, as many as may"),
            Limit::RunningProcs(most) => write!(f, "its queue may hold {most} processors"),
            Limit::RunningNodes(most) => write!(f, "jobs of its queue may have {most} nodes"),
            Limit::RunningGpus(most) => write!(f, "its queue may hold {most} GPUs"),
            Limit::RunningPerUser(most) => {
                write!(f, "{most} jobs of its user run in this queue, as many as may")
            }
            Limit::RunningProcsPerUser(most) => write!(f, "a user may hold {most} processors in this queue"),
            Limit::RunningNodesPerUser(most) => {
                write!(f, "jobs of a user may have {most} nodes in this queue")
            }
            Limit::RunningGpusPerUser(most) => write!(f, "a user may hold {most} GPUs in this queue"),
            Limit::QueuedPerUser(most) => {
                write!(f, "{most} jobs of its user are considered before it, as many as may be")
            }
        }
    }
}
