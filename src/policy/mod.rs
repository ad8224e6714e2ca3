//! Policies: processes that decide which job starts when, and where.
//!
//! A policy is one `async` process over a [`FrontEnd`]: it waits for news, decides, starts jobs. It may also hold,
//! wait on timers, spawn processes of its own and race them all. What it decides with are the pure decisions of
//! [`frontend`](crate::frontend). A new policy is one file here, and its entry in [`table`].

mod coscheduling;
mod dedicated;
mod desk;
mod error;
mod execution;
mod frames;
mod front_end;
mod gang;
mod simulate;
mod space_sharing;

use async_trait::async_trait;

use crate::frontend::queue::Discipline;
use crate::registry::{Absent, Complaint, Entry, Key, Kind, Params, Preset, Table};

pub use dedicated::dedicate;
pub use error::{PolicyError, Wrong};
pub use execution::{Sharing, TaskDetail};
pub use front_end::{FrontEnd, News};
pub use simulate::{Outcomes, Setting, Standing, TaskSide, Watch, simulate, simulate_watched};

/// A policy, from the first submission to the last end.
#[async_trait(?Send)]
pub trait Policy: std::fmt::Debug {
    /// Its name in messages.
    fn name(&self) -> &'static str;

    /// How it uses the processors: unless it says otherwise, a job has its own to itself.
    fn sharing(&self) -> Sharing {
        Sharing::Exclusive
    }

    /// The least multiprogramming level under which it works.
    fn least_level(&self) -> u32 {
        1
    }

    /// Runs until [`FrontEnd::news`] says that there will be no more.
    ///
    /// # Errors
    /// What the front end refused. To return while jobs wait is a deadlock of the run.
    async fn run(&mut self, front: FrontEnd) -> Result<(), PolicyError>;
}

/// The key of the queue discipline, which every policy with a queue has.
const QUEUE: Key = Key {
    name: "queue",
    kind: Kind::Component("queue"),
    default: Absent::Text("fcfs"),
    about: "the order in which waiting jobs are considered",
    source: "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.1",
};

/// The discipline under the key `queue`, for a policy that gives a job its place once.
fn fixed_order(params: &Params<'_>) -> Result<Box<dyn Discipline>, Complaint> {
    let discipline: Box<dyn Discipline> = params.component("queue", "queue")?;
    if discipline.moves() {
        let message = "priorities move while jobs wait, and this policy gives a job its place once";
        let complaint = params.complaint("queue", message).label("expected an order that does not move");
        return Err(complaint.help("policy \"space-sharing\" follows them"));
    }
    Ok(discipline)
}

/// The policies by name, and the published names that are settings of them.
pub fn table() -> Table<dyn Policy> {
    const ENTRIES: &[Entry<dyn Policy>] = &[coscheduling::ENTRY, gang::ENTRY, space_sharing::ENTRY];
    const PRESETS: &[Preset] = &[
        Preset {
            name: "best-fit",
            about: "space sharing; of the jobs that fit, the one that leaves fewest processors free starts",
            kind: "space-sharing",
            set: &[("queue", "best-fit"), ("backfill", "none")],
        },
        Preset {
            name: "conservative",
            about: "space sharing, first come first served with conservative backfilling: every job has a reservation",
            kind: "space-sharing",
            set: &[("backfill", "conservative")],
        },
        Preset {
            name: "easy",
            about: "space sharing, first come first served with EASY backfilling",
            kind: "space-sharing",
            set: &[("backfill", "easy")],
        },
        Preset {
            name: "easy-plus-plus",
            about: "EASY++: EASY by corrected predictions from the user's last two run times, the shortest job overtaking first",
            kind: "space-sharing",
            set: &[("backfill", "easy-sjbf"), ("estimates", "last-two")],
        },
        Preset {
            name: "fcfs",
            about: "space sharing, first come first served; nothing overtakes",
            kind: "space-sharing",
            set: &[("backfill", "none")],
        },
        Preset {
            name: "first-fit",
            about: "space sharing; the earliest job that fits starts, whoever waits before it",
            kind: "space-sharing",
            set: &[("queue", "first-fit"), ("backfill", "none")],
        },
        Preset {
            name: "largest",
            about: "space sharing, the job that needs most processors first; nothing overtakes",
            kind: "space-sharing",
            set: &[("queue", "largest"), ("backfill", "none")],
        },
        Preset {
            name: "sjf",
            about: "space sharing, shortest job first by estimates; nothing overtakes",
            kind: "space-sharing",
            set: &[("queue", "sjf"), ("backfill", "none")],
        },
        Preset {
            name: "smallest",
            about: "space sharing, the job that needs fewest processors first; nothing overtakes",
            kind: "space-sharing",
            set: &[("queue", "smallest"), ("backfill", "none")],
        },
        Preset {
            name: "worst-fit",
            about: "space sharing; of the jobs that fit, the one that leaves most processors free starts",
            kind: "space-sharing",
            set: &[("queue", "worst-fit"), ("backfill", "none")],
        },
    ];
    Table::new("policy", "which job starts when, and where", ENTRIES)
        .presets(PRESETS)
        .presets(coscheduling::PRESETS)
}
