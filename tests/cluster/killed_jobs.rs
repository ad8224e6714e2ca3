//! Jobs that are killed when the time they requested is over, and what processors draw for jobs and
//! idle.

use std::fs;
use std::sync::Arc;

use clustersim_cluster::instrument::energy::{self, Account};
use clustersim_cluster::instrument::{Draw, SiteModel, State};
use clustersim_cluster::judge;
use clustersim_cluster::policy::Outcomes;
use clustersim_jobs::workload::{Job, Walltime};
use clustersim_kernel::SimDuration;
use clustersim_language::units::Power;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::cluster::{GANG, SPACE, jobs, metric, policy, rows, run_at, run_shared, starts};
use clustersim_testing::program::Place;

fn kills(grace: u64) -> SiteModel {
    SiteModel {
        walltime: Some(Walltime { grace: SimDuration::from_secs(grace), ..Walltime::default() }),
        ..SiteModel::default()
    }
}

fn draws(idle: u64, busy: u64) -> Draw {
    let power = |milliwatts| Power::from_milliwatts(milliwatts).unwrap();
    Draw { idle: power(idle), busy: power(busy) }
}

fn ends(outcomes: &Outcomes) -> Vec<(u64, State)> {
    let outcomes = outcomes.record.outcomes();
    outcomes.map(|outcome| (outcome.end.as_nanos() / 1_000_000_000, outcome.state)).collect()
}

#[test]
fn the_first_of_three_jobs_is_killed_at_its_request() {
    // (submission, processors, run time, request): the first would run for 100 s
    let all = jobs(&[(0, 6, 100, 60), (1, 8, 50, 50), (2, 4, 30, 30)]);
    let killed = |policy_name: &str, grace| run_at(&all, 10, 1, policy(policy_name), kills(grace)).unwrap();
    for (name, third) in [("'fcfs'", 110), ("'easy'", 2), ("'conservative'", 2)] {
        let outcomes = killed(name, 0);
        assert_eq!(starts(&outcomes), [0, 60, third], "{name}");
        let completed = State::Completed;
        assert_eq!(
            ends(&outcomes),
            [(60, State::Killed), (110, completed), (third + 30, completed)],
            "{name}"
        );
    }
    let outcomes = killed("'easy'", 0);
    assert_eq!(metric(&outcomes, "jobs.completed"), Some(2.0));
    assert_eq!(metric(&outcomes, "jobs.killed"), Some(1.0));
    // waits of 0, 59 and 0 s, responses of 60, 109 and 30 s; two jobs completed in 110 s
    assert_eq!(metric(&outcomes, "wait-time.max"), Some(59.0));
    assert_eq!(metric(&outcomes, "response-time.mean"), Some(199.0 / 3.0));
    assert_eq!(metric(&outcomes, "slowdown.max"), Some(109.0 / 50.0));
    assert_eq!(metric(&outcomes, "utilization"), Some((360.0 + 400.0 + 120.0) / 1100.0));
    assert_eq!(metric(&outcomes, "throughput"), Some(7200.0 / 110.0));
    // a quarter of a minute more
    let late = killed("'easy'", 15);
    assert_eq!((starts(&late), ends(&late)[0]), (vec![0, 75, 2], (75, State::Killed)));
    // and enough for it to end by itself
    let done = killed("'easy'", 40);
    assert_eq!((starts(&done), ends(&done)[0]), (vec![0, 100, 2], (100, State::Completed)));
    assert_eq!(metric(&done, "jobs.killed"), Some(0.0));
    let never = run_shared(&all, 10, 1, policy("'easy'")).unwrap();
    assert_eq!((ends(&never), metric(&never, "jobs.killed")), (ends(&done), None));
}

#[test]
fn under_gang_scheduling_a_limit_is_of_the_service_that_a_job_gets() {
    let all = jobs(&[(0, 4, 1000, 300), (0, 4, 1000, 300), (0, 4, 1000, 1000)]);
    let outcomes = run_at(&all, 4, 3, policy(GANG[0]), kills(0)).unwrap();
    // a slice and half of another: (3 + j) × 202 + 100, j = 0 and 1; the third is alone from 1010 s
    // on
    assert_eq!(ends(&outcomes)[..2], [(706, State::Killed), (908, State::Killed)]);
    assert_eq!(ends(&outcomes)[2].1, State::Completed);
    assert_eq!(judge::shared(&rows(&outcomes), 3), []);
    let graced = run_at(&all, 4, 3, policy(GANG[0]), kills(100)).unwrap();
    assert_eq!(ends(&graced)[..2], [(806, State::Killed), (1008, State::Killed)]);
}

