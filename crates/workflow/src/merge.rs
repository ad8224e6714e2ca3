//! Edges that join the same two are merged, and transfers become edges.

use crate::draft::{Draft, EdgeOrigin, Irregularity, RawEdge, VertexKind};
use crate::graph::EdgeMarks;
use crate::text::Spot;

/// Outcome of the bytes of edges that are merged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Merging {
    /// Edges as written: the first that has bytes counts, and duplicates are counted.
    Written,
    /// Transfers of their own: their bytes are summed.
    Transfers,
}

/// Sorts edges by parent and child, and makes one of those that join the same two.
pub(super) fn merge(draft: &mut Draft, edges: &mut Vec<RawEdge>, merging: Merging) {
    edges.sort_by_key(|edge| (edge.from, edge.to, edge.origin));
    let mut last = None;
    edges.dedup_by(|next, kept| {
        let before = last.replace(next.origin).unwrap_or(kept.origin);
        if (next.from, next.to) != (kept.from, kept.to) {
            return false;
        }
        kept.bytes = match (kept.bytes, next.bytes, merging) {
            (Some(one), Some(other), Merging::Transfers) => Some(one.saturating_add(other)),
            (one, other, _) => one.or(other),
        };
        if merging == Merging::Written && next.origin == before && before != EdgeOrigin::Files {
            let name = edge_name(draft, kept);
            draft.count(Irregularity::DuplicateEdge, &name);
        }
        kept.marked = if kept.marked == 0 { next.marked } else { kept.marked };
        true
    });
}

/// The names of the two ends of an edge between vertices.
pub(super) fn edge_name(draft: &Draft, edge: &RawEdge) -> String {
    let [from, to] = [edge.from, edge.to].map(|vertex| &draft.defined[vertex as usize].task.name);
    format!("{from}->{to}")
}

/// Makes an edge of each transfer, its parent and its child.
pub(super) fn contract_transfers(draft: &mut Draft, edges: &mut Vec<RawEdge>) {
    let is_transfer =
        |draft: &Draft, vertex: u32| matches!(draft.defined[vertex as usize].kind, VertexKind::Transfer(_));
    if !(0..draft.defined.len() as u32).any(|vertex| is_transfer(draft, vertex)) {
        return;
    }
    // by vertex: how many parents and children, and the last of each with its edge's place
    let mut ends = vec![([0_u64; 2], [0_u32; 2], Spot::NOWHERE); draft.defined.len()];
    for edge in edges.iter() {
        let (count, last, spot) = &mut ends[edge.to as usize];
        (count[0], last[0], *spot) = (count[0] + 1, edge.from, edge.spot);
        let (count, last, _) = &mut ends[edge.from as usize];
        (count[1], last[1]) = (count[1] + 1, edge.to);
    }
    edges.retain(|edge| !is_transfer(draft, edge.from) && !is_transfer(draft, edge.to));
    for (vertex, (counts, [from, to], at)) in ends.into_iter().enumerate() {
        let VertexKind::Transfer(bytes) = draft.defined[vertex].kind else { continue };
        let (name, spot) = (draft.defined[vertex].task.name.clone(), draft.defined[vertex].spot);
        if counts != [1, 1] {
            let [parents, children] = counts;
            let message = format!(
                "the transfer `{name}` has {parents} parents and {children} children, not one of each"
            );
            draft.mistake(message, spot);
        } else if is_transfer(draft, from) || is_transfer(draft, to) {
            draft.mistake(format!("the transfer `{name}` leads to or from another transfer"), spot);
        } else if from == to {
            draft.mistake(format!("the transfer `{name}` leads from a task to itself"), spot);
        } else {
            draft.marked.push(EdgeMarks { name: Some(name), properties: None });
            let marked = draft.marked.len() as u32;
            let spot = if at == Spot::NOWHERE { spot } else { at };
            edges.push(RawEdge { from, to, bytes: Some(bytes), spot, origin: EdgeOrigin::Parents, marked });
        }
    }
    merge(draft, edges, Merging::Transfers);
}
