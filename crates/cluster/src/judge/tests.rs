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
        limit_of_job: false,
        holds_failed: false,
        inside: false,
        delay: SimDuration::ZERO,
        pools: None,
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
        behind: false,
        limited: false,
        in_turns: false,
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

/// A run that wrote no tables.
fn no_files<'a>(summary: &'a serde_json::Value, manifest: &'a serde_json::Value) -> JobFiles<'a> {
    JobFiles {
        jobs: TextSource::Text(""),
        attempts: None,
        outages: None,
        reservations: None,
        features: None,
        usage: None,
        matrix: None,
        executions: None,
        profile: None,
        log: None,
        summary,
        manifest,
    }
}

/// Violations by slices that end the three jobs so, and the counts of slices and switches.
fn slices(rows: [(u64, u64, u64); 3]) -> (Vec<String>, Recomputation) {
    let text = HEAD.to_owned() + &rows.map(|(number, start, end)| row(number, start, end)).concat();
    let (summary, manifest) = (json!({}), json!({}));
    let files = JobFiles { jobs: TextSource::Text(&text), ..no_files(&summary, &manifest) };
    let (jobs, facts) = (jobs(), JobFacts { level: 3, shares: true, gang: Some(rules()), ..facts() });
    let attributes = Attributes::default();
    let submitted = Submitted {
        jobs: &jobs,
        attributes: &attributes,
        planned: None,
        held: None,
        followers: None,
        for_ever: None,
    };
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

/// Faults of a `matrix.csv` of the three jobs in turns, by itself and by the slices.
fn rows_of(lines: &[&str]) -> [Vec<String>; 2] {
    let text = HEAD.to_owned()
        + &[(1, 0, 38), (2, 0, 41), (3, 0, 44)].map(|(number, start, end)| row(number, start, end)).concat();
    let (summary, manifest) = (json!({}), json!({}));
    let files = JobFiles { jobs: TextSource::Text(&text), ..no_files(&summary, &manifest) };
    let (jobs, facts) = (jobs(), JobFacts { level: 3, shares: true, gang: Some(rules()), ..facts() });
    let attributes = Attributes::default();
    let submitted = Submitted {
        jobs: &jobs,
        attributes: &attributes,
        planned: None,
        held: None,
        followers: None,
        for_ever: None,
    };
    let (run, _) = JobRun::read(&files, &facts, Some(&submitted), &OrderedMap::new()).expect("readable");
    let found = gang::replay(&run, &rules(), &submitted);
    let head = "job_id,submission_time,row,role,from,to,processors\n".to_owned();
    let stands = matrix_rows::read(&(head + &lines.concat())).expect("readable");
    let said =
        |violations: Vec<crate::check::Violation>| violations.iter().map(ToString::to_string).collect();
    let by_slices = gang::rows(&found, &stands).expect("it is gone through");
    [said(matrix_rows::by_itself(&run, &stands)), said(by_slices)]
}

/// The three jobs in turns: when the first ends at 38 its row is deleted, and so on.
const ROWS: [&str; 6] = [
    "1,0,1,own,0,38,0-3\n",
    "2,0,2,own,0,38,0-3\n",
    "3,0,3,own,0,38,0-3\n",
    "2,0,1,own,38,41,0-3\n",
    "3,0,2,own,38,41,0-3\n",
    "3,0,1,own,41,44,0-3\n",
];

#[test]
fn rows_of_the_matrix_are_those_of_the_slices() {
    assert_eq!(rows_of(&ROWS), [[""; 0], [""; 0]]);
}

#[test]
fn what_is_wrong_with_rows_of_the_matrix_is_found() {
    let with = |place: usize, line: &'static str| {
        let mut lines = ROWS;
        lines[place] = line;
        rows_of(&lines)
    };
    // two jobs in one row: each has a row of its own all the time, and they share its processors
    let [alone, slices] = with(1, "2,0,1,own,0,38,0-3\n");
    assert_eq!(alone, ["job 2 at 0 s: matrix.csv has job 1 on the same processors of row 1"]);
    assert_eq!(
        slices,
        [
            "job 2 at 0 s: matrix.csv has its own cells in row 1 on 0-3 until 38 s, which the slices do not make",
            "job 2 at 0 s: the slices make its own cells in row 2 on 0-3 until 38 s, which matrix.csv does not have",
        ]
    );
    let alone = |place, line| with(place, line)[0].clone();
    let lacks = "matrix.csv does not have it in one row of its own from its start to its end";
    // a gap, a late beginning, an early end, none at all
    assert_eq!(alone(3, "2,0,1,own,39,41,0-3\n")[1..], [format!("job 2 at 0 s: {lacks}")]);
    assert_eq!(alone(0, "1,0,1,own,1,38,0-3\n")[1..], [format!("job 1 at 0 s: {lacks}")]);
    assert_eq!(alone(5, "3,0,1,own,41,43,0-3\n"), [format!("job 3 at 0 s: {lacks}")]);
    assert_eq!(alone(0, ""), [format!("job 1 at 0 s: {lacks}")]);
    // other processors at the end, a row or a processor that is not there, no time, another job
    let elsewhere = "job 3 at 0 s: matrix.csv has it on other processors at its end than jobs.csv";
    assert_eq!(alone(5, "3,0,1,own,41,44,0-2\n"), [elsewhere]);
    assert!(alone(2, "3,0,4,own,0,38,0-3\n")[0].contains("no cells or no time: its own cells in row 4"));
    assert!(alone(2, "3,0,3,own,0,38,0-4\n")[0].contains("on 0-4 until 38 s"));
    assert!(alone(5, "3,0,1,own,41,41,0-3\n")[0].contains("no cells or no time"));
    assert!(alone(0, "9,0,1,own,0,38,0-3\n").concat().contains("the workload has no such job"));
    // replicas without such cells of its own: on other processors, longer than these, in their row
    let [alone, slices] = with(5, "3,0,1,own,41,44,0-3\n3,0,2,replica,41,44,0-2\n");
    assert_eq!(
        alone,
        ["job 3 at 41 s: it has no such cells of its own: a replica in row 2 on 0-2 until 44 s"]
    );
    assert_eq!(slices.len(), 1);
    let alone = |line| with(5, line)[0].len();
    assert_eq!(alone("3,0,1,own,41,44,0-3\n3,0,2,replica,41,45,0-3\n"), 1);
    assert_eq!(alone("3,0,1,own,41,44,0-3\n3,0,2,replica,41,44,0-3\n"), 0);
    let guest = "job_id,submission_time,row,role,from,to,processors\n1,0,1,guest,0,38,0-3\n";
    let refused = matrix_rows::read(guest).expect_err("refused");
    assert_eq!(refused, "job 1: the role `guest` in matrix.csv is none");
    // rows that stand in another order
    let mut lines = ROWS;
    lines.swap(0, 1);
    assert_eq!(
        rows_of(&lines),
        [vec!["job 1 at 0 s: its row in matrix.csv stands behind one that comes later".to_owned()], vec![]]
    );
}
