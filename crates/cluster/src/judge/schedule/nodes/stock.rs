//! Free parts of a node, and the parts that a job takes.

use crate::collections::{Interval, OrderedMap};
use crate::workload::resources::{Demand, GpuGroup, GpuKind, NodeKind, NodeUse, Resources};

use super::super::Row;
use super::super::on_nodes::parts;

/// A GPU of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Device {
    kind: GpuKind,
    /// Parts that it has, and those that are free.
    all: i64,
    free: i64,
    /// Jobs that hold it whole.
    whole: i64,
}

impl Device {
    /// Chunks that it serves for itself, of so many parts each; 0 parts are all of it.
    fn chunks(&self, parts: u32) -> i64 {
        match parts {
            _ if self.whole > 0 => 0,
            0 => i64::from(self.free == self.all),
            parts => self.free.max(0) / i64::from(parts),
        }
    }
}

/// Free parts of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stock {
    procs: i64,
    /// Bytes; without an end [`i64::MAX`].
    memory: i64,
    gpus: i64,
    /// Where GPUs are distinguished.
    devices: Vec<Device>,
    /// Jobs on it, and of them those that have it to themselves.
    pub(super) jobs: i64,
    alone: i64,
    /// True if it is out of service.
    pub(super) is_away: bool,
}

/// Parts of a node that a job holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::judge::schedule) struct Share {
    pub(super) node: u32,
    procs: i64,
    memory: i64,
    gpus: i64,
    /// GPUs of the node from 0 on, and parts of each; 0 parts are all of it.
    devices: Vec<(usize, u32)>,
    alone: bool,
}

/// Demand of a job: chunks alike, and perhaps a last one of fewer processors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need<'a> {
    pub(super) demand: &'a Demand,
    pub(super) chunks: i64,
    pub(super) rest: u32,
}

impl<'a> Need<'a> {
    pub(super) fn of(row: &Row, resources: &'a Resources) -> Self {
        let demand = resources.demands.of(row.demand);
        Need { demand, chunks: i64::from(row.procs / demand.procs), rest: row.procs % demand.procs }
    }
}

impl Stock {
    /// All of a node of a kind; its GPUs are listed where they are distinguished.
    pub(super) fn of(kind: &NodeKind, gpus: &[GpuGroup], distinguishes: bool) -> Self {
        let device = |group: &GpuGroup| {
            let parts = i64::from(group.parts);
            let one = Device { kind: group.kind, all: parts, free: parts, whole: 0 };
            std::iter::repeat_n(one, group.count as usize)
        };
        let devices = if distinguishes { gpus.iter().flat_map(device).collect() } else { Vec::new() };
        Stock {
            procs: kind.processors.into(),
            memory: i64::try_from(kind.memory).unwrap_or(i64::MAX),
            gpus: kind.gpus.into(),
            devices,
            jobs: 0,
            alone: 0,
            is_away: false,
        }
    }

    pub(super) fn take(&mut self, share: &Share) {
        self.change(share, -1);
    }

    pub(super) fn give(&mut self, share: &Share) {
        self.change(share, 1);
    }

    fn change(&mut self, share: &Share, sign: i64) {
        self.procs += sign * share.procs;
        if self.memory < i64::MAX {
            self.memory += sign * share.memory;
        }
        self.gpus += sign * share.gpus;
        self.jobs -= sign;
        self.alone -= sign * i64::from(share.alone);
        for &(place, parts) in &share.devices {
            let Some(device) = self.devices.get_mut(place) else { continue };
            if parts == 0 {
                device.whole -= sign;
            } else {
                device.free += sign * i64::from(parts);
            }
        }
    }

    /// No job may come, as a reservation has it; or jobs may again.
    pub(super) fn close(&mut self, is_closed: bool) {
        let by = if is_closed { 1 } else { -1 };
        (self.jobs, self.alone) = (self.jobs + by, self.alone + by);
    }

    /// Parts that are free in both.
    pub(super) fn meet(&mut self, other: &Stock) {
        self.procs = self.procs.min(other.procs);
        self.memory = self.memory.min(other.memory);
        self.gpus = self.gpus.min(other.gpus);
        self.jobs = self.jobs.max(other.jobs);
        self.alone = self.alone.max(other.alone);
        self.is_away |= other.is_away;
        for (own, other) in self.devices.iter_mut().zip(&other.devices) {
            (own.free, own.whole) = (own.free.min(other.free), own.whole.max(other.whole));
        }
    }

