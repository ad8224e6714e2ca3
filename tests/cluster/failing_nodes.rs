//! Nodes that fail: who is interrupted, what is kept, and who runs where in between.

use std::fs;
use std::sync::Arc;

use clustersim_cluster::batch::machine::{Faults, Reservations};
use clustersim_cluster::instrument::{Draw, Failures, Keep, OnNodeFailure, Reason, SiteModel, State, energy};
use clustersim_cluster::judge::{self, Attempt, Away, Interruptions, Row};
use clustersim_cluster::policy::{Detail, Feature, Outcomes, Setting, Watching, simulate_watched};
use clustersim_jobs::workload::{Checkpoint, Job, Walltime};
use clustersim_kernel::rng::Sampler;
use clustersim_kernel::rng::distribution::Exponential;
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimError, SimTime, Simulation};
use clustersim_language::ids::JobId;
use clustersim_language::units::Power;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::cluster::{SPACE, jobs, metric, policy, rows, run, secs, starts};

use clustersim_testing::program::Place;

/// EASY that gives reservations to three jobs.
const THREE: &str = "{ kind = 'space-sharing', backfill = { kind = 'easy', reservations = 3 } }";
/// EASY whose head keeps its reservation.
const KEPT: &str = "{ kind = 'space-sharing', backfill = { kind = 'easy', head-reservation = 'kept' } }";

fn at(seconds: u64) -> SimTime {
    SimTime::from_secs(seconds).unwrap()
}

pub(crate) fn rules(per_node: u32, checkpoint: Option<(u64, u64)>) -> Failures {
    let checkpoint =
        checkpoint.map(|(interval, cost)| Checkpoint { interval: secs(interval), cost: secs(cost) });
    Failures { processors_per_node: per_node, then: OnNodeFailure::Requeued, checkpoint }
}

/// A trace of (node, from, to), each node's in order.
pub(crate) fn traced(spans: &[(usize, u64, u64)]) -> Faults {
    let mut all = vec![Vec::new(); 16];
    for &(node, from, to) in spans {
        all[node].push((at(from), at(to)));
    }
    Faults::Traced(Arc::new(all))
}

pub(crate) fn failing(
    jobs: &Arc<Vec<Job>>,
    procs: u32,
    name: &str,
    site: SiteModel,
    faults: Faults,
) -> Result<Outcomes, SimError> {
    let setting = Setting { procs, level: 1, until: None, warm_up: WarmUp::None, site };
    let detail = Detail::Job {
        resources: None,
        faults: Some(faults),
        reservations: Reservations::NONE,
        pools: Vec::new(),
    };
    simulate_watched(Arc::clone(jobs), setting, policy(name), Simulation::new(1), detail, Watching::default())
}

pub(crate) fn of(rules: Failures) -> SiteModel {
    SiteModel { failures: Some(rules), ..SiteModel::default() }
}

/// (job, start, end, kept) of the runs that were interrupted [s].
fn attempts(outcomes: &Outcomes) -> Vec<(u32, u64, u64, u64)> {
    let secs = |nanos: u64| nanos / 1_000_000_000;
    let all = outcomes.record.outages().attempts().iter();
    all.map(|one| {
        (one.job.0, secs(one.start.as_nanos()), secs(one.end.as_nanos()), secs(one.kept.as_nanos()))
    })
    .collect()
}

/// The run as the validator knows it.
pub(crate) fn known(outcomes: &Outcomes) -> Interruptions {
    let record = &outcomes.record;
    let attempt = |one: &clustersim_cluster::batch::record::Attempt| Attempt {
        number: outcomes.jobs[one.job.index()].number,
        submit_time: outcomes.jobs[one.job.index()].submit_time,
        start: one.start,
        end: one.end,
        on: one.on.clone(),
        kept: one.kept,
        gpus: one.gpus.to_vec(),
        sized: None,
    };
    let attempts = record.outages().attempts().iter().map(attempt).collect();
    let spans = record.outages().spans().iter();
    let away = spans.map(|one| Away { on: one.processors, from: one.from, to: one.to }).collect();
    let checkpoint = record.site().failures.and_then(|rules| rules.checkpoint);
    let checkpoint = checkpoint.map(|rule| (rule.interval, rule.cost));
    Interruptions { attempts, away, checkpoint, ..Interruptions::default() }
}

