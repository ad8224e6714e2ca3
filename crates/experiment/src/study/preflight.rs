//! Objections of a run before it begins, looked for at every point of a study before its
//! first run.
//!
//! Jobs are read or drawn once for all points that share them; then each point is made ready with
//! them as for a run, so that its policy, nodes and jobs are known to go together. What is wrong
//! with several points is listed once, with the first of them.

use std::io;

use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::{Registry, code};
use crate::scenario::{Loading, Point, Preflight, Rejected, Scenario, Study};
use crate::study::threads;

/// Workloads of one study that are read or drawn at most.
pub const MOST_DRAWN: usize = 100;

/// The findings at the points of a study.
#[derive(Debug, Default)]
pub struct Seen {
    /// The mistakes, in the order of the points.
    pub wrong: Vec<Rejected>,
    /// The report of each of the different workloads.
    pub workloads: Vec<Loading>,
    /// Points whose jobs were not looked at, because there are more than [`MOST_DRAWN`] workloads.
    pub left_out: u64,
}

/// The points that share their jobs, and what is wrong with them by number.
type Found = (Loading, Vec<(usize, Box<Rejected>)>);

/// Looks at every point of `study`, on `threads` threads.
///
/// # Errors
/// The threads cannot be begun.
pub fn look_at(registry: &Registry, study: &Study, threads: usize) -> io::Result<Seen> {
    let groups = by_workload(study);
    let found: Vec<Found> =
        threads::map(threads, &groups, |number, points| group(registry, study, points, number < MOST_DRAWN))?;
    let left_out = groups.iter().skip(MOST_DRAWN).map(|group| group.len() as u64).sum();
    let mut seen = Seen { left_out, ..Seen::default() };
    let mut wrong: OrderedMap<usize, Box<Rejected>> = OrderedMap::new();
    for (loading, found) in found {
        seen.workloads.push(loading);
        wrong.extend(found);
    }
    let mut known = OrderedSet::new();
    for (number, mut rejected) in wrong {
        if known.insert(rejected.to_string()) {
            place(&mut rejected, number, &study.points[number]);
            seen.wrong.push(*rejected);
        }
    }
    Ok(seen)
}

/// The numbers of the points that have the same jobs, by the first of each.
fn by_workload(study: &Study) -> Vec<Vec<usize>> {
    let (mut places, mut groups) = (OrderedMap::new(), Vec::<Vec<usize>>::new());
    for (number, point) in study.points.iter().enumerate() {
        let place =
            *places.entry(point.scenario.system.decides_input(&point.scenario)).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
        groups[place].push(number);
    }
    groups
}

/// Looks at points that share their inputs; reads or draws these if `whole`.
fn group(registry: &Registry, study: &Study, numbers: &[usize], whole: bool) -> Found {
    let scenarios: Vec<&Scenario> = numbers.iter().map(|&number| &study.points[number].scenario).collect();
    let Preflight { loading, wrong } = scenarios[0].system.preflight(registry, &scenarios, whole);
    (loading, wrong.into_iter().map(|(place, rejected)| (numbers[place], rejected)).collect())
}

/// Notes which point it is, if there are several.
fn place(rejected: &mut Rejected, number: usize, point: &Point) {
    if point.settings.is_empty() {
        return;
    }
    for complaint in rejected.complaints.iter_mut().filter(|complaint| complaint.code.id != code::FILE.id) {
        let point = format!("at point {number}: {}", point.label());
        *complaint = complaint.clone().note(point, None);
    }
}
