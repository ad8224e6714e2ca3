//! The topological order of a graph, or one of its cycles.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::draft::{Draft, Numbers, RawEdge};
use crate::graph::{Lists, TaskNumber};
use crate::text::Spot;

/// Names of a cycle that are printed.
const MOST_OF_CYCLE: usize = 100;

/// The topological order, the lowest number first; a cycle is a mistake.
pub(super) fn order(
    draft: &mut Draft,
    edges: &[RawEdge],
    numbers: &Numbers,
    count: usize,
) -> Option<Vec<TaskNumber>> {
    let pairs: Vec<(u32, u32)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let children = Lists::of(count, &pairs);
    let mut waiting = vec![0_u32; count];
    for edge in edges {
        waiting[edge.to as usize] += 1;
    }
    let mut ready: BinaryHeap<Reverse<u32>> =
        (0..count as u32).filter(|task| waiting[*task as usize] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse(task)) = ready.pop() {
        order.push(TaskNumber(task));
        for &child in children.get(task as usize) {
            waiting[child as usize] -= 1;
            if waiting[child as usize] == 0 {
                ready.push(Reverse(child));
            }
        }
    }
    if order.len() == count {
        return Some(order);
    }
    report_cycle(draft, edges, numbers, &waiting);
    None
}

/// Reports one cycle among the tasks that still wait for a parent, each by name, at one of its
/// edges.
fn report_cycle(draft: &mut Draft, edges: &[RawEdge], numbers: &Numbers, waiting: &[u32]) {
    // from a task that waits, parents that wait lead back without end: some task is met again
    let mut parent: Vec<Option<&RawEdge>> = vec![None; waiting.len()];
    for edge in edges.iter().filter(|edge| waiting[edge.from as usize] > 0) {
        let first = &mut parent[edge.to as usize];
        *first = first.or(Some(edge));
    }
    let mut met = vec![false; waiting.len()];
    let Some(mut task) = (0..waiting.len()).find(|task| waiting[*task] > 0) else { return };
    while let Some(edge) = parent[task].filter(|_| !met[task]) {
        met[task] = true;
        task = edge.from as usize;
    }
    // the task of the lowest number on the cycle begins it
    let mut closing = task;
    let mut next = task;
    while let Some(edge) = parent[next] {
        next = edge.from as usize;
        closing = closing.min(next);
        if next == task {
            break;
        }
    }
    task = closing;
    let mut back = vec![closing];
    let mut spot = Spot::NOWHERE;
    while let Some(edge) = parent[task] {
        if spot == Spot::NOWHERE {
            spot = edge.spot;
        }
        task = edge.from as usize;
        back.push(task);
        if task == closing {
            break;
        }
    }
    let mut vertices = vec![0; waiting.len()];
    for (vertex, number) in numbers.iter().enumerate() {
        if let Some(number) = number {
            vertices[*number as usize] = vertex;
        }
    }
    let mut names: Vec<&str> =
        back.iter().rev().map(|task| &*draft.defined[vertices[*task]].task.name).collect();
    let hidden = names.len().saturating_sub(MOST_OF_CYCLE + 1);
    let more = format!("({hidden} more)");
    if hidden > 0 {
        names.splice(MOST_OF_CYCLE..MOST_OF_CYCLE + hidden, [&*more]);
    }
    let message = format!("the tasks form a cycle: {}", names.join(" -> "));
    draft.mistake(message, spot);
}
