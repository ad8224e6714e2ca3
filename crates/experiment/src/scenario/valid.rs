//! A valid scenario, and one that is not, with all that is wrong with it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::registry::{Complaint, Node, Params, Registry, Sources, Value, to_toml};
use crate::scenario::expect::Expectation;
use crate::scenario::kept_runs::KeptRuns;
use crate::scenario::outside::unquoted;
use crate::scenario::system::System;
use crate::text::MOST_MISTAKES;

/// The key of a workload that makes a log random.
const RANDOMIZE: &str = "randomize";

/// A scenario in which every value is valid and every default is filled in.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Title of the scenario.
    pub title: String,
    /// The root of every random stream.
    pub seed: u64,
    /// Number of the replication, from 0: each draws other numbers from the seed.
    pub replication: u64,
    /// Instant at which the run ends at the latest.
    pub until: Option<SimTime>,
    /// Decisions in a row that complete nothing, after which a run is given up.
    pub give_up_after: u64,
    /// True if `report.html` is written.
    pub record_report: bool,
    /// True if `trace.pftrace` is written.
    pub record_trace: bool,
    /// True if the rows of a run are also written in Parquet; of a study, `results.parquet`.
    pub record_parquet: bool,
    /// Runs that a study of it keeps at this point.
    pub record_runs: KeptRuns,
    /// System that it simulates.
    pub system: &'static dyn System,
    /// The bounds the metrics are held to.
    pub expectations: Vec<Expectation>,
    /// The text of the main file.
    pub text: String,
    pub(super) own: Arc<dyn Any + Send + Sync>,
    pub(super) root: Node,
    pub(super) sources: Sources,
}

/// A scenario that is not valid.
#[derive(Debug)]
pub struct Rejected {
    /// The texts that the complaints point into.
    pub sources: Sources,
    /// Complaints, in the order of the texts.
    pub complaints: Vec<Complaint>,
}

impl Scenario {
    /// Streams of random numbers of the replication.
    pub fn streams(&self) -> Streams {
        Streams::new(self.seed, self.replication)
    }

    /// Values, to build the models from.
    pub fn params<'a>(&'a self, registry: &'a Registry) -> Params<'a> {
        Params::new(registry, &self.sources, &self.root)
    }

    /// The features that a build must have to give all its results, and the versions of data that
    /// are built into it. Other features make no difference to any of its bytes, so they are no
    /// part of what a run is known by: they stand in the block `invocation` of a manifest.
    pub fn features(&self) -> Vec<&'static str> {
        let mut needed = self.root.as_table().map(|root| self.system.needs(root)).unwrap_or_default();
        if self.record_parquet && !needed.contains(&"parquet") {
            needed.push("parquet");
        }
        needed
    }

    /// The whole scenario with every default filled in, as TOML. Running it gives the same results.
    pub fn resolved(&self) -> String {
        self.root.as_table().map(to_toml).unwrap_or_default()
    }

    /// The same scenario as another of its replications.
    #[must_use]
    pub fn with_replication(&self, replication: u64) -> Self {
        let mut other = Scenario { replication, ..self.clone() };
        if let Value::Table(tree) = &mut other.root.value
            && let Some(span) = tree.slot("run").map(|run| run.span)
            && let Some(run) = tree.table_mut("run")
        {
            run.set("replication", span, Value::Integer(i64::try_from(replication).unwrap_or(i64::MAX)));
        }
        other
    }

    /// First replication with the log as recorded; `None` unless the log is randomized.
    #[must_use]
    pub fn as_recorded(&self) -> Option<Self> {
        let mut recorded = self.with_replication(0);
        let Value::Table(tree) = &mut recorded.root.value else { return None };
        tree.table_mut("workload")?.take(RANDOMIZE)?;
        Some(recorded)
    }

    /// Returns true if its log is randomized, so that [`Scenario::as_recorded`] is another run.
    pub fn is_randomized(&self) -> bool {
        self.root.table_at("workload").is_some_and(|workload| workload.slot(RANDOMIZE).is_some())
    }

    /// Values as a table, every default filled in.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Settings that its system read, if they are a `T`.
    pub fn own<T: Any>(&self) -> Option<&T> {
        (*self.own).downcast_ref()
    }

    /// The texts it was read from.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The same scenario, rejected after all for what building it found.
    pub fn reject(&self, complaint: Complaint) -> Box<Rejected> {
        self.reject_all(vec![complaint])
    }

    /// As [`Scenario::reject`], for several reasons.
    pub fn reject_all(&self, complaints: Vec<Complaint>) -> Box<Rejected> {
        let complaints = complaints.into_iter().map(|complaint| unquoted(&self.sources, complaint)).collect();
        Box::new(Rejected { sources: self.sources.clone(), complaints })
    }
}

impl Rejected {
    /// Number of mistakes, with those that are only counted.
    pub fn count(&self) -> u64 {
        self.complaints.iter().map(|complaint| 1 + complaint.besides).sum()
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.complaints.len().min(MOST_MISTAKES);
        for (index, complaint) in self.complaints.iter().take(MOST_MISTAKES).enumerate() {
            let end = if index + 1 == shown { "" } else { "\n" };
            match complaint.span {
                Some(span) => {
                    let (line, column) = self.sources.place(span);
                    write!(f, "{}:{line}:{column}: {complaint}{end}", self.sources.name(span.source))?;
                }
                None => write!(f, "{complaint}{end}")?,
            }
        }
        match self.count() - shown as u64 {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Rejected {}
