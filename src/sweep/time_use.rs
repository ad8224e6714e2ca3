//! Where the time of processors went: into computing, into waiting for files, or into nothing.
//!
//! A processor waits for files from the end of its task before, or the arrival of its next one if that is later, to the last arrival of an
//! input of that one. What is left is idle: no task was there for it. Which processor of a host computes a task does not matter; here it
//! is the first that is free.

use crate::collections::OrderedSet;
use crate::instrument::family::Part;
use crate::kernel::{SimDuration, SimTime};
use crate::sweep::copies::discarded_time;
use crate::sweep::grid::{HostNumber, SweepGrid};
use crate::sweep::predictions::SubTask;
use crate::sweep::record::{DiscardedRun, SweepOutcomes};
use crate::workflow::TaskNumber;

/// Time of all processors, up to the makespan or the end of the run, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeUse {
    /// In computations that ended, and whose outputs were not lost.
    pub computing: f64,
    /// Without anything but a task whose inputs had not arrived.
    pub waiting: f64,
    /// Without anything.
    pub idle: f64,
    /// In computations that were lost, or their outputs.
    pub lost: f64,
    /// In computations that were thrown away, as their tasks had ended on other hosts.
    pub discarded: f64,
    /// While their hosts were not there.
    pub absent: f64,
}

impl TimeUse {
    /// Its parts, in the order of [`shares`](TimeUse::shares).
    pub const PARTS: &[Part] = &[
        ("computing", "computations that ended"),
        ("waiting", "nothing, as inputs of the next task had not arrived"),
        ("idle", "nothing, for lack of a task"),
        ("lost", "computations that were lost with hosts or clusters, or whose outputs were"),
        ("absent", "the host was not there"),
        ("discarded", "computations that were thrown away, as their tasks had ended on other hosts"),
    ];

    /// That of a run.
    pub fn of(outcomes: &SweepOutcomes) -> Self {
        let grid = &*outcomes.grid;
        let end = outcomes.makespan().unwrap_or(outcomes.ended_at);
        let processors = |host: HostNumber| f64::from(grid.host(host).processors);
        let whole: f64 = grid.host_numbers().map(|host| processors(host) * end.as_secs_f64()).sum();
        let absent: f64 = grid.host_numbers().map(|host| processors(host) * absence(grid, host, end)).sum();
        let spans = outcomes.tasks.iter().filter_map(|task| Some(task.end?.since(task.start?)));
        let computing: f64 = spans.map(SimDuration::as_secs_f64).sum();
        let lost = outcomes.lost.as_secs_f64();
        let discarded = discarded_time(&outcomes.discarded).as_secs_f64();
        let left = (whole - absent - computing - lost - discarded).max(0.0);
        let waiting = waits_for_files(outcomes).min(left);
        TimeUse { computing, waiting, idle: left - waiting, lost, discarded, absent }
    }

    /// The shares of its parts; nothing if the run took no time.
    pub fn shares(&self) -> Option<[f64; 6]> {
        let parts = [self.computing, self.waiting, self.idle, self.lost, self.absent, self.discarded];
        let whole: f64 = parts.iter().sum();
        (whole > 0.0).then(|| parts.map(|part| part / whole))
    }
}

/// How long a host is not there, up to an instant.
fn absence(grid: &SweepGrid, host: HostNumber, end: SimTime) -> f64 {
    let host = grid.host(host);
    let present = [&host.present, &grid.cluster(host.cluster).present];
    let (mut at, mut seconds) = (SimTime::ZERO, 0.0);
    while at < end {
        let until = present.iter().filter_map(|trace| trace.next_change(at)).fold(end, SimTime::min);
        if present.iter().any(|trace| trace.value_at(at) <= 0.0) {
            seconds += until.since(at).as_secs_f64();
        }
        at = until;
    }
    seconds
}

/// A computation of a task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ComputedSpan {
    /// When it started.
    pub start: SimTime,
    /// The task.
    pub task: TaskNumber,
    /// When it ended.
    pub end: SimTime,
    /// Whether it was thrown away.
    pub is_discarded: bool,
}

/// What each processor computed, but for computations that were lost, in order of start, host by host.
pub fn by_processor(outcomes: &SweepOutcomes) -> Vec<(HostNumber, Vec<ComputedSpan>)> {
    let mut on_host: Vec<Vec<ComputedSpan>> = vec![Vec::new(); outcomes.grid.hosts.len()];
    for task in outcomes.sweep.task_numbers() {
        let record = &outcomes.tasks[task.index()];
        if let (Some(host), Some(start), Some(end)) = (record.host, record.start, record.end) {
            on_host[host.index()].push(ComputedSpan { start, task, end, is_discarded: false });
        }
    }
    for &DiscardedRun { task, host, start, end } in &outcomes.discarded {
        on_host[host.index()].push(ComputedSpan { start, task, end, is_discarded: true });
    }
    let mut all = Vec::new();
    for (host, mut tasks) in outcomes.grid.host_numbers().zip(on_host) {
        tasks.sort_unstable();
        let count = outcomes.grid.host(host).processors as usize;
        let mut processors: Vec<(SimTime, Vec<ComputedSpan>)> = vec![(SimTime::ZERO, Vec::new()); count];
        for span in tasks {
            if let Some((free, tasks)) = processors.iter_mut().find(|(free, _)| *free <= span.start) {
                *free = span.end;
                tasks.push(span);
            }
        }
        all.extend(processors.into_iter().map(|(_, tasks)| (host, tasks)));
    }
    all
}

/// How long processors waited for inputs, in seconds.
fn waits_for_files(outcomes: &SweepOutcomes) -> f64 {
    let (sweep, grid) = (&*outcomes.sweep, &*outcomes.grid);
    // where files do not stay, an input is there for its task alone
    let whose = |cluster, task| if grid.cluster(cluster).has_storage { TaskNumber(0) } else { task };
    let mut arrivals = OrderedSet::new();
    for run in &outcomes.transfers {
        let (cluster, task) = (run.transfer.cluster, run.transfer.task);
        if let (SubTask::Input(file), Some(end)) = (run.transfer.file, run.end) {
            arrivals.insert((cluster, file, whose(cluster, task), end));
        }
    }
    let mut waited = 0.0;
    for (host, tasks) in by_processor(outcomes) {
        let cluster = grid.host(host).cluster;
        let mut free = SimTime::ZERO;
        for ComputedSpan { start, task, end, .. } in tasks {
            let arrival = |file| {
                let key = |at| (cluster, file, whose(cluster, task), at);
                let until = arrivals.range(key(SimTime::ZERO)..=key(start));
                until.last().map(|(_, _, _, at)| *at)
            };
            let of_task = sweep.task(task);
            let last = of_task.inputs.iter().filter_map(|file| arrival(*file)).max();
            let from = free.max(of_task.arrival);
            waited += last.filter(|last| *last > from).map_or(0.0, |last| last.since(from).as_secs_f64());
            free = end;
        }
    }
    waited
}