#[test]
fn two_jobs_and_idle_processors_draw_what_they_draw() {
    // 4 processors: 2 for 60 s (killed), 3 for 50 s after it; 60 + 50 s in all
    let all = jobs(&[(0, 2, 100, 60), (0, 3, 50, 50)]);
    let site = SiteModel { power: Some(draws(100_000, 250_500)), ..kills(0) };
    let outcomes = run_at(&all, 4, 1, policy("'fcfs'"), site).unwrap();
    assert_eq!(ends(&outcomes), [(60, State::Killed), (110, State::Completed)]);
    // 270 of 440 processor seconds are busy: × 250.5 W, and 170 × 100 W
    assert_eq!(metric(&outcomes, "energy.jobs"), Some(67_635.0));
    assert_eq!(metric(&outcomes, "energy.idle"), Some(17_000.0));
    assert_eq!(metric(&outcomes, "energy.total"), Some(84_635.0));
    let plain = run_shared(&all, 4, 1, policy("'fcfs'")).unwrap();
    assert_eq!(metric(&plain, "energy.total"), None);
}

fn any_jobs() -> impl Strategy<Value = Arc<Vec<Job>>> {
    let job = (0..40_u64, 1..=8_u32, 1..60_u64, 1..60_u64);
    prop::collection::vec(job, 1..40).prop_map(|rows| {
        let (mut at, mut all) = (0, Vec::new());
        for (gap, procs, run, estimate) in rows {
            at += gap;
            all.push((at, procs, run, estimate));
        }
        jobs(&all)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn a_schedule_with_kills_is_that_of_jobs_which_are_over_by_then(all in any_jobs(), grace in 0..20_u64) {
        let walltime = kills(grace).walltime.unwrap();
        let mut cut = (*all).clone();
        walltime.cut(&mut cut);
        let marks: Vec<bool> = cut.iter().map(|job| job.killed).collect();
        cut.iter_mut().for_each(|job| job.killed = false);
        let cut = Arc::new(cut);
        for (name, level) in SPACE.map(|name| (name, 1)).into_iter().chain([(GANG[0], 3)]) {
            let outcomes = run_at(&all, 8, level, policy(name), kills(grace)).unwrap();
            let plain = run_shared(&cut, 8, level, policy(name)).unwrap();
            let killed: Vec<bool> =
                outcomes.record.outcomes().map(|one| one.state == State::Killed).collect();
            prop_assert_eq!(&killed, &marks, "{}", name);
            prop_assert_eq!(outcomes.digest, plain.digest, "{}", name);
            for (with, without) in outcomes.record.outcomes().zip(plain.record.outcomes()) {
                prop_assert_eq!((with.start, with.end), (without.start, without.end), "{}", name);
            }
            let rows = rows(&outcomes);
            let counted = if level == 1 { judge::LimitBasis::Held } else { judge::LimitBasis::Served };
            prop_assert_eq!(judge::limit(&rows, walltime.grace, counted), [], "{}", name);
            if level == 1 {
                prop_assert_eq!(judge::schedule(&rows, 8), [], "{}", name);
            } else {
                prop_assert_eq!(judge::shared(&rows, level), []);
            }
        }
    }

    #[test]
    fn jobs_and_idle_processors_draw_the_total_exactly(
        all in any_jobs(),
        (idle, more) in (0..300_000_u64, 0..300_000_u64),
        grace in prop::option::of(0..20_u64),
    ) {
        let site = SiteModel { power: Some(draws(idle, idle + more)), ..grace.map_or_else(SiteModel::default, kills) };
        for (name, level) in SPACE.map(|name| (name, 1)).into_iter().chain([(GANG[0], 3)]) {
            let outcomes = run_at(&all, 8, level, policy(name), site).unwrap();
            let run = outcomes.run();
            let account: Account = energy::account(&run).unwrap();
            let window = run.window();
            let time = |busy: u128| busy * u128::from(idle + more)
                + (8 * u128::from(window.to.since(window.from).as_nanos()) - busy) * u128::from(idle);
            let busy = occupied(&outcomes);
            prop_assert_eq!(account.total().picojoules(), time(busy), "{}", name);
            prop_assert_eq!(account.jobs.picojoules() + account.idle.picojoules(), account.total().picojoules());
            let of_jobs = (0..all.len() as u32).map(|id| energy::of_job(&run, clustersim_language::ids::JobId(id)));
            if level == 1 {
                let sum: u128 = of_jobs.map(|energy| energy.unwrap().picojoules()).sum();
                prop_assert_eq!(sum, account.jobs.picojoules(), "{}", name);
            } else {
                prop_assert!(of_jobs.into_iter().all(|energy| energy.is_none()));
            }
            let joules = |name: &str| metric(&outcomes, name).unwrap();
            let sum = joules("energy.jobs") + joules("energy.idle");
            // they add up as numbers, to the last bit
            prop_assert_eq!(sum.to_bits(), joules("energy.total").to_bits());
        }
    }
}

/// Time in which processors had a job, each by itself [ns].
fn occupied(outcomes: &Outcomes) -> u128 {
    let rows = rows(outcomes);
    let of = |processor: u32| {
        let has = |row: &&judge::Row| row.on.iter().any(|on| on.first <= processor && processor <= on.last);
        let mut spans: Vec<_> =
            rows.iter().filter(has).map(|row| (row.start.as_nanos(), row.end.as_nanos())).collect();
        spans.sort_unstable();
        let (mut sum, mut until) = (0, 0);
        for (start, end) in spans {
            sum += u128::from(end.saturating_sub(start.max(until)));
            until = until.max(end);
        }
        sum
    };
    (0..8).map(of).sum()
}

const SCENARIO: &str = "\
title = \"Killed\"
[cluster]
procs = 4
kill-at-estimate = true
power = { idle = \"100 W\", busy = \"250.5 W\" }
[workload]
kind = \"swf\"
file = \"log.swf\"
[policy]
kind = \"fcfs\"
[record]
swf = true
";
// 2 processors for 100 s with a request of 60 s, 3 for 50 s, and one that is too large
const LOG: &str = "\
1 0 -1 100 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1
2 0 -1 50 3 -1 -1 3 50 -1 1 1 1 1 1 1 -1 -1
3 5 -1 70 9 -1 -1 9 60 -1 1 1 1 1 1 1 -1 -1
";

#[test]
fn files_tell_who_was_killed_and_what_it_drew() {
    let place = Place::new();
    place.file("scenario.toml", SCENARIO).file("log.swf", LOG);
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    for line in ["1 completed, 1 killed, 1 rejected\n", " energy       84,635 J, 17,000 J of it idle\n"] {
        assert!(output.stdout.contains(line), "{}", output.stdout);
    }
    let text = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap();
    let csv = text("jobs.csv");
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    let name = "log,rigid";
    assert_eq!(rows[0], format!("3,{name},5,9,60,0,REJECTED,,,,,,,,-1,,too-large"));
    assert_eq!(
        rows[1],
        format!("1,{name},0,2,60,0,COMPLETED_WALLTIME_REACHED,0,60,60,0,60,1,0-1,30060,,head")
    );
    assert_eq!(
        rows[2],
        format!("2,{name},0,3,50,1,COMPLETED_SUCCESSFULLY,60,50,110,60,110,2.2,0-2,37575,,head")
    );
    let summary: Json = serde_json::from_str(&text("summary.json")).unwrap();
    let value = |name: &str| summary["metrics"][name]["value"].as_f64();
    assert_eq!((value("jobs.killed"), value("energy.total")), (Some(1.0), Some(84_635.0)));
    assert!(text("scenario.resolved.toml").contains("estimate-floor = \"none\""));
    let log = text("jobs.swf");
    let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with(';')).collect();
    assert_eq!(lines[0], "1 0 0 60 2 -1 -1 2 60 -1 0 1 1 1 1 1 -1 -1");
    assert_eq!(lines[1], "2 0 60 50 3 -1 -1 3 50 -1 1 1 1 1 1 1 -1 -1");

    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    let kept = " kept         no job runs longer than it may, and one that is killed runs for just so long\n";
    assert!(checked.stdout.contains(kept), "{}", checked.stdout);
    // one that lives on, and one that is killed without need
    let spared = csv.replace("0,COMPLETED_WALLTIME_REACHED", "1,COMPLETED_SUCCESSFULLY");
    let hit = csv.replace("1,COMPLETED_SUCCESSFULLY", "0,COMPLETED_WALLTIME_REACHED");
    for (tampered, told) in [(spared, "it was not killed at its limit"), (hit, "it was killed without need")]
    {
        fs::write(place.path("out/jobs.csv"), tampered).unwrap();
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 1);
        assert!(checked.stdout.contains(told), "{}", checked.stdout);
    }
}

#[test]
fn a_study_tells_of_kills_and_energy_where_a_point_has_them() {
    let place = Place::new();
    let vary = "[[vary]]\n\"cluster.kill-at-estimate\" = [false, true]\n";
    place.file("scenario.toml", format!("{SCENARIO}{vary}")).file("log.swf", LOG);
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let results = fs::read_to_string(place.path("out/results.csv")).unwrap();
    let mut lines = results.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let killed = head.iter().position(|name| *name == "jobs.killed").expect("a column");
    let killed: Vec<&str> = lines.map(|line| line[killed]).collect();
    assert_eq!(killed, ["", "1"]);
    assert!(head.contains(&"energy.total"));
}
