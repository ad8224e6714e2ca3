//! What no run ends before.
//!
//! - *Compute*: all tasks, each by the least of its times, over all processors: the instant at which what these have been available for,
//!   times their speeds, is as much. Hosts count while they are there, from the first arrival on.
//! - *Link*: each input that some task reads once over some link, and all outputs once, over the bandwidth of all links.
//! - *Longest task*: the one that is completed last if each has the grid to itself, on the host that is best for it. Availabilities and
//!   bandwidths count with the greatest values that they ever have, latencies with the least.
//!
//! Waits in batch queues, copies on several clusters, and what is done again come on top, so all three hold for every run.

use std::cell::Cell;

use crate::kernel::{SimDuration, SimTime};
use crate::platform::Trace;
use crate::sweep::application::{Sweep, SweepTask};
use crate::sweep::grid::{SweepCluster, SweepGrid, SweepHost};
use crate::workflow::FileNumber;

/// Lower bounds of the makespan, in seconds; infinite where no run ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepBounds {
    /// By what all processors together can compute.
    pub compute: f64,
    /// By what all links together can carry.
    pub link: f64,
    /// By the task that takes longest.
    pub longest_task: f64,
}

/// What a bound is multiplied with, so that rounding in its sums does not lift it above what can be.
const ROUNDED: f64 = 1.0 - 1e-13;

/// Changes of presence that are looked at before a bound is left as it is then.
const MOST_CHANGES: u64 = 10_000_000;

impl SweepBounds {
    /// Those of an application on a grid.
    pub fn of(sweep: &Sweep, grid: &SweepGrid) -> Self {
        let first = sweep.tasks.iter().map(|task| task.arrival).min().unwrap_or_default();
        let work: f64 = sweep.tasks.iter().filter_map(|task| least_seconds(task, grid)).sum();
        let processors: Vec<Supply<'_>> = grid.hosts.iter().map(|host| Supply::of_host(host, grid)).collect();
        let links: Vec<Supply<'_>> = grid.clusters.iter().map(Supply::of_link).collect();
        let seconds = |at: SimTime| {
            let seconds = at.as_secs_f64();
            if seconds < SimTime::MAX.as_secs_f64() { seconds } else { f64::INFINITY }
        };
        SweepBounds {
            compute: seconds(reached(&processors, first, work)),
            link: seconds(reached(&links, SimTime::ZERO, bytes(sweep))),
            longest_task: seconds(longest_task(sweep, grid)),
        }
    }

    /// The greatest of them.
    pub fn lower(&self) -> f64 {
        self.compute.max(self.link).max(self.longest_task)
    }

    /// How far a makespan is above the greatest, as a share of it; 0 where there is nothing to do.
    pub fn gap(&self, makespan: f64) -> f64 {
        if self.lower() > 0.0 { makespan / self.lower() - 1.0 } else { 0.0 }
    }
}

/// The least time of a task on a host of speed 1 that is all available, of the architectures that there are.
fn least_seconds(task: &SweepTask, grid: &SweepGrid) -> Option<f64> {
    if let [all] = &*task.times {
        return Some(all.real);
    }
    let of_hosts = grid.hosts.iter().filter_map(|host| Some(task.time_on(host.architecture)?.real));
    of_hosts.min_by(f64::total_cmp)
}

/// What is sent at least.
fn bytes(sweep: &Sweep) -> f64 {
    let mut is_sent = vec![false; sweep.files.len()];
    for file in sweep.tasks.iter().flat_map(|task| task.inputs.iter().chain(&task.outputs)) {
        is_sent[file.index()] = true;
    }
    sweep.files.iter().zip(is_sent).filter(|(_, is_sent)| *is_sent).map(|(file, _)| file.bytes as f64).sum()
}

/// What a resource does: so much of a value while it is there.
struct Supply<'a> {
    times: f64,
    value: &'a Trace,
    present: [Option<&'a Trace>; 2],
}

/// Whether a trace is above 0 for ever.
fn is_always_above(trace: &Trace) -> bool {
    trace.least() > 0.0
}

impl<'a> Supply<'a> {
    fn of_host(host: &'a SweepHost, grid: &'a SweepGrid) -> Self {
        let present = [&host.present, &grid.cluster(host.cluster).present];
        Supply {
            times: host.speed * f64::from(host.processors),
            value: &host.availability,
            present: present.map(|trace| Some(trace).filter(|trace| !is_always_above(trace))),
        }
    }

    fn of_link(cluster: &'a SweepCluster) -> Self {
        let present = [Some(&cluster.present).filter(|trace| !is_always_above(trace)), None];
        Supply { times: 1.0, value: &cluster.bandwidth, present }
    }

    /// What it does between two instants; nothing if too many changes lie between them.
    fn between(&self, from: SimTime, to: SimTime, changes: &Cell<u64>) -> Option<f64> {
        let (mut at, mut done) = (from, 0.0);
        while at < to {
            let traces = || self.present.iter().flatten();
            let until = traces().filter_map(|trace| trace.next_change(at)).fold(to, SimTime::min);
            if traces().all(|trace| trace.value_at(at) > 0.0) {
                done += self.times * self.value.integral(at, until);
            }
            changes.set(changes.get() + 1);
            if changes.get() > MOST_CHANGES {
                return None;
            }
            at = until;
        }
        Some(done)
    }
}

