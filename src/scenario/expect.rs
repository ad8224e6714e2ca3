//! Expectations: bounds on metrics that a scenario states and a run is held to.
//!
//! `"wait-time.mean" = "<= 2h"`: a comparison and a value in the metric's unit. Times may be written with a unit,
//! shares with `%`; a bare number is in the metric's own unit (seconds for times). A metric without observations
//! satisfies no bound.

use std::fmt;
use std::sync::Arc;

use crate::agent::Outcomes;
use crate::instrument::by_class::fairness;
use crate::instrument::loss_of_capacity::capacity_metric;
use crate::instrument::metrics::{Metric, Run};
use crate::instrument::{Draw, Failures, Interrupted, Record, Site, slice_metrics, task_metrics};
use crate::kernel::SimDuration;
use crate::kernel::stats::WarmUp;
use crate::registry::code;
use crate::registry::{Complaint, Slot, suggestion};
use crate::scenario::agents::against_the_best;
use crate::units::{Power, duration, share};
use crate::workload::resources::{Demands, FeatureNames, Features, NodeKind, Nodes, Resources};
use crate::workload::{Habits, Walltime};

/// One bound on one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The metric's name.
    pub metric: String,
    /// The bound as written.
    pub written: String,
    comparison: Comparison,
    bound: f64,
}

/// How a metric is compared with its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Below,
    AtMost,
    Above,
    AtLeast,
}

/// An expectation that a run did not meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// What was expected.
    pub expectation: Expectation,
    /// What came out; `None` if nothing was observed.
    pub found: Option<f64>,
}

impl Expectation {
    /// Reads one entry of `[expect]`, of a run of which this is measured.
    pub(super) fn read(slot: &Slot, measured: Measured) -> Result<Self, Complaint> {
        let known = bounded_metrics(measured);
        let Some(metric) = known.iter().find(|metric| metric.name == slot.name) else {
            let message = format!("unknown metric `{}`", slot.name);
            let complaint = Complaint::new(code::BOUND, message, slot.span).label("not known");
            return Err(
                complaint.help(suggestion(&slot.name, known.iter().map(|metric| metric.name.as_str())))
            );
        };
        let written = slot.node.as_text().unwrap_or_default();
        let Some((comparison, value)) = split(written) else {
            let complaint = Complaint::new(code::BOUND, format!("`{written}` is no bound"), slot.node.span);
            return Err(complaint.label("expected a comparison and a value, such as \"< 60\" or \">= 0.5\""));
        };
        let bound = number(value, metric.unit).map_err(|expected| {
            let message = format!("`{value}` is no value of `{}`", metric.name);
            Complaint::new(code::BOUND, message, slot.node.span).label(expected)
        })?;
        Ok(Expectation { metric: slot.name.clone(), written: written.to_owned(), comparison, bound })
    }

    /// The expectation, broken, if the worse end of an interval around `mean` breaks it; without a half-width, the mean.
    pub fn broken_by_interval(&self, mean: Option<f64>, half_width: Option<f64>) -> Option<Broken> {
        let half_width = half_width.unwrap_or(0.0);
        let found = mean.map(|mean| match self.comparison {
            Comparison::Below | Comparison::AtMost => mean + half_width,
            Comparison::Above | Comparison::AtLeast => mean - half_width,
        });
        (!found.is_some_and(|found| self.holds(found))).then(|| Broken { expectation: self.clone(), found })
    }

    fn holds(&self, found: f64) -> bool {
        match self.comparison {
            Comparison::Below => found < self.bound,
            Comparison::AtMost => found <= self.bound,
            Comparison::Above => found > self.bound,
            Comparison::AtLeast => found >= self.bound,
        }
    }

    /// The expectation, broken, if these metrics break it.
    pub fn broken_by(&self, metrics: &[Metric]) -> Option<Broken> {
        let found = metrics.iter().find(|metric| metric.name == self.metric).and_then(Metric::number);
        (!found.is_some_and(|found| self.holds(found))).then(|| Broken { expectation: self.clone(), found })
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expectation { metric, written, .. } = &self.expectation;
        match self.found {
            Some(found) => write!(f, "expected {metric} {written}, found {found}"),
            None => write!(f, "expected {metric} {written}, but nothing was observed"),
        }
    }
}

/// What the metrics of a run are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measured {
    /// Jobs that occupy processors: a cluster at detail `job`.
    Jobs,
    /// Jobs whose tasks run on nodes: a cluster at detail `task`.
    Tasks,
    /// Agents on a platform.
    Agents,
}

/// What a run at detail `job` may have beside what every run has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct More {
    /// Its jobs run in slices.
    pub slices: bool,
    /// What its site does.
    pub site: Site,
    /// Its jobs ask for more than processors.
    pub resources: bool,
    /// Its jobs are told apart.
    pub classes: bool,
}

impl More {
    /// All that there is.
    const ALL: More = {
        let none = Power::from_milliwatts(0);
        let walltime = Some(Walltime { grace: SimDuration::ZERO });
        let power = match none {
            Some(none) => Some(Draw { idle: none, busy: none }),
            None => None,
        };
        let failures =
            Some(Failures { processors_per_node: 1, then: Interrupted::Requeued, checkpoint: None });
        let site = Site { walltime, power, users: Habits::ALL, failures, reserves: true };
        More { slices: true, site, resources: true, classes: true }
    };

