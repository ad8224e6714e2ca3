//! Features of a site, one folder each: what its front end does beyond submitting jobs, starting
//! them and ending them. [`of`] lists those of a run in the order in which they are asked.

mod cancellation;
mod dependencies;

use crate::workload::Workload;

use super::front_end::SiteFeature;

/// The features of a run.
pub(super) fn of(work: &Workload) -> Vec<Box<dyn SiteFeature>> {
    [cancellation::feature(work), dependencies::feature(work)].into_iter().flatten().collect()
}
