//! Layout of the parts of a picture: trees, layers, rings and rows, without any chance or force in
//! it.
//!
//! The same joints always lie in the same places. What has no circle is a tree: its middle in the
//! middle, branches to the right and, if there are many, to the left, with room for a label on each
//! line. What can be sorted into layers, nodes at the bottom and lines only between neighbouring
//! layers, is drawn so (fat trees). Anything else is a ring: joints with lines to several others on
//! an ellipse, and outside of it what hangs on them. What no line joins lies in rows.

use crate::collections::OrderedSet;
use crate::kernel::rng::math;

use super::layered::{Follow, layered};

/// Room around and between things.
const GAP: f64 = 14.0;
/// Room for the label of a line.
pub(super) const LABEL: f64 = 165.0;
/// Lines of a ring or of layers that are labelled each by itself.
pub(super) const LABELLED: usize = 14;
/// Branches of a tree that go to one side only.
const ONE_SIDED: usize = 5;

/// Width and height.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Size {
    pub(super) w: f64,
    pub(super) h: f64,
}

/// A line from one part to another: what draws it, and the middle of its label.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Line {
    pub(super) path: String,
    pub(super) label: (f64, f64),
}

/// Everything in its place: the middles of the parts, and the lines in the order of the edges.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Placed {
    pub(super) at: Vec<(f64, f64)>,
    pub(super) lines: Vec<Line>,
    pub(super) size: Size,
    /// True if every line has room for a label.
    pub(super) has_room: bool,
}

/// Puts parts of these sizes into their places; `edges` join two different parts, no two of them
/// the same ones.
pub(super) fn place(sizes: &[Size], edges: &[(usize, usize)]) -> Placed {
    let near = neighbours(sizes.len(), edges);
    let (trees, is_forest) = components(&near, edges.len());
    let placed = if edges.is_empty() {
        rows(sizes)
    } else if is_forest {
        forest(sizes, &near, edges, &trees)
    } else if let Some(layers) = layers(&near, edges) {
        let highest = layers.iter().copied().max().unwrap_or(0);
        let levels: Vec<usize> = layers.iter().map(|layer| highest - layer).collect();
        layered(sizes, edges, &levels, Follow::Down)
    } else {
        ring(sizes, &near, edges)
    };
    placed.fitted(sizes)
}

impl Placed {
    pub(super) fn new(parts: usize) -> Self {
        let size = Size { w: 0.0, h: 0.0 };
        Placed { at: vec![(0.0, 0.0); parts], lines: Vec::new(), size, has_room: false }
    }

    /// Straight lines from middle to middle; parts lie over them, and labels in the middle of what
    /// is seen.
    fn straight(&mut self, sizes: &[Size], edges: &[(usize, usize)]) {
        for &(one, other) in edges {
            let ((x, y), (x2, y2)) = (self.at[one], self.at[other]);
            let path = format!("M{x:.0} {y:.0}L{x2:.0} {y2:.0}");
            let hidden = |size: Size| {
                let [across, along] =
                    [(size.w, x2 - x), (size.h, y2 - y)].map(|(side, route)| side / 2.0 / route.abs());
                across.min(along).min(0.5)
            };
            let middle = f64::midpoint(hidden(sizes[one]), 1.0 - hidden(sizes[other]));
            self.lines.push(Line { path, label: (x + middle * (x2 - x), y + middle * (y2 - y)) });
        }
    }

    /// Enlarges the picture until it holds every part.
    pub(super) fn fitted(mut self, sizes: &[Size]) -> Self {
        for (at, size) in self.at.iter().zip(sizes) {
            self.size.w = self.size.w.max(at.0 + size.w / 2.0);
            self.size.h = self.size.h.max(at.1 + size.h / 2.0);
        }
        self
    }

    /// Moves everything so that nothing is left of or above the corner.
    fn shift(&mut self, sizes: &[Size]) {
        let least = |side: fn(((f64, f64), Size)) -> f64| {
            self.at.iter().copied().zip(sizes.iter().copied()).map(side).fold(f64::INFINITY, f64::min)
        };
        let (left, top) = (least(|(at, size)| at.0 - size.w / 2.0), least(|(at, size)| at.1 - size.h / 2.0));
        self.at.iter_mut().for_each(|at| *at = (at.0 - left, at.1 - top));
    }
}

fn neighbours(parts: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); parts];
    for &(one, other) in edges {
        near[one].push(other);
        near[other].push(one);
    }
    near
}