    /// What either has.
    #[must_use]
    pub fn or(self, other: More) -> More {
        let walltime = self.site.walltime.or(other.site.walltime);
        let power = self.site.power.or(other.site.power);
        let failures = self.site.failures.or(other.site.failures);
        let reserves = self.site.reserves || other.site.reserves;
        let site = Site { walltime, power, users: self.site.users.or(other.site.users), failures, reserves };
        let (resources, classes) = (self.resources || other.resources, self.classes || other.classes);
        More { slices: self.slices || other.slices, site, resources, classes }
    }
}

/// Every metric of a run at this detail, by the metrics of one in which nothing happens.
pub fn known_metrics(measured: Measured) -> Vec<Metric> {
    metrics_with(measured, More::default())
}

/// As [`known_metrics`], of a run that has more.
pub fn metrics_with(measured: Measured, more: More) -> Vec<Metric> {
    if measured == Measured::Agents {
        let mut metrics = Outcomes::metrics_of_nothing();
        metrics.extend(against_the_best(&[], None));
        return metrics;
    }
    let mut record = Record::new(0).at(more.site).on_nodes(more.resources.then(of_nothing));
    record.reservations_moved(0);
    let run = Run { jobs: &[], record: &record, procs: 1, until: None, warm_up: WarmUp::None };
    let mut metrics = run.metrics();
    if measured == Measured::Tasks {
        metrics.extend(task_metrics::of_nothing());
    }
    if more.slices {
        metrics.extend(slice_metrics::of_nothing());
    } else if measured == Measured::Jobs {
        metrics.push(capacity_metric(None));
    }
    if more.classes && measured == Measured::Jobs {
        metrics.push(fairness(None));
    }
    metrics
}

/// A node of which nobody asks anything.
fn of_nothing() -> Arc<Resources> {
    let (memory, features) = (NodeKind::ENDLESS, Features::NONE);
    let kind = NodeKind { nodes: 1, processors: 1, memory, gpus: 0, features };
    let nodes = Nodes::new(vec![kind], FeatureNames::default()).expect("one node");
    Arc::new(Resources { nodes, demands: Demands::default() })
}

/// Every metric that a run at this detail may have, whatever its policy.
pub fn bounded_metrics(measured: Measured) -> Vec<Metric> {
    match measured {
        Measured::Jobs => metrics_with(measured, More::ALL),
        Measured::Tasks | Measured::Agents => known_metrics(measured),
    }
}

fn split(written: &str) -> Option<(Comparison, &str)> {
    let signs = [
        ("<=", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("<", Comparison::Below),
        (">", Comparison::Above),
    ];
    let written = written.trim();
    signs.iter().find_map(|&(sign, comparison)| Some((comparison, written.strip_prefix(sign)?.trim())))
}

fn number(text: &str, unit: &str) -> Result<f64, &'static str> {
    if let Ok(number) = text.parse::<f64>()
        && number.is_finite()
    {
        return Ok(number);
    }
    match unit {
        "s" => match duration(text) {
            Ok(nanos) => Ok(nanos as f64 / 1e9),
            Err(_) => Err("expected a duration such as \"2h\", or a number of seconds"),
        },
        "" => share(text).map_err(|_| "expected a number"),
        _ => Err("expected a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instrument::metrics::Value;
    use crate::registry::{Sources, parse_file};

    fn read(line: &str) -> Result<Expectation, Complaint> {
        let id = Sources::new("").add("test.toml", line, "");
        let tree = parse_file(line, id, &mut Vec::new());
        Expectation::read(&tree.slots()[0], Measured::Jobs)
    }

    fn wait(seconds: f64) -> Vec<Metric> {
        vec![Metric { name: "wait-time.mean".to_owned(), value: Value::Real(seconds), unit: "s" }]
    }

    #[test]
    fn a_bound_may_carry_the_units_of_its_metric() {
        let hour = read("\"wait-time.mean\" = \"<= 1h\"").expect("a bound");
        assert_eq!(hour.broken_by(&wait(3600.0)), None);
        let broken = hour.broken_by(&wait(3601.0)).expect("broken");
        assert_eq!(broken.to_string(), "expected wait-time.mean <= 1h, found 3601");
        let strict = read("\"wait-time.mean\" = \"< 3600\"").expect("a bound");
        assert!(strict.broken_by(&wait(3600.0)).is_some());
        assert!(read("utilization = \"> 50%\"").is_ok());
    }

    #[test]
    fn nothing_observed_satisfies_no_bound() {
        let bound = read("\"wait-time.mean\" = \">= 0\"").expect("a bound");
        let broken = bound.broken_by(&[]).expect("broken");
        assert_eq!(broken.to_string(), "expected wait-time.mean >= 0, but nothing was observed");
    }

    #[test]
    fn an_unknown_metric_and_a_bound_without_sense_are_told() {
        let message = |line| read(line).expect_err("no bound").message;
        assert_eq!(message("\"wait-time.maen\" = \"< 1\""), "unknown metric `wait-time.maen`");
        assert_eq!(message("utilization = \"about half\""), "`about half` is no bound");
        assert_eq!(message("\"wait-time.max\" = \"< soon\""), "`soon` is no value of `wait-time.max`");
        assert_eq!(
            message("cpu-utilization = \"> 0.5\""),
            "unknown metric `cpu-utilization`",
            "at detail `job`"
        );
    }
}
