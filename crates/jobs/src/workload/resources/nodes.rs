//! The supply of the nodes of a site, kind by kind.

use super::{FeatureNames, Features, GpuGroup, GpuLists, predicate};

/// Nodes that are alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeKind {
    /// Number of nodes.
    pub nodes: u32,
    /// Processors of each.
    pub processors: u32,
    /// Memory of each \[bytes\]; as much as is asked for unless it is stated.
    pub memory: u64,
    /// GPUs of each.
    pub gpus: u32,
    /// Features of each.
    pub features: Features,
}

impl NodeKind {
    /// Memory that never runs out.
    pub const ENDLESS: u64 = u64::MAX;
}

/// The first node and processor of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct First {
    node: u32,
    processor: u32,
    gpu: u64,
}

/// The nodes of a site. Nodes and processors are numbered from 0, kind by kind, node by node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nodes {
    kinds: Vec<NodeKind>,
    firsts: Vec<First>,
    names: FeatureNames,
    gpus: GpuLists,
    procs: u32,
}

impl Nodes {
    /// Nodes of these kinds, in this order; `None` if there are none, or more processors than can
    /// be numbered.
    pub fn new(kinds: Vec<NodeKind>, names: FeatureNames) -> Option<Self> {
        let mut firsts = Vec::with_capacity(kinds.len());
        let mut next = First { node: 0, processor: 0, gpu: 0 };
        for kind in &kinds {
            firsts.push(next);
            let processors = kind.nodes.checked_mul(kind.processors)?;
            next = First {
                node: next.node.checked_add(kind.nodes)?,
                processor: next.processor.checked_add(processors)?,
                gpu: next.gpu.checked_add(u64::from(kind.nodes) * u64::from(kind.gpus))?,
            };
        }
        let gpus = GpuLists::default();
        (next.processor > 0).then_some(Nodes { kinds, firsts, names, gpus, procs: next.processor })
    }

    /// The kinds, in order of numbers.
    pub fn kinds(&self) -> &[NodeKind] {
        &self.kinds
    }

    /// The names of features.
    pub fn features(&self) -> &FeatureNames {
        &self.names
    }

    /// The same nodes with their GPUs listed: of each kind as many as it has.
    #[must_use]
    pub fn with_gpus(self, gpus: GpuLists) -> Self {
        Nodes { gpus, ..self }
    }

    /// The kinds of GPUs and their lists.
    pub fn gpus(&self) -> &GpuLists {
        &self.gpus
    }

    /// The same, to take other kinds in.
    pub fn gpus_mut(&mut self) -> &mut GpuLists {
        &mut self.gpus
    }

    /// Returns true if some node has a GPU.
    pub fn have_gpus(&self) -> bool {
        self.kinds.iter().any(|kind| kind.gpus > 0)
    }

    /// Returns true if some node states its memory.
    pub fn state_memory(&self) -> bool {
        self.kinds.iter().any(|kind| kind.memory != NodeKind::ENDLESS)
    }

    /// The GPUs of each kind of nodes, in the order of the kinds; of a plain number one group.
    pub fn gpu_groups(&self) -> Vec<Vec<GpuGroup>> {
        self.kinds.iter().enumerate().map(|(place, kind)| self.gpus.groups(place, kind.gpus)).collect()
    }

    /// Parts of all GPUs of a node of each kind, in the order of the kinds, in common parts
    /// ([`GpuLists::common_parts`]).
    pub fn gpu_amounts(&self) -> Vec<u64> {
        let common = self.gpus.common_parts();
        let of_group =
            |group: &GpuGroup| u64::from(group.count) * u64::from(group.parts) * group.unit(common);
        self.gpu_groups().iter().map(|groups| groups.iter().map(of_group).sum()).collect()
    }

