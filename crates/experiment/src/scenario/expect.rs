//! Expectations: bounds on metrics that a scenario states and a run is held to.
//!
//! `"wait-time.mean" = "<= 2h"`: a comparison and a value in the metric's unit. Times may be
//! written with a unit, shares with `%`, others with the unit that the metric has; a bare number is
//! in the metric's own unit (seconds for times). What breaks a bound is printed in the bound's
//! unit. A metric without observations satisfies no bound.

use std::fmt;

use crate::measure::metric::Metric;
use crate::registry::{Complaint, KeyValue, code};
use crate::scenario::renamed::unknown_metric;
use crate::units::{duration, share};

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

/// Comparison of a metric with its bound.
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
    /// Expectation.
    pub expectation: Expectation,
    /// Value found; `None` if nothing was observed.
    pub found: Option<f64>,
}

impl Expectation {
    /// Reads one entry of `[expect]`, of a run that may have these metrics; those that are shares
    /// may be written in percent.
    pub(super) fn read(
        slot: &KeyValue,
        known: &[Metric],
        is_share: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Complaint> {
        let Some(metric) = known.iter().find(|metric| metric.name == slot.name) else {
            return Err(unknown_metric(code::BOUND, &slot.name, Some(slot.span), known));
        };
        let written = slot.node.as_text().unwrap_or_default();
        let Some((comparison, value)) = split(written) else {
            let complaint = Complaint::new(code::BOUND, format!("`{written}` is no bound"), slot.node.span);
            return Err(complaint.label("expected a comparison and a value, such as \"< 60\" or \">= 0.5\""));
        };
        let (bound, unit) = number(value, metric, is_share(&metric.name)).map_err(|expected| {
            let message = format!("`{value}` is no value of `{}`", metric.name);
            Complaint::new(code::BOUND, message, slot.node.span).label(expected)
        })?;
        Ok(Expectation { metric: slot.name.clone(), written: written.to_owned(), comparison, bound, unit })
    }

    /// The expectation, broken, if the worse end of an interval around `mean` breaks it; without a
    /// half-width, the mean.
    pub fn broken_by_interval(&self, mean: Option<f64>, half_width: Option<f64>) -> Option<Broken> {
        let half_width = half_width.unwrap_or(0.0);
        let found = mean.map(|mean| match self.comparison {
            Comparison::Below | Comparison::AtMost => mean + half_width,
            Comparison::Above | Comparison::AtLeast => mean - half_width,
        });
        (!found.is_some_and(|found| self.holds(found))).then(|| Broken { expectation: self.clone(), found })
    }

    /// The expectation, broken, if one of two ends breaks it; an end that is not known breaks every
    /// bound on its side.
    pub fn broken_by_ends(&self, low: Option<f64>, high: Option<f64>) -> Option<Broken> {
        let found = match self.comparison {
            Comparison::Below | Comparison::AtMost => high,
            Comparison::Above | Comparison::AtLeast => low,
        };
        (!found.is_some_and(|found| self.holds(found))).then(|| Broken { expectation: self.clone(), found })
    }

    /// A value that breaks the bound in the bound's own unit, with as many digits as show that it
    /// does.
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

/// The value of a bound on `metric`, and the unit that it was written in: a bare number is in the
/// metric's own.
fn number(text: &str, metric: &Metric, is_share: bool) -> Result<(f64, Unit), &'static str> {
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
        "" if is_share => {
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
    use crate::measure::family::{Family, SPREAD, families};
    use crate::measure::metric::Value;
    use crate::registry::{Sources, parse_file};

    const FAMILIES: [Family; 6] = families! {
        "wait-time" ["s"] Lower, "all" => "start - arrival", parts SPREAD;
        "slowdown" [] Lower, "all" => "response / run time", parts SPREAD;
        "utilization" [share] Higher, "all" => "busy / whole";
        "availability" [share] None, "all" => "up / whole";
        "throughput" ["jobs/h"] Higher, "all" => "jobs / time";
        "jobs.completed" [] Higher, "all" => "jobs that were completed";
    };

    fn read(line: &str) -> Result<Expectation, Complaint> {
        let id = Sources::new("").add("test.toml", line, "");
        let tree = parse_file(line, id, &mut Vec::new());
        let of = |family: &Family| {
            let metric = |name| Metric { name, value: Value::Nothing, unit: family.unit };
            family.names().into_iter().map(metric).collect::<Vec<_>>()
        };
        let known: Vec<Metric> = FAMILIES.iter().flat_map(of).collect();
        let is_share = |name: &str| FAMILIES.iter().any(|family| family.has(name) && family.share);
        Expectation::read(&tree.slots()[0], &known, &is_share)
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
    fn an_unknown_metric_and_a_bound_without_sense_are_reported() {
        let message = |line| read(line).expect_err("no bound").message;
        assert_eq!(message("\"wait-time.maen\" = \"< 1\""), "unknown metric `wait-time.maen`");
        assert_eq!(message("utilization = \"about half\""), "`about half` is no bound");
        assert_eq!(message("\"wait-time.max\" = \"< soon\""), "`soon` is no value of `wait-time.max`");
        assert_eq!(
            message("cpu-utilization = \"> 0.5\""),
            "unknown metric `cpu-utilization`",
            "not of this run"
        );
    }
}
