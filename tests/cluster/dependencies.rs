//! Jobs that wait for others to leave: held until then, rejected where none would leave, or
//! submitted after it.

use std::fs;
use std::sync::Arc;

use clustersim_cluster::instrument::{Reason, SiteModel, State};
use clustersim_cluster::judge::{self, ScheduledJobs};
use clustersim_cluster::policy::{Outcomes, Setting, simulate};
use clustersim_jobs::workload::dependency::{Dependencies, Edge, Rule};
use clustersim_jobs::workload::{Job, Walltime, Workload};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime, Simulation};
use clustersim_language::ids::JobId;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::cluster::{BY_EVENT, GANG, SPACE, jobs, metric, policy, rows, secs};

use clustersim_testing::program::Place;

fn work(jobs: &Arc<Vec<Job>>, edges: &[(u32, u32, Rule)]) -> Workload {
    let edge = |&(job, on, rule): &(u32, u32, Rule)| Edge { job: JobId(job), on: JobId(on), rule };
    let all = Dependencies::new(edges.iter().map(edge).collect()).unwrap();
    Workload { jobs: Arc::clone(jobs), dependencies: Some(Arc::new(all)), ..Workload::default() }
}

fn run_at(
    work: &Workload,
    (procs, level): (u32, u32),
    name: &str,
    until: Option<u64>,
    site: SiteModel,
) -> Outcomes {
    let until = until.map(|until| SimTime::from_secs(until).unwrap());
    let setting = Setting { procs, level, until, warm_up: WarmUp::None, site };
    simulate(work.clone(), setting, policy(name), Simulation::new(1)).unwrap()
}

fn run(work: &Workload, procs: u32, name: &str) -> Outcomes {
    run_at(work, (procs, 1), name, None, SiteModel::default())
}

/// Submission, start and state of each job [s], in order of their numbers.
fn told(outcomes: &Outcomes) -> Vec<(u64, u64, State)> {
    let nanos = |at: SimTime| at.as_nanos() / 1_000_000_000;
    let mut all: Vec<_> = outcomes
        .jobs
        .iter()
        .zip(outcomes.record.outcomes())
        .map(|(job, outcome)| (job.number, (nanos(job.submit_time), nanos(outcome.start), outcome.state)))
        .collect();
    all.sort_by_key(|one| one.0);
    all.into_iter().map(|one| one.1).collect()
}

#[test]
fn a_held_job_keeps_its_place_and_delays_nobody_while_it_is_held() {
    // (submission, processors, run time, estimate) on 10 processors; the second waits for the first
    let all = jobs(&[(0, 4, 100, 100), (1, 8, 50, 50), (2, 6, 60, 60), (3, 9, 10, 10)]);
    let work = work(&all, &[(1, 0, Rule::AfterAny)]);
    let done = State::Completed;
    for name in ["'fcfs'", "'easy'", "'conservative'"] {
        let outcomes = run(&work, 10, name);
        // at 2 s the third starts beside the first; at 100 s the second stands before the fourth
        // again, to which conservative backfilling has promised that instant while the second was
        // held
        let (second, fourth) = if name == "'conservative'" { (110, 100) } else { (100, 150) };
        let expected = [(0, 0, done), (1, second, done), (2, 2, done), (3, fourth, done)];
        assert_eq!(told(&outcomes), expected, "{name}");
        assert_eq!(metric(&outcomes, "jobs.held"), Some(1.0));
        assert_eq!(metric(&outcomes, "held-time.mean"), Some(99.0));
        assert_eq!(metric(&outcomes, "jobs.followed"), None);
    }
    let free = run(&Workload::from(Arc::clone(&all)), 10, "'fcfs'");
    assert_eq!((told(&free)[1].1, metric(&free, "jobs.held")), (100, None));
}

/// At 100 s the second is refused, which a limit can never let run, and lets the third go: that
/// stands before the fourth, which is let go at the same instant.
#[test]
fn jobs_that_a_refusal_lets_go_are_decided_about_with_all_others_of_the_instant() {
    let all = jobs(&[(0, 8, 100, 100), (1, 10, 10, 10), (2, 6, 50, 50), (3, 6, 20, 20)]);
    let edges = [(1, 0, Rule::AfterAny), (2, 1, Rule::AfterAny), (3, 0, Rule::AfterAny)];
    let work = work(&all, &edges);
    for backfill in ["none", "easy", "conservative"] {
        let queues = "queues = [{ name = 'q', max-procs = 9 }]";
        let policy = format!("{{ kind = 'space-sharing', backfill = '{backfill}', {queues} }}");
        let starts = told(&run(&work, 10, &policy));
        assert_eq!((starts[0].1, starts[1].2), (0, State::Rejected), "{backfill}");
        assert_eq!((starts[2].1, starts[3].1), (100, 150), "{backfill}");
    }
}

