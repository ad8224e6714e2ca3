//! The log of a run: counts always, lists and records where they are asked for, and what is printed
//! while it runs.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use tracing::{Level, debug, enabled, info};

use crate::kernel::{SimTime, note_completion, now};
use crate::platform::HostId;

use super::record::{Entry, Operation, Outcome, Recording, Records};
use super::{AgentError, AgentId, Task};

/// A task that was computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completed {
    /// Name.
    pub task: Cow<'static, str>,
    /// The host that computed it.
    pub host: HostId,
    /// The agent that did.
    pub agent: AgentId,
    /// Instant at which it was done.
    pub at: SimTime,
}

/// An agent that did not end by itself, or with an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Name of the agent.
    pub agent: String,
    /// Host that it was on.
    pub host: HostId,
    /// Instant at which it ended.
    pub at: SimTime,
    /// Why; nothing if it was killed by an agent or at its time.
    pub error: Option<AgentError>,
}

/// Counts and lists of a run.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// True if operations are logged.
    logs_operations: bool,
    pub(super) recording: Recording,
    pub(super) tasks: Cell<u64>,
    pub(super) sent: Cell<f64>,
    pub(super) arrived: Cell<f64>,
    pub(super) transfers: Cell<u64>,
    pub(super) lost: Cell<u64>,
    pub(super) agents: Cell<u64>,
    pub(super) last_work: Cell<SimTime>,
    pub(super) completed: RefCell<Vec<Completed>>,
    pub(super) failures: RefCell<Vec<Failure>>,
    pub(super) records: RefCell<Records>,
}

fn add<T: Copy + std::ops::Add<Output = T>>(cell: &Cell<T>, more: T) {
    cell.set(cell.get() + more);
}

impl Log {
    pub(super) fn new(recording: Recording) -> Self {
        Log { recording, logs_operations: enabled!(Level::DEBUG), ..Log::default() }
    }

    /// A task was computed.
    #[inline]
    pub(super) fn completed(&self, task: &Task, agent: AgentId, host: HostId) {
        note_completion();
        add(&self.tasks, 1);
        self.last_work.set(now());
        if self.recording >= Recording::Tasks {
            let task = task.name.clone();
            self.completed.borrow_mut().push(Completed { task, host, agent, at: now() });
        }
    }

    /// A transfer is in progress.
    #[inline]
    pub(super) fn departed(&self, size: f64) {
        add(&self.sent, size);
    }

    /// A transfer is over.
    #[inline]
    pub(super) fn transferred(&self, size: f64, outcome: Outcome) {
        if outcome == Outcome::Done {
            note_completion();
            add(&self.transfers, 1);
            add(&self.arrived, size);
            self.last_work.set(now());
        } else {
            add(&self.lost, 1);
        }
    }

    /// Returns true if operations are wanted.
    #[inline]
    pub(super) fn wants_operations(&self) -> bool {
        self.recording == Recording::Operations || self.logs_operations
    }

    /// An operation is over, at the present instant.
    pub(super) fn operation(&self, task: &str, mut entry: Entry) {
        entry.end = now();
        if self.recording == Recording::Operations {
            self.records.borrow_mut().push(task, entry);
        }
        if self.logs_operations {
            let Entry { operation, agent, host, start, end, outcome, .. } = entry;
            let (agent, host) = (agent.0, host.index());
            let operation = Operation::name(operation);
            let outcome = Outcome::name(outcome);
            debug!(
                at = end.as_secs_f64(),
                agent,
                host,
                task,
                since = start.as_secs_f64(),
                outcome,
                "{operation}"
            );
        }
    }

    /// An agent begins.
    pub(super) fn begins(&self, agent: AgentId, name: &str, host: HostId) {
        add(&self.agents, 1);
        info!(at = now().as_secs_f64(), agent = agent.0, name, host = host.index(), "agent begins");
    }

    /// An agent has ended by itself.
    #[expect(clippy::unused_self, reason = "what is said of agents is said by their log")]
    pub(super) fn ends(&self, agent: AgentId, name: &str) {
        info!(at = now().as_secs_f64(), agent = agent.0, name, "agent ends");
    }

    /// An agent has failed or was killed.
    pub(super) fn fails(&self, agent: &str, host: HostId, error: Option<AgentError>) {
        let why = error.as_ref().map_or("killed".to_owned(), ToString::to_string);
        info!(at = now().as_secs_f64(), agent, host = host.index(), why, "agent fails");
        let agent = agent.to_owned();
        self.failures.borrow_mut().push(Failure { agent, host, at: now(), error });
    }
}
