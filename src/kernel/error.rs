//! What can go wrong in a run, and whose mistake it is: the model's. Broken invariants of the kernel itself are
//! assertions.

use std::fmt;

use super::process::Name;
use super::time::{SimDuration, SimTime};

/// A process that waits for something that will never happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The process.
    pub process: Name,
    /// What it waits for and since when, one line a pending wait; empty if it waits in a foreign combinator that shows
    /// nothing.
    pub waits_for: Vec<String>,
}

/// Why a run ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum SimError {
    /// Nothing is left that could happen, background holds apart, and processes that are not daemons still wait.
    #[error(
        "deadlock at {at}: nothing is left to happen and {} {}{}{}",
        count(blocked.len()),
        if blocked.len() == 1 { "waits" } else { "wait" },
        list(blocked),
        list(before)
    )]
    Deadlock {
        /// When the last thing happened.
        at: SimTime,
        /// Every blocked process, in order of creation.
        blocked: Vec<Blocked>,
        /// What else the model knows of it, such as what had gone wrong before, a line each.
        before: Vec<String>,
    },
    /// A process was resumed again and again without time moving.
    #[error(
        "livelock at {at}: process `{process}` was resumed more than {resumptions} times without time moving{}",
        list(before)
    )]
    Livelock {
        /// The process that ran in a circle, or one of them.
        process: Name,
        /// The instant that never ends.
        at: SimTime,
        /// The limit that it passed (see `Simulation::livelock_after`).
        resumptions: u64,
        /// What else the model knows of it, a line each.
        before: Vec<String>,
    },
    /// A wait would end after the last instant that can be told, 584 years after the start.
    #[error("process `{process}` waits {delay} at {at}: that ends past the end of virtual time (584 years)")]
    TimeOverflow {
        /// The process that waits.
        process: Name,
        /// When it began to wait.
        at: SimTime,
        /// How long it meant to wait.
        delay: SimDuration,
    },
    /// The run needs more of something than there is: memory of processes, waits, or what [`Simulation::at_most`] allows.
    ///
    /// [`Simulation::at_most`]: super::Simulation::at_most
    #[error("the run is too large at {at}: {limit}; {count} of its {processes} processes are `{kind}`")]
    Exhausted {
        /// When.
        at: SimTime,
        /// The limit that was exceeded.
        limit: &'static str,
        /// Processes at that time.
        processes: usize,
        /// The kind that most of them are of.
        kind: &'static str,
        /// How many are of that kind.
        count: usize,
    },
    /// The run had ended with an error before, and was asked to go on.
    #[error("the run cannot go on: it ended with an error ({error})")]
    Over {
        /// The error it ended with, in words.
        error: String,
    },
    /// A model gave up (see [`fail`](super::fail)).
    #[error("{error} (at {at}, in process `{process}`)")]
    Model {
        /// The process that gave up.
        process: Name,
        /// When.
        at: SimTime,
        /// Why.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
}

fn count(processes: usize) -> String {
    if processes == 1 { "1 process".to_owned() } else { format!("{processes} processes") }
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
            return write!(f, "{}: waits in a combinator that does not tell for what", self.process);
        }
        write!(f, "{}: {}", self.process, self.waits_for.join("; "))
    }
}
