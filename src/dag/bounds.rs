//! Lower bounds of makespans: what no schedule can be shorter than.
//!
//! - path: the longest chain of least execution times, each at full availability on the host that is fastest for it; an edge counts only
//!   where no host could compute both of its ends, with the least transfer of all pairs of hosts that could.
//! - area: all work over the speed of all cores; where seconds are stated by host, the least seconds of all tasks over the cores.

use crate::dag::problem::Problem;
use crate::platform::HostId;
use crate::workflow::TaskNumber;

/// Lower bounds, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Bounds {
    /// The longest chain.
    pub path: f64,
    /// All work on all cores.
    pub area: f64,
    /// The greater of the two.
    pub lower: f64,
}

impl Bounds {
    /// Of the workflow at this place among those of the problem, from its arrival on.
    pub fn of_application(problem: &Problem, place: usize) -> Self {
        let tasks: Vec<TaskNumber> = problem.graph.applications()[place].tasks().collect();
        let least: Vec<f64> = tasks.iter().map(|task| least(problem, *task)).collect();
        let first = tasks.first().map_or(0, |task| task.index());
        let mut ends = vec![0.0_f64; tasks.len()];
        let own = |task: &&TaskNumber| problem.graph.application_of(**task) == place;
        for &task in problem.graph.order().iter().filter(own) {
            let ready = problem.graph.incoming(task).iter().map(|edge| {
                let edge = problem.graph.edge(*edge);
                ends[edge.from.index() - first] + edge.bytes.map_or(0.0, |bytes| apart(problem, edge.from, task, bytes))
            });
            ends[task.index() - first] = ready.fold(0.0, f64::max) + least[task.index() - first];
        }
        let path = ends.into_iter().fold(0.0, f64::max);
        let area = area(problem, tasks.iter().copied().zip(least));
        Bounds { path, area, lower: path.max(area) }
    }

    /// Of all workflows of a run, from its beginning on; and of each by itself.
    pub fn of(problem: &Problem) -> (Self, Vec<Self>) {
        let applications = problem.graph.applications();
        let each: Vec<Bounds> = (0..applications.len()).map(|place| Bounds::of_application(problem, place)).collect();
        let arrivals = || applications.iter().map(|application| application.arrival.as_secs_f64());
        let path = arrivals().zip(&each).map(|(arrival, bounds)| arrival + bounds.path).fold(0.0, f64::max);
        let area = arrivals().fold(f64::INFINITY, f64::min) + each.iter().map(|bounds| bounds.area).sum::<f64>();
        (Bounds { path, area, lower: path.max(area) }, each)
    }
}

/// The least seconds of a task.
fn least(problem: &Problem, task: TaskNumber) -> f64 {
    problem.grid.hosts().map(|host| problem.seconds(task, host)).fold(f64::INFINITY, f64::min)
}

/// All work over all speed.
fn area(problem: &Problem, tasks: impl Iterator<Item = (TaskNumber, f64)>) -> f64 {
    let grid = &problem.grid;
    let cores = grid.cores().len() as f64;
    let speed: f64 = grid.cores().map(|core| grid.host(grid.host_of(core)).speed()).sum();
    tasks.map(|(task, least)| problem.goes_by_speed(task).map_or(least / cores, |work| work / speed)).sum()
}

/// The least seconds for data between two tasks that no host can compute both; otherwise 0.
fn apart(problem: &Problem, from: TaskNumber, to: TaskNumber, bytes: u64) -> f64 {
    if problem.goes_by_speed(from).is_some() || problem.goes_by_speed(to).is_some() {
        return 0.0;
    }
    let able = |task| problem.grid.hosts().filter(move |host: &HostId| problem.can_run(task, *host));
    if able(from).any(|host| problem.can_run(to, host)) {
        return 0.0;
    }
    let pairs = able(from).flat_map(|from| able(to).map(move |to| (from, to)));
    let costs = pairs.filter_map(|(from, to)| problem.grid.pair(from, to));
    costs.map(|cost| cost.span(bytes).as_secs_f64()).fold(f64::INFINITY, f64::min)
}
