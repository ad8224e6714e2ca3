//! What is observed of a run: what is computed and written from the record of every job.
//!
//! The machine writes a [`Record`] ([`batch::record`](crate::batch::record)); [`metrics`], [`batches`], [`signs`] and [`series`] read it after the run, so no statistic can change
//! what is simulated. [`LossOfCapacity`] and [`explanation`] are told by a policy of what it sees. Sums are whole nanoseconds, so a figure does not depend on the order of adding.

pub mod batches;
pub mod by_class;
pub mod class;
mod counts;
pub mod energy;
pub mod execution;
pub mod explanation;
pub mod family;
pub mod job_shares;
pub mod jobs_swf;
pub mod lanes;
pub mod loss_of_capacity;
mod metric;
pub mod metrics;
mod molding;
pub mod outages;
pub mod profile;
pub mod reservations;
mod resource_metrics;
pub mod series;
pub mod signs;
pub mod slice_metrics;
pub mod tables;
pub mod task_metrics;
pub mod timeline;
mod users;

pub use crate::batch::record::{
    Draw, Failures, Interrupted, Keep, Outcome, OwnReason, Reason, Record, Site, State,
};
pub use loss_of_capacity::LossOfCapacity;
