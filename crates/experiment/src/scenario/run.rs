//! A run of whatever system: ready to begin, and what it hands over when it is over.
//!
//! `Scenario` → [`Run`] → [`Results`]: a run owns its inputs and is made, run and read on one
//! thread. What is written, printed and drawn of it asks its results, and knows no system.

use std::any::Any;
use std::path::PathBuf;
use std::{fmt, io};

use serde_json::{Map, Value as Json};
use tracing::info;

use crate::fidelity::{ErrorCause, FidelityRules, ReplayFacts, ReplayedJob};
use crate::kernel::stats::WarmUp;
use crate::kernel::{Digest, SimError, SimTime};
use crate::measure::class::Class;
use crate::measure::cohort::Cohort;
use crate::measure::half_widths::{HalfWidth, half_widths, warning};
use crate::measure::input_counts::InputCounts;
use crate::measure::metric::Metric;
use crate::measure::rejections::Rejections;
use crate::measure::signs::{Signs, Warning};
use crate::output::{Explanation, Files, LaneSource, Pictures, RowSource, Shown, TableFormat};
use crate::registry::{Complaint, Registry, code};
use crate::scenario::expect::Broken;
use crate::scenario::session::{Session, Subjects};
use crate::scenario::valid::Scenario;

/// A run that is ready to begin.
#[derive(Debug)]
pub struct Ready {
    /// The run.
    pub run: Box<dyn Run>,
    /// The files that it reads: as the scenario names them, and from where the program runs.
    pub inputs: Vec<(String, PathBuf)>,
    /// Notes on what was dropped or repaired of an input as it was read.
    pub notes: Vec<InputNote>,
    /// Warnings about input that may not be as its author meant it.
    pub warnings: Vec<Complaint>,
}

/// Note on the records of an input that were dropped or repaired.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputNote {
    /// All of it in one line.
    pub short: String,
    /// The same with the places where it happened, a line for each cause.
    pub long: Vec<String>,
}

/// Report of reading or drawing the inputs of a run.
#[derive(Debug, Default)]
pub struct Loading {
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// Notes on what was dropped or repaired of an input as it was read.
    pub notes: Vec<InputNote>,
    /// Warnings about input that may not be as its author meant it.
    pub warnings: Vec<String>,
}

impl Ready {
    /// A run that reads no files, and of which there is nothing to say.
    pub fn new(run: impl Run + 'static) -> Self {
        Ready { run: Box::new(run), inputs: Vec::new(), notes: Vec::new(), warnings: Vec::new() }
    }

    /// The same of a run that a function makes, whose lanes have these names.
    pub fn of<F>(lanes: Vec<String>, make: F) -> Self
    where
        F: FnOnce(&Session) -> Result<Box<dyn Results>, SimError> + 'static,
    {
        Ready::new(FunctionRun { lanes, make })
    }

    /// Asks for an explanation of a subject of the run, or else of one of its lanes; gives the name
    /// of the lane.
    ///
    /// # Errors
    /// The run has no such subject, and no such lane.
    pub fn explain(&mut self, asked: &str) -> Result<Option<String>, Complaint> {
        match self.run.explain(asked) {
            Err(_) if self.run.explain_lane(asked) => Ok(Some(asked.to_owned())),
            found => found.map(|()| None),
        }
    }

    /// Report of reading or drawing the inputs.
    pub fn loading(&self) -> Loading {
        Loading {
            files: self.inputs.iter().map(|(_, path)| path.clone()).collect(),
            notes: self.notes.clone(),
            warnings: self.warnings.iter().map(|warning| warning.message.clone()).collect(),
        }
    }
}

/// A run that is assembled: it owns its inputs.
pub trait Run: fmt::Debug {
    /// Asks for an explanation of one of its jobs, tasks or whatever it has, by number or name.
    ///
    /// # Errors
    /// There is none of it, or nothing that could be explained.
    fn explain(&mut self, asked: &str) -> Result<(), Complaint> {
        Err(Complaint::nowhere(code::JOB, format!("this run has no `{asked}` that could be explained")))
    }

