//! Jobs that run inside reservations of processors, as advance reservations promise it to them.

use std::fs;
use std::sync::Arc;

use clustersim_cluster::batch::machine::{ReservationUse, Reservations};
use clustersim_cluster::instrument::{Reason, SiteModel, State};
use clustersim_cluster::judge::{self, Row};
use clustersim_jobs::workload::Job;
use clustersim_language::collections::OrderedMap;
use clustersim_language::ids::JobId;
use proptest::prelude::*;

use crate::cluster::{metric, rows};
use crate::reservations::{SPACE, any_jobs, any_reservations, known, reserved_with};
use clustersim_testing::program::Place;

const SCENARIO: &str = r#"
title = "A course"

[cluster]
procs = 8

[[cluster.reservation]]
at         = "100s"
for        = "50s"
every      = "200s"
times      = 2
processors = 4
use        = "advance"
jobs       = [2, 3, 4, 5]
users      = [7]

[workload]
kind = "swf"
file = "log.swf"
estimate-floor = "none"

[policy]
kind = "easy"
"#;

/// (number, submission, processors, run time, request, user). Outside are jobs 1 and 8 alone.
const JOBS: [(u32, u32, u32, u32, u32, u32); 8] = [
    (1, 0, 8, 90, 90, 1),
    // from 100 to 130, on three of the four processors
    (2, 10, 3, 30, 40, 1),
    // finds one processor at 100, and runs from 130 to 140
    (3, 20, 2, 10, 15, 1),
    // behind it at 100, and at 130 not over in time by its request: from 300 to 305
    (4, 30, 1, 5, 30, 1),
    // finds three processors at 300, would not be over in time at 305: rejected
    (5, 40, 4, 60, 50, 1),
    // needs more than the reservation has: rejected at once
    (6, 50, 5, 10, 10, 7),
    // from 310 on, and killed when the reservation is over
    (7, 310, 2, 100, 20, 7),
    // on the four processors beside the reservation
    (8, 100, 4, 100, 100, 1),
];

fn place(scenario: &str) -> Place {
    let mut log = "; MaxProcs: 8\n".to_owned();
    let mut all = JOBS;
    all.sort_by_key(|job| job.1);
    for (number, submit, procs, run, request, user) in all {
        log += &format!(
            "{number} {submit} -1 {run} {procs} -1 -1 {procs} {request} -1 1 {user} 1 -1 1 -1 -1 -1\n"
        );
    }
    let place = Place::new();
    place.file("scenario.toml", scenario).file("log.swf", log);
    place
}

#[test]
fn who_runs_inside_a_reservation_runs_nowhere_else() {
    let place = place(SCENARIO);
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress", "--explain", "4"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let told = "waits for reservation 1, inside which it is to run, to begin and to have enough free";
    assert!(output.stdout.contains(told), "{}", output.stdout);
    let text = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap();
    let csv = text("jobs.csv");
    let mut told: Vec<String> = csv
        .lines()
        .skip(1)
        .map(|line| {
            let cell: Vec<&str> = line.split(',').collect();
            [cell[0], cell[7], cell[8], cell[10], cell[14], cell[17]].join(" ")
        })
        .collect();
    told.sort();
    assert_eq!(
        told,
        [
            "1 COMPLETED_SUCCESSFULLY 0 90 0-7 head",
            "2 COMPLETED_SUCCESSFULLY 100 130 5-7 inside-reservation",
            "3 COMPLETED_SUCCESSFULLY 130 140 6-7 inside-reservation",
            "4 COMPLETED_SUCCESSFULLY 300 305 7 inside-reservation",
            "5 REJECTED    no-reservation",
            "6 REJECTED    no-reservation",
            "7 COMPLETED_WALLTIME_REACHED 310 350 6-7 inside-reservation",
            "8 COMPLETED_SUCCESSFULLY 100 200 0-3 head",
        ]
    );
    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    let kept = "kept         a job that is to run inside a reservation does so, and nowhere else";
    assert!(checked.stdout.contains(kept), "{}", checked.stdout);
    for (from, to, told) in [
        (",100,130,", ",95,125,", "does not take place"),
        ("5-7,", "3-5,", "has not all of 3-5"),
        (",310,350,", ",311,351,", "it continues when reservation 1 is over"),
    ] {
        let part = |text: &str| {
            // start, run time and end stand with the wait between them
            let [start, end]: [u32; 2] = text
                .trim_matches(',')
                .split(',')
                .map(|cell| cell.parse().unwrap())
                .collect::<Vec<_>>()
                .try_into()
                .unwrap();
            (start, end)
        };
        let changed = if from.starts_with(',') {
            let ((start, end), (start_to, end_to)) = (part(from), part(to));
            csv.replace(
                &format!(",{start},{},{end},", end - start),
                &format!(",{start_to},{},{end_to},", end_to - start_to),
            )
        } else {
            csv.replace(from, to)
        };
        assert_ne!(changed, csv, "{from}");
        fs::write(place.path("out/jobs.csv"), changed).unwrap();
        let checked = place.run(&["check", "out"]);
        assert!(checked.status == 1 && checked.stdout.contains(told), "{from}: {}", checked.stdout);
    }
}

