//! Studies: their runs on several threads, and what their rows say together.
//!
//! The rows of finished runs are kept as the lines of a journal. With them a study is continued
//! after an interrupt, pickled, and asked another question, and nothing else of it has to be kept.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value as Json, json};

use clustersim_cli::embedded::{StepFailure, answer, cores};
use clustersim_experiment::output::TableColumns;
use clustersim_experiment::scenario::{RunStatus, Study};
use clustersim_experiment::study::compare_formats::{MatrixCells, latex, markdown};
use clustersim_experiment::study::compare_table;
use clustersim_experiment::study::execute::{Execution, execute, missing, settled_so_far};
use clustersim_experiment::study::preflight::look_at;
use clustersim_experiment::study::question::Question;
use clustersim_experiment::study::results::ResultRows;
use clustersim_experiment::study::row::{Row, Rows};
use clustersim_experiment::study::run::{BrokenOff, make_watched};
use clustersim_experiment::study::summarise::summarise;
use clustersim_experiment::study::{crossover, expect};

use crate::border::{apart, apart_to_its_end, guarded};
use crate::problem::Problem;
use crate::request::{REGISTRY, Request, Source};
use crate::table::RawTable;

/// A study with the runs that are over, as plain values.
struct Made {
    rows: String,
    results: TableColumns,
    summary: Json,
    resolved: String,
    base: PathBuf,
    text: String,
    broken: Vec<String>,
    missing: usize,
}

/// Makes the runs of a study that are not among the lines of an earlier one, which is known by its
/// resolved scenario. Gives a dictionary of its results,
/// and under `raised` what a handler of a signal or `progress` raised: the runs that are over are
/// there all the same.
#[pyfunction]
pub(crate) fn study<'py>(
    py: Python<'py>,
    source: Source,
    set: &Bound<'py, PyDict>,
    threads: Option<NonZero<usize>>,
    earlier: Option<(String, String)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    guarded(py, || {
        let request = Request::of(source, set)?;
        let threads = threads.map_or_else(cores, usize::from);
        let standing = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        let shown = Arc::clone(&standing);
        let look = move |py: Python<'_>| match &progress {
            Some(show) => {
                let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
                show.call1(py, (read(&shown.0), read(&shown.1))).map(drop)
            }
            None => Ok(()),
        };
        let (made, raised) = apart_to_its_end(py, look, |stop| {
            let study = request.study()?;
            let wrong = look_at(&REGISTRY, &study, threads).map_err(failed)?.wrong;
            if !wrong.is_empty() {
                return Err(Problem::Invalid(wrong));
            }
            let rows = match &earlier {
                Some((resolved, _)) if *resolved != study.resolved() => {
                    let words = "`resume` is another study, which cannot be continued with this scenario";
                    return Err(Problem::Argument(words.to_owned()));
                }
                Some((_, rows)) => read(rows),
                None => Rows::new(),
            };
            let rows = executed(&study, rows, threads, &standing, stop)?;
            finished(&study, &rows)
        });
        let made = match (made, raised) {
            (Ok(made), raised) => {
                let made = made.into_python(py)?;
                made.set_item("raised", raised.map(|error| error.into_value(py)))?;
                made
            }
            (Err(_), Some(raised)) => return Err(raised),
            (Err(problem), None) => return Err(problem.raised(py)),
        };
        Ok(made)
    })
}

/// The answer of a study in one metric, or in those that it asks for itself: the settings of an
/// axis against a baseline.
#[pyfunction]
pub(crate) fn study_matrix<'py>(
    py: Python<'py>,
    source: Source,
    rows: &str,
    metrics: Vec<String>,
    axis: Option<String>,
    baseline: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    guarded(py, || {
        let request = Request::of(source, &PyDict::new(py))?;
        let findings = apart(
            py,
            |_| Ok(()),
            |_| {
                let (study, rows) = (request.study()?, read(rows));
                let stated = Question::stated(&study)?;
                let question = stated.with(&study, axis.as_deref(), baseline.as_deref(), &metrics)?;
                let question = Question { detect: stated.detect, ..question };
                let summary = summarise(&study, &question, &settled_so_far(&study, &rows));
                Ok(summary.findings.unwrap_or_default())
            },
        )?;
        let matrix = PyDict::new(py);
        matrix.set_item("answer", &findings.answer)?;
        matrix.set_item("text", compare_table::primary(&findings))?;
        matrix.set_item("markdown", markdown(&findings))?;
        matrix.set_item("latex", latex(&findings))?;
        matrix.set_item("document", json!(findings).to_string())?;
        let cells = TableColumns::of(&MatrixCells(&findings)).map_err(|error| failed(error).raised(py))?;
        matrix.set_item("cells", Py::new(py, RawTable::from(cells))?)?;
        Ok(matrix)
    })
}

fn failed(error: std::io::Error) -> Problem {
    Problem::Failed(error.to_string())
}

/// The rows of these lines; damaged ones are left out, and their runs are made again.
fn read(lines: &str) -> Rows {
    let rows = lines.lines().filter_map(|line| Row::of_line(line.as_bytes()));
    rows.map(|row| (row.key(), row)).collect()
}

/// The rows of all runs, or of those that are over when `stop` is set.
fn executed(
    study: &Study,
    rows: Rows,
    threads: usize,
    standing: &Arc<(AtomicU64, AtomicU64)>,
    stop: &Arc<AtomicBool>,
) -> Result<Rows, Problem> {
    let execution = Execution {
        study,
        make: &|key| {
            let stop = Arc::clone(stop);
            let watch = Rc::new(move |_: RunStatus| {
                if stop.load(Ordering::Relaxed) {
                    resume_unwind(Box::new(BrokenOff));
                }
            });
            make_watched(&REGISTRY, study, key, watch)
        },
        wanted: &|_| !stop.load(Ordering::Relaxed),
        threads,
        watch: &|status, _| {
            standing.0.store(status.done, Ordering::Relaxed);
            standing.1.store(status.wanted, Ordering::Relaxed);
        },
        piloted: &|_| (),
    };
    execute(&execution, rows, &mut |_| Ok(())).map_err(failed)
}

/// The results of the rows that count.
fn finished(study: &Study, rows: &Rows) -> Result<Made, Problem> {
    let question = Question::stated(study).map_err(StepFailure::of)?;
    let kept: Rows = settled_so_far(study, rows).into_iter().map(|(key, row)| (key, row.clone())).collect();
    let summary = summarise(study, &question, &kept);
    let mut broken = expect::broken(study, &summary);
    broken.extend(crossover::broken(study, &summary.crossovers));
    Ok(Made {
        rows: rows.values().map(Row::line).collect(),
        results: TableColumns::of(&ResultRows { study, rows: &kept }).map_err(failed)?,
        text: answer(study, &summary),
        summary: json!(summary),
        resolved: study.resolved().to_owned(),
        base: study.first().sources().root().to_owned(),
        broken,
        missing: missing(study, rows).len(),
    })
}

impl Made {
    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let study = PyDict::new(py);
        study.set_item("rows", self.rows)?;
        study.set_item("results", Py::new(py, RawTable::from(self.results))?)?;
        study.set_item("summary", self.summary.to_string())?;
        study.set_item("resolved", self.resolved)?;
        study.set_item("base", self.base)?;
        study.set_item("text", self.text)?;
        study.set_item("broken", self.broken)?;
        study.set_item("missing", self.missing)?;
        Ok(study)
    }
}
