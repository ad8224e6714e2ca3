//! Sources of applications, and the requests that they answer.
//!
//! A source is built from a scenario without touching any file; [`SweepSource::load`] then reads or
//! draws the application. What it objects to is reported at the key that is at fault, or at the
//! line of the file.
//!
//! [`recorded`]: files; `generate`: what is drawn; [`scaled`]: sizes of files after a ratio;
//! [`report`]: what an application is like.

mod generate;
pub mod recorded;
pub mod report;
pub mod scaled;

use std::fmt;
use std::path::Path;

use crate::kernel::rng::{Stream, Streams};
use crate::model::application::Sweep;
use crate::registry::{Complaint, Table};

pub use crate::model::grid::GridMeans;

/// Properties of the run that a source needs.
#[derive(Clone, Copy, Debug)]
pub struct SweepRequest<'a> {
    /// The random streams of the run.
    pub streams: Streams,
    /// The name of the application, which names its streams.
    pub name: &'a str,
    /// The grid, if there is one.
    pub grid: Option<GridMeans>,
}

impl<'a> SweepRequest<'a> {
    /// An application for no grid in particular.
    pub fn new(streams: Streams, name: &'a str) -> Self {
        SweepRequest { streams, name, grid: None }
    }

    /// The stream for one purpose: `sweep/NAME/PURPOSE`.
    pub(crate) fn draws_for(&self, purpose: &str) -> Stream {
        let name = self.name;
        self.streams.stream(&format!("sweep/{name}/{purpose}"))
    }
}

/// An application, and what of it may not be as its author meant it.
#[derive(Clone, Debug)]
pub struct LoadedSweep {
    /// The application.
    pub sweep: Sweep,
    /// Warnings about doubtful values.
    pub warnings: Vec<Complaint>,
}

impl From<Sweep> for LoadedSweep {
    fn from(sweep: Sweep) -> Self {
        LoadedSweep { sweep, warnings: Vec::new() }
    }
}

/// A source of applications.
pub trait SweepSource: fmt::Debug {
    /// Reads or draws the application.
    ///
    /// # Errors
    /// Everything that is wrong with the input, each at its place.
    fn load(&self, request: &SweepRequest<'_>) -> Result<LoadedSweep, Vec<Complaint>>;

    /// The files it reads: as the scenario names them, and from where the program runs.
    fn inputs(&self) -> Vec<(&str, &Path)> {
        Vec::new()
    }

    /// Returns true if it draws random numbers; if not, every run has the same application.
    fn draws(&self) -> bool;
}

/// The applications by name.
pub fn table() -> Table<dyn SweepSource> {
    let entries: Vec<_> = recorded::ENTRIES.iter().chain(generate::ENTRIES).copied().collect();
    Table::new("sweep", "independent tasks and the files that they share", &entries)
}
