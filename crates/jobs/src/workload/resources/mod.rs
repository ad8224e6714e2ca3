//! Demands of jobs beyond processors, and supplies of nodes: memory, GPUs, features, nodes to
//! themselves.
//!
//! A job asks in *chunks*, as PBS and `--gres` per task do: numbers of processors, of bytes of
//! memory and of GPUs, which must be on one node; its last chunk may have fewer processors. A job
//! of plain processors has chunks of one. Features name what a node is or has; a job that asks for
//! some runs only on nodes that have them all; alternatives are a predicate, which is a feature of
//! the kinds of nodes that meet it. A job that asks for nodes to itself runs on nodes
//! without other jobs, and no job joins it there; others share nodes. Amounts of pools (licences)
//! are of a job, wherever it runs; they are attributes of it
//! ([`Attribute::Pools`](crate::workload::Attribute::Pools)).
//!
//! The demands of a workload are few, however many its jobs, so a job keeps the number of its
//! demand ([`DemandId`]).

mod demand;
mod features;
mod gpus;
mod mig;
mod nodes;
mod pools;
mod predicate;
mod rule;

pub use demand::{Demand, DemandId, Demands, DemandsOnNodes, MixOf, NodeUse};
pub use features::{FeatureNames, Features, ServedBy, gpu_feature, perhaps, whole_gpu};
pub use gpus::{GpuChoice, GpuGroup, GpuKind, GpuLists, GpuShare, PartsOf, unit as gpu_unit};
pub use mig::{Mig, MigProfile, MigSlice, SEVENTHS};
pub use nodes::{NodeKind, Nodes};
pub use pools::{amounts_of_pools, listed as pools_listed};
pub use predicate::FeaturePredicate;
pub use rule::{DEMAND, MOST_PARTS, Rule, apply, gpus as gpus_of_rule, is_of_pools};

/// The nodes of a site and what the jobs of a run ask of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resources {
    /// The supply.
    pub nodes: Nodes,
    /// The demand.
    pub demands: Demands,
}

impl Resources {
    /// Returns true if GPUs are devices of their own, because nodes list them or jobs ask for kinds
    /// or parts; elsewhere they are counted.
    pub fn distinguishes_gpus(&self) -> bool {
        self.nodes.gpus().are_there() || self.demands.choose_gpus()
    }
}
