//! Where the jobs of a scenario come from: `[workload] kind = "swf"` or `"synthetic"`.
//!
//! A source is built from a scenario without touching any file; [`Source::load`] then reads or draws the jobs. What
//! it objects to is told at the key that is at fault, or at the line of the log. A log of any [`Format`] is cut,
//! made random and scaled alike ([`Recorded`]).

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::info;

use crate::kernel::rng::{Sampler, Streams};
use crate::registry::code;
use crate::registry::{Absent, Bounds, Complaint, Entry, Key, Kind, Params, Quantity, Span, Table, reason};
use crate::text;
use crate::units::{Calendar, Moment};
use crate::workload::cancellation::{self, CANCELLED, Cancellations, PATIENCE};
use crate::workload::dependency::links::PRECEDING;
use crate::workload::dependency::table::DEPENDENCIES;
use crate::workload::dependency::{Dependencies, Preceding};
use crate::workload::estimate::{Floor, Rule, Source as Estimates};
use crate::workload::moldable::MOLDABLE;
use crate::workload::parallel::Applications;
use crate::workload::parallel::stream::PARALLEL;
use crate::workload::parallel::structure::Structure;
use crate::workload::parallel::trace_source::TASK_TRACE;
use crate::workload::randomization::Randomization;
use crate::workload::resources::{DEMAND, Demands};
use crate::workload::swf::{self, Header, Log, MEMORY_KEY, Memory, Report};
use crate::workload::synthetic::{
    DOWNEY, DrawError, ESTIMATES, JOBS, LUBLIN_FEITELSON, LUBLIN_FEITELSON_WHOLE, Rigid, count_of_jobs,
};
use crate::workload::{Job, load};

pub use crate::workload::problem::Problem;

/// What a source needs to know of the run.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Processors of the machine, if the scenario tells.
    pub procs: Option<u32>,
    /// The random streams of the run.
    pub streams: Streams,
}

/// The jobs of a run.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The jobs, in order of submission.
    pub jobs: Vec<Job>,
    /// Processors of the machine: as the scenario tells, or else the log's header.
    pub procs: u32,
    /// What outputs call the workload.
    pub name: String,
    /// What a log says about itself, and what reading it had to do.
    pub log: Option<(Header, Report)>,
    /// Where time 0 of the run is, in Unix seconds, if the log tells.
    pub unix_origin: Option<i64>,
    /// The date of time 0 of the run, if the log tells.
    pub calendar: Option<Calendar>,
    /// Whether random numbers were drawn: if not, every replication has these very jobs.
    pub drew: bool,
    /// What the tasks of each job do; `None` for rigid jobs, of which nothing more is known.
    pub applications: Option<Arc<Applications>>,
    /// What they ask for beyond processors, as far as their source tells.
    pub demands: Demands,
    /// Which jobs wait for others, if that was asked for.
    pub dependencies: Option<Arc<Dependencies>>,
    /// Which jobs are cancelled, if that was asked for.
    pub cancellations: Option<Arc<Cancellations>>,
}

/// A source of jobs.
pub trait Source: fmt::Debug {
    /// Reads or draws the jobs.
    ///
    /// # Errors
    /// Everything that is wrong with the input, each at its place.
    fn load(&self, request: &Request) -> Result<Loaded, Vec<Complaint>>;

    /// The files it reads: as the scenario names them, and from where the program runs.
    fn inputs(&self) -> Vec<(&str, &Path)>;
}

/// The sources by name.
pub fn table() -> Table<dyn Source> {
    Table::new(
        "workload",
        "the jobs and when they are submitted",
        &[DOWNEY, LUBLIN_FEITELSON, LUBLIN_FEITELSON_WHOLE, PARALLEL, SWF, SYNTHETIC, TASK_TRACE],
    )
}

