//! Which of the free processors a job gets.

mod lowest_first;

use std::fmt;

use crate::collections::{Interval, IntervalSet};
use crate::registry::{Entry, Table};

/// A choice among free processors.
pub trait Allocation: fmt::Debug {
    /// Puts the intervals chosen for a job of `procs` processors into `chosen`, which is empty.
    ///
    /// At least `procs` processors are free.
    fn choose(&self, free: &IntervalSet, procs: u32, chosen: &mut Vec<Interval>);
}

/// The allocations by name.
pub fn table() -> Table<dyn Allocation> {
    const ENTRIES: &[Entry<dyn Allocation>] = &[lowest_first::ENTRY];
    Table::new("allocation", "which of the free processors a job gets", ENTRIES)
}
