//! One run: from a request to its figures and tables.

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value as Json;

use clustersim_experiment::measure::metric::{Metric, Value};
use clustersim_experiment::measure::signs::Warning;
use clustersim_experiment::output::{Explanation, TableColumns};
use clustersim_experiment::report::summary::summary;
use clustersim_experiment::report::{lane, terminal};
use clustersim_experiment::scenario::{Results, RunStatus, Scenario, Session, Watch};
use clustersim_experiment::study::run::BrokenOff;

use crate::border::{apart, guarded};
use crate::problem::Problem;
use crate::request::{REGISTRY, Request, Source, one_of};
use crate::table::RawTable;

/// A run that is over, as plain values.
struct Finished {
    metrics: Vec<Metric>,
    digest: String,
    summary: Json,
    resolved: String,
    base: PathBuf,
    text: String,
    broken: Vec<String>,
    warnings: Vec<(&'static str, String)>,
    notes: Vec<(&'static str, String)>,
    input_notes: Vec<String>,
    input_warnings: Vec<String>,
    tables: Vec<TableColumns>,
    explanation: Option<Explanation>,
}

/// Wants of a caller of a run.
struct Wants {
    tables: bool,
    explained: Option<String>,
}

/// Progress of a run, which one thread states and another shows.
#[derive(Default)]
struct Progress {
    over: AtomicU64,
    events: AtomicU64,
    subjects: AtomicU64,
}

/// Makes a run. Gives a dictionary of its figures and tables.
#[pyfunction]
#[pyo3(signature = (source, set, point, replication, tables, explained, progress))]
#[expect(clippy::too_many_arguments, reason = "the arguments of Python's function, which names them")]
pub(crate) fn run<'py>(
    py: Python<'py>,
    source: Source,
    set: &Bound<'py, PyDict>,
    point: Option<usize>,
    replication: Option<u64>,
    tables: bool,
    explained: Option<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    guarded(py, || {
        let request = Request::of(source, set)?;
        let wants = Wants { tables, explained };
        let standing = Arc::new(Progress::default());
        let shown = Arc::clone(&standing);
        let look = move |py: Python<'_>| match &progress {
            Some(show) => show.call1(py, shown.read()).map(drop),
            None => Ok(()),
        };
        let finished = apart(py, look, |stop| {
            let scenario = one_of(request.study()?, point, replication)?;
            finish(&scenario, &wants, &standing, stop)
        })?;
        finished.into_python(py)
    })
}

/// Makes a run so many times and keeps nothing, all within Rust: the time of the package is
/// measured against it.
#[pyfunction]
pub(crate) fn repeated(py: Python<'_>, source: Source, count: usize) -> PyResult<()> {
    guarded(py, || {
        let request = Request::of(source, &PyDict::new(py))?;
        let wants = Wants { tables: true, explained: None };
        apart(
            py,
            |_| Ok(()),
            |stop| {
                let standing = Arc::new(Progress::default());
                for _ in 0..count {
                    finish(&one_of(request.study()?, None, None)?, &wants, &standing, stop)?;
                }
                Ok(())
            },
        )
    })
}

impl Progress {
    /// Subjects that are over, subjects (0 where they are not counted), and events.
    fn read(&self) -> (u64, u64, u64) {
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        (read(&self.over), read(&self.subjects), read(&self.events))
    }
}

/// Makes a run on this thread; it breaks off when `stop` is set.
fn finish(
    scenario: &Scenario,
    wants: &Wants,
    standing: &Arc<Progress>,
    stop: &Arc<AtomicBool>,
) -> Result<Finished, Problem> {
    let mut ready = scenario.system.assemble(&REGISTRY, scenario)?;
    let mut lane = None;
    if let Some(asked) = &wants.explained {
        lane = ready.explain(asked)?;
    }
    let subjects = ready.run.subjects().map_or(0, |subjects| subjects.count);
    standing.subjects.store(subjects, Ordering::Relaxed);
    let session = Session {
        only_figures: !wants.tables && wants.explained.is_none(),
        watch: Some(watch(Arc::clone(standing), Arc::clone(stop))),
        ..Session::of(scenario)
    };
    let over = session.make(scenario, ready.run)?;
    let figures = over.figures();
    Ok(Finished {
        metrics: figures.metrics.clone(),
        digest: figures.digest.to_string(),
        summary: summary(scenario, figures),
        resolved: scenario.resolved(),
        base: scenario.sources().root().to_owned(),
        text: terminal::text(scenario, over.as_ref(), None),
        broken: figures.broken(scenario).iter().map(ToString::to_string).collect(),
        warnings: remarks(&figures.warnings),
        notes: remarks(&figures.notes),
        input_notes: ready.notes.into_iter().map(|note| note.short).collect(),
        input_warnings: ready.warnings.into_iter().map(|warning| warning.message).collect(),
        tables: if wants.tables { tables_of(over.as_ref(), scenario)? } else { Vec::new() },
        explanation: lane::asked(over.as_ref(), lane.as_deref()),
    })
}

fn remarks(all: &[Warning]) -> Vec<(&'static str, String)> {
    all.iter().map(|remark| (remark.code, remark.text.clone())).collect()
}

/// Notes the progress of a run, and breaks it off when `stop` is set.
fn watch(standing: Arc<Progress>, stop: Arc<AtomicBool>) -> Watch {
    Rc::new(move |status: RunStatus| {
        if stop.load(Ordering::Relaxed) {
            resume_unwind(Box::new(BrokenOff));
        }
        standing.over.store(status.over, Ordering::Relaxed);
        standing.events.store(status.events, Ordering::Relaxed);
    })
}

/// The tables that the scenario records, each once: a file may be asked for in two formats.
fn tables_of(over: &dyn Results, scenario: &Scenario) -> Result<Vec<TableColumns>, Problem> {
    let mut tables: Vec<TableColumns> = Vec::new();
    for (source, _) in over.tables(scenario) {
        if tables.iter().all(|known| known.table.name != source.table().name) {
            tables.push(TableColumns::of(&*source).map_err(|error| Problem::Failed(error.to_string()))?);
        }
    }
    Ok(tables)
}

impl Finished {
    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let run = PyDict::new(py);
        let metrics = PyList::empty(py);
        for Metric { name, value, unit } in &self.metrics {
            let value = match value {
                Value::Count(count) => count.into_pyobject(py)?.into_any(),
                Value::Real(value) => (value + 0.0).into_pyobject(py)?.into_any(),
                Value::Nothing => py.None().into_bound(py),
            };
            metrics.append((name, value, unit))?;
        }
        run.set_item("metrics", metrics)?;
        run.set_item("digest", self.digest)?;
        run.set_item("summary", self.summary.to_string())?;
        run.set_item("resolved", self.resolved)?;
        run.set_item("base", self.base)?;
        run.set_item("text", self.text)?;
        run.set_item("broken", self.broken)?;
        run.set_item("warnings", self.warnings)?;
        run.set_item("notes", self.notes)?;
        run.set_item("input_notes", self.input_notes)?;
        run.set_item("input_warnings", self.input_warnings)?;
        let tables = PyList::empty(py);
        for table in self.tables {
            tables.append(Py::new(py, RawTable::from(table))?)?;
        }
        run.set_item("tables", tables)?;
        let explanation = self.explanation.map(|found| (found.text(), found.to_json().to_string()));
        run.set_item("explanation", explanation)?;
        Ok(run)
    }
}
