//! On which of the nodes with free slots the tasks of a job are put.
//!
//! Tasks of other jobs may be there already: this is the choice on a time-shared machine, under
//! dynamic coscheduling for one. On a machine where jobs have their processors to themselves it is
//! [`allocation`](super::allocation).

mod least_loaded;
mod lowest_first;

use std::fmt;

use crate::collections::Interval;
use crate::registry::{Entry, Table};

use super::slots::Slots;

/// A choice among nodes with free slots.
pub trait Selection: fmt::Debug {
    /// Puts the nodes chosen for a job of `tasks` tasks into `chosen`, which is empty: that many
    /// distinct nodes with free slots, as intervals in rising order that do not overlap.
    ///
    /// At least `tasks` nodes have free slots.
    fn choose(&self, slots: &Slots, tasks: u32, chosen: &mut Vec<Interval>);
}

/// The selections by name.
pub fn table() -> Table<dyn Selection> {
    const ENTRIES: &[Entry<dyn Selection>] = &[least_loaded::ENTRY, lowest_first::ENTRY];
    Table::new("node-selection", "on which of the nodes with free slots the tasks of a job are put", ENTRIES)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The selection called `name`.
    pub(crate) fn named(name: &str) -> Box<dyn Selection> {
        match name {
            "least-loaded" => Box::new(least_loaded::LeastLoaded),
            "lowest-first" => Box::new(lowest_first::LowestFirst),
            other => panic!("there is no selection `{other}`"),
        }
    }

    #[test]
    fn the_rules_differ_where_loads_do() {
        let mut slots = Slots::new([2, 2, 2, 1, 2]);
        assert!(slots.occupy(&[Interval::new(0, 1), Interval::new(3, 3)]));
        assert!(slots.occupy(&[Interval::new(0, 0)]));
        // loads 2 of 2, 1 of 2, 0 of 2, 1 of 1, 0 of 2
        let chosen = |name: &str, tasks| {
            let mut chosen = Vec::new();
            named(name).choose(&slots, tasks, &mut chosen);
            chosen.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(chosen("least-loaded", 2), "2 4");
        assert_eq!(chosen("lowest-first", 2), "1-2");
        assert_eq!(chosen("least-loaded", 3), "1-2 4");
        assert_eq!(chosen("lowest-first", 3), "1-2 4");
    }
}
