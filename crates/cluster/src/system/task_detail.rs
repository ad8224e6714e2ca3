//! `[cluster]` at detail `task`: its nodes, what lies between them, and which tasks share them; and
//! what `[record]` writes of them.
//!
//! The keys of nodes mean something only at detail `task`. There they are filled in with their
//! defaults like all others; at detail `job` they are not there, and writing one is reported.

use std::rc::Rc;
use std::sync::Arc;

use crate::kernel::SimDuration;
use crate::node::net::interconnect::Interconnect;
use crate::node::{Layout, NODE, NodeParams, Recording};
use crate::policy::{Policy, Sharing, TaskDetail};
use crate::registry::{
    Absent, Complaint, Complaints, Key, KeyValue, Kind, Node, Params, Span, Tree, Value, code, key,
    unknown_key,
};
use crate::system::{nodes, site};
use crate::workload::parallel::Applications;
use crate::workload::resources::is_of_pools;

/// The keys of `[cluster]` and of `[record]` that mean something at detail `task` only.
const TASK_ONLY: &[(&str, &[&str])] =
    &[("cluster", &["dedicated", "front-end", "interconnect", "node"]), ("record", &["profile", "pace"])];

/// The shortest window; shorter ones would take more memory than they are worth.
const LEAST_PACE: SimDuration = SimDuration::from_millis(1);

/// The keys of a group of nodes: those of a node, none of them with a default of its own, and how
/// many there are.
const GROUP: &[Key] = &{
    let mut keys = [Key::new("nodes", Kind::Count { least: 1, most: u32::MAX as u64 })
        .about("nodes of this kind"); NODE.len() + 3];
    let mut place = 0;
    while place < NODE.len() {
        keys[place + 1] = NODE[place];
        keys[place + 1].default = Absent::Means("as in [cluster.node]");
        place += 1;
    }
    keys[place + 1] = nodes::GPUS;
    keys[place + 2] = nodes::FEATURES;
    keys
};
/// Nodes of several kinds.
pub(super) const GROUPS: Key = key! {
    "group" Kind::List(&Kind::Table(GROUP)), absent "all nodes are alike" =>
        "nodes of several kinds: a table for each, in the order of node numbers; at detail `task` what \
         differs from [cluster.node], at detail `job` processors, memory, GPUs and \
         features", source "\"ClusterSchedSim\", section 2.1"
};

/// Detail at which a cluster is simulated: the key `cluster.detail`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    /// A job occupies its processors for its run time.
    Job,
    /// Every task runs on a node with an operating system.
    Task,
}

/// At what detail a scenario is, as written.
pub(super) fn detail_of(root: &Node) -> Detail {
    let detail = root.text_at("cluster.detail");
    if detail == Some("task") { Detail::Task } else { Detail::Job }
}

/// A complaint of a key that means nothing at this detail; ` of nodes` after its name, if it is one
/// of theirs.
pub(super) fn misplaced(slot: &KeyValue, of: &str, detail: Detail) -> Complaint {
    let (own, other) = if detail == Detail::Job { ("job", "task") } else { ("task", "job") };
    let message = format!("`{}`{of} means nothing at detail `{own}`", slot.name);
    let help = format!("write detail = \"{other}\" in [cluster], or take it out");
    Complaint::new(code::CONTRADICTION, message, slot.span).help(help)
}

/// The multiprogramming level unless it is written.
const LEVEL: u32 = 5;

/// The multiprogramming level of `[cluster]`.
pub(super) fn level(cluster: &Params<'_>) -> Result<u32, Complaint> {
    Ok(cluster.read::<Option<u32>>("mpl")?.unwrap_or(LEVEL))
}

/// Returns true if the policy of a checked scenario lets jobs run in slices at detail `job`.
pub(super) fn runs_in_slices(root: &Node) -> bool {
    detail_of(root) == Detail::Job && root.text_at("policy.kind") == Some("gang")
}

/// Returns true if jobs of a checked scenario may ask for more than processors.
pub(super) fn asks_for_resources(root: &Node) -> bool {
    let ruled =
        root.at("workload.demand").is_some_and(|rules| rules.items().iter().any(|rule| !is_of_pools(rule)));
    let asked = |key: &str| root.text_at(key).is_some_and(|what| what != "ignored");
    detail_of(root) == Detail::Job && (ruled || asked("workload.memory") || asked("workload.resources"))
}

/// Returns true if nodes of a checked scenario list GPUs, or its jobs ask for kinds or parts of
/// them.
pub(super) fn distinguishes_gpus(root: &Node) -> bool {
    let any = |list: &str, is_meant: fn(&Node) -> bool| {
        root.at(list).is_some_and(|list| list.items().iter().filter_map(|one| one.at("gpus")).any(is_meant))
    };
    let listed = any("cluster.group", |gpus| matches!(gpus.value, Value::Array(_)));
    asks_for_resources(root) && (listed || any("workload.demand", |gpus| gpus.as_table().is_some()))
}

