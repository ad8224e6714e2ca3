//! Charges of running jobs, by which fair share counts their use.
//!
//! A charge is so many processors: by default those that the job has. By its dominant share it is,
//! for each of its nodes, the largest of the shares of processors, memory and GPUs that it holds,
//! in units of the node's processors, so that a job with all GPUs of a node is charged as one with
//! the whole node. By weights it is the largest of weight times amount on each node, and weights
//! times amounts of pools on top, as Slurm's `TRESBillingWeights` under `MAX_TRES`; there the
//! largest is taken over the nodes of a job together, which is the same where these are alike.

use crate::batch::holding::{HeldAmounts, NodeShare, RunHolding};
use crate::registry::{Bounds, Complaint, Key, Kind, Node, Params, Value, choices, key, keys};
use crate::workload::Job;
use crate::workload::resources::NodeKind;

/// Most that a weight may be, so that sums stay numbers.
const MOST: f64 = 1e9;

const fn weight(name: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::Number(Bounds::Within(0.0, MOST))).absent("it is not charged").about(about)
}

choices! {
    /// Measure of what is charged.
    enum Measure {
        ProcessorTime = "processor-time", "a job is charged the processors that it has";
        Dominant = "dominant", "for each node the largest share of its processors, memory and GPUs that the job \
            holds, in processors of the node";
    }
}

/// Rule by which jobs are charged.
pub(super) const CHARGE: Key = key! {
    "charge" Kind::FirstOrTable(&keys! {
        "by" Measure::CHOICES, absent "the weights that are given" => "what is charged";
        ..weight("processor", "weight of a processor");
        ..weight("gpu", "weight of a GPU, of parts in proportion");
        ..weight("memory-gib", "weight of a GiB of memory");
        "pools" Kind::Map(&Kind::Number(Bounds::Within(0.0, MOST))), absent "they are not charged" =>
            "weights of pools by name, such as { matlab = 2 }; they come on top of the largest of a node",
            source "Slurm, TRESBillingWeights: licences under MAX_TRES";
    }), absent "processor-time" =>
        "what running jobs are charged, of which fair share is: a measure, or weights, of which the largest \
         weight times amount counts on each node; a job that has its nodes to itself is charged all they have",
        source "Slurm, TRESBillingWeights with PriorityFlags=MAX_TRES"
};

/// Bytes of a GiB.
const GIB: f64 = (1_u64 << 30) as f64;

/// Rule by which a running job is charged.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Charge {
    /// Its processors.
    Processors,
    /// The largest share of each node.
    Dominant,
    /// The largest of weight times amount on each node, and pools.
    Weights {
        /// Of a processor.
        procs: f64,
        /// Of a GPU.
        gpu: f64,
        /// Of a GiB.
        memory: f64,
        /// Of pools, by name.
        pools: Vec<(String, f64)>,
    },
}

impl Charge {
    pub(super) fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        if !params.has(CHARGE.name) {
            return Ok(Charge::Processors);
        }
        let table = params.section(CHARGE.name);
        let weights = ["processor", "gpu", "memory-gib", "pools"];
        if let Some(by) = table.read::<Option<Measure>>("by")? {
            if let Some(weight) = weights.into_iter().find(|key| table.has(key)) {
                let complaint = table.complaint(weight, "jobs are charged by weights, or by a measure");
                let complaint = complaint.note("the measure is here", Some(table.span("by")));
                return Err(complaint.help("take one of them out"));
            }
            return Ok(match by {
                Measure::ProcessorTime => Charge::Processors,
                Measure::Dominant => Charge::Dominant,
            });
        }
        let of = |key: &str| Ok(table.read::<Option<f64>>(key)?.unwrap_or(0.0));
        let pools = of_pools(&table);
        let (procs, gpu, memory) = (of("processor")?, of("gpu")?, of("memory-gib")?);
        if [procs, gpu, memory]
            .into_iter()
            .chain(pools.iter().map(|(_, weight)| *weight))
            .all(|one| one <= 0.0)
        {
            let complaint = params.complaint(CHARGE.name, "no weight is above zero, so nothing is charged");
            return Err(complaint.label("expected a weight").help("write charge = { processor = 1 }"));
        }
        Ok(Charge::Weights { procs, gpu, memory, pools })
    }

    /// Returns true if it looks at nodes or pools.
    pub(super) fn looks_at_holdings(&self) -> bool {
        *self != Charge::Processors
    }

    /// The charge of a job, in processors.
    pub(super) fn of(&self, job: &Job, holding: &RunHolding<'_>) -> f64 {
        let procs_alone = f64::from(job.procs);
        match self {
            Charge::Processors => procs_alone,
            Charge::Dominant if holding.nodes.is_empty() => procs_alone,
            Charge::Dominant => holding.nodes.iter().map(dominant).sum(),
            Charge::Weights { procs, gpu, memory, pools } => {
                let of_node = |held: &HeldAmounts| {
                    let by_gpus = gpu * (held.gpus as f64 / holding.whole_gpu.max(1) as f64);
                    let by_memory = memory * (held.memory as f64 / GIB);
                    (procs * f64::from(held.procs)).max(by_gpus).max(by_memory)
                };
                let of_nodes = if holding.nodes.is_empty() {
                    procs * procs_alone
                } else {
                    holding.nodes.iter().map(|share| of_node(&share.held)).sum()
                };
                let of_pool = |&(name, amount): &(&str, u32)| {
                    let weight =
                        pools.iter().find(|(pool, _)| pool == name).map_or(0.0, |(_, weight)| *weight);
                    weight * f64::from(amount)
                };
                of_nodes + holding.pools.iter().map(of_pool).sum::<f64>()
            }
        }
    }
}

