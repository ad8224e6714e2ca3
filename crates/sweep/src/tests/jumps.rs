//! Sufferage II against a slow rule in whole numbers: which task is next, among rows of completions
//! of which some have no jump.

use super::{Streams, SufferageTwo, grid, run, sweep};
use crate::model::application::TaskTime;

/// Clusters before the jump of a row, and its height: with n differences d, their sum S and that of
/// their squares Q, the first of which n d - S is 0 or more, and its square n Q - S^2 or more.
/// Without one: more clusters than there are.
fn before_and_height(row: &[u64]) -> (usize, u64) {
    let mut sorted = row.to_vec();
    sorted.sort_unstable();
    let differences: Vec<i128> = sorted.windows(2).map(|pair| i128::from(pair[1] - pair[0])).collect();
    let count = differences.len() as i128;
    let sum: i128 = differences.iter().sum();
    let squares: i128 = differences.iter().map(|difference| difference * difference).sum();
    let stands_out = |difference: &i128| {
        let above = count * difference - sum;
        above >= 0 && above * above >= count * squares - sum * sum
    };
    match differences.iter().position(stands_out) {
        Some(place) => (place + 1, differences[place] as u64),
        None => (row.len() + 1, 0),
    }
}

/// The place of the row that is next: the fewest clusters before the jump, then the greatest jump,
/// then the first.
fn next_of(rows: &[Vec<u64>]) -> usize {
    let mut best = 0;
    for place in 1..rows.len() {
        let [(before, height), (least, greatest)] =
            [place, best].map(|place| before_and_height(&rows[place]));
        if before < least || before == least && height > greatest {
            best = place;
        }
    }
    best
}

/// Of tasks with a time on each cluster, which have a host each: the host and the start of each
/// task, placed one by one.
fn planned(times: &[Vec<u64>]) -> Vec<(usize, u64)> {
    let mut free = vec![0; times[0].len()];
    let mut left: Vec<usize> = (0..times.len()).collect();
    let mut placed = vec![(0, 0); times.len()];
    while !left.is_empty() {
        let row = |task: &usize| times[*task].iter().zip(&free).map(|(time, free)| time + free).collect();
        let rows: Vec<Vec<u64>> = left.iter().map(row).collect();
        let next = next_of(&rows);
        let host = (0..free.len()).min_by_key(|host| (rows[next][*host], *host)).expect("there are hosts");
        let task = left.remove(next);
        placed[task] = (host, free[host]);
        free[host] = rows[next][host];
    }
    placed
}

/// The same by the planner.
fn planned_by_rank(times: &[Vec<u64>]) -> Vec<(usize, u64)> {
    let hosts = times[0].len();
    let mut grid = grid(&vec![(1e9, &[1.0][..]); hosts]);
    grid.hosts.iter_mut().enumerate().for_each(|(place, host)| host.architecture = place);
    let mut sweep = sweep(&[], &vec![(&[] as &[u32], 1.0, 0); times.len()]);
    for (task, times) in sweep.tasks.iter_mut().zip(times) {
        let times = times.iter().map(|time| TaskTime { real: *time as f64, estimated: *time as f64 });
        task.times = times.collect();
    }
    let outcomes = run(grid, sweep, Box::new(SufferageTwo));
    let placed = outcomes.tasks.iter().map(|task| {
        let (host, start) = (task.host.expect("it ran"), task.start.expect("it ran"));
        (host.index(), start.as_nanos() / 1_000_000_000)
    });
    placed.collect()
}

#[test]
fn a_task_without_a_jump_is_planned_after_those_with_one() {
    let times = [vec![10, 10, 20, 30], vec![20, 60, 60, 60]];
    assert_eq!(before_and_height(&times[0]), (5, 0));
    assert_eq!(before_and_height(&times[1]), (1, 40));
    assert_eq!(planned(&times), [(1, 0), (0, 0)]);
    assert_eq!(planned_by_rank(&times), [(1, 0), (0, 0)]);
    // also where the jump of the other comes last
    let late = [vec![10, 10, 20, 30], vec![9, 10, 11, 60]];
    assert_eq!((before_and_height(&late[1]), planned_by_rank(&late)), ((3, 49), vec![(1, 0), (0, 0)]));
    // of tasks without one the first in order is first
    let neither = [vec![10, 10, 20, 30], vec![20, 20, 40, 60]];
    assert_eq!(planned_by_rank(&neither), [(0, 0), (1, 0)]);
}

#[test]
fn tasks_on_four_to_six_clusters_are_planned_as_the_rule_in_whole_numbers_says() {
    let (mut without, mut ties) = (0, 0);
    for case in 0..400 {
        let mut stream = Streams::new(case, 0).stream("test");
        let clusters = 4 + stream.below(3) as usize;
        // few values make many ties
        let (step, values) = [(10, 4), (5, 12), (1, 100)][stream.below(3) as usize];
        let mut time = || step * (1 + stream.below(values));
        let times: Vec<Vec<u64>> =
            (0..7).map(|_| (0..clusters).map(|_| time()).collect::<Vec<u64>>()).collect();
        let jumps: Vec<(usize, u64)> = times.iter().map(|row| before_and_height(row)).collect();
        without += jumps.iter().filter(|(before, _)| *before > clusters).count();
        ties += usize::from((1..jumps.len()).any(|place| jumps[..place].contains(&jumps[place])));
        assert_eq!(planned_by_rank(&times), planned(&times), "case {case}: {times:?}");
    }
    assert!(without > 100 && ties > 100, "{without} rows without a jump, {ties} cases with equal tasks");
}
