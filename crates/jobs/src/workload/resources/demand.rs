//! The demand of a job beyond its number of processors.

use super::{FeatureNames, Features};
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
    /// GPUs of a chunk.
    pub gpus: u32,
    /// Features that its nodes must have.
    pub features: Features,
    /// True if others may be on its nodes.
    pub node_use: NodeUse,
}

impl Demand {
    /// Processors wherever they are, and nothing else.
    pub const PLAIN: Demand =
        Demand { procs: 1, memory: 0, gpus: 0, features: Features::NONE, node_use: NodeUse::Shared };

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
pub struct DemandId(u16);

/// More different demands than can be distinguished: 65,536.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the jobs ask for more than 65536 different things")]
pub struct TooManyDemands;

/// The different demands of a workload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demands {
    list: Vec<Demand>,
    numbers: OrderedMap<Demand, DemandId>,
    names: FeatureNames,
}

impl Default for Demands {
    fn default() -> Self {
        let numbers = OrderedMap::from([(Demand::PLAIN, DemandId::default())]);
        Demands { list: vec![Demand::PLAIN], numbers, names: FeatureNames::default() }
    }
}

impl Demands {
    /// The number of a demand, which is taken in if it is new.
    ///
    /// # Errors
    /// There is no number left for it.
    pub fn number(&mut self, demand: Demand) -> Result<DemandId, TooManyDemands> {
        if let Some(&known) = self.numbers.get(&demand) {
            return Ok(known);
        }
        let id = DemandId(u16::try_from(self.list.len()).map_err(|_| TooManyDemands)?);
        self.list.push(demand);
        self.numbers.insert(demand, id);
        Ok(id)
    }

    /// The demand of a number.
    ///
    /// # Panics
    /// If it is of another workload.
    pub fn of(&self, id: DemandId) -> &Demand {
        &self.list[usize::from(id.0)]
    }

    /// The feature of a name that a log's jobs ask for; `None` if these are too many.
    pub fn feature(&mut self, name: &str) -> Option<Features> {
        self.names.take_in(name)
    }

    /// The same demands of nodes whose features have these names: a job that asks for a feature
    /// asks for the one of its name.
    ///
    /// # Errors
    /// The name of a feature that no node has.
    pub fn on_nodes(self, nodes: &FeatureNames) -> Result<Self, String> {
        let Demands { mut list, names, .. } = self;
        let mut known = Vec::new();
        for name in names.iter() {
            let own = names.find(name).unwrap_or_default();
            known.push((own, nodes.find(name).ok_or_else(|| name.to_owned())?));
        }
        for demand in &mut list {
            let asked = known.iter().filter(|(own, _)| demand.features.cover(*own));
            demand.features = asked.fold(Features::NONE, |all, (_, theirs)| all.and(*theirs));
        }
        let numbers = (0..).zip(&list).map(|(id, &demand)| (demand, DemandId(id))).collect();
        Ok(Demands { list, numbers, names: nodes.clone() })
    }

    /// Returns true if every job asks for processors alone.
    pub fn are_plain(&self) -> bool {
        self.list.len() == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_demands_have_one_number_and_the_plain_one_is_the_default() {
        let mut demands = Demands::default();
        let wide = Demand { procs: 8, gpus: 1, ..Demand::PLAIN };
        let first = demands.number(wide).expect("room");
        assert_eq!(
            (demands.number(wide), demands.number(Demand::PLAIN)),
            (Ok(first), Ok(DemandId::default()))
        );
        assert_eq!((demands.of(first), demands.are_plain()), (&wide, false));
        assert_eq!((wide.chunks(8), wide.chunks(9), wide.chunks(1)), (1, 2, 1));
    }

    #[test]
    fn features_of_a_log_become_those_of_the_nodes_by_their_names() {
        let mut demands = Demands::default();
        let (fast, large) = (demands.feature("fast").expect("room"), demands.feature("large").expect("room"));
        let both = demands.number(Demand { features: fast.and(large), ..Demand::PLAIN }).expect("room");
        let one = demands.number(Demand { features: large, ..Demand::PLAIN }).expect("room");
        let mut nodes = FeatureNames::default();
        let there = ["large", "new", "fast"].map(|name| nodes.take_in(name).expect("room"));
        assert_eq!(demands.clone().on_nodes(&FeatureNames::default()), Err("fast".to_owned()));
        let mut on_nodes = demands.on_nodes(&nodes).expect("all are there");
        assert_eq!(
            (on_nodes.of(one).features, on_nodes.of(both).features),
            (there[0], there[0].and(there[2]))
        );
        assert_eq!(on_nodes.number(Demand { features: there[0], ..Demand::PLAIN }), Ok(one));
    }

    #[test]
    fn a_demand_too_many_is_reported() {
        let mut demands = Demands::default();
        let of = |memory| Demand { memory, ..Demand::PLAIN };
        for memory in 1..=u64::from(u16::MAX) {
            assert!(demands.number(of(memory)).is_ok());
        }
        assert_eq!(demands.number(of(1 << 20)), Err(TooManyDemands));
    }
}
