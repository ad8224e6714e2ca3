//! Why one job waited (`--explain`): each rule's sentence in golden files, what holds of every
//! explanation, and that asking changes nothing.
//!
//! `INSTA_UPDATE=always cargo test --test cluster why` writes the golden files anew; they are then
//! reviewed.

use std::fmt::Write;
use std::sync::Arc;

use clustersim_cluster::instrument::explanation::{Obstacle, WaitCause};
use clustersim_cluster::instrument::{SiteModel, State};
use clustersim_cluster::policy::{Detail, Outcomes, Setting, Watching, simulate_watched};
use clustersim_cluster::system::explanation::explanation;
use clustersim_jobs::workload::Job;
use clustersim_kernel::Simulation;
use clustersim_kernel::stats::WarmUp;
use clustersim_language::ids::JobId;
use insta::assert_snapshot;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::Value;

use crate::cluster::{jobs, policy, run_shared};

use clustersim_testing::program::Place;

/// Examples of MODELS 2.4: (submission, processors, run time, estimate) on 10 processors.
const EXAMPLE_A: [(u64, u32, u64, u64); 6] =
    [(0, 6, 100, 100), (1, 8, 50, 50), (2, 4, 90, 90), (3, 4, 200, 200), (4, 2, 300, 300), (5, 2, 60, 60)];
const EXAMPLE_B: [(u64, u32, u64, u64); 4] =
    [(0, 6, 100, 100), (1, 8, 50, 50), (2, 10, 100, 100), (3, 2, 400, 400)];

fn explained(jobs: &Arc<Vec<Job>>, level: u32, value: &str, job: u32) -> Outcomes {
    let setting =
        Setting { procs: 10, level, until: None, warm_up: WarmUp::None, site: SiteModel::default() };
    let watching = Watching { explained: Some(JobId(job)), ..Watching::default() };
    simulate_watched(Arc::clone(jobs), setting, policy(value), Simulation::new(1), Detail::PLAIN, watching)
        .unwrap()
}

/// What is told of some jobs, by number, under a policy.
fn told(rows: &[(u64, u32, u64, u64)], level: u32, value: &str, numbers: &[u32]) -> String {
    let mut all = format!("policy = {value}\n");
    for number in numbers {
        let _ = write!(all, "{}", text(&explained(&jobs(rows), level, value, number - 1)));
    }
    all
}

#[test]
fn example_a_under_easy() {
    assert_snapshot!(told(&EXAMPLE_A, 1, "'easy'", &[1, 2, 3, 4, 5, 6]));
}

#[test]
fn example_a_under_other_rules() {
    let rules = ["'conservative'", "'fcfs'", "'first-fit'", "'sjf'"];
    assert_snapshot!(rules.map(|rule| told(&EXAMPLE_A, 1, rule, &[2, 4])).join("\n"));
}

#[test]
fn example_b_by_the_number_of_reservations() {
    let two = "{ kind = 'space-sharing', backfill = { kind = 'easy', reservations = 2 } }";
    assert_snapshot!(
        ["'easy'", two, "'conservative'"].map(|rule| told(&EXAMPLE_B, 1, rule, &[3, 4])).join("\n")
    );
}

#[test]
fn a_reservation_that_moves_is_another_span_and_one_that_is_kept_is_told() {
    let early = [(0, 6, 40, 100), (1, 8, 50, 50), (2, 10, 10, 10)];
    let kept = "{ kind = 'space-sharing', backfill = { kind = 'easy', head-reservation = 'kept' } }";
    let overdue = [(0, 6, 100, 10), (1, 8, 50, 50)];
    let all = [
        told(&early, 1, "'conservative'", &[3]),
        told(&early, 1, kept, &[2]),
        told(&overdue, 1, "'conservative'", &[2]),
    ];
    assert_snapshot!(all.join("\n"));
}

#[test]
fn limits_hold_back_and_reject() {
    let one =
        "{ kind = 'space-sharing', queues = [{ name = 'all', max-running = 1, max-run-time = '200s' }] }";
    let rows = [(0, 2, 100, 100), (1, 2, 50, 50), (2, 2, 10, 10), (3, 2, 300, 300), (4, 11, 1, 1)];
    assert_snapshot!(told(&rows, 1, one, &[2, 3, 4, 5]));
}

#[test]
fn a_matrix_has_no_row_with_room() {
    let rows = [(0, 8, 1000, 1000), (1, 8, 1000, 1000), (2, 6, 50, 50), (3, 4, 50, 50), (4, 2, 9000, 9000)];
    assert_snapshot!(["'gs'", "'bgs'"].map(|rule| told(&rows, 2, rule, &[3, 4, 5])).join("\n"));
}

