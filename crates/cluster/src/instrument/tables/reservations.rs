//! `reservations`: which processors reservations had, and when.
//!
//! A row for each interval of processors that a reservation got at once, in the order in which it
//! did.

use crate::instrument::metrics::FinishedRun;
use crate::output::rows;
use crate::rows::ReservationRow;

use super::ended;

rows! {
    /// The processors that reservations had in a run.
    pub struct ReservationRows<'a>(FinishedRun<'a>) of ReservationRow;
    from run, run.record.reserved().taken();
    one => {
        reservation: one.which.0,
        occurrence: one.which.1,
        processors: one.processors,
        from: one.from,
        to: ended(one.to),
    }
}
