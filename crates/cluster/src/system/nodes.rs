//! `[[cluster.group]]` at detail `job`: what nodes have beyond processors; and
//! `[[workload.demand]]`: what jobs ask for.
//!
//! A run looks at nodes if some job asks for more than processors, or a queue has nodes of its own
//! or a limit of nodes; else processors are counted, be nodes declared or not.

use std::sync::Arc;

use crate::kernel::rng::Streams;
use crate::policy::MIX_WITHOUT_CPU;
use crate::registry::{
    Complaint, Complaints, Key, KeyValue, Kind, Node, Params, Span, Tree, Value, code, keys, suggestion,
    unknown_key,
};
use crate::system::{queues, reserved_nodes};
use crate::units::Bytes;
use crate::workload::resources::{
    DEMAND, DemandId, Demands, DemandsOnNodes, FeatureNames, Features, GpuGroup, GpuKind, GpuLists,
    MOST_PARTS, Mig, MigProfile, MixOf, NodeKind, Nodes, Resources, Rule, SEVENTHS, apply, gpus_of_rule,
    is_of_pools,
};
use crate::workload::source::LoadedWorkload;
use crate::workload::swf::Cause;

/// The keys of a group that mean something at detail `job`.
pub(super) const AT_JOB: &[&str] = &["nodes", "processors", "memory", "gpus", "features"];
/// The keys of a group that mean something at detail `job` only.
pub(super) const JOB_ONLY: &[&str] = &["gpus", "features"];

/// GPUs of a node.
pub(super) const GPUS: Key = Key::new(
    "gpus",
    Kind::CountOr(
        u16::MAX as u64,
        &Kind::List(&Kind::Table(&keys! {
            "kind" Kind::Text, absent "of no kind" => "what they are called";
            "count" Kind::Count { least: 1, most: u16::MAX as u64 } => "how many of them each node has";
            "parts" Kind::Count { least: 1, most: MOST_PARTS }, or_count 1 =>
                "equal parts of each, of which jobs may ask for some",
                source "shards and MPS of Slurm; openb: Q. Weng et al., USENIX ATC 2023";
            "mig" Kind::Choice(&[
                ("a100", "each is divided when jobs start that ask for instances, and they are gone at their ends; \
                          profiles and starts of the A100 and the H100"),
                ("static", "each is an instance made beforehand, of the profile in which `kind` ends, as \
                            a100-3g.40gb: it counts as its compute sevenths of a GPU"),
            ]), absent "whole GPUs and equal parts" => "instances (MIG) of each", source "nvidia-smi mig -lgipp";
        })),
    ),
)
.absent("none")
.about("GPUs of each: how many, or a list of them by kind (detail `job` only)");
/// Features of a node.
pub(super) const FEATURES: Key = Key::new("features", Kind::List(&Kind::Text))
    .absent("none")
    .about("what each is or has, in words that jobs may ask for (detail `job` only)")
    .source("as Features of nodes in Slurm");

/// Takes out of the groups of nodes what means nothing at a detail, each key with a complaint: of
/// one of `known`, which means something at the other detail, that of `elsewhere`, of another that
/// it is unknown.
pub(super) fn misplaced(
    cluster: &mut Tree,
    known: &'static [Key],
    means: impl Fn(&str) -> bool,
    elsewhere: impl Fn(&KeyValue) -> Complaint,
) -> Vec<Complaint> {
    let mut complaints = Complaints::new();
    let groups = match cluster.slot_mut("group").map(|groups| &mut groups.node.value) {
        Some(Value::Array(groups)) => &mut groups[..],
        _ => &mut [],
    };
    for group in groups {
        let Value::Table(group) = &mut group.value else { continue };
        for slot in group.take_all(|slot| !means(&slot.name)) {
            complaints.push_with(|| {
                if known.iter().any(|key| key.name == slot.name) {
                    return elsewhere(&slot);
                }
                unknown_key(&slot, known.iter().map(|key| key.name).filter(|name| means(name)))
            });
        }
    }
    complaints.into()
}

