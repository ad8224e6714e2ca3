//! Reservations of processors: they had what they asked for, in time or late for a reason, and no
//! job was on it.
//!
//! What reservations asked for is known from the scenario, what they had from `reservations.csv`.
//! At one instant jobs end and reservations end, then reservations take processors, then jobs
//! start.

use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::{SimDuration, SimTime};
use crate::output::RowFile;
use crate::rows::ReservationRow;

use super::interruptions::{Conflict, Span, adds_up, conflicts};
use super::{
    Attempt, Away, Interruptions, NodeReservations, Piece, RequestedReservation, Row, Violation, Without,
    violation_of,
};

/// Facts about the reservations of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reservations {
    /// As they were asked for.
    pub requested: Vec<RequestedReservation>,
    /// The processors that they had.
    pub pieces: Vec<Piece>,
    /// The runs of jobs that were interrupted.
    pub attempts: Vec<Attempt>,
    /// The jobs that are to run inside reservations, by number and submission, and the number of
    /// each one's.
    pub inside: OrderedMap<(u64, SimTime), u32>,
    /// Time after an interruption before which a job outside does not start again.
    pub delay: SimDuration,
    /// True if interrupted jobs stand behind all others that came before they were interrupted.
    pub behind: bool,
    /// Nodes of each, where it is nodes that are reserved.
    pub nodes: Option<NodeReservations>,
    /// True if there are such jobs, and which are not known.
    pub jobs_unknown: bool,
    /// The amounts of pools that they hold, by their numbers and the names of the pools.
    pub amounts: OrderedMap<u32, Vec<(String, u32)>>,
    /// Numbers of the jobs that ask for more of pools than the reservation holds inside which they
    /// are to run.
    pub beyond_share: OrderedSet<u64>,
}

impl Reservations {
    /// Reads the texts of an `attempts.csv` and a `reservations.csv`; what was requested is not in
    /// them.
    ///
    /// # Errors
    /// Which line of which of them cannot be read.
    pub fn read(attempts: &str, reservations: &str) -> Result<Self, String> {
        let attempts = Attempt::all(attempts)?;
        let piece = |row: ReservationRow| Piece {
            which: (row.reservation, row.occurrence),
            on: row.processors,
            from: row.from,
            to: row.to.unwrap_or(SimTime::MAX),
        };
        let rows = RowFile::<ReservationRow>::new(reservations)?.all()?;
        let pieces = rows.into_iter().map(piece).collect();
        Ok(Reservations { pieces, attempts, ..Reservations::default() })
    }

    /// The interrupted runs, and the processors that were taken when maintenance began: by it, or
    /// by reservations that lacked some before, which come first.
    pub(super) fn interruptions(&self) -> Interruptions {
        let maintenance = self.requested.iter().filter(|one| one.interrupts);
        let begins: OrderedSet<SimTime> = maintenance.map(|one| one.from).collect();
        let away = self.pieces.iter().filter(|piece| begins.contains(&piece.from));
        let away = away.map(|piece| Away { on: piece.on, from: piece.from, to: piece.to }).collect();
        let (attempts, delay, behind) = (self.attempts.clone(), self.delay, self.behind);
        Interruptions { attempts, away, delay, behind, ..Interruptions::default() }
    }

    /// Processors that reservations do without as they failed in these spans: maintenance up to
    /// their return.
    pub fn without(&self, away: &[Away]) -> Vec<Without> {
        let shrinking = self.requested.iter().enumerate().filter(|(_, one)| one.shrinks);
        let places: OrderedMap<(u32, u32), usize> =
            shrinking.map(|(place, one)| (one.which, place)).collect();
        let mut failures: OrderedMap<SimTime, Vec<&Away>> = OrderedMap::new();
        away.iter().for_each(|one| failures.entry(one.from).or_default().push(one));
        let of_piece = |piece: &Piece| {
            let place = *places.get(&piece.which)?;
            let asked = &self.requested[place];
            let had = |one: &&&Away| one.on.first <= piece.on.first && piece.on.last <= one.on.last;
            let lost = failures.get(&piece.to)?.iter().find(had)?;
            let to = if asked.interrupts { lost.to.min(asked.to) } else { asked.to };
            let procs = u32::try_from(piece.on.count()).unwrap_or(u32::MAX);
            (piece.to < to).then_some(Without { place, procs, from: piece.to, to })
        };
        self.pieces.iter().filter_map(of_piece).collect()
    }
}

