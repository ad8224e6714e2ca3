//! Queues of a policy: limits that hold jobs back, and orders that move while jobs wait.
//!
//! - `limits`: the queues and their limits, as the scenario has them;
//! - `counts`: what a run counts, of nodes and GPUs too;
//! - `held_back`: when limits let each job through, found out from all runs of all jobs, and starts
//!   of jobs that they hold back;
//! - `priority`: the formula of an order that moves, and the instants at which it is computed;
//! - `charge`: what a run is charged;
//! - `usage`: shares of accounts in what all runs have used, which fade;
//! - `predictions`: run times as a policy predicts them by those of jobs that ended;
//! - `stands`: the places of waiting jobs in an order, as of an instant.

mod charge;
mod counts;
mod doubt;
mod held_back;
#[cfg(test)]
mod held_back_tests;
mod limits;
mod predictions;
mod priority;
mod stands;
#[cfg(test)]
mod tests;
mod usage;

pub(super) use charge::Charges;
pub(super) use counts::LimitCounts;
pub(super) use held_back::{HeldBack, Submitted, held_back};
pub use limits::{LimitBound, LimitMeasure, LimitedQueue, LimitedQueues, QueueNumber};
pub(super) use predictions::{Predictions, corrected, predicted, predictions};
pub use priority::{ChargeRule, PriorityOrder, PriorityRule};
pub(super) use stands::{Stand, Stands};
