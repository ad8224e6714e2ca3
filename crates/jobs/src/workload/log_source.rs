//! Logs as sources of jobs: `[workload] kind = "swf"`, and other formats.
//!
//! A log of any [`Format`] is cut, made random and scaled alike ([`Recorded`]).

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::info;

use crate::registry::Problem;
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, Span, code, key, keys};
use crate::text::Mistakes;
use crate::units::Moment;
use crate::workload::cancellation::{self, CANCELLED, PATIENCE};
use crate::workload::dependency::Preceding;
use crate::workload::dependency::links::PRECEDING;
use crate::workload::dependency::table::DEPENDENCIES;
use crate::workload::estimate::{Floor, Rule, Source as Estimates};
use crate::workload::load;
use crate::workload::moldable::MOLDABLE;
use crate::workload::parallel::structure::Structure;
use crate::workload::randomization::Randomization;
use crate::workload::resources::DEMAND;
use crate::workload::source::{LOAD, LoadRequest, LoadedWorkload, Source, open, stem};
use crate::workload::swf::{self, FieldForm, Log, MEMORY_KEY};

/// The keys of logs of every format.
pub const SHARED: &[Key] = &keys! {
    "file" Kind::Path => "the log";
    "from" Kind::Moment(Bounds::NotNegative), absent "from its first job" =>
        "jobs submitted earlier than this are left out: a span after the first one, a date, or a weekday \
         from the first one on";
    "to" Kind::Moment(Bounds::Positive), absent "to its last job" =>
        "jobs submitted then, or later, are left out: a span after the first one, a date, or a weekday from \
         the first one on";
    "randomize" Kind::Component("randomization"), absent "the log as it is: nothing is drawn" =>
        "what makes the log random, so that every replication meets another one";
    ..LOAD;
    "estimates" Estimates::CHOICES, or "requested" => "what the scheduler knows of run times";
    "estimate-floor" Floor::CHOICES, or "run-time" =>
        "what an estimate is raised to; unless written, nothing where jobs are killed at it \
         (`cluster.kill-at-estimate`)";
    "structure" Kind::Component("structure"),
        absent "nothing is assumed: a job occupies its processors and no more is known" =>
        "what the tasks of every job are assumed to do, one on each processor, until its run time is filled";
    ..MEMORY_KEY;
    ..DEMAND;
    ..DEPENDENCIES;
    ..PATIENCE;
    ..MOLDABLE;
};

const RESOURCES: Key = key! {
    "resources" Kind::Choice(&[
        ("ignored", "processors alone, wherever they are"),
        ("allocated", "on each of its nodes the processors and GPUs of its layout, nodes to itself where it had \
                       these, and properties, in lines of 21 fields"),
    ]), or "ignored" => "what a job asks of nodes beyond processors; `cluster.group` sets what these have"
};

/// Logs in the Standard Workload Format.
pub const SWF: Entry<dyn Source> = Entry::published(
    "swf",
    "a log in the Standard Workload Format, .swf or .swf.gz",
    "S. J. Chapin et al., JSSPP 1999; version 2.2 of the Parallel Workloads Archive",
    &Key::joined::<{ SHARED.len() + 4 }>(&[SHARED, &[swf::FIELDS_KEY, RESOURCES, CANCELLED, PRECEDING]]),
    |params| {
        let fields = params.read(swf::FIELDS_KEY.name)?;
        let resources = params.pick(RESOURCES.name, &[("ignored", false), ("allocated", true)])?;
        Ok(Box::new(Recorded::read(params, Box::new(Swf { fields, resources }))?))
    },
);

/// A format of logs, whose text becomes jobs.
pub trait Format: fmt::Debug {
    /// Reads the log; the options are those that every format has.
    ///
    /// # Errors
    /// All that is wrong with it, each at its place.
    fn read(&self, file: File, options: &swf::Options) -> Result<Log, Mistakes<Problem>>;

    /// The ending of the names of such files, that of their compression aside.
    fn ending(&self) -> &'static str;

    /// The lack of a log that does not state the size of its machine, in words that follow its
    /// name.
    fn lacks_machine(&self) -> &'static str;

    /// Returns true if the format ends jobs at walltimes of their own.
    fn kills(&self) -> bool {
        false
    }

