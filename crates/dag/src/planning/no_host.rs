//! Tasks that no host can have: none can run them, or nothing can be sent there from the hosts of
//! their parents.

use crate::error::CannotPlan;
use crate::kernel::PAST_THE_END;
use crate::model::problem::SchedulingProblem;
use crate::planning::view::View;
use crate::platform::HostId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// Describes the barrier that keeps the data of a task off a host, its parents being where `place`
/// says: the first pair of hosts that is void.
pub(crate) fn barrier(
    view: &View<'_>,
    task: TaskNumber,
    host: HostId,
    place: impl Fn(TaskNumber) -> Option<HostId>,
) -> Option<String> {
    let graph = view.graph();
    let parents = graph.incoming(task).iter().map(|edge| graph.edge(*edge).from);
    let mut apart = parents.filter_map(|parent| {
        let from = place(parent).filter(|from| !view.is_joined(*from, host))?;
        let [from, to] = [from, host].map(|host| view.host_name(host));
        Some(format!(
            "nothing can be sent from host `{from}` of its parent `{}` to host `{to}`",
            view.name(parent)
        ))
    });
    apart.next()
}

/// Error that no host can have a task whose parents are where `place` says, with the reason.
pub(crate) fn no_host(
    view: &View<'_>,
    task: TaskNumber,
    place: impl Fn(TaskNumber) -> Option<HostId>,
) -> CannotPlan {
    let able: Vec<HostId> = view.hosts().filter(|host| view.can_run(task, *host)).collect();
    let because = match able[..] {
        [] => too_wide(view, task).unwrap_or_else(|| "none that works can run it".to_owned()),
        [first, ..] => match able.iter().find_map(|host| barrier(view, task, *host, &place)) {
            Some(why) if able.len() == 1 => why,
            Some(why) => format!("{why}, and none of the {} hosts that can run it is better", able.len()),
            None => format!("on host `{}` it would end {PAST_THE_END}", view.host_name(first)),
        },
    };
    CannotPlan::NoHost { task: view.name(task).to_owned(), because }
}

/// Describes a task that asks for more cores than any host has.
fn too_wide(view: &View<'_>, task: TaskNumber) -> Option<String> {
    let cores = |host: HostId| view.cores_of(host).len();
    let largest = view.hosts().min_by_key(|host| std::cmp::Reverse(cores(*host)))?;
    let (asked, most) = (view.width(task) as usize, cores(largest));
    let of = if most == 1 { "core" } else { "cores" };
    (asked > most).then(|| {
        format!(
            "it asks for {asked} cores, and the most that a host has are the {most} {of} of host `{}`",
            view.host_name(largest)
        )
    })
}

/// The edges that no plan can have: nothing can be sent from any host that can run the parent to
/// one that can run the child. Tasks that no host can run have no such edge.
pub(crate) fn impossible_edges(problem: &SchedulingProblem) -> impl Iterator<Item = EdgeNumber> + '_ {
    let (graph, grid) = (&problem.graph, &problem.grid);
    let able = move |task: TaskNumber| grid.hosts().filter(move |host| problem.can_run(task, *host));
    let is_impossible = move |edge: &EdgeNumber| {
        let edge = graph.edge(*edge);
        let is_joined = |from: HostId| able(edge.to).any(|to| from == to || grid.pair(from, to).is_some());
        let on_one = |host: HostId| problem.can_run(edge.to, host);
        let has_hosts = [edge.from, edge.to].into_iter().all(|task| able(task).next().is_some());
        has_hosts && !able(edge.from).any(on_one) && !able(edge.from).any(is_joined)
    };
    (0..graph.edges().len() as u32).map(EdgeNumber).filter(is_impossible)
}
