//! The rows of the matrix in which jobs stood, by hand and as a property.

use clustersim_cluster::batch::record::MatrixSpan;
use clustersim_cluster::policy::Outcomes;
use clustersim_kernel::SimTime;
use proptest::prelude::*;

use super::reference::Stand;
use super::{asked, config, ends_in_secs, exact, jobs, rules, run};

/// The spans in which jobs had cells, as the reference has them.
pub(super) fn stands(outcomes: &Outcomes) -> Vec<Stand> {
    let spans = outcomes.record.matrix().expect("a run in slices has a matrix").in_order();
    let stand = |span: &MatrixSpan| {
        let columns = span.columns.iter().flat_map(|part| part.first..=part.last).collect();
        let [from, to] = [span.from, span.to].map(SimTime::as_nanos);
        (from, span.standing.row, columns, span.job.index(), span.standing.replica, to)
    };
    let mut all: Vec<Stand> = spans.into_iter().map(stand).collect();
    all.sort();
    all
}

/// The same in words, in seconds, jobs by number from 0.
fn described(outcomes: &Outcomes) -> Vec<String> {
    let describe = |(from, row, columns, job, replica, to): Stand| {
        let (first, last) = (columns[0], columns[columns.len() - 1]);
        let second = 1_000_000_000;
        let role = if replica { "replica " } else { "" };
        format!("{}-{} row {row}: {role}{job} on {first}-{last}", from / second, to / second)
    };
    stands(outcomes).into_iter().map(describe).collect()
}

/// Slices of 10 s: when job 0 ends, all rows move up a place, and job 5, which waited, gets a new
/// one.
#[test]
fn rows_that_lose_their_jobs_leave_their_places_to_those_behind() {
    let six = exact(&[(0, 4, 10), (0, 4, 15), (0, 2, 20), (0, 3, 10), (5, 2, 10), (5, 4, 10)]);
    let policy = "{ kind = 'gang', quantum = '10s', switch = '0s', replicas = false }";
    let outcomes = run(&six, 4, 4, policy);
    assert_eq!(ends_in_secs(&outcomes), [10, 55, 70, 40, 30, 50]);
    assert_eq!(
        described(&outcomes),
        [
            "0-10 row 1: 0 on 0-3",
            "0-10 row 2: 1 on 0-3",
            "0-10 row 3: 2 on 0-1",
            "0-10 row 4: 3 on 0-2",
            "5-10 row 3: 4 on 2-3",
            "10-55 row 1: 1 on 0-3",
            "10-60 row 2: 2 on 0-1",
            "10-30 row 2: 4 on 2-3",
            "10-40 row 3: 3 on 0-2",
            "10-40 row 4: 5 on 0-3",
            "40-50 row 3: 5 on 0-3",
            // job 1 ends within its slice, whose row is there until that is over
            "60-70 row 1: 2 on 0-1",
        ]
    );
}

/// Experiment B4, the figure of six jobs, with run times of 20 s in slices of 10 s: the two small
/// jobs run with the last one, too.
#[test]
fn the_figure_of_six_jobs_has_replicas_in_the_last_row() {
    let figure = exact(&[8, 8, 4, 2, 2, 4].map(|tasks| (0, tasks, 20)));
    let outcomes = run(&figure, 8, 4, "{ kind = 'gang', quantum = '10s', switch = '0s' }");
    assert_eq!(
        described(&outcomes),
        [
            "0-50 row 1: 0 on 0-7",
            "0-50 row 2: 1 on 0-7",
            "0-50 row 3: 2 on 0-3",
            "0-40 row 3: 3 on 4-5",
            "0-40 row 3: 4 on 6-7",
            "0-50 row 4: 5 on 0-3",
            "0-40 row 4: replica 3 on 4-5",
            "0-40 row 4: replica 4 on 6-7",
            "50-60 row 1: 1 on 0-7",
            "50-60 row 2: 2 on 0-3",
            "50-60 row 3: 5 on 0-3",
            "60-70 row 1: 2 on 0-3",
            "60-70 row 2: 5 on 0-3",
            "70-80 row 1: 5 on 0-3",
        ]
    );
}

/// As in the test of what a migration costs: job 2 moves to the columns that job 1 has left.
#[test]
fn who_migrates_stands_on_other_processors() {
    let three = exact(&[(0, 2, 300), (0, 2, 100), (0, 2, 300)]);
    let outcomes = run(&three, 4, 2, "{ kind = 'mgs', quantum = '100s', switch = '0s', replicas = false }");
    assert_eq!(
        described(&outcomes),
        [
            "0-300 row 1: 0 on 0-1",
            "0-100 row 1: 1 on 2-3",
            "0-100 row 2: 2 on 0-1",
            "100-410 row 1: 2 on 2-3",
        ]
    );
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn no_processor_of_a_row_has_two_jobs_and_each_job_has_one_row_of_its_own(
        asked in asked(11),
        rules in rules(),
    ) {
        let outcomes = run(&jobs(&asked), 11, rules.level as u32, &rules.policy());
        let all = stands(&outcomes);
        for (place, one) in all.iter().enumerate() {
            prop_assert!(one.0 < one.5 && (1..=rules.level as u32).contains(&one.1));
            for other in &all[place + 1..] {
                let at_once = one.0 < other.5 && other.0 < one.5;
                let meets = one.2.iter().any(|column| other.2.contains(column));
                prop_assert!(!(at_once && meets && one.1 == other.1), "{one:?} and {other:?}");
                let are_own = !one.4 && !other.4;
                prop_assert!(!(at_once && are_own && one.3 == other.3), "{one:?} and {other:?}");
            }
        }
        for (job, outcome) in outcomes.record.outcomes().enumerate() {
            let own = || all.iter().filter(|one| one.3 == job && !one.4);
            let lasted: u64 = own().map(|one| one.5 - one.0).sum();
            prop_assert_eq!(lasted, outcome.end.since(outcome.start).as_nanos());
            prop_assert!(own().all(|one| one.2.len() == asked[job].1));
        }
    }
}
