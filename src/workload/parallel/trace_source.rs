//! The source of a task-level trace: `[workload] kind = "task-trace"`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::info;

use crate::kernel::rng::Sampler;
use crate::registry::code;
use crate::registry::{Complaint, Entry, Key, Kind, Params, Registry, Span};
use crate::workload::resources::Demands;
use crate::workload::source::{Loaded, Request, Source, open, stem};

use super::pattern::Pattern;
use super::trace::{self, Mistake, Unreadable};

pub(in crate::workload) const TASK_TRACE: Entry<dyn Source> = Entry {
    name: "task-trace",
    about: "a trace of parallel jobs, a JSON object a line, .jsonl or .jsonl.gz",
    source: "the job model of ClusterSchedSim, SIMULATION 80(4-5), 2004, section 2.2; the syntax is ours",
    keys: &[Key::new("file", Kind::Path).about("the trace")],
    build: |params| Ok(Box::new(TaskTrace::read(params)?)),
};

struct TaskTrace {
    written: String,
    file: PathBuf,
    /// The tables that a line may name components of.
    registry: Registry,
    at_file: Span,
    at_table: Span,
}

impl std::fmt::Debug for TaskTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskTrace").field("file", &self.file).finish_non_exhaustive()
    }
}

impl TaskTrace {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let mut registry = Registry::new();
        let (laws, patterns) = (
            params.registry().typed::<Sampler>("distribution"),
            params.registry().typed::<dyn Pattern>("pattern"),
        );
        registry.table(laws.expect("distributions are registered").clone());
        registry.table(patterns.expect("patterns are registered").clone());
        Ok(TaskTrace {
            written: params.read("file")?,
            file: params.path("file")?,
            registry,
            at_file: params.span("file"),
            at_table: params.span("kind"),
        })
    }

    fn told(&self, why: Unreadable) -> Vec<Complaint> {
        match why {
            Unreadable::File(kind) => {
                let message = format!("cannot use `{}`: {kind}", self.written);
                vec![Complaint::new(kind.code(), message, self.at_file)]
            }
            Unreadable::NoJobs => {
                let message = format!("there is no job in `{}`", self.written);
                vec![Complaint::new(code::NO_JOBS, message, self.at_file)]
            }
            Unreadable::Lines(mistakes) => {
                let told = |Mistake { complaint, excerpt }| {
                    let complaint = Complaint { span: Some(self.at_file), ..complaint };
                    complaint.excerpt(excerpt)
                };
                mistakes.into_iter().map(told).collect()
            }
        }
    }
}

impl Source for TaskTrace {
    fn load(&self, request: &Request) -> Result<Loaded, Vec<Complaint>> {
        let Some(procs) = request.procs else {
            let message = "a trace of tasks does not tell how large the machine is";
            let complaint = Complaint::new(code::MISSING_KEY, message, self.at_table);
            return Err(vec![complaint.help("write `nodes = N` or `procs = N` in [cluster]")]);
        };
        let file = open(&self.file, &self.written, self.at_file).map_err(|complaint| vec![complaint])?;
        let trace =
            trace::read(file, &self.written, &self.registry, Some(procs)).map_err(|why| self.told(why))?;
        info!(file = self.written, jobs = trace.jobs.len(), "trace read");
        Ok(Loaded {
            jobs: trace.jobs,
            procs,
            name: stem(&self.file, ".jsonl"),
            log: None,
            unix_origin: None,
            calendar: None,
            drew: false,
            applications: Some(Arc::new(trace.applications)),
            demands: Demands::default(),
            dependencies: None,
            cancellations: None,
        })
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        vec![(&self.written, &self.file)]
    }
}
