//! Records: every operation of every agent, in columns.
//!
//! A row for each put, get, execution and transfer, in the order in which they ended: agent, host,
//! task, from when to when, and what came of it. They are kept only if that is asked for
//! ([`Recording::Operations`]): some 40 bytes each.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::platform::HostId;
use crate::registry::definition::words;

use super::AgentId;

/// Records of a run that are kept apart from its counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Recording {
    /// Nothing.
    Counts,
    /// Tasks that were computed, with their hosts and times.
    #[default]
    Tasks,
    /// Every operation too.
    Operations,
}

words! {
    /// Operation of an agent.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Operation {
        Put = "put", "put a task: from when it asked to when it went on";
        Get = "get", "got a task: from when it asked to when it went on";
        Execute = "execute", "computed a task";
        Aside = "execute-aside", "computed what is no task of the application: a request, or a task that tries a worker";
        Transfer = "transfer", "sent a task: from when its transfer started; agent and host are the sender's";
        Read = "read", "read from a disk, whose name stands in the place of the task's";
        Write = "write", "wrote to a disk, whose name stands in the place of the task's";
    }
}

words! {
    /// Outcome of an operation.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Outcome {
        Done = "done", "it was done";
        Failed = "failed", "a host, a link or the agent at the other end failed";
        Aborted = "aborted", "it was given up: its time was over, or its agent was killed";
    }
}

/// A row, apart from the name of the task.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// Kind of the operation.
    pub operation: Operation,
    /// The agent.
    pub agent: AgentId,
    /// On which host.
    pub host: HostId,
    /// Amount, in the unit of speeds for executions and of bandwidths otherwise.
    pub amount: f64,
    /// From when.
    pub start: SimTime,
    /// To when.
    pub end: SimTime,
    /// With what result.
    pub outcome: Outcome,
}

/// The operations of a run, in the order in which they ended; at one instant in the order in which
/// agents went on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Records {
    operations: Vec<(Operation, Outcome)>,
    agents: Vec<AgentId>,
    hosts: Vec<HostId>,
    tasks: Vec<u32>,
    amounts: Vec<f64>,
    spans: Vec<(SimTime, SimTime)>,
    names: Vec<String>,
    numbers: OrderedMap<String, u32>,
}

impl Records {
    pub(super) fn push(&mut self, task: &str, entry: Entry) {
        let number = match self.numbers.get(task) {
            Some(&number) => number,
            None => {
                let number = self.names.len() as u32;
                self.names.push(task.to_owned());
                self.numbers.insert(task.to_owned(), number);
                number
            }
        };
        self.operations.push((entry.operation, entry.outcome));
        self.agents.push(entry.agent);
        self.hosts.push(entry.host);
        self.tasks.push(number);
        self.amounts.push(entry.amount);
        self.spans.push((entry.start, entry.end));
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The rows, each with the name of its task: also the spans of a timeline, whose queues are the
    /// agents.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Entry)> {
        (0..self.len()).map(|row| {
            let ((operation, outcome), (start, end)) = (self.operations[row], self.spans[row]);
            let (agent, host, amount) = (self.agents[row], self.hosts[row], self.amounts[row]);
            let entry = Entry { operation, agent, host, amount, start, end, outcome };
            (self.names[self.tasks[row] as usize].as_str(), entry)
        })
    }
}
