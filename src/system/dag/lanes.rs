//! The timeline of a run of task graphs: a lane a core and a lane a link, and an arrow from parent to child.
//!
//! A transfer is on the lane of each link of its route, from its start to its arrival; transfers that share a link at a time are on
//! further lanes of it. Links that carry nothing have no lane. Arrows lead from the end of a task to the start of each of its children.

use std::io;

use crate::collections::{OrderedMap, StableSort as _};
use crate::dag::execution::{Outcomes, TransferRecord};
use crate::output::{ArrowNames, LaneSink, LaneSource, Lanes, NamedSpan, SpanArrow, push_spans_and_arrows};
use crate::platform::sharing::LinkId;

/// What was computed and carried.
pub(super) struct Timeline<'a>(pub(super) &'a Outcomes);

impl Timeline<'_> {
    /// The names of the cores.
    fn cores(&self) -> Vec<String> {
        let grid = &self.0.problem.grid;
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
        Lanes { title: "cores and links", number: 1, counters: &[] }
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let (outcomes, graph) = (self.0, self.0.graph());
        let mut names = self.cores();
        let (mut spans, mut span_of) = (Vec::new(), vec![None; graph.len()]);
        for task in graph.tasks() {
            let record = &outcomes.tasks[task.index()];
            if let (Some(core), Some(start), Some(end)) = (record.core, record.start, record.end) {
                span_of[task.index()] = Some(spans.len());
                spans.push(NamedSpan { lane: core.0, name: &graph.task(task).name, start, end });
            }
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
            outcomes.transfers.iter().zip(&labels).filter(|(transfer, _)| transfer.end.get().is_some());
        let used = carried.clone().flat_map(|(transfer, _)| self.links_of(transfer));
        let mut lanes: OrderedMap<LinkId, u32> = used.map(|link| (link, 0)).collect();
        for (link, lane) in &mut lanes {
            *lane = names.len() as u32;
            names.push(outcomes.problem.grid.platform().link_name(*link).to_owned());
        }
        for (transfer, name) in carried {
            let Some((start, end)) = transfer.span() else { continue };
            let on = self.links_of(transfer);
            spans.extend(on.iter().map(|link| NamedSpan { lane: lanes[link], name, start, end }));
        }
        let arrows = graph.edges().iter().filter_map(|edge| {
            Some(SpanArrow { from: span_of[edge.from.index()]?, to: span_of[edge.to.index()]? })
        });
        let ends = ArrowNames { begin: "parent", end: "child" };
        push_spans_and_arrows(&names, &spans, &arrows.collect::<Vec<_>>(), ends, sink)
    }
}
