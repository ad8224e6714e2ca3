//! Sharing: how much each of several tasks or flows gets of a resource.
//!
//! [`SingleResource`] is one resource by itself: a processor or a link that serves its tasks one
//! after the other or all at once. `fair` is a host of several cores, where tasks share by priority
//! and none has more than a core. [`MaxMin`] shares many links among flows that each cross several:
//! weighted max-min fairness, kept up as flows come and go. The tests hold it to progressive
//! filling as the book has it.

mod exact;
pub(crate) mod fair;
mod filling;
mod max_min;
mod schedule;
mod single;

pub use exact::{LEAST, MOST};
pub(crate) use max_min::capacity_in_range;
pub use max_min::{Crossing, FlowId, LinkId, MaxMin, OutOfRange, SharingPolicy};
pub(crate) use schedule::Schedule;
pub use single::{Discipline, ServiceId, SingleResource};
