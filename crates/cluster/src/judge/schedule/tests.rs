//! Parts that tests of this room share.

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};

use super::{DecisionRules, Facts, Holding, Piece, RequestedReservation, Reservations, Row};

/// 6 processors of 8 from 50 to 90, known from the start.
pub(super) fn six_of_eight() -> Reservations {
    let at = SimTime::from_nanos;
    let which = (1, 1);
    let asked = RequestedReservation {
        which,
        from: at(50),
        to: at(90),
        known: at(0),
        procs: 6,
        interrupts: true,
        shrinks: false,
    };
    let piece = Piece { which, on: Interval::new(2, 7), from: at(50), to: at(90) };
    Reservations { requested: vec![asked], pieces: vec![piece], ..Reservations::default() }
}

/// A job that ran for its estimate on one interval of processors.
pub(crate) fn row(number: u64, submit: u64, start: u64, run: u64, on: (u32, u32)) -> Row {
    let at = SimTime::from_nanos;
    let run_time = SimDuration::from_nanos(run);
    Row {
        number,
        submit_time: at(submit),
        considered: at(submit),
        follows: false,
        start: at(start),
        end: at(start + run),
        run_time,
        estimate: run_time,
        procs: on.1 - on.0 + 1,
        on: vec![Interval::new(on.0, on.1)],
        ..Row::default()
    }
}

impl Facts<'_> {
    /// Facts of plain space sharing on `procs` processors.
    pub(crate) fn of_space_sharing(procs: u32) -> Self {
        Facts {
            policy: "space-sharing",
            queue: "fcfs",
            backfill: "none",
            decides: DecisionRules::PUBLISHED,
            procs,
            holding: Holding::Alone,
            rigid: true,
            grace: None,
            limit_of_job: false,
            resources: None,
            priority: None,
            limits: None,
            own_nodes: None,
            pools: None,
            depends: false,
            cancellation: false,
            failing: None,
            moldable: None,
            holds_failed: false,
            reserved: None,
            acts: None,
            stopped: false,
        }
    }
}
