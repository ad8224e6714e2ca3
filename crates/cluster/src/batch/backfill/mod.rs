//! Backfilling: which jobs may overtake others, and what is promised to those that wait.
//!
//! A rule looks at the queue, the running jobs and what it keeps itself, and names the jobs to be
//! started now. Most rules are asked only about a head that does not fit. A rule may decide about
//! every start, because starting the head too may break a promise it gave. Changes are reported
//! ([`Change`]) to a rule that *follows* them, so that it need not look at everything again each
//! time. What a rule is it says once ([`Capabilities`]).

mod candidates;
mod conservative;
#[cfg(test)]
mod conservative_tests;
mod easy;
mod expected_ends;
mod node_room;
mod nodes_now;
mod none;
mod pooled_room;
mod reserving;
mod room;
mod rule;
#[cfg(test)]
mod tests;

use crate::registry::{Entry, Preset, Table};

pub use expected_ends::ExpectedEnds;
pub use nodes_now::NodesNow;
pub use rule::{Backfill, Capabilities, Change, Decides, Picked, Picks, View};

/// The rules by name.
pub fn table() -> Table<dyn Backfill> {
    const ENTRIES: &[Entry<dyn Backfill>] = &[conservative::ENTRY, easy::ENTRY, none::ENTRY];
    const PRESETS: &[Preset] = &[Preset {
        name: "easy-sjbf",
        about: "EASY in which of the jobs that may overtake the shortest does so first",
        kind: "easy",
        set: &[("order", "sjbf")],
    }];
    let about = "which jobs may overtake others that wait, and what these are promised";
    Table::new("backfill", about, ENTRIES).presets(PRESETS)
}
