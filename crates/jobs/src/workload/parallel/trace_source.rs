//! The source of a task-level trace: `[workload] kind = "task-trace"`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tracing::info;

use crate::kernel::rng::Sampler;
use crate::registry::{Complaint, Entry, Key, Kind, Params, Registry, Span, code};
use crate::text::mark::{Evidence, FileMark};
use crate::workload::source::{LoadRequest, LoadedWorkload, Source, open, stem};

use super::pattern::Pattern;
use super::trace::{self, Mistake, Unreadable};

pub(in crate::workload) const TASK_TRACE: Entry<dyn Source> = Entry::published(
    "task-trace",
    "a trace of parallel jobs, a JSON object a line, .jsonl or .jsonl.gz",
    "the job model of ClusterSchedSim, SIMULATION 80(4-5), 2004, section 2.2; the syntax is ours",
    &[Key::new("file", Kind::Path).about("the trace")],
    |params| Ok(Box::new(TaskTrace::read(params)?)),
);

/// The mark of such traces.
pub const MARK: FileMark = FileMark::new(
    "a trace of parallel jobs (a JSON object on each line)",
    "a scenario reads it: [workload] with kind = \"task-trace\" and file = \"{file}\"",
    |head| head.has_key("arrival") && (head.has_key("tasks") || head.has_key("steps")),
)
.evidence(Evidence::Likely);

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
        let (mut registry, all) = (Registry::new(), params.registry());
        registry.table(all.typed::<Sampler>("distribution").expect("distributions are registered").clone());
        registry.table(all.typed::<dyn Pattern>("pattern").expect("patterns are registered").clone());
        Ok(TaskTrace {
            written: params.read("file")?,
            file: params.path("file")?,
            registry,
            at_file: params.span("file"),
            at_table: params.span("kind"),
        })
    }

    fn complaints(&self, why: Unreadable) -> Vec<Complaint> {
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
                let named = |Mistake { complaint, excerpt }| {
                    let complaint = Complaint { span: Some(self.at_file), ..complaint };
                    complaint.excerpt(excerpt)
                };
                mistakes.map(named).into()
            }
        }
    }
}

impl Source for TaskTrace {
    fn load(&self, request: &LoadRequest) -> Result<LoadedWorkload, Vec<Complaint>> {
        let procs = request.processors("a trace of tasks", self.at_table)?;
        let file = open(&self.file, &self.written, self.at_file)?;
        let trace = trace::read(file, &self.written, &self.registry, Some(procs))
            .map_err(|why| self.complaints(why))?;
        info!(file = self.written, jobs = trace.jobs.len(), "trace read");
        let applications = Some(Arc::new(trace.applications));
        Ok(LoadedWorkload {
            applications,
            ..LoadedWorkload::new(trace.jobs, procs, stem(&self.file, ".jsonl"))
        })
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        vec![(&self.written, &self.file)]
    }
}
