//! `reservations`: which processors reservations had, and when.
//!
//! A row for each interval of processors that a reservation got at once, in the order in which it
//! did.

use crate::instrument::metrics::FinishedRun;
use crate::output::{Cell, rows};

rows! {
    /// The processors that reservations had in a run.
    pub struct ReservationRows<'a>(FinishedRun<'a>) = "reservations",
        "where processors are reserved: a row for each interval of processors that a reservation had at once, in the order in which it got them. Key: record.jobs";
    from run, run.record.reserved().taken();
    one => {
        "reservation" Count "", "the number of its table in the scenario, from 1" => one.which.0;
        "occurrence" Count "", "the number of the occurrence of a repeated reservation, from 1" => one.which.1;
        "processors" Intervals "", "the interval of processors" => Cell::Intervals(&[one.processors]);
        "from" Time "s", "since when it had them" => one.from;
        "to" Time "s", "until when; empty if that was not over when the run was" => Cell::until(one.to);
    }
}
