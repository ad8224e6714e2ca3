//! The numbers that a run states in `summary.json`, each compared with what is found again from the
//! rows of its tables.
//!
//! A judge fills in [`Recomputation`]: the value of each number under its name, or why the files
//! cannot give it. [`Recomputation::compare`] takes every number of the summary. One that has no
//! finding is listed by its name, so a new metric cannot pass unseen.
//!
//! | name | number |
//! |---|---|
//! | `wait-time.mean` | `metrics.wait-time.mean.value` |
//! | `wait-time.mean/half-width` | `metrics.wait-time.mean.half-width` |
//! | `classes/user-7/wait-time.mean` | `classes.user-7.wait-time.mean.value` |
//! | `warm-up/jobs` | any other member, by its path |
//!
//! Members that name or explain (schema, unit, kind of interval) are no numbers. Values are equal
//! if they differ by at most one part in 10^9, as sums do that are made in another order.

use serde_json::{Value as Json, json};

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::kernel::stats::{BatchMeans, CONFIDENCE, nearest_rank};

use super::{Judgement, Violation};

/// Members of a summary that are no numbers.
const WORDS: [&str; 3] = ["schema", "unit", "interval"];

/// Full batches that an interval rests on at least.
const LEAST_BATCHES: usize = 20;

/// Instants at which the subjects of a stream come at least.
const LEAST_INSTANTS: usize = 100;

/// The reason of a number that no judge computes.
const UNKNOWN: &str = "nothing here computes it again";

/// The promise of a summary.
const PROMISE: &str = "every number of summary.json is what the files make it";

/// A number as it is found again.
#[derive(Clone, PartialEq, Debug)]
enum Found {
    /// This one; null where nothing was observed.
    Is(Json),
    /// Not in the files, for this reason.
    Never(&'static str),
}

/// Numbers as they are found again, by their names.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recomputation {
    found: OrderedMap<String, Found>,
    /// Reasons of all names that begin so; of several, that of the longest beginning counts.
    families: Vec<(&'static str, &'static str)>,
}

impl Recomputation {
    /// A number, `None` where nothing was observed.
    pub fn is(&mut self, name: impl Into<String>, value: Option<f64>) {
        self.found.insert(name.into(), Found::Is(json!(value)));
    }

    /// A count.
    pub fn count(&mut self, name: impl Into<String>, count: u64) {
        self.found.insert(name.into(), Found::Is(json!(count)));
    }

    /// Any other value.
    pub fn value(&mut self, name: impl Into<String>, value: Json) {
        self.found.insert(name.into(), Found::Is(value));
    }

    /// A value that is computed, or the reason why it is not.
    pub fn known(&mut self, name: impl Into<String>, value: Result<Option<f64>, &'static str>) {
        let found = value.map_or_else(Found::Never, |value| Found::Is(json!(value)));
        self.found.insert(name.into(), found);
    }

    /// Mean, median, 95th percentile and maximum of observations, under `name.mean` and so on.
    pub fn spread(&mut self, name: &str, mut values: Vec<f64>) {
        let count = values.len() as f64;
        let mean = (!values.is_empty()).then(|| sum(&values) / count);
        self.is(format!("{name}.mean"), mean);
        values.sort_unstable_by(f64::total_cmp);
        for (part, percent) in [("median", 50), ("p95", 95), ("max", 100)] {
            let rank = nearest_rank(values.len() as u64, percent, 100);
            self.is(format!("{name}.{part}"), rank.map(|rank| values[rank as usize - 1]));
        }
    }

    /// The half-width of a mean over subjects that come as a stream, each with the instant at which
    /// it came and its value, if it has one.
    pub fn half_width_of_arrivals(
        &mut self,
        mean: &str,
        subjects: impl IntoIterator<Item = (SimTime, Option<f64>)>,
        summary: &Json,
    ) {
        let (mut instants, mut last, mut values) = (0, None, Vec::new());
        for (came, value) in subjects {
            instants += usize::from(last.replace(came) != Some(came));
            values.extend(value);
        }
        if instants >= LEAST_INSTANTS {
            self.half_width(mean, values, summary);
        }
    }

