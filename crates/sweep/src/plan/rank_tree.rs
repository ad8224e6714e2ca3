//! The greatest of many ranks that change.

use std::cmp::Reverse;

use crate::heuristic::Rank;
use crate::workflow::TaskNumber;

/// Ranks by place, in a tree: each inner node is the place of the greater of its two children, of
/// equal ranks that of the first task.
///
/// The node `n` has the children `2 n` and `2 n + 1`; the root is 1, the leaves are the upper half.
#[derive(Debug)]
pub(crate) struct RankTree {
    keys: Vec<Option<(Rank, Reverse<TaskNumber>)>>,
    nodes: Vec<u32>,
    /// True if inner nodes are worked out later.
    is_deferred: bool,
}

impl RankTree {
    /// A tree of so many places, of which none has a rank.
    pub(crate) fn new(places: usize) -> Self {
        let leaves = places.max(1).next_power_of_two();
        let mut nodes: Vec<u32> = (0..2 * leaves as u32).map(|node| node % leaves as u32).collect();
        for node in (1..leaves).rev() {
            nodes[node] = nodes[2 * node];
        }
        RankTree { keys: vec![None; leaves], nodes, is_deferred: false }
    }

    /// The rank of a place.
    pub(crate) fn rank(&self, place: usize) -> Option<Rank> {
        self.keys[place].map(|(rank, _)| rank)
    }

    /// The place of the greatest rank.
    pub(crate) fn first(&self) -> Option<usize> {
        let place = self.nodes[1] as usize;
        self.keys[place].map(|_| place)
    }

    /// Gives a place the rank of a task, or none.
    pub(crate) fn set(&mut self, place: usize, key: Option<(Rank, TaskNumber)>) {
        let key = key.map(|(rank, task)| (rank, Reverse(task)));
        if std::mem::replace(&mut self.keys[place], key) == key || self.is_deferred {
            return;
        }
        let mut node = usize::midpoint(self.keys.len(), place);
        while node > 0 {
            let first = self.first_below(node);
            // who won before and wins again may have another rank
            if self.nodes[node] == first && first as usize != place {
                return;
            }
            self.nodes[node] = first;
            node /= 2;
        }
    }

    /// The place of the greater of the two children of a node.
    fn first_below(&self, node: usize) -> u32 {
        let [one, other] = [self.nodes[2 * node], self.nodes[2 * node + 1]];
        if self.keys[one as usize] < self.keys[other as usize] { other } else { one }
    }

    /// Many places get ranks: inner nodes are [worked out](RankTree::work_out) after the last.
    pub(crate) fn defer(&mut self) {
        self.is_deferred = true;
    }

    /// Works out all inner nodes, if that was deferred.
    pub(crate) fn work_out(&mut self) {
        if std::mem::take(&mut self.is_deferred) {
            for node in (1..self.keys.len()).rev() {
                self.nodes[node] = self.first_below(node);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;

    #[test]
    fn ranks_that_are_worked_out_together_are_those_that_are_set_one_by_one() {
        let mut stream = Streams::new(1, 0).stream("test");
        for places in [1, 2, 3, 8, 100] {
            let [mut together, mut one_by_one] = [RankTree::new(places), RankTree::new(places)];
            for _ in 0..50 {
                together.defer();
                for place in (0..places).filter(|_| stream.below(3) > 0).collect::<Vec<_>>() {
                    let rank = Rank(stream.below(4) as f64, 0.0);
                    let key = (stream.below(4) > 0).then_some((rank, TaskNumber(place as u32)));
                    together.set(place, key);
                    one_by_one.set(place, key);
                }
                together.work_out();
                assert_eq!(together.first(), one_by_one.first());
                let least = (0..places).max_by_key(|place| (one_by_one.rank(*place), Reverse(*place)));
                assert_eq!(one_by_one.first(), least.filter(|place| one_by_one.rank(*place).is_some()));
            }
        }
    }
}
