//! From the runs of a study to its summary.
//!
//! What goes in are the rows of runs, in any order; what comes out depends on nothing else, so that
//! a study that was interrupted, sharded or run on many threads has the same summary, byte for
//! byte.
//!
//! A point whose runs drew no random number has no interval, however often it was run: its
//! replications are the same run. A single random run takes its intervals from batch means where
//! the run gives them, and says how far to believe them.

use std::borrow::Borrow;

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::stats::{CONFIDENCE, Summary};
use crate::measure::family::Aim;
use crate::measure::own_warnings::OwnWarnings;
use crate::scenario::{ALL, Crossover, System};
use crate::study::question::Question;
use crate::study::row::{Row, RunKey, reproduce, values_of};
use crate::study::summary::{
    Axis, Comparison, Failure, Figures, IntervalKind, MetricFacts, ObservedQuantiles, Point, Role, SCHEMA,
    StudySummary, Warning,
};
use crate::study::verdict::DETECT;
use crate::study::{crossover, findings, warnings, warnings_by_code};

/// Metrics of a headline that no system declares.
const HEADLINE: usize = 4;

/// A study as planned.
#[derive(Clone, Debug, Default)]
pub struct StudyFacts {
    /// Title of the scenario.
    pub title: String,
    /// Root seed.
    pub seed: u64,
    /// The axes along which it varies.
    pub axes: Vec<Axis>,
    /// The points by number: position on each axis, and label.
    pub points: Vec<(Vec<usize>, String)>,
    /// Names and units of all metrics, in the order in which they are shown.
    pub metrics: Vec<(String, String)>,
    /// The simulated system, which knows its metrics.
    pub system: Option<&'static dyn System>,
    /// The metrics that people look at first; the first that have an aim if there are none.
    pub headline: &'static [&'static str],
    /// The question asked.
    pub question: Question,
    /// The crossovers that are looked for.
    pub crossovers: Vec<Crossover>,
    /// The metrics that were asked for: how wide their intervals are is judged.
    pub asked: OrderedSet<String>,
}

impl StudyFacts {
    /// The warnings that the system declares.
    fn warnings(&self) -> OwnWarnings {
        self.system.map_or(OwnWarnings::NONE, <dyn System>::warnings)
    }
}

/// The summary of the runs. Metrics that the plan does not name and runs of points that it does not
/// have are left out.
pub fn build<R: Borrow<Row>>(study: &StudyFacts, runs: &OrderedMap<RunKey, R>) -> StudySummary {
    let mut summary = of_points(study, runs, |point| point);
    summary.crossovers = crossover::of(&study.crossovers, &summary.axes, &summary.points);
    if let Some(axis) = summary.axis_to_compare(study.question.axis.as_deref()) {
        summary.comparisons = comparisons(&summary, axis, &study.question);
        summary.findings = Some(findings::of(&summary));
    }
    summary.warnings = warnings_by_code::of(&summary);
    summary
}

/// The points of some runs without the values of single replications, and with nothing compared.
pub fn so_far<R: Borrow<Row>>(study: &StudyFacts, runs: &OrderedMap<RunKey, R>) -> StudySummary {
    of_points(study, runs, Point::without_values)
}

/// The points of these runs as they are `kept`.
fn of_points<R: Borrow<Row>>(
    study: &StudyFacts,
    runs: &OrderedMap<RunKey, R>,
    kept: fn(Point) -> Point,
) -> StudySummary {
    let failure = |run: &Row| {
        let Row { point, replication, .. } = *run;
        Some(Failure {
            point,
            replication,
            error: run.error()?.to_owned(),
            reproduce: reproduce("", run.key()),
        })
    };
    let points = (0..).zip(&study.points).map(|(number, (at, label))| {
        let recorded = runs.get(&(number, None)).map(R::borrow).filter(|run| run.error().is_none());
        let replications = runs.range((number, Some(0))..=(number, Some(u32::MAX)));
        let replications: Vec<&Row> = replications.map(|(_, run)| run.borrow()).collect();
        let point = point(number, at, label, study, &replications);
        kept(Point { recorded: recorded.map(Row::observed), ..point })
    });
    let facts = |(name, unit): &(String, String)| MetricFacts {
        name: name.clone(),
        unit: unit.clone(),
        aim: study.system.map_or(Aim::None, |system| system.aim(name)),
        share: study.system.is_some_and(|system| system.is_share(name)),
        signed: study.system.is_some_and(|system| system.is_signed(name)),
    };
    let mut summary = StudySummary {
        schema: SCHEMA.to_owned(),
        title: study.title.clone(),
        seed: study.seed,
        confidence: CONFIDENCE,
        axes: study.axes.clone(),
        metrics: study.metrics.iter().map(facts).collect(),
        headline: Vec::new(),
        own_warnings: study.warnings(),
        warnings: Vec::new(),
        points: points.collect(),
        comparisons: Vec::new(),
        findings: None,
        crossovers: Vec::new(),
        failures: runs.values().map(R::borrow).filter_map(failure).collect(),
    };
    summary.headline = match study.question.asked(&[]) {
        [] => headline(study.headline, &summary.metrics),
        asked => asked.to_vec(),
    };
    summary
}

