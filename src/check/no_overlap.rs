//! No processor is held by two jobs at once.
//!
//! A sweep over time with the held intervals in order of their first processor. At one instant ends come first: a
//! processor may pass from hand to hand.

use std::collections::BTreeMap;

use crate::kernel::SimTime;

use super::{Row, Violation};

/// Every interval is free when a job takes it.
///
/// # Complexity
/// n log n in the intervals of all jobs.
pub fn no_overlap(rows: &[Row]) -> Vec<Violation> {
    // (instant, start or end, row): ends sort before starts
    let mut changes: Vec<(SimTime, bool, usize)> = Vec::with_capacity(rows.len() * 2);
    for (place, row) in rows.iter().enumerate() {
        if row.start < row.end {
            changes.push((row.start, true, place));
            changes.push((row.end, false, place));
        }
    }
    changes.sort_unstable();
    let mut held: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
    let mut violations = Vec::new();
    for (at, starts, place) in changes {
        for interval in &rows[place].on {
            if !starts {
                if held.get(&interval.first).is_some_and(|&(_, owner)| owner == place) {
                    held.remove(&interval.first);
                }
                continue;
            }
            let below = held.range(..=interval.last).next_back();
            match below {
                Some((_, &(last, owner))) if last >= interval.first => violations.push(Violation {
                    job: rows[place].number,
                    at,
                    what: format!("processors {interval} are held by job {}", rows[owner].number),
                }),
                _ => {
                    held.insert(interval.first, (interval.last, place));
                }
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;

    #[test]
    fn a_processor_may_change_hands_but_not_be_shared() {
        let first = row(1, 0, 0, 10, (0, 7));
        assert_eq!(no_overlap(&[first.clone(), row(2, 0, 10, 5, (4, 5))]), []);
        let shared = no_overlap(&[first, row(2, 0, 9, 5, (4, 5)), row(3, 0, 9, 5, (7, 9))]);
        assert_eq!(shared.len(), 2);
        assert_eq!(shared[0].to_string(), "job 2 at 0.000000009 s: processors 4-5 are held by job 1");
    }
}
