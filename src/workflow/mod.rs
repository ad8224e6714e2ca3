//! Task graphs: workflows and other applications that are directed acyclic graphs.
//!
//! A [`Workflow`] is a graph of tasks with their costs and of edges with their data. It is read from a file of another program,
//! generated, or put together by a [`Draft`], and written in any of the formats. Nothing here
//! knows how a task is scheduled or what the platform is.

mod draft;
mod finish;
mod graph;
mod names;
pub mod read;

pub use draft::{
    Draft, FileKey, Irregularities, Irregularity, MOST_EDGES, MOST_TASKS, Mistake, Origin, Spot, Vertex,
    VertexKind,
};
pub use graph::{DataFile, Edge, EdgeNumber, External, FileNumber, Properties, Task, TaskNumber, Workflow};
