//! A run of whatever system: ready to begin, over, and what every run tells when it is over.

use std::path::PathBuf;

use crate::instrument::batches::HalfWidth;
use crate::instrument::metrics::Metric;
use crate::instrument::signs::Warning;
use crate::instrument::task_metrics::Class;
use crate::kernel::Digest;
use crate::registry::{Complaint, Registry};
use crate::scenario::agents::{self, Assembly, assemble};
use crate::scenario::build::{Cut, Experiment, Finished, build, workload};
use crate::scenario::check::{Rejected, Scenario};
use crate::scenario::expect::Broken;
use crate::scenario::failures;
use crate::scenario::system::System;

/// A run that is ready to begin.
#[derive(Debug)]
pub struct Ready {
    /// The run.
    pub run: Run,
    /// The files that it reads: as the scenario names them, and from where the program runs.
    pub inputs: Vec<(String, PathBuf)>,
    /// What of the input may not be as its author meant it.
    pub warnings: Vec<Complaint>,
}

/// A run that is ready to begin, by its system.
#[derive(Debug)]
pub enum Run {
    /// Jobs on a cluster.
    Cluster(Box<Experiment>),
    /// Agents on a platform.
    Agents(Box<Assembly>),
}

/// What every run tells when it is over.
#[derive(Debug)]
pub struct Figures<'a> {
    /// The metrics, in the order in which they are shown.
    pub metrics: &'a [Metric],
    /// The classes of what ran, each with its figures, where they are told apart.
    pub classes: &'a [Class],
    /// Hash over all that happened.
    pub digest: Digest,
    /// Resumptions of processes.
    pub events: u64,
    /// Whether a random number was drawn: if not, every replication is this run.
    pub drew: bool,
    /// What was left out at the beginning; `None` where nothing ever is.
    pub cut: Option<Cut>,
    /// How far off the means of this one run may be.
    pub half_widths: &'a [HalfWidth],
    /// Reasons to doubt the figures, the gravest first.
    pub warnings: Vec<Warning>,
    /// What is good to know of the figures and no reason to doubt them.
    pub notes: Vec<Warning>,
}

/// Reads or draws all that a run needs.
///
/// # Errors
/// What is wrong with the input, at its place.
pub fn ready(registry: &Registry, scenario: &Scenario) -> Result<Ready, Box<Rejected>> {
    match &scenario.system {
        System::Cluster(_) => {
            let source = workload(registry, scenario)?;
            let experiment = build(registry, scenario, source.as_ref())?;
            let inputs = failures::inputs(registry, scenario, source.as_ref());
            Ok(Ready { run: Run::Cluster(Box::new(experiment)), inputs, warnings: Vec::new() })
        }
        System::Agents(agents) => assemble(registry, scenario, *agents),
    }
}

/// The files that a run reads, as the scenario names them and from where the program runs.
///
/// # Errors
/// A workload whose values contradict each other.
pub fn files(registry: &Registry, scenario: &Scenario) -> Result<Vec<(String, PathBuf)>, Box<Rejected>> {
    match &scenario.system {
        System::Cluster(_) => {
            Ok(failures::inputs(registry, scenario, workload(registry, scenario)?.as_ref()))
        }
        System::Agents(_) => Ok(agents::inputs(&scenario.params(registry))),
    }
}

impl Finished {
    /// What every run tells.
    pub fn figures(&self) -> Figures<'_> {
        Figures {
            metrics: &self.metrics,
            classes: &self.classes,
            digest: self.outcomes.digest,
            events: self.outcomes.events,
            drew: self.drew,
            cut: Some(self.warm_up_cut),
            half_widths: &self.half_widths,
            warnings: self.warnings(),
            notes: self.notes(),
        }
    }
}

impl Figures<'_> {
    /// The expectations of `scenario` that the metrics break.
    pub fn broken(&self, scenario: &Scenario) -> Vec<Broken> {
        scenario.expectations.iter().filter_map(|expected| expected.broken_by(self.metrics)).collect()
    }
}