#[test]
fn a_node_of_two_fails_under_easy_with_checkpoints() {
    // (submission, processors, run time, request) on two nodes of two processors; a checkpoint of 2
    // s after 10 s of work
    let all = jobs(&[(0, 2, 35, 35), (1, 4, 10, 10), (2, 2, 100, 100), (3, 2, 20, 20)]);
    let site = of(rules(2, Some((10, 2))));
    let outcomes = failing(&all, 4, "'easy'", site, traced(&[(0, 30, 50)])).unwrap();
    // job 1 would have its processors for 35 + 3 × 2 s; job 4, of 22 s, overtakes as it is over
    // before; at 30 job 1 keeps 20 s and stands first again, for 15 + 2 s on the other node; then
    // too few processors are in service for job 2, and job 3 starts for 100 + 9 × 2 s
    assert_eq!(attempts(&outcomes), [(0, 0, 30, 20)]);
    assert_eq!(starts(&outcomes), [30, 165, 47, 3]);
    let ends: Vec<u64> = outcomes.record.outcomes().map(|one| one.end.as_nanos() / 1_000_000_000).collect();
    assert_eq!(ends, [47, 175, 165, 25]);
    let reasons: Vec<Reason> = outcomes.record.outcomes().map(|one| one.reason).collect();
    assert_eq!(reasons, [Reason::Head, Reason::Head, Reason::HeadUnable, Reason::BeforeShadow]);
    let all_of = |names: [&str; 5]| names.map(|name| metric(&outcomes, name));
    let counts = ["jobs.completed", "jobs.lost", "jobs.interrupted", "interruptions", "node-failures"];
    assert_eq!(all_of(counts), [4.0, 0.0, 1.0, 1.0, 1.0].map(Some));
    // waits of 0, 164, 45 and 0 s; 6 s of work of two processors are done again
    assert_eq!(metric(&outcomes, "wait-time.mean"), Some(209.0 / 4.0));
    assert_eq!(metric(&outcomes, "response-time.max"), Some(174.0));
    assert_eq!(metric(&outcomes, "availability"), Some(660.0 / 700.0));
    assert_eq!(metric(&outcomes, "processor-time.lost"), Some(12.0));
    assert_eq!(metric(&outcomes, "processor-time.checkpoints"), Some(52.0));
    assert_eq!(metric(&outcomes, "utilization"), Some(414.0 / 700.0));
}

#[test]
fn other_jobs_pass_by_only_where_a_rule_lets_them() {
    let all = jobs(&[(0, 4, 10, 10), (1, 2, 30, 30), (2, 1, 5, 5)]);
    let away = || traced(&[(1, 5, 100)]);
    let begun = |name| starts(&failing(&all, 4, name, of(rules(2, None)), away()).unwrap());
    // the first begins anew when four processors are there
    assert_eq!(begun("'fcfs'"), [100, 110, 110]);
    assert_eq!(begun("'easy'"), [100, 5, 35]);
    assert_eq!(begun("'conservative'"), [100, 5, 35]);
    assert_eq!(begun("'first-fit'"), [100, 5, 35]);
    assert_eq!(begun(KEPT), [100, 110, 110], "a head that keeps its reservation keeps its place");
    let several = begun(THREE);
    assert_eq!(several, [100, 5, 35]);
}

#[test]
fn an_end_a_failure_and_a_checkpoint_of_one_instant() {
    // a job that ends just when its node fails has ended
    let all = jobs(&[(0, 1, 24, 24), (0, 1, 30, 30)]);
    let outcomes = failing(&all, 2, "'fcfs'", of(rules(2, None)), traced(&[(0, 24, 25)])).unwrap();
    assert_eq!((starts(&outcomes), attempts(&outcomes)), (vec![0, 25], vec![(1, 0, 24, 0)]));
    // and a checkpoint that ends just then is written: 10 + 2 + 10 + 2
    let all = jobs(&[(0, 1, 30, 30)]);
    let outcomes =
        failing(&all, 1, "'fcfs'", of(rules(1, Some((10, 2)))), traced(&[(0, 24, 25), (0, 35, 36)])).unwrap();
    assert_eq!((starts(&outcomes), attempts(&outcomes)), (vec![25], vec![(0, 0, 24, 20)]));
    assert_eq!(outcomes.record.outcome(JobId(0)).end, at(35), "with 10 s left it writes nothing");
}

