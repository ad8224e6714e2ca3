//! Lower bounds of the end of a run.
//!
//! - *Compute*: all tasks, each by the least of its times, over all processors: the instant at
//!   which what these have been available for, times their speeds, is as much. Hosts count while
//!   they are there, from the first arrival on.
//! - *Link*: each input that some task reads once over some link of an origin, and all outputs
//!   once, over the bandwidth of all these links.
//! - *Longest*: the task that is completed last if each has the grid to itself, on the host that is
//!   best for it. Bandwidths count with the greatest values that they ever have, latencies with the
//!   least. Inputs of clusters that are joined to others count for nothing: they may come from
//!   these.
//!
//! Waits in batch queues, copies on several clusters, and what is done again come on top, so all
//! three hold for every run.

use std::cell::Cell;

use crate::collections::OrderedSet;
use crate::kernel::{SimDuration, SimTime};
use crate::model::application::{Sweep, SweepTask};
use crate::model::grid::{ClusterNumber, LinkNumber, SweepGrid, SweepHost};
use crate::platform::Trace;
use crate::workflow::FileNumber;

/// Lower bounds of the makespan, in seconds; `None` where no run ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepBounds {
    /// By what all processors together can compute.
    pub compute: Option<f64>,
    /// By what all links together can carry.
    pub link: Option<f64>,
    /// By the task that takes longest.
    pub longest: Option<f64>,
}

/// Factor of a bound, so that rounding in its sums does not lift it above the true value.
const ROUNDED: f64 = 1.0 - 1e-13;

/// Changes of presence that are looked at before a bound is left as it is then.
const MOST_CHANGES: u64 = 10_000_000;

impl SweepBounds {
    /// Bounds of an application on a grid.
    ///
    /// # Complexity
    /// O(tasks) but for the tasks that take longer than all before, which are tried on all hosts
    /// that change and on one of each cluster.
    pub fn new(sweep: &Sweep, grid: &SweepGrid) -> Self {
        let first = sweep.tasks.iter().map(|task| task.arrival).min().unwrap_or_default();
        let work: f64 = sweep.tasks.iter().filter_map(|task| least_seconds(task, grid)).sum();
        let processors: Vec<Supply<'_>> = grid.hosts.iter().map(|host| Supply::of_host(host, grid)).collect();
        let links: Vec<Supply<'_>> =
            grid.links_of_origins().map(|link| Supply::of_link(grid, link)).collect();
        let seconds = |at: SimTime| {
            let seconds = at.as_secs_f64();
            (seconds < SimTime::MAX.as_secs_f64()).then_some(seconds)
        };
        SweepBounds {
            compute: seconds(reached(&processors, first, work)),
            link: seconds(reached(&links, SimTime::ZERO, bytes(sweep))),
            longest: seconds(longest(sweep, grid)),
        }
    }

    /// The greatest of them.
    pub fn lower(&self) -> Option<f64> {
        Some(self.compute?.max(self.link?).max(self.longest?))
    }

    /// Returns the excess of a makespan over the greatest bound, as a share of that bound; 0 where
    /// there is nothing to do, `None` if a bound is unknown.
    pub fn gap(&self, makespan: f64) -> Option<f64> {
        let lower = self.lower()?;
        Some(if lower > 0.0 { makespan / lower - 1.0 } else { 0.0 })
    }
}

/// The least time of a task on a host of speed 1 that is all available, of the architectures that
/// there are.
pub(crate) fn least_seconds(task: &SweepTask, grid: &SweepGrid) -> Option<f64> {
    if let [all] = &*task.times {
        return Some(all.real);
    }
    let of_hosts = grid.hosts.iter().filter_map(|host| Some(task.time_on(host.architecture)?.real));
    of_hosts.min_by(f64::total_cmp)
}

/// Bytes of the files that tasks read or write, each file once.
fn bytes(sweep: &Sweep) -> f64 {
    let mut is_sent = vec![false; sweep.files.len()];
    for file in sweep.tasks.iter().flat_map(|task| task.inputs.iter().chain(&task.outputs)) {
        is_sent[file.index()] = true;
    }
    sweep.files.iter().zip(is_sent).filter(|(_, is_sent)| *is_sent).map(|(file, _)| file.bytes as f64).sum()
}

/// Supply of a resource: `times` the value while it is there.
struct Supply<'a> {
    times: f64,
    value: &'a Trace,
    present: [Option<&'a Trace>; 2],
}

