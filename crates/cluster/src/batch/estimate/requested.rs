//! Time that the user requested.

use crate::kernel::SimDuration;
use crate::kernel::rng::Stream;
use crate::registry::Entry;
use crate::workload::Job;

use super::Estimates;

pub(super) const ENTRY: Entry<dyn Estimates> =
    Entry::new("requested", "what the user requested", &[], |_| Ok(Box::new(Requested)));

#[derive(Debug)]
struct Requested;

impl Estimates for Requested {
    fn estimate(&mut self, job: &Job, _: Option<&mut Stream>) -> SimDuration {
        job.estimate
    }

    fn as_requested(&self) -> bool {
        true
    }
}
