//! The demand of a job beyond its number of processors.

use super::features::{FeatureNames, Features, ServedBy, gpu_type, whole_gpu};
use super::gpus::{GpuChoice, GpuKind, GpuLists, PartsOf};
use crate::collections::OrderedMap;

/// True if a job lets others onto its nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum NodeUse {
    /// Others may be on its nodes.
    #[default]
    Shared,
    /// No other job is on its nodes.
    Exclusive,
}

/// The demand of a job, in chunks that must each be on one node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Demand {
    /// Processors of a chunk; above zero. The last chunk of a job may have fewer.
    pub procs: u32,
    /// Memory of a chunk \[bytes\].
    pub memory: u64,
    /// GPUs of a chunk; 1 where it asks for parts of one.
    pub gpus: u32,
    /// The GPUs that serve it, where it asks for some.
    pub gpu_choice: GpuChoice,
    /// Features that its nodes must have.
    pub features: Features,
    /// True if others may be on its nodes.
    pub node_use: NodeUse,
}

impl Demand {
    /// Processors wherever they are, and nothing else.
    pub const PLAIN: Demand = Demand {
        procs: 1,
        memory: 0,
        gpus: 0,
        gpu_choice: GpuChoice::parts(GpuKind::ANY, 0),
        features: Features::NONE,
        node_use: NodeUse::Shared,
    };

    /// Number of chunks a job of `procs` processors has.
    pub fn chunks(&self, procs: u32) -> u32 {
        procs.div_ceil(self.procs)
    }
}

impl Default for Demand {
    fn default() -> Self {
        Demand::PLAIN
    }
}

/// The number of a demand among those of its workload; 0 is [`Demand::PLAIN`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct DemandId(u32);

/// The different demands of a workload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demands {
    list: Vec<Demand>,
    numbers: OrderedMap<Demand, DemandId>,
    names: FeatureNames,
    mix: MixOf,
}

/// Jobs whose demands count in the mix of tasks by which free GPUs are called of use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MixOf {
    /// All, also those that ask for no GPU.
    #[default]
    AllJobs,
    /// Jobs that ask for GPUs.
    GpuJobs,
}

impl Default for Demands {
    fn default() -> Self {
        let numbers = OrderedMap::from([(Demand::PLAIN, DemandId::default())]);
        Demands { list: vec![Demand::PLAIN], numbers, names: FeatureNames::default(), mix: MixOf::default() }
    }
}

impl Demands {
    /// The demands of jobs on nodes whose features have these names; there are none yet.
    pub fn of_nodes(names: &FeatureNames) -> Self {
        Demands { names: names.clone(), ..Demands::default() }
    }

    /// The number of a demand, which is taken in if it is new.
    ///
    /// # Panics
    /// If there are 2^32 others, more than jobs.
    pub fn number(&mut self, demand: Demand) -> DemandId {
        if let Some(&known) = self.numbers.get(&demand) {
            return known;
        }
        let id = DemandId(u32::try_from(self.list.len()).expect("at most a demand a job"));
        self.list.push(demand);
        self.numbers.insert(demand, id);
        id
    }

    /// The demand of a number.
    ///
    /// # Panics
    /// If it is of another workload.
    pub fn of(&self, id: DemandId) -> &Demand {
        &self.list[id.0 as usize]
    }

    /// The features that jobs ask for, by name, and sets of them.
    pub fn features(&self) -> &FeatureNames {
        &self.names
    }

    /// The same, to take others in.
    pub fn features_mut(&mut self) -> &mut FeatureNames {
        &mut self.names
    }

