//! Beside reservations of processors: who starts is in the way of none, and of disciplines that start whatever fits nobody waits who
//! would be in the way of none.
//!
//! By the estimates, a job that starts is over before a reservation that is known begins, or leaves it what it needs: then no
//! reservation waits for a job, and none interrupts one, unless a job outlasts its estimate. A job past its estimate is taken to end
//! at once.

use std::collections::{BTreeMap, BTreeSet};

use crate::kernel::{SimDuration, SimTime};

use super::changes::{Change, changes};
use super::{Reservations, Row, Violation, Window};

/// What runs, and which reservations there are, at an instant.
struct Scene {
    /// In order of their beginnings.
    asked: Vec<Window>,
    /// Those before this one are over.
    first: usize,
    procs: u64,
    /// Estimated end and processors of each run.
    running: BTreeMap<(SimTime, usize), u32>,
}

impl Scene {
    fn new(known: &Reservations, procs: u32) -> Self {
        let mut asked = known.asked.clone();
        asked.sort_by_key(|one| one.from);
        Scene { asked, first: 0, procs: u64::from(procs), running: BTreeMap::new() }
    }

    fn take(&mut self, now: SimTime, change: Change, place: usize, row: &Row) {
        while self.asked.get(self.first).is_some_and(|one| one.to <= now) {
            self.first += 1;
        }
        let key = (row.start.saturating_add(row.estimate), place);
        match change {
            Change::Start if row.start < row.end => {
                self.running.insert(key, row.procs);
            }
            Change::End => {
                self.running.remove(&key);
            }
            Change::Start | Change::Submission | Change::Withdrawal => {}
        }
    }

    /// The number of a known reservation that would lack processors, by the estimates, where a job that needs `more` beside those that
    /// run has its own from `now` to `to`.
    fn crowded(&self, now: SimTime, to: SimTime, more: u32) -> Option<u32> {
        let live = || {
            let begins = self.asked[self.first..].iter().take_while(move |one| one.from < to);
            begins.filter(move |one| one.known <= now && one.to > now)
        };
        let met = live().find(|one| {
            let at = one.from.max(now);
            let reserved = live().filter(|other| other.from <= at && at < other.to);
            let reserved: u64 = reserved.map(|other| u64::from(other.procs)).sum();
            let held = self.running.iter().filter(|((end, _), _)| *end > at || at == now);
            let held: u64 = held.map(|(_, &procs)| u64::from(procs)).sum();
            held + reserved + u64::from(more) > self.procs
        });
        met.map(|one| one.which.0)
    }
}

/// Nobody is started who is in the way of a reservation that is known, by the estimates of all who run; rows are all runs of all jobs, each with the
/// estimate of its job.
///
/// # Complexity
/// For each start that may meet a reservation, a step for each that runs and each reservation.
pub fn leaves_room(rows: &[Row], known: &Reservations, procs: u32) -> Vec<Violation> {
    let mut scene = Scene::new(known, procs);
    let mut violations = Vec::new();
    for instant in changes(rows).chunk_by(|one, other| one.0 == other.0) {
        let now = instant[0].0;
        let started = || instant.iter().filter(|one| one.1 == Change::Start).map(|one| one.2);
        instant.iter().for_each(|&(_, change, place)| scene.take(now, change, place, &rows[place]));
        for place in started().filter(|&place| rows[place].end > now) {
            let to = now.saturating_add(rows[place].estimate.max(SimDuration::from_nanos(1)));
            if let Some(number) = scene.crowded(now, to, 0) {
                let what =
                    format!("it starts, though by the estimates it is in the way of reservation {number}");
                violations.push(Violation { job: rows[place].number, at: now, what });
            }
        }
    }
    violations
}

