//! Policies: processes that decide which job starts when, and where.
//!
//! A policy is one `async` process over a [`FrontEnd`]: it waits for news, decides, starts jobs. It may also hold,
//! wait on timers, spawn processes of its own and race them all. What it decides with are the pure decisions of
//! [`batch`](crate::batch). A new policy is one file here, and its entry in [`table`].

mod around_reservations;
mod capacity_loss;
mod coscheduling;
mod dedicated;
mod error;
mod execution;
mod failed_run;
mod frames;
mod front_end;
mod gang;
mod molding;
mod node_failures;
mod on_nodes;
mod reservations;
mod scheduler;
mod simulate;
mod slices;
mod space_sharing;
mod why;

use crate::batch::queue::Discipline;
use crate::registry::{Complaint, Entry, Key, Kind, Params, Table};

/// The attribute that [`Policy`] and its implementations carry, as `#[async_trait(?Send)]`.
pub use async_trait::async_trait;

pub use dedicated::dedicate;
pub use error::{Capacity, PolicyError, Wrong};
pub use execution::{Sharing, TaskDetail};
pub use front_end::{FrontEnd, Interruption, News};
pub use simulate::{
    Detail, Outcomes, Setting, Standing, TaskSide, Watch, Watching, simulate, simulate_watched,
};

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

    /// Why it cannot run at detail `job`, if it cannot, as what is told of it: unless it says otherwise, that it shares nodes.
    fn unfit_for_jobs(&self) -> Option<&'static str> {
        let shares = !matches!(self.sharing(), Sharing::Exclusive);
        shares.then_some("shares nodes among jobs, which detail `job` does not simulate")
    }

    /// Why it cannot run at detail `task`, if it cannot, as what is told of it.
    fn unfit_for_tasks(&self) -> Option<&'static str> {
        None
    }

    /// Why it cannot run on nodes that have more than processors, if it cannot, as what is told of it: unless it says
    /// otherwise, it does not look at them.
    fn unfit_for_resources(&self) -> Option<&'static str> {
        Some("counts processors, and does not look at what nodes have beyond them")
    }

    /// Why it cannot run where nodes fail, if it cannot, as what is told of it: unless it says otherwise, that it does not take up
    /// jobs which were interrupted ([`News::interrupted`]).
    fn unfit_for_failures(&self) -> Option<&'static str> {
        Some("does not take up jobs that were interrupted")
    }

    /// Whether it gives moldable jobs other sizes ([`FrontEnd::mold`]): unless it says otherwise, every job gets what it asks for.
    fn molds(&self) -> bool {
        false
    }

    /// Why it cannot run where processors are reserved, if it cannot, as what is told of it: unless it says otherwise, that it does not
    /// look at them ([`FrontEnd::planned`]).
    fn unfit_for_reservations(&self) -> Option<&'static str> {
        Some("does not plan around reservations of processors")
    }

    /// Runs until [`FrontEnd::news`] says that there will be no more.
    ///
    /// # Errors
    /// What the front end refused. To return while jobs wait is a deadlock of the run.
    async fn run(&mut self, front: FrontEnd) -> Result<(), PolicyError>;
}

/// The key of the queue discipline, which every policy with a queue has.
const QUEUE: Key = Key::new("queue", Kind::Component("queue"))
    .or("fcfs")
    .about("the order in which waiting jobs are considered")
    .source("\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.1");

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
    Table::new("policy", "which job starts when, and where", ENTRIES)
        .presets(space_sharing::PRESETS)
        .presets(coscheduling::PRESETS)
        .presets(gang::PRESETS)
}
