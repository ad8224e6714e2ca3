//! What a job asks for beyond its number of processors.

use std::collections::BTreeMap;

use super::Features;

/// Whether a job lets others onto its nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum NodeUse {
    /// It does.
    #[default]
    Shared,
    /// It has its nodes to itself.
    Exclusive,
}

/// What a job asks for, in chunks that must each be on one node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Demand {
    /// Processors of a chunk; above zero. The last chunk of a job may have fewer.
    pub procs: u32,
    /// Memory of a chunk \[bytes\].
    pub memory: u64,
    /// GPUs of a chunk.
    pub gpus: u32,
    /// What its nodes must have.
    pub features: Features,
    /// Whether others may be on its nodes.
    pub node_use: NodeUse,
}

impl Demand {
    /// Processors wherever they are, and nothing else.
    pub const PLAIN: Demand =
        Demand { procs: 1, memory: 0, gpus: 0, features: Features::NONE, node_use: NodeUse::Shared };

    /// How many chunks a job of `procs` processors has.
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

/// More different demands than can be told apart: 65,536.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the jobs ask for more than 65536 different things")]
pub struct TooManyDemands;

/// The different demands of a workload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demands {
    list: Vec<Demand>,
    numbers: BTreeMap<Demand, DemandId>,
}

impl Default for Demands {
    fn default() -> Self {
        Demands { list: vec![Demand::PLAIN], numbers: BTreeMap::from([(Demand::PLAIN, DemandId::default())]) }
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

    /// Whether every job asks for processors alone.
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
    fn a_demand_too_many_is_told() {
        let mut demands = Demands::default();
        let of = |memory| Demand { memory, ..Demand::PLAIN };
        for memory in 1..=u64::from(u16::MAX) {
            assert!(demands.number(of(memory)).is_ok());
        }
        assert_eq!(demands.number(of(1 << 20)), Err(TooManyDemands));
    }
}