/// Rules of every kind, and how many rows the matrix has.
const RULES: &[(&str, u32)] = &[
    ("'fcfs'", 1),
    ("'sjf'", 1),
    ("'best-fit'", 1),
    ("'first-fit'", 1),
    ("'easy'", 1),
    ("'conservative'", 1),
    ("'easy-plus-plus'", 1),
    ("{ kind = 'space-sharing', queue = 'priority' }", 1),
    ("{ kind = 'space-sharing', queue = 'sjf', decide = 'event' }", 1),
    ("{ kind = 'space-sharing', backfill = { kind = 'easy', reservations = 3 } }", 1),
    ("{ kind = 'space-sharing', backfill = { kind = 'easy', head-reservation = 'kept' } }", 1),
    ("{ kind = 'space-sharing', backfill = { kind = 'easy', extra = 'none', judged-by = 'run-time' } }", 1),
    ("{ kind = 'space-sharing', queues = [{ name = 'q', max-running = 2, max-queued-per-user = 3 }] }", 1),
    (
        "{ kind = 'space-sharing', backfill = 'conservative', queues = [{ name = 'q', max-running-procs = 10 }] }",
        1,
    ),
    ("{ kind = 'gs', quantum = '7s' }", 2),
    ("{ kind = 'bgs', quantum = '7s', queue = 'sjf' }", 3),
    ("{ kind = 'bmgs', quantum = '7s', migration-cost = '1s' }", 2),
];

/// Whether a rule takes jobs in order of submission.
fn in_order(rule: &str) -> bool {
    !["sjf", "fit", "priority"].iter().any(|other| rule.contains(other))
}

fn holds(rule: &str, outcomes: &Outcomes, id: JobId) -> Result<(), TestCaseError> {
    let told = outcomes.explanation.as_ref().unwrap();
    let (job, own) = (outcomes.jobs[id.index()], outcomes.record.outcome(id));
    let mut at = job.submit_time;
    for span in told.spans() {
        prop_assert!(span.from == at && span.to > at, "{}: spans follow each other: {:?}", rule, told);
        at = span.to;
        prop_assert!(span.cause != WaitCause::NotReported, "{}: {:?}", rule, told);
        if let WaitCause::Behind(head, room, bar) = &span.cause {
            prop_assert!(
                *head != id && outcomes.record.outcome(*head).start >= span.to
                    || matches!(bar, Obstacle::Reserved(_))
            );
            prop_assert_eq!(room.need, u64::from(outcomes.jobs[head.index()].procs));
        }
        if let WaitCause::First(_, Obstacle::Reserved(start))
        | WaitCause::Behind(_, _, Obstacle::Reserved(start)) = span.cause
        {
            prop_assert!(start > span.from, "{}: a reservation lies ahead: {:?}", rule, told);
        }
        for one in &span.overtakers {
            let other = outcomes.record.outcome(one.job);
            prop_assert!(span.from <= one.at && one.at < span.to);
            prop_assert_eq!((other.start, other.reason), (one.at, one.reason));
            prop_assert!(
                one.job > id || one.job < id && !in_order(rule),
                "{}: who came earlier is ahead",
                rule
            );
        }
    }
    prop_assert_eq!(at, own.start, "{}: the spans cover the wait: {:?}", rule, told);
    let started = |other: JobId| outcomes.record.outcome(other).start;
    let later = (id.0 + 1..outcomes.jobs.len() as u32).map(JobId);
    let expected = later.filter(|&other| {
        outcomes.record.outcome(other).state == State::Completed && started(other) < own.start
    });
    let mut named: Vec<JobId> = told
        .spans()
        .iter()
        .flat_map(|span| &span.overtakers)
        .map(|one| one.job)
        .filter(|&one| one > id)
        .collect();
    named.sort_unstable();
    prop_assert_eq!(
        named,
        expected.collect::<Vec<_>>(),
        "{}: whoever came later and started before is named once",
        rule
    );
    Ok(())
}

proptest! {
    #![proptest_config(Config { cases: 40, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() })]
    #[test]
    fn spans_cover_the_wait_overtakers_did_and_asking_changes_nothing(
        mut rows in prop::collection::vec((0_u64..60, 1_u32..12, 1_u64..40, 1_u64..60), 2..30),
        asked in 0_usize..30,
    ) {
        rows.sort_unstable();
        let (jobs, id) = (jobs(&rows), JobId((asked % rows.len()) as u32));
        for &(rule, level) in RULES {
            let outcomes = explained(&jobs, level, rule, id.0);
            holds(rule, &outcomes, id)?;
            let plain = run_shared(&jobs, 10, level, policy(rule)).unwrap();
            prop_assert_eq!(plain.digest, outcomes.digest);
            prop_assert!(plain.record.outcomes().eq(outcomes.record.outcomes()));
            prop_assert!(!text(&outcomes).is_empty() && text(&plain).is_empty());
        }
    }
}