/// Job 1 has waited for the course for longer than its user does, and runs in it; at 130 its node
/// fails, and it waits there again while a processor is free.
#[test]
fn one_that_is_interrupted_inside_is_cancelled_if_its_user_has_given_up() {
    let scenario = r#"
title = "A course"
[cluster]
procs = 4
[cluster.failures]
processors-per-node = 1
trace = "nodes.csv"
[[cluster.reservation]]
at = "100s"
for = "100s"
processors = 2
use = "advance"
jobs = [1, 2]
[workload]
kind = "swf"
file = "log.swf"
patience = { kind = "constant", value = "110s" }
[policy]
kind = "easy"
"#;
    let last_run = |patience: &str| {
        let place = Place::new();
        place.file("scenario.toml", scenario.replace("110s", patience));
        let line = |number, submit, run| {
            format!("{number} {submit} -1 {run} 1 -1 -1 1 {run} -1 1 1 1 1 1 1 -1 -1\n")
        };
        place.file("log.swf", format!("; MaxProcs: 4\n{}{}", line(1, 0, 50), line(2, 160, 20)));
        place.file("nodes.csv", "node,from,to\n3,130,150\n");
        let ran = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 0, "{}", checked.stdout);
        let jobs = fs::read_to_string(place.path("out/jobs.csv")).unwrap();
        let row = jobs.lines().find(|line| line.starts_with("1,")).unwrap();
        let cell: Vec<&str> = row.split(',').collect();
        [cell[7], cell[8], cell[10], cell[14]].join(" ")
    };
    assert_eq!(last_run("110s"), "CANCELLED  130 ");
    assert_eq!(last_run("1d"), "COMPLETED_SUCCESSFULLY 130 180 2");
}

