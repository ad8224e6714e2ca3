//! The greatest of many ranks that change.

use std::cmp::Reverse;

use crate::sweep::heuristic::Rank;
use crate::workflow::TaskNumber;

/// Ranks by place, in a tree: each inner node is the place of the greater of its two children, of equal ranks that of the first task.
///
/// The node `n` has the children `2 n` and `2 n + 1`; the root is 1, the leaves are the upper half.
#[derive(Debug)]
pub(super) struct RankTree {
    keys: Vec<Option<(Rank, Reverse<TaskNumber>)>>,
    nodes: Vec<u32>,
}

impl RankTree {
    /// A tree of so many places, of which none has a rank.
    pub(super) fn new(places: usize) -> Self {
        let leaves = places.max(1).next_power_of_two();
        let mut nodes: Vec<u32> = (0..2 * leaves as u32).map(|node| node % leaves as u32).collect();
        for node in (1..leaves).rev() {
            nodes[node] = nodes[2 * node];
        }
        RankTree { keys: vec![None; leaves], nodes }
    }

    /// The rank of a place.
    pub(super) fn rank(&self, place: usize) -> Option<Rank> {
        self.keys[place].map(|(rank, _)| rank)
    }

    /// The place of the greatest rank.
    pub(super) fn first(&self) -> Option<usize> {
        let place = self.nodes[1] as usize;
        self.keys[place].map(|_| place)
    }

    /// Gives a place the rank of a task, or none.
    pub(super) fn set(&mut self, place: usize, key: Option<(Rank, TaskNumber)>) {
        let key = key.map(|(rank, task)| (rank, Reverse(task)));
        if std::mem::replace(&mut self.keys[place], key) == key {
            return;
        }
        let mut node = usize::midpoint(self.keys.len(), place);
        while node > 0 {
            let [one, other] = [self.nodes[2 * node], self.nodes[2 * node + 1]];
            let is_less = self.keys[one as usize] < self.keys[other as usize];
            let first = if is_less { other } else { one };
            // who won before and wins again may have another rank
            if self.nodes[node] == first && first as usize != place {
                return;
            }
            self.nodes[node] = first;
            node /= 2;
        }
    }
}
