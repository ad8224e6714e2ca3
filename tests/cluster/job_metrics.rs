//! Loss of capacity, the figures of classes and the counts of states at detail `job`.

use std::sync::Arc;

use clustersim_cluster::batch::machine::{Faults, Reservations};
use clustersim_cluster::instrument::{Failures, OnNodeFailure, SiteModel, State};
use clustersim_cluster::policy::{Detail, Outcomes, Setting, Watching, simulate_watched};
use clustersim_experiment::measure::metric::Metric;
use clustersim_jobs::workload::cancellation::{Cancel, Cancellations};
use clustersim_jobs::workload::dependency::{Dependencies, Edge, Rule};
use clustersim_jobs::workload::{Walltime, Workload};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimTime, Simulation};
use clustersim_language::ids::JobId;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::cluster::{jobs, metric, policy, rows, run, secs};
use clustersim_testing::program::Place;

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Against a count at every second, from the schedule.
    #[test]
    fn loss_of_capacity_is_what_stays_free_while_somebody_waits(
        mut drawn in prop::collection::vec((0_u64..60, 1_u32..=8, 1_u64..50, 0_u64..30), 1..40),
    ) {
        drawn.sort_by_key(|row| row.0);
        let drawn: Vec<_> =
            drawn.into_iter().map(|(submit, procs, run, over)| (submit, procs, run, run + over)).collect();
        let all = jobs(&drawn);
        for name in ["'fcfs'", "'easy'", "'conservative'", "'first-fit'", "'sjf'"] {
            let outcomes = run(&all, 8, policy(name)).unwrap();
            let rows = rows(&outcomes);
            let secs = |time: clustersim_kernel::SimTime| time.as_nanos() / 1_000_000_000;
            let from = drawn[0].0;
            let to = rows.iter().map(|row| secs(row.end)).max().unwrap();
            let lost: u64 = (from..to)
                .map(|second| {
                    let waits = rows.iter().any(|row| secs(row.submit_time) <= second && second < secs(row.start));
                    let runs = |row: &&clustersim_cluster::judge::Row| secs(row.start) <= second && second < secs(row.end);
                    let held: u32 = rows.iter().filter(runs).map(|row| row.procs).sum();
                    if waits { u64::from(8 - held) } else { 0 }
                })
                .sum();
            let metrics = outcomes.metrics();
            let found = metrics.iter().find(|metric| metric.name == "loss-of-capacity");
            let found = found.and_then(Metric::number).unwrap();
            let expected = lost as f64 / (8 * (to - from)) as f64;
            prop_assert!((found - expected).abs() < 1e-12, "{}: {} and not {}", name, found, expected);
        }
    }
}

const LOG: &str = "\
; MaxProcs: 4
1 0 -1 10 4 -1 -1 4 10 -1 1 7 1 -1 0 -1 -1 -1
2 0 -1 20 4 -1 -1 4 20 -1 1 8 1 -1 3 -1 -1 -1
3 0 -1 10 4 -1 -1 4 10 -1 1 7 1 -1 -1 -1 -1 -1
";

#[test]
fn users_and_queues_are_told_apart_where_that_is_asked_for() {
    let scenario = |classes: &str| {
        format!(
            "title = \"Classes\"\nworkload = {{ kind = \"swf\", file = \"log.swf\" }}\npolicy = \"fcfs\"\n\
                 record = {{ classes = \"{classes}\", report = false }}\n[expect]\nfairness = \"< 2\"\n"
        )
    };
    let summary = |classes: &str| -> Json {
        let place = Place::new();
        place.file("log.swf", LOG).file("scenario.toml", scenario(classes));
        place.run(&["run", "scenario.toml", "-o", "out", "-q"]);
        serde_json::from_slice(&place.read("out/summary.json")).unwrap()
    };
    let users = summary("user");
    // responses 10 and 40 of user 7, 30 of user 8: means 25 and 30, so 2.5 / 27.5
    let fairness = users["metrics"]["fairness"]["value"].as_f64().unwrap();
    assert!((fairness - 2.5 / 27.5).abs() < 1e-12, "{fairness}");
    assert_eq!(users["classes"]["user-7"]["wait-time.mean"]["value"], 15.0);
    let queues = summary("queue");
    let names: Vec<&String> = queues["classes"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["queue-0", "queue-3", "queue-unknown"]);
    assert_eq!(queues["classes"]["queue-3"]["response-time.mean"]["value"], 30.0);
    assert!(summary("none").get("classes").is_none());
}