/// As [`nothing_fits`](super::nothing_fits) where processors are reserved: no job waits past an instant at whose end enough processors are free
/// for it, unless it is in the way of a reservation that is known; rows are all jobs of the run, none of which was interrupted.
///
/// # Complexity
/// n log n, and for each job that waits when something changes, a step for each that runs and each reservation.
pub fn nothing_fits_beside(rows: &[Row], known: &Reservations, procs: u32) -> Vec<Violation> {
    let mut scene = Scene::new(known, procs);
    let mut instants: BTreeMap<SimTime, (i64, Vec<(Change, usize)>)> = BTreeMap::new();
    for (at, change, place) in changes(rows) {
        instants.entry(at).or_default().1.push((change, place));
    }
    for piece in &known.pieces {
        instants.entry(piece.from).or_default().0 -= piece.on.count().cast_signed();
        instants.entry(piece.to).or_default().0 += piece.on.count().cast_signed();
    }
    let mut free = i64::from(procs);
    let mut waiting: BTreeSet<(u32, usize)> = BTreeSet::new();
    let mut violations = Vec::new();
    for (now, (given_back, changes)) in instants {
        free += given_back;
        for (change, place) in changes {
            let row = &rows[place];
            scene.take(now, change, place, row);
            match change {
                Change::Submission => waiting.insert((row.procs, place)),
                Change::Withdrawal | Change::Start => waiting.remove(&(row.procs, place)),
                Change::End => false,
            };
            free += match change {
                Change::Start => -i64::from(row.procs),
                Change::End => i64::from(row.procs),
                Change::Submission | Change::Withdrawal => 0,
            };
        }
        let fits = |&&(need, place): &&(u32, usize)| {
            let to = now.saturating_add(rows[place].estimate.max(SimDuration::from_nanos(1)));
            i64::from(need) <= free && scene.crowded(now, to, need).is_none()
        };
        if let Some(&(need, place)) = waiting.iter().find(fits) {
            let what = format!(
                "it waits, though it needs {need} processors, {free} are free, and it is in the way of no reservation"
            );
            violations.push(Violation { job: rows[place].number, at: now, what });
        }
    }
    violations
}

/// The runs of all jobs, those that were interrupted with the estimates of their jobs.
pub(super) fn with_estimates(rows: &[Row], known: &Reservations) -> Vec<Row> {
    let estimates: BTreeMap<(u64, SimTime), SimDuration> =
        rows.iter().map(|row| ((row.number, row.submit_time), row.estimate)).collect();
    let mut all = rows.to_vec();
    for row in known.interruptions().rows() {
        let estimate = estimates.get(&(row.number, row.submit_time)).copied().unwrap_or(row.estimate);
        all.push(Row { estimate, ..row });
    }
    all
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;

    use super::super::{Piece, row};
    use super::*;

    /// 6 processors of 8 from 50 to 90, known from the start.
    fn reserved() -> Reservations {
        let at = SimTime::from_nanos;
        let which = (1, 1);
        let asked = Window { which, from: at(50), to: at(90), known: at(0), procs: 6, interrupts: true };
        let piece = Piece { which, on: Interval::new(2, 7), from: at(50), to: at(90) };
        Reservations { asked: vec![asked], pieces: vec![piece], ..Reservations::default() }
    }

    #[test]
    fn a_job_that_is_in_the_way_by_its_estimate_is_found() {
        let known = reserved();
        let told = |start, estimate, procs: u32| {
            let estimate = SimDuration::from_nanos(estimate);
            let one = Row { estimate, ..row(2, 0, start, 1, (0, procs - 1)) };
            leaves_room(&[row(1, 0, 0, 60, (7, 7)), one], &known, 8).len()
        };
        assert_eq!([told(0, 50, 7), told(0, 51, 1), told(90, 9, 8)], [0, 0, 0]);
        // the first two start with the other job, which is in the way beside them
        assert_eq!([told(0, 51, 2), told(0, 999, 7), told(49, 2, 2), told(50, 1, 2)], [2, 2, 1, 1]);
    }

    #[test]
    fn a_job_that_waits_though_it_would_be_in_the_way_of_nothing_is_found() {
        let told = |submit, start, run, procs: u32| {
            nothing_fits_beside(&[row(1, submit, start, run, (0, procs - 1))], &reserved(), 8).len()
        };
        // over by 50, in nobody's way beside 6, after the reservation, or not at all
        assert_eq!(
            [told(0, 0, 50, 8), told(10, 10, 99, 2), told(1, 90, 50, 3), told(60, 90, 1, 3)],
            [0, 0, 0, 0]
        );
        assert_eq!(
            [told(0, 1, 49, 8), told(10, 50, 99, 2), told(1, 91, 50, 3), told(60, 91, 1, 3)],
            [1, 1, 1, 1]
        );
    }
}