    /// The half-width of the interval of a mean, over batches of values in this order. A run states
    /// one where it drew something and there are batches enough.
    pub fn half_width(&mut self, mean: &str, values: impl IntoIterator<Item = f64>, summary: &Json) {
        let mut batches = BatchMeans::default();
        values.into_iter().for_each(|value| {
            batches.record(value);
        });
        let interval = batches.widest_interval(CONFIDENCE).filter(|_| batches.means().len() >= LEAST_BATCHES);
        if let Some(interval) = interval.filter(|_| summary["drew"] == true) {
            self.is(format!("{mean}/half-width"), Some(interval.half_width));
        }
    }

    /// No number with a name that begins so can be found, for this reason; one that is found all
    /// the same counts.
    pub fn never(&mut self, beginning: &'static str, why: &'static str) {
        self.families.push((beginning, why));
    }

    fn of(&self, name: &str) -> Found {
        let family = || {
            let matching = self.families.iter().filter(|(beginning, _)| name.starts_with(beginning));
            matching.max_by_key(|(beginning, _)| beginning.len())
        };
        let unknown = || family().map_or(UNKNOWN, |(_, why)| why);
        self.found.get(name).cloned().unwrap_or_else(|| Found::Never(unknown()))
    }

    /// Adds what a run says of itself apart from its metrics: title and seed of its scenario,
    /// events and digest as its manifest has them.
    pub fn of_run(&mut self, (title, seed): (&str, u64), manifest: &Json) {
        const SAID: &str = "it is said by the run alone (run it again)";
        self.value("title", json!(title));
        self.value("seed", json!(seed));
        self.value("digest", manifest["digest"].clone());
        self.value("events", manifest["counters"]["events"].clone());
        ["drew", "warnings", "notes"].iter().for_each(|name| self.never(name, SAID));
    }

    /// Compares every number of a summary: first those that can be found, then the names of the
    /// others by their reasons.
    pub fn compare(&self, summary: &Json) -> Vec<(String, Judgement)> {
        let (mut violations, mut stated) = (Vec::new(), OrderedMap::new());
        let mut never: Vec<(&'static str, Vec<String>)> = Vec::new();
        let mut broken = |what: String| violations.push(Violation::of_no_job(SimTime::ZERO, what));
        for (name, value) in numbers(summary) {
            match self.of(&name) {
                Found::Is(found) if is_near(value, &found) => {}
                Found::Is(found) => broken(format!("{name} is {value}, and by the files {found}")),
                Found::Never(why) => {
                    let family = family_of(&name);
                    match never.iter_mut().find(|(reason, _)| *reason == why) {
                        Some((_, names)) if names.contains(&family) => {}
                        Some((_, names)) => names.push(family),
                        None => never.push((why, vec![family])),
                    }
                }
            }
            stated.insert(name, ());
        }
        for (name, _) in self.found.iter().filter(|(_, found)| matches!(found, Found::Is(_))) {
            if !stated.contains_key(name) {
                broken(format!("{name} is not in the summary"));
            }
        }
        let mut judged = vec![(PROMISE.to_owned(), Ok(violations))];
        judged.extend(never.into_iter().map(|(why, names)| (listed(&names), Err(why))));
        judged
    }
}

/// The sum of values with what is lost to rounding added in the end.
fn sum(values: &[f64]) -> f64 {
    let (mut whole, mut rest) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = whole + value;
        rest += if whole.abs() >= value.abs() { (whole - next) + value } else { (value - next) + whole };
        whole = next;
    }
    whole + rest
}

/// Every number of a summary and its name.
fn numbers(summary: &Json) -> Vec<(String, &Json)> {
    let mut found = Vec::new();
    gather(summary, "", &mut found);
    found
}

fn gather<'a>(json: &'a Json, path: &str, found: &mut Vec<(String, &'a Json)>) {
    let Some(members) = json.as_object() else {
        found.push((path.to_owned(), json));
        return;
    };
    for (name, member) in members.iter().filter(|(name, _)| !WORDS.contains(&name.as_str())) {
        let path = match name.as_str() {
            "metrics" if path.is_empty() => String::new(),
            "value" => path.to_owned(),
            _ if path.is_empty() => name.clone(),
            _ => format!("{path}/{name}"),
        };
        gather(member, &path, found);
    }
}

/// Returns true if two numbers are equal but for rounding, or two other values are equal.
fn is_near(stated: &Json, found: &Json) -> bool {
    match (stated.as_f64(), found.as_f64()) {
        (Some(stated), Some(found)) => near(stated, found),
        _ => stated == found,
    }
}

