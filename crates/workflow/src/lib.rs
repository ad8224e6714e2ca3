//! Task graphs: workflows and other applications that are directed acyclic graphs.
//!
//! A [`Workflow`] is a graph of tasks with their costs and of edges with their data. It is read
//! from a file of another program, generated, or put together by a [`Draft`], and written in any of
//! the formats. Nothing here knows how a task is scheduled or what the platform is.

mod data_files;
mod draft;
mod efficiency;
mod finish;
pub mod generate;
mod graph;
mod laws;
mod means;
mod memory;
mod merge;
mod mixed;
mod names;
mod order;
mod paths;
pub mod read;
mod recorded;
pub mod report;
pub mod source;
#[cfg(test)]
mod tests;
pub mod write;

pub use draft::{
    Draft, EdgeOrigin, FileKey, Irregularities, Irregularity, MOST_EDGES, MOST_TASKS, Vertex, VertexKind,
};
pub use efficiency::{Efficiency, efficiencies};
pub use graph::{
    DataFiles, Edge, EdgeNumber, External, FileNumber, HostTimes, Properties, Task, TaskNumber, Workflow,
};
pub use means::MeanCosts;
pub use memory::bytes_of_task;

pub use crate::text::{Mistake, Spot};

use crate::registry::Table;

/// The applications by name.
pub fn applications() -> Table<dyn source::WorkflowSource> {
    let entries: Vec<_> =
        recorded::ENTRIES.iter().chain(generate::ENTRIES).chain([&mixed::ENTRY]).copied().collect();
    Table::new("application", "the tasks and what must come before what", &entries)
}

pub(crate) use clustersim_kernel as kernel;
#[cfg(test)]
pub(crate) use clustersim_language::distribution;
pub(crate) use clustersim_language::{collections, registry, text, units};
