//! Check that a plan can be executed at all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::Unlawful;
use crate::model::circle::Circle;
use crate::model::grid::Core;
use crate::model::problem::SchedulingProblem;
use crate::planning::plan::{PlannedTask, TaskPlan};
use crate::planning::view::{ExecutionState, Progress, TimeSlot};
use crate::platform::HostId;
use crate::workflow::{EdgeNumber, TaskNumber};

/// A plan that can be executed.
pub(super) struct Lawful {
    /// Every task that has not started, those of one core in its order.
    pub(super) assignments: Vec<PlannedTask>,
    /// Every task of them after those that its start waits for, by planned end.
    pub(super) order: Vec<TaskNumber>,
}

/// Refuses a plan that leaves a task out, plans one twice or where it cannot be, or goes round.
/// Tasks that keep their places and are not in it stay in front of those that are. `is_there` says
/// which data are on a host or on their way there.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn check(
    problem: &SchedulingProblem,
    standing: &ExecutionState,
    plan: &TaskPlan,
    is_there: &dyn Fn(EdgeNumber, HostId) -> bool,
) -> Result<Lawful, Unlawful> {
    let (graph, grid) = (&problem.graph, &problem.grid);
    let name = |task: TaskNumber| graph.task(task).name.to_string();
    let cores = grid.cores().len() as u32;
    let mut is_planned = vec![false; graph.len()];
    for &PlannedTask { task, core, .. } in &plan.assignments {
        match standing.tasks.get(task.index()) {
            Some(Progress::Open) => {}
            Some(Progress::Kept(slot)) if slot.core == core => {}
            known => return Err(Unlawful::NotOpen(known.map_or_else(|| task.0.to_string(), |_| name(task)))),
        }
        if !grid.knows(core) {
            return Err(Unlawful::NoCore(name(task), core.0, cores));
        }
        check_cores(problem, task, core)?;
        let host = grid.host_of(core);
        if !problem.can_run(task, host) {
            return Err(Unlawful::CannotRun(name(task), grid.host(host).name.clone()));
        }
        if std::mem::replace(&mut is_planned[task.index()], true) {
            return Err(Unlawful::Twice(name(task)));
        }
    }
    let mut assignments = Vec::new();
    let is_left_out =
        |task: &TaskNumber| standing.tasks[task.index()] == Progress::Open && !is_planned[task.index()];
    if let Some(task) = standing.current.clone().map(TaskNumber).find(is_left_out) {
        return Err(Unlawful::LeftOut(name(task)));
    }
    // these come in an order that is also that of each core
    for &task in standing.kept.iter().filter(|task| !is_planned[task.index()]) {
        let TimeSlot { core, start, end } = standing.slot(task).expect("it keeps its place");
        assignments.push(PlannedTask { task, core, start, end });
    }
    assignments.extend_from_slice(&plan.assignments);
    // one more than the core of each task that is planned
    let mut core = vec![0_u32; graph.len()];
    for planned in &assignments {
        core[planned.task.index()] = planned.core.0 + 1;
    }
    let host = |task: TaskNumber| {
        let planned = core[task.index()].checked_sub(1).map(Core);
        let core = planned.or_else(|| Some(standing.slot(task)?.core));
        grid.host_of(core.expect("parents are planned with their children"))
    };
    for planned in &assignments {
        let to = grid.host_of(planned.core);
        for &number in graph.incoming(planned.task) {
            let edge = graph.edge(number);
            let from = host(edge.from);
            // data that an earlier attempt sent there need not be sent again
            if from != to && grid.pair(from, to).is_none() && !is_there(number, to) {
                let [from, to] = [from, to].map(|host| grid.host(host).name.clone());
                return Err(Unlawful::Void(name(planned.task), to, from, name(edge.from)));
            }
        }
    }
    let order = sending_order(problem, &assignments)?;
    Ok(Lawful { assignments, order })
}

/// Refuses cores that are not as many as a task asks for, or not of one host.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn check_cores(problem: &SchedulingProblem, task: TaskNumber, core: Core) -> Result<(), Unlawful> {
    let name = || problem.graph.task(task).name.to_string();
    let (asked, held) = (problem.width(task), problem.grid.members(core).len() as u32);
    if asked != held {
        return Err(Unlawful::Cores(name(), asked, held));
    }
    if !problem.grid.is_on_one_host(core) {
        return Err(Unlawful::Apart(name()));
    }
    Ok(())
}

/// Every task after its parents and after those before it on its core: of those that may come next
/// that of the least planned end, then of the lowest number.
fn sending_order(
    problem: &SchedulingProblem,
    assignments: &[PlannedTask],
) -> Result<Vec<TaskNumber>, Unlawful> {
    let graph = &problem.graph;
    let mut is_planned = vec![false; graph.len()];
    for planned in assignments {
        is_planned[planned.task.index()] = true;
    }
    let mut missing = vec![0_u32; graph.len()];
    // one more than the number of the next task; of tasks that hold several cores also those that
    // follow on the others
    let mut next_on_core = vec![0_u32; graph.len()];
    let mut more: Vec<(TaskNumber, TaskNumber)> = Vec::new();
    let mut ends = vec![0_u64; graph.len()];
    let mut last: Vec<Option<TaskNumber>> = vec![None; problem.grid.cores().len()];
    for &PlannedTask { task, core, end, .. } in assignments {
        ends[task.index()] = end.as_nanos();
        for member in problem.grid.members(core) {
            let Some(before) = last[member.index()].replace(task) else { continue };
            match &mut next_on_core[before.index()] {
                next @ 0 => *next = task.0 + 1,
                _ => more.push((before, task)),
            }
            missing[task.index()] += 1;
        }
        let parents = graph.incoming(task).iter().map(|edge| graph.edge(*edge).from);
        missing[task.index()] += parents.filter(|parent| is_planned[parent.index()]).count() as u32;
    }
    more.sort_unstable();
    let entry = |task: TaskNumber| Reverse((ends[task.index()], task));
    let first = assignments.iter().map(|planned| planned.task).filter(|task| missing[task.index()] == 0);
    let mut ready: BinaryHeap<Reverse<(u64, TaskNumber)>> = first.map(entry).collect();
    let mut order = Vec::with_capacity(assignments.len());
    while let Some(Reverse((_, task))) = ready.pop() {
        order.push(task);
        let children = graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to);
        let next = next_on_core[task.index()].checked_sub(1).map(TaskNumber);
        let first = more.partition_point(|(before, _)| *before < task);
        let others = more[first..].iter().take_while(|(before, _)| *before == task).map(|(_, after)| *after);
        for after in children.filter(|child| is_planned[child.index()]).chain(next).chain(others) {
            missing[after.index()] -= 1;
            if missing[after.index()] == 0 {
                ready.push(entry(after));
            }
        }
    }
    if order.len() < assignments.len() {
        let placed = assignments.iter().map(|planned| (planned.task, planned.core));
        let circle = Circle::of(graph, &problem.grid, placed).expect("some task waits for itself");
        return Err(Unlawful::Circle(circle.to_string()));
    }
    Ok(order)
}
