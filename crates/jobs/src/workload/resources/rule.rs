//! `[[workload.demand]]`: which jobs ask for what beyond processors, for workloads that do not
//! state it themselves.
//!
//! Of several rules the first that concerns a job holds. A rule may concern the jobs of some queues
//! or partitions, and of these a share: which ones is drawn, job by job in order of submission,
//! from the stream `workload/demand`.

use crate::kernel::rng::Stream;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, key, keys};
use crate::units::Bytes;
use crate::workload::Job;

use super::{Demand, DemandId, Demands, Features, NodeUse};

const NUMBERS: Kind = Kind::List(&Kind::Count { least: 0, most: 65_534 });

const RULE: &[Key] = &keys! {
    "queues" NUMBERS, absent "jobs of any queue" =>
        "the numbers of the queues whose jobs it concerns", source "SWF field 15";
    "partitions" NUMBERS, absent "jobs of any partition" =>
        "the numbers of the partitions whose jobs it concerns", source "SWF field 16";
    "share" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 1.0 =>
        "how many of these jobs it concerns; which ones is drawn";
    "procs" Kind::count_from(1), or_count 1 =>
        "processors of a chunk, which are on one node; the last chunk of a job may have fewer",
        source "as the chunks of PBS";
    "memory" Kind::Bytes, absent "as the workload states, or none" => "memory of a chunk";
    "gpus" Kind::Count { least: 0, most: u16::MAX as u64 }, or_count 0 => "GPUs of a chunk";
    "features" Kind::List(&Kind::Text), absent "any node" => "what its nodes must have, all of it";
    "exclusive" Kind::Flag, or_flag false => "whether a job has its nodes to itself";
};

/// The demands of jobs beyond processors.
pub const DEMAND: Key = key! {
    "demand" Kind::List(&Kind::Table(RULE)), absent "jobs ask for processors alone" =>
        "what jobs ask for beyond processors, on nodes that `cluster.group` describes: the first table that concerns \
         a job holds"
};

/// A rule, its features aside, whose meaning depends on the nodes.
#[derive(Clone, Debug)]
pub struct Rule {
    queues: Vec<u16>,
    partitions: Vec<u16>,
    share: f64,
    memory: Option<u64>,
    demand: Demand,
}

impl Rule {
    /// Reads a rule; `features` are what it asks for of them.
    ///
    /// # Errors
    /// A value that cannot be read.
    pub fn read(params: &Params<'_>, features: Features) -> Result<Self, Complaint> {
        let list = |name| -> Result<Vec<u16>, Complaint> {
            Ok(params.read::<Option<Vec<u16>>>(name)?.unwrap_or_default())
        };
        let memory: Option<Bytes> = params.read("memory")?;
        let node_use = if params.read("exclusive")? { NodeUse::Exclusive } else { NodeUse::Shared };
        let demand = Demand {
            procs: params.read("procs")?,
            memory: 0,
            gpus: params.read("gpus")?,
            features,
            node_use,
        };
        let share = params.read("share")?;
        let (queues, partitions) = (list("queues")?, list("partitions")?);
        Ok(Rule { queues, partitions, share, memory: memory.map(Bytes::get), demand })
    }

    /// Returns true if which jobs it concerns is drawn.
    fn draws(&self) -> bool {
        self.share > 0.0 && self.share < 1.0
    }

    fn concerns(&self, job: &Job, draws: &mut Stream) -> bool {
        let among = |list: &[u16], number: Option<u16>| {
            list.is_empty() || number.is_some_and(|number| list.contains(&number))
        };
        among(&self.queues, job.queue())
            && among(&self.partitions, job.partition())
            && if self.draws() { draws.uniform01() < self.share } else { self.share > 0.0 }
    }
}

/// Gives every job the demand of the first rule that concerns it. Returns true if anything was
/// drawn.
pub fn apply(rules: &[Rule], jobs: &mut [Job], demands: &mut Demands, draws: &mut Stream) -> bool {
    // the demand of a rule depends on the memory that the workload states for a job, if it did
    let mut known: Option<(usize, DemandId, DemandId)> = None;
    for job in jobs {
        let Some(place) = rules.iter().position(|rule| rule.concerns(job, draws)) else { continue };
        if let Some((_, _, number)) = known.filter(|&(rule, demand, _)| (rule, demand) == (place, job.demand))
        {
            job.demand = number;
            continue;
        }
        let rule = &rules[place];
        let memory = rule.memory.unwrap_or(demands.of(job.demand).memory);
        let number = demands.number(Demand { memory, ..rule.demand });
        known = Some((place, job.demand, number));
        job.demand = number;
    }
    rules.iter().any(Rule::draws)
}
