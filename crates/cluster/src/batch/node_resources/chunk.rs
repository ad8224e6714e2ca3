//! A chunk of a job, and the nodes that may take it.
//!
//! Nodes that have the same features are of one *make*; which of the sets that jobs ask for each
//! make covers is found once, so that a search among nodes looks up a single truth for each.

use crate::collections::OrderedMap;
use crate::workload::resources::{Demand, Features, Resources};

/// Makes of nodes, and the sets of features that each covers.
#[derive(Debug)]
pub(super) struct Makes {
    of_sets: OrderedMap<Features, u32>,
    /// Truths of a set that jobs ask for, make by make; then those of the next set.
    covers: Vec<bool>,
}

/// A chunk that asks for room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk<'a> {
    /// Demand.
    pub(super) demand: Demand,
    /// Makes of nodes that have the features.
    able: &'a [bool],
}

impl Makes {
    /// Makes of the nodes of a site.
    pub(super) fn of(resources: &Resources) -> Self {
        let mut of_sets = OrderedMap::new();
        for kind in resources.nodes.kinds() {
            let next = of_sets.len() as u32;
            of_sets.entry(kind.features).or_insert(next);
        }
        let mut had = vec![Features::NONE; of_sets.len()];
        of_sets.iter().for_each(|(&features, &make)| had[make as usize] = features);
        let names = resources.demands.features();
        let covers = names.sets().flat_map(|wanted| had.iter().map(move |&had| names.cover(had, wanted)));
        Makes { covers: covers.collect(), of_sets }
    }

    /// Make of nodes that have these features.
    ///
    /// # Panics
    /// If no node has just these.
    pub(super) fn make(&self, features: Features) -> u32 {
        self.of_sets[&features]
    }

    /// The chunk of a demand.
    pub(super) fn chunk(&self, demand: Demand) -> Chunk<'_> {
        let makes = self.of_sets.len();
        let first = demand.features.index() * makes;
        Chunk { demand, able: &self.covers[first..first + makes] }
    }
}

impl Chunk<'_> {
    /// The same chunk with fewer processors, as the last of a job may be.
    pub(super) fn of_procs(self, procs: u32) -> Self {
        Chunk { demand: Demand { procs, ..self.demand }, ..self }
    }

    /// Returns true if nodes of this make have what it asks for of features.
    pub(super) fn may_be_on(&self, make: u32) -> bool {
        self.able[make as usize]
    }
}