#[test]
fn under_gang_scheduling_a_held_job_comes_to_the_matrix_when_it_is_let_go() {
    let all = jobs(&[(0, 4, 100, 100), (0, 4, 100, 100)]);
    let outcomes =
        run_at(&work(&all, &[(1, 0, Rule::AfterAny)]), (4, 2), GANG[0], None, SiteModel::default());
    // alone in its slice the first needs no switch; the second comes with the slice after
    assert_eq!(outcomes.record.outcome(JobId(0)).end, SimTime::from_secs(100).unwrap());
    assert_eq!(told(&outcomes)[1].1, 100);
}

#[test]
fn who_waits_for_success_in_vain_is_rejected_and_lets_others_go_on() {
    // the first is killed, the third is too large; the sixth failed in its log
    let mut all = (*jobs(&[
        (0, 2, 100, 60),
        (1, 2, 10, 10),
        (2, 99, 10, 10),
        (3, 2, 10, 10),
        (4, 2, 10, 10),
        (5, 2, 10, 10),
        (90, 2, 10, 10),
        (91, 2, 10, 10),
    ]))
    .clone();
    all[5].status = 0;
    let edges = [
        (1, 0, Rule::AfterOk),
        (3, 2, Rule::AfterOk),
        (4, 1, Rule::AfterAny),
        (6, 5, Rule::AfterOk),
        (7, 6, Rule::AfterOk),
    ];
    let work = work(&Arc::new(all), &edges);
    let site = SiteModel { walltime: Some(Walltime::default()), ..SiteModel::default() };
    let outcomes = run_at(&work, (10, 1), "'easy'", None, site);
    let (done, rejected) = (State::Completed, State::Rejected);
    let expected = [
        (0, 0, State::Killed),
        (1, 60, rejected),
        (2, 2, rejected),
        (3, 3, rejected),
        (4, 60, done),
        (5, 5, done),
        (90, 90, rejected),
        (91, 91, rejected),
    ];
    assert_eq!(told(&outcomes), expected);
    let reasons = [1, 2, 3].map(|id| outcomes.record.outcome(JobId(id)).reason);
    assert_eq!(reasons, [Reason::Dependency, Reason::TooLarge, Reason::Dependency]);
}

#[test]
fn a_submission_that_follows_an_end_is_a_result_of_the_run() {
    // the second is submitted 20 s after the first has ended, be it at 7 s in the log; the third
    // follows the second at once
    let all = jobs(&[(0, 4, 30, 30), (7, 4, 10, 10), (8, 4, 10, 10), (9, 4, 45, 45)]);
    let edges = [(1, 0, Rule::ThinkTime(secs(20))), (2, 1, Rule::ThinkTime(SimDuration::ZERO))];
    let work = work(&all, &edges);
    let done = State::Completed;
    let outcomes = run(&work, 4, "'fcfs'");
    assert_eq!(told(&outcomes), [(0, 0, done), (50, 75, done), (85, 85, done), (9, 30, done)]);
    // in order of submission
    assert_eq!(outcomes.jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [1, 4, 2, 3]);
    assert_eq!(metric(&outcomes, "jobs.followed"), Some(2.0));
    // submitted, and so never held
    assert_eq!(metric(&outcomes, "jobs.held"), Some(0.0));
    assert_eq!(metric(&outcomes, "wait-time.max"), Some(25.0));
    assert_eq!(judge::schedule(&rows(&outcomes), 4), []);
    // a run that is stopped before
    let stopped = run_at(&work, (4, 1), "'fcfs'", Some(40), SiteModel::default());
    assert!(stopped.stopped);
    assert_eq!(told(&stopped)[1].2, State::Expected);
}

