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
use crate::kernel::SimTime;
use crate::output::{
    LaneCause, LaneSink, LaneSource, LaneTotal, Lanes, NamedSpan, Row as _, Table, Word, push_spans, rows,
};
use crate::platform::sharing::LinkId;
use crate::platform::{Host, HostId};
use crate::rows::{FlowRow, HostRow, OperationRow, TaskRow};

use super::record::{Entry, Operation};
use super::{AgentId, FlowOutcome, FlowState, Outcomes};

rows! {
    /// The tasks that were computed.
    pub struct TaskRows<'a>(&'a Outcomes) of TaskRow;
    from run, &run.completed;
    done => {
        task: (&*done.task).into(),
        host: run.host_name(done.host).into(),
        agent: done.agent.index() as u64,
        name: run.agent_name(done.agent).into(),
        end: done.at,
    }
}

rows! {
    /// Work of each host.
    pub struct HostRows<'a>(&'a Outcomes) of HostRow;
    from run, run.platform().hosts().iter().zip(&run.computed);
    (host, &(work, busy)) => {
        host: (&*host.name).into(),
        cores: host.cores,
        work,
        busy,
        utilization: run.share(host, busy),
    }
}

rows! {
    /// Outcome of each given flow.
    pub(crate) struct FlowRows<'a>(&'a Outcomes) of FlowRow;
    from run, &run.flows;
    one => {
        flow: (&*one.flow.name).into(),
        from: run.host_name(one.flow.from).into(),
        to: run.host_name(one.flow.to).into(),
        size: one.flow.size,
        rate_cap: one.flow.rate_cap,
        start: one.flow.start,
        end: one.end,
        time: one.time(),
        rate: one.rate(),
        state: Word(one.state.name()),
        reason: if let FlowState::Failed(why) = &one.state { Some(why.into()) } else { None },
    }
}

rows! {
    /// Every operation of every agent.
    pub struct OperationRows<'a>(&'a Outcomes) of OperationRow;
    from run, run.records.iter();
    (task, entry) => {
        operation: Word(entry.operation.name()),
        agent: entry.agent.index() as u64,
        name: run.agent_name(entry.agent).into(),
        host: run.host_name(entry.host).into(),
        task: task.into(),
        amount: entry.amount,
        start: entry.start,
        end: entry.end,
        outcome: Word(entry.outcome.name()),
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
    vec![TaskRow::declared(), HostRow::declared(), OperationRow::declared(), FlowRow::declared()]
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
pub(crate) struct ResourceLanes<'a>(pub &'a Outcomes);

impl LaneSource for ResourceLanes<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: "hosts and links", number: 1, counters: &[], causes: CAUSES }
    }

    fn totals(&self) -> Vec<LaneTotal> {
        let (outcomes, hosts) = (self.0, self.0.platform().hosts());
        let whole = hosts.len() as f64 * outcomes.busy_span();
        // executions of one host share its cores: of several cores the spans do not say how many
        let is_known = hosts.iter().all(|host| host.cores == 1) && !outcomes.records.is_empty();
        if !is_known {
            return Vec::new();
        }
        let metrics = vec!["host-utilization.mean".to_owned()];
        let (causes, window) = (vec![Operation::Execute.name()], (SimTime::ZERO, SimTime::MAX));
        vec![LaneTotal { metrics, causes, window, whole, once: true }]
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
pub(crate) struct AgentLanes<'a>(pub &'a Outcomes);

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

    use crate::kernel::{SimTime, Simulation};
    use crate::output::TableFormat;
    use crate::platform::Builder;
    use crate::record::{Outcome, Records};
    use crate::{World, simulate};

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
