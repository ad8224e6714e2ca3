//! Free parts of a node, and the parts that a job takes.

use crate::collections::{Interval, OrderedMap};
use crate::judge::instances::{fitting, sizes, slices};
use crate::workload::resources::{
    Demand, GpuChoice, GpuGroup, GpuKind, Mig, MigSlice, NodeKind, NodeUse, PartsOf, Resources,
};

use super::super::Row;
use super::super::on_nodes::parts;
use super::amounts::Amounts;

/// A GPU of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Device {
    kind: GpuKind,
    /// Parts that it has, and those that are free.
    all: i64,
    free: i64,
    /// Jobs that hold it whole.
    whole: i64,
    /// True if it is divided into instances when they start.
    is_divided: bool,
    /// Jobs that hold each memory slice.
    slices: [i64; 8],
}

impl Device {
    fn of(group: &GpuGroup) -> Self {
        let parts = i64::from(group.parts);
        let is_divided = group.mig == Mig::AtStarts;
        Device { kind: group.kind, all: parts, free: parts, whole: 0, is_divided, slices: [0; 8] }
    }

    /// Pieces that it serves of what a chunk asks for: itself, some of its parts, an instance of
    /// it, or of several GPUs each part.
    fn serves(&self, choice: GpuChoice) -> i64 {
        if self.whole > 0 || !self.kind.serves(choice.kind) {
            return 0;
        }
        let free = self.free.max(0);
        match (choice.of, self.is_divided) {
            (PartsOf::Instance(profile), true) => {
                let free = u32::try_from(free).unwrap_or(u32::MAX);
                fitting(profile, free, self.slices.map(|jobs| jobs == 0)).into()
            }
            (PartsOf::One, _) if choice.parts == 0 => i64::from(self.free == self.all),
            (PartsOf::One, false) => free / i64::from(choice.parts),
            (PartsOf::Several, false) => free,
            _ => 0,
        }
    }

    /// So many of the pieces that it serves, the lowest.
    fn pieces(&self, choice: GpuChoice, count: i64) -> Vec<(u32, Option<MigSlice>)> {
        let count = usize::try_from(count).unwrap_or(0);
        match choice.of {
            PartsOf::One => vec![(choice.parts, None); count],
            PartsOf::Several => vec![(count as u32, None); usize::from(count > 0)],
            PartsOf::Instance(profile) => {
                let (_, parts, starts) = sizes(profile);
                let all = starts.iter().map(|&start| MigSlice { profile, start });
                let free = all.filter(|&slice| slices(slice).all(|place| self.slices[place] == 0));
                free.take(count).map(|slice| (parts, Some(slice))).collect()
            }
        }
    }

    fn change(&mut self, parts: u32, slice: Option<MigSlice>, sign: i64) {
        if parts == 0 {
            self.whole -= sign;
        } else {
            self.free += sign * i64::from(parts);
        }
        self.slices[slice.map_or(0..0, slices)].iter_mut().for_each(|jobs| *jobs -= sign);
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
    /// GPUs of the node from 0 on, parts of each, and the instance that they are; 0 parts are all
    /// of it.
    devices: Vec<Held>,
    alone: bool,
}

impl Share {
    pub(super) fn is_alone(&self) -> bool {
        self.alone
    }

    /// Amounts of it on a node with these GPUs, of which a whole one has so many common parts.
    pub(super) fn amounts(
        &self,
        (distinguishes, whole): (bool, u64),
        groups: impl Iterator<Item = GpuGroup>,
    ) -> Amounts {
        let count = |amount: i64| u64::try_from(amount).unwrap_or(0);
        let gpus = if distinguishes {
            let each: Vec<GpuGroup> =
                groups.flat_map(|group| std::iter::repeat_n(group, group.count as usize)).collect();
            let amount = |&(place, parts, _): &Held| {
                let group = each.get(place)?;
                Some(u64::from(if parts == 0 { group.parts } else { parts }) * group.unit(whole))
            };
            self.devices.iter().filter_map(amount).sum()
        } else {
            count(self.gpus) * whole
        };
        Amounts { procs: count(self.procs), memory: count(self.memory), gpus }
    }
}

/// A GPU that is held, its parts, and the instance that they are.
type Held = (usize, u32, Option<MigSlice>);

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
        let device = |group: &GpuGroup| std::iter::repeat_n(Device::of(group), group.count as usize);
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