/// The nodes of a cluster at detail `job`, if they are declared.
///
/// # Errors
/// They are not as many as `nodes` says, or more than can be numbered.
pub(super) fn read(cluster: &Params<'_>, size: Option<(&str, u32)>) -> Result<Option<Nodes>, Complaint> {
    let groups = cluster.items("group");
    let Some(first) = groups.first() else { return Ok(None) };
    let (mut kinds, mut names) = (Vec::new(), FeatureNames::default());
    let (mut gpus, mut lists) = (GpuLists::default(), Vec::new());
    for group in groups {
        let params = cluster.with(group);
        let list = listed(&params, &mut gpus)?;
        let count = match &list {
            Some(list) => list.iter().map(|gpus| gpus.count).sum(),
            None => params.read::<Option<u32>>("gpus")?.unwrap_or(0),
        };
        lists.push((list, count));
        let own: Vec<String> = params.read::<Option<Vec<String>>>("features")?.unwrap_or_default();
        let features = names.take_in_all(own.iter().map(String::as_str));
        kinds.push(NodeKind {
            nodes: params.read("nodes")?,
            processors: params.read::<Option<u32>>("processors")?.unwrap_or(1),
            memory: params.read::<Option<Bytes>>("memory")?.map_or(NodeKind::ENDLESS, Bytes::get),
            gpus: count,
            features,
        });
    }
    if lists.iter().any(|(list, _)| list.is_some()) {
        let plain = |count| vec![GpuGroup::plain(GpuKind::ANY, count, 1)];
        gpus.set(lists.into_iter().map(|(list, count)| list.unwrap_or_else(|| plain(count))).collect());
        can_be_compared(&gpus, first.span)?;
    }
    let Some(nodes) = Nodes::new(kinds, names) else {
        return Err(Complaint::new(code::RANGE, "more processors than can be numbered", first.span));
    };
    let sum = |key| if key == "procs" { nodes.procs() } else { nodes.count() };
    match size {
        Some((key, said)) if said != sum(key) => {
            Err(not_the_sum(cluster, key, sum(key).into(), said, first.span))
        }
        _ => Ok(Some(nodes.with_gpus(gpus))),
    }
}

/// The GPUs of a group by kind, if it lists them.
fn listed(group: &Params<'_>, known: &mut GpuLists) -> Result<Option<Vec<GpuGroup>>, Complaint> {
    let Some(Value::Array(list)) = group.tree().get("gpus").map(|node| &node.value) else { return Ok(None) };
    let mut found = Vec::new();
    for node in list {
        let gpus = group.with(node);
        let name: Option<String> = gpus.read("kind")?;
        let kind = name.map_or(Some(GpuKind::ANY), |name| known.kind(&name));
        let too_many = || Complaint::new(code::RANGE, "there are too many kinds of GPUs", node.span);
        let kind = kind.ok_or_else(too_many)?;
        let (count, parts) = (gpus.read("count")?, gpus.read("parts")?);
        found.push(with_instances(&gpus, GpuGroup::plain(kind, count, parts), known.name(kind))?);
    }
    let all: u64 = found.iter().map(|gpus| u64::from(gpus.count)).sum();
    if all > u64::from(u16::MAX) {
        return Err(group
            .complaint("gpus", format!("a node has {all} GPUs"))
            .label("expected at most 65535"));
    }
    Ok(Some(found))
}

