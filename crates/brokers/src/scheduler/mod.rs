//! Schedulers: which server a task is sent to (HPDC 1999, section 3.2 and figure 3, `Scheduler`).
//!
//! | name | the server |
//! |---|---|
//! | `random` | any, each equally likely |
//! | `round-robin` | the next in turn |
//! | `greedy` | on which the task is predicted to be back first |
//! | `least-load` | with the least predicted load |
//! | `fastest` | of the highest performance |
//! | `best-network` | with the shortest predicted transfers |
//! | `power-of-d` | the best of a few that are drawn |
//! | `deadline` | the slowest that is predicted to be in time |
//! | `oracle` | from which the results will be back first, by what others are going to do |
//! | `program` | that a foreign program names |
//!
//! Of equal servers the first is taken. Source of `deadline` and of what goes with it: A. Takefusa,
//! H. Casanova, S. Matsuoka, F. Berman, "A study of deadline scheduling for client-server systems
//! on the Computational Grid", HPDC-10, 2001.

mod deadline;
mod drawn;
mod least;
mod oracle;
mod program;
mod round_robin;
mod terms;

use std::fmt;
use std::rc::Rc;

use crate::foreign::program::ForeignProgram;
use crate::registry::Table;
use crate::view::{ServerSelection, View};

pub use deadline::in_time;
pub use terms::SchedulerTerms;

/// Chooses a server for a task.
pub trait BrokerScheduler: fmt::Debug {
    /// Servers for the task of a view, the best first; nothing if no server is to have it, and it
    /// is rejected. The first [`View::wanted`] get it, or a copy each: a scheduler need not say
    /// more.
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection;

    /// Another one that has seen no task; replications do not share what a scheduler remembers.
    fn begin(&self) -> Box<dyn BrokerScheduler>;

    /// Returns true if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// The foreign program that it asks, if it does.
    fn program(&self) -> Option<&Rc<ForeignProgram>> {
        None
    }
}

/// The schedulers by name.
pub fn table() -> Table<dyn BrokerScheduler> {
    Table::new(
        "broker",
        "which server a task is sent to",
        &[
            least::BEST_NETWORK,
            deadline::ENTRY,
            least::FASTEST,
            least::GREEDY,
            least::LEAST_LOAD,
            oracle::ENTRY,
            drawn::POWER_OF_D,
            program::ENTRY,
            drawn::RANDOM,
            round_robin::ENTRY,
        ],
    )
    .shared(&terms::KEYS)
}
