//! The machine as the front end has it: processors, and the jobs that hold them or share them.
//!
//! Processors are numbered from 0 and kept as intervals, so a start costs by the number of
//! intervals it takes and not by the size of the machine. The machine trusts no policy: a start on
//! busy processors, on too few, or of a job that ran before is refused with its reason
//! ([`Unlawful`]); the policy's name and the instant are added by the code that calls. Jobs are
//! rigid, processors alike. Processors go out of service and come back ([`Faults`] says when);
//! while they are away they are neither free nor in use; nor are they while a [`Reservation`] has
//! them.
//!
//! A machine of multiprogramming level 1 gives a processor to one job at a time. One of a higher
//! level puts up to so many tasks on each (`loads`); a task that ends before the others of its job
//! may leave its place at once.

mod fault_trace;
mod faults;
mod loads;
mod processors;
mod reservation;
#[cfg(test)]
mod tests;
mod unlawful;

pub use fault_trace::{OutageSpans, read as read_fault_trace};
pub use faults::{Faults, Nodes};
pub use processors::Machine;
pub use reservation::{Reservation, ReservationUse, Reservations, ReservedNodes};
pub use unlawful::Unlawful;
