//! Sources of the graphs of applications, and the requests that they answer.
//!
//! A source is built from a scenario without touching any file; [`WorkflowSource::load`] then reads
//! or draws the graph. What it objects to is reported at the key that is at fault, or at the line
//! of the file.

use std::fmt;
use std::path::Path;

use crate::kernel::rng::{Stream, Streams};
use crate::means::MeanCosts;
use crate::read::LoadedWorkflow;
use crate::registry::Complaint;

/// Properties of the run that a source needs.
#[derive(Clone, Copy, Debug)]
pub struct CopyRequest<'a> {
    /// The random streams of the run.
    pub streams: Streams,
    /// The name of the application, which names its streams.
    pub name: &'a str,
    /// The number of the copy, from 0: each draws from streams of its own.
    pub copy: u64,
    /// The hosts, for costs that are drawn for each.
    pub hosts: &'a [&'a str],
    /// Mean costs of the platform, for data that are scaled to computations.
    pub means: MeanCosts,
    /// True if it is to be executed: a graph in which nothing costs anything is of no use then.
    pub is_run: bool,
}

impl<'a> CopyRequest<'a> {
    /// The first copy, where no platform is known.
    pub fn new(streams: Streams, name: &'a str) -> Self {
        CopyRequest { streams, name, copy: 0, hosts: &[], means: MeanCosts::default(), is_run: false }
    }

    /// The stream for one purpose: `dag/NAME/PURPOSE`, of further copies `dag/NAME-COPY/PURPOSE`.
    pub(super) fn draws_for(&self, purpose: &str) -> Stream {
        let name = match self.copy {
            0 => self.name.to_owned(),
            copy => format!("{}-{copy}", self.name),
        };
        self.streams.stream(&format!("dag/{name}/{purpose}"))
    }
}

/// A source of graphs.
pub trait WorkflowSource: fmt::Debug {
    /// Reads or draws the graph of one copy of the application.
    ///
    /// # Errors
    /// Everything that is wrong with the input, each at its place.
    fn load(&self, request: &CopyRequest<'_>) -> Result<LoadedWorkflow, Vec<Complaint>>;

    /// The files it reads: as the scenario names them, and from where the program runs.
    fn inputs(&self) -> Vec<(&str, &Path)> {
        Vec::new()
    }

    /// Returns true if it draws random numbers; if not, every copy is the same graph.
    fn draws(&self) -> bool;
}
