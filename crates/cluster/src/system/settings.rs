//! Settings of a cluster in a scenario, apart from its workload and its policy.

use crate::fidelity::FidelityRules;
use crate::instrument::SiteModel;
use crate::instrument::by_class::By;
use crate::kernel::stats::WarmUp;
use crate::kernel::{SimDuration, SimTime};
use crate::policy::OwnFeature;
use crate::policy::own_features::metrics_of;
use crate::registry::{Complaint, Key, Node, Params, Tree, Value, code};
use crate::scenario::{AsWritten, keep, keep_all};
use crate::system::description::Cluster;
use crate::system::keys::{CLUSTER_KEYS, MSER_5, RECORD_KEYS};
use crate::system::{nodes, reservations, site, task_detail, users};
use crate::workload::resources::Nodes;

/// Checks the keys of a scenario of a cluster as written; gives it with every default filled in.
pub(super) fn check(written: &AsWritten<'_>, keys: &[Key], complaints: &mut Vec<Complaint>) -> Option<Node> {
    let root = written.root;
    let mut prepared = root.clone();
    task_detail::prepare(&mut prepared, [("cluster", CLUSTER_KEYS), ("record", RECORD_KEYS)], complaints);
    site::prepare(written.registry, &mut prepared, complaints);
    users::prepare(root, complaints);
    reservations::prepare(root, complaints);
    let resolved = written.check(&prepared, keys, complaints);
    complaints.extend(root.table_at("cluster").and_then(twice));
    resolved.map(task_detail::complete)
}

/// Reads it from a checked scenario.
pub(super) fn read(params: &Params<'_>, root: &Node, complaints: &mut Vec<Complaint>) -> Option<Cluster> {
    let (run, cluster, record) = (params.section("run"), params.section("cluster"), params.section("record"));
    let size = if cluster.has("procs") { "procs" } else { "nodes" };
    let procs = keep(cluster.read(size), complaints);
    let is_task = keep(cluster.pick("detail", &[("job", false), ("task", true)]), complaints);
    let layout = match (is_task, procs) {
        (Some(true), Some(nodes)) => Some(keep(task_detail::layout(&cluster, nodes), complaints)?),
        _ => None,
    };
    if let (Some((_, processors)), Some(Some(procs)), "procs") = (&layout, procs, size)
        && *processors != procs
    {
        let message = format!("the nodes have {processors} processors, but `procs` is {procs}");
        complaints.push(cluster.complaint("procs", message).label("write `nodes` in its place"));
        return None;
    }
    let kinds = match (is_task, procs) {
        (Some(false), Some(count)) => {
            keep(nodes::read(&cluster, count.map(|count| (size, count))), complaints)?
        }
        _ => None,
    };
    // read where it is needed; here its bounds are checked
    keep(FidelityRules::read(params), complaints)?;
    let of_nodes = layout.as_ref().map(|(_, processors)| *processors);
    let procs = of_nodes.or(kinds.as_ref().map(Nodes::procs)).or(procs.flatten());
    keep_all!(complaints => Cluster {
        warm_up: warm_up(&run),
        finds_warm_up: Ok(finds_warm_up(&run)),
        procs: Ok(procs),
        level: task_detail::level(&cluster),
        site: site::read(&cluster).map(|site| SiteModel { users: users::habits(root), ..site }),
        nodes: Ok(layout.map(|(layout, _)| layout.nodes())),
        kinds: Ok(kinds),
        own_metrics: own_features(&cluster).map(|all| metrics_of(all.iter().map(|one| &**one), false)),
        classes: distinguished(&record),
        record_jobs: record.read("jobs"),
        record_swf: record.read("swf"),
        record_profile: record.read::<Option<bool>>("profile").map(|profile| profile.unwrap_or(false)),
        pace: task_detail::pace(&record),
    })
}

/// The features of another crate.
pub(super) fn own_features(cluster: &Params<'_>) -> Result<Vec<Box<dyn OwnFeature>>, Complaint> {
    let name = site::SITE_FEATURE.name;
    if cluster.has(name) { cluster.components(name, name) } else { Ok(Vec::new()) }
}

/// By what jobs are distinguished.
fn distinguished(record: &Params<'_>) -> Result<Option<By>, Complaint> {
    let words = [
        ("none", None),
        ("queue", Some(By::Queue)),
        ("partition", Some(By::Partition)),
        ("user", Some(By::User)),
        ("group", Some(By::Group)),
        ("account", Some(By::Account)),
        ("qos", Some(By::Qos)),
        ("class", Some(By::Class)),
    ];
    record.pick("classes", &words)
}

fn finds_warm_up(run: &Params<'_>) -> bool {
    run.tree().get("warm-up").and_then(Node::as_text) == Some(MSER_5)
}

fn warm_up(run: &Params<'_>) -> Result<WarmUp, Complaint> {
    let node = run.tree().get("warm-up");
    if let Some(Node { value: Value::Integer(_), .. }) = node {
        return run
            .read::<u64>("warm-up")
            .map(|jobs| if jobs == 0 { WarmUp::None } else { WarmUp::Count(jobs) });
    }
    if finds_warm_up(run) {
        return Ok(WarmUp::None);
    }
    let span: SimDuration = run.read("warm-up")?;
    Ok(if span.is_zero() { WarmUp::None } else { WarmUp::Until(SimTime::ZERO.saturating_add(span)) })
}

fn twice(cluster: &Tree) -> Option<Complaint> {
    let (nodes, procs) = (cluster.slot("nodes")?, cluster.slot("procs")?);
    let complaint = Complaint::new(code::CONTRADICTION, "`nodes` and `procs` both set the size", procs.span);
    Some(complaint.label("write one of them").note("`nodes` is here", Some(nodes.span)))
}
