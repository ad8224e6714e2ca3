//! Failures and returns of nodes: drawn, or as a trace has them.
//!
//! A node is up for a time, out of service for a time, up again, and so on, each node for itself.
//! Drawn times are taken from a stream of the node's own, so that neither the number of nodes nor
//! anything else changes when one fails; a node is up when the run begins. A draw of nothing counts
//! as a nanosecond, so that no node fails twice at one instant.

use std::sync::Arc;

use crate::collections::Interval;
use crate::kernel::rng::Stream;
use crate::kernel::rng::distribution::Sampler;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::Resources;

use super::OutageSpans;

/// Instant at which each node of a machine is out of service.
#[derive(Clone, Debug)]
pub enum Faults {
    /// Times up and times out of service are drawn, in seconds.
    Drawn {
        /// Times to a failure.
        up: Sampler,
        /// Times to a repair.
        down: Sampler,
    },
    /// For each node, from the lowest, the spans out of service in order; nodes beyond the last do
    /// not fail.
    Traced(Arc<OutageSpans>),
}

impl Faults {
    /// Time for which a node is up from `now` on, and time out of service after that; `before`
    /// failures came before. `None`: it does not fail any more. Times are drawn from the stream.
    pub fn next(
        &self,
        node: u32,
        before: usize,
        now: SimTime,
        stream: Option<&mut Stream>,
    ) -> Option<(SimDuration, SimDuration)> {
        match self {
            Faults::Drawn { up, down } => {
                let stream = stream?;
                let mut draw = |law: &Sampler| {
                    SimDuration::ceil_secs(law.draw(stream).max(0.0)).max(SimDuration::from_nanos(1))
                };
                Some((draw(up), draw(down)))
            }
            Faults::Traced(spans) => {
                let &(from, to) = spans.get(node as usize)?.get(before)?;
                Some((from.since(now), to.since(from)))
            }
        }
    }

    /// Returns true if random numbers are drawn.
    pub fn draws(&self) -> bool {
        matches!(self, Faults::Drawn { .. })
    }
}

/// The nodes of a machine, which fail.
#[derive(Clone, Debug)]
pub enum Nodes {
    /// Equal numbers of processors, from the lowest, the last node having what is left.
    Equal {
        /// Processors of the machine; above zero.
        procs: u32,
        /// Processors of a node; above zero.
        per_node: u32,
    },
    /// Nodes of a site.
    OfSite(Arc<Resources>),
}

impl Nodes {
    /// The nodes of a site, if they have more than processors; else equal ones.
    pub fn new(resources: Option<&Arc<Resources>>, procs: u32, per_node: u32) -> Self {
        match resources {
            Some(resources) => Nodes::OfSite(Arc::clone(resources)),
            None => Nodes::Equal { procs, per_node },
        }
    }

    /// Number of nodes.
    pub fn count(&self) -> u32 {
        match self {
            Nodes::Equal { procs, per_node } => procs.div_ceil(*per_node),
            Nodes::OfSite(resources) => resources.nodes.count(),
        }
    }

    /// The processors of a node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn processors(&self, node: u32) -> Interval {
        match self {
            Nodes::Equal { procs, per_node } => {
                let first = node * per_node;
                Interval::new(first, first.saturating_add(per_node - 1).min(procs - 1))
            }
            Nodes::OfSite(resources) => {
                let (first, count) = resources.nodes.processors(node);
                Interval::new(first, first + (count - 1))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_node_has_what_is_left() {
        let nodes = Nodes::Equal { procs: 10, per_node: 4 };
        let parts: Vec<Interval> = (0..nodes.count()).map(|node| nodes.processors(node)).collect();
        assert_eq!(parts, [Interval::new(0, 3), Interval::new(4, 7), Interval::new(8, 9)]);
        assert_eq!(Nodes::Equal { procs: 3, per_node: u32::MAX }.processors(0), Interval::new(0, 2));
    }
}
