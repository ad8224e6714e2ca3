//! The timeline of a run of a parameter sweep: a lane a processor and a lane a link.
//!
//! Arrows lead from the arrival of each input to the start of each task that reads it, and from the
//! end of a task to the transfers of its outputs.

use std::io;

use crate::collections::OrderedMap;
use crate::estimate::predictions::SubTask;
use crate::kernel::SimTime;
use crate::model::grid::{ClusterNumber, SweepGrid, SweepHost};
use crate::output::{
    ArrowNames, LaneCause, LaneSink, LaneSource, LaneTotal, Lanes, NamedSpan, SpanArrow, push_spans,
    push_spans_and_arrows,
};
use crate::results::host_time::{HostTimeAccount, PARTS, ProcessorUse, uses_of};
use crate::results::record::SweepOutcomes;
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

    fn totals(&self) -> Vec<LaneTotal> {
        totals(self.0, CAUSES)
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

/// Lanes that `--explain` names: on a processor whatever it did or waited for, without a gap.
pub(super) struct WholeTime<'a>(pub(super) &'a SweepOutcomes);

/// Causes of spans of processors and links.
const OF_WHOLE: &[LaneCause] = &{
    let mut all = [(CARRIES, "a file"); ProcessorUse::WORDS.len() + 1];
    let mut place = 0;
    while place < ProcessorUse::WORDS.len() {
        all[place] = ProcessorUse::WORDS[place];
        place += 1;
    }
    all
};

impl LaneSource for WholeTime<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: "processors and links", number: 1, counters: &[], causes: OF_WHOLE }
    }

    fn totals(&self) -> Vec<LaneTotal> {
        totals(self.0, OF_WHOLE)
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let (outcomes, sweep, grid) = (self.0, &self.0.sweep, &self.0.grid);
        let (mut names, mut spans) = (processors(grid), Vec::new());
        for (lane, all) in (0..).zip(HostTimeAccount::of(outcomes).whole()) {
            spans.extend(all.into_iter().map(|span| {
                let task = span.task.map(|task| &*sweep.task(task).name);
                let file = span.file.map(|(file, _)| &*sweep.file(file).name);
                let cause = span.used.name();
                NamedSpan {
                    lane,
                    name: file.or(task).unwrap_or(cause),
                    cause,
                    start: span.start,
                    end: span.end,
                }
            }));
        }
        let first_link = names.len() as u32;
        names.extend(links(grid));
        spans.extend(outcomes.transfers.iter().filter_map(|run| {
            let (SubTask::Input(file) | SubTask::Output(file)) = run.transfer.file else { return None };
            let (lane, name) = (first_link + run.transfer.link.0, &*sweep.file(file).name);
            Some(NamedSpan { lane, name, cause: CARRIES, start: run.start, end: run.end? })
        }));
        push_spans(&names, &spans, sink)
    }
}

/// The metrics that spans of these causes add up to.
fn totals(outcomes: &SweepOutcomes, causes: &[LaneCause]) -> Vec<LaneTotal> {
    let window = (SimTime::ZERO, SimTime::MAX);
    let is_spanned = |used: &ProcessorUse| causes.iter().any(|(cause, _)| *cause == used.name());
    let end = HostTimeAccount::of(outcomes).end().as_secs_f64();
    let processors: f64 = outcomes.grid.hosts.iter().map(|host| f64::from(host.processors)).sum();
    let parts = PARTS.iter().enumerate().filter(|(part, _)| uses_of(*part).all(|used| is_spanned(&used)));
    let mut totals: Vec<LaneTotal> = parts
        .map(|(part, (name, _))| LaneTotal {
            metrics: vec![format!("processor-time.{name}")],
            causes: uses_of(part).map(ProcessorUse::name).collect(),
            window,
            whole: processors * end,
            once: false,
        })
        .collect();
    if let Some(makespan) = outcomes.makespan() {
        let whole = outcomes.grid.link_count() as f64 * makespan.as_secs_f64();
        let (metrics, causes) = (vec!["link-utilization".to_owned()], vec![CARRIES]);
        totals.push(LaneTotal { metrics, causes, window, whole, once: false });
    }
    totals
}