pub(super) const LOAD: Key = Key {
    name: "load",
    kind: Kind::Number(Bounds::Positive),
    default: Absent::Means("inter-arrival times as they are"),
    about: "the offered load that inter-arrival times are scaled to, a share of the machine",
    source: "D. G. Feitelson, Workload Modeling, 2015",
};

/// Keys that logs in the Standard Workload Format share with those of other formats: all but the last two.
pub(crate) const SHARED: usize = SWF.keys.len() - 2;

/// Logs in the Standard Workload Format.
pub(crate) const SWF: Entry<dyn Source> = Entry {
    name: "swf",
    about: "a log in the Standard Workload Format, .swf or .swf.gz",
    source: "S. J. Chapin et al., JSSPP 1999; version 2.2 of the Parallel Workloads Archive",
    keys: &[
        Key { name: "file", kind: Kind::Path, default: Absent::Error, about: "the log", source: "" },
        Key {
            name: "from",
            kind: Kind::Moment(Bounds::NotNegative),
            default: Absent::Means("from its first job"),
            about: "jobs submitted earlier than this are left out: a span after the first one, a date, or a weekday from the first one on",
            source: "",
        },
        Key {
            name: "to",
            kind: Kind::Moment(Bounds::Positive),
            default: Absent::Means("to its last job"),
            about: "jobs submitted then, or later, are left out: a span after the first one, a date, or a weekday from the first one on",
            source: "",
        },
        Key {
            name: "randomize",
            kind: Kind::Component("randomization"),
            default: Absent::Means("the log as it is: nothing is drawn"),
            about: "what makes the log random, so that every replication meets another one",
            source: "",
        },
        LOAD,
        Key {
            name: "estimates",
            kind: Kind::Choice(&[
                ("requested", "the requested time (field 9), or the run time where none is recorded"),
                ("exact", "the run time"),
            ]),
            default: Absent::Text("requested"),
            about: "what schedulers are told about run times",
            source: "",
        },
        Key {
            name: "estimate-floor",
            kind: Kind::Choice(&[
                ("run-time", "an estimate below the run time is raised to it"),
                ("none", "estimates stay as they are, and jobs may overrun them"),
            ]),
            default: Absent::Text("run-time"),
            about: "what an estimate is raised to; unless written, nothing where jobs are killed at it (`cluster.kill-at-estimate`)",
            source: "",
        },
        Key {
            name: "structure",
            kind: Kind::Component("structure"),
            default: Absent::Means("nothing is assumed: a job occupies its processors and no more is known"),
            about: "what the tasks of every job are assumed to do, one on each processor, until its run time is filled",
            source: "",
        },
        MEMORY_KEY,
        DEMAND,
        DEPENDENCIES,
        PATIENCE,
        MOLDABLE,
        CANCELLED,
        PRECEDING,
    ],
    build: |params| Ok(Box::new(Recorded::read(params, Box::new(Swf))?)),
};

const fn drawn(name: &'static str, of: Quantity, about: &'static str) -> Key {
    Key { name, kind: Kind::Distribution(of), default: Absent::Error, about, source: "" }
}

const SYNTHETIC: Entry<dyn Source> = Entry {
    name: "synthetic",
    about: "rigid jobs whose arrivals, sizes, run times and estimates are drawn from distributions",
    source: "",
    keys: &[
        JOBS,
        drawn("arrivals", Quantity::Duration, "time from one submission to the next"),
        drawn("sizes", Quantity::Count, "processors a job needs"),
        drawn("run-times", Quantity::Duration, "how long a job runs"),
        ESTIMATES,
        LOAD,
        DEMAND,
        DEPENDENCIES,
        PATIENCE,
        MOLDABLE,
    ],
    build: |params| Ok(Box::new(Synthetic::read(params)?)),
};

/// How the text of a log becomes jobs.
pub trait Format: fmt::Debug {
    /// Reads the log; the options are those that every format has.
    ///
    /// # Errors
    /// What is wrong with it, at its place.
    fn read(&self, file: File, options: &swf::Options) -> Result<Log, Problem>;