    /// The file that is read with the log, if there is one: as written, and from where the program
    /// runs.
    fn companion(&self) -> Option<(&str, &Path)> {
        None
    }

    /// The files that this one includes.
    fn included(&self) -> Vec<(&str, &Path)> {
        Vec::new()
    }
}

#[derive(Debug)]
struct Swf {
    fields: FieldForm,
    resources: bool,
}

impl Format for Swf {
    fn read(&self, file: File, options: &swf::Options) -> Result<Log, Mistakes<Problem>> {
        let (fields, resources) = (self.fields, self.resources);
        let read = swf::read_from(file, &swf::Options { fields, resources, ..*options });
        Ok(read.map_err(Problem::from)?)
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
        let (source, floor) = (params.read("estimates")?, params.read("estimate-floor")?);
        Ok(Recorded {
            format,
            written: params.read("file")?,
            file: params.path("file")?,
            options: swf::Options {
                estimate: Rule { source, floor },
                window: swf::LogWindow { from, to },
                memory: params.read(MEMORY_KEY.name)?,
                preceding: Preceding::read(params)?,
                replays: cancellation::replays(params)?,
                ..swf::Options::default()
            },
            randomize: params.component_if_any("randomize", "randomization")?,
            load: params.read("load")?,
            structure: params.component_if_any("structure", "structure")?.map(|structure| *structure),
            at_structure: params.span("structure"),
            at_file: params.span("file"),
            at_randomize: params.span("randomize"),
            at_load: params.span("load"),
        })
    }

    fn jobs(&self, request: &LoadRequest, mut log: Log) -> Result<LoadedWorkload, Complaint> {
        let Some(procs) = request.procs.or_else(|| log.header.procs()) else {
            let message = format!("`{}` does not state how many processors its machine had", self.written);
            let lacks = match log.header.odd_size() {
                Some((key, value)) => {
                    let value: String = value.chars().take(40).collect();
                    format!("its `{key}: {value}` does not begin with a number of them")
                }
                None => self.format.lacks_machine().to_owned(),
            };
            let complaint = Complaint::new(code::MISSING_KEY, message, self.at_file).label(lacks);
            return Err(complaint.help("write `procs = N` in [cluster], or give --procs N"));
        };
        if let Some(randomize) = &self.randomize {
            let randomized = randomize
                .randomize(log.jobs, &request.streams)
                .map_err(|error| Complaint::new(code::CONTRADICTION, error.to_string(), self.at_randomize))?;
            log.jobs = randomized.jobs;
            if !log.attributes.is_empty() {
                log.attributes = log.attributes.gather(&randomized.places);
            }
        }
        load::scale_to(&mut log.jobs, procs, self.load, self.at_load)?;
        let structured = |structure: &Structure| structure.applications(&log.jobs, self.at_structure);
        let applications = self.structure.as_ref().map(structured).transpose()?.map(Arc::new);
        let (unix_origin, calendar) = (log.unix_origin(), log.calendar());
        let dependencies = self.options.preceding.dependencies(log.edges);
        info!(file = self.written, lines = log.report.jobs, jobs = log.jobs.len(), "log read");
        Ok(LoadedWorkload {
            jobs: log.jobs,
            procs,
            name: stem(&self.file, self.format.ending()),
            log: Some((log.header, log.report)),
            unix_origin,
            calendar,
            drew: self.randomize.is_some(),
            applications,
            demands: log.demands,
            attributes: Arc::new(log.attributes),
            dependencies,
            cancellations: log.cancelled.map(Arc::new),
            kills: self.format.kills(),
        })
    }
}

impl Source for Recorded {
    fn load(&self, request: &LoadRequest) -> Result<LoadedWorkload, Vec<Complaint>> {
        let file = open(&self.file, &self.written, self.at_file)?;
        let log = self.format.read(file, &self.options).map_err(|wrong| {
            Vec::from(wrong.map(|problem| problem.complaint(&self.written, Some(self.at_file))))
        })?;
        Ok(self.jobs(request, log)?)
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        let log: (&str, &Path) = (&self.written, &self.file);
        [log].into_iter().chain(self.format.companion()).chain(self.format.included()).collect()
    }
}
