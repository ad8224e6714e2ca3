//! Instruments of a run: figures that are computed and written from the record of every job.
//!
//! The machine writes a [`Record`] ([`batch::record`](crate::batch::record)); [`metrics`],
//! [`batches`] and [`signs`] read it after the run, so no statistic can change what is simulated.
//! [`LossOfCapacity`] and [`explanation`] are fed by a policy with what it sees. Sums are whole
//! nanoseconds, so a figure does not depend on the order of adding.

pub mod batches;
pub mod by_class;
pub mod class;
pub mod cohort;
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
pub mod rejections;
pub mod reservations;
mod resource_metrics;
mod run;
pub mod signs;
pub mod slice_metrics;
pub mod tables;
pub mod task_metrics;
pub mod timeline;
mod useful;
mod users;

pub use crate::batch::record::{
    Draw, Failures, Keep, OnNodeFailure, Outcome, OwnReason, Reason, Record, SiteModel, State,
};
pub use loss_of_capacity::LossOfCapacity;

/// The families of runs of jobs, in the order of the manual.
pub const FAMILIES: &[&[family::Family]] = &[
    counts::FAMILIES,
    metrics::FAMILIES,
    loss_of_capacity::FAMILIES,
    slice_metrics::FAMILIES,
    outages::FAMILIES,
    reservations::FAMILIES,
    energy::FAMILIES,
    resource_metrics::FAMILIES,
    users::FAMILIES,
    molding::FAMILIES,
    by_class::FAMILIES,
    task_metrics::FAMILIES,
];
