//! Fills a chart: task after task gets its slots, as a heuristic says.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::sweep::chart::Chart;
use crate::sweep::completion::{CompletionTable, Completions};
use crate::sweep::grid::HostNumber;
use crate::sweep::heuristic::Heuristic;
use crate::workflow::TaskNumber;

/// Until when a chart is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FillUntil {
    /// Each host has a task that starts after this instant, in nanoseconds.
    Instant(u64),
    /// So many tasks have slots.
    Tasks(u64),
}

/// How a chart is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FillTerms {
    /// Until when.
    pub until: FillUntil,
    /// Whether tasks are looked at one by one that the chart cannot tell apart.
    pub individually: bool,
}

/// What is left to be filled.
struct Filled {
    until: FillUntil,
    /// Hosts that have no task yet that starts late enough.
    open: Vec<bool>,
    left: u64,
}

impl Filled {
    fn new(chart: &Chart, until: FillUntil) -> Self {
        let mut open = Vec::new();
        let mut left = 0;
        for host in chart.clusters().flat_map(|cluster| chart.hosts(cluster)) {
            open.resize(open.len().max(host.index() + 1), false);
            open[host.index()] = true;
            left += 1;
        }
        if let FillUntil::Tasks(tasks) = until {
            left = tasks;
        }
        Filled { until, open, left }
    }

    fn assigned(&mut self, host: HostNumber, start: u64) {
        match self.until {
            FillUntil::Tasks(_) => self.left -= 1,
            FillUntil::Instant(instant) if start > instant && self.open[host.index()] => {
                self.open[host.index()] = false;
                self.left -= 1;
            }
            FillUntil::Instant(_) => {}
        }
    }
}

/// Gives these tasks slots, until the chart is full or all have some; `pick` draws a number below a bound.
pub fn fill(
    chart: &mut Chart,
    tasks: &[TaskNumber],
    heuristic: &dyn Heuristic,
    terms: FillTerms,
    pick: &mut dyn FnMut(u64) -> u64,
) {
    let mut filled = Filled::new(chart, terms.until);
    if heuristic.is_in_order() {
        fill_in_order(chart, tasks, heuristic, &mut filled);
    } else {
        let individually = terms.individually || chart.is_individual();
        fill_by_rank(chart, tasks, heuristic, individually, &mut filled, pick);
    }
}

fn fill_by_rank(
    chart: &mut Chart,
    tasks: &[TaskNumber],
    heuristic: &dyn Heuristic,
    individually: bool,
    filled: &mut Filled,
    pick: &mut dyn FnMut(u64) -> u64,
) {
    if filled.left == 0 || tasks.is_empty() {
        return;
    }
    let mut table = CompletionTable::new(chart, tasks.iter().copied(), heuristic, individually);
    while filled.left > 0
        && let Some(assignment) = table.choose(heuristic, &mut *pick)
    {
        let Some(slot) = chart.assign(assignment.task, assignment.host) else { return };
        filled.assigned(slot.host, slot.start);
        let cluster = chart.cluster_of(slot.host);
        table.assigned(chart, assignment, cluster, heuristic);
    }
}

fn fill_in_order(chart: &mut Chart, tasks: &[TaskNumber], heuristic: &dyn Heuristic, filled: &mut Filled) {
    let clusters: Vec<_> = chart.clusters().collect();
    for &task in tasks {
        if filled.left == 0 {
            return;
        }
        let inputs = chart.in_order(task);
        let row: Vec<_> = clusters
            .iter()
            .map(|cluster| chart.look(task, &inputs, *cluster, heuristic.looks_at_hosts()))
            .collect();
        if row.iter().all(Option::is_none) {
            continue;
        }
        let host = if heuristic.takes_first_free() {
            let runs = |host: &HostNumber| chart.runs(task, *host);
            let all = clusters.iter().flat_map(|cluster| chart.hosts(*cluster)).copied().filter(runs);
            all.min_by_key(|host| (chart.free_from(*host), *host))
        } else {
            Some(heuristic.host(&Completions::new(task, &row)))
        };
        if let Some(slot) = host.and_then(|host| chart.assign(task, host)) {
            filled.assigned(slot.host, slot.start);
        }
    }
}

/// Gives tasks slots as a workqueue would: in order, each on the host that is free first, to which its inputs are sent from then on.
pub fn fill_as_workqueue(chart: &mut Chart, tasks: impl Iterator<Item = TaskNumber>) {
    let clusters: Vec<_> = chart.clusters().collect();
    let hosts = clusters.iter().flat_map(|cluster| chart.hosts(*cluster));
    let mut free: BinaryHeap<Reverse<(u64, HostNumber)>> =
        hosts.map(|host| Reverse((chart.free_from(*host), *host))).collect();
    let mut passed = Vec::new();
    for task in tasks {
        while let Some(Reverse((at, host))) = free.pop() {
            if chart.runs(task, host) {
                chart.assign_from(task, host, at);
                free.push(Reverse((chart.free_from(host), host)));
                break;
            }
            passed.push(Reverse((at, host)));
        }
        free.extend(passed.drain(..));
    }
}
