//! Workloads: the jobs a cluster is asked to run.

pub use clustersim_jobs::workload::{
    Attribute, Attributes, Checkpoint, Habits, Job, JobMarks, Labels, LimitOf, Stated, WaitMark, Walltime,
};

/// Jobs that their users cancel: when they have lost patience, or when the log says so.
pub mod cancellation {
    pub use clustersim_jobs::workload::cancellation::{Cancel, Cancellations};
}

/// Jobs that wait for others to leave before they may be considered.
pub mod dependency {
    pub use clustersim_jobs::workload::dependency::{Circle, Dependencies, Edge, Rule};
}

/// Jobs that can be started on other numbers of processors than they ask for.
pub mod moldable {
    pub use clustersim_jobs::workload::moldable::{Moldable, Sizes};
}

/// Parallel applications: what the tasks of a job do.
pub mod parallel {
    pub use clustersim_jobs::workload::parallel::{
        Application, Applications, Iterations, Pipeline, Program, Quality, RecordedStep, Times,
    };

    /// Communication patterns: which tasks of a job a task sends to, and which it receives from.
    pub mod pattern {
        pub use clustersim_jobs::workload::parallel::pattern::{Pattern, Peers};
    }
}

/// Randomized logs: another log that might have been recorded.
pub mod randomization {
    pub use clustersim_jobs::workload::randomization::{CannotRandomize, Randomization, RandomizedLog};
}

/// Demands of jobs beyond processors, and supplies of nodes: memory, GPUs, features, nodes to
/// themselves.
pub mod resources {
    pub use clustersim_jobs::workload::resources::{
        Demand, DemandId, Demands, DemandsOnNodes, FeatureNames, Features, GpuChoice, GpuGroup, GpuKind,
        GpuLists, GpuShare, Mig, MigProfile, MigSlice, MixOf, NodeKind, NodeUse, Nodes, PartsOf, Resources,
        ServedBy,
    };
}

/// Sources of the jobs of a scenario, and the workload that they hand over.
pub mod source {
    pub use clustersim_jobs::workload::source::{LoadRequest, LoadedWorkload, Source};
}

/// Laws of speed-up: how many times as fast as on one processor a program runs on more.
pub mod speedup {
    pub use clustersim_jobs::workload::speedup::Law;
}

/// The Standard Workload Format: logs of parallel machines, one job a line.
pub mod swf {
    pub use clustersim_jobs::workload::swf::{Cause, Effect, Header, Report, Tally};
}
