//! Problems of scheduling: tasks, a grid, and predictions of both.

use std::sync::Arc;

use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::model::graph::Graph;
use crate::model::grid::{Core, Grid};
use crate::model::prediction::{Prediction, Rate};
use crate::platform::{Host, HostId};
use crate::units::{BadQuantity, Bytes};
use crate::workflow::{Task, TaskNumber};

/// Cost of computing a task.
#[derive(Clone, Debug)]
enum Cost {
    /// Work, in the unit of speeds.
    Work(f64),
    /// Seconds at full availability by host; infinite where it cannot run.
    ByHost(Box<[f64]>),
}

/// True if transfers of a plan have their links to themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Contention {
    /// A planned transfer waits until the links of its route have carried those planned before it.
    #[default]
    Queued,
    /// Every transfer has its links to itself.
    Free,
}

/// Limits, other than times, that keep tasks off hosts.
#[derive(Clone, Debug)]
struct Limits {
    /// Cores of each host that are used.
    cores: Vec<u32>,
    /// Memory of each task [bytes]; none of them asks for any if it is empty.
    asked: Vec<u64>,
    /// Memory of each host [bytes].
    memory: Vec<u64>,
    /// Hosts that data reach from the home host, and from which data reach it.
    from_home: Vec<bool>,
    to_home: Vec<bool>,
}

/// Tasks on a grid, and predictions.
#[derive(Debug)]
pub struct SchedulingProblem {
    /// The tasks.
    pub graph: Arc<Graph>,
    /// Hosts and pairs of hosts.
    pub grid: Grid,
    /// Predictions for the scheduler.
    pub prediction: Prediction,
    /// Contention of planned transfers for links.
    pub contention: Contention,
    /// Random streams of rules that draw.
    pub streams: Streams,
    costs: Vec<Cost>,
    /// Cores that each task asks for; empty if all ask for one.
    widths: Vec<u32>,
    limits: Option<Limits>,
}

impl SchedulingProblem {
    /// These tasks on this grid. Where a task states its seconds by host, a host that it does not
    /// name cannot run it. Neither can a host that notes less memory (`noted_memory`) than the
    /// task asks for, nor one of which fewer cores are used than it asks for, nor one that files do
    /// not reach from the home host, or from which they do not reach it.
    pub fn new(graph: Arc<Graph>, grid: Grid, prediction: Prediction, contention: Contention) -> Self {
        let costs = graph.tasks().map(|task| Cost::of(graph.task(task), &grid)).collect();
        let width = |task: TaskNumber| graph.task(task).cores.max(1);
        let widths = if graph.has_wide_tasks() { graph.tasks().map(width).collect() } else { Vec::new() };
        let limits = Limits::of(&graph, &grid, &widths);
        let streams = Streams::default();
        SchedulingProblem { graph, grid, prediction, contention, streams, costs, widths, limits }
    }

    /// The same; rules that draw draw from these streams.
    #[must_use]
    pub fn with_streams(self, streams: Streams) -> Self {
        SchedulingProblem { streams, ..self }
    }

    /// Number of cores of one host that a task asks for, and holds from its start to its end.
    #[inline]
    pub fn width(&self, task: TaskNumber) -> u32 {
        self.widths.get(task.index()).copied().unwrap_or(1)
    }

