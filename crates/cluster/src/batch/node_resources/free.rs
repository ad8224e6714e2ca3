//! Free parts of one node.

use crate::workload::resources::{Demand, NodeKind, NodeUse};

use super::chunk::Chunk;

/// Free processors, memory and GPUs of a node, and the jobs on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Free {
    procs: u32,
    gpus: u32,
    memory: u64,
    /// Make of the node.
    make: u32,
    /// Jobs on it.
    jobs: u32,
    /// True if one of them has it to itself.
    closed: bool,
}

impl Free {
    /// A node of a make, without jobs.
    pub(super) fn all(kind: &NodeKind, make: u32) -> Self {
        let NodeKind { processors: procs, memory, gpus, .. } = *kind;
        Free { procs, gpus, memory, make, jobs: 0, closed: false }
    }

    /// Returns true if any job may come.
    pub(super) fn is_open(&self) -> bool {
        self.procs > 0 && !self.closed
    }

    /// Returns true if no job is on it.
    pub(super) fn is_empty(&self) -> bool {
        self.jobs == 0
    }

    /// Number of whole chunks that fit.
    pub(super) fn chunks(&self, chunk: &Chunk<'_>) -> u32 {
        let demand = &chunk.demand;
        let alone = demand.node_use == NodeUse::Exclusive;
        if self.closed || (alone && self.jobs > 0) || !chunk.may_be_on(self.make) {
            return 0;
        }
        let mut chunks = self.procs / demand.procs;
        if let Some(by_memory) = self.memory.checked_div(demand.memory)
            && self.memory != NodeKind::ENDLESS
        {
            chunks = chunks.min(u32::try_from(by_memory).unwrap_or(u32::MAX));
        }
        if let Some(by_gpus) = self.gpus.checked_div(demand.gpus) {
            chunks = chunks.min(by_gpus);
        }
        chunks
    }

    /// A job has `procs` processors here from now on.
    ///
    /// # Panics
    /// If there is not as much as it asks for.
    pub(super) fn take(&mut self, demand: &Demand, procs: u32) {
        assert!(!self.closed, "a node that a job has to itself takes no other");
        self.add(demand, procs);
        self.jobs += 1;
        self.closed = demand.node_use == NodeUse::Exclusive;
    }

    /// A job that is on it already has `procs` processors more.
    ///
    /// # Panics
    /// If there is not as much as it asks for.
    pub(super) fn add(&mut self, demand: &Demand, procs: u32) {
        let enough = "a job is placed where it fits";
        let chunks = demand.chunks(procs);
        self.procs = self.procs.checked_sub(procs).expect(enough);
        self.gpus = self.gpus.checked_sub(chunks * demand.gpus).expect(enough);
        if self.memory != NodeKind::ENDLESS {
            self.memory = self.memory.checked_sub(u64::from(chunks) * demand.memory).expect(enough);
        }
    }

    /// A job that had `procs` processors here has left.
    pub(super) fn give_back(&mut self, demand: &Demand, procs: u32) {
        let chunks = demand.chunks(procs);
        self.procs += procs;
        self.gpus += chunks * demand.gpus;
        if self.memory != NodeKind::ENDLESS {
            self.memory += u64::from(chunks) * demand.memory;
        }
        self.jobs -= 1;
        // a job with a node of its own was alone there
        self.closed = false;
    }

    /// Parts that are free both here and there, which are one node at two times.
    pub(super) fn both(&self, other: &Free) -> Free {
        Free {
            procs: self.procs.min(other.procs),
            gpus: self.gpus.min(other.gpus),
            memory: self.memory.min(other.memory),
            make: self.make,
            jobs: self.jobs.max(other.jobs),
            closed: self.closed || other.closed,
        }
    }

    /// Parts that are free here and not there, where at most as much is free.
    pub(super) fn beyond(&self, other: &Free) -> Free {
        Free {
            procs: self.procs.saturating_sub(other.procs),
            gpus: self.gpus.saturating_sub(other.gpus),
            memory: if self.memory == NodeKind::ENDLESS {
                self.memory
            } else {
                self.memory.saturating_sub(other.memory)
            },
            ..*self
        }
    }
}
