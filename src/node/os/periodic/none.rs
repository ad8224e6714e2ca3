//! No daemon.

use crate::kernel::SimDuration;
use crate::registry::{Entry, entry};

use super::{Candidate, PeriodicAction};

pub(super) const ENTRY: Entry<dyn PeriodicAction> = entry! {
    "none" => "there is no such daemon", builds Never
};

#[derive(Debug)]
pub(super) struct Never;

impl PeriodicAction for Never {
    fn period(&self) -> Option<SimDuration> {
        None
    }

    fn choose(&self, _: &[Candidate]) -> Option<usize> {
        None
    }
}
