//! Lower bounds of the makespan of a parameter sweep.
//!
//! - *Compute*: when all processors together have computed every task in the least of its times.
//! - *Link*: when all links together have carried every input that a task reads once, and every output once.
//! - *Longest*: when the task that takes longest is done where it is done first, alone on the grid.
//!
//! What is available, and who is there, is integrated over time, so that the bounds hold on grids that change. None is there if the
//! work is never done.
//!
//! Source: section 8 of the report of the Parameter Sweep Template compares makespans; the bounds are the simulator's own.

use std::collections::BTreeMap;

use crate::kernel::{SimDuration, SimTime};
use crate::platform::Trace;
use crate::sweep::application::{Sweep, SweepTask};
use crate::sweep::grid::{SweepCluster, SweepGrid, SweepHost};

/// Halvings of an interval of time, down to nanoseconds.
const HALVINGS: u32 = 64;

/// Lower bounds of the makespan, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepBounds {
    /// By the processors.
    pub compute: Option<f64>,
    /// By the links, if every file has to cross one.
    pub link: Option<f64>,
    /// By the longest task.
    pub longest: Option<f64>,
}

impl SweepBounds {
    /// The bounds of an application on a grid.
    ///
    /// # Complexity
    /// O(tasks × clusters) where availabilities are constant, and O(tasks × hosts) else.
    pub fn new(sweep: &Sweep, grid: &SweepGrid) -> Self {
        let least = |task: &SweepTask| {
            let times = grid.hosts.iter().map(|host| host.architecture);
            let times = times.collect::<std::collections::BTreeSet<_>>();
            let times = times.into_iter().filter_map(|architecture| task.time_on(architecture));
            times.map(|time| time.real).fold(f64::INFINITY, f64::min)
        };
        let seconds: f64 = sweep.tasks.iter().map(least).sum();
        let mut is_sent = vec![false; sweep.files.len()];
        for file in sweep.tasks.iter().flat_map(|task| task.inputs.iter().chain(&task.outputs)) {
            is_sent[file.index()] = true;
        }
        let bytes = sweep.files.iter().zip(is_sent).filter(|(_, is_sent)| *is_sent);
        let bytes: f64 = bytes.map(|(file, _)| file.bytes as f64).sum();
        let computed = |host: &SweepHost, until| {
            gathered(&host.availability, &host.present, until) * host.speed * f64::from(host.processors)
        };
        let carried = |cluster: &SweepCluster, until| gathered(&cluster.bandwidth, &cluster.present, until);
        SweepBounds {
            compute: reached(seconds, |until| grid.hosts.iter().map(|host| computed(host, until)).sum()),
            link: reached(bytes, |until| grid.clusters.iter().map(|cluster| carried(cluster, until)).sum()),
            longest: longest(sweep, grid),
        }
    }

    /// The greatest of them; `None` if the tasks are never done.
    pub fn lower(&self) -> Option<f64> {
        Some(self.compute?.max(self.link?).max(self.longest?))
    }
}

/// Value times seconds from the start of the run, while `present` is above 0.
fn gathered(value: &Trace, present: &Trace, until: SimTime) -> f64 {
    let (mut at, mut sum) = (SimTime::ZERO, 0.0);
    while at < until {
        let next = present.next_change(at).map_or(until, |next| next.min(until));
        if present.value_at(at) > 0.0 {
            sum += value.integral(at, next);
        }
        at = next;
    }
    sum
}

/// The first instant by which so much has been gathered, in seconds.
fn reached(wanted: f64, gathered: impl Fn(SimTime) -> f64) -> Option<f64> {
    if wanted <= 0.0 {
        return Some(0.0);
    }
    if !wanted.is_finite() {
        return None;
    }
    // an hour, a day, and so on: drawn values are asked for no longer than they have to be
    let mut high = SimDuration::from_secs(3_600).as_nanos();
    while gathered(SimTime::from_nanos(high)) < wanted {
        if high > SimDuration::from_secs(100 * 366 * 86_400).as_nanos() {
            return None;
        }
        high *= 8;
    }
    let mut low = 0;
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2;
        if middle == low {
            break;
        }
        if gathered(SimTime::from_nanos(middle)) < wanted { low = middle } else { high = middle }
    }
    Some(SimTime::from_nanos(high).as_secs_f64())
}

/// When the task that takes longest is done where it is done first.
fn longest(sweep: &Sweep, grid: &SweepGrid) -> Option<f64> {
    let hosts = candidates(grid);
    let mut most = 0.0_f64;
    for task in &sweep.tasks {
        let ends = hosts.iter().filter_map(|host| alone(sweep, task, grid, host));
        most = most.max(ends.min()?.as_secs_f64());
    }
    Some(most)
}

