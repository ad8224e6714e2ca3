//! Records: every operation of every agent, in columns.
//!
//! A row for each put, get, execution and transfer, in the order in which they ended: who, where, of which task, from when to when,
//! and what came of it. They are kept only if that is asked for ([`Recording::Operations`]): some 40 bytes each.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::kernel::SimTime;
use crate::platform::{HostId, Platform};
use crate::registry::definition::words;

use super::AgentId;

/// What is kept of a run beside its counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Recording {
    /// Nothing.
    Counts,
    /// Which tasks were computed, where and when.
    #[default]
    Tasks,
    /// Every operation too.
    Operations,
}

words! {
    /// What an agent did.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Operation {
        Put = "put", "put a task: from when it asked to when it went on";
        Get = "get", "got a task: from when it asked to when it went on";
        Execute = "execute", "computed a task";
        Transfer = "transfer", "sent a task: from when its transfer started; agent and host are the sender's";
        Read = "read", "read from a disk, whose name stands in the place of the task's";
        Write = "write", "wrote to a disk, whose name stands in the place of the task's";
    }
}

words! {
    /// What came of an operation.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Outcome {
        Done = "done", "it was done";
        Failed = "failed", "a host, a link or the agent at the other end failed";
        Left = "left", "it was given up: its time was over, or its agent was killed";
    }
}

/// A row, apart from the name of the task.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// What was done.
    pub operation: Operation,
    /// By whom.
    pub agent: AgentId,
    /// On which host.
    pub host: HostId,
    /// How much, in the unit of speeds for executions and of bandwidths otherwise.
    pub amount: f64,
    /// From when.
    pub start: SimTime,
    /// To when.
    pub end: SimTime,
    /// With what result.
    pub outcome: Outcome,
}

/// The operations of a run, in the order in which they ended; at one instant in the order in which agents went on.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Records {
    operations: Vec<(Operation, Outcome)>,
    agents: Vec<AgentId>,
    hosts: Vec<HostId>,
    tasks: Vec<u32>,
    amounts: Vec<f64>,
    spans: Vec<(SimTime, SimTime)>,
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The rows, each with the name of its task: also the spans of a timeline, whose lines are the agents.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Entry)> {
        (0..self.len()).map(|row| {
            let ((operation, outcome), (start, end)) = (self.operations[row], self.spans[row]);
            let (agent, host, amount) = (self.agents[row], self.hosts[row], self.amounts[row]);
            let entry = Entry { operation, agent, host, amount, start, end, outcome };
            (self.names[self.tasks[row] as usize].as_str(), entry)
        })
    }

    /// Writes them as `operations.csv`: a row each, with the names of hosts on `platform` and of agents in `agents`, times in seconds.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, platform: &Platform, agents: &[String], out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"operation,agent,name,host,task,amount,start,end,outcome\n")?;
        for (task, entry) in self.iter() {
            let name = agents.get(entry.agent.index()).map_or("", String::as_str);
            let host = platform.hosts().get(entry.host.index()).map_or("", |host| host.name.as_str());
            let operation = entry.operation.name();
            write!(out, "{operation},{},", entry.agent.index())?;
            for text in [name, host, task] {
                out.write_all(field(text).as_bytes())?;
                out.write_all(b",")?;
            }
            let (start, end) = (seconds(entry.start), seconds(entry.end));
            writeln!(out, "{},{start},{end},{}", entry.amount, entry.outcome.name())?;
        }
        Ok(())
    }
}

/// An instant in seconds, all nanoseconds of it and no zeros behind them.
pub(super) fn seconds(at: SimTime) -> String {
    let (whole, nanos) = (at.as_nanos() / 1_000_000_000, at.as_nanos() % 1_000_000_000);
    if nanos == 0 {
        return whole.to_string();
    }
    format!("{whole}.{nanos:09}").trim_end_matches('0').to_owned()
}

/// A field of a CSV file, quoted where it must be.
pub(super) fn field(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{Builder, Host};

    #[test]
    fn rows_are_written_with_names_and_exact_times() {
        let mut records = Records::default();
        let entry = Entry {
            operation: Operation::Execute,
            agent: AgentId(1),
            host: HostId::new(0),
            amount: 2.5,
            start: SimTime::from_nanos(1_000_000_000),
            end: SimTime::from_nanos(1_250_000_001),
            outcome: Outcome::Done,
        };
        records.push("a, \"b\"", entry);
        records.push("c", Entry { outcome: Outcome::Left, ..entry });
        let mut builder = Builder::new();
        builder.host(Host::new("h", 1.0)).expect("one host");
        let mut out = Vec::new();
        let agents = ["master".to_owned(), "worker".to_owned()];
        records.write(&builder.build(), &agents, &mut out).expect("into memory");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(
            text,
            "operation,agent,name,host,task,amount,start,end,outcome\n\
             execute,1,worker,h,\"a, \"\"b\"\"\",2.5,1,1.250000001,done\n\
             execute,1,worker,h,c,2.5,1,1.250000001,left\n"
        );
    }
}
