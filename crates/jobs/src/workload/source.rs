//! Sources of the jobs of a scenario, and the workload that they hand over.
//!
//! A source is built from a scenario without touching any file; [`Source::load`] then reads or
//! draws the jobs. What it objects to is reported at the key that is at fault, or at the line of
//! the log.
//!
//! A run is given a [`Workload`]: jobs, and what their users do with them besides submitting them.
//! All but the jobs is kept next to them and only where it is asked for, so that a job stays small
//! and a run without it pays nothing.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::kernel::rng::Streams;
use crate::registry::{Bounds, Complaint, Key, Kind, Span, code, key, reason};
use crate::text;
use crate::units::Calendar;
use crate::workload::cancellation::Cancellations;
use crate::workload::dependency::Dependencies;
use crate::workload::moldable::Moldable;
use crate::workload::parallel::Applications;
use crate::workload::resources::Demands;
use crate::workload::swf::{Header, Report};
use crate::workload::{Attributes, Job};

pub use crate::registry::Problem;

/// Facts about the run that a source needs.
#[derive(Clone, Copy, Debug)]
pub struct LoadRequest {
    /// Processors of the machine, if the scenario states them.
    pub procs: Option<u32>,
    /// The random streams of the run.
    pub streams: Streams,
}

impl LoadRequest {
    /// Processors of the machine for `workload`, named at `at`, which does not know them.
    ///
    /// # Errors
    /// The scenario does not state it.
    pub(super) fn processors(&self, workload: &str, at: Span) -> Result<u32, Complaint> {
        self.procs.ok_or_else(|| {
            let message = format!("{workload} does not state how large the machine is");
            let complaint = Complaint::new(code::MISSING_KEY, message, at);
            complaint.help("write `nodes = N` or `procs = N` in [cluster]")
        })
    }
}

/// The jobs of a run.
#[derive(Clone, Debug, Default)]
pub struct LoadedWorkload {
    /// The jobs, in order of submission.
    pub jobs: Vec<Job>,
    /// Processors of the machine: as the scenario states, or else the log's header.
    pub procs: u32,
    /// The name of the workload in outputs.
    pub name: String,
    /// Statements of the log about itself, and the report of reading it.
    pub log: Option<(Header, Report)>,
    /// Time 0 of the run in Unix seconds, if the log states it.
    pub unix_origin: Option<i64>,
    /// The date of time 0 of the run, if the log states it.
    pub calendar: Option<Calendar>,
    /// True if random numbers were drawn: if not, every replication has these very jobs.
    pub drew: bool,
    /// The work of each job's tasks; `None` for rigid jobs, of which nothing more is known.
    pub applications: Option<Arc<Applications>>,
    /// Demands of the jobs beyond processors, as far as their source states them.
    pub demands: Demands,
    /// Attributes of the jobs that only outputs show, by their places.
    pub attributes: Arc<Attributes>,
    /// Jobs that wait for others, if that was asked for.
    pub dependencies: Option<Arc<Dependencies>>,
    /// Jobs that are cancelled, if that was asked for.
    pub cancellations: Option<Arc<Cancellations>>,
    /// True if jobs may be killed at walltimes of their own ([`Job::killed`]).
    pub kills: bool,
}

impl LoadedWorkload {
    /// Jobs of which nothing more is known, and for which nothing was drawn.
    pub fn new(jobs: Vec<Job>, procs: u32, name: impl Into<String>) -> Self {
        LoadedWorkload { jobs, procs, name: name.into(), ..LoadedWorkload::default() }
    }
}

/// The work of a run.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// The jobs, in order of submission.
    pub jobs: Arc<Vec<Job>>,
    /// Attributes of the jobs that only outputs show, by their places.
    pub attributes: Arc<Attributes>,
    /// Jobs that wait for others.
    pub dependencies: Option<Arc<Dependencies>>,
    /// Jobs that are cancelled, and when.
    pub cancellations: Option<Arc<Cancellations>>,
    /// Jobs that may be given other sizes, and how long they run then.
    pub moldable: Option<Arc<Moldable>>,
    /// True if some jobs may be killed at walltimes of their own, whatever the site does.
    pub kills: bool,
}

/// The habits of users in a run, as far as its figures depend on them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Habits {
    /// True if jobs may wait for others.
    pub depends: bool,
    /// True if users submit jobs when others have ended.
    pub follows: bool,
    /// True if users may cancel jobs.
    pub cancels: bool,
    /// True if users let the scheduler choose how many processors their jobs get.
    pub molds: bool,
    /// True if users submit jobs that are killed at walltimes of their own.
    pub kills: bool,
}

impl Workload {
    /// The habits of their users.
    pub fn habits(&self) -> Habits {
        Habits {
            depends: self.dependencies.is_some(),
            follows: self.dependencies.as_ref().is_some_and(|all| all.has_think_times()),
            cancels: self.cancellations.is_some(),
            molds: self.moldable.is_some(),
            kills: self.kills,
        }
    }
}

impl Habits {
    /// All that there is.
    pub const ALL: Habits = Habits { depends: true, follows: true, cancels: true, molds: true, kills: true };

    /// The habits of either.
    #[must_use]
    pub fn or(self, other: Habits) -> Habits {
        Habits {
            depends: self.depends || other.depends,
            follows: self.follows || other.follows,
            cancels: self.cancels || other.cancels,
            molds: self.molds || other.molds,
            kills: self.kills || other.kills,
        }
    }
}

impl From<Arc<Vec<Job>>> for Workload {
    fn from(jobs: Arc<Vec<Job>>) -> Self {
        Workload { jobs, ..Workload::default() }
    }
}

/// A source of jobs.
pub trait Source: fmt::Debug {
    /// Reads or draws the jobs.
    ///
    /// # Errors
    /// Everything that is wrong with the input, each at its place.
    fn load(&self, request: &LoadRequest) -> Result<LoadedWorkload, Vec<Complaint>>;

    /// The files it reads: as the scenario names them, and from where the program runs.
    fn inputs(&self) -> Vec<(&str, &Path)> {
        Vec::new()
    }
}

pub(super) const LOAD: Key = key! {
    "load" Kind::Number(Bounds::Positive), absent "inter-arrival times as they are" =>
        "the offered load that inter-arrival times are scaled to, a share of the machine",
        source "D. G. Feitelson, Workload Modeling, 2015"
};

/// Opens an input file that a scenario calls `written`, at `span`.
pub fn open(path: &Path, written: &str, span: Span) -> Result<File, Complaint> {
    let unreadable = |why: &str| {
        Complaint::new(code::FILE, format!("cannot read `{written}`: {why}"), span).label("named here")
    };
    text::open(path).map_err(|error| unreadable(&reason(&error)))
}

/// The file's name without the ending of its compression and `ending`.
pub fn stem(path: &Path, ending: &str) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    name.strip_suffix(ending).unwrap_or(name).to_owned()
}
