//! Warnings: what of a scenario of task graphs makes no difference, though its author may think so,
//! and plans that move tasks for ever; and refusals: tasks that no host can run.

use crate::collections::OrderedSet;
use crate::execution::{Fruitless, Outcomes};
use crate::measure::own_warnings::WarningKind;
use crate::measure::signs::Warning;
use crate::model::graph::Graph;
use crate::model::grid::Grid;
use crate::output::number::{clock, grouped};
use crate::platform::HostId;
use crate::platform::described;
use crate::registry::{Complaint, Params};
use crate::workflow::{EdgeNumber, TaskNumber};
use crate::{SchedulingProblem, impossible_edges, noted_memory};

/// Plans that move tasks for ever.
pub(super) const NO_PROGRESS: WarningKind = WarningKind {
    code: "no-progress",
    about: "tasks are moved by one plan after another and none of them starts",
    definition: "in the last plans before the run was stopped all tasks that wait were moved ten times in the mean or more, and nothing was \
                 computed: each move throws away what was sent before",
};

/// Warns that the last plans before the run was stopped moved tasks, and nothing was computed after
/// the first of them.
pub(super) fn no_progress(outcomes: &Outcomes) -> Option<Warning> {
    let Fruitless { since, plans, moved } = Fruitless::of(&outcomes.tasks, &outcomes.plans)?;
    let text = format!(
        "nothing was computed after {}, while {} plans in a row moved tasks {} times: each move throws away what was sent \
         before; a longer `replan.period` lets tasks start",
        clock(since),
        grouped(plans as u64),
        grouped(moved)
    );
    outcomes.stopped.then(|| NO_PROGRESS.of_run(text))
}

/// Returns true if a task reads files that no task writes, or writes files that are returned.
pub(super) fn begins_or_ends_at_home(graph: &Graph, task: TaskNumber) -> bool {
    !(graph.inputs(task).is_empty() && graph.outputs(task).is_empty())
}

/// The application, or of a mix its kinds.
pub(super) fn kinds<'a>(application: &Params<'a>) -> impl Iterator<Item = Params<'a>> {
    let (whole, parts) = (*application, application.items("of"));
    let own = parts.is_empty().then_some(whole);
    own.into_iter().chain(parts.iter().map(move |part| whole.with(part)))
}

/// Warns of keys of the application that make no difference to its graph.
pub(super) fn without_effect(params: &Params<'_>, graph: &Graph) -> Vec<Complaint> {
    let (application, rules) = (params.section("application"), graph.file_rules());
    let mut warnings = Vec::new();
    if rules.home.is_some() && !graph.tasks().any(|task| begins_or_ends_at_home(graph, task)) {
        warnings
            .push(application.complaint("home", "the graph has no files that begin or end at a home host"));
    }
    let mut edges = (0..graph.data_count() as u32).map(EdgeNumber);
    if rules.cache && !edges.any(|edge| graph.first_of(edge) != edge) {
        let message = "no file of the graph has two readers: what each edge carries is a file of its own, and nothing is saved";
        warnings.push(application.complaint("file-cache", message));
    }
    if !graph.has_wide_tasks() {
        let kinds = kinds(&application).filter(|kind| kind.has("efficiency"));
        let message = "no task of the graph asks for several cores, and none is shortened";
        warnings.extend(kinds.map(|kind| kind.complaint("efficiency", message)));
    }
    warnings
}

/// Warns of links from hosts to themselves: data that stay on a host are there at once, by every
/// rule and in every execution.
pub(super) fn local_links(params: &Params<'_>, grid: &Grid) -> Vec<Complaint> {
    let section = params.section("platform");
    let message =
        "a link from a host to itself carries nothing of a graph: data that stay on a host are there at once";
    let loops = |table: Params<'_>| {
        let [from, to] = ["from", "to"].map(|end| table.read::<String>(end).ok());
        (from == to).then(|| table.complaint("links", message))
    };
    let clusters = section.items("cluster").iter().map(|node| section.with(node));
    let mut warnings: Vec<Complaint> = clusters
        .filter(|cluster| cluster.has("loopback"))
        .map(|cluster| cluster.complaint("loopback", message))
        .collect();
    warnings.extend(section.items("route").iter().filter_map(|node| loops(section.with(node))));
    let mut route = Vec::new();
    let mut is_diagonal =
        |host| grid.platform().route(host, host, &mut route).is_ok_and(|()| !route.is_empty());
    if described::is_grid_text(&section) && grid.hosts().any(&mut is_diagonal) {
        warnings.push(section.complaint("file", message));
    }
    warnings
}

/// Warns of hosts by which tasks state their times and that the platform does not have.
pub(super) fn strangers(params: &Params<'_>, problem: &SchedulingProblem) -> Option<Complaint> {
    let named = problem.graph.tasks().filter_map(|task| problem.graph.task(task).times.as_deref()).flatten();
    let platform = problem.grid.platform();
    let unknown: OrderedSet<&str> =
        named.map(|(host, _)| &**host).filter(|host| platform.host_named(host).is_none()).collect();
    let first = unknown.first()?;
    let message = format!(
        "{} hosts by which tasks state their times are not in the platform, the first `{first}`",
        unknown.len()
    );
    Some(params.complaint("application", message))
}

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
    let home = home.filter(|_| begins_or_ends_at_home(&problem.graph, task));
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
    let mut kinds = kinds(&application);
    let asks = |kind: &Params<'_>| {
        kind.has("cores") && kind.read::<String>("cores").is_ok_and(|from| from == "file")
    };
    let complaint = kinds.find(asks).unwrap_or(application).complaint("cores", message);
    let is_one = params.section("run").read::<String>("cores").is_ok_and(|used| used == "one");
    Some(if is_one { complaint.help("`run.cores = \"all\"` uses all cores of hosts") } else { complaint })
}
