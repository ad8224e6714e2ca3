//! The timetable of a machine whose processors are all alike: a count of free ones over time.
//!
//! It knows which of the waiting jobs can have an earlier start than they were promised, so that
//! the others need not look for one ([`Timetable::may_move`](super::Timetable::may_move)).

mod gap;
mod jumps;
mod needs;
mod table;
#[cfg(test)]
mod tests;
mod waits;

pub(in crate::batch) use table::Counts;