/// Returns true if two numbers differ by at most one part in 10^9, or by what is left of sums that
/// cancel each other out.
pub fn near(stated: f64, found: f64) -> bool {
    (stated - found).abs() <= 1e-9 * stated.abs().max(found.abs()) + 1e-12
}

/// The name that the parts of a metric, or the metrics of all classes, share.
fn family_of(name: &str) -> String {
    let metric = name.rsplit_once('/').map_or(name, |(_, last)| last);
    let stem = match metric.rsplit_once('.') {
        Some((stem, "mean" | "median" | "p95" | "max")) => stem,
        _ => metric,
    };
    match name.strip_prefix("classes/") {
        Some(_) => format!("{stem} of classes"),
        None if name == metric => stem.to_owned(),
        None => name.to_owned(),
    }
}

/// The names in one line.
fn listed(names: &[String]) -> String {
    format!("{} in summary.json", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Json {
        json!({
            "schema": "s/1",
            "digest": "ab",
            "warm-up": { "jobs": 2, "found": null },
            "warnings": [{ "code": "x", "text": "2 %" }],
            "metrics": {
                "wait-time.mean": { "value": 2.5, "unit": "s", "half-width": 0.5, "interval": "batch-means" },
                "wait-time.max": { "value": null, "unit": "s" },
            },
            "classes": { "a.b": { "wait-time.mean": { "value": 1, "unit": "s" } } },
        })
    }

    fn findings() -> Recomputation {
        let mut findings = Recomputation::default();
        findings.value("digest", json!("ab"));
        findings.count("warm-up/jobs", 2);
        findings.is("warm-up/found", None);
        findings.value("warnings", json!([{ "code": "x", "text": "2 %" }]));
        findings.is("wait-time.mean", Some(2.5 + 1e-10));
        findings.is("wait-time.mean/half-width", Some(0.5));
        findings.is("wait-time.max", None);
        findings.is("classes/a.b/wait-time.mean", Some(1.0));
        findings
    }

    #[test]
    fn every_number_is_compared_and_any_that_differs_is_named() {
        let kept = findings().compare(&summary());
        assert_eq!(kept, [(PROMISE.to_owned(), Ok(Vec::new()))]);
        for pointer in [
            "/digest",
            "/warm-up/jobs",
            "/warm-up/found",
            "/warnings/0/text",
            "/metrics/wait-time.mean/value",
            "/metrics/wait-time.mean/half-width",
            "/metrics/wait-time.max/value",
            "/classes/a.b/wait-time.mean/value",
        ] {
            let mut changed = summary();
            *changed.pointer_mut(pointer).expect("it is there") = json!(77);
            let judged = findings().compare(&changed);
            assert_eq!(judged[0].1.as_ref().map(Vec::len), Ok(1), "{pointer}");
        }
    }

    #[test]
    fn what_is_not_found_is_listed_by_its_reason_and_what_is_missing_is_broken() {
        let mut few = Recomputation::default();
        few.never("wa", "of the run");
        few.never("wait-time", "of the jobs");
        few.is("wait-time.mean", Some(2.5));
        few.is("slowdown.mean", Some(1.0));
        let judged = few.compare(&summary());
        assert_eq!(
            judged[0].1.as_ref().map(|broken| broken[0].what.as_str()),
            Ok("slowdown.mean is not in the summary")
        );
        let listed: Vec<(&str, &str)> =
            judged[1..].iter().map(|(names, why)| (names.as_str(), *why.as_ref().expect_err("no"))).collect();
        assert_eq!(
            listed,
            [
                ("digest, wait-time of classes in summary.json", UNKNOWN),
                ("warm-up/jobs, warm-up/found, warnings in summary.json", "of the run"),
                ("wait-time.mean/half-width, wait-time in summary.json", "of the jobs"),
            ]
        );
    }

    #[test]
    fn a_spread_is_by_the_nearest_rank() {
        let mut findings = Recomputation::default();
        findings.spread("wait-time", vec![4.0, 1.0, 2.0, 3.0]);
        findings.spread("none", Vec::new());
        let is = |name: &str, value: f64| assert_eq!(findings.of(name), Found::Is(json!(value)), "{name}");
        is("wait-time.mean", 2.5);
        is("wait-time.median", 2.0);
        is("wait-time.p95", 4.0);
        is("wait-time.max", 4.0);
        assert_eq!(findings.of("none.mean"), Found::Is(Json::Null));
    }
}