    /// Asks for an explanation of a processor, host, link, server or queue by its name: of the lane
    /// of [`Results::explained_lanes`] that is called so. Returns false if the run has none of that
    /// name.
    fn explain_lane(&mut self, _asked: &str) -> bool {
        false
    }

    /// Subjects of the run, where they are counted beforehand.
    fn subjects(&self) -> Option<Subjects> {
        None
    }

    /// Runs it.
    ///
    /// # Errors
    /// A deadlock, time past its end, or what a model refuses.
    fn run(self: Box<Self>, session: &Session) -> Result<Box<dyn Results>, SimError>;
}

/// A run that a function makes.
struct FunctionRun<F> {
    lanes: Vec<String>,
    make: F,
}

impl<F> fmt::Debug for FunctionRun<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionRun").field("lanes", &self.lanes).finish_non_exhaustive()
    }
}

impl<F: FnOnce(&Session) -> Result<Box<dyn Results>, SimError>> Run for FunctionRun<F> {
    fn explain_lane(&mut self, asked: &str) -> bool {
        self.lanes.iter().any(|lane| lane == asked)
    }

    fn run(self: Box<Self>, session: &Session) -> Result<Box<dyn Results>, SimError> {
        (self.make)(session)
    }
}

impl Session {
    /// A session for a run of this scenario, with nothing asked for.
    pub fn of(scenario: &Scenario) -> Self {
        Session { give_up_after: scenario.give_up_after, ..Session::default() }
    }

    /// Makes a run, and logs its beginning and its end.
    ///
    /// # Errors
    /// As [`Run::run`].
    pub fn make(&self, scenario: &Scenario, run: Box<dyn Run>) -> Result<Box<dyn Results>, SimError> {
        let system = scenario.system.name();
        match run.subjects() {
            Some(Subjects { count, called }) => info!(system, count, "of" = called, "simulation begins"),
            None => info!(system, "simulation begins"),
        }
        let results = run.run(self)?;
        let figures = results.figures();
        match figures.ended {
            Some(at) => info!(at = at.as_secs_f64(), events = figures.events, "simulation ends"),
            None => info!(events = figures.events, "simulation ends"),
        }
        Ok(results)
    }
}

/// Results of a finished run.
pub trait Results: Any {
    /// Figures that every run has.
    fn figures(&self) -> &Figures;

    /// The members of its manifest that only runs of its system have.
    fn manifest(&self) -> Map<String, Json> {
        Map::new()
    }

    /// Tables that the scenario asks for, each with the format of its file.
    fn tables(&self, _scenario: &Scenario) -> Vec<(Box<dyn RowSource + '_>, TableFormat)> {
        Vec::new()
    }

    /// Timeline, if the run has one.
    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        None
    }

    /// The lanes that [`Run::explain_lane`] names; those of the timeline, if they are the same.
    fn explained_lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        self.lanes()
    }

    /// Writes the files that are in formats of other programs; `identity` is the hash of the
    /// resolved scenario.
    ///
    /// # Errors
    /// They cannot be written.
    fn write_others(&self, _scenario: &Scenario, _identity: &str, _files: &mut dyn Files) -> io::Result<()> {
        Ok(())
    }

    /// Jobs of a [`ScheduleReplay`](super::ScheduleReplay) with their recorded and simulated waits;
    /// none of other runs.
    fn replayed(&self) -> Vec<ReplayedJob> {
        Vec::new()
    }

    /// Pictures of its report: the figures of its system, of its tables.
    fn pictures(&self, scenario: &Scenario) -> Pictures<'_> {
        let mut tables: Vec<Box<dyn RowSource + '_>> = Vec::new();
        for (table, _) in self.tables(scenario) {
            // a table may be written in two formats
            if tables.iter().all(|known| known.table().name != table.table().name) {
                tables.push(table);
            }
        }
        Pictures::new(scenario.system.figures(), tables)
    }

    /// Statistics, lines, shares and lists that stand on the terminal; the default is every metric.
    fn shown(&self) -> Shown<'_> {
        Shown::default()
    }

    /// Explanation that was asked for.
    fn explanation(&self) -> Option<Explanation> {
        None
    }
}

