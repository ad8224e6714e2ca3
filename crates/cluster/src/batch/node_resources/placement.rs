//! Placement of the chunks of a job.

use std::ops::Index;

use super::chunk::Chunk;
use super::free::Free;

/// Part of a job on a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) node: u32,
    pub(super) procs: u32,
}

/// The chunks of a job on `nodes`, in their order; `None` if they do not fit.
pub(super) fn place<I: Iterator<Item = u32>>(
    free: &(impl Index<usize, Output = Free> + ?Sized),
    nodes: impl Fn() -> I,
    chunk: Chunk<'_>,
    procs: u32,
) -> Option<Vec<Part>> {
    let demand = &chunk.demand;
    let (mut whole, rest) = (procs / demand.procs, procs % demand.procs);
    let mut parts: Vec<Part> = Vec::new();
    for node in nodes() {
        if whole == 0 {
            break;
        }
        let taken = free[node as usize].chunks(&chunk).min(whole);
        if taken > 0 {
            parts.push(Part { node, procs: taken * demand.procs });
            whole -= taken;
        }
    }
    if whole > 0 {
        return None;
    }
    if rest == 0 {
        return Some(parts);
    }
    let last = chunk.of_procs(rest);
    let (node, at) = nodes().find_map(|node| {
        let at = parts.partition_point(|part| part.node < node);
        let mut capacity = free[node as usize].clone();
        if let Some(part) = parts.get(at).filter(|part| part.node == node) {
            capacity.add(demand, part.procs);
        }
        (capacity.chunks(&last) > 0).then_some((node, at))
    })?;
    match parts.get_mut(at).filter(|part| part.node == node) {
        Some(part) => part.procs += rest,
        None => parts.insert(at, Part { node, procs: rest }),
    }
    Some(parts)
}
