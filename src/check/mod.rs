//! The schedule validator: whether a finished schedule keeps what was promised, whatever made it.
//!
//! It shares no code with the policies and no data with the recorder: it reads rows of submission,
//! start, end and processors, as `jobs.csv` has them ([`read`]), and judges them from the outside.
//! [`judge`] knows the promises of each policy. Each other file holds one:
//!
//! - [`dependencies`]: no job starts before those have left that it depends on;
//! - [`cancellation`]: jobs are cancelled when their users want it, and no others;
//! - [`moldable`]: moldable jobs have sizes that they can have, and run as long as their law says;
//! - [`complete`]: the jobs are those of the workload, none lost and none made up;
//! - [`each_job`]: jobs start after submission, and run for their run time on processors as needed;
//! - [`limit`]: no job runs longer than it may, and one that is killed has run for exactly so long;
//! - [`in_service`], [`work_adds_up`]: no job is on a node out of service, and the work that a job
//!   keeps of interrupted runs and does in its last one is its run time;
//! - [`exclusive`], [`granted`], [`respects_reservations`], [`interrupted_by_maintenance`]:
//!   reservations have what they request and to themselves, no job that starts delays them, and
//!   only maintenance interrupts jobs;
//! - [`jobs_in_reservations`]: a job that is to run inside a reservation does so, and nowhere else;
//! - [`no_overlap`]: no processor is held by two jobs at once, or by more than it takes;
//! - [`on_nodes`]: nodes give at most the memory and GPUs they have, to jobs that may be there;
//! - [`in_order`], [`in_the_order`]: where only the head of a queue may start, nothing overtakes;
//! - [`nothing_fits`]: under a discipline that starts whatever fits, no job that fits waits;
//! - [`head_starts`], [`shadow_time`]: the head starts once it fits, under EASY by its shadow time;
//! - [`reservation_promise`]: conservative backfilling starts no job after its first reservation.
//!
//! Of every run, [`as_written`] compares the files with the manifest, and [`Recomputation`] the
//! numbers of a summary with rows. Other systems have no schedule: [`judge_agents`],
//! [`judge_plans`], [`judge_sweeps`], [`judge_brokers`] judge their files.

mod agents;
mod broker;
mod cancellation;
mod changes;
mod complete;
mod dependencies;
mod each_job;
mod each_promise;
mod files;
mod head_promise;
mod in_order;
mod interruptions;
mod jobs;
mod jobs_in_reservations;
mod judge;
mod limit;
mod moldable;
mod no_overlap;
mod on_nodes;
mod order;
mod plan;
mod promises;
mod read;
mod reservation_promise;
mod reservations;
mod reservations_ahead;
mod row;
mod sheet;
mod stated;
mod sweep;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::kernel::SimTime;

pub use agents::{AgentFiles, judge_agents};
pub use broker::{
    AskingRules, BrokerFacts, BrokerFiles, ChoiceRule, DescribedStation, JudgedBattery, JudgedMethod,
    JudgedStation, QueueRoutes, StationFacts, StationSpeed, WholeRun, judge_brokers,
};
pub use cancellation::cancellation;
pub use complete::complete;
pub use dependencies::{Replayed, dependencies};
pub use each_job::each_job;
pub use files::as_written;
pub use head_promise::{head_promise, head_starts, shadow_time};
pub use in_order::{in_order, in_the_order};
pub use interruptions::{Attempt, Away, Interruptions, in_service, work_adds_up};
pub use jobs::{ClassRule, GangRules, JobFacts, JobFiles, Submitted, WarmUpRule, judge_jobs};
pub use jobs_in_reservations::jobs_in_reservations;
pub use judge::{Judgement, judge};
pub use limit::{LimitBasis, limit};
pub use moldable::{Law, Moldable, Parallelism, moldable};
pub use no_overlap::{crowded, no_overlap, shared};
pub use on_nodes::on_nodes;
pub use order::Order;
pub use plan::{
    ArrivedWorkflow, DrawnLoad, HostPrices, KnownPredictions, LinkUse, PartFailure, PartLeft, PlanFiles,
    PlatformFacts, SentFile, judge_plans,
};
pub use promises::{DecisionRules, Facts, Holding, Promise};
pub use read::{ScheduledJobs, read};
pub use reservation_promise::reservation_promise;
pub use reservations::{
    Piece, RequestedReservation, Reservations, exclusive, granted, interrupted_by_maintenance,
};
pub use reservations_ahead::{nothing_fits, nothing_fits_with_reservations, respects_reservations};
pub use row::{Requested, Row};
pub use stated::{Recomputation, near};
pub use sweep::{
    ScenarioFile, ScenarioSweep, ScenarioTask, SweepFacts, SweepFiles, SweepValue, judge_sweeps,
};
#[cfg(test)]
use tests::row;

/// A promise in words, and what came of it.
pub type JudgedPromise = (String, Judgement);

/// A promise that a schedule breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The job it happened to; [`Violation::NO_JOB`] if it is no job.
    pub job: u64,
    /// The instant.
    pub at: SimTime,
    /// The event in words.
    pub what: String,
}

impl Violation {
    /// Stands for a job where what happened concerns none.
    pub const NO_JOB: u64 = u64::MAX;

    /// A violation of the job of a row.
    fn of(row: &Row, at: SimTime, what: impl Into<String>) -> Self {
        Violation { job: row.number, at, what: what.into() }
    }

    /// A violation of no job.
    pub fn of_no_job(at: SimTime, what: String) -> Self {
        Violation { job: Violation::NO_JOB, at, what }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.job == Self::NO_JOB {
            return write!(f, "at {}: {}", self.at, self.what);
        }
        write!(f, "job {} at {}: {}", self.job, self.at, self.what)
    }
}

/// Everything that holds for every schedule of rigid jobs on `procs` processors.
pub fn schedule(rows: &[Row], procs: u32) -> Vec<Violation> {
    let mut violations = each_job(rows, procs);
    violations.extend(no_overlap(rows));
    violations
}
