//! What a run of agents hands over as tables, and its timeline.
//!
//! - `tasks`, in the order of ending: the x-th row is the x-th task that was computed.
//! - `hosts`, in the order of the platform.
//! - `flows`, a row for each given flow in the order of the list; the time and rate of a flow that did not complete are empty.
//! - `operations`, a row for each put, get, execution and transfer, in the order in which they ended.
//! - the timeline: a lane an agent, with what it put, got and computed; transfers are on the lane of the sender. A lane for each
//!   given flow that has ended.

use std::io;

use crate::kernel::SimDuration;
use crate::output::{
    Cell, LaneSink, LaneSource, Lanes, NamedSpan, RowSink, RowSource, Table, columns, push_spans,
};
use crate::platform::Platform;

use super::record::Entry;
use super::{FlowOutcome, FlowState, Outcomes, Records};

/// The tasks that were computed.
#[derive(Clone, Copy, Debug)]
pub struct TaskRows<'a>(pub &'a Outcomes);

/// What each host did.
#[derive(Clone, Copy, Debug)]
pub struct HostRows<'a>(pub &'a Outcomes);

/// What became of each given flow.
#[derive(Clone, Copy, Debug)]
pub struct FlowRows<'a>(pub &'a Outcomes);

/// Every operation of every agent.
#[derive(Clone, Copy, Debug)]
pub struct OperationRows<'a> {
    records: &'a Records,
    platform: &'a Platform,
    agents: &'a [String],
}

/// Every table that a run of agents may have.
pub fn declared() -> Vec<Table> {
    vec![
        Table::new(
            "tasks",
            "of agents: a row a task that was computed, in order of end time. Key: record.tasks",
            &columns! {
                "task" Text "", "the task";
                "host" Text "", "the host that computed it";
                "agent" Count "", "the number of the agent there, from 0";
                "name" Text "", "the name of the agent";
                "end" Time "s", "when it was computed";
            },
        ),
        Table::new(
            "hosts",
            "of agents: a row a host, in the order of the platform. Key: record.tasks",
            &columns! {
                "host" Text "", "the host";
                "cores" Count "", "its cores";
                "work" Real "", "the work that it did, in the unit of speeds";
                "busy" Real "s", "seconds of its cores in use";
                "utilization" Real "", "their share of cores x makespan";
            },
        ),
        Table::new(
            "operations",
            "of agents: a row for everything that an agent put, got, computed, sent, read or wrote, in order of end time. Key: record.operations",
            &columns! {
                "operation" Text "", "what the agent did";
                "agent" Count "", "the number of the agent, from 0";
                "name" Text "", "the name of the agent";
                "host" Text "", "its host";
                "task" Text "", "the task; of a read or write the disk";
                "amount" Real "", "how much, in the unit of speeds for executions and of bandwidths otherwise";
                "start" Time "s", "from when";
                "end" Time "s", "to when";
                "outcome" Text "", "what came of it: `done`, `failed` or `aborted`";
            },
        ),
        Table::new(
            "flows",
            "where flows are given: a row for each in the order of the list. Key: flows",
            &columns! {
                "flow" Text "", "the flow";
                "from" Text "", "the host that it comes from";
                "to" Text "", "the host that it goes to";
                "size" Real "", "how much it is, in the unit of bandwidths";
                "rate-cap" Real "", "the highest rate that it may have, if there is one";
                "start" Time "s", "when it started";
                "end" Time "s", "when it completed or failed; empty if it did neither";
                "time" Time "s", "from start to end, if it completed";
                "rate" Real "", "size over time, if it completed in more than none";
                "state" Text "", "`completed`, `failed` or `unfinished`";
                "reason" Text "", "why it failed";
            },
        ),
    ]
}

/// The declaration of this name.
fn table(name: &str) -> Table {
    declared().into_iter().find(|table| table.name == name).expect("it is declared above")
}

impl RowSource for TaskRows<'_> {
    fn table(&self) -> Table {
        table("tasks")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.0.completed.iter().try_for_each(|done| {
            sink.row(&[
                Cell::Text(&done.task),
                Cell::Text(&self.0.platform().host(done.host).name),
                Cell::Count(done.agent.index() as u64),
                Cell::Text(self.0.agents.get(done.agent.index()).map_or("", String::as_str)),
                Cell::at(done.at),
            ])
        })
    }
}

impl RowSource for HostRows<'_> {
    fn table(&self) -> Table {
        table("hosts")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let makespan = self.0.makespan.as_secs_f64();
        for (host, &(work, busy)) in self.0.platform().hosts().iter().zip(&self.0.computed) {
            let whole = f64::from(host.cores) * makespan;
            let share = if whole > 0.0 { busy / whole } else { 0.0 };
            let cores = Cell::Count(u64::from(host.cores));
            sink.row(&[
                Cell::Text(&host.name),
                cores,
                Cell::Real(work),
                Cell::Real(busy),
                Cell::Real(share),
            ])?;
        }
        Ok(())
    }
}