impl Interruptions {
    /// Causes of interruptions where nodes fail and processors are reserved.
    pub(super) fn with_maintenance(&self, reserved: &Reservations) -> Interruptions {
        let away = [&self.away[..], &reserved.interruptions().away].concat();
        Interruptions { away, undelayed: reserved.inside.keys().copied().collect(), ..self.clone() }
    }
}

/// A job is interrupted only when a node of it fails or maintenance begins that takes processors of
/// it, and then does again what it has not kept.
pub(super) fn interrupted_by_either(rows: &mut [Row], known: &Interruptions) -> Vec<Violation> {
    adds_up(rows, known, "no node of it fails, and no maintenance begins that takes processors of it")
}

/// A job is interrupted only when maintenance begins that takes processors of it, and then begins
/// again; as [`work_adds_up`](super::work_adds_up) where nodes fail.
pub fn interrupted_by_maintenance(rows: &mut [Row], known: &Reservations) -> Vec<Violation> {
    interrupted_by_reservations(rows, &known.interruptions())
}

/// The same by what is known of interruptions.
pub(super) fn interrupted_by_reservations(rows: &mut [Row], known: &Interruptions) -> Vec<Violation> {
    adds_up(rows, known, "no maintenance begins that takes processors of it")
}

/// No processor of a reservation has a job, or another reservation; rows are all runs of all jobs.
///
/// # Complexity
/// n log n in the intervals of all runs and reservations.
pub fn exclusive(rows: &[Row], known: &Reservations) -> Vec<Violation> {
    let spans: Vec<Span> = known.pieces.iter().map(|piece| (piece.on, piece.from, piece.to)).collect();
    let number = |piece: usize| known.pieces[piece].which.0;
    let mut violations = Vec::new();
    conflicts(rows, &spans, |at, on, conflict| {
        let (row, how, piece) = match conflict {
            Conflict::Stays(row, piece) => (row, "stays", piece),
            Conflict::Starts(row, piece) => (row, "starts", piece),
            Conflict::Spans(one, other) => {
                let (one, other) = (number(one), number(other));
                let what = format!("reservations {one} and {other} both have processors among {on}");
                return violations.push(Violation::of_no_job(at, what));
            }
        };
        let what = format!("it {how} on processors among {on}, which reservation {} has", number(piece));
        violations.push(violation_of(&rows[row], at, what));
    });
    violations
}

