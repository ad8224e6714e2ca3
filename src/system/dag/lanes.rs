//! The timeline of a run of task graphs: a lane a core and a lane a link, and an arrow from parent to child.
//!
//! Where links carry one transfer at a time, a transfer is on the lane of each link of its route, and links that carry nothing have no
//! lane. Where they carry several, the lanes are those of the hosts that send. Arrows lead from the end of a task to the start of each
//! of its children.

use std::collections::BTreeMap;
use std::io;

use crate::dag::execution::{Outcomes, TransferRecord};
use crate::output::{ArrowNames, LaneSink, LaneSource, Lanes, NamedSpan, SpanArrow, push_spans_and_arrows};
use crate::platform::sharing::LinkId;
use crate::system::dag::assembly::LinksSetting;

/// What was computed and carried.
pub(super) struct Timeline<'a> {
    pub(super) outcomes: &'a Outcomes,
    pub(super) links: LinksSetting,
}

impl Timeline<'_> {
    /// The names of the cores.
    fn cores(&self) -> Vec<String> {
        let grid = &self.outcomes.problem.grid;
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

    /// The numbers of the links that a transfer is drawn on, or of the host that sends it.
    fn lanes_of(&self, transfer: &TransferRecord) -> Vec<usize> {
        if self.links != LinksSetting::Planned {
            return vec![transfer.from.index()];
        }
        let mut route = Vec::new();
        let platform = self.outcomes.problem.grid.platform();
        platform.route(transfer.from, transfer.to, &mut route).expect("what was sent has a route");
        let mut links: Vec<usize> = route.iter().map(|link| link.index()).collect();
        links.sort_unstable();
        links.dedup();
        links
    }

    /// What a lane of transfers is called.
    fn carrier(&self, number: usize) -> String {
        let platform = self.outcomes.problem.grid.platform();
        if self.links == LinksSetting::Planned {
            platform.link_name(LinkId::new(number as u32)).to_owned()
        } else {
            format!("sent by {}", platform.hosts()[number].name)
        }
    }
}

impl LaneSource for Timeline<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: "cores and links", number: 1, counters: &[] }
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let (outcomes, graph) = (self.outcomes, self.outcomes.graph());
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
        let used = carried.clone().flat_map(|(transfer, _)| self.lanes_of(transfer));
        let mut lanes: BTreeMap<usize, u32> = used.map(|number| (number, 0)).collect();
        for (number, lane) in &mut lanes {
            *lane = names.len() as u32;
            names.push(self.carrier(*number));
        }
        for (transfer, name) in carried {
            let Some((start, end)) = transfer.span() else { continue };
            let on = self.lanes_of(transfer);
            spans.extend(on.iter().map(|number| NamedSpan { lane: lanes[number], name, start, end }));
        }
        let arrows = graph.edges().iter().filter_map(|edge| {
            Some(SpanArrow { from: span_of[edge.from.index()]?, to: span_of[edge.to.index()]? })
        });
        let ends = ArrowNames { begin: "parent", end: "child" };
        push_spans_and_arrows(&names, &spans, &arrows.collect::<Vec<_>>(), ends, sink)
    }
}