/// Returns true if a trace is above 0 for ever.
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

    fn of_link(grid: &'a SweepGrid, link: LinkNumber) -> Self {
        let present = &grid.cluster(grid.clusters_of_link(link).0).present;
        let present = [Some(present).filter(|trace| !is_always_above(trace)), None];
        Supply { times: 1.0, value: grid.link_traces(link).1, present }
    }

    /// Returns the supply between two instants; `None` if too many changes lie between them.
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

/// The instant at which resources together have done so much, if they begin at `from`; the last
/// instant if they never have.
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

/// Links of a cluster at their best. Several are as one of all their bandwidths together, where
/// each file has a latency of the least share: the last of them ends no sooner than their mean,
/// weighted by bandwidth, and each has a file's latency.
struct BestLink {
    from: SimTime,
    latency: f64,
    bandwidth: f64,
    has_storage: bool,
    /// True if inputs may come from other clusters, however fast.
    has_others: bool,
}

impl BestLink {
    fn of(number: ClusterNumber, grid: &SweepGrid) -> Option<Self> {
        let cluster = grid.cluster(number);
        let is_of_origin = |link: &LinkNumber| grid.clusters_of_link(*link).1.is_none();
        let links = || grid.links_of(number).filter(is_of_origin);
        let traces = || links().map(|link| grid.link_traces(link));
        let latency = traces().map(|(latency, _)| latency.least()).fold(f64::INFINITY, f64::min);
        let bandwidths = || traces().map(|(_, bandwidth)| greatest(bandwidth));
        let bandwidth: f64 = bandwidths().sum();
        let share = if links().count() == 1 || bandwidth <= 0.0 {
            1.0
        } else {
            bandwidths().fold(f64::INFINITY, f64::min) / bandwidth
        };
        Some(BestLink {
            from: first_above(&cluster.present)?,
            latency: latency * share,
            bandwidth,
            has_storage: cluster.has_storage,
            has_others: !grid.neighbours(number).is_empty(),
        })
    }

    /// Instant at which all files have been sent, one after the other.
    fn sent(&self, from: SimTime, files: usize, bytes: f64) -> SimTime {
        let carried = if bytes > 0.0 { bytes / self.bandwidth } else { 0.0 };
        from.saturating_add(SimDuration::ceil_secs((files as f64 * self.latency + carried) * ROUNDED))
    }
}

/// A host that may be the best for some task.
struct Candidate<'a> {
    host: &'a SweepHost,
    link: BestLink,
    from: SimTime,
}

/// The hosts that may be the best for some task, the fastest first: of those of a cluster and an
/// architecture that do not change one.
fn candidates(grid: &SweepGrid) -> Vec<Candidate<'_>> {
    let rate = |host: &SweepHost| host.speed * greatest(&host.availability);
    let mut hosts: Vec<&SweepHost> =
        grid.hosts.iter().filter(|host| rate(host) > 0.0 && host.processors > 0).collect();
    hosts.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
    let mut seen = OrderedSet::new();
    let changes = |trace: &Trace| trace.next_change(SimTime::ZERO).is_some();
    let is_first = |host: &&SweepHost| {
        changes(&host.availability)
            || changes(&host.present)
            || seen.insert((host.cluster, host.architecture))
    };
    let candidate =
        |host: &'_ SweepHost| Some((first_above(&host.present)?, BestLink::of(host.cluster, grid)?));
    let hosts: Vec<&SweepHost> = hosts.into_iter().filter(is_first).collect();
    let with_links = hosts.into_iter().filter_map(|host| Some((host, candidate(host)?)));
    with_links.map(|(host, (from, link))| Candidate { host, link, from }).collect()
}

