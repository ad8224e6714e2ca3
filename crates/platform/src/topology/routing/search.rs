//! Shortest routes from one point to all others, by whatever length hops add to a route.
//!
//! Source: E. W. Dijkstra, "A note on two problems in connexion with graphs", Numerische Mathematik
//! 1, 1959.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No hop.
const NONE: u32 = u32::MAX;

/// Takes a hop, the point that it leads to, and the length of the route over it.
type Reach<'a, L> = &'a mut dyn FnMut(u32, u32, L);

/// The hop by which the shortest route from `from` reaches each of `points` points. `visit` is
/// given a point that was reached and the length of the route to it, and reports every hop from it.
/// Of hops that reach a point by equal routes the first stays; points at equal lengths are visited
/// by `tie`, of when each was reached and its number.
///
/// # Complexity
/// O(h log n) for h hops and n points.
pub(super) fn tree<L: Copy + Ord + Default>(
    points: usize,
    from: u32,
    tie: impl Fn(u32, u32) -> u32,
    visit: impl Fn(u32, L, Reach<'_, L>),
) -> Box<[u32]> {
    let (mut reached_by, mut best) = (vec![NONE; points], vec![None; points]);
    let mut next = BinaryHeap::from([Reverse((L::default(), 0, from))]);
    best[from as usize] = Some(L::default());
    let mut reached = 0;
    while let Some(Reverse((length, _, point))) = next.pop() {
        if best[point as usize] < Some(length) {
            continue;
        }
        visit(point, length, &mut |hop, to, length| {
            if best[to as usize].is_none_or(|known| length < known) {
                best[to as usize] = Some(length);
                reached_by[to as usize] = hop;
                reached += 1;
                next.push(Reverse((length, tie(reached, to), to)));
            }
        });
    }
    reached_by.into()
}

/// The hops of the route between two points in a tree from the first of them, from the last back to
/// the first; `start` gives the point where a hop begins.
pub(super) fn back(tree: &[u32], (from, to): (u32, u32), start: impl Fn(u32) -> u32) -> Option<Vec<u32>> {
    let (mut at, mut route) = (to, Vec::new());
    while at != from {
        let hop = tree.get(at as usize).copied().filter(|&hop| hop != NONE)?;
        route.push(hop);
        at = start(hop);
    }
    Some(route)
}