    /// How the names of such files end, `.gz` aside.
    fn ending(&self) -> &'static str;

    /// What a log that does not tell how large its machine was lacks, in words that follow its name.
    fn lacks_machine(&self) -> &'static str;

    /// The file that is read beside the log, if there is one: as written, and from where the program runs.
    fn beside(&self) -> Option<(&str, &Path)> {
        None
    }
}

#[derive(Debug)]
struct Swf;

impl Format for Swf {
    fn read(&self, file: File, options: &swf::Options) -> Result<Log, Problem> {
        Ok(swf::read_from(file, options)?)
    }

    fn ending(&self) -> &'static str {
        ".swf"
    }

    fn lacks_machine(&self) -> &'static str {
        "has no `; MaxProcs:` line"
    }
}

/// A log and what is made of it.
#[derive(Debug)]
pub struct Recorded {
    format: Box<dyn Format>,
    written: String,
    file: PathBuf,
    options: swf::Options,
    randomize: Option<Box<dyn Randomization>>,
    load: Option<f64>,
    structure: Option<Structure>,
    at_file: Span,
    at_randomize: Span,
    at_structure: Span,
    at_load: Span,
}

#[derive(Debug)]
struct Synthetic {
    rigid: Rigid,
    load: Option<f64>,
    at_arrivals: Span,
    at_sizes: Span,
    at_load: Span,
    at_table: Span,
}

impl Recorded {
    /// Reads what logs of every format may say: the keys of `swf`.
    ///
    /// # Errors
    /// Values that contradict each other.
    pub fn read(params: &Params<'_>, format: Box<dyn Format>) -> Result<Self, Complaint> {
        let from: Option<Moment> = params.read("from")?;
        let to: Option<Moment> = params.read("to")?;
        if let (Moment::After(from), Some(Moment::After(to))) = (from.unwrap_or(Moment::After(0)), to)
            && from >= to
        {
            return Err(params
                .complaint("to", "`to` is not after `from`")
                .label("nothing lies between them"));
        }
        let source =
            params.pick("estimates", &[("requested", Estimates::Requested), ("exact", Estimates::Exact)])?;
        let floor = params.pick("estimate-floor", &[("run-time", Floor::RunTime), ("none", Floor::None)])?;
        Ok(Recorded {
            format,
            written: params.read("file")?,
            file: params.path("file")?,
            options: swf::Options {
                estimate: Rule { source, floor },
                window: swf::Window { from, to },
                memory: Memory::read(params)?,
                preceding: Preceding::read(params)?,
                replays: cancellation::replays(params)?,
                ..swf::Options::default()
            },
            randomize: if params.has("randomize") {
                Some(params.component("randomize", "randomization")?)
            } else {
                None
            },
            load: params.read("load")?,
            structure: if params.has("structure") {
                Some(*params.component("structure", "structure")?)
            } else {
                None
            },
            at_structure: params.span("structure"),
            at_file: params.span("file"),
            at_randomize: params.span("randomize"),
            at_load: params.span("load"),
        })
    }

    fn jobs(&self, request: &Request) -> Result<Loaded, Complaint> {
        let file = open(&self.file, &self.written, self.at_file)?;
        let mut log = self
            .format
            .read(file, &self.options)
            .map_err(|problem| problem.complaint(&self.written, Some(self.at_file)))?;
        let Some(procs) = request.procs.or_else(|| log.header.procs()) else {
            let message = format!("`{}` does not tell how many processors its machine had", self.written);
            let complaint =
                Complaint::new(code::MISSING_KEY, message, self.at_file).label(self.format.lacks_machine());
            return Err(complaint.help("write `procs = N` in [cluster], or give --procs N"));
        };
        if let Some(randomize) = &self.randomize {
            log.jobs = randomize
                .randomize(log.jobs, &request.streams)
                .map_err(|error| Complaint::new(code::CONTRADICTION, error.to_string(), self.at_randomize))?;
        }
        if let Some(load) = self.load {
            load::scale(&mut log.jobs, procs, load)
                .map_err(|error| Complaint::new(code::CONTRADICTION, error.to_string(), self.at_load))?;
        }
        let applications = match &self.structure {
            Some(structure) => Some(Arc::new(structure.applications(&log.jobs, self.at_structure)?)),
            None => None,
        };
        let (unix_origin, calendar) = (log.unix_origin(), log.calendar());
        let dependencies = self.options.preceding.dependencies(log.edges);
        info!(file = self.written, lines = log.report.jobs, jobs = log.jobs.len(), "log read");
        Ok(Loaded {
            jobs: log.jobs,
            procs,
            name: stem(&self.file, self.format.ending()),
            log: Some((log.header, log.report)),
            unix_origin,
            calendar,
            drew: self.randomize.is_some(),
            applications,
            demands: log.demands,
            dependencies,
            cancellations: log.cancelled.map(Arc::new),
        })
    }
}