#[test]
fn a_job_whose_node_fails_may_be_lost() {
    let all = jobs(&[(0, 2, 30, 30), (0, 1, 30, 30), (1, 3, 10, 10)]);
    let power = |milliwatts| Power::from_milliwatts(milliwatts).unwrap();
    let lost = Failures { then: OnNodeFailure::Lost, ..rules(1, None) };
    let site = SiteModel { power: Some(Draw { idle: power(1000), busy: power(3000) }), ..of(lost) };
    let outcomes = failing(&all, 3, "'fcfs'", site, traced(&[(1, 12, 20)])).unwrap();
    let states: Vec<State> = outcomes.record.outcomes().map(|one| one.state).collect();
    assert_eq!(states, [State::Lost, State::Completed, State::Completed]);
    assert_eq!(starts(&outcomes), [0, 0, 30]);
    assert_eq!(
        ["jobs.completed", "jobs.lost", "interruptions"].map(|name| metric(&outcomes, name)),
        [2.0, 1.0, 0.0].map(Some)
    );
    assert_eq!(metric(&outcomes, "processor-time.lost"), Some(24.0));
    // 24 + 30 + 30 processor seconds of 120, of which 8 were out of service
    assert_eq!(metric(&outcomes, "utilization"), Some(84.0 / 120.0));
    assert_eq!(["energy.jobs", "energy.idle"].map(|name| metric(&outcomes, name)), [252.0, 28.0].map(Some));
}

#[test]
fn slices_go_on_where_nodes_fail_and_go_around_no_advance_reservations() {
    for name in ["{ kind = 'gang' }", "'easy'"] {
        assert!(policy(name).refuses(&[Feature::Failures]).is_empty());
    }
    assert!(!policy("{ kind = 'gang' }").refuses(&[Feature::AdvanceReservations]).is_empty());
}

pub(crate) fn any_jobs() -> impl Strategy<Value = Arc<Vec<Job>>> {
    let job = (0..40_u64, 1..=8_u32, 1..60_u64, 0..40_u64);
    prop::collection::vec(job, 1..40).prop_map(|rows| {
        let (mut at, mut all) = (0, Vec::new());
        for (gap, procs, run, more) in rows {
            at += gap;
            // every other estimate is too short
            let estimate = if more % 2 == 0 { run + more } else { 1 + run / 2 };
            all.push((at, procs, run, estimate));
        }
        jobs(&all)
    })
}

pub(crate) fn any_trace() -> impl Strategy<Value = Vec<(usize, u64, u64)>> {
    let node = prop::collection::vec((1..80_u64, 1..60_u64), 0..8);
    prop::collection::vec(node, 8).prop_map(|nodes| {
        let mut all = Vec::new();
        for (node, spans) in nodes.into_iter().enumerate() {
            let mut now = 0;
            for (up, down) in spans {
                all.push((node, now + up, now + up + down));
                now += up + down;
            }
        }
        all
    })
}