    /// The same demands of nodes whose features have these names and that list these GPUs: a job
    /// that asks for a feature asks for the one of its name, or for what serves in its place. Where
    /// nodes list GPUs by kind, a type of GPU is a kind; one that no node has is taken in, and
    /// serves nobody.
    ///
    /// # Errors
    /// The name of a feature that no node has.
    pub fn on_nodes(self, nodes: &FeatureNames, gpus: &mut GpuLists) -> Result<DemandsOnNodes, String> {
        let Demands { mut list, names, mix, .. } = self;
        let mut known = nodes.clone();
        let (mut sets, mut served) = (Vec::new(), Vec::new());
        for set in names.sets() {
            let (mut wanted, mut by) = (Vec::new(), Substitute::default());
            let mut kind = None;
            for name in names.names_of(set) {
                if let Some(name) = gpu_type(name).filter(|_| gpus.state_kinds()) {
                    kind = Some(name);
                    continue;
                }
                match nodes.served(name).ok_or_else(|| name.to_owned())? {
                    ServedBy::Itself => wanted.push(name),
                    ServedBy::Named(name) => wanted.push(name),
                    ServedBy::Nothing => {}
                    ServedBy::Whole(whole) => {
                        by.is_whole = true;
                        wanted.push(whole);
                    }
                    ServedBy::AnyGpu => {
                        by.is_whole |= whole_gpu(name).is_some();
                        by.is_any = true;
                    }
                }
            }
            sets.push(known.take_in_all(wanted));
            served.push((by, kind));
        }
        let mut substitutes = Vec::new();
        for demand in &mut list {
            let (mut by, kind) = served[demand.features.index()];
            if let Some(kind) = kind.filter(|_| demand.gpus > 0) {
                let (choice, is_whole) = of_type(kind, demand.gpu_choice, gpus);
                (demand.gpu_choice, by.is_whole) = (choice, by.is_whole || is_whole);
            }
            let GpuChoice { kind, parts, of } = demand.gpu_choice;
            if parts > 0 && of == PartsOf::One && !gpus.have_parts(kind) {
                (demand.gpu_choice, by.is_whole) = (GpuChoice::parts(kind, 0), true);
            }
            demand.features = sets[demand.features.index()];
            substitutes.push(by);
        }
        let numbers = (0..).zip(&list).map(|(id, &demand)| (demand, DemandId(id))).collect();
        Ok(DemandsOnNodes { demands: Demands { list, numbers, names: known, mix }, substitutes })
    }

    /// The jobs of which the mix of tasks is.
    pub fn mix(&self) -> MixOf {
        self.mix
    }

    /// The same demands with the mix of these jobs.
    #[must_use]
    pub fn mixing(self, mix: MixOf) -> Self {
        Demands { mix, ..self }
    }

    /// Returns true if some job asks for a kind of GPUs or for parts of one.
    pub fn choose_gpus(&self) -> bool {
        self.list.iter().any(|demand| demand.gpus > 0 && demand.gpu_choice != GpuChoice::default())
    }

    /// Returns true if every job asks for processors alone.
    pub fn are_plain(&self) -> bool {
        self.list.len() == 1
    }
}

/// The GPUs of a type where nodes list theirs by kind, and true if they are whole ones for slices:
/// those of the kind, else instances of it, else whole ones of the kind that it is a slice of.
fn of_type(name: &str, choice: GpuChoice, gpus: &mut GpuLists) -> (GpuChoice, bool) {
    let whole = whole_gpu(name).and_then(|whole| gpus.listed(whole));
    if let Some(kind) = gpus.listed(name) {
        return (GpuChoice { kind, ..choice }, false);
    }
    match gpus.choice(name) {
        Some(instance) if choice.parts == 0 && matches!(instance.of, PartsOf::Instance(_)) => {
            (instance, false)
        }
        found => {
            let kind = found.map_or(choice.kind, |found| found.kind);
            (GpuChoice { kind: whole.unwrap_or(kind), ..choice }, whole.is_some())
        }
    }
}

/// The substitutes that jobs of a demand take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Substitute {
    /// Whole GPUs for slices of them.
    is_whole: bool,
    /// Any GPU for one of a type.
    is_any: bool,
}

/// Demands on the nodes of a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DemandsOnNodes {
    /// The demands.
    pub demands: Demands,
    substitutes: Vec<Substitute>,
}

impl DemandsOnNodes {
    /// Returns true if jobs of this demand take whole GPUs for slices of them.
    pub fn takes_whole(&self, id: DemandId) -> bool {
        self.substitutes.get(id.0 as usize).is_some_and(|by| by.is_whole)
    }