/// Random jobs, each of which may depend on jobs before it.
fn any_work() -> impl Strategy<Value = Workload> {
    let job = (0..40_u64, 1..=9_u32, 1..60_u64, 1..60_u64, 0..8_u8);
    let edge = (0..40_usize, 0..40_usize, 0..4_u8, 0..30_u64);
    (prop::collection::vec(job, 1..40), prop::collection::vec(edge, 0..60)).prop_map(|(all, edges)| {
        let (mut at, mut told) = (0, Vec::new());
        for &(gap, procs, run, estimate, _) in &all {
            at += gap;
            told.push((at, procs, run, estimate));
        }
        let mut jobs = (*jobs(&told)).clone();
        for (job, row) in jobs.iter_mut().zip(&all) {
            job.status = i8::from(row.4 > 0);
        }
        let mut kept: Vec<(u32, u32, Rule)> = Vec::new();
        for (job, on, rule, think) in edges {
            let (job, on) = (job % jobs.len(), on % jobs.len());
            let follows = kept.iter().any(|one| one.0 == job as u32 && matches!(one.2, Rule::ThinkTime(_)));
            let rule = match rule {
                0 if !follows => Rule::ThinkTime(secs(think)),
                1 => Rule::AfterOk,
                _ => Rule::AfterAny,
            };
            if on < job {
                kept.push((job as u32, on as u32, rule));
            }
        }
        work(&Arc::new(jobs), &kept)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn nobody_starts_before_those_have_left_that_it_depends_on(
        work in any_work(),
        grace in prop::option::of(0..20_u64),
    ) {
        let walltime = grace.map(|grace| Walltime { grace: secs(grace), ..Walltime::default() });
        let site = SiteModel { walltime, ..SiteModel::default() };
        let ties = work.dependencies.as_deref().unwrap();
        let space = SPACE.into_iter().chain([BY_EVENT]).map(|name| (name, 1));
        for (name, level) in space.chain(GANG.map(|name| (name, 3))) {
            let outcomes = run_at(&work, (8, level), name, None, site);
            prop_assert!(!outcomes.stopped);
            prop_assert_eq!(outcomes.record.left_count(), work.jobs.len(), "{}", name);
            let again = run_at(&work, (8, level), name, None, site);
            prop_assert_eq!(outcomes.digest, again.digest, "{}", name);
            let of = |id: JobId| {
                let number = u64::from(id.0) + 1;
                let place = outcomes.jobs.iter().position(|job| job.number == number).unwrap();
                (outcomes.jobs[place], outcomes.record.outcome(JobId(place as u32)))
            };
            for edge in ties.edges() {
                let ((job, held), (_, other)) = (of(edge.job), of(edge.on));
                if held.state != State::Rejected {
                    prop_assert!(held.start >= other.end, "{}: {:?}", name, edge);
                }
                if let Rule::ThinkTime(think) = edge.rule {
                    prop_assert_eq!(job.submit_time, other.end.saturating_add(think));
                }
            }
            prop_assert!(outcomes.jobs.is_sorted_by_key(|job| job.submit_time));
            promised(&outcomes, &work, (name, level))?;
        }
    }
}

/// What the validator finds, which knows the workload and the ends alone.
fn promised(outcomes: &Outcomes, work: &Workload, (name, level): (&str, u32)) -> Result<(), TestCaseError> {
    let ran = rows(outcomes);
    let plain = |row: &judge::Row| judge::Row { considered: row.submit_time, ..row.clone() };
    let refused =
        outcomes.jobs.iter().zip(outcomes.record.outcomes()).filter(|(_, one)| one.state == State::Rejected);
    let refused = refused.map(|(job, _)| judge::Row {
        number: job.number,
        submit_time: job.submit_time,
        considered: job.submit_time,
        follows: false,
        start: job.submit_time,
        end: job.submit_time,
        run_time: SimDuration::ZERO,
        work: None,
        estimate: job.estimate,
        killed: false,
        own_limit: false,
        lost: false,
        cancelled: false,
        procs: job.procs,
        requested: None,
        demand: job.demand,
        queue: None,
        job: None,
        turns: Vec::new(),
        pools: None,
        on: Vec::new(),
        gpus: Vec::new(),
    });
    let mut schedule = ScheduledJobs {
        ran: ran.iter().map(plain).collect(),
        refused: refused.collect(),
        ..ScheduledJobs::default()
    };
    let held = judge::dependencies(&mut schedule, work, 8);
    prop_assert_eq!(held.violations, [], "{}", name);
    // found out from the ends as the run had it, which does not say which one another's end let go
    let found: Vec<judge::Row> =
        schedule.ran.iter().map(|row| judge::Row { follows: false, ..row.clone() }).collect();
    prop_assert_eq!(&found, &ran, "{}", name);
    prop_assert!(schedule.refused.iter().all(|row| row.procs > 8), "{}", name);
    if level > 1 {
        return Ok(());
    }
    prop_assert_eq!(judge::schedule(&ran, 8), [], "{}", name);
    let found = match name {
        "'fcfs'" => judge::in_order(&ran),
        "'easy'" => judge::head_promise(&ran, 8),
        "'conservative'" => judge::reservation_promise(&ran, 8),
        "'first-fit'" => judge::nothing_fits(&ran, 8),
        _ => Vec::new(),
    };
    prop_assert_eq!(found, [], "{}", name);
    Ok(())
}

const SCENARIO: &str = "\
title = \"Held\"
[cluster]
procs = 4
[workload]
kind = \"swf\"
file = \"log.swf\"
preceding = \"think-time\"
dependencies = \"own.csv\"
[policy]
kind = \"easy\"
";
// 2 follows 1 after 5 s, 3 names a job that is not there, 4 and 5 are as the table has them; 6 is
// too large
const LOG: &str = "\
1 0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1
2 1 -1 50 3 -1 -1 3 50 -1 1 1 1 1 1 1 1 5
3 5 -1 70 1 -1 -1 1 70 -1 1 1 1 1 1 1 77 9
4 6 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1
5 7 -1 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1
6 8 -1 10 9 -1 -1 9 10 -1 1 1 1 1 1 1 -1 -1
";
const OWN: &str = "job,kind,on\n4,after-ok,3\n4,after-any,2\n5,after-ok,6\n";

#[test]
fn files_tell_who_was_held_and_who_was_rejected() {
    let place = Place::new();
    place.file("scenario.toml", SCENARIO).file("log.swf", LOG).file("own.csv", OWN);
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress", "--explain", "4"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stderr.contains("1 preceding-absent"), "{}", output.stderr);
    for line in [
        "from 00:00:06 to 00:02:35 (2.483 min): held until job 2 and 1 other job have left.\n",
        "from 00:02:35 to 00:02:50 (15 s): held until job 3 has left.\n",
        "Started at 00:02:50, after 2.733 min: it was the head of the queue, and enough was free (head).\n",
    ] {
        assert!(output.stdout.contains(line), "{}", output.stdout);
    }
    let text = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap();
    let csv = text("jobs.csv");
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(rows[0], "5,log,rigid,7,1,10,0,REJECTED,,,,,,,,-1,,dependency-failed", "{csv}");
    assert_eq!(rows[3], "2,log,rigid,105,3,50,1,COMPLETED_SUCCESSFULLY,105,50,155,0,50,1,1-3,-1,,head");
    let summary: Json = serde_json::from_str(&text("summary.json")).unwrap();
    let value = |name: &str| summary["metrics"][name]["value"].as_f64();
    assert_eq!((value("jobs.held"), value("held-time.mean")), (Some(1.0), Some(164.0)));
    assert_eq!(value("jobs.followed"), Some(1.0));

    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    let kept = " kept         no job starts before those have left that it depends on, and a job that cannot start any more is refused\n";
    assert!(checked.stdout.contains(kept), "{}", checked.stdout);
    // the page that is drawn again from the files is the same
    let page = text("report.html");
    let again = place.run(&["report", "out"]);
    assert_eq!((again.status, text("report.html") == page), (0, true), "{}", again.stderr);
    // one that starts too early
    let early = csv.replace(
        "4,log,rigid,6,1,10,1,COMPLETED_SUCCESSFULLY,170,10,180",
        "4,log,rigid,6,1,10,1,COMPLETED_SUCCESSFULLY,160,10,170",
    );
    assert_ne!(early, csv);
    fs::write(place.path("out/jobs.csv"), early).unwrap();
    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 1);
    let told = "job 4 at 160 s: it starts before those have left that it depends on, at 170 s";
    assert!(checked.stdout.contains(told), "{}", checked.stdout);
}

#[test]
fn a_study_tells_of_held_jobs_where_a_point_has_them() {
    let place = Place::new();
    let vary = "[[vary]]\n\"workload.preceding\" = [\"ignored\", \"after\", \"think-time\"]\n";
    let scenario = SCENARIO.replace("preceding = \"think-time\"\ndependencies = \"own.csv\"\n", "");
    place.file("scenario.toml", format!("{scenario}{vary}")).file("log.swf", LOG);
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let results = fs::read_to_string(place.path("out/results.csv")).unwrap();
    let mut lines = results.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| head.iter().position(|found| *found == name).expect("a column");
    let (held, followed) = (column("jobs.held"), column("jobs.followed"));
    let told: Vec<(&str, &str)> = lines.map(|line| (line[held], line[followed])).collect();
    assert_eq!(told, [("", ""), ("1", ""), ("0", "1")]);
}
