//! From the rows of a study to its summary: what [`build`](super::build) needs to know, taken from
//! the scenario and the journals.

use std::borrow::Borrow;

use crate::collections::OrderedMap;
use crate::scenario::{ALL, Scenario, Study};
use crate::study::build::{StudyFacts, build, so_far};
use crate::study::kept;
use crate::study::question::Question;
use crate::study::row::{Row, RunKey, metrics};
use crate::study::summary::{Axis, StudySummary};

/// The summary of `rows`, which answers `question` first.
pub fn summarise<R: Borrow<Row>>(
    study: &Study,
    question: &Question,
    rows: &OrderedMap<RunKey, R>,
) -> StudySummary {
    let mut summary = build(&facts(study, question, rows), rows);
    kept::note(study, rows, &mut summary);
    summary
}

/// The points of the rows that there are while the study runs, with nothing compared.
pub fn summarise_so_far<R: Borrow<Row>>(
    study: &Study,
    question: &Question,
    rows: &OrderedMap<RunKey, R>,
) -> StudySummary {
    so_far(&facts(study, question, rows), rows)
}

fn facts<R: Borrow<Row>>(study: &Study, question: &Question, rows: &OrderedMap<RunKey, R>) -> StudyFacts {
    let axis = |axis: &crate::scenario::Axis| Axis { keys: axis.keys.clone(), labels: axis.labels.clone() };
    let scenarios: Vec<&Scenario> = study.points.iter().map(|point| &point.scenario).collect();
    let named = question.metrics.iter().map(String::as_str).filter(|name| *name != ALL);
    StudyFacts {
        title: study.first().title.clone(),
        seed: study.first().seed,
        axes: study.axes.iter().map(axis).collect(),
        points: study.points.iter().map(|point| (point.at.clone(), point.label())).collect(),
        metrics: metrics(study, rows),
        system: Some(study.system()),
        headline: study.system().headline(&scenarios),
        question: question.clone(),
        crossovers: study.crossovers.clone(),
        asked: study.asked_metrics().chain(named).map(ToOwned::to_owned).collect(),
    }
}
