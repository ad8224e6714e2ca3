//! Parameter sweeps: thousands of independent tasks that share input files, on clusters behind one link each.
//!
//! - [`application`]: the tasks and their files; [`grid`]: the clusters, their hosts, links and storages.
//! - [`source`]: where an application comes from; [`read`]: the texts of the template; `generate`: what is drawn.
//!
//! Source: F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, "Using simulation to evaluate scheduling heuristics for a class of
//! applications in grid environments", LIP RR1999-46, 1999.

pub mod application;
mod generate;
pub mod grid;
pub mod read;
pub mod recorded;
pub mod scaled;
pub mod source;

use crate::registry::Table;

/// The applications by name.
pub fn applications() -> Table<dyn source::SweepSource> {
    let entries: Vec<_> = recorded::ENTRIES.iter().chain(generate::ENTRIES).copied().collect();
    Table::new("sweep", "independent tasks and the files that they share", &entries)
}
