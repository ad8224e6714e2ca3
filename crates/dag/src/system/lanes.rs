//! The timeline of a run of task graphs: a lane a core and a lane a link, and an arrow from parent
//! to child.
//!
//! A task of several cores is on the lane of each, and its arrows are at the lowest. A transfer is
//! on the lane of each link of its route, from its start to its arrival; transfers that share a
//! link at a time are on further lanes of it. Links that carry nothing have no lane. Attempts that
//! were lost are there too, and transfers that were broken off. Arrows lead from the end of a task
//! to the start of each of its children.

use std::io;

use crate::collections::{OrderedMap, StableSort as _};
use crate::execution::{Attempt, Attempts, Outcomes, TransferRecord};
use crate::kernel::SimTime;
use crate::model::grid::{Core, Grid};
use crate::output::{
    ArrowNames, LaneCause, LaneSink, LaneSource, LaneTotal, Lanes, NamedSpan, SpanArrow,
    push_spans_and_arrows,
};
use crate::platform::sharing::LinkId;

/// Causes of spans.
const COMPUTES: LaneCause = ("computes", "a task");
const LOST: LaneCause = ("lost", "a task that a failure broke off, or whose data it lost");
const CARRIES: LaneCause = ("carries", "a transfer");

/// Timeline of computations and transfers.
pub(super) struct Timeline<'a>(pub(super) &'a Outcomes);

/// The names of the cores.
pub(super) fn cores(grid: &Grid) -> Vec<String> {
    let name = |core| {
        let host = grid.host_of(core);
        let name = &grid.host(host).name;
        match grid.cores_of(host).len() {
            1 => name.clone(),
            _ => format!("{name} core {}", grid.rank(core)),
        }
    };
    grid.cores().map(name).collect()
}

impl Timeline<'_> {
    /// The links that a transfer is drawn on.
    fn links_of(&self, transfer: &TransferRecord) -> Vec<LinkId> {
        let mut route = Vec::new();
        let platform = self.0.problem.grid.platform();
        platform.route(transfer.from, transfer.to, &mut route).expect("what was sent has a route");
        route.stable_sort();
        route.dedup();
        route
    }
}

impl LaneSource for Timeline<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: "cores and links", number: 1, counters: &[], causes: &[COMPUTES, LOST, CARRIES] }
    }

    fn totals(&self) -> Vec<LaneTotal> {
        let Some(makespan) = self.0.makespan() else { return Vec::new() };
        let whole = self.0.problem.grid.cores().len() as f64 * makespan.as_secs_f64();
        let (metrics, causes) = (vec!["utilization".to_owned()], vec![COMPUTES.0]);
        vec![LaneTotal { metrics, causes, window: (SimTime::ZERO, makespan), whole, once: false }]
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let (outcomes, graph, grid) = (self.0, self.0.graph(), &self.0.problem.grid);
        let mut names = cores(grid);
        let (mut spans, mut span_of) = (Vec::new(), vec![None; graph.len()]);
        let attempts = Attempts::of(outcomes);
        let lost: Vec<Attempt> = attempts
            .numbers()
            .map(|number| attempts.get(number))
            .filter(|attempt| attempt.lost.is_some())
            .collect();
        let lost_names: Vec<String> =
            lost.iter().map(|attempt| format!("{} (lost)", graph.task(attempt.task).name)).collect();
        for task in graph.tasks() {
            let record = &outcomes.tasks[task.index()];
            if let (Some(core), Some(start), Some(end)) = (record.core, record.start, record.end) {
                span_of[task.index()] = Some(spans.len());
                let name = &graph.task(task).name;
                let cause = COMPUTES.0;
                spans.extend(grid.members(core).map(|Core(lane)| NamedSpan {
                    lane,
                    name,
                    cause,
                    start,
                    end,
                }));
            }
        }
        for (attempt, name) in lost.iter().zip(&lost_names) {
            let Some(end) = attempt.over() else { continue };
            let (start, cause) = (attempt.start, LOST.0);
            let on = grid.members(attempt.core);
            spans.extend(on.map(|Core(lane)| NamedSpan { lane, name, cause, start, end }));
        }
        let labels: Vec<String> = outcomes
            .transfers
            .iter()
            .map(|transfer| {
                let data = graph.data(transfer.edge);
                let name = |task: Option<_>| task.map_or("home", |task| &*graph.task(task).name);
                format!("{} to {}", name(data.from), name(data.to))
            })
            .collect();
        let carried =
            (0..).zip(outcomes.transfers.iter().zip(&labels)).filter_map(|(place, (transfer, name))| {
                let end = transfer.end.get().or_else(|| attempts.broken_off(place))?;
                Some((transfer, name, transfer.start.get()?, end))
            });
        let used = carried.clone().flat_map(|(transfer, ..)| self.links_of(transfer));
        let mut lanes: OrderedMap<LinkId, u32> = used.map(|link| (link, 0)).collect();
        for (link, lane) in &mut lanes {
            *lane = names.len() as u32;
            names.push(outcomes.problem.grid.platform().link_name(*link).into_owned());
        }
        for (transfer, name, start, end) in carried {
            let on = self.links_of(transfer);
            let cause = CARRIES.0;
            spans.extend(on.iter().map(|link| NamedSpan { lane: lanes[link], name, cause, start, end }));
        }
        let arrows = graph.edges().iter().filter_map(|edge| {
            Some(SpanArrow { from: span_of[edge.from.index()]?, to: span_of[edge.to.index()]? })
        });
        let ends = ArrowNames { begin: "parent", end: "child" };
        push_spans_and_arrows(&names, &spans, &arrows.collect::<Vec<_>>(), ends, sink)
    }
}
