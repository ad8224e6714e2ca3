//! Workloads from their text to jobs, and the messages about wrong ones.

use std::io::Cursor;

use super::*;
use crate::kernel::SimDuration;
use crate::workload::swf::{Cause, Effect};

const WORKLOAD: &str = include_str!("../../../../../tests/data/batsim.json");

fn log_of(text: &str, speed: Option<f64>) -> Result<Log, Problem> {
    read(Cursor::new(text), speed, &Options::default())
}

fn counts(log: &Log) -> Vec<(&'static str, u64)> {
    log.report.tallies().map(|(cause, tally)| (cause.name(), tally.count)).collect()
}

#[test]
fn delays_are_jobs_and_the_rest_is_counted() {
    let log = log_of(WORKLOAD, None).expect("right");
    let jobs: Vec<_> = log
        .jobs
        .iter()
        .map(|job| (job.number, job.procs, job.submit_time.as_secs_f64(), job.run_time.as_secs_f64()))
        .collect();
    // the third is cut at its walltime, where Batsim kills it
    assert_eq!(jobs, [(1, 1, 0.0, 20.2), (2, 4, 1.5, 20.2), (3, 2, 2.0, 10.0)]);
    assert_eq!(log.jobs.iter().map(|job| job.killed).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(log.jobs[0].estimate, SimDuration::from_secs(30));
    let expected = [
        ("estimate-from-run-time", 1),
        ("no-job-number", 1),
        ("inexpressible", 2),
        ("no-speed", 4),
        ("cut-at-walltime", 1),
    ];
    assert_eq!(counts(&log), expected);
    assert_eq!(log.report.tally(Cause::Inexpressible).lines, [12, 13]);
    assert_eq!(log.report.jobs, log.jobs.len() as u64 + log.report.total(Effect::Dropped));
    assert_eq!(log.header.procs(), Some(8));
}

#[test]
fn a_speed_gives_computing_a_run_time() {
    let log = log_of(WORKLOAD, Some(1e9)).expect("right");
    let run_times: Vec<_> = log.jobs.iter().map(|job| (job.number, job.run_time.as_secs_f64())).collect();
    // each: 20e9; together: 20e9 over 4; listed: the slowest of two; twice: 2 × (20.2 + 30), cut at
    // 100 s
    assert_eq!(run_times[3..], [(4, 20.0), (5, 5.0), (6, 30.0), (7, 100.0)]);
    assert_eq!(log.report.tally(Cause::NoSpeed).count, 0);
}

#[test]
fn names_of_older_versions_are_known() {
    for (kind, secs) in
        [("DelayProfile", 7.0), ("msg_par_hg", 2.0), ("ptask_homogeneous", 2.0), ("msg_par_hg_tot", 1.0)]
    {
        let text = format!(
            "{{\"nb_res\": 2, \"jobs\": [{{\"id\": 1, \"subtime\": 0, \"res\": 2, \"profile\": \"p\"}}], \
             \"profiles\": {{\"p\": {{\"type\": \"{kind}\", \"delay\": 7, \"cpu\": 2e9, \"com\": 0}}}}}}"
        );
        let log = log_of(&text, Some(1e9)).expect("right");
        assert!((log.jobs[0].run_time.as_secs_f64() - secs).abs() < 1e-12, "{kind}");
    }
}

#[test]
fn jobs_beyond_the_end_of_the_clock_are_counted() {
    let with = |from: &str, to: &str| {
        assert!(WORKLOAD.contains(from), "{from}");
        log_of(&WORKLOAD.replacen(from, to, 1), None).expect("right")
    };
    for (from, to) in [
        ("\"subtime\": 0", "\"subtime\": 1e17"),
        ("{\"type\": \"delay\", \"delay\": 20.2", "{\"type\": \"delay\", \"delay\": 1e17"),
    ] {
        let log = with(from, to);
        assert_eq!(log.report.tally(Cause::BeyondClock).lines[0], if to.contains("subtime") { 5 } else { 6 });
        assert_eq!(log.report.jobs, log.jobs.len() as u64 + log.report.total(Effect::Dropped));
    }
    // a walltime ends the longest delay
    let log = with("{\"type\": \"delay\", \"delay\": 20.2", "{\"type\": \"delay\", \"delay\": 1e17");
    assert_eq!(log.jobs[0].run_time, SimDuration::from_secs(30));
}

#[test]
fn wrong_workloads_are_reported_at_their_place() {
    let found = |from: &str, to: &str| {
        assert!(WORKLOAD.contains(from), "{from}");
        let problem = log_of(&WORKLOAD.replacen(from, to, 1), None).expect_err("wrong");
        (problem.message, problem.place.map_or((0, 0), |place| (place.line, place.column)))
    };
    let at = |message: &str, line, column| (message.to_owned(), (line, column));
    assert_eq!(
        found("\"res\": 1,", "\"res\": 0,"),
        at("`res` must be a whole number from 1 on, but is 0", 5, 56)
    );
    assert_eq!(
        found("\"subtime\": 0", "\"subtime\": -1"),
        at("`subtime` must be 0 or more, but is -1", 5, 30)
    );
    assert_eq!(
        found("\"profile\": \"delay\"", "\"profile\": \"dalay\""),
        at("there is no profile `dalay`", 5, 70)
    );
    assert_eq!(found("\"res\": 1, ", ""), at("the job has no `res`", 5, 9));
    assert_eq!(found("\"type\": \"delay\", ", ""), at("the profile has no `type`", 16, 18));
    assert_eq!(
        found("\"walltime\": 30", "\"walltime\": 0"),
        at("`walltime` must be above 0 and at most 9e9, but is 0", 5, 45)
    );
    assert_eq!(found("\"jobs\":", "\"job\":"), at("the workload has no `jobs`", 1, 1));
    assert_eq!(
        found("1, \"subtime\"", "1 \"subtime\""),
        at("unexpected `\"`, `,` or `}` should stand here", 5, 18)
    );
    assert_eq!(
        found("[\"delay\", \"listed\"]", "[\"delay\", \"lost\"]").0,
        "its profile is made of one that is not there"
    );
    assert_eq!(log_of("", None).expect_err("empty").message, "the log is empty");
    let circle = WORKLOAD.replacen("[\"delay\", \"listed\"]", "[\"delay\", \"twice\"]", 1);
    assert_eq!(log_of(&circle, None).expect("right").report.tally(Cause::Inexpressible).count, 3);
    let no_jobs = "{\"jobs\": [], \"profiles\": {}}";
    assert_eq!(log_of(no_jobs, None).expect_err("none").message, "the workload holds no job");
}
