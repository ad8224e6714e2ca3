//! Parameter sweeps: thousands of independent tasks that share input files, on clusters behind one
//! link each.

/// View of a task for a heuristic: its best completion on each cluster.
pub mod completion {
    pub use clustersim_sweep::completion::Completions;
}

/// Estimation: predictions of links and hosts, and knowledge about the application.
pub mod estimate {
    pub use clustersim_sweep::estimate::{
        EstimateQuestion, Estimator, Measurements, OutputSizes, ProgressEstimate,
    };

    /// Keys of measured values: the step between them, and how long they take to be known.
    pub mod measured {
        pub use clustersim_sweep::estimate::measured::{DELAY, STEP};
    }

    /// Knowledge of a scheduler about the application: its tasks, their files, and estimates of
    /// sizes and times.
    pub mod known {
        pub use clustersim_sweep::estimate::known::{EstimateBasis, KnownSweep};
    }
}

/// Heuristics: which task gets its slots next, and on which host.
pub mod heuristic {
    pub use clustersim_sweep::heuristic::{ComparedValue, DecidingNumber, Heuristic, Rank, WorkqueueOrder};
}

/// Scheduling events: the time until the next plan.
pub mod interval {
    pub use clustersim_sweep::interval::{BeforeFirstPlan, EventInterval, ExpectedRun};
}

/// The model: tasks and the files that they share.
pub mod model {
    /// The application: its tasks, their files, and what is known of them beforehand.
    pub mod application {
        pub use clustersim_sweep::model::application::{Sweep, SweepFile, SweepTask, TaskTime};
    }
}

/// Plans: the Gantt chart of the future, how it is filled, and the queues that it becomes.
pub mod plan {
    /// The Gantt chart: a column for each link and each processor, in which sub-tasks have slots.
    pub mod chart {
        pub use clustersim_sweep::plan::chart::ClusterCompletion;
    }

    /// Tasks without a host that are planned: all of them, or some, so that a plan costs less.
    pub mod subset {
        pub use clustersim_sweep::plan::subset::{Subset, SubsetQuestion};
    }
}

/// Predictions of links and hosts at one planning, and the times of sub-tasks by these.
pub mod predictions {
    pub use clustersim_sweep::predictions::{
        EstimateError, PredictedHost, PredictedLink, PredictedValue, Predictions, SubTask, SweepResource,
    };
}
