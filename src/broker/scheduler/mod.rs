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
//! | `oracle` | on which the task would be back first in truth |
//! | `program` | that a foreign program names |
//!
//! Of equal servers the first is taken. Source of `deadline` and of what goes with it: A. Takefusa, H. Casanova, S. Matsuoka, F. Berman,
//! "A study of deadline scheduling for client-server systems on the Computational Grid", HPDC-10, 2001.

mod deadline;
mod drawn;
mod least;
mod program;
mod round_robin;

use std::fmt;
use std::rc::Rc;

use crate::broker::foreign::program::ForeignProgram;
use crate::broker::retry::{self, Retry};
use crate::broker::view::{ServerSelection, View};
use crate::kernel::rng::distribution::Sampler;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Quantity, Table, choices, code};

pub use deadline::in_time;

/// Chooses a server for a task.
pub trait BrokerScheduler: fmt::Debug {
    /// Servers for the task of a view, the best first; nothing if no server is to have it, and it is rejected. The first
    /// [`View::wanted`] get it, or a copy each: a scheduler need not say more.
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection;

    /// Another one that has seen no task; replications do not share what a scheduler remembers.
    fn begin(&self) -> Box<dyn BrokerScheduler>;

    /// Whether it draws random numbers.
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
            least::ORACLE,
            drawn::POWER_OF_D,
            program::ENTRY,
            drawn::RANDOM,
            round_robin::ENTRY,
        ],
    )
    .shared(&KEYS)
}

const TAKEFUSA: &str = "A. Takefusa, H. Casanova, S. Matsuoka, F. Berman, HPDC-10, 2001";

/// What every scheduler may have besides.
const KEYS: [Key; 7] = [
    Key::new("opt", Kind::Share(Bounds::Within(1e-6, 1.0)))
        .absent("1 for `deadline`; for others no server is left out")
        .about("the share of the time to its deadline in which a task is to be predicted to be back: servers on which it is not are left out, unless it is on none")
        .source(TAKEFUSA),
    Key::new("load-correction", Kind::Flag)
        .or_flag(false)
        .about("whether tasks that were sent to a server since it was last measured count as its load")
        .source(TAKEFUSA),
    Key::new("fallbacks", Kind::Count { least: 0, most: u32::MAX as u64 })
        .or_count(0)
        .about("how often a task may come back to the scheduler when its arguments have arrived and it is predicted to miss its deadline")
        .source(TAKEFUSA),
    Key::new("retry", Kind::Table(retry::KEYS))
        .or_table()
        .about("another try of a task for which no server is in question: each has failed under it and has not been found up since, or is known to be down. Those on which it would have been late come back into question when all others were tried"),
    Key::new("use", ServersUsed::CHOICES).or("first").about("which of the servers that a scheduler answers with get the task"),
    Key::new("copies", Kind::Count { least: 1, most: u32::MAX as u64 })
        .absent("each server gets a copy")
        .about("with `use = \"all\"`, how many of the servers get a copy: the first ones of the answer"),
    Key::new("query-time", Kind::Distribution(Quantity::Duration)).or("0s").about("how long the scheduler takes to answer"),
];

choices! {
    /// Which servers of an answer get the task.
    pub enum ServersUsed {
        First = "first", "the first; if it fails, the scheduler is asked again";
        All = "all", "each gets a copy, or the first `copies` do: the first result counts, and copies that wait still are withdrawn";
    }
}

/// What a scenario says of any scheduler.
#[derive(Clone, Debug)]
pub struct SchedulerTerms {
    /// In which share of the time to its deadline a task is to be back.
    pub opt: Option<f64>,
    /// Whether tasks sent since a server was measured count as its load.
    pub corrects_load: bool,
    /// How often a task may come back.
    pub fallbacks: u32,
    /// What happens to a task for which no server is in question.
    pub retry: Retry,
    /// How many of the servers of an answer get the task.
    pub wanted: usize,
    /// How long an answer takes \[s\].
    pub query_time: Sampler,
}

impl SchedulerTerms {
    /// Reads them.
    ///
    /// # Errors
    /// A value that cannot be.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let used: ServersUsed = params.read("use")?;
        let copies: Option<u32> = params.read("copies")?;
        if copies.is_some() && used == ServersUsed::First {
            let message = "the first server of an answer alone gets the task, and no copies are sent";
            let complaint = Complaint { code: code::CONTRADICTION, ..params.complaint("copies", message) };
            return Err(complaint.help("write `use = \"all\"`, or take it out"));
        }
        Ok(SchedulerTerms {
            opt: params.read("opt")?,
            corrects_load: params.read("load-correction")?,
            fallbacks: params.read("fallbacks")?,
            retry: Retry::read(&params.section("retry"))?,
            wanted: match used {
                ServersUsed::First => 1,
                ServersUsed::All => copies.map_or(usize::MAX, |copies| copies as usize),
            },
            query_time: *params.component::<Sampler>("query-time", "distribution")?,
        })
    }
}
