//! Features of a site, one folder each: what its front end does beyond submitting jobs, starting
//! them and ending them. [`of`] lists those of a run in the order in which they are asked.

mod cancellation;
mod dependencies;
mod failures;
mod reservations;

use crate::batch::machine::{Faults, Reservations};
use crate::instrument::Failures;
use crate::workload::Workload;

use super::front_end::SiteFeature;

/// The features of a run whose nodes may fail, and whose processors may be reserved.
pub(super) fn of(
    work: &Workload,
    failing: Option<(Failures, Faults)>,
    reservations: Reservations,
) -> Vec<Box<dyn SiteFeature>> {
    let all = [
        failures::feature(failing),
        reservations::feature(reservations),
        cancellation::feature(work),
        dependencies::feature(work),
    ];
    all.into_iter().flatten().collect()
}
