//! Nodes of queues: what `nodes` of `policy.queues` means to the jobs of a run; and limits of nodes
//! and GPUs, which need nodes that are looked at.
//!
//! A queue names its nodes by features of their groups. Its jobs ask for these nodes, as if each of
//! them asked for the feature, so that nodes, bookings and their judges need know no queue.

use crate::batch::limits::{self, Divisions, Limits};
use crate::collections::OrderedMap;
use crate::registry::{Complaint, Node, Params, Span, code, suggestion};
use crate::workload::Job;
use crate::workload::resources::{Demand, DemandId, Demands, Nodes, Resources};

/// Queues with nodes, and the features that these have.
fn with_nodes<'a>(params: &Params<'a>) -> impl Iterator<Item = (&'a Node, Vec<String>)> + use<'a> {
    let tables = params.tree().at("policy.queues").map_or(&[][..], Node::items);
    tables.iter().filter_map(|table| {
        let names = table.at("nodes")?.items().iter();
        Some((table, names.filter_map(Node::as_text).map(str::to_owned).collect()))
    })
}

/// Limits of queues that count nodes, and those that count GPUs.
const COUNTED: [(&str, bool); 6] = [
    ("max-nodes", false),
    ("max-running-nodes", false),
    ("max-running-nodes-per-user", false),
    ("max-gpus", true),
    ("max-running-gpus", true),
    ("max-running-gpus-per-user", true),
];

/// Places of the limits that count nodes, or GPUs.
fn counted<'a>(params: &Params<'a>, gpus: bool) -> impl Iterator<Item = &'a Node> + use<'a> {
    let tables = params.tree().at("policy.queues").map_or(&[][..], Node::items);
    let keys = COUNTED.iter().filter(move |(_, of_gpus)| *of_gpus == gpus);
    keys.flat_map(move |(key, _)| tables.iter().filter_map(|table| table.at(key)))
}

/// Place of a limit that counts nodes or GPUs, if a queue has one.
pub(super) fn counts_nodes_at(params: &Params<'_>) -> Option<Span> {
    counted(params, false).chain(counted(params, true)).map(|limit| limit.span).next()
}

/// Complains about a limit of GPUs where no node has any.
pub(super) fn have_gpus(params: &Params<'_>, nodes: &Nodes) -> Result<(), Complaint> {
    let Some(limit) = counted(params, true).next().filter(|_| !nodes.have_gpus()) else { return Ok(()) };
    let complaint =
        Complaint::new(code::CONTRADICTION, "no node has a GPU that could be counted", limit.span);
    Err(complaint.help("state `gpus` of a [[cluster.group]], or take the limit out"))
}

/// Place at which the first queue states its nodes, if one does.
pub(super) fn asked(params: &Params<'_>) -> Option<Span> {
    with_nodes(params).find_map(|(table, _)| table.at("nodes")).map(|nodes| nodes.span)
}

/// The nodes, each with what says that it is one of a queue's.
///
/// # Errors
/// The features of a queue's nodes that no node has.
pub(super) fn mark(params: &Params<'_>, mut nodes: Nodes) -> Result<Nodes, Complaint> {
    for (table, names) in with_nodes(params) {
        let unknown = names.iter().zip(table.at("nodes").map_or(&[][..], Node::items));
        let unknown = unknown.into_iter().find(|(name, _)| nodes.features().find(name).is_none());
        if let Some((name, at)) = unknown {
            let message = format!("no node has the feature `{name}`");
            let complaint = Complaint::new(code::CONTRADICTION, message, at.span);
            return Err(complaint.help(suggestion(name, nodes.features().iter())));
        }
        nodes = nodes.with_alternative(&names);
    }
    Ok(nodes)
}

/// Lets the jobs of queues with nodes ask for these.
///
/// # Errors
/// What contradicts itself in the queues.
pub(super) fn ask(params: &Params<'_>, jobs: &mut [Job], demands: &mut Demands) -> Result<(), Complaint> {
    if asked(params).is_none() {
        return Ok(());
    }
    let limits = limits::read(&params.section("policy"))?;
    let mut known: OrderedMap<(usize, DemandId), DemandId> = OrderedMap::new();
    for job in jobs {
        let Some((place, names)) = limits.nodes_of(job) else { continue };
        let number = known.entry((place, job.demand)).or_insert_with(|| {
            let demand = *demands.of(job.demand);
            let names_of_all = demands.features_mut();
            let own = names_of_all.take_in(&Nodes::alternative(names));
            let features = names_of_all.union(demand.features, own);
            demands.number(Demand { features, ..demand })
        });
        job.demand = *number;
    }
    Ok(())
}

/// Complains about queues with orders of their own that share nodes; else returns true if some
/// share nodes.
pub(super) fn share_nodes(
    params: &Params<'_>,
    jobs: &[Job],
    resources: Option<&Resources>,
) -> Result<Option<Span>, Complaint> {
    let Some(at) = asked(params) else { return Ok(None) };
    let tables = params.tree().at("policy.queues").map_or(&[][..], Node::items);
    let limits: Limits = limits::read(&params.section("policy"))?;
    let divisions = Divisions::new(&limits, jobs, resources);
    let mut joint = None;
    for division in (0..divisions.count()).filter(|&division| divisions.joint(division).is_some()) {
        joint = Some(at);
        let ordered =
            divisions.places(division).find_map(|place| Some((place, tables.get(place)?.at("order")?)));
        let Some((place, order)) = ordered else { continue };
        let other = divisions.places(division).find(|&other| other != place);
        let name = |place: usize| limits.name(place).map(|name| format!("queue `{name}`"));
        let other = other.and_then(name).unwrap_or_else(|| "jobs of no queue that has nodes".to_owned());
        let own = name(place).unwrap_or_default();
        let message = format!("{own} shares nodes with {other}, and what shares nodes has one order");
        let complaint = Complaint::new(code::CONTRADICTION, message, order.span);
        return Err(complaint.help("leave `order` out: then the order is `queue` of the policy"));
    }
    Ok(joint)
}
