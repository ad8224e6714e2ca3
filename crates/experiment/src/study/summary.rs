//! The results of a study as a whole: the shape of `study.json`.
//!
//! The report is drawn from this and `clustersim compare` compares from it, so that neither needs
//! the runs again. Points and replications are numbered from 0; a metric's values stand at the
//! index of their replication, null where that run failed or observed nothing.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::stats::Summary;
use crate::measure::family::Aim;
use crate::measure::input_counts::InputCounts;
use crate::measure::own_warnings::OwnWarnings;
use crate::measure::signs::SATURATED;
use crate::scenario::default_axis;
use crate::study::matrix::AnswerMatrix;
use crate::study::row::KeptRun;
use crate::study::run_metrics::Observation;

/// Name and version of the shape.
pub const SCHEMA: &str = "clustersim/study-summary/1";

/// The results of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudySummary {
    /// [`SCHEMA`].
    pub schema: String,
    /// Title of the scenario.
    pub title: String,
    /// Root seed.
    pub seed: u64,
    /// Confidence of all intervals.
    pub confidence: f64,
    /// The axes along which it varies.
    pub axes: Vec<Axis>,
    /// The metrics, in the order in which they are shown.
    pub metrics: Vec<MetricFacts>,
    /// The points, in order of their numbers.
    pub points: Vec<Point>,
    /// The reasons to doubt figures, by code.
    pub warnings: Vec<WarnedPoints>,
    /// The metrics that people look at first, in the order in which they are shown.
    #[serde(skip)]
    pub headline: Vec<String>,
    /// The warnings that the system declares.
    #[serde(skip)]
    pub own_warnings: OwnWarnings,
    /// Points compared, a family of tests each, by [`Role`]; the metrics of
    /// [`StudySummary::headline`] are asked for, if none is named.
    pub comparisons: Vec<Comparison>,
    /// The answer: the comparisons that were asked for as `compare` prints them and the report
    /// shows them; `None` without an axis.
    #[serde(default)]
    pub findings: Option<Findings>,
    /// The crossovers that were looked for, each at every combination of the other axes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crossovers: Vec<CrossoverFound>,
    /// Runs that failed, by point and replication.
    pub failures: Vec<Failure>,
}

/// Something that was varied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// Keys of the scenario that move together along it.
    pub keys: Vec<String>,
    /// A label for each of its positions.
    pub labels: Vec<String>,
}

/// A metric, whatever its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricFacts {
    /// Name.
    pub name: String,
    /// Unit; empty for ratios and counts.
    pub unit: String,
    /// True if higher or lower is better.
    pub aim: Aim,
    /// True if it is a share of something, which people read in percent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub share: bool,
    /// True if it may be negative, as a change is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub signed: bool,
}

/// The basis of the intervals of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalKind {
    /// Independent replications.
    Replications,
    /// Batch means of one random run.
    BatchMeans,
    /// No interval: nothing random was drawn, or one run was too short.
    None,
}

/// One combination of settings and what its runs say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Number.
    pub point: u32,
    /// Position on each axis.
    pub at: Vec<usize>,
    /// Settings, for people.
    pub label: String,
    /// Runs that count.
    pub replications: u64,
    /// Runs that failed.
    pub failed: u64,
    /// True if a run drew a random number; if none did, every replication is the same run.
    pub random: bool,
    /// The basis of its intervals.
    pub interval: IntervalKind,
    /// Figures by name of metric; none where nothing was observed.
    pub metrics: OrderedMap<String, Figures>,
    /// Metrics of the log as recorded, if replications randomize a log, which are in no
    /// figure above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<OrderedMap<String, f64>>,
    /// Counts of what reading its log did to the jobs, if they are of a log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<InputCounts>,
    /// The reasons to doubt them.
    pub warnings: Vec<Warning>,
    /// Kept runs of the point, by replication.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<KeptRun>,
}

/// A metric at a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The replications in a few figures.
    #[serde(flatten)]
    pub summary: Summary,
    /// The spread of the replications; `None` of fewer than [`LEAST_SPREAD`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantiles: Option<ObservedQuantiles>,
    /// The values themselves, by replication.
    pub values: Vec<Observation>,
}

/// Fewest values whose 5th and 95th percentiles are not their least and greatest by definition.
pub const LEAST_SPREAD: usize = 20;

/// ObservedQuantiles of the replications of a metric, by the nearest rank: values that were
/// observed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObservedQuantiles {
    /// The 5th percentile.
    pub p05: f64,
    /// The lower quartile.
    pub p25: f64,
    /// The upper quartile.
    pub p75: f64,
    /// The 95th percentile.
    pub p95: f64,
}

