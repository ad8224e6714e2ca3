//! The run time itself, which no scheduler knows: the bound that estimates are compared with.

use crate::kernel::SimDuration;
use crate::kernel::rng::Stream;
use crate::registry::Entry;
use crate::workload::Job;

use super::Estimates;

pub(super) const ENTRY: Entry<dyn Estimates> = Entry::published(
    "exact",
    "the run time itself, which no scheduler knows",
    "A. W. Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001",
    &[],
    |_| Ok(Box::new(Exact)),
);

#[derive(Debug)]
struct Exact;

impl Estimates for Exact {
    fn estimate(&mut self, job: &Job, _: Option<&mut Stream>) -> SimDuration {
        job.run_time
    }
}
