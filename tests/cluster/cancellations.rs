//! Jobs that their users cancel: out of patience while they wait, or as their log has it.

use std::fs;
use std::sync::Arc;

use clustersim_cluster::instrument::{Reason, SiteModel, State};
use clustersim_cluster::judge::{self, ScheduledJobs};
use clustersim_cluster::policy::{Outcomes, Setting, simulate};
use clustersim_jobs::workload::cancellation::{Cancel, Cancellations};
use clustersim_jobs::workload::dependency::{Dependencies, Edge, Rule};
use clustersim_jobs::workload::{Job, Walltime, Workload};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime, Simulation};
use clustersim_language::ids::JobId;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::cluster::{BY_EVENT, GANG, SPACE, jobs, metric, policy, rows};

use clustersim_testing::program::Place;

/// EASY under limits of a queue.
const LIMITED: &str =
    "{ kind = 'easy', queues = [{ name = 'all', max-running = 3, max-queued-per-user = 2 }] }";

fn waiting(secs: u64) -> Cancel {
    Cancel::Waiting(SimDuration::from_secs(secs))
}

fn anyhow(secs: u64) -> Cancel {
    Cancel::Anyhow(SimDuration::from_secs(secs))
}

fn work(jobs: &Arc<Vec<Job>>, cancels: &[(u32, Cancel)], edges: &[(u32, u32, Rule)]) -> Workload {
    let all = Cancellations::new(cancels.iter().map(|&(job, cancel)| (JobId(job), cancel)).collect());
    let edge = |&(job, on, rule): &(u32, u32, Rule)| Edge { job: JobId(job), on: JobId(on), rule };
    let ties = Dependencies::new(edges.iter().map(edge).collect()).unwrap();
    let dependencies = (!edges.is_empty()).then(|| Arc::new(ties));
    Workload {
        jobs: Arc::clone(jobs),
        dependencies,
        cancellations: Some(Arc::new(all)),
        ..Workload::default()
    }
}

fn run(work: &Workload, (procs, level): (u32, u32), name: &str, site: SiteModel) -> Outcomes {
    let setting = Setting { procs, level, until: None, warm_up: WarmUp::None, site };
    simulate(work.clone(), setting, policy(name), Simulation::new(1)).unwrap()
}

/// Start, end and state of each job [s].
fn told(outcomes: &Outcomes) -> Vec<(u64, u64, State)> {
    let secs = |at: SimTime| at.as_nanos() / 1_000_000_000;
    outcomes.record.outcomes().map(|one| (secs(one.start), secs(one.end), one.state)).collect()
}

#[test]
fn a_head_that_gives_up_lets_those_behind_it_start() {
    // (submission, processors, run time, estimate) on 10 processors; the second waits for 20 s, the
    // fourth for 200 s
    let all = jobs(&[(0, 6, 100, 100), (1, 8, 50, 50), (2, 4, 200, 200), (3, 10, 10, 10)]);
    let work = work(&all, &[(1, waiting(20)), (3, waiting(200))], &[]);
    let (done, gone) = (State::Completed, State::Cancelled);
    for (name, third) in [("'fcfs'", 21), ("'easy'", 21), ("'conservative'", 21), ("'first-fit'", 2)] {
        let outcomes = run(&work, (10, 1), name, SiteModel::default());
        let expected = [(0, 100, done), (21, 21, gone), (third, third + 200, done), (203, 203, gone)];
        assert_eq!(told(&outcomes)[..3], expected[..3], "{name}");
        // at 202 s, in time, under first fit
        let fourth = if third == 2 { (202, 212, done) } else { expected[3] };
        assert_eq!(told(&outcomes)[3], fourth, "{name}");
        assert_eq!(outcomes.record.outcome(JobId(1)).reason, Reason::Withdrawn);
        let count = if third == 2 { 1.0 } else { 2.0 };
        assert_eq!(metric(&outcomes, "jobs.cancelled"), Some(count), "{name}");
        assert_eq!(metric(&outcomes, "jobs.completed"), Some(4.0 - count));
    }
}

#[test]
fn at_one_instant_an_end_comes_before_a_cancellation_and_that_before_a_start() {
    let all = jobs(&[(0, 4, 30, 30), (10, 4, 10, 10), (10, 4, 10, 10), (30, 4, 5, 5)]);
    // the first ends by itself; the second would start at 30 s; the third starts then, and is cut
    // at 35 s
    let cancels = [(0, anyhow(30)), (1, waiting(20)), (2, anyhow(25)), (3, waiting(0))];
    let outcomes = run(&work(&all, &cancels, &[]), (4, 1), "'easy'", SiteModel::default());
    let (done, gone) = (State::Completed, State::Cancelled);
    assert_eq!(told(&outcomes), [(0, 30, done), (30, 30, gone), (30, 35, gone), (30, 30, gone)]);
    // the run is over with its last job, not when the last user would be out of patience
    let long = run(&work(&all, &[(3, waiting(9_000))], &[]), (4, 1), "'easy'", SiteModel::default());
    assert_eq!(metric(&long, "makespan"), Some(55.0));
    assert!(!long.stopped);
}

