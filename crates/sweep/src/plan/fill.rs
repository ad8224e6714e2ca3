//! Fills a chart: task after task gets its slots, as a heuristic says.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::heuristic::completion::Completions;
use crate::heuristic::{DecidingNumber, Heuristic};
use crate::kernel::SimTime;
use crate::model::grid::{ClusterNumber, HostNumber};
use crate::plan::chart::Chart;
use crate::plan::completion_table::CompletionTable;
use crate::results::record::SlotChoice;
use crate::workflow::{FileNumber, TaskNumber};

/// Until when a chart is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FillUntil {
    /// Each host has a task that starts after this instant, in nanoseconds.
    Instant(u64),
    /// This number of tasks has slots.
    Tasks(u64),
}

/// Terms on which a chart is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FillTerms {
    /// Until when.
    pub until: FillUntil,
    /// True if tasks are looked at one by one that the chart cannot tell apart.
    pub individually: bool,
    /// The task whose slot is to be explained.
    pub explained: Option<TaskNumber>,
}

/// State of a chart that is being filled.
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

/// Gives these tasks slots, until the chart is full or all have some; `pick` draws a number below a
/// bound. Why the explained task has its slot, if it got one.
pub fn fill(
    chart: &mut Chart,
    tasks: &[TaskNumber],
    heuristic: &dyn Heuristic,
    terms: FillTerms,
    pick: &mut dyn FnMut(u64) -> u64,
) -> Option<SlotChoice> {
    let mut filled = Filled::new(chart, terms.until);
    if heuristic.is_in_order() {
        fill_in_order(chart, tasks, heuristic, terms, &mut filled)
    } else {
        fill_by_rank(chart, tasks, heuristic, terms, &mut filled, pick)
    }
}

/// As [`fill`], by the heuristic among its [contenders](Heuristic::contenders) whose chart ends
/// first, if it has any; of equals the first.
pub(crate) fn fill_best(
    chart: &mut Chart,
    tasks: &[TaskNumber],
    heuristic: &dyn Heuristic,
    terms: FillTerms,
    pick: &mut dyn FnMut(u64) -> u64,
) -> Option<SlotChoice> {
    let contenders = heuristic.contenders();
    if contenders.is_empty() {
        return fill(chart, tasks, heuristic, terms, pick);
    }
    let charts = contenders.iter().map(|(_, _, contender)| {
        let mut own = chart.clone();
        let choice = fill(&mut own, tasks, &**contender, terms, pick);
        (own, choice)
    });
    let charts: Vec<(Chart, Option<SlotChoice>)> = charts.collect();
    let looks = charts.iter().map(|(chart, _)| chart.looks()).sum();
    let ends = contenders.iter().zip(&charts);
    let ends = ends.map(|((name, about, _), (chart, _))| DecidingNumber::at(name, about, Some(chart.end())));
    let ends: Vec<DecidingNumber> = ends.collect();
    let (best, choice) = charts.into_iter().min_by_key(|(chart, _)| chart.end())?;
    *chart = best;
    chart.set_looks(looks);
    choice.map(|choice| {
        let compared = ends.into_iter().chain(choice.compared.iter().copied()).collect();
        SlotChoice { compared, ..choice }
    })
}

/// Splits the inputs of a task into those that are on a cluster and those that are not.
fn inputs_on(chart: &Chart, task: TaskNumber, cluster: ClusterNumber) -> (Vec<FileNumber>, Vec<FileNumber>) {
    chart.in_order(task).iter().partition(|file| chart.has(cluster, **file))
}

fn fill_by_rank(
    chart: &mut Chart,
    tasks: &[TaskNumber],
    heuristic: &dyn Heuristic,
    terms: FillTerms,
    filled: &mut Filled,
    pick: &mut dyn FnMut(u64) -> u64,
) -> Option<SlotChoice> {
    if filled.left == 0 || tasks.is_empty() {
        return None;
    }
    let individually = terms.individually || chart.is_individual();
    let mut table = CompletionTable::new(chart, tasks.iter().copied(), heuristic, individually);
    let mut explained = None;
    while filled.left > 0
        && let Some(assignment) = table.choose(chart, heuristic, &mut *pick)
    {
        let (task, cluster) = (assignment.task, chart.cluster_of(assignment.host));
        let seen = (terms.explained == Some(task)).then(|| {
            let seen = table.seen(chart, assignment, heuristic);
            (seen, inputs_on(chart, task, cluster), chart.slots().len(), table.tasks())
        });
        let Some(slot) = chart.assign(task, assignment.host) else { return explained };
        if let Some((seen, (found, sent), before, among)) = seen {
            explained = Some(SlotChoice {
                at: SimTime::from_nanos(chart.floor()),
                task,
                slot,
                completions: seen.completions,
                compared: seen.compared,
                rank: Some(seen.rank),
                drawn_from: assignment.drawn_from,
                before: before as u64,
                among,
                next: seen.next,
                found,
                sent,
            });
        }
        filled.assigned(slot.host, slot.start);
        table.assigned(chart, assignment, cluster, heuristic);
    }
    explained
}

fn fill_in_order(
    chart: &mut Chart,
    tasks: &[TaskNumber],
    heuristic: &dyn Heuristic,
    terms: FillTerms,
    filled: &mut Filled,
) -> Option<SlotChoice> {
    let clusters: Vec<_> = chart.clusters().collect();
    let mut explained = None;
    for (place, &task) in tasks.iter().enumerate() {
        if filled.left == 0 {
            break;
        }
        let inputs = chart.in_order(task);
        let row: Vec<_> = clusters
            .iter()
            .map(|cluster| {
                chart.count_looks(1, *cluster);
                chart.look(task, &inputs, *cluster, heuristic.looks_at_hosts()).0
            })
            .collect();
        if row.iter().all(Option::is_none) {
            continue;
        }
        let mut free_from = None;
        let host = if heuristic.takes_first_free() {
            let runs = |host: &HostNumber| chart.runs(task, *host);
            let all = clusters.iter().flat_map(|cluster| chart.hosts(*cluster)).copied().filter(runs);
            let first = all.map(|host| (chart.free_from(host), host)).min();
            first.map(|(at, host)| {
                free_from = Some(at);
                host
            })
        } else {
            Some(heuristic.host(&Completions::new(chart.known(), task, &row)))
        };
        let Some(host) = host else { continue };
        let (found, sent) = inputs_on(chart, task, chart.cluster_of(host));
        let before = chart.slots().len() as u64;
        let Some(slot) = chart.assign(task, host) else { continue };
        filled.assigned(slot.host, slot.start);
        if terms.explained == Some(task) {
            explained = Some(SlotChoice {
                at: SimTime::from_nanos(chart.floor()),
                task,
                slot,
                compared: match free_from {
                    Some(at) => vec![DecidingNumber::at("free-from", "its host would be free at", Some(at))],
                    None => heuristic.compared(&Completions::new(chart.known(), task, &row)),
                },
                completions: row.into_iter().flatten().collect(),
                rank: None,
                drawn_from: None,
                before,
                among: (tasks.len() - place) as u64,
                next: None,
                found,
                sent,
            });
        }
    }
    explained
}

/// Gives tasks slots as a workqueue would: in order, each on the host that is free first, to which
/// its inputs are sent from then on.
pub(crate) fn fill_as_workqueue(chart: &mut Chart, tasks: impl Iterator<Item = TaskNumber>) {
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