/// The parts that hang together, and whether nothing of it is a circle.
fn components(near: &[Vec<usize>], edges: usize) -> (Vec<Vec<usize>>, bool) {
    let mut is_seen = vec![false; near.len()];
    let mut all = Vec::new();
    for start in 0..near.len() {
        let (mut next, mut found) = (vec![start], Vec::new());
        while let Some(part) = next.pop() {
            if !std::mem::replace(&mut is_seen[part], true) {
                found.push(part);
                next.extend(near[part].iter().rev());
            }
        }
        if !found.is_empty() {
            all.push(found);
        }
    }
    let is_forest = edges + all.len() == near.len();
    (all, is_forest)
}

/// Rows of about the shape of a page.
fn rows(sizes: &[Size]) -> Placed {
    let mut placed = Placed::new(sizes.len());
    let area: f64 = sizes.iter().map(|size| (size.w + GAP) * (size.h + GAP)).sum();
    let widest = sizes.iter().map(|size| size.w).fold(0.0, f64::max);
    let width = widest.max(area.sqrt() * 1.5);
    let (mut x, mut y, mut height) = (0.0, 0.0, 0.0_f64);
    for (at, size) in placed.at.iter_mut().zip(sizes) {
        if x > 0.0 && x + size.w > width {
            (x, y, height) = (0.0, y + height + GAP, 0.0);
        }
        *at = (x + size.w / 2.0, y + size.h / 2.0);
        x += size.w + GAP;
        height = height.max(size.h);
    }
    placed
}

/// A tree that is being put into its place.
struct Tree<'a> {
    sizes: &'a [Size],
    near: &'a [Vec<usize>],
    above: Vec<usize>,
    depth: Vec<usize>,
    height: Vec<f64>,
}

impl Tree<'_> {
    fn below(&self, part: usize) -> impl Iterator<Item = usize> + '_ {
        let above = self.above[part];
        self.near[part].iter().copied().filter(move |&near| near != above)
    }

    /// Finds what is above and below, and how high each branch is.
    fn measure(&mut self, root: usize) {
        let (mut order, mut next) = (Vec::new(), vec![root]);
        self.above[root] = root;
        while let Some(part) = next.pop() {
            order.push(part);
            let below: Vec<usize> = self.below(part).collect();
            for &child in &below {
                self.above[child] = part;
                self.depth[child] = self.depth[part] + 1;
            }
            next.extend(below);
        }
        for &part in order.iter().rev() {
            let sum: f64 = self.below(part).map(|child| self.height[child]).sum();
            self.height[part] = sum.max(self.sizes[part].h + GAP);
        }
    }

    /// Puts branches below each other, from `top` on, to the side of this sign; `edge` gives where
    /// the middle of each depth is.
    fn hang(&self, branches: &[usize], top: f64, (sign, edge): (f64, &[f64]), at: &mut [(f64, f64)]) {
        let mut y = top;
        for &part in branches {
            let x = sign * edge[self.depth[part]];
            at[part] = (x + sign * self.sizes[part].w / 2.0, y + self.height[part] / 2.0);
            let below: Vec<usize> = self.below(part).collect();
            let sum: f64 = below.iter().map(|&child| self.height[child]).sum();
            self.hang(&below, y + (self.height[part] - sum) / 2.0, (sign, edge), at);
            y += self.height[part];
        }
    }
}

/// The part from which a tree is drawn: one with half of all lines, or else the middle of the
/// longest path.
fn root_of(parts: &[usize], near: &[Vec<usize>]) -> usize {
    let broadest = parts.iter().copied().max_by_key(|&part| (near[part].len(), part)).unwrap_or(0);
    if 2 * near[broadest].len() >= parts.len() {
        return broadest;
    }
    let (one, _) = farthest(broadest, near);
    let (_, route) = farthest(one, near);
    route[route.len() / 2]
}

/// The part that is farthest away in a tree, and the way there.
fn farthest(from: usize, near: &[Vec<usize>]) -> (usize, Vec<usize>) {
    let mut longest = vec![from];
    let mut next = vec![vec![from]];
    while let Some(route) = next.pop() {
        let (last, before) = (route[route.len() - 1], route.iter().rev().nth(1));
        for &other in near[last].iter().filter(|other| before != Some(other)) {
            let mut further = route.clone();
            further.push(other);
            next.push(further);
        }
        if route.len() > longest.len() {
            longest = route;
        }
    }
    (longest[longest.len() - 1], longest)
}

