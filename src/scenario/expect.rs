//! Expectations: bounds on metrics that a scenario states and a run is held to.
//!
//! `"wait-time.mean" = "<= 2h"`: a comparison and a value in the metric's unit. Times may be written with a unit,
//! shares with `%`, others with the unit that the metric has; a bare number is in the metric's own unit (seconds for times). What
//! breaks a bound is printed in the bound's unit. A metric without observations
//! satisfies no bound.

use std::fmt;
use std::sync::Arc;

use crate::agent::{Outcomes, flow_metrics};
use crate::instrument::by_class::fairness;
use crate::instrument::loss_of_capacity::capacity_metric;
use crate::instrument::metrics::{Metric, Run, is_share};
use crate::instrument::{Draw, Failures, Interrupted, Record, Site, slice_metrics, task_metrics};
use crate::kernel::SimDuration;
use crate::kernel::stats::WarmUp;
use crate::registry::code;
use crate::registry::{Complaint, Slot, suggestion};
use crate::scenario::agents::steady_state_metrics;
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
    unit: Unit,
}

/// The unit that a bound was written in, and the metric's values for one of it.
#[derive(Clone, Debug, PartialEq)]
struct Unit {
    name: String,
    scale: f64,
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
        let (bound, unit) = number(value, metric).map_err(|expected| {
            let message = format!("`{value}` is no value of `{}`", metric.name);
            Complaint::new(code::BOUND, message, slot.node.span).label(expected)
        })?;
        Ok(Expectation { metric: slot.name.clone(), written: written.to_owned(), comparison, bound, unit })
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

    /// A value that breaks the bound in the bound's own unit, with as many digits as show that it does.
    fn text(&self, found: f64) -> String {
        let Unit { name, scale } = &self.unit;
        let value = found / scale;
        let rounded = |digits| format!("{value:.digits$e}").parse().unwrap_or(value);
        let text = (3..16).map(rounded).find(|rounded| !self.holds(rounded * scale)).unwrap_or(value);
        match name.as_str() {
            "" => text.to_string(),
            name => format!("{text} {name}"),
        }
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
            Some(found) => write!(f, "expected {metric} {written}, found {}", self.expectation.text(found)),
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
    /// Given flows on a platform, with agents or without.
    Flows,
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
    if matches!(measured, Measured::Agents | Measured::Flows) {
        let mut metrics = Outcomes::metrics_of_nothing();
        if measured == Measured::Flows {
            metrics.extend(flow_metrics(&[]));
        }
        metrics.extend(steady_state_metrics(&[], None));
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
        Measured::Tasks | Measured::Agents | Measured::Flows => known_metrics(measured),
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

/// The value of a bound on `metric`, and the unit that it was written in: a bare number is in the metric's own.
fn number(text: &str, metric: &Metric) -> Result<(f64, Unit), &'static str> {
    let own = |name: &str| Unit { name: name.to_owned(), scale: 1.0 };
    let bare = |text: &str| text.trim_end().parse::<f64>().ok().filter(|number| number.is_finite());
    if let Some(number) = bare(text) {
        return Ok((number, own(metric.unit)));
    }
    match metric.unit {
        "s" => {
            let expected = "expected a duration such as \"2h\", or a number of seconds";
            let nanos = duration(text).map_err(|_| expected)?;
            // of several units the first, which is the greatest
            let units = text.trim_start_matches(|letter: char| !letter.is_alphabetic());
            let name = units.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
            let scale = duration(&format!("1{name}")).map_err(|_| expected)? as f64 / 1e9;
            Ok((nanos as f64 / 1e9, Unit { name: name.to_owned(), scale }))
        }
        "" if is_share(&metric.name) => {
            let share = share(text).map_err(|_| "expected a share such as \"60 %\" or \"0.6\"")?;
            Ok((share, Unit { name: "%".to_owned(), scale: 0.01 }))
        }
        "" => Err("expected a number"),
        unit => {
            let number = text.strip_suffix(unit).and_then(bare);
            number
                .map(|number| (number, own(unit)))
                .ok_or("expected a number, alone or with the metric's unit")
        }
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
        assert_eq!(broken.to_string(), "expected wait-time.mean <= 1h, found 1.0003 h");
        let strict = read("\"wait-time.mean\" = \"< 3600\"").expect("a bound");
        assert_eq!(
            strict.broken_by(&wait(3600.0)).expect("broken").to_string(),
            "expected wait-time.mean < 3600, found 3600 s"
        );
        let days = read("\"wait-time.mean\" = \"< 1.5 d\"").expect("a bound").broken_by(&wait(864_000.0));
        assert_eq!(days.expect("broken").to_string(), "expected wait-time.mean < 1.5 d, found 10 d");
    }

    #[test]
    fn shares_have_percent_and_other_metrics_their_own_unit() {
        let found = |line: &str, value: f64| {
            let bound = read(line).expect("a bound");
            let broken = bound.broken_by_interval(Some(value), None).map(|broken| broken.to_string());
            broken.unwrap_or_default()
        };
        assert_eq!(found("utilization = \"> 60 %\"", 0.5), "expected utilization > 60 %, found 50 %");
        assert_eq!(found("utilization = \"> 0.6\"", 0.5), "expected utilization > 0.6, found 0.5");
        assert_eq!(
            found("availability = \">= 99.9%\"", 0.998_999),
            "expected availability >= 99.9%, found 99.8999 %"
        );
        assert_eq!(
            found("throughput = \"< 20 jobs/h\"", 21.0),
            "expected throughput < 20 jobs/h, found 21 jobs/h"
        );
        assert_eq!(found("throughput = \"< 20\"", 21.0), "expected throughput < 20, found 21 jobs/h");
        assert_eq!(
            found("\"jobs.completed\" = \">= 400\"", 399.0),
            "expected jobs.completed >= 400, found 399"
        );
        // a count and a ratio are no shares
        let refused = |line| read(line).expect_err("no value").message;
        assert_eq!(refused("\"jobs.completed\" = \"> 60 %\""), "`60 %` is no value of `jobs.completed`");
        assert_eq!(refused("\"slowdown.mean\" = \"< 60 %\""), "`60 %` is no value of `slowdown.mean`");
        assert_eq!(refused("throughput = \"< 2h\""), "`2h` is no value of `throughput`");
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
