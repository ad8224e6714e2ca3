//! Numbers of small runs, by hand.

use serde_json::json;

use crate::check::Recomputation;
use crate::collections::OrderedMap;
use crate::kernel::stats::WarmUp;
use crate::kernel::{SimDuration, SimTime};
use crate::text::TextSource;
use crate::workload::{Attributes, Job};

use super::run::JobRun;
use super::*;

const HEAD: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,\
    final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,\
    consumed_energy,metadata,reason\n";

fn secs(secs: u64) -> SimDuration {
    SimDuration::from_secs(secs)
}

/// Facts of a plain run on four processors.
fn facts() -> JobFacts<'static> {
    JobFacts {
        workload: "w",
        procs: 4,
        level: 1,
        shares: false,
        leaves: false,
        stays: true,
        of_tasks: false,
        dedicates: false,
        grace: None,
        power: None,
        fails_by: None,
        checkpoint: None,
        reserved: None,
        cancels: false,
        requests: true,
        molds: false,
        resources: None,
        warm_up: WarmUpRule::Given(WarmUp::None),
        until: None,
        stopped: false,
        classes: None,
        applications: None,
        gang: None,
        named: ("t", 1),
    }
}

/// Three jobs of all four processors and 10 s, that share them in slices of 2 s after switches of 1
/// s.
fn rules() -> GangRules<'static> {
    GangRules {
        quantum: secs(2),
        switch: secs(1),
        queue: "fcfs",
        best: false,
        buddy: false,
        replicas: true,
        unification: true,
        keeps_empty: false,
        backfills: false,
        migration: None,
    }
}

fn jobs() -> Vec<Job> {
    (1..=3).map(|number| Job::new(number, SimTime::ZERO, 4, secs(10))).collect()
}

/// The row of a job of all processors, from its start and its end.
fn row(number: u64, start: u64, end: u64) -> String {
    let (held, stretch) = (end - start, end / 10);
    format!(
        "{number},w,rigid,0,4,10,1,COMPLETED_SUCCESSFULLY,{start},{held},{end},{start},{end},{stretch}.{},0-3,-1,,row\n",
        end % 10
    )
}

/// Violations by slices that end the three jobs so, and the counts of slices and switches.
fn slices(rows: [(u64, u64, u64); 3]) -> (Vec<String>, Recomputation) {
    let text = HEAD.to_owned() + &rows.map(|(number, start, end)| row(number, start, end)).concat();
    let (summary, manifest) = (json!({}), json!({}));
    let files = JobFiles {
        jobs: TextSource::Text(&text),
        attempts: None,
        outages: None,
        reservations: None,
        usage: None,
        executions: None,
        profile: None,
        log: None,
        summary: &summary,
        manifest: &manifest,
    };
    let (jobs, facts) = (jobs(), JobFacts { level: 3, shares: true, gang: Some(rules()), ..facts() });
    let attributes = Attributes::default();
    let submitted =
        Submitted { jobs: &jobs, attributes: &attributes, planned: None, held: None, followers: None };
    let (run, cells) = JobRun::read(&files, &facts, Some(&submitted), &OrderedMap::new()).expect("readable");
    assert_eq!(cells, []);
    let found = gang::replay(&run, &rules(), &submitted);
    let mut findings = Recomputation::default();
    gang::find(&found, &mut findings);
    let violations = gang::judged(&found).expect("it is gone through");
    (violations.into_iter().map(|violation| violation.to_string()).collect(), findings)
}

#[test]
fn jobs_in_turns_end_as_the_slices_make_them() {
    // five slices each: the j-th ends at 3 (3 (5 - 1) + j) + 2, as the first slice has no switch:
    // 38 - 1, and so on
    let (wrong, found) = slices([(1, 0, 38), (2, 0, 41), (3, 0, 44)]);
    assert_eq!(wrong, [""; 0]);
    let mut expected = Recomputation::default();
    [("gang.slices", 15.0), ("gang.switches", 14.0), ("gang.migrations", 0.0)]
        .into_iter()
        .for_each(|(name, count)| expected.is(name, Some(count)));
    assert_eq!(found, expected);
}

#[test]
fn a_start_a_second_late_and_an_end_elsewhere_are_found() {
    let (wrong, _) = slices([(1, 0, 38), (2, 1, 41), (3, 0, 44)]);
    assert_eq!(wrong, ["job 2 at 0 s: it finds its columns then, and starts at 1 s"]);
    let (wrong, _) = slices([(1, 0, 38), (2, 0, 41), (3, 0, 49)]);
    assert_eq!(wrong, ["job 3 at 44 s: it has had its run time in slices, and does not end"]);
}

#[test]
fn small_jobs_have_replicas_in_the_row_of_a_job_that_leaves_room() {
    // jobs of 8, 8, 4, 2, 2 and 4 processors on 8, in four rows: the two small ones run with the
    // last, too
    let rules = rules();
    let mut matrix = matrix::Matrix::new(&rules, 8, 4);
    for (job, procs) in [8, 8, 4, 2, 2, 4].into_iter().enumerate() {
        assert!(matrix.fits(procs) && matrix.insert(job, procs, None));
    }
    matrix.fill();
    let members = |matrix: &matrix::Matrix<'_>| -> Vec<Vec<usize>> {
        matrix.rows.iter().map(|row| row.members().collect()).collect()
    };
    assert_eq!(members(&matrix), [vec![0], vec![1], vec![2, 3, 4], vec![5, 3, 4]]);
    // one that needs a cell of a replica gets it, and that gives way
    assert!(matrix.insert(6, 1, None));
    assert_eq!(members(&matrix)[3], [5, 6, 4]);
    matrix.remove(0);
    matrix.compact();
    assert_eq!(members(&matrix).len(), 3);
    assert_eq!(matrix.next_row(Some(3)), Some(1));
}
