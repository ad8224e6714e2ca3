//! `reservations`: which processors reservations had, and when.
//!
//! A row for each interval of processors that a reservation got at once, in the order in which it did.

use std::io;

use crate::instrument::metrics::FinishedRun;
use crate::output::{Cell, Column, RowSink, RowSource, Table, columns};

/// The processors that reservations had in a run.
#[derive(Clone, Copy, Debug)]
pub struct ReservationRows<'a>(pub FinishedRun<'a>);

const COLUMNS: &[Column] = &columns! {
    "reservation" Count "", "the number of its table in the scenario, from 1";
    "occurrence" Count "", "the number of the occurrence of a repeated reservation, from 1";
    "processors" Intervals "", "the interval of processors";
    "from" Time "s", "since when it had them";
    "to" Time "s", "until when; empty if that was not over when the run was";
};

pub(super) fn declared() -> Table {
    Table::new(
        "reservations",
        "where processors are reserved: a row for each interval of processors that a reservation had at once, in the order in which it got them. Key: record.jobs",
        COLUMNS,
    )
}

impl RowSource for ReservationRows<'_> {
    fn table(&self) -> Table {
        declared()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.0.record.reserved().taken().iter().try_for_each(|one| {
            sink.row(&[
                Cell::Count(u64::from(one.which.0)),
                Cell::Count(u64::from(one.which.1)),
                Cell::Intervals(&[one.processors]),
                Cell::at(one.from),
                Cell::until(one.to),
            ])
        })
    }
}
