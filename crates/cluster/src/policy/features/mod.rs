//! Features of a site, one folder each: what its front end does beyond submitting jobs, starting
//! them and ending them. [`of`] lists those of a run in the order in which they are asked.

mod cancellation;
mod dependencies;
mod failures;
mod reservations;
mod time_limit;

use crate::batch::machine::{Faults, Reservations};
use crate::instrument::SiteModel;
use crate::workload::Workload;

use super::front_end::SiteFeature;

/// The features of a run at a site whose nodes may fail, and whose processors may be reserved.
pub(super) fn of(
    work: &Workload,
    site: &SiteModel,
    faults: Option<Faults>,
    reservations: Reservations,
) -> Vec<Box<dyn SiteFeature>> {
    let all = [
        time_limit::feature(site.walltime, work.kills),
        failures::feature(site.failures.zip(faults)),
        reservations::feature(reservations),
        cancellation::feature(work),
        dependencies::feature(work),
    ];
    all.into_iter().flatten().collect()
}