/// Hosts that may be the first: of those with a constant availability the fastest of each architecture and cluster.
fn candidates(grid: &SweepGrid) -> Vec<&SweepHost> {
    let mut fastest: BTreeMap<(u32, usize), &SweepHost> = BTreeMap::new();
    let mut others = Vec::new();
    let rate = |host: &SweepHost| host.speed * host.availability.value_at(SimTime::ZERO);
    for host in &grid.hosts {
        if host.availability.next_change(SimTime::ZERO).is_some() {
            others.push(host);
            continue;
        }
        let best = fastest.entry((host.cluster.0, host.architecture)).or_insert(host);
        if rate(host) > rate(best) {
            *best = host;
        }
    }
    others.extend(fastest.into_values());
    others
}

/// When a task is done on a host of an idle grid. That hosts and links are away is left out, and latencies are the least.
fn alone(sweep: &Sweep, task: &SweepTask, grid: &SweepGrid, host: &SweepHost) -> Option<SimTime> {
    let cluster = grid.cluster(host.cluster);
    let latency = SimDuration::ceil_secs(cluster.latency.least());
    let sent = |at: SimTime, file: &crate::workflow::FileNumber| {
        let begins = SimTime::from_nanos(at.as_nanos().saturating_add(latency.as_nanos()));
        cluster.bandwidth.finish(begins, sweep.file(*file).bytes as f64)
    };
    let computing = task.time_on(host.architecture)?.real / host.speed;
    let at = task.inputs.iter().try_fold(task.arrival, sent)?;
    let at = host.availability.finish(at, computing)?;
    task.outputs.iter().try_fold(at, sent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{Builder, Host, Link};
    use crate::sweep::application::{SweepFile, TaskTime};
    use crate::workflow::FileNumber;

    /// One cluster of hosts with these availabilities behind a link of 10 kB/s.
    fn grid(availabilities: &[Trace]) -> SweepGrid {
        let mut builder = Builder::new();
        let origin = builder.host(Host::new("origin", 1.0)).expect("a host");
        let behind = builder.cluster_behind("c", Link::new(1e4, 0.0)).expect("a cluster");
        builder.join_behind(origin, behind).expect("a route");
        let zone = behind.zone;
        for (number, availability) in availabilities.iter().enumerate() {
            let host = Host { availability: availability.clone(), ..Host::new(format!("h{number}"), 1.0) };
            builder.host_behind(zone, host).expect("a host");
        }
        SweepGrid::of(&builder.build(), origin, 1.0).expect("a grid")
    }

    /// So many tasks of 100 s that read the first file, and write one each.
    fn tasks(count: u32) -> Sweep {
        let file = |bytes| SweepFile { name: "f".into(), bytes, estimated: bytes };
        let files = std::iter::once(file(80_000)).chain((0..count).map(|_| file(20_000)));
        let time = TaskTime { real: 100.0, estimated: 100.0 };
        let task = |number: u32| SweepTask {
            name: number.to_string().into(),
            inputs: [FileNumber(0)].into(),
            outputs: [FileNumber(number + 1)].into(),
            times: [time].into(),
            arrival: SimTime::ZERO,
        };
        Sweep { files: files.collect(), tasks: (0..count).map(task).collect() }
    }

    #[test]
    fn bounds_are_those_of_processors_links_and_the_longest_task() {
        // 8 s of transfers, 200 s of computation on the faster host, 2 s back
        let two = grid(&[Trace::constant(0.5), Trace::constant(0.25)]);
        let bounds = SweepBounds::new(&tasks(1), &two);
        assert_eq!(bounds.longest, Some(210.0));
        let bounds = SweepBounds::new(&tasks(30), &two);
        assert_eq!((bounds.compute, bounds.link, bounds.lower()), (Some(4_000.0), Some(68.0), Some(4_000.0)));
    }

    #[test]
    fn what_changes_is_integrated() {
        let late =
            Trace::constant(0.0).then(SimTime::ZERO + SimDuration::from_secs(1_000), Trace::constant(1.0));
        let bounds = SweepBounds::new(&tasks(2), &grid(&[late.clone()]));
        assert_eq!((bounds.compute, bounds.longest), (Some(1_200.0), Some(1_102.0)));
        let mut away = grid(&[Trace::constant(1.0)]);
        away.hosts[0].present = late;
        assert_eq!(SweepBounds::new(&tasks(2), &away).compute, Some(1_200.0));
        let never = SweepBounds::new(&tasks(2), &grid(&[Trace::constant(0.0)]));
        assert_eq!((never.compute, never.longest, never.lower()), (None, None, None));
    }
}
