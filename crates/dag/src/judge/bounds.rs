//! Lower bounds on the duration of every execution, and the duration of all tasks on one core: from
//! the graph and the speeds of hosts.
//!
//! The longest chain takes each task at its least time over hosts, and a transfer only where no
//! host could compute both of its tasks. All work is over the speed of all cores; where a task
//! states its times, the least times are over the number of cores. A task of several cores counts
//! with each of them, and has its least time over the hosts that can run it.

use crate::kernel::{SimDuration, SimTime};

use super::graph::Cost;
use super::run::Run;

/// Seconds that no execution is shorter than.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// By the longest chain.
    pub(super) path: f64,
    /// By all work.
    pub(super) area: f64,
}

impl Bounds {
    /// The greater of the two.
    pub(super) fn lower(self) -> f64 {
        self.path.max(self.area)
    }

    /// Excess of a makespan over the greater bound, as a share of that bound: zero within its
    /// nanosecond.
    pub(super) fn gap(self, makespan: SimTime) -> Option<f64> {
        let lower = self.lower();
        let is_above = makespan.as_nanos() > (lower * 1e9) as u64;
        (lower > 0.0).then(|| if is_above { makespan.as_secs_f64() / lower - 1.0 } else { 0.0 })
    }
}

/// Tasks that hosts can compute, and their durations there.
pub(super) struct Hosts<'a> {
    run: &'a Run<'a>,
    /// Of each task, whether something comes from the home host, and whether something goes there.
    at_home: Vec<[bool; 2]>,
    /// Of each host, whether the home host reaches it, and whether it reaches that.
    reached: Vec<[bool; 2]>,
    fastest: f64,
}

impl<'a> Hosts<'a> {
    /// Hosts of a run.
    pub(super) fn of(run: &'a Run<'_>) -> Self {
        let mut at_home = vec![[false; 2]; run.graph.names.len()];
        for load in &run.graph.loads {
            match (load.from, load.to) {
                (None, Some(task)) => at_home[task as usize][0] = true,
                (Some(task), None) => at_home[task as usize][1] = true,
                _ => {}
            }
        }
        let joined = |from, to| from == to || run.platform.is_joined(from, to);
        let reached = |host| run.home.map_or([true; 2], |home| [joined(home, host), joined(host, home)]);
        let reached = (0..run.platform.hosts()).map(reached).collect();
        let fastest = (0..run.platform.hosts()).map(|host| run.platform.speed(host)).fold(0.0, f64::max);
        Hosts { run, at_home, reached, fastest }
    }

    /// The work of a task, if it states no times.
    fn work(&self, task: u32) -> Option<f64> {
        if let Cost::Work(work) = &self.run.graph.costs[task as usize] { Some(*work) } else { None }
    }

    /// Cores that a task asks for.
    fn cores(&self, task: u32) -> f64 {
        f64::from(self.run.graph.cores[task as usize])
    }

    /// Seconds of a task on a host; nothing where it cannot run, has too few cores or too little
    /// memory, or is not reached by its files.
    fn seconds(&self, task: u32, host: usize) -> Option<f64> {
        let has_memory =
            self.run.graph.memory[task as usize] <= self.run.platform.memory(host).or(Some(u64::MAX));
        let has_cores = self.run.graph.cores[task as usize] <= self.run.platform.cores(host);
        let pairs = self.at_home[task as usize].iter().zip(&self.reached[host]);
        let is_reached = pairs.into_iter().all(|(needed, reached)| !needed || *reached);
        let seconds = self.run.graph.seconds(task, host, self.run.platform.speed(host));
        seconds.filter(|_| has_cores && has_memory && is_reached)
    }

