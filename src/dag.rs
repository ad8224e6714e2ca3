//! Task graphs on hosts and links: planned by schedulers that see predictions, executed on the
//! platform as it really behaves.

pub use clustersim_dag::{
    CandidateSlot, CannotPlan, Choice, ChoiceFigure, Contention, Core, Dispatcher, Dynamic, DynamicScheduler,
    FigureName, PartialSchedule, PlannedTask, Progress, Scheduler, SchedulingProblem, Search, TaskPlan,
    TimeSlot, Unlawful, View, async_trait,
};

/// Assumptions of schedulers about graph and grid, and inputs that break them.
pub mod assumption {
    pub use clustersim_dag::assumption::Assumption;
}

/// The execution of plans on the platform as it really behaves.
pub mod execution {
    pub use clustersim_dag::execution::{Merge, Replan};
}

/// The tasks to be scheduled, of one workflow or of several that arrive, as one graph.
pub mod graph {
    pub use clustersim_dag::graph::{ArrivingWorkflow, DataTransfer, Dependence, FileRules, Graph};
}

/// Hosts, their cores, and what it takes to send something from one host to another.
pub mod grid {
    pub use clustersim_dag::grid::{CoresUsed, Grid, PairCost};
}

/// The model: tasks and edges, hosts and links, and what is known of both beforehand.
pub mod model {
    /// Availability as forecasters expect it, by samples of what it was so far.
    pub mod forecasting {
        pub use clustersim_dag::model::forecasting::Forecasting;
    }
}

/// Plan of a scheduler: the core, the place in the order and the times of each task, and the
/// reasons for its slot.
pub mod plan {
    pub use clustersim_dag::plan::SlotReasons;
}

/// Predictions: what a scheduler knows of durations, and how far that is from the truth.
pub mod prediction {
    pub use clustersim_dag::prediction::{
        Caution, Knowledge, MeanTransfer, Prediction, PredictionError, PredictionQuestion,
    };
}

/// The predictions by name: what is known of availability, and the law of the error.
pub mod predictions {
    pub use clustersim_dag::predictions::PredictionKind;
}

/// Ranks of tasks: how much lies before and behind each, by mean costs.
pub mod ranks {
    pub use clustersim_dag::ranks::{
        ByRank, Data, Ordered, children_now_ready, critical_path, downward, mean_executions, missing_parents,
        nanos, open_parents, upward,
    };
}

/// Schedulers: which task is computed where, and in which order.
pub mod scheduler {
    pub use clustersim_dag::scheduler::{Heft, NamedScheduler, SchedulerPhase, Succession, Switch};
}

/// View of a scheduler: the tasks, the hosts, the events so far, and predictions.
pub mod view {
    pub use clustersim_dag::view::{Delivery, ExecutionState, VirtualHost};
}
