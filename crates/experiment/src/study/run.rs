//! One run of a study, from its scenario to its row.
//!
//! Whatever goes wrong in a run belongs to its row: invalid input that only this point or
//! replication meets, a deadlock, an error of the policy, and a panic, which is a mistake of the
//! simulator but no reason to lose the other runs. An input that was there when the study began and
//! cannot be read any more, or a full disk, says nothing about the run: it gives no row. A run that
//! is kept ([`kept`]) is written here, before anything of it is forgotten.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value as Json;

use crate::measure::class;
use crate::measure::half_widths::HalfWidth;
use crate::measure::metric::Metric;
use crate::registry::{Registry, code, reason};
use crate::scenario::{Figures, Ready, Rejected, Scenario, Session, Study, Watch};
use crate::study::kept::{self, FinishedRun, RunKeeper};
use crate::study::row::{BatchFacts, Row, RunKey, Seldom, State};

/// Reason that a run gives no row, in words: an input cannot be read, or its files not be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoRow(pub String);

/// Payload with which a watch breaks its run off, thrown by
/// [`resume_unwind`](std::panic::resume_unwind).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenOff;

/// Makes one run of a study, and keeps it if it is one of those that are kept; `invocation` is the
/// last block of the manifest of a run, by the name of its directory.
///
/// # Errors
/// An input cannot be read, or the run cannot be kept.
///
/// # Panics
/// If the study has no such run.
pub fn make(
    registry: &Registry,
    keeper: &RunKeeper<'_>,
    key: RunKey,
    invocation: &dyn Fn(&str) -> Json,
) -> Result<Row, NoRow> {
    let keep = |run: FinishedRun<'_>| keeper.keep(key, run, invocation(&kept::name(key)));
    let wants = Wants { watch: None, keep: keeper.keeps(key).then_some(&keep) };
    made(registry, keeper.study, key, wants).map(|row| row.expect("a watch alone breaks a run off"))
}

/// Makes one run of a study under a watch; `None` if the watch broke it off, by [`BrokenOff`].
///
/// # Errors
/// An input cannot be read.
///
/// # Panics
/// If the study has no such run.
pub fn make_watched(
    registry: &Registry,
    study: &Study,
    key: RunKey,
    watch: Watch,
) -> Result<Option<Row>, NoRow> {
    made(registry, study, key, Wants { watch: Some(watch), keep: None })
}

/// Keeps a run when it is over.
type Keep<'a> = dyn Fn(FinishedRun<'_>) -> io::Result<()> + 'a;

/// Wants of a run besides its row.
struct Wants<'a> {
    watch: Option<Watch>,
    keep: Option<&'a Keep<'a>>,
}

/// Makes one run of a study; `None` if a watch broke it off.
fn made(registry: &Registry, study: &Study, key: RunKey, wants: Wants<'_>) -> Result<Option<Row>, NoRow> {
    let (point, replication) = key;
    let scenario = &study.points[point as usize].scenario;
    let scenario = match replication {
        Some(replication) => scenario.with_replication(u64::from(replication)),
        None => scenario.as_recorded().expect("only a randomized log has a recorded one"),
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| finish(registry, &scenario, wants)));
    let result = match outcome {
        Err(panic) if panic.is::<BrokenOff>() => return Ok(None),
        Err(panic) => {
            let words = words(panic.as_ref());
            Err(Ended::Failed(format!(
                "a panic, which is a mistake of the simulator or of a policy: {words}"
            )))
        }
        Ok(result) => result,
    };
    Ok(Some(match result {
        Ok(row) => Row { point, replication, ..row },
        Err(Ended::Failed(error)) => {
            let seldom = Seldom { error: Some(error), ..Seldom::default() }.boxed();
            Row { point, replication, seldom, ..Row::default() }
        }
        Err(Ended::NoRow(why)) => return Err(NoRow(why)),
    }))
}

/// The row of a run that ended as it should, wherever it stands in the study: its metrics, those of
/// classes last.
fn row(figures: &Figures) -> Row {
    let of_classes = if figures.stable_classes { class::metrics(&figures.classes) } else { Vec::new() };
    let metrics = figures.metrics.iter().chain(&of_classes).map(number).collect();
    let seldom = Seldom {
        warned: figures.warnings.iter().map(|warning| warning.code.to_owned()).collect(),
        log: figures.log,
        batches: figures.half_widths.iter().map(batch_facts).collect(),
        error: None,
    };
    Row {
        state: State::Done,
        digest: Some(figures.digest),
        events: figures.events,
        drew: figures.drew,
        warm_up: figures.cut.map_or(0, |cut| cut.jobs),
        metrics,
        seldom: seldom.boxed(),
        ..Row::default()
    }
}

/// Reason that a run did not end as it should.
enum Ended {
    Failed(String),
    NoRow(String),
}

impl From<Box<Rejected>> for Ended {
    fn from(rejected: Box<Rejected>) -> Self {
        let unreadable = rejected.complaints.iter().any(|complaint| complaint.code == code::FILE);
        let words = rejected.to_string();
        if unreadable { Ended::NoRow(words) } else { Ended::Failed(words) }
    }
}

fn finish(registry: &Registry, scenario: &Scenario, wants: Wants<'_>) -> Result<Row, Ended> {
    let Ready { run, inputs, .. } = scenario.system.assemble(registry, scenario)?;
    // a row has nothing of single jobs
    let session = Session { only_figures: wants.keep.is_none(), watch: wants.watch, ..Session::of(scenario) };
    let results = session.make(scenario, run);
    let results = results.map_err(|error| Ended::Failed(error.to_string()))?;
    if let Some(keep) = wants.keep {
        let kept = keep(FinishedRun { scenario, inputs: &inputs, results: &*results });
        kept.map_err(|error| Ended::NoRow(reason(&error)))?;
    }
    Ok(row(results.figures()))
}

fn batch_facts(found: &HalfWidth) -> BatchFacts {
    BatchFacts {
        metric: found.metric.to_owned(),
        half_width: Some(found.half_width),
        correlate: found.correlates,
        worth: found.worth,
        long_enough: found.long_enough,
    }
}

/// A metric as a number; one that is not finite counts as not observed, as in every file.
fn number(metric: &Metric) -> (String, Option<f64>) {
    (metric.name.clone(), metric.number().filter(|value| value.is_finite()))
}

/// The words of a panic.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without words".to_owned())
}
