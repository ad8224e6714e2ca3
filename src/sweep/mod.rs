//! Parameter sweeps: thousands of independent tasks that share input files, on clusters behind one
//! link each.
//!
//! - [`application`]: the tasks and their files; [`grid`]: the clusters, their hosts, links and
//!   storages; [`origins`]: where files come from; [`clusters`]: the grid that a platform is.
//! - [`source`]: where an application comes from; [`read`] and [`mod@write`]: the texts of the
//!   template; `generate`: what is drawn; [`report`]: what an application is like; [`bounds`]: how
//!   soon it can be done.
//! - [`dialogue`]: what grid and scheduler say to each other, recorded and repeated.
//! - [`run`] and [`execution`]: how it runs; [`storage`]: storages with a limit; [`record`]: what
//!   comes of it; [`mod@metrics`], [`prices`], [`tables`] and [`host_time`]: the same in figures.
//!
//! Source: F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, "Using simulation to evaluate
//! scheduling heuristics for a class of applications in grid environments", LIP RR1999-46, 1999.

mod alike;
pub mod application;
mod arrivals;
mod bound_queues;
pub mod bounds;
mod carrying;
pub mod chart;
pub mod choice;
mod class_key;
pub mod clusters;
mod cohort;
pub mod completion;
mod completion_table;
mod copies;
pub mod dialogue;
mod dispatch;
mod duplicate;
pub mod error;
pub mod estimate;
pub mod execution;
pub mod fill;
pub mod gap;
mod generate;
pub mod grid;
mod grid_state;
pub mod heuristic;
pub mod host_time;
mod input_source;
pub mod interfaces;
pub mod interval;
pub mod known;
mod link_queue;
mod links_between;
pub mod metrics;
pub mod optimum;
pub mod origins;
mod placing;
pub mod plan;
pub mod plan_settings;
mod planned_storage;
pub mod predictions;
pub mod prices;
mod rank_tree;
pub mod read;
pub mod record;
pub mod recorded;
pub mod report;
mod rerouting;
pub mod run;
pub mod scaled;
pub mod scheduler;
pub mod source;
pub mod storage;
pub mod stored;
mod stuck;
pub mod subset;
mod table_rows;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod workqueue;
pub mod write;

pub use bounds::SweepBounds;
pub use gap::{OF_GAPS, SweepGapRequest, metrics_of_gap};
pub use link_queue::LinkDiscipline;
pub use metrics::{FAMILIES, OF_LINKS_BETWEEN, OF_STORAGES, metrics};
pub use prices::{OF_BUDGETS, OF_DEADLINES, OF_PRICES, SweepTerms, metrics_of_terms};

use crate::registry::Table;

/// The applications by name.
pub fn applications() -> Table<dyn source::SweepSource> {
    let entries: Vec<_> = recorded::ENTRIES.iter().chain(generate::ENTRIES).copied().collect();
    Table::new("sweep", "independent tasks and the files that they share", &entries)
}