    fn able(&self, task: u32) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..self.reached.len()).filter_map(move |host| Some((host, self.seconds(task, host)?)))
    }

    fn least(&self, task: u32) -> f64 {
        let least = || self.able(task).map(|(_, seconds)| seconds).fold(f64::INFINITY, f64::min);
        let by_speed = self.work(task).filter(|_| self.run.graph.cores[task as usize] == 1);
        by_speed.map_or_else(least, |work| work / self.fastest)
    }

    /// The least seconds that all tasks take one after another on one core; one of several cores
    /// takes them for each.
    pub(super) fn sequential(&self) -> Option<f64> {
        let tasks = || 0..self.run.graph.names.len() as u32;
        let on = |host| {
            tasks().map(|task| Some(self.seconds(task, host)? * self.cores(task))).sum::<Option<f64>>()
        };
        (0..self.reached.len()).filter_map(on).min_by(f64::total_cmp)
    }

    /// The least seconds of a transfer that every execution has: none where some host could compute
    /// both tasks.
    fn forced(&self, from: u32, to: u32, bytes: Option<u64>) -> f64 {
        let is_free = [from, to].iter().any(|task| self.work(*task).is_some())
            || self.able(from).any(|(host, _)| self.seconds(to, host).is_some());
        let Some(bytes) = bytes.filter(|_| !is_free) else { return 0.0 };
        let pairs = self.able(from).flat_map(|(from, _)| self.able(to).map(move |(to, _)| (from, to)));
        let pairs = pairs.filter(|(from, to)| self.run.platform.is_joined(*from, *to));
        let least = pairs.map(|(from, to)| self.steady(from, to, bytes)).fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }

    /// The seconds of a transfer over a route that never changes; none of one that does.
    fn steady(&self, from: usize, to: usize, bytes: u64) -> f64 {
        let (platform, mut route) = (self.run.platform, Vec::new());
        platform.route(from, to, &mut route);
        let mut least = f64::INFINITY;
        for link in route {
            match platform.bandwidth(link, SimTime::ZERO) {
                Some((bandwidth, None)) => least = least.min(bandwidth),
                _ => return 0.0,
            }
        }
        if platform.latency_changes(from, to) {
            return 0.0;
        }
        let latency = SimDuration::ceil_secs(platform.latency(from, to, SimTime::ZERO));
        latency.saturating_add(SimDuration::ceil_ratio(bytes as f64, least)).as_secs_f64()
    }

    /// The longest chain of each workflow of the scenario, and all its work.
    pub(super) fn of_each(&self) -> Vec<Bounds> {
        let run = self.run;
        let mut longest = vec![0.0_f64; run.files.workflows.len()];
        let mut start = vec![0.0_f64; run.graph.names.len()];
        for task in run.graph.order() {
            let end = start[task as usize] + self.least(task);
            if let Some(workflow) = run.workflow_of[task as usize] {
                longest[workflow] = longest[workflow].max(end);
            }
            let first = run.graph.edges.partition_point(|edge| edge.from < task);
            for edge in run.graph.edges[first..].iter().take_while(|edge| edge.from == task) {
                // files that are sent by themselves are transfers of their own
                let files = run.graph.files_between(edge.from, edge.to);
                let each = files.into_iter().map(|bytes| self.forced(edge.from, edge.to, bytes));
                start[edge.to as usize] =
                    each.map(|seconds| end + seconds).fold(start[edge.to as usize], f64::max);
            }
        }
        let of = |(workflow, path): (usize, f64)| {
            let tasks: Vec<u32> = (0..)
                .zip(&run.workflow_of)
                .filter(|(_, of)| **of == Some(workflow))
                .map(|(task, _)| task)
                .collect();
            Bounds { path, area: self.area(&tasks) }
        };
        longest.into_iter().enumerate().map(of).collect()
    }

    /// Bounds of the whole run, given those of each workflow: workflows that arrive later have
    /// their chains from then on.
    pub(super) fn of_all(&self, each: &[Bounds]) -> Bounds {
        let arrivals = self.run.files.workflows.iter().map(|workflow| workflow.arrival.as_secs_f64());
        let path = arrivals.zip(each).map(|(arrival, one)| arrival + one.path).fold(0.0, f64::max);
        let tasks: Vec<u32> = (0..self.run.graph.names.len() as u32).collect();
        Bounds { path, area: self.area(&tasks) }
    }

    fn area(&self, tasks: &[u32]) -> f64 {
        let platform = self.run.platform;
        let hosts = 0..platform.hosts();
        match tasks.iter().map(|task| Some(self.work(*task)? * self.cores(*task))).sum::<Option<f64>>() {
            Some(work) => {
                let of = |host| std::iter::repeat_n(platform.speed(host), platform.cores(host) as usize);
                work / hosts.flat_map(of).sum::<f64>()
            }
            None => {
                let least: f64 = tasks.iter().map(|task| self.least(*task) * self.cores(*task)).sum();
                least / hosts.map(|host| f64::from(platform.cores(host))).sum::<f64>()
            }
        }
    }
}
