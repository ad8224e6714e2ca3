//! Figures of groups of jobs: the mean wait by size and run time, and the mean bounded slowdown of each user.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::instrument::metrics::BOUND;
use crate::report::html::curve::rounded;
use crate::system::cluster::page::rows::Row;
use crate::workload::UNKNOWN_ID;

const NANOS_PER_SEC: f64 = 1e9;

/// Upper ends of the classes of run time [s] and what they are called; one more is open.
const TIMES: [(u64, &str); 8] = [
    (10, "below 10 s"),
    (60, "10 s to 1 min"),
    (600, "1 to 10 min"),
    (3_600, "10 min to 1 h"),
    (14_400, "1 to 4 h"),
    (43_200, "4 to 12 h"),
    (86_400, "12 h to 1 d"),
    (604_800, "1 to 7 d"),
];
const LONGEST: &str = "7 d and more";

/// Mean wait [s] and number of jobs by size (powers of two) and run time; only classes that hold a job are there.
pub(super) fn heat<'a>(jobs: impl Iterator<Item = &'a Row>) -> Json {
    let mut cells: BTreeMap<(u32, usize), (u128, u64)> = BTreeMap::new();
    for job in jobs {
        let run = (job.end - job.start) / 1_000_000_000;
        let time = TIMES.iter().position(|&(end, _)| run < end).unwrap_or(TIMES.len());
        let size = job.procs.max(1).next_power_of_two().trailing_zeros();
        let cell = cells.entry((size, time)).or_default();
        cell.0 += u128::from(job.start - job.submit);
        cell.1 += 1;
    }
    let mut sizes: Vec<u32> = cells.keys().map(|&(size, _)| size).collect();
    sizes.dedup();
    let mut times: Vec<usize> = cells.keys().map(|&(_, time)| time).collect();
    times.sort_unstable();
    times.dedup();
    let row = |&time: &usize| -> Vec<Json> {
        let cell = |&size: &u32| match cells.get(&(size, time)) {
            Some(&(wait, count)) => json!([rounded(wait as f64 / count as f64 / NANOS_PER_SEC), count]),
            None => Json::Null,
        };
        sizes.iter().map(cell).collect()
    };
    let labels: Vec<String> = sizes.iter().map(|&size| size_label(size)).collect();
    let names: Vec<&str> =
        times.iter().map(|&time| TIMES.get(time).map_or(LONGEST, |(_, name)| name)).collect();
    json!({ "sizes": labels, "times": names, "cells": times.iter().map(row).collect::<Vec<_>>() })
}

/// The class of sizes up to two to this power.
fn size_label(power: u32) -> String {
    match power {
        0 => "1".to_owned(),
        1 => "2".to_owned(),
        power => format!("{}\u{2013}{}", (1_u64 << (power - 1)) + 1, 1_u64 << power),
    }
}

/// Of each user the jobs and their mean bounded slowdown, by number of jobs; `None` if no user is known.
pub(super) fn users<'a>(jobs: impl Iterator<Item = &'a Row>) -> Option<Json> {
    let mut users: BTreeMap<u32, (u64, f64)> = BTreeMap::new();
    for job in jobs.filter(|job| job.user != UNKNOWN_ID) {
        let user = users.entry(job.user).or_default();
        user.0 += 1;
        user.1 += bounded_slowdown(job);
    }
    let mut list: Vec<(u32, u64, f64)> =
        users.into_iter().map(|(user, (jobs, sum))| (user, jobs, sum / jobs as f64)).collect();
    list.sort_by_key(|&(user, jobs, _)| (std::cmp::Reverse(jobs), user));
    let rows: Vec<Json> = list.iter().map(|&(user, jobs, mean)| json!([user, jobs, rounded(mean)])).collect();
    (!rows.is_empty()).then(|| json!(rows))
}

/// As the metric of that name: max(1, response time / max(run time, 10 s)).
pub(super) fn bounded_slowdown(job: &Row) -> f64 {
    let run = job.dedicated.unwrap_or(job.end - job.start).max(BOUND.as_nanos());
    ((job.end - job.submit) as f64 / run as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEC: u64 = 1_000_000_000;

    fn job(procs: u32, wait: u64, run: u64, user: u32) -> Row {
        Row { procs, submit: 0, start: wait * SEC, end: (wait + run) * SEC, user, ..Row::default() }
    }

    #[test]
    fn a_cell_is_the_mean_of_its_jobs() {
        let jobs = [
            job(1, 10, 5, 0),
            job(3, 10, 59, 0),
            job(4, 30, 60, 0),
            job(3, 50, 700_000, 0),
            job(4, 20, 20, 0),
        ];
        let heat = heat(jobs.iter());
        assert_eq!(heat["sizes"], json!(["1", "3\u{2013}4"]));
        assert_eq!(heat["times"], json!(["below 10 s", "10 s to 1 min", "1 to 10 min", "7 d and more"]));
        let cells = json!([[[10, 1], null], [null, [15, 2]], [null, [30, 1]], [null, [50, 1]]]);
        assert_eq!(heat["cells"], cells);
    }

    #[test]
    fn users_stand_by_number_of_jobs_and_unknown_ones_nowhere() {
        let jobs = [job(1, 10, 10, 7), job(1, 0, 10, 7), job(1, 30, 1, 3), job(1, 0, 1, UNKNOWN_ID)];
        assert_eq!(users(jobs.iter()), Some(json!([[7, 2, 1.5], [3, 1, 3.1]])));
        assert_eq!(users(jobs[3..].iter()), None);
    }
}
