//! The availability profile: how many processors are free from now on, by the estimates.
//!
//! A step function of time. It begins with what is free now and rises at each estimated end; a
//! reservation lowers it for a span. Reservations are what more than one protected job needs; a
//! single one is answered faster by the shadow time ([`Running::shadow`](super::Running::shadow)).
//!
//! The steps are linked in order of time and stand in blocks of at most 32. A block knows bounds of
//! its steps, and what is to be added to all of them, so a change over a long span touches the two
//! blocks at its ends and one number in each between, and a search passes over blocks that are too
//! low throughout, or high enough throughout, in one step. *Not a balanced tree*: what a search has
//! to skip is a jagged stretch in which free processors rise above the need and fall below it again
//! and again, and there a tree pays its depth for every dip, where blocks are read through in
//! order.
//!
//! A step keeps its number. A booking that is to move remembers the steps at which it begins and
//! ends, which stay as long as it does, and finds its neighbours in time without a search.
//!
//! # Complexity
//! With n steps a change costs the steps of two blocks and n/32 numbers. A search costs one pass
//! over the steps in the worst case and n/32 numbers at best. There are at most two steps for each
//! running or reserved job: steps that a change makes equal are joined, unless a booking remembers
//! them.

mod bookings;
mod search_hints;
mod step_function;
mod steps;
#[cfg(test)]
mod tests;

pub(super) use bookings::{Ends, Raised, Seen};
pub(super) use search_hints::SearchHints;
pub use step_function::Profile;
pub(super) use steps::StepId;

/// Processors as a number that may be taken from others.
pub(super) fn signed(procs: u64) -> i64 {
    i64::try_from(procs).unwrap_or(i64::MAX)
}
