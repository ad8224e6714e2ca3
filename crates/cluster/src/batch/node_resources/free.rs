//! Free parts of one node.

use crate::batch::devices::{HeldGpu, NodeGpus};
use crate::batch::holding::HeldAmounts;
use crate::workload::resources::{Demand, NodeKind, NodeUse};

use super::chunk::Chunk;

/// Reason why what a job takes is there.
const ENOUGH: &str = "a job is placed where it fits";

/// Free processors, memory and GPUs of a node, and the jobs on it.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// True if it is out of service.
    down: bool,
    /// True if a reservation has it.
    reserved: bool,
    /// GPUs of the node, where they are distinguished; they count there, and `gpus` does not.
    node_gpus: Option<NodeGpus>,
}

impl Free {
    /// A node that a job may not have.
    pub(super) const SHUT: Free = Free {
        procs: 0,
        gpus: 0,
        memory: 0,
        make: 0,
        jobs: 0,
        closed: true,
        down: false,
        reserved: false,
        node_gpus: None,
    };

    /// A node of a make, without jobs.
    pub(super) fn all(kind: &NodeKind, make: u32, node_gpus: Option<NodeGpus>) -> Self {
        let NodeKind { processors: procs, memory, gpus, .. } = *kind;
        Free { procs, gpus, memory, make, jobs: 0, closed: false, down: false, reserved: false, node_gpus }
    }

    /// Make of the node.
    pub(super) fn make(&self) -> u32 {
        self.make
    }

    /// Free processors.
    pub(super) fn procs(&self) -> u32 {
        self.procs
    }

    /// GPUs, where they are distinguished.
    pub(super) fn node_gpus(&self) -> Option<&NodeGpus> {
        self.node_gpus.as_ref()
    }

    /// Processors, memory and GPUs, of which a whole one has so many common parts.
    pub(super) fn amounts(&self, whole_gpu: u64) -> HeldAmounts {
        let by_number = |slots: &NodeGpus| slots.each().iter().map(|slot| slot.amount(whole_gpu)).sum();
        let gpus = self.node_gpus.as_ref().map_or(u64::from(self.gpus) * whole_gpu, by_number);
        HeldAmounts { procs: self.procs, memory: self.memory, gpus }
    }

    /// Returns true if any job may come.
    pub(super) fn is_open(&self) -> bool {
        self.procs > 0 && !self.closed && !self.down && !self.reserved
    }

    /// Returns true if no job is on it.
    pub(super) fn is_empty(&self) -> bool {
        self.jobs == 0
    }

    /// Returns true if no processor of it is left to any job.
    pub(super) fn is_full(&self) -> bool {
        self.procs == 0 || self.closed
    }

    /// Returns true if it is out of service.
    pub(super) fn is_down(&self) -> bool {
        self.down
    }

    /// Takes it out of service, or back into it.
    pub(super) fn set_down(&mut self, down: bool) {
        self.down = down;
    }

    /// Returns true if a reservation has it.
    pub(super) fn is_reserved(&self) -> bool {
        self.reserved
    }

    /// Gives it to a reservation, or back.
    pub(super) fn set_reserved(&mut self, reserved: bool) {
        self.reserved = reserved;
    }

    /// Number of whole chunks that fit.
    pub(super) fn chunks(&self, chunk: &Chunk<'_>) -> u32 {
        let demand = &chunk.demand;
        let alone = demand.node_use == NodeUse::Exclusive;
        if self.closed
            || self.down
            || self.reserved
            || (alone && self.jobs > 0)
            || !chunk.may_be_on(self.make)
        {
            return 0;
        }
        let mut chunks = self.procs / demand.procs;
        if let Some(by_memory) = self.memory.checked_div(demand.memory)
            && self.memory != NodeKind::ENDLESS
        {
            chunks = chunks.min(u32::try_from(by_memory).unwrap_or(u32::MAX));
        }
        if let Some(slots) = &self.node_gpus {
            return chunks.min(slots.chunks(demand.gpus, demand.gpu_choice));
        }
        if let Some(by_gpus) = self.gpus.checked_div(demand.gpus) {
            chunks = chunks.min(by_gpus);
        }
        chunks
    }

