//! Nodes in layers, and lines from layer to layer that cross little.
//!
//! A line that passes a layer bends in it: it has a place there as a node has. Layers are then
//! ordered by sweeps, down and up again: each node goes to the mean place of its neighbours in the
//! layer before, and the order with the fewest crossings is kept. Last, each node is moved to the
//! mean of its neighbours as far as the order and the sizes let it, which is a problem of least
//! squares with an exact solution for each layer.
//!
//! Source: K. Sugiyama, S. Tagawa, M. Toda, IEEE Transactions on Systems, Man, and Cybernetics
//! 11(2), 1981 (layers, bends, means). The moves within a layer are isotonic regression by pooling
//! (M. Ayer and others, Annals of Mathematical Statistics 26(4), 1955).

use std::fmt::Write;

use super::layout::{Line, Placed, Size};
use crate::collections::StableSort as _;

/// Room between two nodes of a layer, and between two lines.
const GAP: f64 = 14.0;
/// Room between two layers.
const BETWEEN: f64 = 62.0;
/// Number of times that layers are ordered.
const SWEEPS: usize = 16;
/// Number of times that nodes are moved within their layers.
const MOVES: usize = 12;
/// Weight of a bend in lining up with the next one, relative to a node.
const STRAIGHT: f64 = 4.0;

/// The direction in which layers follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follow {
    /// Each below the one before.
    Down,
    /// Each to the right of the one before.
    Right,
}

/// Nodes and bends by layers, in order.
struct Layers {
    /// Extent of each node along its layer, and across it.
    sizes: Vec<(f64, f64)>,
    order: Vec<Vec<usize>>,
    /// The place of each in its layer.
    place: Vec<usize>,
    /// Neighbours of each node in the layer before, and in the one behind.
    before: Vec<Vec<usize>>,
    behind: Vec<Vec<usize>>,
    /// Number of them are nodes; bends follow.
    nodes: usize,
}

/// The direction in which nodes on these levels take less width.
pub(super) fn follow(sizes: &[Size], level: &[usize]) -> Follow {
    let layers = level.iter().max().map_or(0, |last| last + 1);
    let (mut along, mut widest) = (vec![0.0; layers], vec![0.0_f64; layers]);
    for (size, &level) in sizes.iter().zip(level) {
        along[level] += size.w + GAP;
        widest[level] = widest[level].max(size.w);
    }
    let down = along.iter().copied().fold(0.0, f64::max);
    let right = widest.iter().map(|width| width + BETWEEN).sum::<f64>();
    if down <= right { Follow::Down } else { Follow::Right }
}

/// Puts nodes of these sizes and levels into their places. Edges join different levels.
pub(super) fn layered(sizes: &[Size], edges: &[(usize, usize)], level: &[usize], follow: Follow) -> Placed {
    let turned = |size: &Size| if follow == Follow::Down { (size.w, size.h) } else { (size.h, size.w) };
    let (mut layers, chains) = Layers::new(sizes.iter().map(turned).collect(), edges, level);
    layers.sort();
    let along = layers.along();
    // where each layer begins and ends
    let thick = |layer: &Vec<usize>| layer.iter().map(|&one| layers.sizes[one].1).fold(0.0, f64::max);
    let mut at = 0.0;
    let spans: Vec<(f64, f64)> = layers
        .order
        .iter()
        .map(|layer| {
            let begin = at;
            at += thick(layer) + BETWEEN;
            (begin, at - BETWEEN)
        })
        .collect();
    let point =
        |along: f64, across: f64| if follow == Follow::Down { (along, across) } else { (across, along) };
    let middle = |layer: usize| f64::midpoint(spans[layer].0, spans[layer].1);
    let mut placed = Placed::new(sizes.len());
    let farthest =
        layers.sizes.iter().zip(&along).map(|(size, along)| along + size.0 / 2.0).fold(0.0, f64::max);
    let (w, h) = point(farthest, spans.last().map_or(0.0, |(_, end)| *end));
    placed.size = Size { w, h };
    for (node, at) in placed.at.iter_mut().enumerate() {
        *at = point(along[node], middle(level[node]));
    }
    placed.has_room =
        layers.order.iter().all(|layer| layer.iter().filter(|&&one| one < layers.nodes).count() <= 1);
    for (chain, &(one, other)) in chains.iter().zip(edges) {
        let (first, last) = if level[one] < level[other] { (one, other) } else { (other, one) };
        let half = |node: usize| layers.sizes[node].1 / 2.0;
        let start = point(along[first], middle(level[first]) + half(first));
        let mut path = format!("M{:.0} {:.0}", start.0, start.1);
        // straight through a layer, also out of a node that is thinner than it, and bent between
        // layers
        let mut from = along[first];
        for (layer, to) in (level[first]..).zip(chain.iter().copied().chain([last]).map(|next| along[next])) {
            let (begin, end) = (spans[layer].1, spans[layer + 1].0);
            let half = f64::midpoint(begin, end);
            let ([x, y], curve) =
                (<[f64; 2]>::from(point(from, begin)), [point(from, half), point(to, half), point(to, end)]);
            let _ = write!(path, "L{x:.0} {y:.0}C");
            for (place, (x, y)) in curve.into_iter().enumerate() {
                let _ = write!(path, "{}{x:.0} {y:.0}", if place == 0 { "" } else { " " });
            }
            from = to;
        }
        let end = point(along[last], middle(level[last]) - half(last));
        let _ = write!(path, "L{:.0} {:.0}", end.0, end.1);
        let label = match chain.get(chain.len() / 2) {
            Some(&bend) => point(along[bend], middle(level[first] + 1 + chain.len() / 2)),
            None => point(
                f64::midpoint(along[first], along[last]),
                f64::midpoint(spans[level[first]].1, spans[level[last]].0),
            ),
        };
        placed.lines.push(Line { path, label });
    }
    placed
}

