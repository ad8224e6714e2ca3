//! The schedule validator: whether a finished schedule keeps what was promised, whatever made it.
//!
//! It shares no code with the policies and no data with the recorder: it reads rows of submission,
//! start, end and processors, as `jobs.csv` has them ([`read`]), and judges them from the outside.
//! [`judge`] knows the promises of each policy. Each other file holds one:
//!
//! - [`dependencies`]: no job starts before those have left that it depends on;
//! - [`cancellation`]: jobs are cancelled when their users want it, and no others;
//! - [`acts_kept`]: no job runs while a feature of another crate holds it;
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
//! - [`on_own_nodes`]: jobs are on nodes of their queues;
//! - `queues`: limits of queues let each job through that starts;
//! - [`in_pools`]: no more of a pool is held than there is and than reservations leave;
//! - [`in_order`], [`in_the_order`]: where only the head of a queue may start, nothing overtakes;
//! - [`nothing_fits`]: under a discipline that starts whatever fits, no job that fits waits;
//! - [`head_starts`], [`shadow_time`]: the head starts once it fits, under EASY by its shadow time;
//! - [`queue_heads_start`]: so does the head of each of several queues that share nodes;
//! - [`reservation_promise`]: conservative backfilling starts no job after its first reservation.
//!
//! Promises to waiting jobs are judged of [`all_runs`], interrupted ones too, on the processors
//! that there are ([`Supply`]): those in service, less those that are reserved; or on [`nodes`].

mod calendar;
mod cancellation;
mod changes;
mod complete;
mod dependencies;
mod divisions;
mod each_job;
mod feature_acts;
mod floors;
mod head_promise;
mod in_order;
mod interruptions;
mod jobs_in_reservations;
mod judge;
mod limit;
mod moldable;
mod no_overlap;
mod nodes;
mod nothing_fits;
mod on_gpus;
mod on_nodes;
mod order;
mod pool_lines;
mod pools;
mod pools_ahead;
mod promises;
mod queues;
mod read;
mod requested;
mod reservation_promise;
mod reservations;
mod reservations_ahead;
mod row;
mod runs;
mod starts;
mod supply;
#[cfg(test)]
mod tests;
mod timeline;

use crate::check::{Judgement, Violation};
use crate::kernel::SimTime;

pub use cancellation::cancellation;
pub use complete::complete;
pub use dependencies::{Replayed, dependencies, dependencies_inside};
pub use divisions::{JudgedQueue, OwnNodes, on_own_nodes};
pub use each_job::each_job;
use feature_acts::hold;
pub use feature_acts::{FeatureActs, acts_kept};
pub use head_promise::{QueueHead, head_promise, head_starts, shadow_time};
use in_order::in_the_order_by;
pub use in_order::{in_order, in_the_order};
pub(in crate::judge) use interruptions::Earlier;
pub use interruptions::{Attempt, Away, Interruptions, SizedRun, in_service, work_adds_up};
pub use jobs_in_reservations::jobs_in_reservations;
pub use judge::judge;
use limit::limit_of_runs;
pub use limit::{LimitBasis, limit};
pub use moldable::{Law, Moldable, Parallelism, moldable};
pub use no_overlap::{crowded, no_overlap, shared};
pub use nodes::{
    NodeReservations, NodeSupply, RequestedNodes, SharingQueues, head_starts_on_nodes, nothing_fits_on_nodes,
    queue_heads_start, shadow_time_on_nodes,
};
use nodes::{RoomThen, respects_reserved_nodes};
pub use nothing_fits::{nothing_fits, nothing_fits_on};
pub use on_nodes::on_nodes;
use on_nodes::on_nodes_with;
pub use order::Order;
pub use pools::{PoolSupply, asks_beyond, in_pools};
pub use promises::{DecisionRules, Facts, Holding, Promise};
pub use queues::{
    ChargeRule, LimitBound, LimitMeasure, LimitedQueue, LimitedQueues, PriorityOrder, PriorityRule,
    QueueNumber,
};
use queues::{
    Charges, HeldBack, LimitCounts, Predictions, Stand, Stands, Submitted, corrected, held_back, predicted,
    predictions,
};
pub use read::{ScheduledJobs, read};
pub use requested::{Piece, RequestedReservation};
pub use reservation_promise::{reservation_promise, reservation_promise_on, reservation_promise_on_nodes};
pub use reservations::{Reservations, exclusive, granted, interrupted_by_maintenance};
use reservations::{interrupted_by_either, interrupted_by_reservations};
pub use reservations_ahead::respects_reservations;
pub use row::{LimitTurn, Requested, Row};
pub use runs::all_runs;
pub use supply::{Supply, Without};
#[cfg(test)]
use tests::{row, six_of_eight};

/// A violation of the job of a row.
fn violation_of(row: &Row, at: SimTime, what: impl Into<String>) -> Violation {
    Violation { job: row.number, at, what: what.into() }
}

/// Everything that holds for every schedule of rigid jobs on `procs` processors.
pub fn schedule(rows: &[Row], procs: u32) -> Vec<Violation> {
    let mut violations = each_job(rows, procs);
    violations.extend(no_overlap(rows));
    violations
}
