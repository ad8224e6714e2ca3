//! Demands of a job on nodes beyond processors: memory, GPUs, features, the nodes of its
//! partition.
//!
//! A record has totals and how many nodes they were on. A job asks for parts that are alike, each
//! on one node: as many processors, as much memory and as many GPUs as it had on a node, rounded
//! up. Where the number of nodes is not stated, a part has one GPU, or else one processor. The type
//! of its GPUs (`gres/gpu:h100=2`) is the kind that it asks for, where nodes list theirs, and else
//! a feature that they must have. Parts of GPUs (`gres/shard`, `gres/mps`) are of one GPU of a
//! node.
//! `Constraints` that name features, with `&`, `|` and parentheses between them, are asked for;
//! those that hold for all nodes of a job together (`[a|b]`) or count nodes (`a*2`) are not.
//! Nodes of a partition that has not all nodes of the site have a feature of its name
//! ([`of_partition`]).

use std::borrow::Cow;

use crate::workload::resources::{Demand, FeaturePredicate, GpuChoice, GpuKind, gpu_feature};
use crate::workload::swf::Cause;

use super::columns::Column;
use super::conf::Site;
use super::fields;
use super::gres;
use super::record::{BadRecord, Record};

/// Request of a job to nodes.
#[derive(Debug)]
pub(super) struct NodeDemand<'a> {
    /// Demand of each part of the job, features apart.
    pub(super) part: Demand,
    /// The features that are asked for, by name.
    pub(super) features: Vec<Cow<'a, str>>,
    /// True if it had GPUs of several types, which parts that are alike cannot ask for.
    pub(super) mixed: bool,
    /// True if its constraints say what cannot be asked for.
    pub(super) unread: bool,
    /// True if it had generic resources other than GPUs, or parts of some next to whole ones.
    pub(super) other: bool,
}

/// The feature that nodes of a partition have.
pub(super) fn of_partition(name: &str) -> String {
    format!("partition:{name}")
}

/// Returns true if a feature of this name can be asked for: constraints have signs of their own.
pub(in crate::import) fn can_be_asked_for(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte))
}

/// Request to nodes from the record of a job of so many processors.
///
/// # Errors
/// An amount is none.
pub(super) fn of_nodes<'a>(record: &Record<'a>, procs: u32) -> Result<NodeDemand<'a>, BadRecord> {
    let nodes = record.amount(Column::AllocNodes, Column::AllocTres, "node")?;
    let nodes = nodes.map(|(nodes, _)| nodes).filter(|&nodes| nodes <= procs);
    let memory = memory(record, procs, nodes)?;
    let gpus = gpus(record)?;
    let of_gpu = gpu_parts(record)?;
    let shared = of_gpu.as_ref().filter(|_| gpus == 0);
    let part = match shared {
        Some(&(parts, _)) => shared_part(procs, nodes, memory, parts),
        None => part(procs, nodes, memory, gpus),
    };
    let (mut features, unread) = features(record.get(Column::Constraints).unwrap_or_default());
    let types = match shared {
        Some((_, kind)) => kind.iter().filter(|kind| can_be_asked_for(kind)).cloned().collect(),
        None => gpu_types(record),
    };
    if let [kind] = &types[..]
        && part.gpus > 0
    {
        features.push(gpu_feature(kind).into());
    }
    let mixed = types.len() > 1 && part.gpus > 0;
    let other = other(record) || (gpus > 0 && of_gpu.is_some());
    Ok(NodeDemand { part, features, mixed, unread, other })
}

/// The part of a job of so many processors that is on each of its nodes, from what all of it had.
pub(in crate::import) fn part(procs: u32, nodes: Option<u32>, memory: u64, gpus: u32) -> Demand {
    let parts = nodes.unwrap_or_else(|| if gpus > 0 { gpus.min(procs) } else { procs });
    let part = Demand {
        procs: procs.div_ceil(parts),
        memory: memory.div_ceil(u64::from(parts)),
        gpus: gpus.div_ceil(parts),
        ..Demand::PLAIN
    };
    // a job that asks for nothing else may have its processors anywhere, as far as is known
    if part.memory == 0 && part.gpus == 0 { Demand::PLAIN } else { part }
}

/// The part of a job that had so many parts of GPUs on all its nodes, those on a node of one GPU.
fn shared_part(procs: u32, nodes: Option<u32>, memory: u64, parts: u32) -> Demand {
    let nodes = nodes.unwrap_or(1);
    let gpu_choice = GpuChoice::parts(GpuKind::ANY, parts.div_ceil(nodes));
    Demand { gpus: 1, gpu_choice, ..part(procs, Some(nodes), memory, nodes) }
}

/// Parts of GPUs (shards, or per cents of MPS) on all nodes together, and their type.
fn gpu_parts(record: &Record<'_>) -> Result<Option<(u32, Option<String>)>, BadRecord> {
    for list in [Column::AllocTres, Column::ReqTres] {
        let Some(text) = record.get(list) else { continue };
        let wrong = |()| record.wrong(list, "the parts of GPUs in this list are no number");
        if let Some((parts, kind)) = gres::gpu_parts_in_tres(text).map_err(wrong)? {
            return Ok(Some((parts, kind.map(str::to_owned))));
        }
    }
    let old = [Column::AllocGres, Column::ReqGres].iter().find_map(|&gres| record.get(gres));
    let found = gres::PARTS.iter().find_map(|name| gres::gres_of(old.unwrap_or_default(), name).pop());
    Ok(found.filter(|(_, parts)| *parts > 0).map(|(kind, parts)| (parts, kind)))
}