impl ObservedQuantiles {
    /// Of these values; `None` of few.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.stable_sort_by(f64::total_cmp);
        let count = sorted.len();
        let at = |percent: usize| sorted[(percent * count).div_ceil(100).max(1) - 1];
        (count >= LEAST_SPREAD).then(|| ObservedQuantiles {
            p05: at(5),
            p25: at(25),
            p75: at(75),
            p95: at(95),
        })
    }
}

/// Rank of a family of tests in the question of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The metric that is asked for first, alone.
    Primary,
    /// The other metrics that are asked for.
    Secondary,
    /// Metrics that the study was not made for: every other one with a better and a worse.
    Unasked,
}

impl Role {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Role::Primary => "primary",
            Role::Secondary => "secondary",
            Role::Unasked => "unasked",
        }
    }
}

/// Points compared along an axis: all their metrics and pairs are one family of tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The compared axis.
    pub axis: usize,
    /// Position on it with which the others are compared; `None`: each with each.
    pub baseline: Option<usize>,
    /// Rank of the family.
    pub role: Role,
    /// True if it was asked after the runs were made, so that several questions may have been
    /// tried.
    #[serde(default, skip_serializing_if = "is_not")]
    pub afterwards: bool,
    /// Metrics compared.
    pub metrics: usize,
    /// Pairs of points compared.
    pub pairs: usize,
    /// The method, for people.
    pub method: String,
    /// The change that is to be found, as a share of the first point.
    pub detect: f64,
    /// A comparison for each pair and metric, by pair.
    pub pairs_list: Vec<Compared>,
}

/// The verdict of a comparison, of the second point against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The metric moved as it should, by more than chance.
    #[serde(rename = "better")]
    Better,
    /// The metric moved in the other direction, by more than chance.
    #[serde(rename = "worse")]
    Worse,
    /// The metric moved by more than chance, and neither direction is better.
    #[serde(rename = "different")]
    Different,
    /// Chance alone may explain the difference.
    #[serde(rename = "no evidence")]
    NoEvidence,
    /// Every replication gave the same value twice.
    #[serde(rename = "identical")]
    Identical,
    /// Too few common replications.
    #[serde(rename = "no verdict")]
    NoVerdict,
    /// More work came than was done at one of the two points, which no test is about.
    #[serde(rename = "saturated")]
    Saturated,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Different => "different",
            Verdict::NoEvidence => "no evidence",
            Verdict::Identical => "identical",
            Verdict::NoVerdict => "no verdict",
            Verdict::Saturated => "saturated, no verdict",
        }
    }
}

/// The scale on which a metric of two points is compared and tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// By the logarithm of the ratio: the mean change is that of the geometric mean.
    Ratio,
    /// By the difference.
    Difference,
}

/// A metric of two points compared; differences are second minus first, in the metric's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Number of the first point.
    pub from: u32,
    /// Number of the second point.
    pub to: u32,
    /// The metric's name.
    pub metric: String,
    /// Common replications with a value on both sides.
    pub n: u64,
    /// Mean difference; `None` without common replications.
    pub difference: Option<f64>,
    /// Half of the width of its 95 % interval, unadjusted; `None` below two.
    pub half_width: Option<f64>,
    /// The scale of the test.
    pub scale: Scale,
    /// Change as a share of the first point over the common replications [no unit]: the geometric
    /// mean of the ratios - 1, or on the scale of differences `difference` / |mean at the first
    /// point|; `None` where that mean is 0.
    pub relative: Option<f64>,
    /// Lower end of its 95 % interval, unadjusted; `None` below two.
    pub relative_low: Option<f64>,
    /// Upper end of it.
    pub relative_high: Option<f64>,
    /// Two-sided p-value by itself; `None` without verdict.
    pub p: Option<f64>,
    /// The same adjusted for all comparisons of the command.
    pub p_adjusted: Option<f64>,
    /// The verdict at 5 %.
    pub verdict: Verdict,
    /// Replications with which a change of the asked size would be found in four studies of five;
    /// `None` where there is a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<u64>,
    /// True if a run of one of the two points is saturated, so that the difference only shows how
    /// long the runs are.
    #[serde(default, skip_serializing_if = "is_not")]
    pub saturated: bool,
    /// The difference with the log as recorded, which is in none of these figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<RecordedDifference>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_not(flag: &bool) -> bool {
    !flag
}

/// A difference between two points with the log as recorded; second minus first, in the metric's
/// unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedDifference {
    /// The difference.
    pub difference: f64,
    /// Difference / |value at the first point| [no unit]; `None` where that value is 0.
    pub relative: Option<f64>,
    /// Probability that one draw more lies at least as far from the mean of the draws; `None` below
    /// five common replications.
    pub p: Option<f64>,
    /// True if it lies outside the draws, judged with all tests of the comparison.
    pub outside: bool,
}