/// Processor time of all runs, and of the work of jobs [processor ns].
fn held(outcomes: &Outcomes) -> u128 {
    let span =
        |from: SimTime, to: SimTime, procs: u32| u128::from(to.since(from).as_nanos()) * u128::from(procs);
    let record = &outcomes.record;
    let earlier = record.outages().attempts().iter();
    let earlier: u128 =
        earlier.map(|one| span(one.start, one.end, outcomes.jobs[one.job.index()].procs)).sum();
    let last = record.outcomes().zip(outcomes.jobs.iter());
    earlier + last.map(|(one, job)| span(one.start, one.end, job.procs)).sum::<u128>()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn all_jobs_leave_nobody_is_on_a_node_that_is_down_and_work_adds_up(
        all in any_jobs(),
        trace in any_trace(),
        per_node in 1..=3_u32,
        checkpoint in prop::option::of((1..30_u64, 0..5_u64)),
        lose in any::<bool>(),
    ) {
        let then = if lose { OnNodeFailure::Lost } else { OnNodeFailure::Requeued };
        let rules = Failures { then, ..rules(per_node, checkpoint.filter(|_| !lose)) };
        let power = |milliwatts| Power::from_milliwatts(milliwatts).unwrap();
        let site = SiteModel { power: Some(Draw { idle: power(7), busy: power(19) }), ..of(rules) };
        let nodes = 8_u32.div_ceil(per_node) as usize;
        let trace: Vec<_> = trace.into_iter().filter(|span| span.0 < nodes).collect();
        for name in SPACE.into_iter().chain([THREE, KEPT]) {
            let outcomes = failing(&all, 8, name, site, traced(&trace)).unwrap();
            prop_assert!(!outcomes.stopped);
            let mut last = rows(&outcomes);
            prop_assert_eq!(last.len(), all.len());
            let known = known(&outcomes);
            prop_assert_eq!(judge::work_adds_up(&mut last, &known), [], "{}", name);
            prop_assert_eq!(judge::each_job(&last, 8), [], "{}", name);
            let earlier = known.attempts.iter().map(|one| Row {
                number: one.number, submit_time: one.submit_time, start: one.start, end: one.end,
                on: one.on.clone(), ..last[0].clone()
            });
            let every: Vec<Row> = last.iter().cloned().chain(earlier).collect();
            prop_assert_eq!(judge::no_overlap(&every), [], "{}", name);
            prop_assert_eq!(judge::in_service(&every, &known), [], "{}", name);
            let work: u128 = all.iter().zip(outcomes.record.outcomes())
                .filter(|(_, one)| one.state == State::Completed).map(|(job, _)| job.area()).sum();
            let more = ["processor-time.lost", "processor-time.checkpoints"].map(|name| metric(&outcomes, name).unwrap());
            let more = more[0] + more[1];
            let held = held(&outcomes);
            prop_assert!(((held - work) as f64 / 1e9 - more).abs() < 1e-3, "{}: {} {}", name, held - work, more);
            let run = outcomes.run();
            let account = energy::account(&run).unwrap();
            prop_assert_eq!(account.jobs.picojoules(), held * 19);
            let jobs = (0..all.len() as u32).map(|id| energy::of_job(&run, JobId(id)).unwrap().picojoules());
            prop_assert_eq!(jobs.sum::<u128>(), account.jobs.picojoules());
        }
    }

    #[test]
    fn nodes_that_do_not_fail_change_nothing(all in any_jobs(), checkpoint in prop::option::of((100..120_u64, 0..5_u64))) {
        for name in SPACE.into_iter().chain([THREE, KEPT]) {
            let outcomes = failing(&all, 8, name, of(rules(2, checkpoint)), traced(&[])).unwrap();
            let plain = run(&all, 8, policy(name)).unwrap();
            prop_assert!(outcomes.record.outcomes().eq(plain.record.outcomes()), "{}", name);
        }
    }
}

#[test]
fn a_run_that_forgets_where_jobs_were_is_the_same() {
    let all = jobs(&[(0, 3, 40, 40), (1, 2, 30, 30), (2, 5, 20, 20), (3, 1, 60, 60)]);
    for then in [OnNodeFailure::Requeued, OnNodeFailure::Lost] {
        let site = of(Failures { then, ..rules(2, None) });
        let faults = traced(&[(0, 10, 15), (1, 12, 50), (2, 30, 31)]);
        let run = |keep| {
            let setting = Setting { procs: 6, level: 1, until: None, warm_up: WarmUp::None, site };
            let (detail, watching) = (
                Detail::Job {
                    resources: None,
                    faults: Some(faults.clone()),
                    reservations: Reservations::NONE,
                    pools: Vec::new(),
                },
                Watching { keep, ..Watching::default() },
            );
            simulate_watched(
                Arc::clone(&all),
                setting,
                policy("'easy'"),
                Simulation::new(1),
                detail,
                watching,
            )
            .unwrap()
        };
        let (kept, forgotten) = (run(Keep::All), run(Keep::WhileRunning));
        assert_eq!((kept.digest, kept.metrics()), (forgotten.digest, forgotten.metrics()));
    }
}