/// Memory of all nodes together \[bytes\]; none if it is not stated.
fn memory(record: &Record<'_>, procs: u32, nodes: Option<u32>) -> Result<u64, BadRecord> {
    for list in [Column::AllocTres, Column::ReqTres] {
        let text = record.get(list).and_then(|text| fields::resource_text(text, "mem"));
        if let Some(text) = text {
            let bytes = fields::memory(text);
            return bytes.ok_or_else(|| record.wrong(list, "`mem=` in this list is no amount of memory"));
        }
    }
    let Some(text) = record.get(Column::ReqMem) else { return Ok(0) };
    // before Slurm 21.08: for each node or each processor
    let (each, times) = match (text.strip_suffix('n'), text.strip_suffix('c')) {
        (Some(each), _) => (each, nodes.unwrap_or(1)),
        (_, Some(each)) => (each, procs),
        (None, None) => (text, 1),
    };
    let bytes = fields::memory(each).map(|bytes| bytes.saturating_mul(u64::from(times)));
    bytes.ok_or_else(|| record.wrong(Column::ReqMem, "this is no amount of memory"))
}

/// GPUs on all nodes together.
pub(super) fn gpus(record: &Record<'_>) -> Result<u32, BadRecord> {
    for list in [Column::AllocTres, Column::ReqTres] {
        let Some(text) = record.get(list) else { continue };
        let wrong = |()| record.wrong(list, "`gres/gpu` in this list is no number of GPUs");
        if let Some(count) = gres::gpus_in_tres(text).map_err(wrong)? {
            return Ok(count);
        }
    }
    let old = [Column::AllocGres, Column::ReqGres].iter().find_map(|&gres| record.get(gres));
    Ok(old.map_or(0, gres::gpus_in_gres))
}

/// Types of the GPUs, each once: those that the job had, or else those that it asked for.
fn gpu_types(record: &Record<'_>) -> Vec<String> {
    let tres = [Column::AllocTres, Column::ReqTres].into_iter().filter_map(|list| record.get(list));
    let tres = tres.map(|list| gres::gpu_types_in_tres(list).map(str::to_owned).collect());
    let old = [Column::AllocGres, Column::ReqGres].into_iter().filter_map(|list| record.get(list));
    let stated = |types: &Vec<String>| !types.is_empty();
    let mut types = tres.chain(old.map(gres::gpu_types_in_gres)).find(stated).unwrap_or_default();
    types.retain(|kind| can_be_asked_for(kind));
    types.sort_unstable();
    types.dedup();
    types
}

/// Returns true if there are generic resources other than GPUs.
fn other(record: &Record<'_>) -> bool {
    let tres = [Column::AllocTres, Column::ReqTres].into_iter().find_map(|list| record.get(list));
    let own = |part: &str| {
        let name = part.strip_prefix("gres/").and_then(|name| name.split([':', '=']).next());
        name.is_some_and(|name| name != "gpu" && !gres::PARTS.contains(&name))
    };
    let old = [Column::AllocGres, Column::ReqGres].into_iter().find_map(|gres| record.get(gres));
    tres.is_some_and(|list| list.split(',').any(own)) || old.is_some_and(gres::has_other_gres)
}

/// Causes that are not represented, each with true if this record has it; `of_nodes` is the job's
/// request to nodes, if any.
pub(super) fn left_out(record: &Record<'_>, of_nodes: Option<&NodeDemand<'_>>) -> [(Cause, bool); 4] {
    let lists = || [Column::AllocTres, Column::ReqTres].into_iter().filter_map(|list| record.get(list));
    let has = |begins: &str| lists().any(|list| fields::has_resource(list, begins));
    let some = |&column: &Column| {
        record
            .get(column)
            .is_some_and(|text| text != "0" && !text.starts_with("0n") && !text.starts_with("0c"))
    };
    match of_nodes {
        Some(all) => [
            (Cause::Memory, false),
            (Cause::Gres, all.other),
            (Cause::Features, all.unread),
            (Cause::GpuTypes, all.mixed),
        ],
        None => [
            (Cause::Memory, has("mem=") || some(&Column::ReqMem)),
            (Cause::Gres, has("gres/") || [Column::AllocGres, Column::ReqGres].iter().any(some)),
            (Cause::Features, record.get(Column::Constraints).is_some()),
            (Cause::GpuTypes, false),
        ],
    }
}

/// The features and predicates that constraints name, all of which are asked for, and true if they
/// say anything else: one of several for all nodes alike (`[a|b]`), or numbers of nodes (`a*2`).
fn features(constraints: &str) -> (Vec<Cow<'_, str>>, bool) {
    if constraints.is_empty() {
        return (Vec::new(), false);
    }
    if can_be_asked_for(constraints) {
        return (vec![Cow::Borrowed(constraints)], false);
    }
    match FeaturePredicate::parse(constraints.trim_matches([',', '&'])) {
        Some(predicate) => (predicate.names().into_iter().map(Cow::Owned).collect(), false),
        None => (Vec::new(), true),
    }
}

impl Site {
    /// The feature of the nodes of a partition, if it is one that has not all of them.
    pub(super) fn feature_of(&self, partition: &str) -> Option<String> {
        let known = self.partitions.iter().find(|known| known.name == partition)?;
        let some = known.nodes > 0 && u64::from(known.nodes) < self.nodes();
        some.then(|| of_partition(partition)).filter(|name| can_be_asked_for(name))
    }
}