    /// The number of the first GPU of a node, counted through all nodes.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn first_gpu(&self, node: u32) -> u64 {
        let place = self.firsts.partition_point(|first| first.node <= node) - 1;
        let (first, kind) = (self.firsts[place], self.kinds[place]);
        assert!(node - first.node < kind.nodes, "there is no node {node}");
        first.gpu + u64::from(node - first.node) * u64::from(kind.gpus)
    }

    /// The node of a GPU, counted through all nodes, and its group; `None` if there is no such GPU.
    pub fn gpu(&self, gpu: u64) -> Option<(u32, GpuGroup)> {
        let place = self.firsts.partition_point(|first| first.gpu <= gpu) - 1;
        let (first, kind) = (self.firsts[place], self.kinds[place]);
        let node = u32::try_from((gpu - first.gpu).checked_div(kind.gpus.into())?).ok()?;
        let mut before = ((gpu - first.gpu) % u64::from(kind.gpus)) as u32;
        let groups = self.gpus.groups(place, kind.gpus);
        let group = groups.into_iter().find(|group| {
            let is_here = before < group.count;
            before = before.saturating_sub(group.count);
            is_here
        });
        group.filter(|_| node < kind.nodes).map(|group| (first.node + node, group))
    }

    /// The same nodes, whose kinds have the predicates that they meet as features too, of those
    /// among the names that jobs ask for.
    #[must_use]
    pub fn meeting(mut self, wanted: &FeatureNames) -> Self {
        let predicates: Vec<_> = predicate::among(wanted, &self.names).collect();
        for (name, predicate) in predicates {
            let feature = self.names.take_in(name);
            for kind in &mut self.kinds {
                let has = |name: &str| {
                    self.names.find(name).is_some_and(|one| self.names.cover(kind.features, one))
                };
                if predicate.holds(&has) {
                    kind.features = self.names.union(kind.features, feature);
                }
            }
        }
        self
    }

    /// Returns true for each kind that has any of the features of these names, in the order of the
    /// kinds.
    pub fn having_any(&self, names: &[String]) -> Vec<bool> {
        let sets: Vec<Features> = names.iter().filter_map(|name| self.names.find(name)).collect();
        let has = |kind: &NodeKind| sets.iter().any(|&set| self.names.cover(kind.features, set));
        self.kinds.iter().map(has).collect()
    }

    /// The same nodes, where those that have any of the features of these names have one more that
    /// says so ([`Nodes::alternative`]).
    #[must_use]
    pub fn with_alternative(mut self, names: &[String]) -> Self {
        let feature = self.names.take_in(&Nodes::alternative(names));
        let has_any = self.having_any(names);
        for (kind, _) in self.kinds.iter_mut().zip(has_any).filter(|(_, has)| *has) {
            kind.features = self.names.union(kind.features, feature);
        }
        self
    }

    /// Name of the feature of nodes that have any of the features of these names.
    pub fn alternative(names: &[String]) -> String {
        names.join("|")
    }

    /// Number of nodes there are.
    pub fn count(&self) -> u32 {
        self.firsts.last().zip(self.kinds.last()).map_or(0, |(first, kind)| first.node + kind.nodes)
    }

    /// Number of processors there are.
    pub fn procs(&self) -> u32 {
        self.procs
    }

    /// The kind of every node, in order of numbers.
    pub fn each(&self) -> impl Iterator<Item = &NodeKind> {
        self.kinds.iter().flat_map(|kind| (0..kind.nodes).map(move |_| kind))
    }

    /// The first processor of a node, and how many it has.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn processors(&self, node: u32) -> (u32, u32) {
        let place = self.firsts.partition_point(|first| first.node <= node) - 1;
        let (first, kind) = (self.firsts[place], self.kinds[place]);
        assert!(node - first.node < kind.nodes, "there is no node {node}");
        (first.processor + (node - first.node) * kind.processors, kind.processors)
    }

    /// The node of a processor.
    ///
    /// # Panics
    /// If there is no such processor.
    pub fn node_of(&self, processor: u32) -> u32 {
        assert!(processor < self.procs, "there is no processor {processor}");
        let place = self.firsts.partition_point(|first| first.processor <= processor) - 1;
        let (first, kind) = (self.firsts[place], self.kinds[place]);
        first.node + (processor - first.processor) / kind.processors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(nodes: u32, processors: u32) -> NodeKind {
        NodeKind { nodes, processors, memory: NodeKind::ENDLESS, gpus: 0, features: Features::NONE }
    }

    #[test]
    fn nodes_and_processors_find_each_other() {
        let nodes = Nodes::new(vec![kind(2, 4), kind(3, 2)], FeatureNames::default()).expect("some");
        assert_eq!((nodes.count(), nodes.procs()), (5, 14));
        assert_eq!([0, 1, 2, 4].map(|node| nodes.processors(node)), [(0, 4), (4, 4), (8, 2), (12, 2)]);
        assert_eq!([0, 3, 4, 7, 8, 9, 13].map(|processor| nodes.node_of(processor)), [0, 0, 1, 1, 2, 2, 4]);
        assert_eq!(Nodes::new(Vec::new(), FeatureNames::default()), None);
        assert_eq!(Nodes::new(vec![kind(1 << 20, 1 << 20)], FeatureNames::default()), None);
    }
}
