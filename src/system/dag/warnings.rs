//! Warnings: what of a scenario of task graphs makes no difference, though its author may think so,
//! and plans that move tasks for ever.

use crate::collections::OrderedSet;
use crate::dag::SchedulingProblem;
use crate::dag::execution::{Fruitless, Outcomes};
use crate::dag::model::graph::Graph;
use crate::dag::model::grid::Grid;
use crate::measure::own_warnings::WarningKind;
use crate::measure::signs::Warning;
use crate::output::number::{clock, grouped};
use crate::registry::{Complaint, Params};
use crate::scenario::platform;
use crate::workflow::{EdgeNumber, TaskNumber};

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
    if platform::is_grid_text(&section) && grid.hosts().any(&mut is_diagonal) {
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
