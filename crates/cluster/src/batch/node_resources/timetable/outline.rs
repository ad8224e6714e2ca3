//! Nodes in outline: how long nothing of a node is free, and from when on all of it is. Most
//! searches among nodes ask for no more of most of them.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;

use super::lane::Lane;

/// A node in outline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    /// Instant before which nothing of it is free, of those from its last change on.
    pub(super) full_until: SimTime,
    /// Instant from which on no job is booked on it.
    pub(super) empty_from: SimTime,
    /// True if no job is booked on it that begins later: from then on what is free only falls where
    /// it is reserved.
    pub(super) rises: bool,
}

impl Outline {
    /// Outline of a node that has to be looked at closely.
    pub(super) const NONE: Outline =
        Outline { full_until: SimTime::ZERO, empty_from: SimTime::MAX, rises: false };

    /// Returns true if nothing is free at an instant.
    pub(super) fn is_full(&self, at: SimTime) -> bool {
        at < self.full_until
    }

    /// Returns true if no job is booked on it from an instant on.
    pub(super) fn is_empty(&self, from: SimTime) -> bool {
        self.empty_from <= from && from < SimTime::MAX
    }
}

/// Outlines of all nodes, and which of them are alike while they are empty: they have the same, and
/// are reserved at the same times.
#[derive(Debug)]
pub(super) struct Outlines {
    pub(super) each: Vec<Outline>,
    /// Class of each node.
    pub(super) classes: Vec<usize>,
    /// Nodes of each class.
    counts: Vec<usize>,
}

impl Outlines {
    /// Outlines at an instant.
    pub(super) fn new(lanes: &[Lane], now: SimTime) -> Self {
        let (mut classes, mut counts) = (Vec::with_capacity(lanes.len()), Vec::new());
        for (place, lane) in lanes.iter().enumerate() {
            // nodes that are alike follow each other
            if place == 0 || !lane.is_like(&lanes[place - 1]) {
                counts.push(0);
            }
            classes.push(counts.len() - 1);
            counts[classes[place]] += 1;
        }
        Outlines { each: lanes.iter().map(|lane| lane.outline(now)).collect(), classes, counts }
    }

    /// These nodes are reserved at further times, and alike only among themselves.
    pub(super) fn part(&mut self, nodes: &[u32]) {
        let mut parts: OrderedMap<usize, usize> = OrderedMap::new();
        for &node in nodes {
            *parts.entry(self.classes[node as usize]).or_default() += 1;
        }
        // a class of which all are among them stays
        parts.retain(|&class, count| *count < self.counts[class]);
        for (&class, part) in &mut parts {
            self.counts[class] -= *part;
            self.counts.push(*part);
            *part = self.counts.len() - 1;
        }
        for &node in nodes {
            let class = &mut self.classes[node as usize];
            *class = parts.get(class).copied().unwrap_or(*class);
        }
    }

    /// Answers about classes, none of which is known.
    pub(super) fn answers<T: Copy>(&self) -> OfClasses<'_, T> {
        OfClasses { classes: &self.classes, answers: vec![None; self.counts.len()] }
    }
}

/// Answers about nodes that are alike.
pub(super) struct OfClasses<'o, T> {
    classes: &'o [usize],
    answers: Vec<Option<T>>,
}

impl<T: Copy> OfClasses<'_, T> {
    /// The answer for a node, found if it is the first of its class.
    pub(super) fn of(&mut self, node: u32, find: impl FnOnce() -> T) -> T {
        *self.answers[self.classes[node as usize]].get_or_insert_with(find)
    }
}

#[cfg(test)]
mod tests {
    use crate::batch::node_resources::free::Free;
    use crate::workload::resources::{Features, NodeKind};

    use super::*;

    #[test]
    fn nodes_are_alike_that_have_the_same_and_are_reserved_together() {
        let lane = |processors| {
            let kind = NodeKind { nodes: 1, processors, memory: 8, gpus: 0, features: Features::NONE };
            Lane::new(Free::all(&kind, 0, None))
        };
        let mut outlines = Outlines::new(&[4, 4, 4, 2].map(lane), SimTime::ZERO);
        assert_eq!(outlines.classes, [0, 0, 0, 1]);
        outlines.part(&[0, 1, 3]);
        assert_eq!((&outlines.classes[..], &outlines.counts[..]), (&[2, 2, 0, 1][..], &[1, 1, 2][..]));
        outlines.part(&[0, 1, 2, 3]);
        assert_eq!(outlines.classes, [2, 2, 0, 1], "all of each class are reserved");
        let mut answers = outlines.answers();
        assert_eq!([(0, 7), (1, 8), (2, 9)].map(|(node, answer)| answers.of(node, || answer)), [7, 7, 9]);
        assert!(!Outline::NONE.is_full(SimTime::ZERO) && !Outline::NONE.is_empty(SimTime::MAX));
    }
}
