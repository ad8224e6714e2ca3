//! Settings that a scenario has for any scheduler: deadlines, other tries, copies.

use crate::kernel::rng::distribution::Sampler;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Quantity, choices, code};
use crate::retry::{self, Retry};

const TAKEFUSA: &str = "A. Takefusa, H. Casanova, S. Matsuoka, F. Berman, HPDC-10, 2001";

/// Keys that every scheduler may have in addition to its own.
pub(super) const KEYS: [Key; 7] = [
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
    /// Servers of an answer that get the task.
    pub(super) enum ServersUsed {
        First = "first", "the first; if it fails, the scheduler is asked again";
        All = "all", "each gets a copy, or the first `copies` do: the first result counts, and copies that wait still are withdrawn";
    }
}

/// Settings that a scenario has for any scheduler.
#[derive(Clone, Debug)]
pub struct SchedulerTerms {
    /// In which share of the time to its deadline a task is to be back.
    pub opt: Option<f64>,
    /// True if tasks sent since a server was measured count as its load.
    pub corrects_load: bool,
    /// Number of times that a task may come back to the scheduler.
    pub fallbacks: u32,
    /// Further tries of a task for which no server is in question.
    pub retry: Retry,
    /// Number of servers of an answer that get the task.
    pub wanted: usize,
    /// Duration of an answer \[s\].
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