/// Weights of pools by name.
fn of_pools(table: &Params<'_>) -> Vec<(String, f64)> {
    let slots = table.tree().get("pools").and_then(Node::as_table).map_or(&[][..], |pools| pools.slots());
    let weight = |value: &Value| match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        _ => 0.0,
    };
    slots.iter().map(|slot| (slot.name.clone(), weight(&slot.node.value))).collect()
}

/// The largest share of a node, in its processors.
fn dominant(share: &NodeShare) -> f64 {
    let NodeShare { held, of } = share;
    let procs = f64::from(of.procs);
    let part = |held: u64, of: u64| if of == 0 { 0.0 } else { held as f64 * procs / of as f64 };
    let memory = if of.memory == NodeKind::ENDLESS { 0.0 } else { part(held.memory, of.memory) };
    f64::from(held.procs).max(memory).max(part(held.gpus, of.gpus))
}

#[cfg(test)]
mod tests {
    use crate::kernel::{SimDuration, SimTime};

    use super::*;

    const GIBI: u64 = 1 << 30;

    fn amounts(procs: u32, gib: u64, gpus: u64) -> HeldAmounts {
        HeldAmounts { procs, memory: gib * GIBI, gpus }
    }

    fn charged(
        charge: &Charge,
        procs: u32,
        nodes: &[(HeldAmounts, HeldAmounts)],
        pools: &[(&str, u32)],
    ) -> f64 {
        let nodes = nodes.iter().map(|&(held, of)| NodeShare { held, of }).collect();
        let holding = RunHolding { nodes, whole_gpu: 2, pools: pools.to_vec() };
        charge.of(&Job::new(1, SimTime::ZERO, procs, SimDuration::from_secs(1)), &holding)
    }

    fn is(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn the_dominant_share_is_the_largest_of_each_node_in_its_processors() {
        // 8 processors, 16 GiB, 2 GPUs of two parts; and 4 processors with endless memory
        let (large, small) = (amounts(8, 16, 4), HeldAmounts { memory: u64::MAX, ..amounts(4, 0, 0) });
        let of = |nodes: &[_]| charged(&Charge::Dominant, 3, nodes, &[("matlab", 5)]);
        assert!(is(of(&[(amounts(3, 1, 0), large)]), 3.0));
        // 12 of 16 GiB are 6 of 8 processors, 3 of 4 parts of GPUs as well
        assert!(is(of(&[(amounts(3, 12, 1), large)]), 6.0));
        assert!(is(of(&[(amounts(1, 1, 3), large)]), 6.0));
        assert!(is(of(&[(amounts(1, 1, 3), large), (amounts(2, 99, 0), small)]), 8.0));
        assert!(is(of(&[]), 3.0), "where processors are counted they are all there is");
    }

    #[test]
    fn weights_charge_the_largest_of_each_node_and_pools_on_top() {
        let pools = vec![("matlab".to_owned(), 2.0)];
        let charge = Charge::Weights { procs: 1.0, gpu: 16.0, memory: 0.25, pools };
        let node = amounts(64, 256, 16);
        let of = |nodes: &[_], pools: &[_]| charged(&charge, 6, nodes, pools);
        assert!(is(of(&[(amounts(6, 8, 0), node)], &[]), 6.0));
        assert!(is(of(&[(amounts(6, 40, 0), node)], &[]), 10.0));
        // three parts of two are one GPU and a half
        assert!(is(of(&[(amounts(6, 40, 3), node)], &[]), 24.0));
        let pools = [("matlab", 3), ("ansys", 1)];
        assert!(is(of(&[(amounts(3, 0, 2), node), (amounts(3, 0, 0), node)], &pools), 25.0));
        assert!(is(of(&[], &[("matlab", 1)]), 8.0));
    }
}