#[test]
fn a_limit_is_of_each_run() {
    let all = jobs(&[(0, 1, 50, 20)]);
    let site = SiteModel {
        walltime: Some(Walltime { grace: secs(0), ..Walltime::default() }),
        ..of(rules(1, None))
    };
    let outcomes = failing(&all, 1, "'fcfs'", site, traced(&[(0, 15, 16)])).unwrap();
    let one = outcomes.record.outcome(JobId(0));
    assert_eq!((one.start, one.end, one.state), (at(16), at(36), State::Killed));
}

#[test]
fn the_mean_time_of_a_job_that_begins_anew_is_that_of_theory() {
    // failures at rate l and repairs of mean r: a job of length t takes (1/l + r)(e^(l t) - 1) on
    // average, when it starts on a node that is up and all times are exponential (K. S. Trivedi,
    // Probability and Statistics, 2nd ed., 2002)
    let (up, down) = (100.0, 20.0);
    // jobs of 120 s: e^1.2 - 1
    let theory = (up + down) * 2.320_116_922_736_547;
    let mean = |mean: f64| Sampler::new(Exponential::new(mean).unwrap());
    // one job at a time, each for itself as nothing has memory: it is submitted when the one before
    // is long gone
    let all: Vec<(u64, u32, u64, u64)> = (0..1000).map(|number| (number * 20_000, 1, 120, 120)).collect();
    let mut means = Vec::new();
    for seed in 1..=20 {
        let setting =
            Setting { procs: 1, level: 1, until: None, warm_up: WarmUp::None, site: of(rules(1, None)) };
        let detail = Detail::Job {
            resources: None,
            faults: Some(Faults::Drawn { up: mean(up), down: mean(down) }),
            reservations: Reservations::NONE,
            pools: Vec::new(),
        };
        let outcomes = simulate_watched(
            jobs(&all),
            setting,
            policy("'fcfs'"),
            Simulation::new(seed),
            detail,
            Watching::default(),
        )
        .unwrap();
        // from the first start, so that the node is up
        let outages = outcomes.record.outages();
        let mut first: Vec<SimTime> = outcomes.record.outcomes().map(|one| one.start).collect();
        for attempt in outages.attempts().iter().rev() {
            first[attempt.job.index()] = attempt.start;
        }
        let took =
            outcomes.record.outcomes().zip(first).map(|(one, first)| one.end.since(first).as_secs_f64());
        means.push(took.sum::<f64>() / all.len() as f64);
        let availability = metric(&outcomes, "availability").unwrap();
        assert!((availability - up / (up + down)).abs() < 0.01, "{availability}");
    }
    let mean = means.iter().sum::<f64>() / 20.0;
    let variance = means.iter().map(|one| (one - mean) * (one - mean)).sum::<f64>() / 19.0;
    let z = (mean - theory) / (variance / 20.0).sqrt();
    assert!(z.abs() < 3.3, "{mean} and not {theory}: z = {z}");
}