    /// Returns true if what is free in several is what is free in each, GPUs apart.
    pub(super) fn is_counted(&self) -> bool {
        self.devices.is_empty()
    }

    /// Chunks that it takes, whose features it has.
    pub(super) fn chunks(&self, demand: &Demand) -> i64 {
        (self.procs.max(0) / i64::from(demand.procs)).min(self.other_chunks(demand))
    }

    /// The same of chunks without processors.
    fn other_chunks(&self, demand: &Demand) -> i64 {
        if self.is_away || self.alone > 0 || demand.node_use == NodeUse::Exclusive && self.jobs > 0 {
            return 0;
        }
        let by_memory = match i64::try_from(demand.memory) {
            Ok(0) => i64::MAX,
            Ok(memory) if self.memory < i64::MAX => self.memory.max(0) / memory,
            Ok(_) => i64::MAX,
            Err(_) => 0,
        };
        let by_gpus = if self.devices.is_empty() { self.gpus.max(0) } else { self.chunks_of_devices(demand) };
        let by_gpus = by_gpus.checked_div(demand.gpus.into()).unwrap_or(i64::MAX);
        by_memory.min(by_gpus)
    }

    /// GPUs, or GPUs with the parts that a chunk asks for, that serve it.
    fn chunks_of_devices(&self, demand: &Demand) -> i64 {
        let choice = demand.gpu_choice;
        let serving = self.devices.iter().filter(|one| one.kind.serves(choice.kind));
        serving.map(|one| one.chunks(choice.parts)).sum()
    }

    /// Returns true if a last chunk fits next to so many others of its job.
    pub(super) fn takes_last(&self, need: &Need<'_>, chunks: i64) -> bool {
        let left = self.procs - chunks * i64::from(need.demand.procs);
        left >= i64::from(need.rest) && self.other_chunks(need.demand) > chunks
    }

    /// So many chunks of it, and perhaps the last one of a job; the lowest GPUs.
    pub(super) fn share(&self, node: u32, need: &Need<'_>, chunks: i64, has_last: bool) -> Share {
        let demand = need.demand;
        let rest = if has_last { i64::from(need.rest) } else { 0 };
        let all = chunks + i64::from(has_last);
        let (mut devices, mut wanted) = (Vec::new(), all * i64::from(demand.gpus));
        for (place, one) in self.devices.iter().enumerate() {
            if !one.kind.serves(demand.gpu_choice.kind) {
                continue;
            }
            let serves = one.chunks(demand.gpu_choice.parts).min(wanted);
            devices.extend((0..serves).map(|_| (place, demand.gpu_choice.parts)));
            wanted -= serves;
        }
        Share {
            node,
            procs: chunks * i64::from(demand.procs) + rest,
            memory: all.saturating_mul(i64::try_from(demand.memory).unwrap_or(i64::MAX)),
            gpus: all * i64::from(demand.gpus),
            devices,
            alone: demand.node_use == NodeUse::Exclusive,
        }
    }
}

/// Parts that a job held which ran, node by node.
pub(super) fn shares(row: &Row, resources: &Resources) -> Vec<Share> {
    let Resources { nodes, demands } = resources;
    let demand = demands.of(row.demand);
    let mut devices: OrderedMap<u32, Vec<(usize, u32)>> = OrderedMap::new();
    for held in &row.gpus {
        for gpu in held.first..=held.last {
            // of a range that leads beyond all nodes the first is enough
            let Some((node, _)) = nodes.gpu(gpu) else { break };
            let place = (gpu - nodes.first_gpu(node)) as usize;
            devices.entry(node).or_default().push((place, held.parts));
        }
    }
    let share = |(node, procs): (u32, u32)| {
        let chunks = i64::from(procs.div_ceil(demand.procs));
        Share {
            node,
            procs: procs.into(),
            memory: chunks.saturating_mul(i64::try_from(demand.memory).unwrap_or(i64::MAX)),
            gpus: chunks * i64::from(demand.gpus),
            devices: devices.remove(&node).unwrap_or_default(),
            alone: demand.node_use == NodeUse::Exclusive,
        }
    };
    parts(row, nodes).into_iter().map(share).collect()
}