#[test]
fn under_gang_scheduling_a_job_that_runs_is_ended_when_it_is_cancelled() {
    let all = jobs(&[(0, 4, 1000, 1000), (0, 4, 1000, 1000), (0, 4, 1000, 1000)]);
    // two rows; the third waits for one of them
    let cancels = [(0, anyhow(300)), (2, waiting(200))];
    let outcomes = run(&work(&all, &cancels, &[]), (4, 2), GANG[0], SiteModel::default());
    let (done, gone) = (State::Completed, State::Cancelled);
    // slices of 200 s: the second has 98 s of the slice from 202 s to 402 s by then, and no others
    // after it
    let expected = [(0, 300, gone), (0, 1202, done), (200, 200, gone)];
    assert_eq!(told(&outcomes), expected);
    assert_eq!(judge::shared(&rows(&outcomes), 2), []);
}

fn any_work() -> impl Strategy<Value = Workload> {
    let job = (0..30_u64, 1..=9_u32, 1..60_u64, 1..60_u64, 0..120_u64, 0..4_u8);
    let edge = (0..40_usize, 0..40_usize, any::<bool>());
    (prop::collection::vec(job, 1..40), prop::collection::vec(edge, 0..12)).prop_map(|(all, edges)| {
        let (mut at, mut told, mut cancels) = (0, Vec::new(), Vec::new());
        for (id, &(gap, procs, run, more, after, kind)) in (0..).zip(&all) {
            at += gap;
            told.push((at, procs, run, run + more));
            match kind {
                0 => cancels.push((id, anyhow(after))),
                1 | 2 => cancels.push((id, waiting(after))),
                _ => {}
            }
        }
        let mut kept = Vec::new();
        for (job, on, ok) in edges {
            let (job, on) = ((job % all.len()) as u32, (on % all.len()) as u32);
            if on < job {
                kept.push((job, on, if ok { Rule::AfterOk } else { Rule::AfterAny }));
            }
        }
        work(&jobs(&told), &cancels, &kept)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn everybody_is_cancelled_in_time_and_promises_to_others_are_kept(
        work in any_work(),
        grace in prop::option::of(0..20_u64),
    ) {
        let walltime = grace.map(|grace| Walltime { grace: SimDuration::from_secs(grace), ..Walltime::default() });
        let site = SiteModel { walltime, ..SiteModel::default() };
        let space = SPACE.into_iter().chain([BY_EVENT, LIMITED]).map(|name| (name, 1));
        for (name, level) in space.chain(GANG.map(|name| (name, 3))) {
            let outcomes = run(&work, (8, level), name, site);
            prop_assert!(!outcomes.stopped);
            prop_assert_eq!(outcomes.record.left_count(), work.jobs.len(), "{}", name);
            prop_assert_eq!(outcomes.digest, run(&work, (8, level), name, site).digest, "{}", name);
            promised(&outcomes, &work, (name, level))?;
        }
    }
}

/// What the validator finds, which knows the workload and the schedule alone.
fn promised(outcomes: &Outcomes, work: &Workload, (name, level): (&str, u32)) -> Result<(), TestCaseError> {
    let plain = |row: judge::Row| judge::Row { considered: row.submit_time, ..row };
    let mut schedule =
        ScheduledJobs { ran: rows(outcomes).into_iter().map(plain).collect(), ..ScheduledJobs::default() };
    for (job, one) in outcomes.jobs.iter().zip(outcomes.record.outcomes()).filter(|(_, one)| !one.ran()) {
        let cancelled = one.state == State::Cancelled;
        let at = if cancelled { one.end } else { job.submit_time };
        let row = judge::Row {
            number: job.number,
            submit_time: job.submit_time,
            considered: job.submit_time,
            follows: false,
            start: at,
            end: at,
            run_time: SimDuration::ZERO,
            work: None,
            estimate: job.estimate,
            killed: false,
            own_limit: false,
            cancelled,
            lost: false,
            procs: job.procs,
            requested: None,
            demand: job.demand,
            queue: None,
            job: None,
            turns: Vec::new(),
            pools: None,
            on: Vec::new(),
            gpus: Vec::new(),
        };
        if cancelled { &mut schedule.cancelled } else { &mut schedule.refused }.push(row);
    }
    let held = judge::dependencies(&mut schedule, work, 8);
    prop_assert_eq!(&held.violations, &[], "{}", name);
    let cancels = work.cancellations.as_deref().unwrap();
    let counted = if level == 1 { judge::LimitBasis::Held } else { judge::LimitBasis::Served };
    prop_assert_eq!(
        judge::cancellation(&schedule, &held.jobs, cancels, counted, &judge::Interruptions::default()),
        [],
        "{}",
        name
    );
    prop_assert!(schedule.refused.iter().all(|row| row.procs > 8), "{}", name);
    if level > 1 {
        return Ok(());
    }
    prop_assert_eq!(judge::schedule(&schedule.ran, 8), [], "{}", name);
    let mut all = [&schedule.ran[..], &schedule.cancelled].concat();
    all.sort_by_key(|row| (row.submit_time, row.number));
    let found = match name {
        "'fcfs'" => judge::in_order(&all),
        "'easy'" => judge::head_promise(&all, 8),
        "'conservative'" => judge::reservation_promise(&all, 8),
        "'first-fit'" => judge::nothing_fits(&all, 8),
        _ => Vec::new(),
    };
    prop_assert_eq!(found, [], "{}", name);
    Ok(())
}

const SCENARIO: &str = "\
title = \"Cancelled\"
[cluster]
procs = 4
power = { idle = \"100 W\", busy = \"200 W\" }
[workload]
kind = \"swf\"
file = \"log.swf\"
cancelled = \"replayed\"
patience = \"200s\"
[policy]
kind = \"easy\"
[record]
swf = true
";
// 2 was cancelled after 30 s, 3 after 150 s, both without having run; 4 runs from 250 s on and is
// out of patience before
const LOG: &str = "\
1 0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1
2 10 30 -1 -1 -1 -1 4 60 -1 5 1 1 1 1 1 -1 -1
3 20 150 0 -1 -1 -1 2 90 -1 5 1 1 1 1 1 -1 -1
4 30 -1 300 3 -1 -1 3 300 -1 1 1 1 1 1 1 -1 -1
5 40 -1 -1 -1 -1 -1 3 300 -1 5 1 1 1 1 1 -1 -1
6 50 -1 10 4 -1 -1 4 10 -1 1 1 1 1 1 1 -1 -1
";

#[test]
fn files_tell_who_was_cancelled_and_when() {
    let place = Place::new();
    place.file("scenario.toml", SCENARIO).file("log.swf", LOG);
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress", "--explain", "2"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.contains("2 completed, 3 cancelled\n"), "{}", output.stdout);
    assert!(output.stdout.contains("Cancelled by its user at 00:00:40, after 30 s.\n"), "{}", output.stdout);
    let text = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap();
    let csv = text("jobs.csv");
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    // 2 waits behind 1 until 40 s; 3 runs from 100 s to 170 s, and 4 behind it; 6 waits for 4 until
    // 250 s
    assert_eq!(rows[0], "2,log,rigid,10,4,60,0,CANCELLED,,,40,30,,,,-1,,cancelled", "{csv}");
    assert_eq!(rows[2], "3,log,rigid,20,2,90,0,CANCELLED,100,70,170,80,150,2.142857,0-1,28000,,head");
    assert_eq!(rows[3], "6,log,rigid,50,4,10,0,CANCELLED,,,250,200,,,,-1,,cancelled");
    let summary: Json = serde_json::from_str(&text("summary.json")).unwrap();
    assert_eq!(summary["metrics"]["jobs.cancelled"]["value"].as_f64(), Some(3.0));
    let log = text("jobs.swf");
    let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with(';')).collect();
    assert!(lines[2].ends_with(" 90 -1 5 1 1 1 1 1 -1 -1"), "{}", lines[2]);

    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    let kept = " kept         jobs are cancelled when their users want it, and no others\n";
    assert!(checked.stdout.contains(kept), "{}", checked.stdout);
    let page = text("report.html");
    let again = place.run(&["report", "out"]);
    assert_eq!((again.status, text("report.html") == page), (0, true), "{}", again.stderr);
    for (from, to, told) in [
        ("CANCELLED,,,40,30,", "CANCELLED,,,41,31,", "it is cancelled, though that is to be at 40 s"),
        ("CANCELLED,100,70,170", "CANCELLED,100,60,160", "without a request for that"),
    ] {
        fs::write(place.path("out/jobs.csv"), csv.replace(from, to)).unwrap();
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 1);
        assert!(checked.stdout.contains(told), "{}", checked.stdout);
    }
}

#[test]
fn patience_is_drawn_from_a_stream_of_its_own() {
    let place = Place::new();
    let scenario = "title = \"P\"\ncluster.procs = 4\n[workload]\nkind = \"synthetic\"\njobs = 200\narrivals = { kind = \"exponential\", \
                    mean = \"1min\" }\nsizes = 2\nrun-times = { kind = \"exponential\", mean = \"3min\" }\n";
    let patient = format!("{scenario}patience = {{ kind = \"exponential\", mean = \"2min\" }}\n");
    place.file("all.toml", scenario).file("some.toml", patient);
    let csv = |name: &str| {
        let output = place.run(&["run", &format!("{name}.toml"), "-o", name, "--no-progress"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        fs::read_to_string(place.path(name).join("jobs.csv")).unwrap()
    };
    let submissions = |csv: &str| {
        let mut all: Vec<String> =
            csv.lines().skip(1).map(|line| line.split(',').take(6).collect()).collect();
        all.sort();
        all
    };
    let (all, some) = (csv("all"), csv("some"));
    assert_eq!(submissions(&all), submissions(&some));
    assert!(some.contains("CANCELLED") && !all.contains("CANCELLED"));
    assert_eq!(place.run(&["check", "some"]).status, 0);
}