/// Figures that every run has when it is over, whatever its system.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The metrics, in the order in which they are shown.
    pub metrics: Vec<Metric>,
    /// The classes of what ran, each with its figures, where classes are distinguished.
    pub classes: Vec<Class>,
    /// True if the classes are the same in every replication, so that a study compares them.
    pub stable_classes: bool,
    /// Hash over all that happened.
    pub digest: Digest,
    /// Resumptions of processes.
    pub events: u64,
    /// Instant of the end of the run, if it is stated.
    pub ended: Option<SimTime>,
    /// True if a random number was drawn: if not, every replication is this run.
    pub drew: bool,
    /// Part left out at the beginning; `None` where nothing ever is.
    pub cut: Option<WarmUpCut>,
    /// Half-widths of the means of this one run.
    pub half_widths: Vec<HalfWidth>,
    /// Counts of what reading an input did to its records, if there is such an input.
    pub log: Option<InputCounts>,
    /// Rejections by reason.
    pub rejections: Vec<Rejections>,
    /// Reasons to doubt the figures, the gravest first.
    pub warnings: Vec<Warning>,
    /// Notes on the figures that are no reason to doubt them.
    pub notes: Vec<Warning>,
}

/// Part of a run left out of the statistics at its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmUpCut {
    /// Accepted jobs that were left out.
    pub jobs: u64,
    /// True if an end of the warm-up was found; `None` if it was not to be found but stated.
    pub found: Option<bool>,
}

impl Figures {
    /// The figures of a run of which nothing is left out at the beginning: its metrics, its digest,
    /// how many resumptions it took, and whether a random number was drawn.
    pub fn new(metrics: Vec<Metric>, digest: Digest, events: u64, drew: bool) -> Self {
        Figures {
            metrics,
            classes: Vec::new(),
            stable_classes: false,
            digest,
            events,
            ended: None,
            drew,
            cut: None,
            half_widths: Vec::new(),
            log: None,
            rejections: Vec::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The same with the signs of a cohort, before other warnings: more work comes than is done, or
    /// the beginning still shows. And with the half-widths of its means.
    #[must_use]
    pub fn with_signs_of(mut self, cohort: &dyn Cohort, warm_up: WarmUp) -> Self {
        self.warnings.splice(0..0, Signs::of(cohort, warm_up).warnings());
        self.with_half_widths_of(cohort, warm_up)
    }

    /// The same with the half-widths of the means of a cohort, if anything was drawn; and last of
    /// all warnings that they are too narrow, if they are.
    #[must_use]
    pub fn with_half_widths_of(mut self, cohort: &dyn Cohort, warm_up: WarmUp) -> Self {
        if self.drew {
            self.half_widths = half_widths(cohort, warm_up);
        }
        self.warnings.extend(warning(&self.half_widths));
        self
    }

    /// The metric of this name, if the run has it.
    pub fn find(&self, metric: &str) -> Option<&Metric> {
        self.metrics.iter().find(|known| known.name == metric)
    }

    /// The value of a metric; `None` if the run does not have it, or nothing was observed.
    pub fn number(&self, metric: &str) -> Option<f64> {
        self.find(metric).and_then(Metric::number)
    }

    /// The expectations of `scenario` that the metrics break.
    pub fn broken(&self, scenario: &Scenario) -> Vec<Broken> {
        scenario.expectations.iter().filter_map(|expected| expected.broken_by(&self.metrics)).collect()
    }
}

/// Request for a replay.
#[derive(Clone, Copy)]
pub struct ReplayRequest<'a> {
    /// The components.
    pub registry: &'a Registry,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The rules of the account, which state the machine.
    pub rules: &'a FidelityRules,
    /// Causes whose jobs start as recorded.
    pub as_recorded: &'a [ErrorCause],
}

/// A replay that is ready to begin: [`Results::replayed`](Results::replayed) has its jobs.
#[derive(Debug)]
pub struct ScheduleReplay {
    /// The run.
    pub ready: Ready,
    /// Machine and jobs of the run.
    pub facts: ReplayFacts,
}