    /// The cores at which places of a task are looked at: all, of a task of several cores the first
    /// of each host.
    pub(crate) fn places(&self, task: TaskNumber) -> impl Iterator<Item = Core> + '_ {
        let (cores, hosts) = (self.grid.cores(), self.grid.hosts());
        let (all, firsts) = if self.width(task) > 1 { (0, hosts.len()) } else { (cores.len(), 0) };
        cores.take(all).chain(hosts.take(firsts).filter_map(|host| self.grid.cores_of(host).next()))
    }

    /// Seconds of a task on its cores of a host at full availability; infinite where it cannot run.
    pub fn seconds(&self, task: TaskNumber, host: HostId) -> f64 {
        let (work, speed) = self.work_and_speed(task, host);
        work / speed
    }

    /// The work of a task, and how much of it a host does in a second at full availability: seconds
    /// at speed 1 where the task states them, and infinite where it cannot run.
    pub fn work_and_speed(&self, task: TaskNumber, host: HostId) -> (f64, f64) {
        if self.limits.as_ref().is_some_and(|limits| limits.exclude(&self.graph, task, host)) {
            return (f64::INFINITY, 1.0);
        }
        match &self.costs[task.index()] {
            Cost::Work(work) => (*work, self.grid.host(host).speed()),
            Cost::ByHost(seconds) => (seconds[host.index()], 1.0),
        }
    }

    /// The span of a task on its cores of a host of which this share is available.
    pub fn span(&self, task: TaskNumber, host: HostId, available: f64) -> SimDuration {
        let (work, speed) = self.work_and_speed(task, host);
        let exact = SimDuration::exact_ratio(work, speed * available);
        exact.unwrap_or_else(|| SimDuration::ceil_secs(work / speed / available))
    }

    /// Returns the work of a task whose seconds are its work over the host's speed, else `None`.
    pub fn goes_by_speed(&self, task: TaskNumber) -> Option<f64> {
        match self.costs[task.index()] {
            Cost::Work(work) => Some(work),
            Cost::ByHost(_) => None,
        }
    }

    /// Instant at which a task that starts on a host now is predicted to end; what never ends is
    /// predicted to end with time.
    pub(crate) fn predicted_end(&self, task: TaskNumber, host: HostId, now: SimTime, sweep: u64) -> SimTime {
        let end = match self.prediction.rate(&self.grid, host, now) {
            Rate::Stays(rate) => now.saturating_add(self.span(task, host, rate)),
            Rate::Changes => {
                let (work, speed) = self.work_and_speed(task, host);
                self.grid.host(host).availability.finish_at(now, work, speed).unwrap_or(SimTime::MAX)
            }
        };
        now.saturating_add(self.prediction.of_execution(end.since(now), task, host, sweep))
    }

    /// Returns true if a host can run a task at all.
    pub fn can_run(&self, task: TaskNumber, host: HostId) -> bool {
        self.seconds(task, host).is_finite()
    }
}

/// The memory that the platform's author noted of a host, in bytes: its property `memory`.
///
/// # Errors
/// The text is no amount of data.
pub(crate) fn noted_memory(host: &Host) -> Result<Option<u64>, BadQuantity> {
    let noted = host.properties.get("memory");
    noted.map(|text| Bytes::parse(text).map(Bytes::get)).transpose()
}

impl Limits {
    /// `None` if every host can have every task.
    fn of(graph: &Graph, grid: &Grid, widths: &[u32]) -> Option<Self> {
        let cores: Vec<u32> = grid.hosts().map(|host| grid.cores_of(host).len() as u32).collect();
        let fits = widths.iter().max() <= cores.iter().min();
        let asks = |task: TaskNumber| graph.task(task).memory.unwrap_or(0);
        let asked = if graph.tasks().any(|task| asks(task) > 0) {
            graph.tasks().map(asks).collect()
        } else {
            Vec::new()
        };
        let has = |host: HostId| noted_memory(grid.host(host)).ok().flatten().unwrap_or(u64::MAX);
        let home = graph.file_rules().home;
        let joined = |from: HostId, to: HostId| from == to || grid.pair(from, to).is_some();
        let of = |is: &dyn Fn(HostId, HostId) -> bool| -> Vec<bool> {
            grid.hosts().map(|host| home.is_none_or(|home| is(home, host))).collect()
        };
        let limits = Limits {
            cores,
            asked,
            memory: grid.hosts().map(has).collect(),
            from_home: of(&|home, host| joined(home, host)),
            to_home: of(&|home, host| joined(host, home)),
        };
        let reaches = limits.from_home.iter().chain(&limits.to_home).all(|reaches| *reaches);
        (!limits.asked.is_empty() || !reaches || !fits).then_some(limits)
    }

    fn exclude(&self, graph: &Graph, task: TaskNumber, host: HostId) -> bool {
        graph.task(task).cores > self.cores[host.index()]
            || self.asked.get(task.index()).is_some_and(|asked| *asked > self.memory[host.index()])
            || !(self.from_home[host.index()] || graph.inputs(task).is_empty())
            || !(self.to_home[host.index()] || graph.outputs(task).is_empty())
    }
}

impl Cost {
    fn of(task: &Task, grid: &Grid) -> Self {
        let Some(times) = &task.times else { return Cost::Work(task.work) };
        let mut seconds = vec![f64::INFINITY; grid.platform().hosts().len()];
        for (host, time) in times {
            if let Some(host) = grid.platform().host_named(host) {
                seconds[host.index()] = *time;
            }
        }
        Cost::ByHost(seconds.into())
    }
}
