//! Policies: processes that decide which job starts when, and where.
//!
//! A policy is one `async` process over a [`FrontEnd`]: it waits for news, decides, starts jobs. It
//! may also hold, wait on timers, spawn processes of its own and race them all. What it decides
//! with are the pure decisions of [`batch`](crate::batch). A new policy is one file here, and its
//! entry in [`table`].
//!
//! A job is read from its log (`crates/jobs/src/workload/swf/read.rs`), submitted by a process of
//! the run (`simulate.rs`), becomes news and is started (`front_end/lifecycle.rs`), runs and ends
//! (`front_end/run.rs`) in the front end. The policy (`space_sharing.rs`, over the queue and
//! estimates of `batch_scheduler.rs`) decides when, the rule of backfilling
//! (`batch/backfill/easy.rs`) which jobs overtake. The machine (`batch/machine/processors.rs`)
//! gives and takes processors, the record (`batch/record/jobs.rs`) keeps what became of the job,
//! and its row is made of that (`instrument/tables/jobs.rs`), for the files that the program writes
//! (`crates/cli/src/run.rs`).

mod around_reservations;
mod batch_scheduler;
mod components;
mod coscheduling;
mod dedicated;
mod divisions;
mod earlier_runs;
mod error;
mod execution;
mod failed_run;
mod feature;
pub(crate) mod features;
mod frames;
mod front_end;
mod gang;
mod gang_line;
mod gang_steps;
mod holdings;
mod in_divisions;
mod in_pools;
mod molding;
mod on_nodes;
pub mod own_features;
mod simulate;
mod slices;
mod space_sharing;
mod taken_over;
#[cfg(test)]
mod tests;
mod why;

use crate::batch::queue::Discipline;
use crate::registry::{Complaint, Entry, Key, Kind, Params, Table};

/// The attribute that [`Policy`] and its implementations carry, as `#[async_trait(?Send)]`.
pub use async_trait::async_trait;

pub use batch_scheduler::BatchScheduler;
pub use components::Components;
pub(crate) use components::MIX_WITHOUT_CPU;
pub use dedicated::dedicate;
pub use error::{Capacity, PolicyError, Wrong};
pub use execution::{Sharing, TaskDetail};
pub use feature::{Feature, Refusal};
pub use front_end::{FrontEnd, Interruption, News, SiteEvent};
pub use own_features::{
    FeatureAccess, FeatureRun, FeatureSite, FeatureVerdict, FeatureWork, OwnFeature, declare_feature,
};
pub use simulate::{Detail, Outcomes, Setting, SiteRules, TaskSide, Watching, simulate, simulate_watched};

/// A policy, from the first submission to the last end.
#[async_trait(?Send)]
pub trait Policy: std::fmt::Debug {
    /// Name in messages.
    fn name(&self) -> &'static str;

    /// Sharing of the processors: unless the policy says otherwise, a job has its own to itself.
    fn sharing(&self) -> Sharing {
        Sharing::Exclusive
    }

    /// The least multiprogramming level under which it works.
    fn least_level(&self) -> u32 {
        1
    }

    /// Features of a scenario that it cannot run with, as asked before a run. Unless it says
    /// otherwise, it shares nodes only at detail `task`, counts processors alone, does not take up
    /// jobs that were interrupted, plans around no reservations, and looks at no pools.
    fn refuses(&self, asked: &[Feature]) -> Vec<Refusal> {
        let shares = !matches!(self.sharing(), Sharing::Exclusive);
        Refusal::of(asked, |feature| match feature {
            Feature::DetailJob => {
                shares.then_some("shares nodes among jobs, which detail `job` does not simulate")
            }
            _ => feature.beyond_processors(),
        })
    }

    /// Returns true if it gives moldable jobs other sizes ([`FrontEnd::mold`]): unless it says
    /// otherwise, every job gets what it asks for.
    fn molds(&self) -> bool {
        false
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