/// A reason to doubt the figures of a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Code, which does not change.
    pub code: Cow<'static, str>,
    /// The metric it is about, if it is about one.
    pub metric: Option<String>,
    /// The text, for people.
    pub text: String,
}

/// A warning and the points it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarnedPoints {
    /// Code, which does not change.
    pub code: String,
    /// The text, for people.
    pub text: String,
    /// Numbers of the points, in order.
    pub points: Vec<u32>,
}

/// The answer of a study: a sentence, and a matrix for each metric and combination of other axes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// True if random numbers were drawn: without, there are no intervals and no verdicts.
    pub random: bool,
    /// The answer in a sentence; empty if no metric of the question has a value.
    pub answer: String,
    /// The matrices, those of the primary metric first.
    pub matrices: Vec<AnswerMatrix>,
    /// Notes on the origin of the figures, and on their limits.
    pub notes: Vec<String>,
}

/// A crossover as it was found, at one combination of the other axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossoverFound {
    /// The metric that is compared.
    pub metric: String,
    /// The key along which it lies.
    pub along: String,
    /// The settings that are compared, and those of the other axes, for people.
    pub heading: String,
    /// The value of the key; `None` if one setting is ahead at all values.
    pub value: Option<f64>,
    /// The lower end of its 95 % interval; `None` if that is open, or there is no interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Least common replications of the points.
    pub n: u64,
    /// Number of times that the mean difference changes its sign.
    pub changes: usize,
    /// The finding in words, for people.
    pub text: String,
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Point.
    pub point: u32,
    /// Replication; null of the run of the log as recorded.
    pub replication: Option<u32>,
    /// The message.
    pub error: String,
    /// The command that runs it alone.
    pub reproduce: String,
}

impl StudySummary {
    /// The summary without the values of single replications.
    #[must_use]
    pub fn without_values(&self) -> Self {
        let bare = |(name, figures): (&String, &Figures)| {
            (
                name.clone(),
                Figures { summary: figures.summary, quantiles: figures.quantiles, values: Vec::new() },
            )
        };
        let points = self.points.iter().map(|point| Point {
            metrics: point.metrics.iter().map(bare).collect(),
            at: point.at.clone(),
            label: point.label.clone(),
            recorded: point.recorded.clone(),
            warnings: point.warnings.clone(),
            runs: point.runs.clone(),
            ..*point
        });
        StudySummary {
            schema: self.schema.clone(),
            title: self.title.clone(),
            axes: self.axes.clone(),
            metrics: self.metrics.clone(),
            points: points.collect(),
            warnings: self.warnings.clone(),
            headline: self.headline.clone(),
            comparisons: self.comparisons.clone(),
            findings: self.findings.clone(),
            crossovers: self.crossovers.clone(),
            failures: self.failures.clone(),
            ..*self
        }
    }

    /// The families that were asked for; all of them if none was.
    pub fn asked_comparisons(&self) -> Vec<&Comparison> {
        let asked: Vec<&Comparison> =
            self.comparisons.iter().filter(|one| one.role != Role::Unasked).collect();
        if asked.is_empty() { self.comparisons.iter().collect() } else { asked }
    }

    /// The axis that varies this key; without one the default axis.
    pub fn axis_to_compare(&self, key: Option<&str>) -> Option<usize> {
        match key {
            Some(key) => self.axes.iter().position(|axis| axis.keys.iter().any(|known| known == key)),
            None => default_axis(self.axes.iter().map(|axis| (axis.keys.as_slice(), axis.labels.len()))),
        }
    }
}

impl Point {
    /// The point without the values of single replications.
    pub(super) fn without_values(mut self) -> Self {
        self.metrics.values_mut().for_each(|figures| figures.values = Vec::new());
        self
    }

    /// The value of a metric with the log as recorded.
    pub(super) fn recorded(&self, metric: &str) -> Option<f64> {
        self.recorded.as_ref()?.get(metric).copied()
    }

    /// Returns true if more work came than was done in one of its runs.
    pub(super) fn is_saturated(&self) -> bool {
        self.warnings.iter().any(|warning| warning.code == SATURATED)
    }

    /// The mean of a metric over the replications; 0 if nothing was observed.
    pub fn mean(&self, metric: &str) -> f64 {
        self.metrics.get(metric).map_or(0.0, |figures| figures.summary.mean)
    }

    /// The values of a metric, by replication; none if nothing was observed.
    pub fn values(&self, metric: &str) -> &[Observation] {
        self.metrics.get(metric).map_or(&[], |figures| &figures.values)
    }
}