/// All nodes without a job, in order of their numbers.
pub(super) fn stocks(resources: &Resources) -> Vec<Stock> {
    let (nodes, distinguishes) = (&resources.nodes, resources.distinguishes_gpus());
    let groups = nodes.gpu_groups();
    let kinds = nodes.kinds().iter().zip(&groups);
    let all = kinds.flat_map(|(kind, gpus)| {
        std::iter::repeat_n(Stock::of(kind, gpus, distinguishes), kind.nodes as usize)
    });
    all.collect()
}

/// The nodes that have processors of an interval.
pub(super) fn nodes_of(resources: &Resources, on: Interval) -> std::ops::RangeInclusive<usize> {
    let node = |processor: u32| resources.nodes.node_of(processor.min(resources.nodes.procs() - 1)) as usize;
    node(on.first)..=node(on.last)
}

/// Returns true for each node that has the features that a demand asks for.
pub(super) fn has_features(resources: &Resources, demand: &Demand) -> Vec<bool> {
    let names = resources.demands.features();
    let has = |kind: &NodeKind| names.cover(kind.features, demand.features);
    let kinds = resources.nodes.kinds().iter();
    kinds.flat_map(|kind| std::iter::repeat_n(has(kind), kind.nodes as usize)).collect()
}

#[cfg(test)]
mod tests {
    use crate::workload::resources::{Features, GpuChoice, GpuLists, Mig, PartsOf};

    use super::*;

    fn kind(memory: u64) -> NodeKind {
        NodeKind { nodes: 1, processors: 5, memory, gpus: 3, features: Features::NONE }
    }

    #[test]
    fn chunks_fit_as_far_as_processors_memory_and_gpus_go() {
        let mut stock = Stock::of(&kind(9), &[], false);
        let chunk = Demand { procs: 2, memory: 4, gpus: 1, ..Demand::PLAIN };
        assert_eq!(stock.chunks(&chunk), 2);
        let need = |procs: u32| Need { demand: &chunk, chunks: i64::from(procs / 2), rest: procs % 2 };
        // the third would have its processor and its GPU, but not its memory
        assert!(!stock.takes_last(&need(5), 2) && stock.takes_last(&need(3), 1));
        let share = stock.share(0, &need(3), 1, true);
        stock.take(&share);
        assert_eq!((stock.procs, stock.memory, stock.gpus, stock.chunks(&chunk)), (2, 1, 1, 0));
        let alone = Demand { node_use: NodeUse::Exclusive, ..Demand::PLAIN };
        assert_eq!((stock.chunks(&Demand::PLAIN), stock.chunks(&alone)), (2, 0));
        stock.give(&share);
        assert_eq!(stock, Stock::of(&kind(9), &[], false));
    }

    #[test]
    fn gpus_are_taken_by_kind_from_the_lowest_whole_or_in_parts() {
        let mut lists = GpuLists::default();
        let [old, new] = ["old", "new"].map(|name| lists.kind(name).expect("few"));
        let group = |kind, count, parts| GpuGroup { kind, count, parts, mig: Mig::Never };
        let groups = [group(old, 1, 1), group(new, 2, 4)];
        let of = |kind, parts, gpus| Demand {
            gpus,
            gpu_choice: GpuChoice { kind, parts, of: PartsOf::One },
            ..Demand::PLAIN
        };
        let mut stock = Stock::of(&kind(NodeKind::ENDLESS), &groups, true);
        let (parts, whole, any) = (of(new, 3, 1), of(new, 0, 1), of(GpuKind::ANY, 0, 1));
        assert_eq!([&parts, &whole, &any].map(|demand| stock.chunks(demand)), [2, 2, 3]);
        let one = stock.share(0, &Need { demand: &parts, chunks: 1, rest: 0 }, 1, false);
        assert_eq!(one.devices, [(1, 3)]);
        stock.take(&one);
        assert_eq!([&parts, &whole, &any].map(|demand| stock.chunks(demand)), [1, 1, 2]);
        let two = stock.share(0, &Need { demand: &any, chunks: 2, rest: 0 }, 2, false);
        assert_eq!(two.devices, [(0, 0), (2, 0)]);
        stock.take(&two);
        assert_eq!([&parts, &whole, &any].map(|demand| stock.chunks(demand)), [0, 0, 0]);
        assert_eq!(stock.chunks(&of(new, 1, 1)), 1);
    }
}
