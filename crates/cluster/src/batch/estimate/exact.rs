//! The run time itself, which no scheduler knows: the bound that estimates are compared with.

use crate::kernel::SimDuration;
use crate::kernel::rng::Stream;
use crate::registry::{Entry, entry};
use crate::workload::Job;

use super::Estimates;

pub(super) const ENTRY: Entry<dyn Estimates> = entry! {
    "exact" => "the run time itself, which no scheduler knows",
    source "A. W. Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001", builds Exact
};

#[derive(Debug)]
struct Exact;

impl Estimates for Exact {
    fn estimate(&mut self, job: &Job, _: Option<&mut Stream>) -> SimDuration {
        job.run_time
    }
}
