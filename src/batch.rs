//! Decisions of a batch scheduler and their data: the queue, running jobs by estimated end,
//! backfilling, promises, limits, and the record of what became of each job.

pub use clustersim_cluster::batch::{Obstacle, Queue, Running, Shadow, Slots};

/// Rules that choose the processors of a job among those that are free.
pub mod allocation {
    pub use clustersim_cluster::batch::allocation::{Allocation, Draw};
}

/// Backfilling: which jobs may overtake others, and what is promised to those that wait.
pub mod backfill {
    pub use clustersim_cluster::batch::backfill::{
        Backfill, Capabilities, Change, Decides, NodesNow, Picked, Picks, View,
    };
}

/// GPUs of nodes as devices, and the rules by which chunks get them.
pub mod devices {
    pub use clustersim_cluster::batch::devices::{
        Gpu, GpuNode, GpuRule, GpuScores, GpuSite, GpuSizes, GpuTask, HeldGpu, MigStarts, NodeGpus, Score,
        TaskMix,
    };
}

/// Run times of jobs, as a scheduler estimates them.
pub mod estimate {
    pub use clustersim_cluster::batch::estimate::Estimates;
}

/// Amounts that runs hold of nodes and pools, by which they are charged and limited.
pub mod holding {
    pub use clustersim_cluster::batch::holding::{Footprint, HeldAmounts, NodeShare, RunHolding};
}

/// Several queues, each with limits.
pub mod limits {
    pub use clustersim_cluster::batch::limits::{
        Divisions, HoldChange, JointQueues, Limit, Limits, QueueLimits, QueueOf, QueuePriorities,
    };
}

/// The machine as the front end has it: processors, and the jobs that hold them or share them.
pub mod machine {
    pub use clustersim_cluster::batch::machine::Unlawful;
}

/// Rules that choose the size of a moldable job, of those on which it can run.
pub mod molding {
    pub use clustersim_cluster::batch::molding::{CandidateSizes, Molding, Size, When};
}

/// Free parts of nodes that have more than processors: which jobs fit, and what they leave.
pub mod node_resources {
    pub use clustersim_cluster::batch::node_resources::{Asking, FreeResources, GpuPlace, Lack, Reservation};
}

/// Rules that choose the nodes of a job among those with free slots.
pub mod node_selection {
    pub use clustersim_cluster::batch::node_selection::Selection;
}

/// Pools beside processors, of which jobs hold amounts.
pub mod pools {
    pub use clustersim_cluster::batch::pools::{FreePools, Pool, PoolShare, Pools};
}

/// Known reservations of processors.
pub mod planned {
    pub use clustersim_cluster::batch::planned::{Planned, PlannedNodes, PlannedShare};
}

/// The wait queue, in the order of its discipline.
pub mod queue {
    pub use clustersim_cluster::batch::queue::{BackfillWindow, Discipline, Machine, Ranking, Waiting};
}

/// The record of a run: what became of each job, of nodes that failed, of reservations of
/// processors and of rows of a matrix.
pub mod record {
    pub use clustersim_cluster::batch::record::{
        Attempt, Begun, MatrixPlace, MatrixSpan, MatrixSpans, Outage, Outages, Reserved, ReservedProcessors,
        Which,
    };
}