/// Puts the multiprogramming level into a checked scenario at detail `job` if it counts there and
/// is not written.
pub(super) fn complete(mut root: Node) -> Node {
    if runs_in_slices(&root)
        && let Value::Table(tree) = &mut root.value
    {
        fill(tree, "cluster", [("mpl", Value::Integer(i64::from(LEVEL)))]);
    }
    root
}

/// The windows of `[record]`, if there are any.
pub(super) fn pace(record: &Params<'_>) -> Result<Option<SimDuration>, Complaint> {
    let window = record.read::<Option<SimDuration>>("pace")?.filter(|window| !window.is_zero());
    if window.is_some_and(|window| window < LEAST_PACE) {
        let complaint = Complaint::new(code::RANGE, "windows this short cannot be kept", record.span("pace"));
        return Err(complaint.label("expected at least \"1ms\", or \"0s\" for none"));
    }
    Ok(window)
}

/// Puts the keys of detail `task` into the scenario as written, empty where they are not there, so
/// that their defaults are filled in; at detail `job`, complains of those that are written. `known`
/// are the keys of these tables at either detail.
pub(super) fn prepare(root: &mut Node, known: [(&str, &[Key]); 2], complaints: &mut Vec<Complaint>) {
    let (detail, whole) = (detail_of(root), root.span);
    let Value::Table(tree) = &mut root.value else { return };
    if detail == Detail::Job {
        for (table, names) in TASK_ONLY {
            let Some(written) = tree.get(table).and_then(Node::as_table) else { continue };
            complaints.extend(
                names.iter().filter_map(|name| written.slot(name)).map(|slot| misplaced(slot, "", detail)),
            );
        }
    }
    complaints.extend(unknown(tree, detail, known));
    if let Some(cluster) = tree.table_mut("cluster") {
        let of_task =
            |name: &str| GROUP.iter().any(|key| key.name == name) && !nodes::JOB_ONLY.contains(&name);
        let elsewhere = |slot: &KeyValue| misplaced(slot, " of nodes", detail);
        let at_job = |name: &str| nodes::AT_JOB.contains(&name);
        complaints.extend(match detail {
            Detail::Job => nodes::misplaced(cluster, GROUP, at_job, elsewhere),
            Detail::Task => nodes::misplaced(cluster, GROUP, of_task, elsewhere),
        });
    }
    if detail == Detail::Job {
        return;
    }
    let empty = || Value::Table(Tree::default());
    if tree.slot("record").is_none() {
        tree.set("record", whole, empty());
    }
    fill(
        tree,
        "cluster",
        [
            ("mpl", Value::Integer(i64::from(LEVEL))),
            ("dedicated", Value::Boolean(true)),
            ("interconnect", Value::String("linear".to_owned())),
            ("node", empty()),
        ],
    );
    fill(tree, "record", [("profile", Value::Boolean(true)), ("pace", Value::String("1s".to_owned()))]);
}

/// Takes out of `[cluster]` and `[record]` what is no key at any detail; those of this one are
/// suggested.
fn unknown(tree: &mut Tree, detail: Detail, known: [(&str, &[Key]); 2]) -> Vec<Complaint> {
    let mut complaints = Complaints::new();
    for (table, keys) in known {
        let Some(written) = tree.table_mut(table) else { continue };
        let of_task = |name: &str| TASK_ONLY.iter().any(|(of, names)| *of == table && names.contains(&name));
        let means = |name: &str| match detail {
            Detail::Job => !of_task(name),
            Detail::Task => site::job_only().all(|key| key != name),
        };
        let known = keys.iter().map(|key| key.name);
        for slot in written.take_all(|slot| known.clone().all(|key| key != slot.name)) {
            complaints.push_with(|| unknown_key(&slot, known.clone().filter(|name| means(name))));
        }
    }
    complaints.into()
}

/// Puts values into a table under names that are not there.
fn fill<const N: usize>(root: &mut Tree, table: &str, defaults: [(&str, Value); N]) {
    let Some(span) = root.get(table).map(|node| node.span) else { return };
    let Some(table) = root.table_mut(table) else { return };
    for (name, value) in defaults {
        if table.slot(name).is_none() {
            table.set(name, span, value);
        }
    }
}

/// The nodes of a cluster as written: how many, of which kind.
struct Groups {
    groups: Vec<(u32, Rc<NodeParams>)>,
    at: Span,
}