/// The same GPUs with the instances that they have or are.
fn with_instances(gpus: &Params<'_>, group: GpuGroup, kind: Option<&str>) -> Result<GpuGroup, Complaint> {
    let mig: Option<String> = gpus.read("mig")?;
    match mig.as_deref() {
        None => Ok(group),
        Some("a100") if group.parts > 1 => {
            let complaint =
                gpus.complaint("parts", "a GPU that is divided into instances has no equal parts");
            Err(complaint.label("take it out").note("it is divided here", Some(gpus.span("mig"))))
        }
        Some("a100") => Ok(GpuGroup { parts: SEVENTHS, mig: Mig::AtStarts, ..group }),
        Some(_) => match kind.and_then(MigProfile::of_kind) {
            Some((_, profile)) => Ok(GpuGroup { mig: Mig::Beforehand(profile), ..group }),
            None => {
                let names = MigProfile::ALL.map(MigProfile::name).join(", ");
                let message = "the kind of an instance made beforehand does not end in its profile";
                let complaint = gpus.complaint(if kind.is_some() { "kind" } else { "mig" }, message);
                Err(complaint
                    .label("expected a name as \"a100-3g.40gb\"")
                    .help(format!("profiles are {names}")))
            }
        },
    }
}

/// Complains if parts of different GPUs have no common measure that is small enough to be counted
/// in.
fn can_be_compared(gpus: &GpuLists, at: Span) -> Result<(), Complaint> {
    if gpus.common_parts() <= MOST_PARTS {
        return Ok(());
    }
    let message = format!("the numbers of parts of GPUs have no common multiple up to {MOST_PARTS}");
    let complaint = Complaint::new(code::RANGE, message, at);
    Err(complaint.help("give GPUs of different kinds numbers of parts that divide each other"))
}

/// Complaint that the groups, the first of which is there, do not add up to what `nodes` or `procs`
/// says.
pub(super) fn not_the_sum(cluster: &Params<'_>, key: &str, sum: u64, said: u32, at: Span) -> Complaint {
    let what = if key == "procs" { "processors" } else { "nodes" };
    let message = format!("the groups have {sum} {what}, but `{key}` is {said}");
    let complaint = cluster.complaint(key, message).label("take it out, or let it be the sum");
    complaint.note("the groups begin here", Some(at))
}

/// Place at which jobs ask for more than processors, or nodes are reserved, if so.
pub(super) fn asked(params: &Params<'_>, loaded: &LoadedWorkload) -> Option<Span> {
    let workload = params.section("workload");
    let by_rule = workload.items(DEMAND.name).iter().any(|rule| !is_of_pools(rule));
    let is_asked =
        |key: &&str| workload.tree().get(key).and_then(Node::as_text).is_some_and(|what| what != "ignored");
    let key = ["resources", "memory"].into_iter().find(is_asked).unwrap_or("memory");
    (by_rule || !loaded.demands.are_plain())
        .then(|| workload.span(if by_rule { DEMAND.name } else { key }))
        .or_else(|| reserved_nodes::named_at(&params.section("cluster")))
        .or_else(|| queues::asked(params))
        .or_else(|| queues::counts_nodes_at(params))
}

