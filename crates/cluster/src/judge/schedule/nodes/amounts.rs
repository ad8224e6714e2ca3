//! Amounts that runs hold of nodes: what they are charged for, and what limits count.
//!
//! GPUs are counted in common parts, of which each has a whole number, so that parts of several add
//! up exactly.

use std::cmp::Reverse;

use crate::collections::{OrderedMap, StableSort as _};
use crate::workload::resources::{DemandId, GpuGroup, Mig, NodeUse, PartsOf, Resources};

use super::super::Row;
use super::stock::{Need, Share, Stock, has_features, shares, stocks};

/// Amounts of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::judge::schedule) struct Amounts {
    pub(in crate::judge::schedule) procs: u64,
    /// Bytes; [`ENDLESS`](crate::workload::resources::NodeKind::ENDLESS) of a node without an end.
    pub(in crate::judge::schedule) memory: u64,
    /// GPUs in common parts.
    pub(in crate::judge::schedule) gpus: u64,
}

/// Amounts that a run has asked for on a node and holds there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::judge::schedule) struct HeldOnNode {
    pub(in crate::judge::schedule) held: Amounts,
    /// All that the node has.
    pub(in crate::judge::schedule) of: Amounts,
    /// True if no other job may be there.
    pub(in crate::judge::schedule) is_alone: bool,
}

/// Nodes and GPUs that a job needs before it has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::judge::schedule) struct NodesNeeded {
    /// The fewest nodes that could hold it without other jobs.
    pub(in crate::judge::schedule) fewest: u64,
    /// A number of nodes that it cannot exceed if it has as few as hold it then, whatever others
    /// have.
    pub(in crate::judge::schedule) most: u64,
    /// GPUs in common parts, of the largest that would serve it.
    pub(in crate::judge::schedule) gpus: u64,
}

/// Nodes of a site, in amounts.
pub(in crate::judge::schedule) struct NodeAmounts<'a> {
    resources: &'a Resources,
    groups: Vec<Vec<GpuGroup>>,
    /// All of a node of each kind.
    kinds: Vec<Amounts>,
    /// Kind of each node.
    of_nodes: Vec<usize>,
    distinguishes: bool,
    /// The nodes without jobs.
    empty: Vec<Stock>,
    needed: OrderedMap<(DemandId, u32), NodesNeeded>,
    /// Common parts of a whole GPU.
    pub(in crate::judge::schedule) whole_gpu: u64,
}

impl<'a> NodeAmounts<'a> {
    pub(in crate::judge::schedule) fn new(resources: &'a Resources) -> Self {
        let nodes = &resources.nodes;
        let kinds = nodes.kinds().iter().zip(nodes.gpu_amounts());
        let all = |place: usize| std::iter::repeat_n(place, nodes.kinds()[place].nodes as usize);
        NodeAmounts {
            resources,
            groups: nodes.gpu_groups(),
            kinds: kinds
                .map(|(kind, gpus)| Amounts { procs: kind.processors.into(), memory: kind.memory, gpus })
                .collect(),
            of_nodes: (0..nodes.kinds().len()).flat_map(all).collect(),
            distinguishes: resources.distinguishes_gpus(),
            empty: stocks(resources),
            needed: OrderedMap::new(),
            whole_gpu: nodes.gpus().common_parts(),
        }
    }

    /// Amounts that a run held, node by node.
    pub(in crate::judge::schedule) fn of(&self, row: &Row) -> Vec<HeldOnNode> {
        let on_node = |share: &Share| {
            let kind = self.of_nodes[share.node as usize];
            let held = share.amounts((self.distinguishes, self.whole_gpu), self.groups[kind].iter().copied());
            HeldOnNode { held, of: self.kinds[kind], is_alone: share.is_alone() }
        };
        shares(row, self.resources).iter().map(on_node).collect()
    }

    /// Nodes and GPUs that a job needs.
    pub(in crate::judge::schedule) fn needed(&mut self, row: &Row) -> NodesNeeded {
        let key = (row.demand, row.procs);
        if let Some(&known) = self.needed.get(&key) {
            return known;
        }
        let need = Need::of(row, self.resources);
        let chunks = need.chunks.unsigned_abs() + u64::from(need.rest > 0);
        let features = has_features(self.resources, need.demand);
        let able: Vec<&Stock> =
            self.empty.iter().zip(features).filter(|(_, has)| *has).map(|(stock, _)| stock).collect();
        let fewest = fewest(&able, &need).unwrap_or(chunks);
        // one that has its nodes to itself has none in part, and where all are alike no more than
        // its fewest
        let are_alike = able.windows(2).all(|pair| pair[0] == pair[1]);
        let is_alone = need.demand.node_use == NodeUse::Exclusive;
        let most = if are_alike && is_alone { fewest } else { chunks.min(able.len() as u64).max(fewest) };
        let found = NodesNeeded { fewest, most, gpus: chunks * self.gpus_of_chunk(&need) };
        self.needed.insert(key, found);
        found
    }

