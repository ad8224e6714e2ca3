//! `study.json`: of every point and metric the mean, its interval, and the range over the replications.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::kernel::stats::Interval;
use crate::scenario::Study;
use crate::scenario::expect::known_metrics;
use crate::study::row::{Row, State};
use crate::study::stopping::CONFIDENCE;

/// The version of the shape.
pub const SCHEMA: &str = "clustersim/study-summary/1";

/// The figures of a study.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StudySummary {
    /// [`SCHEMA`].
    pub schema: String,
    /// What it is about.
    pub title: String,
    /// The root of the random streams, as far as it is not varied.
    pub seed: u64,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The axes.
    pub axes: Vec<AxisSummary>,
    /// The metrics, in the order in which they are shown.
    pub metrics: Vec<MetricHead>,
    /// The points, in order.
    pub points: Vec<PointSummary>,
    /// Comparisons of points.
    pub comparisons: Vec<Json>,
    /// Runs that failed.
    pub failures: Vec<Failure>,
}

/// An axis and what its steps are called.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AxisSummary {
    /// The keys that move together.
    pub keys: Vec<String>,
    /// Its steps.
    pub labels: Vec<String>,
}

/// What a metric is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MetricHead {
    /// Its name.
    pub name: String,
    /// Its unit; empty for ratios and counts.
    pub unit: String,
}

/// The figures of a point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PointSummary {
    /// Its number, from 0.
    pub point: u32,
    /// Its step on every axis.
    pub at: Vec<usize>,
    /// Its settings, in one line.
    pub label: String,
    /// Its replications, failed ones included.
    pub replications: u32,
    /// Replications that failed.
    pub failed: u32,
    /// What the intervals rest on: `replications` or `none`.
    pub interval: String,
    /// The metrics by name.
    pub metrics: Map<String, Json>,
    /// Why figures should not be trusted.
    pub warnings: Vec<Json>,
}

/// The figures of a metric at a point; none of them where nothing was observed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MetricSummary {
    /// Replications in which something was observed.
    pub n: u32,
    /// The mean over them.
    pub mean: Option<f64>,
    /// Half of the interval's width.
    pub half_width: Option<f64>,
    /// The value in the middle; of an even number the mean of the two.
    pub median: Option<f64>,
    /// The least.
    pub min: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// The value of every replication, in order.
    pub values: Vec<Option<f64>>,
}

/// A run that failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The point.
    pub point: u32,
    /// The replication.
    pub replication: u32,
    /// Why.
    pub error: String,
    /// The command that repeats it, in the directory of the study.
    pub reproduce: String,
}

impl StudySummary {
    /// The summary of `rows`, sorted by point and replication.
    pub fn of(study: &Study, rows: &[Row]) -> Self {
        let heads = known_metrics()
            .into_iter()
            .map(|metric| MetricHead { name: metric.name, unit: metric.unit.to_owned() });
        let heads: Vec<MetricHead> = heads.collect();
        let points = study.points.iter().enumerate().map(|(number, point)| {
            let own: Vec<&Row> = rows.iter().filter(|row| row.point as usize == number).collect();
            summary_of(number as u32, point.at.clone(), point.label(), &own, &heads)
        });
        let failures = rows.iter().filter(|row| row.state == State::Failed);
        StudySummary {
            schema: SCHEMA.to_owned(),
            title: study.first().title.clone(),
            seed: study.first().seed,
            confidence: CONFIDENCE,
            axes: study
                .axes
                .iter()
                .map(|axis| AxisSummary { keys: axis.keys.clone(), labels: axis.labels.clone() })
                .collect(),
            metrics: heads.clone(),
            points: points.collect(),
            comparisons: Vec::new(),
            failures: failures.map(failure).collect(),
        }
    }
}

impl PointSummary {
    /// The figures of one metric.
    pub fn metric(&self, name: &str) -> MetricSummary {
        self.metrics.get(name).and_then(|json| serde_json::from_value(json.clone()).ok()).unwrap_or_default()
    }
}

fn summary_of(
    point: u32,
    at: Vec<usize>,
    label: String,
    rows: &[&Row],
    heads: &[MetricHead],
) -> PointSummary {
    let random = rows.iter().any(|row| row.drew && row.state == State::Done) && rows.len() > 1;
    let metrics = heads.iter().map(|head| {
        let values: Vec<Option<f64>> = rows.iter().map(|row| row.metric(&head.name)).collect();
        let summary = serde_json::to_value(figures(values, random)).expect("figures are always JSON");
        (head.name.clone(), summary)
    });
    PointSummary {
        point,
        at,
        label,
        replications: rows.len() as u32,
        failed: rows.iter().filter(|row| row.state == State::Failed).count() as u32,
        interval: if random { "replications" } else { "none" }.to_owned(),
        metrics: metrics.collect(),
        warnings: Vec::new(),
    }
}

fn figures(values: Vec<Option<f64>>, random: bool) -> MetricSummary {
    let mut seen: Vec<f64> = values.iter().flatten().copied().collect();
    let interval = Interval::of(&seen, CONFIDENCE);
    let only = if seen.len() == 1 { Some(seen[0]) } else { None };
    seen.sort_by(f64::total_cmp);
    let middle = seen.len() / 2;
    let median = match seen.len() {
        0 => None,
        count if count % 2 == 1 => Some(seen[middle]),
        _ => Some(f64::midpoint(seen[middle - 1], seen[middle])),
    };
    MetricSummary {
        n: seen.len() as u32,
        mean: interval.map(|interval| interval.mean).or(only),
        half_width: interval.filter(|_| random).map(|interval| interval.half_width),
        median,
        min: seen.first().copied(),
        max: seen.last().copied(),
        values,
    }
}

fn failure(row: &Row) -> Failure {
    Failure {
        point: row.point,
        replication: row.replication,
        error: row.error.clone().unwrap_or_default(),
        reproduce: reproduce("", row.point, row.replication),
    }
}

/// The command that repeats a run; `directory` is that of the study, with its last slash, or empty for inside it.
pub fn reproduce(directory: &str, point: u32, replication: u32) -> String {
    format!("clustersim run {directory}scenario.resolved.toml --point {point} --replication {replication}")
}