/// The nodes and what jobs ask of them, if any asks for more than processors.
///
/// # Errors
/// Jobs ask for what no node has.
pub(super) fn resources(
    params: &Params<'_>,
    nodes: Option<&Nodes>,
    loaded: &mut LoadedWorkload,
    streams: &Streams,
) -> Result<Option<Arc<Resources>>, Complaint> {
    let workload = params.section("workload");
    let Some(at) = asked(params, loaded) else {
        let rules = workload.items(DEMAND.name).iter();
        let rules = rules.map(|rule| Rule::read(&workload.with(rule), Features::NONE, Default::default()));
        give(&rules.collect::<Result<Vec<_>, _>>()?, loaded, streams);
        return Ok(None);
    };
    let cluster = params.section("cluster");
    if cluster.tree().get("detail").and_then(Node::as_text) == Some("task") {
        let message = "what nodes have beyond processors counts at detail `job` only";
        let complaint = Complaint::new(code::CONTRADICTION, message, at);
        return Err(complaint.note("detail is set here", Some(cluster.span("detail"))));
    }
    let Some(nodes) = nodes else {
        let message = "nodes are asked for here, and none are declared";
        let complaint = Complaint::new(code::MISSING_KEY, message, at);
        return Err(complaint.help("write a [[cluster.group]] for each kind of nodes"));
    };
    queues::have_gpus(params, nodes)?;
    let of_log = std::mem::take(&mut loaded.demands);
    let nodes = queues::mark(params, nodes.clone().meeting(of_log.features()))?;
    let mut gpus = nodes.gpus().clone();
    let mut on_nodes = of_log.on_nodes(nodes.features(), &mut gpus).map_err(|name| {
        let message = format!("jobs ask for the feature `{name}`, which no node has");
        let complaint = Complaint::new(code::CONTRADICTION, message, workload.span("resources"));
        complaint.help("add it to `features` of a [[cluster.group]]; `clustersim convert slurm.conf nodes.toml` writes those of a site")
    })?;
    let mut nodes = nodes.with_gpus(gpus);
    loaded.demands = std::mem::take(&mut on_nodes.demands);
    let mut rules = Vec::new();
    for rule in workload.items(DEMAND.name) {
        let rule = workload.with(rule);
        let features = wanted(&rule, &nodes, &mut loaded.demands)?;
        rules.push(Rule::read(&rule, features, gpus_of_rule(&rule, nodes.gpus_mut())?)?);
    }
    give(&rules, loaded, streams);
    count_substitutes(loaded, &on_nodes);
    queues::ask(params, &mut loaded.jobs, &mut loaded.demands)?;
    let demands = std::mem::take(&mut loaded.demands).mixing(mix(params));
    let counted = queues::counts_nodes_at(params).is_some();
    let counted = counted || reserved_nodes::named_at(&params.section("cluster")).is_some();
    Ok((counted || !demands.are_plain()).then(|| Arc::new(Resources { nodes, demands })))
}

/// Gives the jobs what rules let them ask for.
fn give(rules: &[Rule], loaded: &mut LoadedWorkload, streams: &Streams) {
    let LoadedWorkload { jobs, attributes, demands, .. } = loaded;
    let mut draws = streams.stream("workload/demand");
    loaded.drew |= apply(rules, jobs, attributes, demands, &mut draws);
}

/// The jobs that the policy counts in the mix of tasks.
fn mix(params: &Params<'_>) -> MixOf {
    let without = params.section("policy").tree().get(MIX_WITHOUT_CPU.name).map(|node| &node.value);
    if without == Some(&Value::Boolean(true)) { MixOf::GpuJobs } else { MixOf::AllJobs }
}

/// Counts the jobs that take other GPUs than they ask for, because nodes do not state theirs.
fn count_substitutes(loaded: &mut LoadedWorkload, on_nodes: &DemandsOnNodes) {
    let Some((_, report)) = &mut loaded.log else { return };
    let count =
        |takes: &dyn Fn(DemandId) -> bool| loaded.jobs.iter().filter(|job| takes(job.demand)).count() as u64;
    report.count_read(Cause::GpuPart, count(&|demand| on_nodes.takes_whole(demand)));
    report.count_read(Cause::AnyGpu, count(&|demand| on_nodes.takes_any(demand)));
}

/// The features that a rule asks for.
fn wanted(rule: &Params<'_>, nodes: &Nodes, demands: &mut Demands) -> Result<Features, Complaint> {
    let names: Vec<String> = rule.read::<Option<Vec<String>>>("features")?.unwrap_or_default();
    for name in &names {
        if nodes.features().find(name).is_none() {
            let known: Vec<&str> = nodes.features().iter().collect();
            let message = format!("no node has the feature `{name}`");
            let complaint = Complaint::new(code::CONTRADICTION, message, rule.span("features"));
            return Err(complaint.help(suggestion(name, known.iter().copied())));
        }
    }
    Ok(demands.features_mut().take_in_all(names.iter().map(String::as_str)))
}
