//! The timeline of a run of a parameter sweep: a lane a processor and a lane a link.
//!
//! Arrows lead from the arrival of each input to the start of each task that reads it, and from the
//! end of a task to the transfers of its outputs.

use std::io;

use crate::collections::OrderedMap;
use crate::output::{
    ArrowNames, LaneCause, LaneSink, LaneSource, Lanes, NamedSpan, SpanArrow, push_spans_and_arrows,
};
use crate::sweep::grid::{ClusterNumber, SweepGrid, SweepHost};
use crate::sweep::host_time::{HostTimeAccount, ProcessorUse};
use crate::sweep::predictions::SubTask;
use crate::sweep::record::SweepOutcomes;
use crate::workflow::{FileNumber, TaskNumber};

/// The cause of spans of links.
const CARRIES: &str = "carries";
const CAUSES: &[LaneCause] = &[
    (ProcessorUse::Computes.name(), "a task"),
    (ProcessorUse::Discards.name(), "a task that ended on another host first"),
    (CARRIES, "a file"),
];

/// Timeline of computations and transfers.
pub(super) struct Timeline<'a>(pub(super) &'a SweepOutcomes);

/// Names of the processors.
pub(super) fn processors(grid: &SweepGrid) -> Vec<String> {
    let of_host = |host: &SweepHost| {
        let (name, count) = (host.name.clone(), host.processors);
        (0..count).map(move |rank| if count == 1 { name.clone() } else { format!("{name} processor {rank}") })
    };
    grid.hosts.iter().flat_map(of_host).collect()
}

/// Names of the links.
pub(super) fn links(grid: &SweepGrid) -> Vec<String> {
    let of_clusters = grid.clusters.iter().map(|cluster| format!("link of {}", cluster.name));
    of_clusters.chain(grid.further_links.iter().map(|link| format!("link {}", link.name))).collect()
}

impl LaneSource for Timeline<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: "processors and links", number: 1, counters: &[], causes: CAUSES }
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let (sweep, grid) = (&self.0.sweep, &self.0.grid);
        let (mut spans, mut span_of) = (Vec::new(), vec![None; sweep.tasks.len()]);
        let mut names = processors(grid);
        for (lane, (_, computed)) in (0..).zip(HostTimeAccount::of(self.0).computed()) {
            for span in computed {
                let Some(task) = span.task else { continue };
                if span.used == ProcessorUse::Computes {
                    span_of[task.index()] = Some(spans.len());
                }
                let name = &sweep.task(task).name;
                spans.push(NamedSpan {
                    lane,
                    name,
                    cause: span.used.name(),
                    start: span.start,
                    end: span.end,
                });
            }
        }
        let first_link = names.len() as u32;
        names.extend(links(grid));
        let mut arrows = Vec::new();
        // in order of arrival: what was removed may have come again
        let mut arrived: OrderedMap<(ClusterNumber, FileNumber, Option<TaskNumber>), Vec<usize>> =
            OrderedMap::new();
        for run in &self.0.transfers {
            let (file, Some(end)) = (run.transfer.file, run.end) else { continue };
            let (SubTask::Input(file) | SubTask::Output(file)) = file else { continue };
            let cluster = run.transfer.cluster;
            if let SubTask::Output(_) = run.transfer.file {
                // of a computation that was lost there is no span
                let from = span_of[run.transfer.task.index()];
                let from = from.filter(|from: &usize| spans[*from].end <= run.start);
                arrows.extend(from.map(|from| SpanArrow { from, to: spans.len() }));
            } else {
                let own = Some(run.transfer.task).filter(|_| !grid.cluster(cluster).has_storage);
                arrived.entry((cluster, file, own)).or_default().push(spans.len());
            }
            let name = &sweep.file(file).name;
            spans.push(NamedSpan {
                lane: first_link + run.transfer.link.0,
                name,
                cause: CARRIES,
                start: run.start,
                end,
            });
        }
        for task in sweep.task_numbers() {
            let Some((to, host)) = span_of[task.index()].zip(self.0.tasks[task.index()].host) else {
                continue;
            };
            let cluster = grid.host(host).cluster;
            let own = Some(task).filter(|_| !grid.cluster(cluster).has_storage);
            let from = |file: &FileNumber| {
                let arrivals = arrived.get(&(cluster, *file, own))?;
                arrivals.iter().rev().find(|from| spans[**from].end <= spans[to].start).copied()
            };
            let of_inputs = sweep.task(task).inputs.iter().filter_map(from);
            arrows.extend(of_inputs.map(|from| SpanArrow { from, to }));
        }
        push_spans_and_arrows(&names, &spans, &arrows, ArrowNames { begin: "before", end: "after" }, sink)
    }
}