/// The instant at which resources together have done so much, if they begin at `from`; the last instant if they never have.
fn reached(supplies: &[Supply<'_>], from: SimTime, work: f64) -> SimTime {
    let work = work * ROUNDED;
    if work <= 0.0 {
        return SimTime::ZERO;
    }
    let can_do = |supply: &&Supply<'_>| supply.times * greatest(supply.value) > 0.0;
    let supplies: Vec<&Supply<'_>> = supplies.iter().filter(can_do).collect();
    if supplies.is_empty() {
        return SimTime::MAX;
    }
    let changes = Cell::new(0);
    let together = |from, to| {
        supplies.iter().try_fold(0.0, |sum, supply| Some(sum + supply.between(from, to, &changes)?))
    };
    // spans of twice the length until one is too long, then of half the length
    let (mut at, mut left) = (from.as_nanos(), work);
    let mut span = 1_u64 << 30;
    let mut is_too_long = false;
    while span > 0 {
        let Some(to) = at.checked_add(span) else {
            (span, is_too_long) = (span / 2, true);
            continue;
        };
        let Some(done) = together(SimTime::from_nanos(at), SimTime::from_nanos(to)) else { break };
        if done < left {
            (at, left) = (to, left - done);
        } else {
            is_too_long = true;
        }
        span = if is_too_long { span / 2 } else { span.saturating_mul(2) };
    }
    // runs end on whole nanoseconds
    SimTime::from_nanos(at.saturating_add(u64::from(span == 0)))
}

/// The greatest value that a trace may have.
fn greatest(trace: &Trace) -> f64 {
    trace.values().fold(0.0, f64::max)
}

/// The first instant at which a trace is above 0.
fn first_above(trace: &Trace) -> Option<SimTime> {
    let changes = std::iter::successors(Some(SimTime::ZERO), |at| trace.next_change(*at));
    changes.take(MOST_CHANGES as usize).find(|at| trace.value_at(*at) > 0.0)
}

/// What a cluster has at its best, in seconds and bytes per second.
struct BestOfCluster {
    from: f64,
    latency: f64,
    bandwidth: f64,
    has_storage: bool,
    /// By architecture: what times are divided by, and when the first host is there.
    computes: Vec<Option<(f64, f64)>>,
}

impl BestOfCluster {
    fn of(cluster: &SweepCluster, grid: &SweepGrid) -> Option<Self> {
        let from = first_above(&cluster.present)?.as_secs_f64();
        let mut computes: Vec<Option<(f64, f64)>> = Vec::new();
        for host in &grid.hosts[cluster.hosts.start as usize..cluster.hosts.end as usize] {
            let rate = host.speed * greatest(&host.availability);
            let Some(first) = first_above(&host.present).filter(|_| rate > 0.0 && host.processors > 0) else {
                continue;
            };
            if computes.len() <= host.architecture {
                computes.resize(host.architecture + 1, None);
            }
            let best = computes[host.architecture].get_or_insert((0.0, f64::INFINITY));
            *best = (best.0.max(rate), best.1.min(first.as_secs_f64()));
        }
        Some(BestOfCluster {
            from,
            latency: cluster.latency.least(),
            bandwidth: greatest(&cluster.bandwidth),
            has_storage: cluster.has_storage,
            computes,
        })
    }

    /// How long so many files take over its link.
    fn transfers(&self, files: usize, bytes: f64) -> f64 {
        let carried = if bytes > 0.0 { bytes / self.bandwidth } else { 0.0 };
        files as f64 * self.latency + carried
    }
}

/// The instant at which the task is completed that takes longest by itself.
fn longest_task(sweep: &Sweep, grid: &SweepGrid) -> SimTime {
    let clusters: Vec<BestOfCluster> =
        grid.clusters.iter().filter_map(|cluster| BestOfCluster::of(cluster, grid)).collect();
    // an input may be sent as soon as some task that reads it has arrived
    let mut known = vec![SimTime::MAX; sweep.files.len()];
    for task in &sweep.tasks {
        for file in &*task.inputs {
            known[file.index()] = known[file.index()].min(task.arrival);
        }
    }
    let by_itself = |task: &SweepTask| {
        let sum = |files: &[FileNumber]| files.iter().map(|file| sweep.file(*file).bytes as f64).sum::<f64>();
        let (inputs, outputs) = (sum(&task.inputs), sum(&task.outputs));
        let arrival = task.arrival.as_secs_f64();
        let known = task.inputs.iter().map(|file| known[file.index()]).min().unwrap_or(task.arrival);
        let on = |cluster: &BestOfCluster| {
            let known = if cluster.has_storage { known.as_secs_f64() } else { arrival };
            let there = known.max(cluster.from) + cluster.transfers(task.inputs.len(), inputs);
            let of = |(architecture, best): (usize, &Option<(f64, f64)>)| {
                let (rate, first) = (*best)?;
                let start = there.max(arrival).max(first);
                Some(start + task.time_on(architecture)?.real / rate)
            };
            let end = cluster.computes.iter().enumerate().filter_map(of).min_by(f64::total_cmp);
            end.map(|end| end + cluster.transfers(task.outputs.len(), outputs))
        };
        clusters.iter().filter_map(on).fold(f64::INFINITY, f64::min)
    };
    let last = sweep.tasks.iter().map(by_itself).fold(0.0, f64::max);
    SimTime::ZERO.saturating_add(SimDuration::ceil_secs(last * ROUNDED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;
    use crate::sweep::application::TaskTime;
    use crate::sweep::interfaces::SweepScheduler;
    use crate::sweep::plan::{PlanSettings, Planner};
    use crate::sweep::tests::{grid, random_case, run_with, shared_files, sweep, workqueue};

    #[test]
    fn bounds_are_those_computed_by_hand() {
        let (six_grid, six) = shared_files();
        // 290 s on processors of 1, 1, 0.5, 0.5 and 1; 880 KB over 25 KB/s
        let bounds = SweepBounds::of(&six, &six_grid);
        assert_eq!((bounds.compute, bounds.link), (72.5, 35.2));
        // task 3 on the first cluster: 46 s of inputs, 50 s, 1 s of output
        assert_eq!(bounds.longest_task, 97.0);
        assert_eq!(bounds.gap(194.0), 1.0);
    }

    #[test]
    fn a_host_that_comes_later_counts_from_then_on() {
        let mut later = grid(&[(1e9, &[1.0, 1.0])]);
        let at = |secs| SimTime::from_secs(secs).expect("it is soon");
        later.hosts[1].present = Trace::new(&[(at(0), 0.0), (at(10), 1.0)], None).expect("a trace");
        let tasks = sweep(&[], &[(&[] as &[u32], 10.0, 0); 3]);
        assert_eq!(SweepBounds::of(&tasks, &later).compute, 20.0);
        later.hosts[0].availability = Trace::new(&[(at(0), 0.5), (at(12), 1.0)], None).expect("a trace");
        // 6 and 2 by 12 s, 22 more by two
        assert_eq!(SweepBounds::of(&tasks, &later).compute, 23.0);
    }

    #[test]
    fn what_is_never_done_has_no_bound_and_nothing_to_do_the_bound_0() {
        let never = grid(&[(1e9, &[0.0])]);
        let tasks = sweep(&[], &[(&[] as &[u32], 10.0, 0)]);
        assert_eq!(SweepBounds::of(&tasks, &never).compute, f64::INFINITY);
        assert_eq!(SweepBounds::of(&sweep(&[], &[]), &never).lower(), 0.0);
    }

    /// Hosts of several processors, speeds and architectures, and values that change.
    fn varied(case: u64) -> (SweepGrid, Sweep, PlanSettings) {
        let (mut grid, mut sweep, settings) = random_case(case);
        let mut stream = Streams::new(case, 2).stream("test");
        let mut below = |bound: u64| stream.below(bound);
        let at = |secs| SimTime::from_secs(secs).expect("it is soon");
        let changing = |values: [f64; 3]| {
            let points = [(at(0), values[0]), (at(13), values[1]), (at(31), values[2])];
            Trace::new(&points, Some(SimDuration::from_secs(10))).expect("a trace")
        };
        for host in &mut grid.hosts {
            (host.architecture, host.processors) = (below(2) as usize, 1 + below(2) as u32);
            host.speed = [1.0, 2.5][below(2) as usize];
            if below(3) == 0 {
                host.availability = changing([0.5, 0.1, 1.0]);
            }
        }
        for cluster in &mut grid.clusters {
            cluster.latency = Trace::constant(below(3) as f64 / 4.0);
            if below(3) == 0 {
                cluster.bandwidth = changing([4e3, 1e3, 9e3]);
            }
        }
        for task in &mut sweep.tasks {
            let other = (1 + below(200)) as f64;
            if other <= 100.0 {
                task.times = [task.times[0], TaskTime { real: other, estimated: other }].into();
            }
        }
        (grid, sweep, settings)
    }

    #[test]
    fn no_run_ends_before() {
        let mut least = f64::INFINITY;
        for case in 0..300 {
            let (grid, sweep, settings) = varied(case);
            let bounds = SweepBounds::of(&sweep, &grid);
            let scheduler: Box<dyn SweepScheduler> = match case % 2 {
                0 => Box::new(Planner::new(settings, Streams::new(case, 0))),
                _ => workqueue(),
            };
            let makespan = run_with(grid, sweep, scheduler).makespan().expect("all tasks are completed");
            let gap = bounds.gap(makespan.as_secs_f64());
            assert!(gap >= 0.0, "{case}: {makespan} {bounds:?}");
            least = least.min(gap);
        }
        assert!(least < 0.01, "no run comes near its bound: {least}");
    }
}