/// Each reservation that begins before `over`, the end of the run, has what it asked for:
/// maintenance at once, others as soon as processors are free, and all to their ends. Rows are all
/// runs of all jobs on a machine of `procs` processors, of which those of `away` are out of
/// service. What fails is replaced when others are free, or the reservation does without; then what
/// some maintenance lacks at its beginning is not there.
///
/// # Complexity
/// n log n in runs and reservations, and a look at all outages for each piece that ends early.
pub fn granted(
    rows: &[Row],
    known: &Reservations,
    procs: u32,
    over: SimTime,
    away: &[Away],
) -> Vec<Violation> {
    let mut had: OrderedMap<(u32, u32), Vec<&Piece>> = OrderedMap::new();
    for piece in &known.pieces {
        had.entry(piece.which).or_default().push(piece);
    }
    let mut violations = Vec::new();
    let mut broken = |at, what| violations.push(Violation::of_no_job(at, what));
    // (when, in the order of an instant, change of free processors, change of processors that are
    // lacked)
    let mut changes: Vec<(SimTime, i64, i64)> = Vec::new();
    for asked in &known.requested {
        let number = asked.which.0;
        let pieces = had.remove(&asked.which).unwrap_or_default();
        // one that begins exactly when all is over may have its processors, or not any more
        if asked.from >= over {
            continue;
        }
        let mut lacks = i64::from(asked.procs);
        changes.push((asked.from, 0, lacks));
        for piece in pieces {
            let count = piece.on.count().cast_signed();
            let fails = |one: &&Away| {
                one.from == piece.to && one.on.first <= piece.on.first && piece.on.last <= one.on.last
            };
            let lost = away.iter().find(fails).filter(|_| piece.to < asked.to);
            let ends = if asked.to <= over { piece.to == asked.to } else { piece.to >= over };
            if let Some(lost) = lost {
                // it goes out of service, so that nothing becomes free
                changes.extend([(piece.from, -count, -count), (piece.to, count, 0)]);
                lacks -= count;
                let again = match (asked.shrinks, asked.interrupts) {
                    (false, _) => Some(piece.to),
                    (true, true) => Some(lost.to).filter(|&back| back < asked.to),
                    (true, false) => None,
                };
                if let Some(again) = again {
                    changes.push((again, 0, count));
                    lacks += count;
                }
                continue;
            }
            if !ends || piece.from < asked.from || piece.from >= asked.to {
                broken(piece.from, format!("reservation {number} has processors out of its time"));
            }
            if asked.interrupts && piece.from != asked.from && away.is_empty() {
                broken(piece.from, format!("reservation {number} has processors later than it begins"));
            }
            lacks -= count;
            changes.extend([(piece.from, -count, -count), (asked.to, count, 0)]);
        }
        if lacks < 0 || (asked.interrupts && lacks > 0 && away.is_empty()) {
            let has = i64::from(asked.procs) - lacks;
            let what = format!("reservation {number} has {has} processors and needs {}", asked.procs);
            broken(asked.from, what);
        }
        changes.push((asked.to, 0, -lacks));
    }
    if let Some(piece) = had.values().flatten().next() {
        let (number, time) = piece.which;
        broken(piece.from, format!("there is no reservation {number} that takes place {time} times"));
    }
    for row in rows {
        let count = row.held().cast_signed();
        changes.extend([(row.start, -count, 0), (row.end, count, 0)]);
    }
    for one in away {
        let count = one.on.count().cast_signed();
        changes.extend([(one.from, -count, 0), (one.to, count, 0)]);
    }
    changes.stable_sort();
    let (mut free, mut lacked) = (i64::from(procs), 0);
    for instant in changes.chunk_by(|one, other| one.0 == other.0) {
        free += instant.iter().map(|change| change.1).sum::<i64>();
        lacked += instant.iter().map(|change| change.2).sum::<i64>();
        if free > 0 && lacked > 0 && instant[0].0 < over {
            broken(instant[0].0, format!("reservations lack {lacked} processors, and {free} are free"));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;

    use super::super::row;
    use super::*;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    /// One of 6 processors of 8 from 50 to 90, known from the start.
    fn asked(interrupts: bool) -> RequestedReservation {
        RequestedReservation {
            which: (1, 1),
            from: at(50),
            to: at(90),
            known: at(0),
            procs: 6,
            interrupts,
            shrinks: false,
        }
    }

    fn piece(on: (u32, u32), from: u64, to: u64) -> Piece {
        Piece { which: (1, 1), on: Interval::new(on.0, on.1), from: at(from), to: at(to) }
    }

    fn known(interrupts: bool, pieces: &[Piece]) -> Reservations {
        Reservations {
            requested: vec![asked(interrupts)],
            pieces: pieces.to_vec(),
            ..Reservations::default()
        }
    }

    #[test]
    fn a_reservation_that_is_late_takes_what_becomes_free() {
        let rows = [row(1, 0, 0, 70, (0, 3)), row(2, 10, 10, 10, (4, 5)), row(3, 55, 70, 5, (0, 1))];
        let found = |pieces: &[Piece]| granted(&rows, &known(false, pieces), 8, at(100), &[]);
        assert_eq!(found(&[piece((4, 7), 50, 90), piece((2, 3), 70, 90)]), []);
        assert_eq!(found(&[piece((4, 7), 50, 90), piece((2, 3), 71, 90)]).len(), 1, "2 are free at 70");
        assert_eq!(found(&[piece((4, 7), 50, 90)]).len(), 2, "from 70 on some are free: at 70, at 75");
        assert_eq!(found(&[piece((4, 7), 50, 90), piece((2, 3), 70, 80)]).len(), 1, "it ends at 90");
        assert_eq!(found(&[piece((2, 7), 49, 90)]).len(), 1);
        let pieces = [piece((4, 7), 50, 90), piece((2, 3), 70, 90)];
        assert_eq!(granted(&rows, &known(true, &pieces), 8, at(100), &[]).len(), 1, "maintenance is in time");
        let more = [&pieces[..], &[Piece { which: (2, 1), ..pieces[0] }]].concat();
        assert_eq!(
            granted(&rows, &known(false, &more), 8, at(100), &[]).len(),
            1,
            "there is no such reservation"
        );
    }

    #[test]
    fn a_job_on_processors_that_are_reserved_is_found() {
        let known = known(true, &[piece((2, 7), 50, 90)]);
        let found = |start, run, on| exclusive(&[row(1, 0, start, run, on)], &known).len();
        assert_eq!([found(0, 50, (0, 7)), found(90, 5, (0, 7)), found(60, 20, (0, 1))], [0, 0, 0]);
        assert_eq!([found(0, 51, (0, 2)), found(89, 1, (7, 7)), found(50, 1, (0, 7))], [1, 1, 1]);
        let twice = Reservations {
            pieces: vec![piece((2, 7), 50, 90), Piece { which: (2, 1), ..piece((0, 2), 80, 95) }],
            ..known
        };
        assert_eq!(
            exclusive(&[], &twice)[0].to_string(),
            "at 0.00000008 s: reservations 1 and 2 both have processors among 0-2"
        );
    }

    #[test]
    fn an_interrupted_job_makes_room_for_maintenance_that_begins() {
        let on = vec![Interval::new(0, 3)];
        let attempt = |end| Attempt {
            number: 1,
            submit_time: at(0),
            start: at(10),
            end: at(end),
            on: on.clone(),
            kept: SimDuration::ZERO,
            gpus: Vec::new(),
            sized: None,
        };
        let found = |end, interrupts| {
            let mut rows = [row(1, 0, 90, 60, (0, 3))];
            let pieces = [piece((2, 7), 50, 90)];
            let known = Reservations { attempts: vec![attempt(end)], ..known(interrupts, &pieces) };
            interrupted_by_maintenance(&mut rows, &known).len()
        };
        assert_eq!([found(50, true), found(49, true), found(50, false)], [0, 1, 1]);
    }

    #[test]
    fn what_fails_is_lacked_no_more_up_to_the_end_or_the_return() {
        // processors 4 to 7 fail at 60 and are back at 70; the rest fails at 90, when all is over
        let away = [(4, 7, 60, 70), (0, 3, 90, 95)].map(|(first, last, from, to)| Away {
            on: Interval::new(first, last),
            from: at(from),
            to: at(to),
        });
        let pieces = [piece((5, 7), 50, 60), piece((2, 4), 50, 90)];
        let without = |interrupts, shrinks| {
            let mut known = known(interrupts, &pieces);
            known.requested[0].shrinks = shrinks;
            known.without(&away)
        };
        let three = |to| Without { place: 0, procs: 3, from: at(60), to: at(to) };
        assert_eq!(without(true, true), [three(70)]);
        assert_eq!(without(false, true), [three(90)]);
        assert_eq!(without(true, false), []);
    }

    #[test]
    fn what_cannot_be_read_is_reported() {
        let attempts =
            "job_id,submission_time,attempt,starting_time,finish_time,allocated_resources,saved_work\n";
        let head = "reservation,occurrence,processors,from,to\n";
        let found = |text: &str| Reservations::read(attempts, text);
        let known = found(&format!("{head}1,1,2-7,0.000000050,0.000000090\n")).expect("readable");
        assert_eq!(known.pieces, [piece((2, 7), 50, 90)]);
        let quoted = found(
            "occurrence,\"reservation\",processors,to,from\n1,\"1\",\"2-7\",\"0.000000090\",0.000000050",
        );
        assert_eq!(quoted.expect("readable").pieces, known.pieces);
        assert_eq!(found("").expect_err("no"), "reservations.csv is empty");
        assert_eq!(
            found(&format!("{head}1,1,7-2,0,1\n")).expect_err("no"),
            "reservations.csv, line 2, column 5: `7-2` is no interval"
        );
    }
}