fn groups(cluster: &Params<'_>, nodes: Option<u32>) -> Result<Groups, Complaint> {
    let node = cluster.section("node");
    let (listed, at) = (cluster.items("group"), cluster.span("group"));
    if listed.is_empty() {
        let count = nodes.ok_or_else(|| {
            let message = "it is not stated how many nodes the cluster has";
            Complaint::new(code::MISSING_KEY, message, cluster.span("detail"))
                .help("write `nodes = N` in [cluster]")
        })?;
        let groups = vec![(count, Rc::new(NodeParams::read(&node)?))];
        return Ok(Groups { groups, at: cluster.span("nodes") });
    }
    let mut groups = Vec::new();
    for group in listed {
        let mut tree = node.tree().clone();
        let Some(own) = group.as_table() else { continue };
        let mut own = own.clone();
        let count = own.take("nodes").map(|slot| slot.node);
        tree.overlay(own);
        let merged = Node::new(Value::Table(tree), group.span);
        let count = count.map(|count| <u32 as crate::registry::Parameter>::from_node(&count)).transpose()?;
        let params = NodeParams::read(&cluster.with(&merged))?;
        groups.push((count.unwrap_or(1), Rc::new(params)));
    }
    let sum: u64 = groups.iter().map(|&(count, _)| u64::from(count)).sum();
    match nodes {
        Some(nodes) if u64::from(nodes) != sum => Err(nodes::not_the_sum(cluster, "nodes", sum, nodes, at)),
        _ => Ok(Groups { groups, at }),
    }
}

/// The layout of a cluster at detail `task`, and how many processors it has.
pub(super) fn layout(cluster: &Params<'_>, nodes: Option<u32>) -> Result<(Layout, u32), Complaint> {
    let Groups { groups, at } = groups(cluster, nodes)?;
    let interconnect: Box<dyn Interconnect> = cluster.component("interconnect", "interconnect")?;
    let layout = Layout { groups, interconnect: Rc::from(interconnect), reference: None };
    if let Some(room) = layout.interconnect.room().filter(|&room| room < layout.nodes()) {
        let message = format!("the interconnect joins {room} nodes, but the cluster has {}", layout.nodes());
        let complaint = cluster.complaint("interconnect", message).label("not enough for the nodes");
        return Err(complaint.note("the nodes are declared here", Some(at)));
    }
    let count = layout.slots().take(MOST_PROCESSORS + 1).count();
    if count > MOST_PROCESSORS {
        let message = format!("more than {MOST_PROCESSORS} processors at detail `task`");
        return Err(Complaint::new(code::RANGE, message, at));
    }
    Ok((layout, count as u32))
}

/// A boost daemon whose look takes its whole period would leave a processor no time for the tasks
/// that it boosts.
fn boosts_end(params: &Params<'_>, policy: &dyn Policy, layout: &Layout) -> Result<(), Complaint> {
    let Sharing::Coscheduled(scheme) = policy.sharing() else { return Ok(()) };
    let Some(period) = scheme.periodic.period() else { return Ok(()) };
    let Some(group) = layout.groups.iter().position(|(_, node)| node.boost_cost >= period) else {
        return Ok(());
    };
    let cluster = params.section("cluster");
    let cost = layout.groups[group].1.boost_cost;
    let own =
        cluster.items("group").get(group).and_then(|group| group.at("boost-cost")).map(|cost| cost.span);
    let message = format!("a look of the boost daemon takes {cost}, and it looks every {period}");
    let at = own.unwrap_or_else(|| cluster.section("node").span("boost-cost"));
    let complaint = Complaint::new(code::CONTRADICTION, message, at);
    let complaint = complaint.label("expected less than the period of the daemon, or no task would ever run");
    let periodic = params.tree().at("policy.scheme.periodic.period").map(|period| period.span);
    Err(complaint.note("the period is set here", Some(periodic.unwrap_or_else(|| params.span("policy")))))
}

/// Most processors of a cluster at detail `task`: each costs a few kilobytes.
const MOST_PROCESSORS: usize = 1_000_000;

/// Needs of a run at detail `task`, apart from its jobs.
pub(super) fn detail(
    params: &Params<'_>,
    nodes: u32,
    policy: &dyn Policy,
    applications: Arc<Applications>,
    recording: Recording,
) -> Result<TaskDetail, Complaint> {
    let cluster = &params.section("cluster");
    let (layout, _) = layout(cluster, Some(nodes))?;
    boosts_end(params, policy, &layout)?;
    let front_end = if cluster.has("front-end") {
        let front = cluster.section("front-end");
        let node: u32 = front.read("node")?;
        if node >= layout.nodes() {
            let message = format!("there is no node {node}");
            let known = format!("nodes are numbered from 0 to {}", layout.nodes() - 1);
            return Err(front.complaint("node", message).label(known));
        }
        Some((node, front.read::<SimDuration>("decision")?))
    } else {
        None
    };
    let (level, dedicated) = (cluster.read("mpl")?, cluster.read("dedicated")?);
    if level < policy.least_level() {
        let message = format!("policy `{}` as it is here shares a processor among more tasks", policy.name());
        let complaint = cluster.complaint("mpl", message);
        let complaint = complaint.label(format!("expected at least {}", policy.least_level()));
        return Err(complaint.note("the policy is here", Some(params.span("policy"))));
    }
    Ok(TaskDetail { layout, applications, level, front_end, dedicated, recording })
}
