//! Tables that a run of agents hands over, and its timeline.
//!
//! - `tasks`, in the order of ending: the x-th row is the x-th task that was computed.
//! - `hosts`, in the order of the platform.
//! - `flows`, a row for each given flow in the order of the list; the time and rate of a flow that
//!   did not complete are empty.
//! - `operations`, a row for each put, get, execution and transfer, in the order in which they
//!   ended.
//! - the timeline: a lane an agent, with what it put, got and computed; transfers are on the lane
//!   of the sender. A lane for each given flow that has ended.

use std::io;

use crate::collections::{OrderedMap, StableSort as _};
use crate::output::{Cell, LaneCause, LaneSink, LaneSource, Lanes, NamedSpan, Table, push_spans, rows};
use crate::platform::sharing::LinkId;
use crate::platform::{Host, HostId};

use super::record::{Entry, Operation};
use super::{AgentId, FlowOutcome, FlowState, Outcomes};

rows! {
    /// The tasks that were computed.
    pub struct TaskRows<'a>(&'a Outcomes) = "tasks",
        "of agents: a row a task that was computed, in order of end time. Key: record.tasks";
    from run, &run.completed;
    done => {
        "task" Text "", "the task" => &*done.task;
        "host" Text "", "the host that computed it" => run.host_name(done.host);
        "agent" Count "", "the number of the agent there, from 0" => done.agent.index() as u64;
        "name" Text "", "the name of the agent" => run.agent_name(done.agent);
        "end" Time "s", "when it was computed" => done.at;
    }
}

rows! {
    /// Work of each host.
    pub struct HostRows<'a>(&'a Outcomes) = "hosts",
        "of agents: a row a host, in the order of the platform. Key: record.tasks";
    from run, run.platform().hosts().iter().zip(&run.computed);
    (host, &(work, busy)) => {
        "host" Text "", "the host" => &*host.name;
        "cores" Count "", "its cores" => host.cores;
        "work" Real "", "the work that it did, in the unit of speeds" => work;
        "busy" Real "s", "seconds of its cores in use" => busy;
        "utilization" Real "", "their share of cores x makespan, or of the time until a core of any host was in use last, if that is later" => run.share(host, busy);
    }
}

rows! {
    /// Outcome of each given flow.
    pub struct FlowRows<'a>(&'a Outcomes) = "flows",
        "where flows are given: a row for each in the order of the list. Key: flows";
    from run, &run.flows;
    one => {
        "flow" Text "", "the flow" => &*one.flow.name;
        "from" Text "", "the host that it comes from" => run.host_name(one.flow.from);
        "to" Text "", "the host that it goes to" => run.host_name(one.flow.to);
        "size" Real "", "how much it is, in the unit of bandwidths" => one.flow.size;
        "rate-cap" Real "", "the highest rate that it may have, if there is one" => one.flow.rate_cap;
        "start" Time "s", "when it started" => one.flow.start;
        "end" Time "s", "when it completed or failed; empty if it did neither" => one.end;
        "time" Time "s", "from start to end, if it completed" => one.time();
        "rate" Real "", "size over time, if it completed in more than none" => one.rate();
        "state" Text "", "`completed`, `failed` or `unfinished`" => Cell::Word(one.state.name());
        "reason" Text "", "why it failed" => if let FlowState::Failed(why) = &one.state { Some(why.as_str()) } else { None };
    }
}

rows! {
    /// Every operation of every agent.
    pub struct OperationRows<'a>(&'a Outcomes) = "operations",
        "of agents: a row for everything that an agent put, got, computed, sent, read or wrote, in order of end time. Key: record.operations";
    from run, run.records.iter();
    (task, entry) => {
        "operation" Text "", "what the agent did" => Cell::Word(entry.operation.name());
        "agent" Count "", "the number of the agent, from 0" => entry.agent.index() as u64;
        "name" Text "", "the name of the agent" => run.agent_name(entry.agent);
        "host" Text "", "its host" => run.host_name(entry.host);
        "task" Text "", "the task; of a read or write the disk" => task;
        "amount" Real "", "how much, in the unit of speeds for executions and of bandwidths otherwise" => entry.amount;
        "start" Time "s", "from when" => entry.start;
        "end" Time "s", "to when" => entry.end;
        "outcome" Text "", "what came of it: `done`, `failed` or `aborted`" => Cell::Word(entry.outcome.name());
    }
}

impl<'a> OperationRows<'a> {
    /// Rows of a run.
    pub fn of(outcomes: &'a Outcomes) -> Self {
        OperationRows(outcomes)
    }
}

/// Every table that a run of agents may have.
pub fn declared() -> Vec<Table> {
    vec![TaskRows::declared(), HostRows::declared(), OperationRows::declared(), FlowRows::declared()]
}

