//! Charges of running jobs, of which fair share is made.
//!
//! A charge is in processors. Where nodes count it is a sum over the nodes of a run, and one that
//! has a node to itself holds all of it.

use crate::workload::resources::{NodeKind, Resources};

use super::super::nodes::{HeldOnNode, NodeAmounts};
use super::super::{PoolSupply, Row};
use super::priority::ChargeRule;

/// A rule of charges at a site.
pub(in crate::judge::schedule) struct Charges<'a> {
    rule: &'a ChargeRule,
    /// Amounts of its nodes, where these count.
    nodes: Option<NodeAmounts<'a>>,
    pools: Option<&'a PoolSupply>,
}

impl<'a> Charges<'a> {
    pub(in crate::judge::schedule) fn new(
        rule: &'a ChargeRule,
        resources: Option<&'a Resources>,
        pools: Option<&'a PoolSupply>,
    ) -> Self {
        let looks = *rule != ChargeRule::ProcessorTime;
        Charges { rule, nodes: resources.filter(|_| looks).map(NodeAmounts::new), pools }
    }

    /// The charge of a run.
    pub(in crate::judge::schedule) fn of(&self, row: &Row) -> f64 {
        let counted = f64::from(row.procs);
        match (self.rule, &self.nodes) {
            (ChargeRule::ProcessorTime, _) | (ChargeRule::Dominant, None) => counted,
            (ChargeRule::Dominant, Some(nodes)) => nodes.of(row).iter().map(dominant).sum(),
            (ChargeRule::Weights { processor, gpu, memory_gib, pools }, nodes) => {
                let of_nodes = nodes.as_ref().map(|nodes| {
                    let weigh = |one: &HeldOnNode| {
                        let [procs, memory, gpus] = whole_if_alone(one);
                        let amounts = [
                            processor * procs,
                            memory_gib * memory / GIB,
                            gpu * gpus / nodes.whole_gpu as f64,
                        ];
                        amounts.into_iter().fold(0.0, f64::max)
                    };
                    nodes.of(row).iter().map(weigh).sum()
                });
                let weight = |name: &str| {
                    pools.iter().find(|(pool, _)| pool == name).map_or(0.0, |(_, weight)| *weight)
                };
                let asked = self.pools.into_iter().flat_map(|supply| supply.named(row));
                let of_pools: f64 = asked.map(|(name, amount)| weight(name) * f64::from(amount)).sum();
                of_nodes.unwrap_or(processor * counted) + of_pools
            }
        }
    }
}

/// Bytes of a GiB.
const GIB: f64 = 1_073_741_824.0;

/// Processors, bytes and common parts of GPUs that a run is charged for on a node.
fn whole_if_alone(one: &HeldOnNode) -> [f64; 3] {
    let of = if one.is_alone { one.of } else { one.held };
    // a node without an end of memory is not held whole
    let memory = if one.of.memory == NodeKind::ENDLESS { one.held.memory } else { of.memory };
    [of.procs, memory, of.gpus].map(|amount| amount as f64)
}

fn dominant(one: &HeldOnNode) -> f64 {
    let [procs, memory, gpus] = whole_if_alone(one);
    let all = one.of;
    let share = |held: f64, all: u64| if all == 0 { 0.0 } else { held / all as f64 };
    let of_memory = if all.memory == NodeKind::ENDLESS { 0.0 } else { share(memory, all.memory) };
    all.procs as f64 * share(procs, all.procs).max(of_memory).max(share(gpus, all.gpus))
}

#[cfg(test)]
mod tests {
    use crate::workload::resources::{
        Demand, Demands, FeatureNames, Features, GpuChoice, GpuGroup, GpuKind, GpuLists, GpuShare, NodeUse,
        Nodes,
    };

    use super::super::super::row;
    use super::*;

    const GIBI: u64 = 1 << 30;

