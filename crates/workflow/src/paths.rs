//! Declared roots and ends: every task lies on a path from the one and to the other.

use crate::draft::{Draft, RawEdge, VertexKind};
use crate::graph::Lists;

/// Checks that every vertex lies on a path from a declared root, and to a declared end.
pub(super) fn check_paths(draft: &mut Draft, edges: &[RawEdge], parts: &[VertexKind]) {
    let declared = |draft: &Draft, kind: VertexKind| {
        draft
            .defined
            .iter()
            .enumerate()
            .filter(|(_, vertex)| vertex.kind == kind)
            .map(|(place, _)| place as u32)
            .collect::<Vec<_>>()
    };
    for (kind, word, from) in
        [(VertexKind::DeclaredRoot, "root", Side::Parents), (VertexKind::DeclaredEnd, "end", Side::Children)]
    {
        let starts = declared(draft, kind);
        let Some(&first) = starts.first() else { continue };
        for &second in &starts[1..] {
            let (message, spot) = (format!("a second {word}"), draft.defined[second as usize].spot);
            draft.mistake(message, spot);
        }
        let mut pairs: Vec<(u32, u32)> = match from {
            Side::Parents => edges.iter().map(|edge| (edge.from, edge.to)).collect(),
            Side::Children => edges.iter().map(|edge| (edge.to, edge.from)).collect(),
        };
        pairs.sort_unstable();
        let next = Lists::of(parts.len(), &pairs);
        let mut reached = vec![false; parts.len()];
        let mut open = vec![first];
        reached[first as usize] = true;
        while let Some(vertex) = open.pop() {
            for &next in next.get(vertex as usize) {
                if !std::mem::replace(&mut reached[next as usize], true) {
                    open.push(next);
                }
            }
        }
        for vertex in (0..parts.len()).filter(|vertex| !reached[*vertex]) {
            if matches!(parts[vertex], VertexKind::Transfer(_)) || starts.contains(&(vertex as u32)) {
                continue;
            }
            let defined = &draft.defined[vertex];
            let (from_or_to, root) = match from {
                Side::Parents => ("from", &draft.defined[first as usize].task.name),
                Side::Children => ("to", &draft.defined[first as usize].task.name),
            };
            let message = format!("`{}` lies on no path {from_or_to} the {word} `{root}`", defined.task.name);
            let spot = defined.spot;
            draft.mistake(message, spot);
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Parents,
    Children,
}
