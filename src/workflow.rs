//! Task graphs: workflows and other applications that are directed acyclic graphs.

pub use clustersim_workflow::{
    DataFiles, Edge, EdgeNumber, Efficiency, External, FileNumber, HostTimes, Irregularities, Irregularity,
    MeanCosts, Properties, Task, TaskNumber, Workflow,
};

/// Files of task graphs, of every format, plain or gzip.
pub mod read {
    pub use clustersim_workflow::read::{GraphFormat, LoadedWorkflow, ReadOptions, read};
}

/// Sources of the graphs of applications, and the requests that they answer.
pub mod source {
    pub use clustersim_workflow::source::{CopyRequest, WorkflowSource};
}
