//! Errors that end a run, all of them mistakes of the model. Broken invariants of the
//! kernel itself are assertions.

use std::fmt;

use super::name::Name;
use super::time::{PAST_THE_END, SimDuration, SimTime};

/// A process that waits for something that will never happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The process.
    pub process: Name,
    /// The wait and its start, one line a pending wait; empty if the process waits in a foreign
    /// combinator that shows nothing.
    pub waits_for: Vec<String>,
}

/// Reason that a run ended before its time.
#[derive(Debug)]
pub enum SimError {
    /// Nothing is left that could happen, background holds apart, and processes that are not
    /// daemons still wait.
    Deadlock {
        /// Instant at which the last thing happened.
        at: SimTime,
        /// Every blocked process, in order of creation.
        blocked: Vec<Blocked>,
        /// Further remarks of the model, such as earlier failures, a line each.
        before: Vec<String>,
    },
    /// A process was resumed again and again without time moving.
    Livelock {
        /// The process that ran in a circle, or one of them.
        process: Name,
        /// The instant that never ends.
        at: SimTime,
        /// The limit that it passed (see `Simulation::livelock_after`).
        resumptions: u64,
        /// Further remarks of the model, a line each.
        before: Vec<String>,
    },
    /// Decisions followed each other, and nothing was completed (see `Simulation::give_up_after`).
    NoProgress {
        /// The process that decided last.
        process: Name,
        /// Instant at which it did.
        at: SimTime,
        /// Instant of the last completion, or the start of the run.
        since: SimTime,
        /// Number of decisions since then.
        decisions: u64,
        /// The last decision, and why it completed nothing.
        why: String,
    },
    /// A wait would not end before the last representable instant, 584 years after the start, which
    /// stands for never.
    TimeOverflow {
        /// The process that waits.
        process: Name,
        /// Instant at which it began to wait.
        at: SimTime,
        /// Time for which it meant to wait.
        delay: SimDuration,
    },
    /// The run needs more of something than there is: memory of processes, waits, or what
    /// [`Simulation::at_most`] allows.
    ///
    /// [`Simulation::at_most`]: super::Simulation::at_most
    Exhausted {
        /// Instant.
        at: SimTime,
        /// The limit that was exceeded.
        limit: &'static str,
        /// Processes at that time.
        processes: usize,
        /// The kind that most of them are of.
        kind: &'static str,
        /// Number of processes of that kind.
        count: usize,
    },
    /// The run had ended with an error before, and was asked to go on.
    Over {
        /// The error it ended with, in words.
        error: String,
    },
    /// A model gave up (see [`fail`](super::fail)).
    Model {
        /// The process that gave up.
        process: Name,
        /// Instant.
        at: SimTime,
        /// Cause.
        error: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimError::Deadlock { at, blocked, before } => {
                let (count, blocked, before) = (blocked.len(), list(blocked), list(before));
                let wait = if count == 1 { "process waits" } else { "processes wait" };
                write!(f, "deadlock at {at}: nothing is left to happen and {count} {wait}{blocked}{before}")
            }
            SimError::Livelock { process, at, resumptions, before } => write!(
                f,
                "livelock at {at}: process `{process}` was resumed more than {resumptions} times without time moving{}",
                list(before)
            ),
            SimError::NoProgress { process, at, since, decisions, why } => write!(
                f,
                "no progress: nothing was completed from {since} to {at}, in {decisions} decisions, the last of \
                 process `{process}`: {why}; `run.give-up-after` says after how many a run is given up"
            ),
            SimError::TimeOverflow { process, at, delay } => {
                let never = *delay >= SimTime::MAX.since(*at);
                let wait = if never { format!("for ever from {at} on") } else { format!("{delay} at {at}") };
                write!(f, "process `{process}` waits {wait}: that ends {PAST_THE_END}")
            }
            SimError::Exhausted { at, limit, processes, kind, count } => write!(
                f,
                "the run is too large at {at}: {limit}; {count} of its {processes} processes are `{kind}`"
            ),
            SimError::Over { error } => {
                write!(f, "the run cannot go on: it ended with an error ({error})")
            }
            SimError::Model { process, at, error } => write!(f, "{error} (at {at}, in process `{process}`)"),
        }
    }
}

impl std::error::Error for SimError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SimError::Model { error, .. } => Some(&**error),
            _ => None,
        }
    }
}

/// At most this many blocked processes, and things that went wrong before, are printed.
const SHOWN: usize = 20;

fn list(lines: &[impl fmt::Display]) -> String {
    let mut text = String::new();
    for one in lines.iter().take(SHOWN) {
        text += &format!("\n  {one}");
    }
    if lines.len() > SHOWN {
        text += &format!("\n  … and {} more", lines.len() - SHOWN);
    }
    text
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.waits_for.is_empty() {
            return write!(f, "{}: waits in a combinator that does not report for what", self.process);
        }
        write!(f, "{}: {}", self.process, self.waits_for.join("; "))
    }
}