const SCENARIO: &str = "\
title = \"Failing\"
[cluster]
procs = 4
[cluster.failures]
processors-per-node = 2
trace = \"nodes.csv\"
checkpoint = { interval = \"10s\", cost = \"2s\" }
[workload]
kind = \"swf\"
file = \"log.swf\"
[policy]
kind = \"easy\"
[record]
swf = true
";
// the jobs of the example by hand
const LOG: &str = "\
1 0 -1 35 2 -1 -1 2 35 -1 1 1 1 1 1 1 -1 -1
2 1 -1 10 4 -1 -1 4 10 -1 1 1 1 1 1 1 -1 -1
3 2 -1 100 2 -1 -1 2 100 -1 1 1 1 1 1 1 -1 -1
4 3 -1 20 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1
";

#[test]
fn files_tell_of_interruptions_and_check_holds_the_schedule_to_them() {
    let place = Place::new();
    place.file("scenario.toml", SCENARIO).file("log.swf", LOG).file("nodes.csv", "node,from,to\n0,30,50\n");
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress", "--explain", "1"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let told = "ran from 00:00:00 to 00:00:30, when a node of it failed; it keeps 20 s of its work.";
    let failures = " failures     1 of nodes, 94.29 % in service\n interrupted  1 time\n";
    for told in [told, failures] {
        assert!(output.stdout.contains(told), "{}", output.stdout);
    }
    let text = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap();
    assert_eq!(
        text("attempts.csv"),
        "job_id,submission_time,attempt,starting_time,finish_time,allocated_resources,saved_work\n1,0,1,0,30,0-1,20\n"
    );
    assert_eq!(text("outages.csv"), "node,processors,from,to\n0,0-1,30,50\n");
    let csv = text("jobs.csv");
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(rows[1], "1,log,rigid,0,2,35,1,COMPLETED_SUCCESSFULLY,30,17,47,0,47,1.342857,2-3,-1,,head");
    assert!(rows[2].ends_with(",head-unable"), "{}", rows[2]);
    let summary: Json = serde_json::from_str(&text("summary.json")).unwrap();
    assert_eq!(summary["metrics"]["interruptions"]["value"].as_u64(), Some(1));
    // a fact of interrupted runs alone
    assert!(text("report.html").contains("\"kept\""), "the page has the interrupted run");

    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    for kept in [
        "no job is on a processor that is out of service",
        "then does again what it has not kept",
        "kept         the head of the queue starts once it fits",
        "kept         the head of the queue starts at its first shadow time at the latest",
    ] {
        assert!(checked.stdout.contains(kept), "{}", checked.stdout);
    }
    let tampered = [
        ("attempts.csv", "0-1,20", "0-1,10", "it keeps 10 s of its work, and not 20 s"),
        ("attempts.csv", "0,30,0-1", "0,29,0-1", "its run is interrupted, though no node of it fails"),
        ("outages.csv", "0,0-1,30,50", "0,0-1,30,50\n1,2-3,99,100", "which go out of service"),
        ("jobs.csv", "30,17,47", "30,16,46", "it ends at 46 s"),
    ];
    for (name, from, to, told) in tampered {
        let whole = text(name);
        fs::write(place.path("out").join(name), whole.replace(from, to)).unwrap();
        let checked = place.run(&["check", "out"]);
        assert_eq!((checked.status, checked.stdout.contains(told)), (1, true), "{}", checked.stdout);
        fs::write(place.path("out").join(name), whole).unwrap();
    }
    // the trace is an input: with another the run is another
    place.file("nodes.csv", "node,from,to\n0,31,50\n");
    let again = place.run(&["run", "out/manifest.json", "-o", "again", "--no-progress"]);
    assert_eq!(again.status, 2, "{}", again.stdout);
}

#[test]
fn failures_of_a_node_do_not_depend_on_others_and_are_drawn_once_a_seed() {
    let place = Place::new();
    let drawn = "up = { kind = \"exponential\", mean = \"30s\" }\ndown = { kind = \"uniform\", low = \"1s\", high = \"9s\" }\n";
    let scenario = SCENARIO.replace("trace = \"nodes.csv\"\n", drawn).replace("checkpoint", "# checkpoint");
    place.file("scenario.toml", scenario).file("log.swf", LOG);
    let outages = |more: &[&str], out: &str| -> Vec<String> {
        let output = place.run(&[&["run", "scenario.toml", "-o", out, "--no-progress"], more].concat());
        assert_eq!(output.status, 0, "{}", output.stderr);
        let text = fs::read_to_string(place.path(out).join("outages.csv")).unwrap();
        let first = text.lines().filter(|line| line.starts_with("0,") || line.starts_with("1,"));
        let until = |line: &&str| line.split(',').nth(2).unwrap().parse::<f64>().unwrap() < 60.0;
        let end = |line: &str| line.rsplit_once(',').map_or_else(String::new, |(begin, _)| begin.to_owned());
        first.filter(until).map(end).collect()
    };
    let few = outages(&[], "few");
    assert!(!few.is_empty());
    assert_eq!(outages(&["--set", "cluster.procs=64"], "many"), few);
    assert_ne!(outages(&["--set", "seed=2"], "other"), few);
    assert_eq!(place.run(&["check", "few"]).status, 0);
    // made again, it is compared with what is there
    let again = place.run(&["run", "scenario.toml", "-o", "few", "--no-progress"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
}
