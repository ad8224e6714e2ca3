//! `[[workload.demand]]`: which jobs ask for what beyond processors, for workloads that do not
//! state it themselves.
//!
//! Of several rules the first that concerns a job holds. A rule may concern the jobs of some
//! queues, partitions, accounts, qualities of service or classes, and of these a share: which ones
//! is drawn, job by job in order of submission, from the stream `workload/demand`.

use std::sync::Arc;

use crate::kernel::rng::Stream;
use crate::registry::{Bounds, Complaint, Key, Kind, Node, Params, Value, code, key, keys};
use crate::units::Bytes;
use crate::workload::{Attributes, Job, Stated};

use super::pools::{amounts_of_pools, listed};
use super::{Demand, DemandId, Demands, Features, GpuChoice, GpuLists, NodeUse, PartsOf};

const NUMBERS: Kind = Kind::List(&Kind::Count { least: 0, most: 65_534 });

const RULE: &[Key] = &keys! {
    "queues" NUMBERS, absent "jobs of any queue" =>
        "the numbers of the queues whose jobs it concerns", source "SWF field 15";
    "partitions" NUMBERS, absent "jobs of any partition" =>
        "the numbers of the partitions whose jobs it concerns", source "SWF field 16";
    "accounts" Kind::List(&Kind::Text), absent "jobs of any account" =>
        "the accounts whose jobs it concerns, where the input states them";
    "qos" Kind::List(&Kind::Text), absent "jobs of any quality of service" =>
        "the qualities of service whose jobs it concerns, where the input states them";
    "classes" Kind::List(&Kind::Text), absent "jobs of any class" =>
        "the classes whose jobs it concerns, where the input states them";
    "share" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 1.0 =>
        "how many of these jobs it concerns; which ones is drawn";
    "procs" Kind::count_from(1), or_count 1 =>
        "processors of a chunk, which are on one node; the last chunk of a job may have fewer",
        source "as the chunks of PBS";
    "memory" Kind::Bytes, absent "as the workload states, or none" => "memory of a chunk";
    "gpus" Kind::CountOr(u16::MAX as u64, &Kind::Table(GPUS)), or_count 0 =>
        "GPUs of a chunk: how many of any kind, or a table";
    "features" Kind::List(&Kind::Text), absent "any node" => "what its nodes must have, all of it";
    "exclusive" Kind::Flag, or_flag false => "whether a job has its nodes to itself";
    "pools" Kind::Map(&Kind::Count { least: 0, most: u32::MAX as u64 }),
        absent "as the workload states, or none" =>
        "amounts of pools of the site (`cluster.pools`), licences above all, that a job holds from its start to its \
         end, wherever it runs", source "Slurm, --licenses";
};

/// GPUs of a chunk, by kind or in parts.
const GPUS: &[Key] = &keys! {
    "count" Kind::Count { least: 1, most: u16::MAX as u64 }, absent "parts of one GPU" =>
        "whole GPUs; write this or `parts`";
    "parts" Kind::Count { least: 1, most: MOST_PARTS }, absent "whole GPUs" =>
        "parts of one GPU, which others may share; `parts` of the nodes' GPUs says how many it has",
        source "shards and MPS of Slurm; openb: Q. Weng et al., USENIX ATC 2023";
    "several" Kind::Flag, or_flag false =>
        "whether the parts may be of several GPUs of the node, device by device",
        source "MULTIPLE_SHARING_GRES_PJ of Slurm";
    "kind" Kind::Text, absent "of any kind" =>
        "the kind of GPUs, as the nodes call it; of an instance on those that nodes divide (`mig`) this kind and the \
         profile, as a100-3g.40gb";
};

/// Most parts of a GPU.
pub const MOST_PARTS: u64 = 1_000_000;

/// The GPUs of a chunk as a rule asks for them, with kinds among `known`, into which a new one is
/// taken.
///
/// # Errors
/// Neither whole GPUs nor parts are asked for, or both; several of what is no part.
pub fn gpus(rule: &Params<'_>, known: &mut GpuLists) -> Result<(u32, GpuChoice), Complaint> {
    let written = rule.tree().get("gpus").filter(|node| node.as_table().is_some());
    let Some(written) = written else { return Ok((rule.read("gpus")?, GpuChoice::default())) };
    let asked = rule.with(written);
    let (count, parts): (Option<u32>, Option<u32>) = (asked.read("count")?, asked.read("parts")?);
    if count.is_some() && parts.is_some() {
        let message = "whole GPUs are asked for, and parts of one as well";
        let complaint = Complaint::new(code::CONTRADICTION, message, written.span);
        return Err(complaint.label("expected `count` or `parts`, not both"));
    }
    if count.is_none() && parts.is_none() {
        let message = "it is not said how many GPUs a chunk asks for";
        let complaint =
            Complaint::new(code::MISSING_KEY, message, written.span).label("expected `count` or `parts`");
        return Err(complaint.help("write gpus = 1, { count = 1, kind = \"a100\" }, or { parts = 3 }"));
    }
    let several = asked.read("several")?;
    if several && parts.is_none() {
        let complaint = asked.complaint("several", "only parts are of one GPU or of several");
        return Err(complaint.label("expected `parts` beside it"));
    }
    let name: Option<String> = asked.read("kind")?;
    let kind = match (&name, parts) {
        (None, _) => Some(GpuChoice::default()),
        (Some(name), None) => known.choice(name),
        (Some(name), Some(_)) => known.kind(name).map(|kind| GpuChoice::parts(kind, 0)),
    };
    let too_many = || Complaint::new(code::RANGE, "there are too many kinds of GPUs", written.span);
    let choice = kind.ok_or_else(too_many)?;
    let choice = match parts {
        Some(parts) => {
            GpuChoice { parts, of: if several { PartsOf::Several } else { PartsOf::One }, ..choice }
        }
        None => choice,
    };
    Ok((count.unwrap_or(1), choice))
}

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
    accounts: Vec<String>,
    qos: Vec<String>,
    classes: Vec<String>,
    share: f64,
    memory: Option<u64>,
    demand: Demand,
    /// Amounts of pools, listed.
    pools: Option<String>,
}