/// The names of the counts of states, but for their sum.
const STATES: [&str; 6] =
    ["jobs.completed", "jobs.killed", "jobs.cancelled", "jobs.lost", "jobs.rejected", "jobs.unfinished"];

fn count(outcomes: &Outcomes, name: &str) -> u64 {
    metric(outcomes, name).map_or(0, |count| count as u64)
}

/// What of a run of jobs on two nodes of four processors is drawn.
#[derive(Clone, Debug)]
struct Drawn {
    /// Submission, processors, run time, request, and what ties the job to the one before it.
    jobs: Vec<(u64, u32, u64, u64, u8)>,
    kills: bool,
    /// When the first node is out of service, and whether the jobs on it are lost.
    fails: Option<(u64, u64, bool)>,
    warm_up: WarmUp,
    until: Option<u64>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    // sizes above 8 are rejected
    let jobs = prop::collection::vec((0_u64..200, 1_u32..=10, 1_u64..60, 1_u64..60, 0_u8..7), 1..30);
    let fails = prop::option::of((1_u64..100, 1_u64..50, any::<bool>()));
    let warm_up = prop_oneof![
        Just(WarmUp::None),
        (0_u64..250).prop_map(|from| WarmUp::Until(SimTime::from_secs(from).unwrap())),
        (0_u64..35).prop_map(WarmUp::Count),
    ];
    (jobs, any::<bool>(), fails, warm_up, prop::option::of(0_u64..400)).prop_map(
        |(mut jobs, kills, fails, warm_up, until)| {
            jobs.sort_by_key(|row| row.0);
            Drawn { jobs, kills, fails, warm_up, until }
        },
    )
}

fn outcomes_of(drawn: &Drawn, name: &str) -> Outcomes {
    let rows: Vec<_> =
        drawn.jobs.iter().map(|&(submit, procs, run, asked, _)| (submit, procs, run, asked)).collect();
    let (mut jobs, walltime) = ((*jobs(&rows)).clone(), Walltime { grace: secs(5), ..Walltime::default() });
    if drawn.kills {
        walltime.cut(&mut jobs);
    }
    let (mut cancels, mut edges) = (Vec::new(), Vec::new());
    for (id, row) in (0..).map(JobId).zip(&drawn.jobs) {
        let mut on = |rule| {
            if id.0 > 0 {
                edges.push(Edge { job: id, on: JobId(id.0 - 1), rule });
            }
        };
        match row.4 {
            0 => cancels.push((id, Cancel::Waiting(secs(20)))),
            1 => cancels.push((id, Cancel::Anyhow(secs(30)))),
            2 => on(Rule::AfterOk),
            3 => on(Rule::ThinkTime(secs(7))),
            _ => {}
        }
    }
    let mut work = Workload { jobs: Arc::new(jobs), ..Workload::default() };
    // a site whose nodes fail has neither
    if drawn.fails.is_none() {
        work.dependencies = Some(Arc::new(Dependencies::new(edges).unwrap()));
        work.cancellations = Some(Arc::new(Cancellations::new(cancels.into_iter().collect())));
    }
    let failures = drawn.fails.map(|(_, _, lost)| Failures {
        processors_per_node: 4,
        then: if lost { OnNodeFailure::Lost } else { OnNodeFailure::Requeued },
        checkpoint: None,
    });
    let at = |seconds| SimTime::from_secs(seconds).unwrap();
    let faults = drawn.fails.map(|(from, length, _)| {
        Faults::Traced(Arc::new(vec![vec![(at(from), at(from + length))], Vec::new()]))
    });
    let site = SiteModel { walltime: drawn.kills.then_some(walltime), failures, ..SiteModel::default() };
    let setting = Setting { procs: 8, level: 1, until: drawn.until.map(at), warm_up: drawn.warm_up, site };
    let detail = Detail::Job { resources: None, faults, reservations: Reservations::NONE, pools: Vec::new() };
    simulate_watched(work, setting, policy(name), Simulation::new(1), detail, Watching::default()).unwrap()
}