impl Source for Recorded {
    fn load(&self, request: &Request) -> Result<Loaded, Vec<Complaint>> {
        self.jobs(request).map_err(|complaint| vec![complaint])
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        let log: (&str, &Path) = (&self.written, &self.file);
        [log].into_iter().chain(self.format.beside()).collect()
    }
}

impl Synthetic {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let sampler = |name| params.component::<Sampler>(name, "distribution").map(|sampler| *sampler);
        Ok(Synthetic {
            rigid: Rigid {
                jobs: count_of_jobs(params)?,
                arrivals: sampler("arrivals")?,
                sizes: sampler("sizes")?,
                run_times: sampler("run-times")?,
                estimates: Some(sampler("estimates")?),
            },
            load: params.read("load")?,
            at_arrivals: params.span("arrivals"),
            at_sizes: params.span("sizes"),
            at_load: params.span("load"),
            at_table: params.span("kind"),
        })
    }

    fn jobs(&self, request: &Request) -> Result<Loaded, Complaint> {
        let Some(procs) = request.procs else {
            let message = "a synthetic workload does not tell how large the machine is";
            let complaint = Complaint::new(code::MISSING_KEY, message, self.at_table);
            return Err(complaint.help("write `nodes = N` or `procs = N` in [cluster]"));
        };
        let told = |message: String, span| Complaint::new(code::CONTRADICTION, message, span);
        let (mut jobs, taken) = self.rigid.draw_counted(&request.streams, procs).map_err(|error| {
            let span = match error {
                DrawError::TooLarge { .. } => self.at_sizes,
                DrawError::TooLate { .. } => self.at_arrivals,
            };
            told(error.to_string(), span).label("draws such a value")
        })?;
        if let Some(load) = self.load {
            load::scale(&mut jobs, procs, load).map_err(|error| told(error.to_string(), self.at_load))?;
        }
        info!(jobs = jobs.len(), "workload drawn");
        Ok(Loaded {
            jobs,
            procs,
            name: "synthetic".to_owned(),
            log: None,
            unix_origin: None,
            calendar: None,
            drew: taken > 0,
            applications: None,
            demands: Demands::default(),
            dependencies: None,
            cancellations: None,
        })
    }
}

impl Source for Synthetic {
    fn load(&self, request: &Request) -> Result<Loaded, Vec<Complaint>> {
        self.jobs(request).map_err(|complaint| vec![complaint])
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        Vec::new()
    }
}

/// Opens an input file that a scenario calls `written`, at `span`.
pub(crate) fn open(path: &Path, written: &str, span: Span) -> Result<File, Complaint> {
    let unreadable = |why: &str| {
        Complaint::new(code::FILE, format!("cannot read `{written}`: {why}"), span).label("named here")
    };
    text::open(path).map_err(|error| unreadable(&reason(&error)))
}

/// The file's name without `.gz` and `ending`.
pub(crate) fn stem(path: &Path, ending: &str) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.strip_suffix(ending).unwrap_or(name).to_owned()
}