/// The points compared along an axis: a family of the primary metric, one of the others that are
/// asked for, one of all others that have an aim.
fn comparisons(summary: &StudySummary, axis: usize, question: &Question) -> Vec<Comparison> {
    let baseline = match question.baseline.as_deref() {
        Some(ALL) => None,
        Some(asked) => summary.axes[axis].labels.iter().position(|label| label == asked),
        None => Some(0),
    };
    let asked = question.asked(&summary.headline);
    let find = |name: &String| summary.metrics.iter().find(|metric| metric.name == *name);
    let asked: Vec<&MetricFacts> = asked.iter().filter_map(find).collect();
    let (primary, secondary) = asked.split_at(asked.len().min(1));
    let others = summary.metrics.iter().filter(|metric| metric.aim != Aim::None);
    let others: Vec<&MetricFacts> =
        others.filter(|metric| asked.iter().all(|one| one.name != metric.name)).collect();
    let detect = question.detect.unwrap_or(DETECT);
    let families = [(Role::Primary, primary), (Role::Secondary, secondary), (Role::Unasked, &others)];
    let families = families.into_iter().filter(|(_, metrics)| !metrics.is_empty());
    let afterwards = |role: Role| question.afterwards && role != Role::Unasked;
    families
        .map(|family| Comparison {
            afterwards: afterwards(family.0),
            ..summary.compare(axis, baseline, family, detect)
        })
        .collect()
}

/// The metrics that people look at first: these, or if there are none the first that have an aim.
fn headline(declared: &[&str], metrics: &[MetricFacts]) -> Vec<String> {
    if !declared.is_empty() {
        return declared.iter().map(ToString::to_string).collect();
    }
    let with_aim = metrics.iter().filter(|metric| metric.aim != Aim::None);
    with_aim.take(HEADLINE).map(|metric| metric.name.clone()).collect()
}

