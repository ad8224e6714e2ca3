//! Instruments of a run: figures that are computed and written from the record of every job.
//!
//! The machine writes a [`Record`] ([`batch::record`](crate::batch::record)); [`metrics`],
//! and the accepted jobs as a [cohort](crate::measure::cohort) read it after the run, so no
//! statistic can change what is simulated. [`LossOfCapacity`] and [`explanation`] are fed by a
//! policy with what it sees. Sums are whole nanoseconds, so a figure does not depend on the order
//! of adding.

mod accepted_jobs;
pub mod by_class;
mod counts;
pub mod energy;
pub mod execution;
pub mod explanation;
mod gpu_metrics;
pub mod job_shares;
pub mod jobs_swf;
pub mod lanes;
pub mod loss_of_capacity;
mod metric;
pub mod metrics;
mod molding;
mod observations;
pub mod outages;
mod pool_metrics;
pub mod profile;
mod rejections;
pub mod reservations;
mod resource_metrics;
mod run;
pub mod slice_metrics;
pub mod tables;
pub mod task_metrics;
pub mod timeline;
mod useful;
mod users;

pub use crate::batch::record::{
    Draw, Failures, FeatureAct, FeatureCell, FeatureStep, FeatureSteps, Keep, OnNodeFailure, Outcome,
    OwnCells, OwnReason, Reason, Record, Requeue, RequeuePlace, RequeueSize, SiteModel, State,
};
use crate::measure::family::Family;

pub use loss_of_capacity::LossOfCapacity;

/// The families of runs of jobs, in the order of the manual.
pub const FAMILIES: &[&[Family]] = &[
    counts::FAMILIES,
    metrics::FAMILIES,
    loss_of_capacity::FAMILIES,
    slice_metrics::FAMILIES,
    outages::FAMILIES,
    reservations::FAMILIES,
    energy::FAMILIES,
    resource_metrics::FAMILIES,
    gpu_metrics::FAMILIES,
    pool_metrics::FAMILIES,
    users::FAMILIES,
    molding::FAMILIES,
    by_class::FAMILIES,
    task_metrics::FAMILIES,
];

/// The family of a metric of runs of jobs, be it of all jobs or of a class.
#[cfg(test)]
pub(crate) fn family(name: &str) -> Option<&'static Family> {
    let name = crate::measure::class::metric(name).unwrap_or(name);
    FAMILIES.iter().copied().flatten().find(|family| family.has(name))
}