/// The instant at which the task is completed that takes longest by itself; the last instant if one
/// never is.
fn longest(sweep: &Sweep, grid: &SweepGrid) -> SimTime {
    let hosts = candidates(grid);
    // an input may be sent as soon as some task that reads it has arrived
    let mut known = vec![SimTime::MAX; sweep.files.len()];
    for task in &sweep.tasks {
        for file in &*task.inputs {
            known[file.index()] = known[file.index()].min(task.arrival);
        }
    }
    let mut last = SimTime::ZERO;
    for task in &sweep.tasks {
        let bytes = |sum: f64, file: &FileNumber| sum + sweep.file(*file).bytes as f64;
        let sum = |files: &[FileNumber]| files.iter().fold(0.0, bytes);
        let (inputs, outputs) = (sum(&task.inputs), sum(&task.outputs));
        let known = task.inputs.iter().map(|file| known[file.index()]).min().unwrap_or(task.arrival);
        let on = |Candidate { host, link, from }: &Candidate<'_>| {
            let known = if link.has_storage { known } else { task.arrival };
            let begins = known.max(link.from);
            let there = if link.has_others { begins } else { link.sent(begins, task.inputs.len(), inputs) };
            let start = there.max(task.arrival).max(*from);
            let seconds = task.time_on(host.architecture)?.real / host.speed;
            let end = host.availability.finish(start, seconds)?;
            Some(link.sent(end, task.outputs.len(), outputs))
        };
        let mut first = SimTime::MAX;
        for end in hosts.iter().filter_map(on) {
            first = first.min(end);
            if first <= last {
                break;
            }
        }
        last = last.max(first);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;
    use crate::model::application::TaskTime;
    use crate::plan::planner::Planner;
    use crate::plan::settings::PlanSettings;
    use crate::scheduler::interfaces::SweepScheduler;
    use crate::tests::{grid, random_case, run_with, shared_files, sweep, workqueue};

    #[test]
    fn bounds_are_those_computed_by_hand() {
        let (six_grid, six) = shared_files();
        // 290 s on processors of 1, 1, 0.5, 0.5 and 1; 880 KB over 25 KB/s
        let bounds = SweepBounds::new(&six, &six_grid);
        assert_eq!((bounds.compute, bounds.link), (Some(72.5), Some(35.2)));
        // task 3 on the first cluster: 46 s of inputs, 50 s, 1 s of output
        assert_eq!((bounds.longest, bounds.gap(194.0)), (Some(97.0), Some(1.0)));
    }

    #[test]
    fn the_lower_bound_is_the_greatest_of_the_three() {
        for [compute, link, longest] in
            [[3.0, 1.0, 2.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]].map(|all| all.map(Some))
        {
            let bounds = SweepBounds { compute, link, longest };
            assert_eq!((bounds.lower(), bounds.gap(4.5)), (Some(3.0), Some(0.5)), "{bounds:?}");
            assert_eq!(SweepBounds { link: None, ..bounds }.lower(), None);
        }
    }

    #[test]
    fn a_host_that_comes_later_counts_from_then_on() {
        let mut later = grid(&[(1e9, &[1.0, 1.0])]);
        let at = |secs| SimTime::from_secs(secs).expect("it is soon");
        later.hosts[1].present = Trace::new(&[(at(0), 0.0), (at(10), 1.0)], None).expect("a trace");
        let tasks = sweep(&[], &[(&[] as &[u32], 10.0, 0); 3]);
        assert_eq!(SweepBounds::new(&tasks, &later).compute, Some(20.0));
        later.hosts[0].availability = Trace::new(&[(at(0), 0.5), (at(12), 1.0)], None).expect("a trace");
        // 6 and 2 by 12 s, 22 more by two
        assert_eq!(SweepBounds::new(&tasks, &later).compute, Some(23.0));
    }

    #[test]
    fn the_longest_task_is_on_the_host_that_is_best_when_it_is_there() {
        let mut one = grid(&[(1e4, &[0.5, 0.25])]);
        let tasks = sweep(&[80_000], &[(&[0], 100.0, 20_000)]);
        // 8 s of transfers, 200 s on the faster host, 2 s back
        assert_eq!(SweepBounds::new(&tasks, &one).longest, Some(210.0));
        let from_1000 =
            Trace::constant(0.0).then(SimTime::ZERO + SimDuration::from_secs(1_000), Trace::constant(1.0));
        one.hosts[0].availability = from_1000.clone();
        assert_eq!(SweepBounds::new(&tasks, &one).longest, Some(410.0));
        one.hosts[1].present = from_1000;
        assert_eq!(SweepBounds::new(&tasks, &one).longest, Some(1_102.0));
    }

    #[test]
    fn what_is_never_done_has_no_bound_and_nothing_to_do_the_bound_0() {
        let never = grid(&[(1e9, &[0.0])]);
        let tasks = sweep(&[], &[(&[] as &[u32], 10.0, 0)]);
        let bounds = SweepBounds::new(&tasks, &never);
        assert_eq!((bounds.compute, bounds.longest, bounds.lower()), (None, None, None));
        assert_eq!(SweepBounds::new(&sweep(&[], &[]), &never).lower(), Some(0.0));
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
            let bounds = SweepBounds::new(&sweep, &grid);
            let scheduler: Box<dyn SweepScheduler> = match case % 2 {
                0 => Box::new(Planner::new(settings, Streams::new(case, 0))),
                _ => workqueue(),
            };
            let makespan = run_with(grid, sweep, scheduler).makespan().expect("all tasks are completed");
            let gap = bounds.gap(makespan.as_secs_f64()).expect("it ended");
            assert!(gap >= 0.0, "{case}: {makespan} {bounds:?}");
            least = least.min(gap);
        }
        assert!(least < 0.01, "no run comes near its bound: {least}");
    }
}
