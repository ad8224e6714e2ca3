//! Refusal of graphs that the platform cannot run: of tasks that no host can have, and of data that
//! cannot get from host to host.

use crate::dag::{SchedulingProblem, impossible_edges, noted_memory};
use crate::output::number::grouped;
use crate::platform::HostId;
use crate::registry::{Complaint, Params};
use crate::system::dag::warnings;
use crate::workflow::TaskNumber;

/// Most tasks of which it is reported that no host can run them.
const REPORTED: usize = 5;

/// Refuses tasks that no host can run, and edges whose data no two hosts can send each other.
pub(super) fn runnable(params: &Params<'_>, problem: &SchedulingProblem) -> Result<(), Vec<Complaint>> {
    let hosts = || problem.grid.hosts().map(|host| problem.grid.host(host));
    let counts = problem.graph.tasks().any(|task| problem.graph.task(task).memory.is_some());
    for host in hosts().filter(|_| counts) {
        if let Err(why) = noted_memory(host) {
            let message =
                format!("the property `memory` of host `{}` is no amount of data: {why}", host.name);
            return Err(vec![params.complaint("platform", message)]);
        }
    }
    let most = most_cores(problem);
    let is_homeless =
        |task: &TaskNumber| problem.graph.task(*task).cores <= most && able(problem, *task).next().is_none();
    let homeless = problem.graph.tasks().filter(is_homeless).take(REPORTED);
    let mut complaints: Vec<Complaint> =
        homeless.map(|task| homeless_complaint(params, problem, task)).collect();
    complaints.extend(too_wide(params, problem, most));
    complaints.extend(impossible_edges(problem).take(REPORTED).map(|edge| {
        let edge = problem.graph.edge(edge);
        let [parent, child] = [edge.from, edge.to].map(|task| &problem.graph.task(task).name);
        let host = |task| able(problem, task).next().map_or("", |host| &*problem.grid.host(host).name);
        let [from, to] = [edge.from, edge.to].map(host);
        let message = format!(
            "nothing can be sent from a host that can run task `{parent}` to one that can run its child `{child}`, as from `{from}` to `{to}`"
        );
        params.complaint("application", message)
    }));
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}

/// The hosts that can run a task.
fn able(problem: &SchedulingProblem, task: TaskNumber) -> impl Iterator<Item = HostId> + '_ {
    problem.grid.hosts().filter(move |host| problem.can_run(task, *host))
}

/// The most cores of a host that are used.
fn most_cores(problem: &SchedulingProblem) -> u32 {
    problem.grid.hosts().map(|host| problem.grid.cores_of(host).len() as u32).max().unwrap_or(0)
}

/// The complaint about a task that no host can run, though some has the cores for it.
fn homeless_complaint(params: &Params<'_>, problem: &SchedulingProblem, task: TaskNumber) -> Complaint {
    let known = problem.graph.task(task);
    let name = &known.name;
    let memory = |host| noted_memory(problem.grid.host(host)).ok().flatten().unwrap_or(u64::MAX);
    let most = problem.grid.hosts().map(memory).max();
    if let Some(asked) = known.memory.filter(|asked| Some(*asked) > most) {
        let message = format!(
            "task `{name}` asks for {asked} bytes of memory, and no host of the platform has so much"
        );
        return params.section("application").complaint("memory", message);
    }
    let home = problem.graph.file_rules().home;
    let home = home.filter(|_| warnings::begins_or_ends_at_home(&problem.graph, task));
    let reached = home.map_or_else(String::new, |home| {
        format!(" that has routes from and to home `{}`, as its files need,", problem.grid.host(home).name)
    });
    let wide = match known.cores {
        0 | 1 => String::new(),
        cores => format!(" on the {cores} cores that it asks for"),
    };
    params.complaint("application", format!("no host of the platform{reached} can run task `{name}`{wide}"))
}

/// The complaint about tasks that ask for more cores than any host has, at the key that lets them.
fn too_wide(params: &Params<'_>, problem: &SchedulingProblem, most: u32) -> Option<Complaint> {
    let graph = &problem.graph;
    let tasks: Vec<TaskNumber> = graph.tasks().filter(|task| graph.task(*task).cores > most).collect();
    let name = |task: &TaskNumber| {
        let task = graph.task(*task);
        format!("`{}` for {}", task.name, grouped(u64::from(task.cores)))
    };
    let mut named = tasks.iter().take(REPORTED).map(name).collect::<Vec<_>>().join(", ");
    if tasks.len() > REPORTED {
        named += &format!(" and {} more", tasks.len() - REPORTED);
    }
    let (most, all) = (grouped(u64::from(most)), grouped(graph.len() as u64));
    let message = match tasks.len() {
        0 => return None,
        1 => format!("1 of {all} tasks asks for more cores than any host has, {most}: {named}"),
        count => {
            let count = grouped(count as u64);
            format!("{count} of {all} tasks ask for more cores than any host has, {most}: {named}")
        }
    };
    let application = params.section("application");
    let mut kinds = warnings::kinds(&application);
    let asks = |kind: &Params<'_>| {
        kind.has("cores") && kind.read::<String>("cores").is_ok_and(|from| from == "file")
    };
    let complaint = kinds.find(asks).unwrap_or(application).complaint("cores", message);
    let is_one = params.section("run").read::<String>("cores").is_ok_and(|used| used == "one");
    Some(if is_one { complaint.help("`run.cores = \"all\"` uses all cores of hosts") } else { complaint })
}
