//! Places of tasks that hold several cores of a host: the earliest instant at which as many are
//! free, and one order of all tasks that keeps the order of every core.
//!
//! A task of *k* cores starts on a host at the first instant at which *k* cores are free for it,
//! and holds the lowest of the cores that are free then. A core is free from the end of everything
//! that it has, or, with insertion, for the time that the task takes there. For a task of one core
//! that is the place that the rules have always looked for: of the cores of a host on which it
//! would start as early, the lowest.

use std::collections::VecDeque;

use crate::dag::model::grid::{Core, Grid};
use crate::workflow::TaskNumber;

/// The first instant from `from` on at which so many of these cores are free, and the lowest that
/// are; `free` is the first instant from another on at which a core is, if ever.
pub(in crate::dag) fn first_together(
    cores: &[Core],
    count: usize,
    from: u64,
    free: impl Fn(Core, u64) -> Option<u64>,
) -> Option<(u64, Vec<Core>)> {
    let mut at = from;
    loop {
        let from_then = |core: &Core| Some((free(*core, at)?, *core));
        let next: Vec<(u64, Core)> = cores.iter().filter_map(from_then).collect();
        let mut instants: Vec<u64> = next.iter().map(|(instant, _)| *instant).collect();
        instants.sort_unstable();
        // before that fewer are free
        let later = *instants.get(count.checked_sub(1)?)?;
        if later == at {
            let now = next.into_iter().filter(|(instant, _)| *instant == at).map(|(_, core)| core);
            return Some((at, now.take(count).collect()));
        }
        at = later;
    }
}

/// The tasks of all cores in one order that keeps the order of each: core by core, a task of
/// several cores where the last of these comes to it. Tasks that wait for each other by the orders
/// of cores are left out.
pub(in crate::dag) fn core_by_core(
    grid: &Grid,
    columns: &[Vec<TaskNumber>],
    core_of: impl Fn(TaskNumber) -> Core,
) -> Vec<TaskNumber> {
    let mut next = vec![0; columns.len()];
    let mut order = Vec::with_capacity(columns.iter().map(Vec::len).sum());
    let mut open: VecDeque<Core> = grid.cores().collect();
    while let Some(core) = open.pop_front() {
        while let Some(&task) = columns[core.index()].get(next[core.index()]) {
            let held = core_of(task);
            let is_next = |other: Core| columns[other.index()].get(next[other.index()]) == Some(&task);
            if held != core && !grid.members(held).all(is_next) {
                break;
            }
            order.push(task);
            for member in grid.members(held) {
                next[member.index()] += 1;
                if member != core {
                    open.push_front(member);
                }
            }
        }
    }
    order
}