impl RowSource for FlowRows<'_> {
    fn table(&self) -> Table {
        table("flows")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        for FlowOutcome { flow, end, state } in &self.0.flows {
            let [from, to] = [flow.from, flow.to].map(|host| self.0.platform().host(host).name.as_str());
            let time = end.filter(|_| *state == FlowState::Completed).map(|end| end.since(flow.start));
            let secs = time.map(SimDuration::as_secs_f64).filter(|secs| *secs > 0.0);
            sink.row(&[
                Cell::Text(&flow.name),
                Cell::Text(from),
                Cell::Text(to),
                Cell::Real(flow.size),
                flow.rate_cap.map(Cell::Real).unwrap_or_default(),
                Cell::at(flow.start),
                end.map(Cell::at).unwrap_or_default(),
                time.map(Cell::Time).unwrap_or_default(),
                secs.map(|secs| Cell::Real(flow.size / secs)).unwrap_or_default(),
                Cell::Word(state.name()),
                if let FlowState::Failed(reason) = state { Cell::Text(reason) } else { Cell::Empty },
            ])?;
        }
        Ok(())
    }
}

impl<'a> OperationRows<'a> {
    /// Those of a run.
    pub fn of(outcomes: &'a Outcomes) -> Self {
        let Outcomes { records, agents, .. } = outcomes;
        OperationRows { records, platform: outcomes.platform(), agents }
    }
}

impl RowSource for OperationRows<'_> {
    fn table(&self) -> Table {
        table("operations")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        for (task, entry) in self.records.iter() {
            let name = self.agents.get(entry.agent.index()).map_or("", String::as_str);
            let host = self.platform.hosts().get(entry.host.index()).map_or("", |host| host.name.as_str());
            sink.row(&[
                Cell::Word(entry.operation.name()),
                Cell::Count(entry.agent.index() as u64),
                Cell::Text(name),
                Cell::Text(host),
                Cell::Text(task),
                Cell::Real(entry.amount),
                Cell::at(entry.start),
                Cell::at(entry.end),
                Cell::Word(entry.outcome.name()),
            ])?;
        }
        Ok(())
    }
}

/// The timeline of a run of agents.
#[derive(Clone, Copy, Debug)]
pub struct AgentLanes<'a>(pub &'a Outcomes);

impl LaneSource for AgentLanes<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: "agents", number: 1, counters: &[] }
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let outcomes = self.0;
        let numbered = outcomes.agents.iter().enumerate();
        let mut lanes: Vec<String> = numbered.map(|(number, name)| format!("{name} {number}")).collect();
        let named = outcomes.records.iter();
        let named: Vec<(String, _)> =
            named.map(|(task, entry)| (format!("{} {task}", entry.operation.name()), entry)).collect();
        let mut spans: Vec<NamedSpan<'_>> = named
            .iter()
            .map(|(name, Entry { agent, start, end, .. })| NamedSpan {
                lane: agent.index() as u32,
                name,
                start: *start,
                end: *end,
            })
            .collect();
        for FlowOutcome { flow, end, .. } in &outcomes.flows {
            let Some(end) = *end else { continue };
            spans.push(NamedSpan { lane: lanes.len() as u32, name: &flow.name, start: flow.start, end });
            lanes.push(format!("flow {}", flow.name));
        }
        push_spans(&lanes, &spans, sink)
    }
}

#[cfg(test)]
mod tests {
    use crate::agent::AgentId;
    use crate::agent::record::{Operation, Outcome};
    use crate::kernel::SimTime;
    use crate::output::TableFormat;
    use crate::platform::{Builder, Host, HostId};

    use super::*;

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
        records.push("c", Entry { outcome: Outcome::Aborted, ..entry });
        let mut builder = Builder::new();
        builder.host(Host::new("h", 1.0)).expect("one host");
        let agents = ["master".to_owned(), "worker".to_owned()];
        let operations = OperationRows { records: &records, platform: &builder.build(), agents: &agents };
        let text =
            String::from_utf8(TableFormat::Csv.bytes(&operations).expect("into memory")).expect("text");
        assert_eq!(
            text,
            "operation,agent,name,host,task,amount,start,end,outcome\n\
             execute,1,worker,h,\"a, \"\"b\"\"\",2.5,1,1.250000001,done\n\
             execute,1,worker,h,c,2.5,1,1.250000001,aborted\n"
        );
    }
}