impl Layers {
    /// Nodes and bends in the order of their numbers, and the bends of each edge.
    fn new(sizes: Vec<(f64, f64)>, edges: &[(usize, usize)], level: &[usize]) -> (Self, Vec<Vec<usize>>) {
        let nodes = sizes.len();
        let count = level.iter().max().map_or(0, |last| last + 1);
        let mut layers = vec![Vec::new(); count];
        level.iter().enumerate().for_each(|(node, &level)| layers[level].push(node));
        let (mut before, mut behind) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        let mut all =
            Layers { sizes, order: layers, place: Vec::new(), before: Vec::new(), behind: Vec::new(), nodes };
        let mut chains = Vec::with_capacity(edges.len());
        for &(one, other) in edges {
            let (first, last) = if level[one] < level[other] { (one, other) } else { (other, one) };
            let mut chain = Vec::new();
            let mut from = first;
            for layer in level[first] + 1..level[last] {
                let bend = all.sizes.len();
                all.sizes.push((0.0, 0.0));
                before.push(vec![from]);
                behind.push(Vec::new());
                behind[from].push(bend);
                all.order[layer].push(bend);
                chain.push(bend);
                from = bend;
            }
            behind[from].push(last);
            before[last].push(from);
            chains.push(chain);
        }
        (all.before, all.behind) = (before, behind);
        all.place = vec![0; all.sizes.len()];
        (0..count).for_each(|layer| all.number(layer));
        (all, chains)
    }

    fn number(&mut self, layer: usize) {
        for (place, &one) in self.order[layer].iter().enumerate() {
            self.place[one] = place;
        }
    }

    /// Orders each layer, so that lines cross little.
    fn sort(&mut self) {
        let mut best = (self.crossings(), self.order.clone());
        let count = self.order.len();
        for sweep in 0..SWEEPS {
            let down = sweep % 2 == 0;
            for step in 1..count {
                self.sort_layer(if down { step } else { count - 1 - step }, down);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.order.clone());
            }
            if best.0 == 0 {
                break;
            }
        }
        self.order = best.1;
        (0..count).for_each(|layer| self.number(layer));
    }

    fn sort_layer(&mut self, layer: usize, down: bool) {
        let near = if down { &self.before } else { &self.behind };
        let mean = |&one: &usize| {
            let sum: usize = near[one].iter().map(|&other| self.place[other]).sum();
            match near[one].len() {
                // what is joined with nothing stays about where it is
                0 => self.place[one] as f64,
                count => sum as f64 / count as f64,
            }
        };
        let mut keyed: Vec<(f64, usize)> = self.order[layer].iter().map(|one| (mean(one), *one)).collect();
        keyed.stable_sort_by(|one, other| one.0.total_cmp(&other.0));
        self.order[layer] = keyed.into_iter().map(|(_, one)| one).collect();
        self.number(layer);
    }

    /// Number of crossings: pairs of lines between two layers whose ends are in different orders.
    fn crossings(&self) -> u64 {
        let mut crossings = 0;
        for (layer, next) in self.order.iter().zip(self.order.iter().skip(1)) {
            // sums over places, by halving intervals
            let mut tree = vec![0_u64; next.len() + 1];
            let mut seen = 0;
            for &one in layer {
                let mut places: Vec<usize> =
                    self.behind[one].iter().map(|&other| self.place[other]).collect();
                places.stable_sort();
                for &place in &places {
                    let (mut upto, mut at) = (0, place + 1);
                    while at > 0 {
                        upto += tree[at];
                        at &= at - 1;
                    }
                    crossings += seen - upto;
                }
                for &place in &places {
                    seen += 1;
                    let mut at = place + 1;
                    while at < tree.len() {
                        tree[at] += 1;
                        at += at & at.wrapping_neg();
                    }
                }
            }
        }
        crossings
    }

    /// Middle of each node along its layer.
    fn along(&self) -> Vec<f64> {
        let mut at = vec![0.0; self.sizes.len()];
        // each layer by itself around 0
        for layer in &self.order {
            let width = self.offsets(layer).last().copied().unwrap_or(0.0);
            layer.iter().zip(self.offsets(layer)).for_each(|(&one, offset)| at[one] = offset - width / 2.0);
        }
        let count = self.order.len();
        for step in 0..MOVES {
            let down = step % 2 == 0;
            for number in 0..count {
                let layer = &self.order[if down { number } else { count - 1 - number }];
                let wanted: Vec<(f64, f64)> = layer.iter().map(|&one| self.wanted(one, down, &at)).collect();
                let offsets = self.offsets(layer);
                let moved: Vec<(f64, f64)> = wanted
                    .iter()
                    .zip(&offsets)
                    .map(|(&(to, weight), offset)| (to - offset, weight))
                    .collect();
                for ((&one, offset), to) in layer.iter().zip(&offsets).zip(rising(&moved)) {
                    at[one] = to + offset;
                }
            }
        }
        let left =
            self.sizes.iter().zip(&at).map(|(size, at)| at - size.0 / 2.0).fold(f64::INFINITY, f64::min);
        at.iter_mut().for_each(|at| *at -= left);
        at
    }

    /// The least distances of the middles in a layer from that of its first.
    fn offsets(&self, layer: &[usize]) -> Vec<f64> {
        let mut at = 0.0;
        let mut last: Option<usize> = None;
        let offset = |&one: &usize| {
            if let Some(last) = last {
                at += f64::midpoint(self.sizes[last].0, self.sizes[one].0) + GAP;
            }
            last = Some(one);
            at
        };
        layer.iter().map(offset).collect()
    }

    /// Desired position of a node, and the weight of that.
    fn wanted(&self, one: usize, down: bool, at: &[f64]) -> (f64, f64) {
        let near = if down { &self.before[one] } else { &self.behind[one] };
        let weight = if one < self.nodes { 1.0 } else { STRAIGHT };
        if near.is_empty() {
            return (at[one], 0.1);
        }
        (near.iter().map(|&other| at[other]).sum::<f64>() / near.len() as f64, weight)
    }
}

