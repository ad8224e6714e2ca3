//! No processor is held by two jobs at once, or by more jobs than it takes.
//!
//! A sweep over time with the held intervals in order of their first processor. At one instant ends
//! come first: a processor may pass from hand to hand.

use super::changes::{Spread, holds};
use super::{Row, Violation, violation_of};
use crate::collections::{Interval, OrderedMap};
use crate::kernel::SimTime;

/// Every interval is free when a job takes it.
///
/// # Complexity
/// n log n in the intervals of all jobs.
pub fn no_overlap(rows: &[Row]) -> Vec<Violation> {
    let mut held = Spread::default();
    let mut violations = Vec::new();
    for (at, starts, place) in holds(rows) {
        for &interval in &rows[place].on {
            if !starts {
                held.remove_of(interval, place);
            } else if let Some(owner) = held.meets(interval) {
                let what = format!("processors {interval} are held by job {}", rows[owner].number);
                violations.push(violation_of(&rows[place], at, what));
            } else {
                held.insert(interval, place);
            }
        }
    }
    violations
}

/// The same where a processor takes up to `level` jobs at once.
///
/// # Complexity
/// n log n in the intervals of all jobs, as long as they do not cut each other up.
pub fn shared(rows: &[Row], level: u32) -> Vec<Violation> {
    // jobs on each processor from the key on, up to the next key
    let mut held: OrderedMap<u64, u32> = OrderedMap::from([(0, 0)]);
    let mut violations = Vec::new();
    for (at, starts, place) in holds(rows) {
        for interval in &rows[place].on {
            let (first, end) = (u64::from(interval.first), u64::from(interval.last) + 1);
            for cut in [first, end] {
                let below = held.range(..=cut).next_back().map_or(0, |(_, &jobs)| jobs);
                held.insert(cut, below);
            }
            let mut most = 0;
            for (_, jobs) in held.range_mut(first..end) {
                *jobs = if starts { *jobs + 1 } else { *jobs - 1 };
                most = most.max(*jobs);
            }
            if starts && most > level {
                let what =
                    format!("there are {most} jobs on processors among {interval}, which take {level} each");
                violations.push(violation_of(&rows[place], at, what));
            }
            for cut in [end, first] {
                let below = held.range(..cut).next_back().map(|(_, &jobs)| jobs);
                if below.is_some() && below == held.get(&cut).copied() {
                    held.remove(&cut);
                }
            }
        }
    }
    violations
}

/// Processors with a job over time, where they take several: rows of no job that follow each other,
/// each on as many processors as have one meanwhile.
///
/// # Complexity
/// As [`shared`].
pub(super) fn in_use(rows: &[Row]) -> Vec<Row> {
    let mut held: OrderedMap<u64, u32> = OrderedMap::from([(0, 0)]);
    let (mut since, mut busy, mut spans) = (SimTime::ZERO, 0_u32, Vec::new());
    for instant in holds(rows).chunk_by(|one, other| one.0 == other.0) {
        let (at, before) = (instant[0].0, busy);
        for &(_, starts, place) in instant {
            for interval in &rows[place].on {
                let (first, end) = (u64::from(interval.first), u64::from(interval.last) + 1);
                for cut in [first, end] {
                    let below = held.range(..=cut).next_back().map_or(0, |(_, &jobs)| jobs);
                    held.insert(cut, below);
                }
                let ends: Vec<u64> = held.range(first + 1..=end).map(|(&cut, _)| cut).collect();
                for ((cut, jobs), end) in held.range_mut(first..end).zip(ends) {
                    let width = (end - cut) as u32;
                    if starts {
                        busy += if *jobs == 0 { width } else { 0 };
                        *jobs += 1;
                    } else {
                        *jobs -= 1;
                        busy -= if *jobs == 0 { width } else { 0 };
                    }
                }
            }
        }
        if busy != before {
            let on = before.checked_sub(1).map(|last| Interval::new(0, last));
            spans.extend(on.map(|on| Row { start: since, end: at, on: vec![on], ..Row::default() }));
            since = at;
        }
    }
    spans
}

/// Violations if jobs move, and a schedule shows only their last processors: at no time do jobs
/// hold more than `level` times the `procs` processors.
///
/// # Complexity
/// n log n in the jobs.
pub fn crowded(rows: &[Row], procs: u32, level: u32) -> Vec<Violation> {
    let slots = u64::from(procs) * u64::from(level);
    let mut held = 0;
    let mut violations = Vec::new();
    for (at, starts, place) in holds(rows) {
        let count: u64 = rows[place].held();
        if !starts {
            held -= count;
            continue;
        }
        held += count;
        if held > slots {
            let what = format!("jobs hold {held} places of {slots}");
            violations.push(violation_of(&rows[place], at, what));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;

    #[test]
    fn a_processor_takes_as_many_jobs_as_its_level() {
        let rows = [
            row(1, 0, 0, 10, (0, 7)),
            row(2, 0, 5, 10, (4, 9)),
            row(3, 0, 6, 3, (0, 3)),
            row(4, 0, 10, 1, (5, 6)),
        ];
        assert_eq!(shared(&rows, 2), []);
        let crowded = shared(&[&rows[..], &[row(5, 0, 9, 2, (7, 8))]].concat(), 2);
        assert_eq!(crowded.len(), 1);
        assert_eq!(
            crowded[0].to_string(),
            "job 5 at 0.000000009 s: there are 3 jobs on processors among 7-8, which take 2 each"
        );
        assert_eq!(shared(&rows[..1], 1), []);
        assert_eq!(shared(&rows[..2], 1).len(), 1);
    }

    #[test]
    fn where_jobs_move_places_are_counted() {
        let rows = [row(1, 0, 0, 10, (0, 7)), row(2, 0, 5, 10, (0, 7)), row(3, 0, 10, 3, (0, 3))];
        assert_eq!(crowded(&rows, 8, 2), []);
        let violations = crowded(&[&rows[..], &[row(4, 0, 12, 3, (0, 4))]].concat(), 8, 2);
        assert_eq!(violations.len(), 1);
        assert_eq!(violations[0].to_string(), "job 4 at 0.000000012 s: jobs hold 17 places of 16");
    }

    #[test]
    fn processors_in_use_count_once_for_all_jobs() {
        let rows = [row(1, 0, 0, 10, (0, 3)), row(2, 0, 5, 10, (2, 5)), row(3, 0, 15, 5, (5, 5))];
        let spans: Vec<(u64, u64, u64)> =
            in_use(&rows).iter().map(|one| (one.start.as_nanos(), one.end.as_nanos(), one.held())).collect();
        assert_eq!(spans, [(0, 5, 4), (5, 10, 6), (10, 15, 4), (15, 20, 1)]);
    }

    #[test]
    fn a_processor_may_change_hands_but_not_be_shared() {
        let first = row(1, 0, 0, 10, (0, 7));
        assert_eq!(no_overlap(&[first.clone(), row(2, 0, 10, 5, (4, 5))]), []);
        let shared = no_overlap(&[first, row(2, 0, 9, 5, (4, 5)), row(3, 0, 9, 5, (7, 9))]);
        assert_eq!(shared.len(), 2);
        assert_eq!(shared[0].to_string(), "job 2 at 0.000000009 s: processors 4-5 are held by job 1");
    }
}
