//! Reservations as they were asked for, and what they had.

use crate::collections::Interval;
use crate::kernel::SimTime;

/// A reservation as it was asked for, once for each time that it takes place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestedReservation {
    /// Number in the scenario, and the how many-th time it is, both from 1.
    pub which: (u32, u32),
    /// Instant at which it begins.
    pub from: SimTime,
    /// Instant at which it ends.
    pub to: SimTime,
    /// From when on it is known.
    pub known: SimTime,
    /// Processors it needs.
    pub procs: u32,
    /// True if it interrupts jobs to have them; else it waits.
    pub interrupts: bool,
    /// True if it does without processors that fail.
    pub shrinks: bool,
}

/// Processors that a reservation had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Reservation and its instance, as [`RequestedReservation::which`].
    pub which: (u32, u32),
    /// The processors.
    pub on: Interval,
    /// From when on.
    pub from: SimTime,
    /// To when; [`SimTime::MAX`] if the run was over before.
    pub to: SimTime,
}