/// The rising numbers nearest to these by weighted least squares.
fn rising(wanted: &[(f64, f64)]) -> Vec<f64> {
    // each pool: weighted sum, weight, how many
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for &(to, weight) in wanted {
        let mut pool = (to * weight, weight, 1);
        while let Some(&(sum, of, count)) = pools.last() {
            if sum / of <= pool.0 / pool.1 {
                break;
            }
            pool = (pool.0 + sum, pool.1 + of, pool.2 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(sum, weight, count)| std::iter::repeat_n(sum / weight, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Size = Size { w: 96.0, h: 46.0 };

    #[test]
    fn pools_are_the_nearest_rising_numbers() {
        let of = |wanted: &[f64]| rising(&wanted.iter().map(|&to| (to, 1.0)).collect::<Vec<_>>());
        assert_eq!(of(&[1.0, 2.0, 5.0]), [1.0, 2.0, 5.0]);
        assert_eq!(of(&[3.0, 1.0, 2.0, 8.0]), [2.0, 2.0, 2.0, 8.0]);
        assert_eq!(rising(&[(4.0, 3.0), (0.0, 1.0)]), [3.0, 3.0]);
    }

    #[test]
    fn what_can_be_drawn_without_crossings_is() {
        // two chains that are interleaved in reverse, and a line that passes a layer
        let edges = [(0, 3), (1, 2), (2, 5), (3, 4), (0, 4)];
        let level = [0, 0, 1, 1, 2, 2];
        let (mut layers, _) = Layers::new(vec![(96.0, 46.0); 6], &edges, &level);
        assert!(layers.crossings() > 0);
        layers.sort();
        assert_eq!(layers.crossings(), 0);
        assert_eq!(layers.sizes.len(), 7, "one bend");
    }

    #[test]
    fn nothing_overlaps_in_either_direction() {
        let edges: Vec<(usize, usize)> =
            (0..30).flat_map(|one| [(one, 30 + one * 7 % 20), (one, 50)]).collect();
        let level: Vec<usize> = (0..51)
            .map(|node| {
                if node < 30 {
                    0
                } else if node < 50 {
                    1
                } else {
                    4
                }
            })
            .collect();
        for follow in [Follow::Down, Follow::Right] {
            let placed = layered(&[BOX; 51], &edges, &level, follow);
            for (number, one) in placed.at.iter().enumerate() {
                for other in &placed.at[..number] {
                    assert!(
                        (one.0 - other.0).abs() >= 96.0 || (one.1 - other.1).abs() >= 46.0,
                        "{one:?} {other:?}"
                    );
                }
            }
            assert_eq!(placed.lines.len(), edges.len());
        }
    }
}
