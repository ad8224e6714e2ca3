//! Run times of jobs, as a scheduler estimates them.
//!
//! Users request a time, and most request far too much. What a scheduler decides by may be that
//! request, or anything it can make of it and of what it has seen; in studies also what no
//! scheduler knows, the run time itself. A job's own [`Job::estimate`] stays what its user
//! requested: it is what limits and kills go by.
//!
//! Jobs are estimated in order of submission, once each, when they are submitted.

mod exact;
mod last_two;
mod phi;
mod requested;

use std::fmt;

use crate::kernel::SimDuration;
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Table};
use crate::workload::Job;

/// A method to estimate run times.
pub trait Estimates: fmt::Debug {
    /// Estimates the run time of a job that is submitted now; above zero. The stream is there if
    /// [`Estimates::draws`].
    fn estimate(&mut self, job: &Job, stream: Option<&mut Stream>) -> SimDuration;

    /// Returns true if it is simply what was requested, so that it need not be kept.
    fn as_requested(&self) -> bool {
        false
    }

    /// Returns true if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// A job that was taken to run for `estimate` has run so long, and goes on: how long it is
    /// taken to run in all now. It was corrected `before` times. `None`: there is no better
    /// estimate, and the job is past it.
    fn corrected(&self, _job: &Job, _estimate: SimDuration, _before: u32) -> Option<SimDuration> {
        None
    }

    /// Returns true if [`Estimates::corrected`] ever answers.
    fn corrects(&self) -> bool {
        false
    }

    /// A job has ended after having run so long.
    fn ended(&mut self, _job: &Job, _ran: SimDuration) {}
}

/// The methods by name.
pub fn table() -> Table<dyn Estimates> {
    const ENTRIES: &[Entry<dyn Estimates>] = &[exact::ENTRY, last_two::ENTRY, phi::ENTRY, requested::ENTRY];
    Table::new("estimate", "how long a scheduler takes a job to run", ENTRIES)
}
