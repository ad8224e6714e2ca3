//! Processors of nodes on which jobs are, or which reservations have.

use crate::collections::Interval;
use crate::workload::resources::Nodes;

/// Processors with what is on them.
pub(super) struct Occupied<'a> {
    nodes: &'a Nodes,
    /// Jobs on each processor, and reservations that have it.
    jobs: Vec<u32>,
    reservations: Vec<u32>,
    is_up: Vec<bool>,
}

impl<'a> Occupied<'a> {
    pub(super) fn new(nodes: &'a Nodes) -> Self {
        let none = vec![0; nodes.procs() as usize];
        Occupied { nodes, jobs: none.clone(), reservations: none, is_up: vec![true; nodes.count() as usize] }
    }

    /// A job comes to some processors, or leaves them.
    pub(super) fn job(&mut self, on: Interval, comes: bool) {
        change(&mut self.jobs, on, comes);
    }

    /// A reservation gets some processors, or gives them back.
    pub(super) fn piece(&mut self, on: Interval, gets: bool) {
        change(&mut self.reservations, on, gets);
    }

    /// The nodes of some processors go out of service, or are back.
    pub(super) fn serves(&mut self, on: Interval, is_up: bool) {
        let last = on.last.min(self.nodes.procs() - 1);
        for node in self.nodes.node_of(on.first.min(last))..=self.nodes.node_of(last) {
            self.is_up[node as usize] = is_up;
        }
    }

    pub(super) fn is_up(&self, node: u32) -> bool {
        self.is_up[node as usize]
    }

    fn of_node(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        let (first, count) = self.nodes.processors(node);
        let span = first as usize..(first + count) as usize;
        self.jobs[span.clone()].iter().copied().zip(self.reservations[span].iter().copied())
    }

    /// Returns true if nothing is on a node, which is in service.
    pub(super) fn is_free(&self, node: u32) -> bool {
        self.is_up(node) && self.of_node(node).all(|one| one == (0, 0))
    }

    /// Returns true if no reservation has any of a node, which is in service.
    pub(super) fn has_only_jobs(&self, node: u32) -> bool {
        self.is_up(node) && self.of_node(node).all(|(_, reservations)| reservations == 0)
    }

    /// Returns true if nothing is on a processor of a node, which is in service.
    pub(super) fn has_idle(&self, node: u32) -> bool {
        self.is_up(node) && self.of_node(node).any(|one| one == (0, 0))
    }
}

fn change(counts: &mut [u32], on: Interval, comes: bool) {
    // processors that there are not are another promise's business
    let end = counts.len();
    for count in &mut counts[(on.first as usize).min(end)..(on.last as usize).saturating_add(1).min(end)] {
        *count = if comes { *count + 1 } else { count.saturating_sub(1) };
    }
}