    /// Returns true if jobs of this demand take any GPU for one of a type.
    pub fn takes_any(&self, id: DemandId) -> bool {
        self.substitutes.get(id.0 as usize).is_some_and(|by| by.is_any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::resources::{GpuGroup, Mig, MigProfile};

    #[test]
    fn equal_demands_have_one_number_and_the_plain_one_is_the_default() {
        let mut demands = Demands::default();
        let wide = Demand { procs: 8, gpus: 1, ..Demand::PLAIN };
        let first = demands.number(wide);
        assert_eq!((demands.number(wide), demands.number(Demand::PLAIN)), (first, DemandId::default()));
        assert_eq!((demands.of(first), demands.are_plain()), (&wide, false));
        assert_eq!((wide.chunks(8), wide.chunks(9), wide.chunks(1)), (1, 2, 1));
    }

    #[test]
    fn features_of_a_log_become_those_of_the_nodes_by_their_names() {
        let mut demands = Demands::default();
        let both = demands.features_mut().take_in_all(["fast", "large"]);
        let large = demands.features_mut().take_in("large");
        let both = demands.number(Demand { features: both, ..Demand::PLAIN });
        let one = demands.number(Demand { features: large, ..Demand::PLAIN });
        let mut nodes = FeatureNames::default();
        let there = ["large", "new", "fast"].map(|name| nodes.take_in(name));
        assert_eq!(
            demands.clone().on_nodes(&FeatureNames::default(), &mut GpuLists::default()),
            Err("fast".to_owned())
        );
        let mut on_nodes = demands.on_nodes(&nodes, &mut GpuLists::default()).expect("all are there").demands;
        assert_eq!(on_nodes.of(one).features, there[0]);
        let names: Vec<&str> = on_nodes.features().names_of(on_nodes.of(both).features).collect();
        assert_eq!(names, ["large", "fast"]);
        assert_eq!(on_nodes.number(Demand { features: there[0], ..Demand::PLAIN }), one);
    }

    #[test]
    fn gpus_serve_by_their_types_as_far_as_nodes_state_them() {
        let mut demands = Demands::default();
        let mut of = |name: &str| {
            let features = demands.features_mut().take_in(name);
            demands.number(Demand { gpus: 1, features, ..Demand::PLAIN })
        };
        let ids = ["gpu:a100", "gpu:a100_1g.5gb"].map(&mut of);
        let served = |nodes: &[&str]| {
            let mut names = FeatureNames::default();
            let nodes = names.take_in_all(nodes.iter().copied());
            let found = demands.clone().on_nodes(&names, &mut GpuLists::default())?;
            Ok(ids.map(|id| {
                let features = found.demands.of(id).features;
                let names = found.demands.features();
                (
                    features == Features::NONE,
                    names.cover(nodes, features),
                    found.takes_whole(id),
                    found.takes_any(id),
                )
            }))
        };
        assert_eq!(served(&["fast"]), Ok([(true, true, false, true), (true, true, true, true)]));
        assert_eq!(served(&["gpu:a100"]), Ok([(false, true, false, false), (false, true, true, false)]));
        let both = ["gpu:a100", "gpu:a100_1g.5gb"];
        assert_eq!(served(&both), Ok([(false, true, false, false); 2]));
        assert_eq!(served(&["gpu:h100"]), Err("gpu:a100".to_owned()));
    }

    /// Nodes list A100s of four parts, divided H100s, and slices of an A30 that are made
    /// beforehand.
    #[test]
    fn types_of_gpus_are_kinds_where_nodes_list_them() {
        let mut demands = Demands::default();
        let mut of = |name: &str, parts| {
            let features = demands.features_mut().take_in(name);
            let gpu_choice = GpuChoice::parts(GpuKind::ANY, parts);
            demands.number(Demand { gpus: 1, gpu_choice, features, ..Demand::PLAIN })
        };
        let names = ["gpu:a100", "gpu:h100_3g.40gb", "gpu:a30_2g.12gb", "gpu:a100_1g.5gb", "gpu:v100"];
        let ids = names.map(|name| of(name, 0));
        let shards = [of("gpu:a100", 3), of("gpu:h100", 3)];
        let mut lists = GpuLists::default();
        let [a100, h100, a30] = ["a100", "h100", "a30_2g.12gb"].map(|name| lists.kind(name).expect("few"));
        let divided = GpuGroup { mig: Mig::AtStarts, ..GpuGroup::plain(h100, 2, 7) };
        lists.set(vec![vec![GpuGroup::plain(a100, 4, 4), divided, GpuGroup::plain(a30, 2, 1)]]);
        let mut features = FeatureNames::default();
        features.take_in("gpu:a100");
        let found = demands.on_nodes(&features, &mut lists).expect("types are no features");
        let choice = |id: DemandId| (found.demands.of(id).gpu_choice, found.takes_whole(id));
        let v100 = lists.kind("v100").expect("few");
        let three = GpuChoice::instance(h100, MigProfile::Three);
        let kind = |kind| GpuChoice::parts(kind, 0);
        let expected = [
            (kind(a100), false),
            (three, false),
            (kind(a30), false),
            (kind(a100), true),
            (kind(v100), false),
        ];
        assert_eq!(ids.map(choice), expected);
        assert_eq!(shards.map(choice), [(GpuChoice::parts(a100, 3), false), (kind(h100), true)]);
        assert!(ids.iter().all(|id| found.demands.of(*id).features == Features::NONE));
        assert!(lists.listed("v100").is_none());
    }

    #[test]
    fn more_demands_than_sixteen_bits_number_are_distinguished() {
        let mut demands = Demands::default();
        let of = |memory| Demand { memory, ..Demand::PLAIN };
        let numbers: Vec<DemandId> = (1..=70_000).map(|memory| demands.number(of(memory))).collect();
        for (number, memory) in numbers.into_iter().zip(1..) {
            assert_eq!(demands.of(number).memory, memory);
        }
    }
}