/// Trees below each other.
fn forest(sizes: &[Size], near: &[Vec<usize>], edges: &[(usize, usize)], trees: &[Vec<usize>]) -> Placed {
    let mut placed = Placed { has_room: true, ..Placed::new(sizes.len()) };
    let count = sizes.len();
    let mut tree =
        Tree { sizes, near, above: vec![0; count], depth: vec![0; count], height: vec![0.0; count] };
    let mut top = 0.0;
    for parts in trees {
        let root = root_of(parts, near);
        tree.measure(root);
        let branches: Vec<usize> = tree.below(root).collect();
        let all: f64 = branches.iter().map(|&branch| tree.height[branch]).sum();
        let deepest = parts.iter().map(|&part| tree.depth[part]).max().unwrap_or(0);
        let is_shallow = deepest <= 2;
        let (mut right, mut left, mut filled) = (Vec::new(), Vec::new(), 0.0);
        for &branch in &branches {
            let is_right = is_shallow && branches.len() <= ONE_SIDED || filled < all / 2.0;
            filled += tree.height[branch];
            if is_right { right.push(branch) } else { left.push(branch) }
        }
        let mut edge = vec![sizes[root].w / 2.0 + LABEL + 40.0; deepest + 2];
        for depth in 1..=deepest {
            let of_depth = parts.iter().filter(|&&part| tree.depth[part] == depth);
            let widest = of_depth.map(|&part| sizes[part].w).fold(0.0, f64::max);
            edge[depth + 1] = edge[depth] + widest + LABEL + 40.0;
        }
        let sum = |side: &[usize]| side.iter().map(|&branch| tree.height[branch]).sum::<f64>();
        let height = sum(&right).max(sum(&left)).max(sizes[root].h + GAP);
        placed.at[root] = (0.0, top + height / 2.0);
        tree.hang(&right, top + (height - sum(&right)) / 2.0, (1.0, &edge), &mut placed.at);
        tree.hang(&left, top + (height - sum(&left)) / 2.0, (-1.0, &edge), &mut placed.at);
        let least = parts.iter().map(|&part| placed.at[part].0 - sizes[part].w / 2.0).fold(0.0, f64::min);
        parts.iter().for_each(|&part| placed.at[part].0 -= least);
        top += height + GAP;
    }
    for &(one, other) in edges {
        let (above, below) = if tree.above[other] == one { (one, other) } else { (other, one) };
        placed.lines.push(bent(placed.at[above], placed.at[below], (sizes[above], sizes[below])));
    }
    placed
}

/// A line that bends to the level of its end, and is level along its label.
fn bent(from: (f64, f64), to: (f64, f64), (of_from, of_to): (Size, Size)) -> Line {
    let sign = if to.0 < from.0 { -1.0 } else { 1.0 };
    let (begin, end) = (from.0 + sign * of_from.w / 2.0, to.0 - sign * of_to.w / 2.0);
    let level = end - sign * LABEL;
    let middle = f64::midpoint(begin, level);
    let path = format!(
        "M{begin:.0} {:.0}C{middle:.0} {:.0} {middle:.0} {:.0} {level:.0} {:.0}H{end:.0}",
        from.1, from.1, to.1, to.1
    );
    Line { path, label: (f64::midpoint(level, end), to.1) }
}

/// Number of lines each part is away from the nearest that has but one line, if lines only join
/// neighbouring numbers.
fn layers(near: &[Vec<usize>], edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut layer: Vec<Option<usize>> = near.iter().map(|near| (near.len() <= 1).then_some(0)).collect();
    let mut next: Vec<usize> = (0..near.len()).filter(|&part| layer[part].is_some()).collect();
    let mut number = 0;
    while !next.is_empty() {
        number += 1;
        let above: OrderedSet<usize> = next
            .iter()
            .flat_map(|&part| near[part].iter().copied())
            .filter(|&part| layer[part].is_none())
            .collect();
        above.iter().for_each(|&part| layer[part] = Some(number));
        next = above.into_iter().collect();
    }
    let layer: Vec<usize> = layer.into_iter().collect::<Option<_>>()?;
    edges.iter().all(|&(one, other)| layer[one].abs_diff(layer[other]) == 1).then_some(layer)
}

