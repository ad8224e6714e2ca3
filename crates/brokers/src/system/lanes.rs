//! The timeline of a run of global computing: lanes for clients, servers, queues and probes.
//!
//! - A client has a lane for its tasks, from issue to results, one for the arguments that it sends
//!   and one for the results that it receives.
//! - A server has a lane for the tasks that it executes.
//! - A queue has a lane for packets of tasks and of probes in service. Packets of one transfer
//!   without a gap between them are one span.
//! - A path that is probed has a lane for its probes, those that are lost included.
//!
//! Arrows lead from the arguments of a task to its execution, and from there to its results.

use std::io;

use crate::collections::OrderedMap;
use crate::info::PathDirection;
use crate::kernel::SimTime;
use crate::outcomes::BrokerOutcomes;
use crate::output::{
    ArrowNames, LaneCause, LaneSink, LaneSource, LaneTotal, Lanes, NamedSpan, SpanArrow,
    push_spans_and_arrows,
};
use crate::record::{CalledTask, TaskState};

/// Lanes of a client: its tasks, what it sends, what it receives.
const OF_CLIENT: u32 = 3;
/// The name of a span of packets or of a probe.
const PROBE: &str = "probe";
/// The name of a probe that was not back in time.
const LOST: &str = "probe, lost";

/// Causes of spans.
const ISSUED: &str = "issued";
const SENDS: &str = "sends";
const EXECUTES: &str = "executes";
const RECEIVES: &str = "receives";
const CARRIES: &str = "carries";
const PROBES: &str = "probes";
const CAUSES: &[LaneCause] = &[
    (ISSUED, "a task of the client, until its results are back"),
    (SENDS, "arguments of a task"),
    (EXECUTES, "a task"),
    (RECEIVES, "results of a task"),
    (CARRIES, "packets of a task or of a probe"),
    (PROBES, "a path"),
];

/// Timeline of transfers, executions and measurements.
pub(super) struct Timeline<'a>(pub(super) &'a BrokerOutcomes);

/// Spans and arrows that are gathered.
struct Gathered<'a> {
    lanes: Vec<String>,
    spans: Vec<NamedSpan<'a>>,
    arrows: Vec<SpanArrow>,
}

impl<'a> Gathered<'a> {
    /// Adds a span, and returns its place.
    fn span(
        &mut self,
        (lane, cause): (u32, &'static str),
        name: &'a str,
        (start, end): (SimTime, SimTime),
    ) -> usize {
        self.spans.push(NamedSpan { lane, name, cause, start, end });
        self.spans.len() - 1
    }

    fn arrow(&mut self, from: usize, to: usize) {
        self.arrows.push(SpanArrow { from, to });
    }
}

impl LaneSource for Timeline<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: "clients, servers, queues and probes", number: 1, counters: &[], causes: CAUSES }
    }

    fn totals(&self) -> Vec<LaneTotal> {
        let outcomes = self.0;
        let (window, seconds) = ((outcomes.warm_up, outcomes.ended), outcomes.window().as_secs_f64());
        let total = |metrics: &[&str], cause, lanes: f64| {
            let (metrics, whole) = (metrics.iter().map(ToString::to_string).collect(), lanes * seconds);
            LaneTotal { metrics, causes: vec![cause], window, whole, once: false }
        };
        // no total of queues: what a packet took that was given up, or is in service at the end, is
        // in no row
        let mut totals = Vec::new();
        // of servers with as many processors each the mean of the shares is the share of all
        let mut processors = outcomes.servers.iter().map(|server| server.processors);
        let first = processors.next().unwrap_or(1);
        if processors.all(|other| other == first) {
            let lanes = f64::from(first) * outcomes.servers.len() as f64;
            totals.push(total(&["server-utilization.own"], EXECUTES, lanes));
        }
        totals
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let outcomes = self.0;
        let names: Vec<String> = (0..outcomes.tasks.len()).map(|number| format!("task {number}")).collect();
        let of_client = |name: &String| [name.clone(), format!("{name} sends"), format!("{name} receives")];
        let lanes = outcomes.clients.iter().flat_map(of_client).collect();
        let mut gathered = Gathered { lanes, spans: Vec::new(), arrows: Vec::new() };
        let first_server = gathered.lanes.len() as u32;
        gathered.lanes.extend(outcomes.servers.iter().map(|server| server.name.clone()));
        for (task, name) in outcomes.tasks.iter().zip(&names) {
            of_task(&mut gathered, task, name, (first_server, outcomes.ended));
        }
        for lost in &outcomes.lost {
            let Some((task, name)) = usize::try_from(lost.task)
                .ok()
                .and_then(|place| Some((outcomes.tasks.get(place)?, names.get(place)?)))
            else {
                continue;
            };
            gathered.span((OF_CLIENT * task.client.0 + 1, SENDS), name, (lost.decided, lost.queued));
        }
        of_queues(&mut gathered, outcomes, &names);
        of_probes(&mut gathered, outcomes);
        let Gathered { lanes, spans, arrows } = gathered;
        push_spans_and_arrows(&lanes, &spans, &arrows, ArrowNames { begin: "before", end: "after" }, sink)
    }
}