/// Some of the jobs, inside those reservations that no maintenance is.
fn chosen(all: &[Job], reservations: &Reservations, every: usize) -> OrderedMap<JobId, u32> {
    let advance =
        reservations.all.iter().filter(|one| one.purpose == ReservationUse::Advance).map(|one| one.number);
    let numbers: Vec<u32> = advance.collect();
    if numbers.is_empty() {
        return OrderedMap::new();
    }
    let ids = (0..all.len()).filter(|place| place % every == 0);
    ids.map(|place| (JobId(place as u32), numbers[place / every % numbers.len()])).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn inside_and_outside_keep_to_themselves_and_jobs_all_leave(
        all in any_jobs(false),
        reservations in any_reservations(true),
        every in 1..4_usize,
    ) {
        let plan = Reservations { all: reservations.clone(), ..Reservations::NONE };
        let plan = Reservations { inside: chosen(&all, &plan, every), ..plan };
        for name in SPACE {
            let outcomes = reserved_with(&all, 8, name, plan.clone(), SiteModel::default()).unwrap();
            prop_assert!(!outcomes.stopped);
            let of = |number: u64| JobId(number as u32 - 1);
            let keys = outcomes.jobs.iter().filter_map(|job| {
                plan.inside.get(&of(job.number)).map(|&number| ((job.number, job.submit_time), number))
            });
            let known = judge::Reservations { inside: keys.collect(), ..known(&outcomes, &reservations) };
            for (id, job) in (0..).map(JobId).zip(outcomes.jobs.iter()) {
                let outcome = outcomes.record.outcome(id);
                let inside = plan.inside.contains_key(&of(job.number));
                if outcome.state == State::Rejected {
                    prop_assert!(inside && outcome.reason == Reason::NoReservation, "{} {:?}", name, job);
                } else {
                    prop_assert_eq!(inside, outcome.reason == Reason::Inside, "{} {:?}", name, job);
                }
            }
            let mut last = rows(&outcomes);
            for row in last.iter_mut().filter(|row| row.killed) {
                prop_assert!(row.run_time > row.end.since(row.start));
                row.run_time = row.end.since(row.start);
            }
            prop_assert_eq!(judge::jobs_in_reservations(&last, &known), [], "{}", name);
            prop_assert_eq!(judge::interrupted_by_maintenance(&mut last, &known), [], "{}", name);
            prop_assert_eq!(judge::each_job(&last, 8), [], "{}", name);
            let earlier = known.attempts.iter().map(|one| {
                let own = last.iter().find(|row| row.number == one.number).unwrap();
                Row { start: one.start, end: one.end, on: one.on.clone(), ..own.clone() }
            });
            let everywhere: Vec<Row> = last.iter().cloned().chain(earlier).collect();
            prop_assert_eq!(judge::no_overlap(&everywhere), [], "{}", name);
            let outside: Vec<Row> =
                everywhere.into_iter().filter(|row| !plan.inside.contains_key(&of(row.number))).collect();
            let over = last.iter().map(|row| row.end).max().unwrap_or_default();
            prop_assert_eq!(judge::exclusive(&outside, &known), [], "{}", name);
            prop_assert_eq!(judge::granted(&outside, &known, 8, over, &[]), [], "{}", name);
            prop_assert_eq!(judge::respects_reservations(&outside, &known, 8), [], "{}", name);
            let ran = last.iter().filter(|row| plan.inside.contains_key(&of(row.number))).count();
            prop_assert_eq!(metric(&outcomes, "reservations.jobs"), Some(ran as f64), "{}", name);
        }
    }

    /// To those outside it makes no difference whether anybody is inside.
    #[test]
    fn who_is_outside_does_not_notice_who_is_inside(
        all in any_jobs(false),
        reservations in any_reservations(true),
    ) {
        let plan = Reservations { all: reservations, ..Reservations::NONE };
        let inside = chosen(&all, &plan, 3);
        let others: Vec<Job> =
            (0..).zip(all.iter()).filter(|(id, _)| !inside.contains_key(&JobId(*id))).map(|(_, job)| *job).collect();
        prop_assume!(!others.is_empty());
        let others = Arc::new(others);
        for name in SPACE {
            let starts = |jobs: &Arc<Vec<Job>>, plan: Reservations| {
                let outcomes = reserved_with(jobs, 8, name, plan, SiteModel::default()).unwrap();
                let own = outcomes.jobs.iter().zip(outcomes.record.outcomes()).map(|(job, one)| (job.number, one.start));
                own.collect::<OrderedMap<_, _>>()
            };
            let with = starts(&all, Reservations { inside: inside.clone(), ..plan.clone() });
            for (number, start) in starts(&others, plan.clone()) {
                prop_assert_eq!(with[&number], start, "{} {}", name, number);
            }
        }
    }
}
