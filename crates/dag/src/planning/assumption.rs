//! Assumptions of schedulers about graph and grid, and inputs that break them.
//!
//! A rule plans all the same: an assumption that does not hold is a warning, in sentences that name
//! what breaks it.
//!
//! Source: "DAGSim" (improper inputs are allowed, for tests).

use crate::model::problem::{Contention, SchedulingProblem};
use crate::platform::sharing::LinkId;
use crate::workflow::TaskNumber;

/// Property that a scheduler expects of its input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Assumption {
    /// Every pair of hosts is joined, and by a link of its own.
    FullCrossbar,
    /// Every edge carries data.
    TransferOnEveryEdge,
    /// All hosts have one speed, and every task takes as long on each.
    Homogeneous,
    /// One task without parents, one without children.
    SingleEntryExit,
    /// Transfers do not wait for each other.
    ContentionFree,
    /// As many places to run as tasks, or as cores that they ask for.
    UnlimitedHosts,
}

/// An assumption that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenAssumption {
    /// The assumption.
    pub assumption: Assumption,
    /// Description of what breaks it, in one sentence.
    pub because: String,
}

impl Assumption {
    /// Name in keys and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Assumption::FullCrossbar => "full-crossbar",
            Assumption::TransferOnEveryEdge => "transfer-on-every-edge",
            Assumption::Homogeneous => "homogeneous",
            Assumption::SingleEntryExit => "single-entry-exit",
            Assumption::ContentionFree => "contention-free",
            Assumption::UnlimitedHosts => "unlimited-hosts",
        }
    }

    /// Describes the part of a problem that breaks it, in one sentence; `None` if it holds.
    pub fn broken_by(self, problem: &SchedulingProblem) -> Option<String> {
        match self {
            Assumption::FullCrossbar => crossbar(problem),
            Assumption::TransferOnEveryEdge => without_data(problem),
            Assumption::Homogeneous => differing(problem),
            Assumption::SingleEntryExit => entries_and_exits(problem),
            Assumption::ContentionFree => (problem.contention == Contention::Queued)
                .then(|| "planned transfers wait for each other on links".to_owned()),
            Assumption::UnlimitedHosts => {
                let (tasks, cores) = (problem.graph.len(), problem.grid.cores().len() as u64);
                let asked = problem.graph.tasks().map(|task| u64::from(problem.width(task))).sum::<u64>();
                let ask = if problem.graph.has_wide_tasks() {
                    format!("{tasks} tasks that ask for {asked} cores")
                } else {
                    format!("{tasks} tasks")
                };
                (cores < asked).then(|| format!("there are {ask} and {cores} cores"))
            }
        }
    }
}

/// The assumptions that a problem breaks, each with what breaks it.
pub fn broken(assumptions: &[Assumption], problem: &SchedulingProblem) -> Vec<BrokenAssumption> {
    let broken = |&assumption: &Assumption| {
        Some(BrokenAssumption { assumption, because: assumption.broken_by(problem)? })
    };
    assumptions.iter().filter_map(broken).collect()
}

/// The first pair of hosts that no link of its own joins.
fn crossbar(problem: &SchedulingProblem) -> Option<String> {
    let (grid, platform) = (&problem.grid, problem.grid.platform());
    let name = |host| &grid.host(host).name;
    let mut route: Vec<LinkId> = Vec::new();
    let mut is_used = vec![false; platform.links().len()];
    for from in grid.hosts() {
        for to in grid.hosts().filter(|to| *to != from) {
            if platform.route(from, to, &mut route).is_err() {
                return Some(format!("no route joins host `{}` to host `{}`", name(from), name(to)));
            }
            for link in &route {
                if std::mem::replace(&mut is_used[link.index()], true) {
                    let link = platform.link_name(*link);
                    let [from, to] = [from, to].map(name);
                    return Some(format!(
                        "the route from host `{from}` to host `{to}` shares link `{link}` with another"
                    ));
                }
            }
        }
    }
    None
}

fn without_data(problem: &SchedulingProblem) -> Option<String> {
    let graph = &problem.graph;
    let mut bare = graph.edges().iter().filter(|edge| edge.bytes.is_none());
    let first = bare.next()?;
    let [from, to] = [first.from, first.to].map(|task| &graph.task(task).name);
    Some(match bare.count() {
        0 => format!("nothing is sent from task `{from}` to task `{to}`"),
        more => format!("nothing is sent from task `{from}` to task `{to}`, and on {more} other edges"),
    })
}

fn differing(problem: &SchedulingProblem) -> Option<String> {
    let (graph, grid) = (&problem.graph, &problem.grid);
    let first = grid.hosts().next()?;
    let name = |host| &grid.host(host).name;
    let differ = |one: f64, other: f64| one.total_cmp(&other).is_ne();
    let speed = |host| grid.host(host).speed();
    let other = grid.hosts().find(|host| differ(speed(*host), speed(first)));
    if let Some(other) = other {
        return Some(format!("hosts `{}` and `{}` differ in speed", name(first), name(other)));
    }
    let differs = |task: &TaskNumber| {
        let seconds = problem.seconds(*task, first);
        let other = grid.hosts().find(|host| differ(problem.seconds(*task, *host), seconds))?;
        Some((*task, other))
    };
    let (task, other) = graph
        .tasks()
        .filter(|task| problem.goes_by_speed(*task).is_none())
        .find_map(|task| differs(&task))?;
    let task = &graph.task(task).name;
    Some(format!("task `{task}` takes another time on host `{}` than on host `{}`", name(other), name(first)))
}

fn entries_and_exits(problem: &SchedulingProblem) -> Option<String> {
    let graph = &problem.graph;
    graph.applications().iter().find_map(|application| {
        let count = |is: &dyn Fn(TaskNumber) -> bool| application.tasks().filter(|task| is(*task)).count();
        let entries = count(&|task| graph.incoming(task).is_empty());
        let exits = count(&|task| graph.outgoing(task).is_empty());
        let what = match (entries, exits) {
            (0 | 1, 0 | 1) => return None,
            (0 | 1, _) => format!("{exits} tasks without children"),
            (_, 0 | 1) => format!("{entries} tasks without parents"),
            _ => format!("{entries} tasks without parents and {exits} without children"),
        };
        Some(format!("workflow `{}` has {what}", application.name))
    })
}