/// The explanation in words; empty if none was asked for.
fn text(outcomes: &Outcomes) -> String {
    explanation(outcomes).map(|explained| explained.text()).unwrap_or_default()
}

const LOG: &str = "\
; MaxProcs: 10
1 0 -1 100 6 -1 -1 6 100 -1 1 1 1 1 1 1 -1 -1
2 1 -1 50 8 -1 -1 8 50 -1 1 1 1 1 1 1 -1 -1
3 2 -1 90 4 -1 -1 4 90 -1 1 1 1 1 1 1 -1 -1
";

#[test]
fn a_run_that_is_asked_leaves_the_same_bytes_and_tells_after_the_table() {
    let place = Place::new();
    place.file("log.swf", LOG);
    let plain = place.run(&["run", "log.swf", "-o", "plain"]);
    let asked = place.run(&["run", "log.swf", "-o", "asked", "--explain", "2"]);
    assert_eq!((plain.status, asked.status), (0, 0), "{}", asked.stderr);
    for name in ["jobs.csv", "report.html", "summary.json", "scenario.resolved.toml"] {
        assert!(place.read(&format!("plain/{name}")) == place.read(&format!("asked/{name}")), "{name}");
    }
    let added = asked.stdout.strip_prefix(plain.stdout.as_str()).unwrap();
    assert!(added.starts_with("\nJob 2, 8 processors for 50 s, submitted at 00:00:01\n"), "{added}");
    assert!(added.contains("overtaken by job 3 (4 processors, to end by 00:01:32) at 00:00:02"), "{added}");

    let again = place.run(&["run", "asked/manifest.json", "--explain", "2", "--json"]);
    assert!(again.stderr.contains("identical"), "{}", again.stderr);
    let json: Value = serde_json::from_str(&again.stdout).unwrap();
    let told = &json["explanation"];
    assert_eq!((told["job"].as_u64(), told["started"].as_f64()), (Some(2), Some(100.0)));
    assert_eq!((told["reason"].as_str(), told["state"].as_str()), (Some("head"), Some("completed")));
    let span = &told["spans"][0];
    assert_eq!((span["cause"].as_str(), span["bar"].as_str()), (Some("head"), Some("promised")));
    assert_eq!(span["overtaken-by"][0]["reason"].as_str(), Some("before-shadow"));
    for (word, sort) in [("promised", "(bar to overtaking)"), ("head", "(cause of waiting)")] {
        let explained = place.run(&["explain", word]);
        assert!(explained.status == 0 && explained.stdout.contains(sort), "{}", explained.stdout);
    }
    let rows = String::from_utf8(place.read("asked/jobs.csv")).unwrap();
    let reasons: Vec<&str> = rows.lines().filter_map(|row| row.rsplit(',').next()).collect();
    assert_eq!(reasons, ["reason", "before-shadow", "head", "head"]);
}

#[test]
fn who_is_not_there_or_stands_for_many_is_refused() {
    let place = Place::new();
    place.file("log.swf", LOG);
    let vary = ["run", "log.swf", "--vary", "policy=fcfs,easy", "--explain", "2"];
    assert_snapshot!(place.transcript(&["run", "log.swf", "--explain", "14"]) + &place.transcript(&vary));
    let one = place.run(&[&vary[..], &["--point", "0"]].concat());
    assert!(
        one.status == 0 && one.stdout.contains("no job may overtake")
            || one.stdout.contains("head of the queue")
    );
}

#[test]
fn the_report_has_the_reason_of_each_job() {
    let place = Place::new();
    let scenario = clustersim_testing::program::repository("scenarios/quickstart.toml");
    let run = place.run(&["run", scenario.to_str().unwrap(), "-q", "--no-progress", "-o", "out"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let page = String::from_utf8(place.read("out/report.html")).unwrap();
    let (_, facts) = page.split_once("\"name\":\"reason\"").expect("a fact of the bars");
    let words = facts.split_once("\"words\":[").unwrap().1.split(']').next().unwrap();
    let words: Vec<&str> = words.split(',').map(|word| word.trim_matches('"')).collect();
    let rows = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    let mut reasons: Vec<&str> = Vec::new();
    for reason in rows.lines().skip(1).filter_map(|row| row.rsplit(',').next()) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    assert_eq!(words, reasons, "in order of first use");
}