    /// Free processors.
    pub(super) fn procs(&self) -> i64 {
        self.procs
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
        for &(place, parts, slice) in &share.devices {
            if let Some(device) = self.devices.get_mut(place) {
                device.change(parts, slice, sign);
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
            own.slices.iter_mut().zip(other.slices).for_each(|(own, other)| *own = other.max(*own));
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
        let serving = || self.devices.iter().map(|one| one.serves(demand.gpu_choice)).sum();
        let gpus = if self.devices.is_empty() { self.gpus.max(0) } else { serving() };
        by_memory.min(gpus.checked_div(self.of_chunk(demand)).unwrap_or(i64::MAX))
    }

    /// GPUs that a chunk asks for, or parts of several of them.
    fn of_chunk(&self, demand: &Demand) -> i64 {
        let of_several = demand.gpu_choice.of == PartsOf::Several && demand.gpus > 0;
        let is_in_parts = of_several && !self.devices.is_empty();
        i64::from(if is_in_parts { demand.gpu_choice.parts } else { demand.gpus })
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
        let (mut devices, mut wanted) = (Vec::new(), all * self.of_chunk(demand));
        for (place, one) in self.devices.iter().enumerate() {
            let serves = one.serves(demand.gpu_choice).min(wanted);
            let pieces = one.pieces(demand.gpu_choice, serves).into_iter();
            devices.extend(pieces.map(|(parts, slice)| (place, parts, slice)));
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
    let mut devices: OrderedMap<u32, Vec<Held>> = OrderedMap::new();
    for held in &row.gpus {
        for gpu in held.first..=held.last {
            // of a range that leads beyond all nodes the first is enough
            let Some((node, _)) = nodes.gpu(gpu) else { break };
            let place = (gpu - nodes.first_gpu(node)) as usize;
            devices.entry(node).or_default().push((place, held.parts, held.slice));
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
    use crate::workload::resources::{Features, GpuLists, MigProfile};

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
        assert_eq!(one.devices, [(1, 3, None)]);
        stock.take(&one);
        assert_eq!([&parts, &whole, &any].map(|demand| stock.chunks(demand)), [1, 1, 2]);
        let two = stock.share(0, &Need { demand: &any, chunks: 2, rest: 0 }, 2, false);
        assert_eq!(two.devices, [(0, 0, None), (2, 0, None)]);
        stock.take(&two);
        assert_eq!([&parts, &whole, &any].map(|demand| stock.chunks(demand)), [0, 0, 0]);
        assert_eq!(stock.chunks(&of(new, 1, 1)), 1);
    }

    #[test]
    fn parts_of_several_gpus_and_instances_are_booked_from_the_lowest() {
        let mut lists = GpuLists::default();
        let [new, a100] = ["new", "a100"].map(|name| lists.kind(name).expect("few"));
        let group = |kind, count, parts, mig| GpuGroup { kind, count, parts, mig };
        let groups = [group(new, 2, 4, Mig::Never), group(a100, 1, 7, Mig::AtStarts)];
        let asking = |gpu_choice, gpus| Demand { gpus, gpu_choice, ..Demand::PLAIN };
        let several = asking(GpuChoice { of: PartsOf::Several, ..GpuChoice::parts(new, 3) }, 1);
        let instance = |profile| asking(GpuChoice::instance(a100, profile), 1);
        let [one, two, three] = [MigProfile::One, MigProfile::Two, MigProfile::Three].map(instance);
        let whole = asking(GpuChoice::parts(a100, 0), 1);
        let all = Stock::of(&kind(NodeKind::ENDLESS), &groups, true);
        let count = |stock: &Stock| [&several, &one, &two, &three, &whole].map(|demand| stock.chunks(demand));
        // five processors hold no more than five of the seven instances
        assert_eq!(count(&all), [2, 5, 3, 2, 1]);
        let need = |demand| Need { demand, chunks: 1, rest: 0 };
        let mut stock = all.clone();
        let both = stock.share(0, &need(&several), 2, false);
        assert_eq!(both.devices, [(0, 4, None), (1, 2, None)]);
        let profile = MigProfile::Two;
        let begins = |start| MigSlice { profile, start };
        let two_of_them = stock.share(0, &need(&two), 2, false);
        assert_eq!(two_of_them.devices, [(2, 2, Some(begins(0))), (2, 2, Some(begins(2)))]);
        stock.take(&two_of_them);
        assert_eq!(count(&stock), [2, 3, 1, 1, 0]);
        // at one time or the other what is taken is not free
        let mut between = all.clone();
        let high =
            Share { devices: vec![(2, 2, Some(begins(4)))], ..between.share(0, &need(&two), 1, false) };
        between.take(&high);
        between.meet(&stock);
        assert_eq!(count(&between)[1..], [1, 0, 0, 0]);
        stock.give(&two_of_them);
        assert_eq!(stock, all);
    }
}