/// A point of its runs, which are sorted by replication.
fn point(number: u32, at: &[usize], label: &str, study: &StudyFacts, runs: &[&Row]) -> Point {
    let done: Vec<&Row> = runs.iter().copied().filter(|run| run.error().is_none()).collect();
    let failed = (runs.len() - done.len()) as u64;
    let drew = done.iter().any(|run| run.drew);
    let single = match done.as_slice() {
        [only] if drew => Some(only.batches()),
        _ => None,
    };
    let interval = match single {
        Some(signs) if signs.iter().any(|sign| sign.half_width.is_some()) => IntervalKind::BatchMeans,
        None if drew && done.len() > 1 => IntervalKind::Replications,
        _ => IntervalKind::None,
    };
    let mut figures = OrderedMap::new();
    for (name, _) in &study.metrics {
        let values = values_of(name, &done);
        let observed: Vec<f64> = values.iter().filter_map(|one| one.value()).collect();
        if let Some(mut summary) = Summary::of(&observed) {
            match (interval, single) {
                (IntervalKind::Replications, _) => {}
                (IntervalKind::BatchMeans, Some(signs)) => {
                    let sign = signs.iter().find(|sign| sign.metric == *name);
                    summary.half_width = sign.and_then(|sign| sign.half_width);
                }
                _ => summary.half_width = None,
            }
            figures.insert(
                name.clone(),
                Figures { summary, quantiles: ObservedQuantiles::of(&observed), values },
            );
        }
    }
    let warned: Vec<&[String]> = done.iter().map(|run| run.warned()).collect();
    let own = study.warnings();
    let mut warnings = warnings::of_runs(&own, &warned, failed);
    let log = done.iter().find_map(|run| run.log());
    let mean = |name: &str| figures.get(name).map_or(0.0, |figures| figures.summary.mean);
    warnings.extend(own.shares.warnings(mean, log).into_iter().map(Warning::from));
    let asked = study.asked.iter().map(String::as_str);
    let means: Vec<(&str, Summary)> =
        asked.filter_map(|name| Some((name, figures.get(name)?.summary))).collect();
    match single {
        Some(signs) => warnings.extend(warnings::of_batches(signs, &means)),
        None if drew => warnings.extend(warnings::of_replications(done.len() as u64, &means)),
        None => {}
    }
    Point {
        point: number,
        at: at.to_vec(),
        label: label.to_owned(),
        replications: done.len() as u64,
        failed,
        random: drew,
        interval,
        metrics: figures,
        recorded: None,
        log,
        warnings,
        runs: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::served::Served;
    use crate::study::row::{BatchFacts, Rows, Seldom};
    use crate::study::run_metrics::RunMetrics;
    use crate::study::summary::Verdict;

    fn facts(points: &[[usize; 2]]) -> StudyFacts {
        let axis = |key: &str, labels: &[&str]| Axis {
            keys: vec![key.to_owned()],
            labels: labels.iter().map(ToString::to_string).collect(),
        };
        StudyFacts {
            title: "a study".to_owned(),
            seed: 7,
            axes: vec![axis("workload.load", &["0.5", "0.8"]), axis("policy.backfill", &["none", "easy"])],
            points: points.iter().map(|at| (at.to_vec(), format!("{at:?}"))).collect(),
            metrics: vec![
                ("wait-time.mean".to_owned(), "s".to_owned()),
                ("useful-utilization".to_owned(), String::new()),
            ],
            system: Some(&Served),
            headline: Served.headline(&[]),
            question: Question::default(),
            crossovers: Vec::new(),
            asked: OrderedSet::from(["wait-time.mean".to_owned()]),
        }
    }

    const SQUARE: [[usize; 2]; 4] = [[0, 0], [0, 1], [1, 0], [1, 1]];

    /// Every second point waits a second less in each replication; the machine is used the same.
    fn metrics(point: u32, replication: u32) -> Vec<(String, Option<f64>)> {
        let wait =
            100.0 + f64::from(replication % 3) - f64::from(point % 2) - 0.01 * f64::from(replication * point);
        vec![("wait-time.mean".to_owned(), Some(wait)), ("useful-utilization".to_owned(), Some(0.5))]
    }

    fn runs(metrics: &[Vec<(String, Option<f64>)>], replications: u32) -> Rows {
        let run = |(index, metrics): (usize, &Vec<(String, Option<f64>)>)| {
            let key @ (point, replication) = (index as u32 / replications, Some(index as u32 % replications));
            let metrics = metrics.iter().cloned().collect();
            (key, Row { point, replication, metrics, ..Row::default() })
        };
        metrics.iter().enumerate().map(run).collect()
    }

    fn failed(error: &str) -> Option<Box<Seldom>> {
        Seldom { error: Some(error.to_owned()), ..Seldom::default() }.boxed()
    }

    fn all_metrics(replications: u32) -> Vec<Vec<(String, Option<f64>)>> {
        (0..4)
            .flat_map(|point| (0..replications).map(move |replication| metrics(point, replication)))
            .collect()
    }

    #[test]
    fn a_study_is_compared_along_its_policy() {
        let summary = build(&facts(&SQUARE), &runs(&all_metrics(6), 6));
        let [primary, secondary] = summary.comparisons.as_slice() else { panic!("two families") };
        let found = |comparison: &Comparison| {
            assert_eq!((comparison.axis, comparison.metrics, comparison.pairs), (1, 1, 2));
            comparison.pairs_list.iter().map(|one| (one.from, one.to, one.verdict)).collect::<Vec<_>>()
        };
        assert_eq!(found(primary), [(0, 1, Verdict::Better), (2, 3, Verdict::Better)]);
        assert_eq!(found(secondary), [(0, 1, Verdict::Identical), (2, 3, Verdict::Identical)]);
        let point = &summary.points[0];
        assert_eq!((point.replications, point.interval), (6, IntervalKind::Replications));
        let figures = &point.metrics["wait-time.mean"];
        assert_eq!((figures.summary.n, figures.values.len()), (6, 6));
        assert_eq!(figures.summary.mean.to_bits(), 101.0_f64.to_bits());
        assert!(point.warnings.is_empty(), "{:?}", point.warnings);
        let one = &[&summary.metrics[1]];
        assert_eq!(summary.compare(0, None, (Role::Primary, one), DETECT).pairs_list.len(), 2);
        assert_eq!(summary.compare(9, None, (Role::Primary, one), DETECT).pairs, 0);
    }

    #[test]
    fn the_primary_metric_is_a_family_of_its_own() {
        let metrics: Vec<_> = all_metrics(6)
            .into_iter()
            .map(|mut one| {
                one.push(("wait-time.max".to_owned(), one[0].1));
                one.push(("wait-time.p95".to_owned(), one[0].1));
                one
            })
            .collect();
        let mut facts = facts(&SQUARE);
        facts.metrics.extend(["max", "p95"].map(|part| (format!("wait-time.{part}"), "s".to_owned())));
        let summary = build(&facts, &runs(&metrics, 6));
        let roles: Vec<_> = summary.comparisons.iter().map(|one| (one.role, one.metrics)).collect();
        assert_eq!(roles, [(Role::Primary, 1), (Role::Secondary, 1), (Role::Unasked, 2)]);
        // the same values are judged harder among four tests than among two: Holm multiplies the
        // least p by the number of tests
        let adjusted = |family: usize| {
            let of =
                summary.comparisons[family].pairs_list.iter().filter_map(|one| one.p_adjusted.zip(one.p));
            of.map(|(all, p)| all / p).fold(0.0, f64::max)
        };
        assert_eq!((adjusted(0).round(), adjusted(2).round()), (2.0, 4.0));
    }

    #[test]
    fn what_is_asked_is_answered_first_in_the_figures_and_in_words() {
        let metrics = all_metrics(6);
        let question = Question {
            axis: Some("workload.load".to_owned()),
            baseline: None,
            metrics: vec!["useful-utilization".to_owned(), "wait-time.mean".to_owned()],
            ..Question::default()
        };
        let summary = build(&StudyFacts { question, ..facts(&SQUARE) }, &runs(&metrics, 6));
        let [primary, secondary] = summary.comparisons.as_slice() else { panic!("two families") };
        assert_eq!((primary.axis, primary.pairs, secondary.axis), (0, 2, 0));
        let first = |comparison: &Comparison| comparison.pairs_list[0].metric.clone();
        assert_eq!(
            (first(primary).as_str(), first(secondary).as_str()),
            ("useful-utilization", "wait-time.mean")
        );
        let findings = summary.findings.as_ref().expect("an axis");
        assert_eq!(findings, &findings::of(&summary));
        let matrix = &findings.matrices[0];
        assert!(
            matrix.heading.starts_with("useful-utilization against 0.5 [percentage points"),
            "{matrix:?}"
        );
        assert_eq!(matrix.columns, ["backfill none", "backfill easy"]);
        // every metric at once is one family
        let question = Question { metrics: vec!["all".to_owned()], ..Question::default() };
        let all = build(&StudyFacts { question, ..facts(&SQUARE) }, &runs(&metrics, 6));
        assert_eq!((all.comparisons.len(), all.comparisons[0].axis), (1, 1));
    }

    #[test]
    fn the_recorded_log_enters_no_figure_and_its_failure_is_its_own() {
        let metrics = all_metrics(6);
        let mut given = runs(&metrics, 6);
        let without = build(&facts(&SQUARE), &given);
        let huge: RunMetrics =
            [("wait-time.mean".to_owned(), Some(1e9)), ("useful-utilization".to_owned(), None)]
                .into_iter()
                .collect();
        for point in [0, 1] {
            let row = Row { point, drew: false, metrics: huge.clone(), ..Row::default() };
            given.insert(row.key(), row);
        }
        given.insert((2, None), Row { point: 2, seldom: failed("too large"), ..Row::default() });
        let with = build(&facts(&SQUARE), &given);
        for (with, without) in with.points.iter().zip(&without.points) {
            assert_eq!((&with.metrics, with.replications, with.failed), (&without.metrics, 6, 0));
            assert_eq!(with.warnings, without.warnings);
        }
        assert_eq!(
            with.points[0].recorded.as_ref().map(|one| one["wait-time.mean"].to_bits()),
            Some(1e9_f64.to_bits())
        );
        let (one, other) = (&with.comparisons[0].pairs_list[0], &with.comparisons[0].pairs_list[1]);
        assert_eq!(
            (one.recorded.map(|of| of.difference.to_bits()), other.recorded),
            (Some(0.0_f64.to_bits()), None)
        );
        assert_eq!(with.failures.len(), 1);
        assert_eq!(
            with.failures[0].reproduce,
            "clustersim run scenario.resolved.toml --point 2 --replication recorded"
        );
    }

    #[test]
    fn quantiles_are_values_of_twenty_replications_or_more() {
        use crate::study::summary::ObservedQuantiles;
        let values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        let found = ObservedQuantiles::of(&values).expect("twenty");
        let found = [found.p05, found.p25, found.p75, found.p95].map(|value| value as u32);
        assert_eq!(found, [1, 5, 15, 19]);
        assert_eq!(ObservedQuantiles::of(&values[..19]), None);
    }

    #[test]
    fn the_summary_survives_json() {
        let metrics = all_metrics(3);
        let summary = build(&facts(&SQUARE), &runs(&metrics, 3));
        let text = serde_json::to_string_pretty(&summary).expect("plain values");
        let back: StudySummary = serde_json::from_str(&text).expect("its own shape");
        // what comes first is not in the file: the system says it
        assert_eq!(
            StudySummary { headline: summary.headline.clone(), own_warnings: summary.own_warnings, ..back },
            summary
        );
        assert_eq!(summary.headline[..2], ["wait-time.mean", "bounded-slowdown.mean"]);
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["points"][0]["metrics"]["wait-time.mean"]["n"], 3);
        assert_eq!(json["points"][0]["interval"], "replications");
        assert_eq!(json["points"][0]["warnings"][0]["code"], "few-replications");
        assert_eq!(json["metrics"][0]["aim"], "lower");
        assert_eq!(json["comparisons"][0]["pairs_list"][0]["verdict"], "no verdict");
    }

    #[test]
    fn failures_are_left_out_of_the_figures_and_listed() {
        let metrics = all_metrics(6);
        let mut given = runs(&metrics, 6);
        given.values_mut().nth(2).expect("six at each").seldom = failed("out of processors");
        let summary = build(&facts(&SQUARE), &given);
        assert_eq!((summary.points[0].replications, summary.points[0].failed), (5, 1));
        assert_eq!(summary.points[0].values("wait-time.mean")[2].value(), None);
        assert_eq!(summary.points[0].warnings[0].code, "failed-runs");
        assert_eq!(
            summary.failures[0].reproduce,
            "clustersim run scenario.resolved.toml --point 0 --replication 2"
        );
        assert_eq!(summary.comparisons[0].pairs_list[0].n, 5);
    }

    #[test]
    fn what_draws_nothing_has_no_interval_and_one_random_run_that_of_its_batches() {
        let metrics = all_metrics(1);
        let mut given = runs(&metrics, 1);
        let signs = [BatchFacts {
            metric: "wait-time.mean".to_owned(),
            half_width: Some(0.25),
            correlate: false,
            worth: Some(500.0),
            long_enough: true,
        }];
        let [first, second, ..] = &mut given.values_mut().collect::<Vec<_>>()[..] else { panic!("four") };
        first.drew = false;
        second.seldom = Seldom { batches: signs.to_vec(), ..Seldom::default() }.boxed();
        let summary = build(&facts(&SQUARE), &given);
        let kinds: Vec<IntervalKind> = summary.points.iter().map(|point| point.interval).collect();
        let (nothing, batches) = (IntervalKind::None, IntervalKind::BatchMeans);
        assert_eq!(kinds, [nothing, batches, nothing, nothing]);
        assert_eq!(summary.points[1].metrics["wait-time.mean"].summary.half_width, Some(0.25));
        assert_eq!(summary.points[1].metrics["useful-utilization"].summary.half_width, None);
        assert!(summary.points[0].warnings.is_empty());
        let random: Vec<bool> = summary.points.iter().map(|point| point.random).collect();
        assert_eq!(random, [false, true, true, true]);
        assert_eq!(summary.points[2].warnings[0].code, "one-run");
    }

    #[test]
    fn widths_are_judged_of_the_metrics_that_were_asked_for() {
        let spread = |point: u32, replication: u32| {
            let wait = 100.0 + 90.0 * f64::from(replication % 2) + f64::from(point);
            vec![("wait-time.mean".to_owned(), Some(wait)), ("useful-utilization".to_owned(), Some(wait))]
        };
        let metrics: Vec<_> =
            (0..4).flat_map(|point| (0..6).map(move |number| spread(point, number))).collect();
        let of = |asked: &[&str]| {
            let asked = asked.iter().map(ToString::to_string).collect();
            build(&StudyFacts { asked, ..facts(&SQUARE) }, &runs(&metrics, 6)).points[0].warnings.clone()
        };
        assert_eq!(of(&[]), []);
        let wide = of(&["useful-utilization"]);
        assert_eq!(
            (wide.len(), &*wide[0].code, wide[0].metric.as_deref()),
            (1, "wide-interval", Some("useful-utilization"))
        );
    }

    #[test]
    fn a_point_without_runs_stands_there_empty() {
        let summary = build(&facts(&SQUARE), &Rows::new());
        assert_eq!((summary.points.len(), summary.points[3].replications), (4, 0));
        assert!(summary.points[3].metrics.is_empty());
        assert_eq!(summary.comparisons[0].pairs_list[0].verdict, Verdict::NoVerdict);
    }
}
