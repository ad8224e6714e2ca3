//! A binary tree as in a heap: task 0 is the root, the children of task `i` are `2i + 1` and `2i +
//! 2`.
//!
//! A task talks to its parent, its first and its second child, in this order, where they exist.

use crate::registry::Entry;

use super::{Pattern, Peers, named};

pub(super) const ENTRY: Entry<dyn Pattern> =
    named("tree", "a binary tree as in a heap: parent and children", |_| Ok(Box::new(Tree)));

/// Parent and children.
#[derive(Clone, Copy, Debug)]
struct Tree;

impl Pattern for Tree {
    fn sends_to(&self, rank: u32, tasks: u32) -> Peers {
        let parent = rank.checked_sub(1).map(|before| before / 2);
        let child = |which: u64| {
            let child = 2 * u64::from(rank) + which;
            (child < u64::from(tasks)).then_some(child as u32)
        };
        Peers::few(rank, [parent, child(1), child(2)].into_iter().flatten())
    }
}
