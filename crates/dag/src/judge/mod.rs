//! A finished run of task graphs, judged by its files: computations and transfers, their hosts and
//! instants, and their plans.
//!
//! Nothing here knows how graphs are planned or executed: the graph comes from `graph.dot`
//! (`graph`), what happened from tables (`run`), and the caller answers for hosts and links
//! (`PlatformFacts`). Loads that were drawn come from `loads.csv` (`loads`): without it nothing
//! is judged that depends on them.
//!
//! - `attempts`: every start of a task, and where its data came from.
//! - `tasks`, `cores`: every task once, where it can run, on as many cores as it asks for,
//!   alone on each, after its parents, for as long as its work takes.
//! - `transfers`: data are sent once their parent has ended and are there before their child
//!   starts, over routes that exist; files that begin at a home host likewise, and those that are
//!   to be there in the end are.
//! - `instants`: tasks and transfers are ready, and begin, as soon as they can.
//! - `plans`, `plan_file`: each plan is made for a reason, is consistent by itself, is executed
//!   in its order, and moves nothing that has started; `plan.json` says the same.
//! - `sheets`, `metrics`: tables and numbers that follow from others are what these come to, by
//!   `bounds` and `path`.
//!
//! Of a task that was started again `tasks.csv` has the last attempt, and `attempts.csv` all of
//! them (`attempts`): each had what it needed, and what was lost a failure took. Where there were
//! several plans a task may have been moved before it started: what follows from one plan is judged
//! of runs with one. A transfer that a failure broke off has no end, and another row is that by
//! which it was sent again.

mod attempts;
mod bounds;
mod cores;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fixture;
mod graph;
mod instants;
pub(crate) mod loads;
mod metrics;
mod path;
mod plan_file;
mod plans;
mod platform_facts;
mod reasons;
mod run;
mod sheets;
mod tasks;
#[cfg(test)]
mod tests;
mod transfers;
mod verdict;

use crate::check::{Judgement, Violation};

use reasons::{
    AGAIN, ALONE, CONSERVING, DECISIONS, DRAWN, ENDED, FAILING, NO_GRAPH, NO_MAKESPAN, NO_PLAN_FILE,
    NO_PLANS, NO_TASKS, NO_TRANSFERS, OTHERS, PLACES, PREDICTED, SCHEDULER, SEARCH, SEVERAL, STOPPED,
    TOGETHER,
};

pub(crate) use platform_facts::{
    ArrivedWorkflow, DrawnLoad, HostPrices, KnownPredictions, LinkUse, PartFailure, PartLeft, PlanFiles,
    PlatformFacts, SentFile,
};
pub(crate) use verdict::judge_plans;