    /// Two nodes of 8 processors, 32 GiB and 2 GPUs of 4 parts, and one of 4 processors.
    fn site(demand: Demand) -> (Resources, crate::workload::resources::DemandId) {
        let (features, mut lists) = (Features::NONE, GpuLists::default());
        lists.set(vec![vec![GpuGroup::plain(GpuKind::ANY, 2, 4)], Vec::new()]);
        let kinds = vec![
            NodeKind { nodes: 2, processors: 8, memory: 32 * GIBI, gpus: 2, features },
            NodeKind { nodes: 1, processors: 4, memory: NodeKind::ENDLESS, gpus: 0, features },
        ];
        let nodes = Nodes::new(kinds, FeatureNames::default()).expect("some").with_gpus(lists);
        let mut demands = Demands::default();
        let id = demands.number(demand);
        (Resources { nodes, demands }, id)
    }

    fn weights(processor: f64, gpu: f64, memory_gib: f64) -> ChargeRule {
        ChargeRule::Weights { processor, gpu, memory_gib, pools: vec![("matlab".to_owned(), 2.0)] }
    }

    /// The charge of a run on these processors with these GPUs.
    fn charged(rule: &ChargeRule, demand: Demand, on: (u32, u32), gpus: &str) -> f64 {
        let (resources, demand) = site(demand);
        let run = Row { demand, gpus: GpuShare::parse_all(gpus).expect("shares"), ..row(1, 0, 0, 9, on) };
        Charges::new(rule, Some(&resources), None).of(&run)
    }

    fn near(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-9, "{one} and {other}");
    }

    #[test]
    fn the_largest_share_of_each_node_is_charged_and_all_of_a_node_that_is_held_alone() {
        let dominant = &ChargeRule::Dominant;
        near(charged(dominant, Demand::PLAIN, (0, 2), ""), 3.0);
        // 3 times 8 of 32 GiB are 6 of 8 processors
        let memory = Demand { memory: 8 * GIBI, ..Demand::PLAIN };
        near(charged(dominant, memory, (0, 2), ""), 6.0);
        // one processor on each of two nodes, and the second has one of 3 parts of 8
        let parts = Demand { gpus: 1, gpu_choice: GpuChoice::parts(GpuKind::ANY, 3), ..Demand::PLAIN };
        near(charged(dominant, parts, (7, 8), "1:3 2:3"), 6.0);
        // memory without an end is no share of it
        near(charged(dominant, memory, (16, 17), ""), 2.0);
        let alone = Demand { node_use: NodeUse::Exclusive, ..memory };
        near(charged(dominant, alone, (7, 8), ""), 16.0);
        near(charged(dominant, alone, (16, 16), ""), 4.0);
        near(charged(&ChargeRule::ProcessorTime, alone, (7, 8), ""), 2.0);
        let run = row(1, 0, 0, 9, (0, 4));
        near(Charges::new(dominant, None, None).of(&run), 5.0);
    }

    #[test]
    fn the_largest_of_weight_times_amount_is_charged_and_pools_on_top() {
        let rule = &weights(1.0, 16.0, 0.25);
        let memory = Demand { memory: 8 * GIBI, ..Demand::PLAIN };
        near(charged(rule, memory, (0, 2), ""), 6.0);
        let whole = Demand { gpus: 2, ..Demand::PLAIN };
        near(charged(rule, whole, (0, 0), "0-1"), 32.0);
        let parts = Demand { gpus: 1, gpu_choice: GpuChoice::parts(GpuKind::ANY, 3), ..Demand::PLAIN };
        near(charged(rule, parts, (7, 8), "1:3 2:3"), 24.0);
        let alone = Demand { node_use: NodeUse::Exclusive, ..memory };
        near(charged(rule, alone, (0, 0), ""), 32.0);
        near(charged(&weights(0.0, 0.0, 1.0), alone, (16, 17), ""), 16.0);
        let lists = ["matlab:2".to_owned()];
        let pools = PoolSupply::new([("matlab", 4)], &lists);
        let run = Row { pools: Some(0), ..row(1, 0, 0, 9, (0, 2)) };
        near(Charges::new(rule, None, Some(&pools)).of(&run), 7.0);
        near(Charges::new(&ChargeRule::Dominant, None, Some(&pools)).of(&run), 3.0);
    }
}
