//! The judge of runs of jobs on a cluster: their schedule, and the numbers that they state, made
//! again from the rows of their tables and from the workload.
//!
//! No code of the run takes part: no metric, integral or record of it. What is read again is the
//! workload, from its source.
//!
//! - `schedule`: the promises of a schedule;
//! - `rows`: cells of `jobs.csv` that follow from others;
//! - `run`: jobs and rows put together, warm-up and window;
//! - `counts`: counts of states, times, slowdowns, classes, half-widths of means;
//! - `capacity`: utilization, energy, memory, loss of capacity;
//! - `gpus`: free GPUs that are of no use;
//! - `instances`: sizes and starts of instances of GPUs;
//! - `interrupted`: nodes that fail, reservations of processors;
//! - `task_rows`, `tasks`: `executions.csv` and `profile.csv` of detail `task`;
//! - `usage`: `usage.csv`, the processors in use over time;
//! - `log`: lines of `jobs.swf`;
//! - `gang`, `gang_runs`, `matrix`, `matrix_rows`: the slices of the matrix at detail `job`, one by
//!   one, and the rows of `matrix.csv`.
//!
//! Of a run that was stopped the jobs that had not left have no rows: what depends on them is not
//! checked.

mod capacity;
mod counts;
mod facts;
mod gang;
mod gang_runs;
mod gpus;
mod instances;
mod interrupted;
mod log;
mod matrix;
mod matrix_rows;
mod rows;
mod run;
mod schedule;
mod task_rows;
mod tasks;
#[cfg(test)]
mod tests;
mod usage;
mod verdict;

use schedule::Earlier;

pub use facts::{ClassRule, GangRules, HeldForEver, JobFacts, JobFiles, Submitted, WarmUpRule};
pub use schedule::{
    Attempt, Away, ChargeRule, DecisionRules, Facts, FeatureActs, Holding, Interruptions, JudgedQueue, Law,
    LimitBasis, LimitBound, LimitMeasure, LimitTurn, LimitedQueue, LimitedQueues, Moldable, NodeReservations,
    NodeSupply, Order, OwnNodes, Parallelism, Piece, PoolSupply, PriorityOrder, PriorityRule, Promise,
    QueueHead, QueueNumber, Replayed, Requested, RequestedNodes, RequestedReservation, Reservations, Row,
    ScheduledJobs, SharingQueues, SizedRun, Supply, Without, acts_kept, all_runs, asks_beyond, cancellation,
    complete, crowded, dependencies, dependencies_inside, each_job, exclusive, granted, head_promise,
    head_starts, head_starts_on_nodes, in_order, in_pools, in_service, in_the_order,
    interrupted_by_maintenance, jobs_in_reservations, judge, limit, moldable, no_overlap, nothing_fits,
    nothing_fits_on, nothing_fits_on_nodes, on_nodes, on_own_nodes, queue_heads_start, read,
    reservation_promise, reservation_promise_on, reservation_promise_on_nodes, respects_reservations,
    schedule, shadow_time, shadow_time_on_nodes, shared, work_adds_up,
};
pub use verdict::judge_jobs;

const STOPPED: &str = "the run was stopped, and jobs that had not left have no rows";
const NO_EXECUTIONS: &str = "the run has no executions.csv and profile.csv (record.profile)";
