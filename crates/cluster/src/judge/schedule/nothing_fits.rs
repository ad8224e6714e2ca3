//! Nothing fits: under a discipline that starts whatever fits, no job that fits waits.

use super::changes::State;
use super::pool_lines::PoolLines;
use super::supply::{Event, Outlook, events, instants};
use super::{Order, Row, Supply, Violation, violation_of};

/// As [`nothing_fits_on`], on `procs` processors that are always there.
pub fn nothing_fits(rows: &[Row], procs: u32) -> Vec<Violation> {
    nothing_fits_on(rows, procs.into())
}

/// No job waits past an instant at whose end enough processors are free for it, unless by the
/// estimates it delays a reservation that is known; rows are all runs of all jobs.
///
/// # Complexity
/// n log n; where processors are reserved, for each instant a search for each job that waits.
pub fn nothing_fits_on(rows: &[Row], supply: Supply<'_>) -> Vec<Violation> {
    // smaller jobs first
    let (mut state, mut outlook) = (State::new(rows, Order::Fewest), Outlook::new(supply));
    let (mut pools, mut violations) = (PoolLines::new(supply.pools), Vec::new());
    for (now, instant) in instants(&events(rows, &supply)) {
        for &(_, event) in instant {
            match event {
                Event::Machine(change, index) => drop(outlook.take(now, change, index)),
                Event::Job(change, index) => {
                    state.take(change, index);
                    outlook.job(now, change, &rows[index]);
                    pools.job(now, change, &rows[index]);
                }
            }
        }
        outlook.timeline.advance(now);
        pools.advance(now);
        let waiting = state.waiting.iter().map(|stand| &rows[stand.row]);
        let mut few_enough = waiting.take_while(|row| i64::from(row.procs) <= outlook.free);
        if let Some(row) = few_enough.find(|row| pools.fits(row) && outlook.fits(now, row)) {
            violations.push(violation_of(row, now, waits(row, &outlook, &supply)));
        }
    }
    violations
}

fn waits(row: &Row, outlook: &Outlook<'_>, supply: &Supply<'_>) -> String {
    let (need, free) = (row.procs, outlook.free);
    if supply.requested.is_empty() {
        return format!("it waits, though it needs {need} processors and {free} are free");
    }
    format!("it waits, though it needs {need} processors, {free} are free, and it delays no reservation")
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::kernel::SimTime;

    use super::super::{Away, row, six_of_eight};
    use super::*;

    #[test]
    fn a_job_that_waits_though_it_would_obstruct_nothing_is_found() {
        let found = |submit, start, run, procs: u32| {
            nothing_fits_on(
                &[row(1, submit, start, run, (0, procs - 1))],
                Supply::reserved(8, &six_of_eight()),
            )
            .len()
        };
        // over by 50, delays none with 6, after the reservation, or not at all
        assert_eq!(
            [found(0, 0, 50, 8), found(10, 10, 99, 2), found(1, 90, 50, 3), found(60, 90, 1, 3)],
            [0, 0, 0, 0]
        );
        assert_eq!(
            [found(0, 1, 49, 8), found(10, 50, 99, 2), found(1, 91, 50, 3), found(60, 91, 1, 3)],
            [1, 1, 1, 1]
        );
    }

    #[test]
    fn a_job_that_could_have_started_is_found() {
        let rows = [row(1, 0, 0, 10, (0, 5)), row(2, 1, 10, 5, (0, 4)), row(3, 2, 2, 3, (6, 7))];
        assert_eq!(nothing_fits(&rows, 10), []);
        let late = [row(1, 0, 0, 10, (0, 5)), row(2, 1, 10, 5, (0, 4)), row(3, 2, 4, 3, (6, 7))];
        let found = nothing_fits(&late, 10);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].to_string(),
            "job 3 at 0.000000002 s: it waits, though it needs 2 processors and 4 are free"
        );
    }

    #[test]
    fn processors_out_of_service_do_not_count_and_count_again_when_they_are_back() {
        let at = SimTime::from_nanos;
        let away = [Away { on: Interval::new(0, 3), from: at(5), to: at(30) }];
        let found = |start| nothing_fits_on(&[row(1, 10, start, 9, (0, 5))], Supply::failing(8, &away)).len();
        assert_eq!([found(30), found(31)], [0, 1]);
    }
}