    /// The GPUs of a chunk of a demand, of the largest that would serve it.
    fn gpus_of_chunk(&self, need: &Need<'_>) -> u64 {
        let (choice, count) = (need.demand.gpu_choice, u64::from(need.demand.gpus));
        let amount = |group: &GpuGroup| {
            let is_divided = group.mig == Mig::AtStarts;
            let parts = match choice.of {
                PartsOf::Instance(_) => is_divided.then_some(choice.parts),
                PartsOf::Several => (!is_divided).then_some(choice.parts),
                PartsOf::One if choice.parts == 0 => Some(group.parts),
                PartsOf::One => Some(choice.parts).filter(|&parts| !is_divided && parts <= group.parts),
            };
            Some(u64::from(parts?) * group.unit(self.whole_gpu))
        };
        let serving = self.groups.iter().flatten().filter(|group| group.kind.serves(choice.kind));
        count * serving.filter_map(amount).max().unwrap_or(self.whole_gpu)
    }
}

/// The fewest of these nodes that hold a job: those first with room for most of its chunks, then
/// those with most processors.
fn fewest(able: &[&Stock], need: &Need<'_>) -> Option<u64> {
    let mut able: Vec<(i64, &Stock)> = able.iter().map(|stock| (stock.chunks(need.demand), *stock)).collect();
    able.stable_sort_by_key(|(chunks, stock)| (Reverse(*chunks), Reverse(stock.procs())));
    let (mut left, mut count) = (need.chunks, 0);
    for (chunks, _) in able.iter().filter(|one| one.0 > 0) {
        if left <= 0 {
            break;
        }
        (left, count) = (left - chunks, count + 1);
    }
    let (taken, others) = able.split_at(count);
    let has_last =
        need.rest == 0 || left < 0 || taken.iter().any(|(chunks, one)| one.takes_last(need, *chunks));
    match has_last {
        _ if left > 0 => None,
        true => Some(count as u64),
        false => others.iter().any(|(_, one)| one.takes_last(need, 0)).then_some(count as u64 + 1),
    }
}

#[cfg(test)]
mod tests {
    use crate::workload::resources::{
        Demand, Demands, FeatureNames, Features, GpuChoice, GpuKind, GpuLists, NodeKind, Nodes,
    };

    use super::super::super::row;
    use super::*;

    /// Two nodes of four processors with two GPUs of four parts, and three of two with one of two.
    fn needed(demand: Demand, procs: u32) -> [u64; 3] {
        let (memory, features) = (NodeKind::ENDLESS, Features::NONE);
        let kind = |nodes, processors, gpus| NodeKind { nodes, processors, memory, gpus, features };
        let mut lists = GpuLists::default();
        let [large, small] =
            [(2, 4), (1, 2)].map(|(count, parts)| GpuGroup::plain(GpuKind::ANY, count, parts));
        lists.set(vec![vec![small], vec![large]]);
        let nodes = Nodes::new(vec![kind(3, 2, 1), kind(2, 4, 2)], FeatureNames::default());
        let nodes = nodes.expect("some").with_gpus(lists);
        let mut demands = Demands::default();
        let demand = demands.number(demand);
        let resources = Resources { nodes, demands };
        let job = Row { demand, ..row(1, 0, 0, 9, (0, procs - 1)) };
        let NodesNeeded { fewest, most, gpus } = NodeAmounts::new(&resources).needed(&job);
        [fewest, most, gpus]
    }

    #[test]
    fn a_job_needs_the_fewest_nodes_that_could_hold_it_and_the_largest_gpus() {
        let plain = Demand::PLAIN;
        assert_eq!([1, 4, 5, 9, 14].map(|procs| needed(plain, procs)[0]), [1, 1, 2, 3, 5]);
        assert_eq!([1, 4, 9].map(|procs| needed(plain, procs)[1]), [1, 4, 5]);
        // chunks of three fit on the large nodes alone, and a last one of two beside none of them
        let three = Demand { procs: 3, ..plain };
        assert_eq!([3, 4, 5, 8].map(|procs| needed(three, procs)[0]), [1, 1, 2, 3]);
        // one whole GPU of four parts, or of two, is four common ones; three parts fit in the large
        let gpus = |parts, procs| {
            let gpu_choice = GpuChoice::parts(GpuKind::ANY, parts);
            needed(Demand { gpus: 1, gpu_choice, ..plain }, procs)
        };
        assert_eq!([gpus(0, 1)[2], gpus(0, 3)[2], gpus(3, 2)[2]], [4, 12, 6]);
        // two parts are half of a large GPU, or all of a small one
        assert_eq!(gpus(2, 1)[2], 4);
        assert_eq!(needed(plain, 3)[2], 0);
    }
}
