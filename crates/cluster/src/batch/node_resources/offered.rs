//! Free parts of nodes as a job may have them: all that is free now, or what a reservation leaves
//! of it.

use std::ops::Index;
use std::sync::Arc;

use crate::collections::{Interval, IntervalSet, OrderedMap};

use super::free::Free;

/// Capacity that a reservation leaves to others, of what is free now.
#[derive(Clone, Debug)]
pub(super) enum Left {
    /// All of it, but for these nodes, of which it leaves these parts.
    Parts(OrderedMap<u32, Free>),
    /// All of it, but for these nodes.
    Without(IntervalSet),
    /// These parts of these nodes, and nothing else.
    Only(OrderedMap<u32, Free>),
    /// Numbers of nodes of each class, where jobs have them whole: whichever they are.
    Nodes { classes: Arc<Vec<usize>>, counts: Vec<u64> },
}

/// Free parts of nodes, by their numbers, as a job may have them.
#[derive(Debug)]
pub(super) struct Offered<'n> {
    now: &'n [Free],
    left: Option<&'n Left>,
    /// Nodes that it may have of those that jobs have whole, if not all.
    whole: Option<Vec<bool>>,
    /// A node that it may not have.
    shut: Free,
}

impl<'n> Offered<'n> {
    /// All that is free.
    pub(super) fn all(now: &'n [Free]) -> Self {
        Offered { now, left: None, whole: None, shut: Free::SHUT }
    }

    /// Parts that are free now and not reserved, on each node, for a job with so many processors:
    /// where nodes count, it may have any of them unless it could take more than are left of a
    /// class; then the lowest.
    pub(super) fn of(now: &'n [Free], left: &'n Left, procs: u32) -> Self {
        let offered = Offered { left: Some(left), ..Offered::all(now) };
        let Left::Nodes { classes, counts } = left else { return offered };
        if counts.iter().all(|&left| left >= u64::from(procs)) {
            return offered;
        }
        let mut counts = counts.clone();
        counts.iter_mut().filter(|left| **left >= procs.into()).for_each(|left| *left = u64::MAX);
        let may = |(now, &class): (&Free, &usize)| {
            let left = &mut counts[class];
            let may = now.is_empty() && !now.is_down() && !now.is_reserved() && *left > 0;
            *left = left.saturating_sub(u64::from(may && *left < u64::MAX));
            may
        };
        let whole = now.iter().zip(classes.iter()).map(may).collect();
        Offered { whole: Some(whole), ..offered }
    }
}

impl Index<usize> for Offered<'_> {
    type Output = Free;

    fn index(&self, node: usize) -> &Free {
        let now = &self.now[node];
        match (self.left, &self.whole) {
            (_, Some(may)) if !may[node] => &self.shut,
            (None | Some(Left::Nodes { .. }), _) => now,
            (Some(Left::Parts(parts)), _) => parts.get(&(node as u32)).unwrap_or(now),
            (Some(Left::Without(nodes)), _) => {
                let at = Interval::new(node as u32, node as u32);
                if nodes.within(at).next().is_some() { &self.shut } else { now }
            }
            (Some(Left::Only(parts)), _) => parts.get(&(node as u32)).unwrap_or(&self.shut),
        }
    }
}