/// The spans of a task on lanes of its client and of its server.
fn of_task<'a>(
    gathered: &mut Gathered<'a>,
    task: &CalledTask,
    name: &'a str,
    (first_server, ended): (u32, SimTime),
) {
    let first = OF_CLIENT * task.client.0;
    let never = SimTime::MAX;
    let over = match task.state {
        TaskState::Completed => task.received,
        TaskState::Rejected if task.decided < never => task.decided,
        _ => ended,
    };
    gathered.span((first, ISSUED), name, (task.issued, over));
    if task.queued == never {
        return;
    }
    let sent = gathered.span((first + 1, SENDS), name, (task.decided, task.queued));
    if task.ended == never {
        return;
    }
    let executed = gathered.span((first_server + task.server.0, EXECUTES), name, (task.started, task.ended));
    gathered.arrow(sent, executed);
    if task.received < never {
        let received = gathered.span((first + 2, RECEIVES), name, (task.ended, task.received));
        gathered.arrow(executed, received);
    }
}

/// The packets in service of each queue.
fn of_queues<'a>(gathered: &mut Gathered<'a>, outcomes: &BrokerOutcomes, names: &'a [String]) {
    let first = gathered.lanes.len() as u32;
    gathered.lanes.extend(outcomes.queues.iter().map(|queue| queue.name.clone()));
    // of each queue the span of the packet that left it last, and its transfer
    let mut last: Vec<Option<(usize, u64)>> = vec![None; outcomes.queues.len()];
    for packet in &outcomes.packets {
        let Ok(place) = outcomes.queues.binary_search_by_key(&packet.queue, |queue| queue.number) else {
            continue;
        };
        let run = &packet.run;
        if let Some((span, flow)) = last[place]
            && flow == run.flow
            && gathered.spans[span].end == run.start
        {
            gathered.spans[span].end = run.end;
            continue;
        }
        let task = packet.task.and_then(|task| usize::try_from(task).ok());
        let name = task.and_then(|task| names.get(task)).map_or(PROBE, String::as_str);
        last[place] =
            Some((gathered.span((first + place as u32, CARRIES), name, (run.start, run.end)), run.flow));
    }
}

/// The probes of each path that was probed.
fn of_probes(gathered: &mut Gathered<'_>, outcomes: &BrokerOutcomes) {
    let mut lanes: OrderedMap<_, u32> = outcomes.probes.iter().map(|probe| (probe.path, 0)).collect();
    for (path, lane) in &mut lanes {
        *lane = gathered.lanes.len() as u32;
        let (client, server) =
            (&outcomes.clients[path.client.index()], &outcomes.servers[path.server.index()].name);
        gathered.lanes.push(match path.direction {
            PathDirection::Send => format!("probes from {client} to {server}"),
            PathDirection::Receive => format!("probes from {server} to {client}"),
        });
    }
    for probe in &outcomes.probes {
        let name = if probe.is_lost { LOST } else { PROBE };
        gathered.span((lanes[&probe.path], PROBES), name, (probe.begun, probe.ended));
    }
}
