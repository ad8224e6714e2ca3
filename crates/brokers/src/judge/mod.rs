//! A finished run of global computing, judged by its files: what became of tasks, what was
//! measured, and what queues carried.
//!
//! Nothing here knows how tasks are sent or executed: what happened comes from `tasks.csv`,
//! `attempts.csv`, `measurements.csv`, `forecasts.csv`, `packets.csv` and `decisions.csv`
//! (`run`), and the caller answers for servers and queues (`BrokerFacts`). Tasks and packets of
//! others are not in the files: what they do to those of clients is not judged.
//!
//! - `tasks`: steps (1) to (10) of each task, in order, on servers that can execute it.
//! - `servers`: not overfull, in the order that they promise, for as long as instructions take.
//! - `summary`: counts and shares of the response time.
//! - `measurements`: what was read of servers, and forecasts of what was measured before.
//! - `decisions`: for the servers that tasks were sent to, and what they cost.
//! - `choices`: servers by the rule of the scheduler, and reasons of rejections.
//! - `alone`, `battery`, `speed`: times, forecasts and work that the others need.
//! - `again`: tables and numbers that follow from others are what these come to, and packets go
//!   along their routes.
//! - `packets`: one of a transfer at a time, one in a queue at a time, for as long as bytes take.

mod again;
mod alone;
mod battery;
mod choices;
mod decisions;
mod derived;
mod facts;
mod measurements;
mod observed;
mod packets;
mod queues;
mod run;
mod servers;
mod speed;
mod summary;
mod tasks;
#[cfg(test)]
mod tests;
mod tries;
mod unjudged;

use crate::kernel::SimTime;

use self::run::Run;
use self::unjudged::NO_TASKS;
use crate::check::each_promise::judge_each;
use crate::check::{JudgedPromise, Judgement, Violation};

pub(crate) use self::battery::{JudgedBattery, JudgedMethod};
pub(crate) use self::facts::{
    AskingRules, BrokerFacts, ChoiceRule, DescribedStation, JudgedStation, QueueRoutes, StationFacts,
    WholeRun,
};
pub(crate) use self::speed::StationSpeed;

/// The texts of a run's files, `None` for those that the scenario did not ask for, and what else is
/// known of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BrokerFiles<'a> {
    /// `tasks.csv`.
    pub tasks: Option<&'a str>,
    /// `attempts.csv`.
    pub attempts: Option<&'a str>,
    /// `measurements.csv`.
    pub measurements: Option<&'a str>,
    /// `forecasts.csv`.
    pub forecasts: Option<&'a str>,
    /// `packets.csv`.
    pub packets: Option<&'a str>,
    /// `decisions.csv`.
    pub decisions: Option<&'a str>,
    /// `summary.json`: its metrics by name.
    pub metrics: Option<&'a serde_json::Value>,
    /// Further facts of the run, if all numbers are to be judged.
    pub whole: Option<&'a WholeRun<'a>>,
    /// The beginning of observation.
    pub warm_up: SimTime,
    /// Number of times that a task may come back late.
    pub fallbacks: u64,
    /// True if tasks are sent to all servers of an answer.
    pub has_copies: bool,
    /// True if what is read of servers drifts from the truth.
    pub has_drift: bool,
    /// Rules for tasks that ask.
    pub asking: AskingRules,
    /// The battery, if it forecasts and its methods are known.
    pub battery: Option<&'a JudgedBattery>,
}

/// A function that judges a promise.
type Judge = fn(&Run<'_>) -> Judgement;

/// The promises in words, each with what judges it.
const PROMISES: [(&str, Judge); 15] = [
    ("tasks have a row each, in the order of issue, and go through their steps in order", |run| {
        Ok(tasks::steps(run))
    }),
    ("tasks are sent to servers that exist and have processors enough", |run| Ok(tasks::possible(run))),
    ("a task that is given up asks again, and comes back as often as attempts were given up", tasks::again),
    (
        "tasks are given up as late where they have a deadline, and no more often than they may be",
        tasks::late,
    ),
    ("no server executes more tasks at once than it has processors", servers::apart),
    ("servers that execute in order of arrival do so", servers::in_order),
    ("tasks are executed for as long as their instructions take", servers::served),
    ("as many tasks are completed, rejected, given up and late as is reported", summary::counts),
    ("parts of response times add up, and have the means that are reported", summary::shares),
    ("what is read of a server is its load and what is available of it then", measurements::readings),
    ("forecasts follow from the measurements before them", measurements::forecasts),
    ("a transfer has one packet outstanding, and all its bytes are sent", packets::transfers),
    ("queues serve one packet at a time, in the order that they promise", packets::queues),
    ("packets are served for as long as their bytes take", packets::served),
    ("decisions are for the servers that tasks are sent to, and cost what is reported", decisions::costs),
];

/// Judges a run; each promise in words, and what came of it.
///
/// # Errors
/// A file that is not what it should be, with its line and column.
///
/// # Complexity
/// n log n in tasks, measurements and packets.
pub(crate) fn judge_brokers(
    files: &BrokerFiles<'_>,
    facts: &dyn BrokerFacts,
) -> Result<Vec<JudgedPromise>, String> {
    let run = match files.tasks {
        Some(tasks) => Ok(Run::read(files, tasks, facts)?),
        None => Err(NO_TASKS),
    };
    let mut all = judge_each(&PROMISES, &run, |judge, run| judge(run));
    if let (Ok(run), Some(whole)) = (&run, files.whole) {
        all.extend(derived::judged(run, whole)?);
    }
    Ok(all)
}