/// Returns true if a rule asks for amounts of pools, and for nothing that nodes have.
pub fn is_of_pools(rule: &Node) -> bool {
    let is = |key: &str, usual: &Value| rule.at(key).is_none_or(|node| node.value == *usual);
    rule.at("pools").is_some()
        && ["memory", "features"].iter().all(|key| rule.at(key).is_none())
        && is("procs", &Value::Integer(1))
        && is("gpus", &Value::Integer(0))
        && is("exclusive", &Value::Boolean(false))
}

impl Rule {
    /// Reads a rule; `features` are what it asks for of them, `gpus` what of these.
    ///
    /// # Errors
    /// A value that cannot be read.
    pub fn read(
        params: &Params<'_>,
        features: Features,
        (gpus, gpu_choice): (u32, GpuChoice),
    ) -> Result<Self, Complaint> {
        let list = |name| -> Result<Vec<u16>, Complaint> {
            Ok(params.read::<Option<Vec<u16>>>(name)?.unwrap_or_default())
        };
        let memory: Option<Bytes> = params.read("memory")?;
        let node_use = if params.read("exclusive")? { NodeUse::Exclusive } else { NodeUse::Shared };
        let demand = Demand { procs: params.read("procs")?, memory: 0, gpus, gpu_choice, features, node_use };
        let share = params.read("share")?;
        let texts = |name| -> Result<Vec<String>, Complaint> {
            Ok(params.read::<Option<Vec<String>>>(name)?.unwrap_or_default())
        };
        Ok(Rule {
            queues: list("queues")?,
            partitions: list("partitions")?,
            accounts: texts("accounts")?,
            qos: texts("qos")?,
            classes: texts("classes")?,
            share,
            memory: memory.map(Bytes::get),
            demand,
            pools: pools(params)?,
        })
    }

    /// Returns true if which jobs it concerns is drawn.
    fn draws(&self) -> bool {
        self.share > 0.0 && self.share < 1.0
    }

    fn concerns(&self, job: &Job, stated: &Stated<'_>, draws: &mut Stream) -> bool {
        let listed = |list: &[String], text: Option<&str>| {
            list.is_empty() || text.is_some_and(|text| list.iter().any(|one| one == text))
        };
        let among = |list: &[u16], number: Option<u16>| {
            list.is_empty() || number.is_some_and(|number| list.contains(&number))
        };
        among(&self.queues, job.queue())
            && among(&self.partitions, job.partition())
            && listed(&self.accounts, stated.account)
            && listed(&self.qos, stated.qos)
            && listed(&self.classes, stated.class)
            && if self.draws() { draws.uniform01() < self.share } else { self.share > 0.0 }
    }
}

/// The amounts of pools that a rule asks for, listed.
fn pools(rule: &Params<'_>) -> Result<Option<String>, Complaint> {
    let Some(written) = rule.tree().get("pools") else { return Ok(None) };
    let pools = rule.with(written);
    let names: Vec<&str> = pools.tree().slots().iter().map(|slot| slot.name.as_str()).collect();
    let mut amounts = Vec::new();
    for name in names {
        amounts.push((name, pools.read::<u32>(name)?));
    }
    amounts.sort_unstable();
    let list = listed(amounts);
    if list.is_empty() {
        return Ok(None);
    }
    let bad = || {
        let complaint = Complaint::new(code::RANGE, "a pool has an impossible name", written.span);
        complaint.label("expected letters, digits and `_-.@/`")
    };
    amounts_of_pools(&list).ok_or_else(bad)?;
    Ok(Some(list))
}

/// Gives every job the demand of the first rule that concerns it. Returns true if anything was
/// drawn.
pub fn apply(
    rules: &[Rule],
    jobs: &mut [Job],
    attributes: &mut Arc<Attributes>,
    demands: &mut Demands,
    draws: &mut Stream,
) -> bool {
    let count = jobs.len();
    // the demand of a rule depends on the memory that the workload states for a job, if it did
    let mut known: Option<(usize, DemandId, DemandId)> = None;
    for (number, job) in jobs.iter_mut().enumerate() {
        let stated = attributes.of(number);
        let Some(place) = rules.iter().position(|rule| rule.concerns(job, &stated, draws)) else { continue };
        if let Some(amounts) = &rules[place].pools {
            Arc::make_mut(attributes).ask_for_pools(number, amounts, count);
        }
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