/// Whether each job is observed, by a plain reading of the rule: as many accepted jobs before it as
/// the warm-up leaves out, or at or after its end; and by the end of a run that was stopped.
fn plainly_observed(drawn: &Drawn, outcomes: &Outcomes) -> Vec<State> {
    let (mut accepted, mut states) = (0, Vec::new());
    for (id, job) in (0..).map(JobId).zip(outcomes.jobs.iter()) {
        let state = outcomes.record.outcome(id).state;
        let warm = match drawn.warm_up {
            WarmUp::None => true,
            WarmUp::Until(end) => job.submit_time >= end,
            WarmUp::Count(left_out) => accepted >= left_out,
        };
        accepted += u64::from(state != State::Rejected);
        let end = if outcomes.stopped { drawn.until } else { None };
        let came = end.is_none_or(|end| job.submit_time.as_nanos() <= end * 1_000_000_000);
        // a job that follows another which has not left has no submission yet
        let before = drawn
            .jobs
            .get(job.number as usize - 1)
            .filter(|row| row.4 == 3 && job.number > 1 && drawn.fails.is_none());
        let follows = before.is_some_and(|_| {
            let number = job.number - 1;
            let place = outcomes.jobs.iter().position(|other| other.number == number).unwrap();
            let other = outcomes.record.outcome(JobId(place as u32)).state;
            matches!(other, State::Expected | State::Running)
        });
        if warm && came && !follows {
            states.push(state);
        }
    }
    states
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn counts_of_states_add_up_to_the_observed_jobs(drawn in drawn()) {
        for name in ["'fcfs'", "'easy'", "'first-fit'"] {
            let outcomes = outcomes_of(&drawn, name);
            let states = plainly_observed(&drawn, &outcomes);
            let of = |wanted: &[State]| states.iter().filter(|state| wanted.contains(state)).count() as u64;
            let expected = [
                of(&[State::Completed]),
                of(&[State::Killed]),
                of(&[State::Cancelled]),
                of(&[State::Lost]),
                of(&[State::Rejected]),
                of(&[State::Expected, State::Running]),
            ];
            prop_assert_eq!(STATES.map(|name| count(&outcomes, name)), expected, "{}", name);
            prop_assert_eq!(count(&outcomes, "jobs.submitted"), expected.iter().sum::<u64>(), "{}", name);
        }
    }
}

#[test]
fn a_warm_up_cuts_every_count_alike() {
    // of eight jobs the fourth is too large and the sixth is cancelled as it waits; 100 s leave
    // four
    let place = Place::new();
    let jobs = [
        (0, 4, 10),
        (10, 4, 10),
        (20, 4, 10),
        (30, 9, 10),
        (100, 4, 50),
        (110, 4, 10),
        (120, 9, 1),
        (130, 4, 9),
    ];
    let line = |(number, (submit, procs, run)): (u32, (u32, u32, u32))| {
        format!("{number} {submit} -1 {run} {procs} -1 -1 {procs} {run} -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    };
    let log: String = (1..).zip(jobs).map(line).collect();
    place.file("log.swf", format!("; MaxProcs: 4\n{log}")).file(
        "warm.toml",
        "title = \"Warm\"\nworkload = { kind = \"swf\", file = \"log.swf\", patience = \"20s\" }\n\
         policy = \"fcfs\"\nrun = { warm-up = \"100s\" }\n",
    );
    let output = place.run(&["run", "warm.toml", "-o", "out", "--no-progress"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(
        output.stdout.contains("4 submitted: 1 completed, 2 cancelled, 1 rejected\n"),
        "{}",
        output.stdout
    );
    let summary: Json = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    let of = |name: &str| summary["metrics"][name]["value"].as_u64().unwrap();
    let names = ["submitted", "completed", "cancelled", "rejected", "unfinished"];
    assert_eq!(names.map(|name| of(&format!("jobs.{name}"))), [4, 1, 2, 1, 0]);
    let page = String::from_utf8(place.read("out/report.html")).unwrap();
    assert!(page.contains("\"jobs.submitted\":{\"value\":4,\"unit\":\"\"}"));
}
