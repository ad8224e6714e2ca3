//! Capacity over time: bookings, and the earliest start of a job that has none.
//!
//! A running job is booked until its estimated end, a waiting job that was promised a start for its
//! span from then on. Counts of processors are one timetable ([`Counts`]), nodes with what they
//! have are another
//! ([`NodeTimetable`](super::node_resources::NodeTimetable)). Rules of backfilling are written over
//! the trait, once for both. Pools beside them
//! are counts ([`PooledTable`]). Hints between searches belong to the implementation.

mod counts;
mod pooled;

use std::fmt::Debug;

use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

pub(in crate::batch) use counts::Counts;
pub(in crate::batch) use pooled::PooledTable;

/// Number of a booking of a waiting job, by which its timetable knows it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::batch) struct Ticket(u32);

impl Ticket {
    /// The number of no booking.
    pub(in crate::batch) const NONE: Ticket = Ticket(0);

    fn numbered(number: usize) -> Self {
        Ticket(number as u32 + 1)
    }

    fn index(self) -> usize {
        self.0 as usize - 1
    }
}

/// Capacity over time.
///
/// A job has one booking at most. Spans are above zero. Instants asked about are not before the
/// last one that the timetable was told of.
pub(in crate::batch) trait Timetable: Debug {
    /// The earliest start from an instant on, at which all that the job asks for is there
    /// throughout the span. `None`: there is none until everything has left that is booked.
    fn earliest(&mut self, job: &Waiting, span: SimDuration, from: SimTime) -> Option<SimTime>;

    /// Returns true if a job may start at an instant, for so long.
    fn holds(&mut self, job: &Waiting, span: SimDuration, at: SimTime) -> bool;

    /// Books a job at a start that was found, for its span.
    fn book(&mut self, job: &Waiting, span: SimDuration, start: SimTime);

    /// Books a job that starts now, unless the timetable books its nodes once it has started.
    fn starts(&mut self, job: &Waiting, span: SimDuration, now: SimTime) {
        self.book(job, span, now);
    }

    /// Books the only waiting job that has a booking: until it gives that up, others are asked for
    /// which start now, and no earliest start is searched.
    fn book_alone(&mut self, job: &Waiting, span: SimDuration, start: SimTime) {
        self.book(job, span, start);
    }

    /// Books a job that waits for its start, and may be moved forward until it is settled.
    fn promise(&mut self, job: &Waiting, span: SimDuration, start: SimTime) -> Ticket {
        self.book(job, span, start);
        Ticket::NONE
    }

    /// Returns false if a job that was promised a start finds no earlier one, as the timetable
    /// knows without a search.
    fn may_move(&self, _: Ticket) -> bool {
        true
    }

    /// Moves a job, which was promised this start, to the earliest one before it if there is one,
    /// which is its answer.
    fn move_forward(
        &mut self,
        ticket: Ticket,
        job: &Waiting,
        span: SimDuration,
        start: SimTime,
    ) -> Option<SimTime>;

    /// As [`Timetable::move_forward`], of a job that is booked without a promise.
    fn move_unmarked(&mut self, job: &Waiting, span: SimDuration, start: SimTime) -> Option<SimTime> {
        self.move_forward(Ticket::NONE, job, span, start)
    }

    /// A job with a promise starts, or waits no longer: its booking stays, but moves no more.
    fn settle(&mut self, _: Ticket) {}

    /// Gives back what a job with so many processors has booked from one instant to another.
    fn release(&mut self, job: JobId, procs: u32, from: SimTime, to: SimTime);

    /// A running job with so many processors is taken to end later than it was.
    fn extend(&mut self, job: JobId, procs: u32, from: SimTime, to: SimTime);
}
