//! No daemon.

use crate::kernel::SimDuration;
use crate::registry::Entry;

use super::{Candidate, PeriodicAction};

pub(super) const ENTRY: Entry<dyn PeriodicAction> = Entry {
    name: "none",
    about: "there is no such daemon",
    source: "",
    keys: &[],
    build: |_| Ok(Box::new(Never)),
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