    /// The lowest GPUs of `chunks` chunks; none where GPUs are counted.
    ///
    /// # Panics
    /// If there are too few.
    pub(super) fn lowest_gpus(&self, demand: &Demand, chunks: u32) -> Vec<HeldGpu> {
        let slots = self.node_gpus.as_ref();
        let held = slots.map(|slots| slots.lowest(chunks, demand.gpus, demand.gpu_choice));
        held.map(|held| held.expect(ENOUGH)).unwrap_or_default()
    }

    /// A job has `procs` processors here from now on, and the lowest GPUs.
    ///
    /// # Panics
    /// If there is not as much as it asks for.
    pub(super) fn take(&mut self, demand: &Demand, procs: u32) {
        let gpus = self.lowest_gpus(demand, demand.chunks(procs));
        self.take_with(demand, procs, &gpus);
    }

    /// The same with these GPUs.
    pub(super) fn take_with(&mut self, demand: &Demand, procs: u32, gpus: &[HeldGpu]) {
        assert!(!self.closed, "a node that a job has to itself takes no other");
        self.add_with(demand, procs, gpus);
        self.jobs += 1;
        self.closed = demand.node_use == NodeUse::Exclusive;
    }

    /// A job that is on it already has `procs` processors more, and the lowest GPUs.
    ///
    /// # Panics
    /// If there is not as much as it asks for.
    pub(super) fn add(&mut self, demand: &Demand, procs: u32) {
        let gpus = self.lowest_gpus(demand, demand.chunks(procs));
        self.add_with(demand, procs, &gpus);
    }

    /// The same with these GPUs.
    pub(super) fn add_with(&mut self, demand: &Demand, procs: u32, gpus: &[HeldGpu]) {
        let chunks = demand.chunks(procs);
        self.procs = self.procs.checked_sub(procs).expect(ENOUGH);
        match &mut self.node_gpus {
            Some(_) if gpus.is_empty() => {}
            Some(slots) => slots.take(gpus),
            None => self.gpus = self.gpus.checked_sub(chunks * demand.gpus).expect(ENOUGH),
        }
        if self.memory != NodeKind::ENDLESS {
            self.memory = self.memory.checked_sub(u64::from(chunks) * demand.memory).expect(ENOUGH);
        }
    }

    /// A job is booked here with `procs` processors and these GPUs. Where that is more than there
    /// is, because jobs go on for longer than they were taken to, nothing is left.
    pub(super) fn withhold(&mut self, demand: &Demand, procs: u32, gpus: &[HeldGpu]) {
        let chunks = demand.chunks(procs);
        self.procs = self.procs.saturating_sub(procs);
        match &mut self.node_gpus {
            Some(slots) => slots.withhold(gpus),
            None => self.gpus = self.gpus.saturating_sub(chunks * demand.gpus),
        }
        if self.memory != NodeKind::ENDLESS {
            self.memory = self.memory.saturating_sub(u64::from(chunks) * demand.memory);
        }
        self.jobs += 1;
        self.closed |= demand.node_use == NodeUse::Exclusive;
    }

    /// The same node, where no job may come.
    pub(super) fn shut(&self) -> Free {
        Free { procs: 0, closed: true, ..self.clone() }
    }

    /// A job that had `procs` processors and these GPUs here has left.
    pub(super) fn give_back(&mut self, demand: &Demand, procs: u32, gpus: &[HeldGpu]) {
        let chunks = demand.chunks(procs);
        self.procs += procs;
        match &mut self.node_gpus {
            Some(_) if gpus.is_empty() => {}
            Some(slots) => slots.give_back(gpus),
            None => self.gpus += chunks * demand.gpus,
        }
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
            down: self.down || other.down,
            reserved: self.reserved || other.reserved,
            node_gpus: self
                .node_gpus
                .as_ref()
                .zip(other.node_gpus.as_ref())
                .map(|(one, other)| one.both(other)),
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
            make: self.make,
            jobs: self.jobs,
            closed: self.closed,
            down: self.down,
            reserved: self.reserved,
            node_gpus: self
                .node_gpus
                .as_ref()
                .zip(other.node_gpus.as_ref())
                .map(|(one, other)| one.beyond(other)),
        }
    }
}