impl Outcomes {
    fn host_name(&self, host: HostId) -> &str {
        &self.platform().host(host).name
    }

    /// Empty if there is no such agent.
    fn agent_name(&self, agent: AgentId) -> &str {
        self.agents.get(agent.index()).map_or("", String::as_str)
    }

    /// Share of the time of all cores of a host, over the whole run, that `busy` core seconds are.
    fn share(&self, host: &Host, busy: f64) -> f64 {
        let whole = f64::from(host.cores) * self.busy_span();
        if whole > 0.0 { busy / whole } else { 0.0 }
    }
}

/// The cause of spans of flows and links.
const CARRIES: LaneCause = ("carries", "a given flow");
/// Causes of spans: what agents did, in the words of `operations.csv`, and flows.
const CAUSES: &[LaneCause] = &{
    let mut all = [CARRIES; Operation::WORDS.len() + 1];
    let mut place = 0;
    while place < Operation::WORDS.len() {
        all[place] = Operation::WORDS[place];
        place += 1;
    }
    all
};

/// Lanes of hosts and links that `--explain` names: on a host what its agents did, on a link the
/// given flows. Transfers of agents are recorded with their hosts, not with their routes.
#[derive(Clone, Copy, Debug)]
pub struct ResourceLanes<'a>(pub &'a Outcomes);

impl LaneSource for ResourceLanes<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: "hosts and links", number: 1, counters: &[], causes: CAUSES }
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let (outcomes, platform) = (self.0, self.0.platform());
        let mut lanes: Vec<String> = platform.hosts().iter().map(|host| host.name.clone()).collect();
        let named = outcomes.records.iter();
        let named: Vec<(String, _)> = named
            .map(|(task, entry)| (format!("{} of {}", task, outcomes.agent_name(entry.agent)), entry))
            .collect();
        let mut spans: Vec<NamedSpan<'_>> = named
            .iter()
            .map(|(name, Entry { host, operation, start, end, .. })| NamedSpan {
                lane: host.index() as u32,
                name,
                cause: operation.name(),
                start: *start,
                end: *end,
            })
            .collect();
        let mut links: OrderedMap<LinkId, u32> = OrderedMap::new();
        for FlowOutcome { flow, end, .. } in &outcomes.flows {
            let Some(end) = *end else { continue };
            let mut route = Vec::new();
            if platform.route(flow.from, flow.to, &mut route).is_err() {
                continue;
            }
            route.stable_sort();
            route.dedup();
            for link in route {
                let lane = *links.entry(link).or_insert_with(|| {
                    lanes.push(platform.link_name(link).into_owned());
                    lanes.len() as u32 - 1
                });
                spans.push(NamedSpan { lane, name: &flow.name, cause: CARRIES.0, start: flow.start, end });
            }
        }
        push_spans(&lanes, &spans, sink)
    }
}

/// The timeline of a run of agents.
#[derive(Clone, Copy, Debug)]
pub struct AgentLanes<'a>(pub &'a Outcomes);

impl LaneSource for AgentLanes<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: "agents", number: 1, counters: &[], causes: CAUSES }
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
            .map(|(name, Entry { agent, operation, start, end, .. })| NamedSpan {
                lane: agent.index() as u32,
                name,
                cause: operation.name(),
                start: *start,
                end: *end,
            })
            .collect();
        for FlowOutcome { flow, end, .. } in &outcomes.flows {
            let Some(end) = *end else { continue };
            spans.push(NamedSpan {
                lane: lanes.len() as u32,
                name: &flow.name,
                cause: CARRIES.0,
                start: flow.start,
                end,
            });
            lanes.push(format!("flow {}", flow.name));
        }
        push_spans(&lanes, &spans, sink)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::agent::record::{Outcome, Records};
    use crate::agent::{World, simulate};
    use crate::kernel::{SimTime, Simulation};
    use crate::output::TableFormat;
    use crate::platform::Builder;

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
        let world = World::new(Arc::new(builder.build()));
        let mut outcomes = simulate(world, Simulation::new(1), None).expect("there is nothing to do");
        outcomes.agents = vec!["master".to_owned(), "worker".to_owned()];
        outcomes.records = records;
        let operations = TableFormat::Csv.bytes(&OperationRows::of(&outcomes)).expect("into memory");
        let text = String::from_utf8(operations).expect("text");
        assert_eq!(
            text,
            "operation,agent,name,host,task,amount,start,end,outcome\n\
             execute,1,worker,h,\"a, \"\"b\"\"\",2.5,1,1.250000001,done\n\
             execute,1,worker,h,c,2.5,1,1.250000001,aborted\n"
        );
    }
}
