//! Lower bounds of the makespan of any plan.
//!
//! - *Path*: the longest chain of tasks, each at its least time over hosts. A transfer counts only
//!   where no host could compute both of its tasks, and then takes its least time over pairs of
//!   hosts. Workflows that arrive later have their chains from then on.
//! - *Area*: all work over the speed of all cores; if some task states its times by host, the sum
//!   of the least times over the number of cores. A task of several cores counts with each of them.
//!
//! Hosts count at full availability and links as at the start, so both bounds hold under any load.

use crate::kernel::SimTime;
use crate::model::problem::SchedulingProblem;
use crate::workflow::{EdgeNumber, TaskNumber};

/// Lower bounds of the makespan of a problem, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LowerBounds {
    /// By the longest chain.
    pub path: f64,
    /// By what all cores together can do.
    pub area: f64,
}

impl LowerBounds {
    /// Bounds of a problem.
    pub fn of(problem: &SchedulingProblem) -> Self {
        let arrivals = problem.graph.applications().iter().map(|one| one.arrival.as_secs_f64());
        let path = arrivals.zip(paths(problem)).map(|(arrival, path)| arrival + path).fold(0.0, f64::max);
        LowerBounds { path, area: area(problem, problem.graph.tasks()) }
    }

    /// Bounds of each workflow by itself, from its arrival on.
    pub fn of_each(problem: &SchedulingProblem) -> Vec<Self> {
        let applications = problem.graph.applications().iter();
        let each = applications.zip(paths(problem));
        each.map(|(one, path)| LowerBounds { path, area: area(problem, one.tasks()) }).collect()
    }

    /// The greater of the two.
    pub fn lower(&self) -> f64 {
        self.path.max(self.area)
    }

    /// The greater of the two as an instant: whole nanoseconds, as those of executions are.
    pub fn earliest_end(&self) -> SimTime {
        SimTime::from_nanos((self.lower() * 1e9) as u64)
    }

    /// Returns the excess of a makespan over the greater bound, as a share of that bound: 0 where
    /// it ends within the nanosecond of the bound, as the sums of bounds are rounded otherwise than
    /// instants. `None` where there is nothing to compute.
    pub fn gap(&self, makespan: SimTime) -> Option<f64> {
        let above =
            if makespan > self.earliest_end() { makespan.as_secs_f64() / self.lower() - 1.0 } else { 0.0 };
        (self.lower() > 0.0).then_some(above)
    }
}

/// The least seconds of a task over hosts, of a task of several cores over those that can run it.
pub(crate) fn least_seconds(problem: &SchedulingProblem, task: TaskNumber) -> f64 {
    match problem.goes_by_speed(task).filter(|_| problem.width(task) == 1) {
        Some(work) => {
            let speeds = problem.grid.hosts().map(|host| problem.grid.host(host).speed());
            work / speeds.fold(0.0, f64::max)
        }
        None => problem.grid.hosts().map(|host| problem.seconds(task, host)).fold(f64::INFINITY, f64::min),
    }
}

/// The longest chain from the arrival of each workflow on.
fn paths(problem: &SchedulingProblem) -> Vec<f64> {
    let graph = &problem.graph;
    let fastest = problem.grid.hosts().map(|host| problem.grid.host(host).speed()).fold(0.0, f64::max);
    let mut end = vec![0.0_f64; graph.len()];
    let mut longest = vec![0.0_f64; graph.applications().len()];
    for &task in graph.order() {
        let parents = graph.incoming(task).iter();
        let start = parents.fold(0.0_f64, |start, edge| {
            start.max(end[graph.edge(*edge).from.index()] + forced_transfer(problem, *edge))
        });
        let seconds = match problem.goes_by_speed(task) {
            Some(work) if problem.width(task) == 1 => work / fastest,
            _ => least_seconds(problem, task),
        };
        end[task.index()] = start + seconds;
        let longest = &mut longest[graph.application_of(task)];
        *longest = longest.max(start + seconds);
    }
    longest
}

/// The least seconds of a transfer that every plan has: none if some host could compute both tasks.
fn forced_transfer(problem: &SchedulingProblem, edge: EdgeNumber) -> f64 {
    let edge = problem.graph.edge(edge);
    let Some(bytes) = edge.bytes else { return 0.0 };
    if [edge.from, edge.to].iter().any(|task| problem.goes_by_speed(*task).is_some()) {
        return 0.0;
    }
    let able = |task: TaskNumber| problem.grid.hosts().filter(move |host| problem.can_run(task, *host));
    if able(edge.from).any(|host| problem.can_run(edge.to, host)) {
        return 0.0;
    }
    let pairs =
        able(edge.from).flat_map(|from| able(edge.to).filter_map(move |to| problem.grid.pair(from, to)));
    // of a route that changes nothing is known here
    let least = pairs.map(|pair| if pair.changes { 0.0 } else { pair.span(bytes).as_secs_f64() });
    let least = least.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 0.0 }
}

fn area(problem: &SchedulingProblem, tasks: impl Iterator<Item = TaskNumber> + Clone) -> f64 {
    let grid = &problem.grid;
    let width = |task: TaskNumber| f64::from(problem.width(task));
    let work = |task: TaskNumber| Some(problem.goes_by_speed(task)? * width(task));
    let works: Option<f64> = tasks.clone().map(work).sum();
    match works {
        Some(work) => {
            let speed: f64 = grid.cores().map(|core| grid.host(grid.host_of(core)).speed()).sum();
            work / speed
        }
        None => {
            let least: f64 = tasks.map(|task| least_seconds(problem, task) * width(task)).sum();
            least / grid.cores().len() as f64
        }
    }
}
