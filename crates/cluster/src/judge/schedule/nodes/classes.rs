//! Classes of nodes that are alike to all jobs.

use crate::collections::OrderedSet;
use crate::workload::resources::{Demand, DemandId, GpuGroup, NodeKind, NodeUse, Resources};

use super::stock::Stock;

/// Nodes by the classes in which they are alike to all jobs.
pub(super) struct Classes {
    /// Class of each node; classes are numbered by their first nodes.
    pub(super) of_nodes: Vec<usize>,
    /// Kind of the site that the first node of each has.
    pub(super) firsts: Vec<usize>,
    /// Number of nodes of each.
    pub(super) counts: Vec<i64>,
}

/// The classes of nodes where jobs with these demands have them whole; nodes that are reserved by
/// name are no others' like. `None` if nodes are shared.
pub(super) fn classes(
    resources: &Resources,
    asked: &OrderedSet<DemandId>,
    named: &[&[u32]],
) -> Option<Classes> {
    let kinds = resources.nodes.kinds();
    let alone = |&id: &DemandId| resources.demands.of(id).node_use == NodeUse::Exclusive;
    if kinds.iter().any(|kind| kind.processors > 1) && !asked.iter().all(alone) {
        return None;
    }
    let groups = resources.nodes.gpu_groups();
    let stocks = each_kind(resources);
    let able = |kind: usize| -> Vec<bool> {
        let names = resources.demands.features();
        let takes = |demand: &Demand| {
            let one = Demand { procs: 1, ..*demand };
            names.cover(kinds[kind].features, demand.features) && stocks[kind].chunks(&one) > 0
        };
        asked.iter().map(|&id| takes(resources.demands.of(id))).collect()
    };
    let same = |one: usize, other: usize| {
        let has = |kind: usize| (NodeKind { nodes: 0, ..kinds[kind] }, &groups[kind]);
        let single = [one, other].iter().all(|&kind| kinds[kind].processors == 1);
        has(one) == has(other) || single && able(one) == able(other)
    };
    let mut classes = Classes { of_nodes: Vec::new(), firsts: Vec::new(), counts: Vec::new() };
    let mut reserved: Vec<Vec<bool>> = Vec::new();
    let mut before: Option<(usize, usize)> = None;
    for kind in (0..kinds.len()).flat_map(|kind| (0..kinds[kind].nodes).map(move |_| kind)) {
        let node = classes.of_nodes.len() as u32;
        let own: Vec<bool> = named.iter().map(|nodes| nodes.binary_search(&node).is_ok()).collect();
        let as_before = before.filter(|&(other, class)| other == kind && reserved[class] == own);
        let found =
            || (0..reserved.len()).find(|&class| same(classes.firsts[class], kind) && reserved[class] == own);
        let class = as_before.map(|one| one.1).or_else(found).unwrap_or(reserved.len());
        if class == reserved.len() {
            reserved.push(own);
            classes.firsts.push(kind);
            classes.counts.push(0);
        }
        classes.counts[class] += 1;
        classes.of_nodes.push(class);
        before = Some((kind, class));
    }
    Some(classes)
}

/// A node of each kind.
pub(super) fn each_kind(resources: &Resources) -> Vec<Stock> {
    let groups = resources.nodes.gpu_groups();
    let stock =
        |(kind, gpus): (&NodeKind, &Vec<GpuGroup>)| Stock::of(kind, gpus, resources.distinguishes_gpus());
    resources.nodes.kinds().iter().zip(&groups).map(stock).collect()
}