/// A ring: nodes with lines to several others on an ellipse, the trees on them outside.
fn ring(sizes: &[Size], near: &[Vec<usize>], edges: &[(usize, usize)]) -> Placed {
    const TURN: f64 = std::f64::consts::TAU;
    let mut placed = Placed::new(sizes.len());
    let is_core =
        |part: usize| near[part].len() > 1 || near[part].iter().any(|&other| near[other].len() <= 1);
    let hanging =
        |part: usize| near[part].iter().copied().filter(|&other| !is_core(other)).collect::<Vec<usize>>();
    let core: Vec<usize> = walk(near).into_iter().filter(|&part| is_core(part)).collect();
    let slots: usize = core.iter().map(|&part| hanging(part).len().max(1)).sum();
    let leaves: Vec<usize> = (0..sizes.len()).filter(|&part| !is_core(part)).collect();
    let outer: &[usize] = if leaves.is_empty() { &core } else { &leaves };
    let most = |side: fn(&Size) -> f64| outer.iter().map(|&part| side(&sizes[part])).fold(0.0, f64::max);
    // parts that follow each other never overlap: where the ellipse is steep by their heights,
    // where it is flat by their widths
    let around = slots as f64 * 1.42 / TURN;
    // few lines have labels, which want room
    let room = if edges.len() <= LABELLED { LABEL } else { 0.0 };
    let share = if leaves.is_empty() { 1.0 } else { 0.62 };
    // the inner ellipse is smaller, and what stands on it may be as large
    let inner =
        |side: fn(&Size) -> f64| core.iter().map(|&part| side(&sizes[part])).fold(0.0, f64::max) / share;
    let [rx, ry] = [
        most(|size| size.w).max(inner(|size| size.w)) + room,
        most(|size| size.h).max(inner(|size| size.h)) + room / 2.0,
    ]
    .map(|side| (around * (side + GAP)).max(130.0));
    let middle = (rx + most(|size| size.w) / 2.0, ry + most(|size| size.h) / 2.0);
    let on = |slot: f64, share: f64| {
        let angle = (slot / slots as f64 - 0.25) * TURN;
        (middle.0 + share * rx * math::cos(angle), middle.1 + share * ry * math::sin(angle))
    };
    let mut slot = 0.0;
    for &part in &core {
        let own = hanging(part);
        placed.at[part] = on(slot + own.len().max(1) as f64 / 2.0, share);
        for (number, &leaf) in own.iter().enumerate() {
            placed.at[leaf] = on(slot + number as f64 + 0.5, 1.0);
        }
        slot += own.len().max(1) as f64;
    }
    placed.shift(sizes);
    placed.straight(sizes, edges);
    placed
}

/// All parts, each followed by what is near it and was not met.
fn walk(near: &[Vec<usize>]) -> Vec<usize> {
    let mut is_seen = vec![false; near.len()];
    let mut order = Vec::new();
    for start in 0..near.len() {
        let mut next = vec![start];
        while let Some(part) = next.pop() {
            if !std::mem::replace(&mut is_seen[part], true) {
                order.push(part);
                next.extend(near[part].iter().rev());
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Size = Size { w: 120.0, h: 40.0 };

    fn overlap(placed: &Placed, sizes: &[Size]) -> bool {
        (0..sizes.len()).any(|one| {
            (0..one).any(|two| {
                let ((x, y), (x2, y2)) = (placed.at[one], placed.at[two]);
                let w = f64::midpoint(sizes[one].w, sizes[two].w);
                let h = f64::midpoint(sizes[one].h, sizes[two].h);
                (x - x2).abs() < w && (y - y2).abs() < h
            })
        })
    }

    #[test]
    fn nothing_lies_on_anything_else() {
        let star: Vec<(usize, usize)> = (0..20).map(|leaf| (leaf, 20)).collect();
        let full: Vec<(usize, usize)> = (0..12).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
        let mut tails: Vec<(usize, usize)> = (0..9).map(|a| (a, (a + 1) % 9)).collect();
        tails.extend((0..18).map(|leaf| (leaf % 9, leaf + 9)));
        let clos: Vec<(usize, usize)> =
            (0..8).map(|leaf| (leaf, 8 + leaf / 2)).chain((8..12).flat_map(|a| [(a, 12), (a, 13)])).collect();
        for (parts, edges) in [(21, star), (12, full), (27, tails), (14, clos), (17, Vec::new())] {
            let sizes = vec![BOX; parts];
            let placed = place(&sizes, &edges);
            assert!(!overlap(&placed, &sizes), "{parts} parts");
            assert_eq!(placed.lines.len(), edges.len());
            assert!(placed.at.iter().all(|at| at.0 >= 59.9 && at.1 >= 19.9), "{:?}", placed.at);
        }
    }

    #[test]
    fn a_fat_tree_has_its_hosts_at_the_bottom() {
        let clos: Vec<(usize, usize)> =
            (0..8).map(|leaf| (leaf, 8 + leaf / 2)).chain((8..12).flat_map(|a| [(a, 12), (a, 13)])).collect();
        let placed = place(&[BOX; 14], &clos);
        let heights = [0, 8, 12].map(|part| placed.at[part].1);
        assert!(heights[0] > heights[1] && heights[1] > heights[2], "{heights:?}");
    }
}
