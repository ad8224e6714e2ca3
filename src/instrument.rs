//! Instruments of a run: figures that are computed and written from the record of every job.

pub use clustersim_cluster::instrument::{
    Draw, Failures, FeatureAct, FeatureCell, FeatureStep, FeatureSteps, Keep, LossOfCapacity, OnNodeFailure,
    Outcome, OwnCells, OwnReason, Reason, Record, Requeue, RequeuePlace, RequeueSize, SiteModel, State,
};

/// Execution of jobs on nodes: the plain account of a run at detail `task`.
pub mod execution {
    pub use clustersim_cluster::instrument::execution::{Counts, Execution, ExecutionProfile, Mark};
}

/// Explanation of the wait of one job: its spans, what held the job back in each, and which jobs
/// overtook it meanwhile.
pub mod explanation {
    pub use clustersim_cluster::instrument::explanation::{
        Explanation, Of, Overtaker, Shortage, WaitCause, WaitSpan,
    };
}

/// The metrics of a run of rigid jobs.
pub mod metrics {
    pub use clustersim_cluster::instrument::metrics::{FinishedRun, Window};
}

/// The execution profile: where the time of every processor goes.
pub mod profile {
    pub use clustersim_cluster::instrument::profile::{Activity, Spent};
}

/// The metrics of a machine whose jobs share processors in slices, at detail `job`.
pub mod slice_metrics {
    pub use clustersim_cluster::instrument::slice_metrics::SliceSide;
}

/// The metrics of a run at detail `task`, besides those of any run.
pub mod task_metrics {
    pub use clustersim_cluster::instrument::task_metrics::TaskRun;
}

/// The timeline of a run at detail `task`: what every processor did when, and the messages.
pub mod timeline {
    pub use clustersim_cluster::instrument::timeline::{ActivitySpan, Link, MessageEnd, Timeline};
}
