//! The nodes of reservations, as `[[cluster.reservation]]` names them: by number, by features, or
//! how many.

use crate::batch::machine::{Reservation, ReservedNodes};
use crate::collections::{Interval, IntervalSet, OrderedMap, StableSort as _};
use crate::kernel::SimTime;
use crate::registry::{Complaint, Node, Params, Span, Value, suggestion};
use crate::workload::resources::Nodes;

use super::reservations::RESERVATION;

/// Keys that are about nodes.
pub(super) const NODES: &str = "nodes";
pub(super) const FEATURES: &str = "features";

/// Place at which a reservation of a checked `[cluster]` is one of nodes, if any says so.
pub(super) fn named_at(cluster: &Params<'_>) -> Option<Span> {
    let says = |one: &Node| [NODES, FEATURES].iter().any(|key| one.at(key).is_some());
    cluster.items(RESERVATION.name).iter().find(|one| says(one)).map(|one| one.span)
}

/// The nodes of one table, of those of a site.
pub(super) fn of_table(table: &Params<'_>, nodes: &Nodes) -> Result<ReservedNodes, Complaint> {
    if table.has("processors") {
        let complaint =
            table.complaint("processors", "jobs or reservations ask for nodes, so nodes are reserved");
        return Err(complaint.help("write `nodes`, how many or which, or `features`"));
    }
    let features: Option<Vec<String>> = table.read(FEATURES)?;
    let list = match table.tree().get(NODES).map(|node| &node.value) {
        Some(Value::Array(_)) => table.read::<Option<Vec<String>>>(NODES)?,
        _ => None,
    };
    if list.is_some() && features.is_some() {
        let complaint = table.complaint(FEATURES, "the nodes are named already");
        return Err(complaint.note("they are named here", Some(table.span(NODES))));
    }
    let among = match &list {
        Some(list) => listed(table, list, nodes.count())?,
        None => having(table, features.as_deref().unwrap_or_default(), nodes)?,
    };
    let count = if list.is_some() { None } else { table.read::<Option<u32>>(NODES)? };
    if let Some(count) = count.filter(|&count| u64::from(count) > among.count()) {
        let there = among.count();
        let message = format!("{count} nodes are reserved, and there are {there} of them");
        return Err(table.complaint(NODES, message).label(format!("expected {there} at most")));
    }
    if count.is_none() && table.tree().get("on-failure").and_then(Node::as_text) == Some("replace") {
        let message = "no other node takes the place of one that is named";
        let complaint = table.complaint("on-failure", message).label("expected \"shrink\"");
        return Err(complaint.help("write how many nodes are reserved, or leave `on-failure` out"));
    }
    Ok(ReservedNodes { among, count })
}

fn listed(table: &Params<'_>, list: &[String], there: u32) -> Result<IntervalSet, Complaint> {
    let mut among = IntervalSet::default();
    for text in list {
        let refuse = |why: String, expected: String| Err(table.complaint(NODES, why).label(expected));
        let Some(part) = Interval::parse(text) else {
            return refuse(format!("`{text}` names no nodes"), "expected \"3\" or \"0-7\"".to_owned());
        };
        if part.last >= there {
            return refuse(
                format!("there is no node {}", part.last),
                format!("expected {} at most", there - 1),
            );
        }
        if !among.insert(part) {
            return refuse(format!("nodes {part} are named twice"), "expected each node once".to_owned());
        }
    }
    if among.count() == 0 {
        return Err(table.complaint(NODES, "no node is reserved").label("expected one or more"));
    }
    Ok(among)
}

/// The nodes that have all of these features.
fn having(table: &Params<'_>, features: &[String], nodes: &Nodes) -> Result<IntervalSet, Complaint> {
    let mut wanted = Vec::new();
    for name in features {
        let Some(feature) = nodes.features().find(name) else {
            let known: Vec<&str> = nodes.features().iter().collect();
            let complaint = table.complaint(FEATURES, format!("no node has the feature `{name}`"));
            return Err(complaint.help(suggestion(name, known.iter().copied())));
        };
        wanted.push(feature);
    }
    let mut among = IntervalSet::default();
    let mut first = 0;
    for kind in nodes.kinds().iter().filter(|kind| kind.nodes > 0) {
        let part = Interval::new(first, first + (kind.nodes - 1));
        if wanted.iter().all(|&feature| nodes.features().cover(kind.features, feature)) {
            among.insert(part);
        }
        first += kind.nodes;
    }
    if among.count() == 0 {
        return Err(table.complaint(FEATURES, "no node has all of these features"));
    }
    Ok(among)
}

/// Processors of nodes: of as many of the largest of them as are reserved.
pub(super) fn procs(reserved: &ReservedNodes, nodes: &Nodes) -> u32 {
    let all = reserved.among.iter().flat_map(|run| run.first..=run.last);
    let mut procs: Vec<u32> = all.map(|node| nodes.processors(node).1).collect();
    procs.sort_unstable_by(|one, other| other.cmp(one));
    procs.into_iter().take(reserved.count.unwrap_or(u32::MAX) as usize).sum()
}

/// The number of the first reservation for which too few nodes are left when it begins, with the
/// reason.
pub(super) fn too_many(
    all: &[Reservation],
    of: &OrderedMap<u32, ReservedNodes>,
    there: u32,
) -> Option<(u32, String)> {
    // at one instant ends come first
    let mut changes: Vec<(SimTime, bool, usize)> = Vec::with_capacity(all.len() * 2);
    for (place, one) in all.iter().enumerate() {
        changes.extend([(one.from, true, place), (one.to, false, place)]);
    }
    changes.stable_sort();
    let mut meanwhile: Vec<usize> = Vec::new();
    for (_, begins, place) in changes {
        if !begins {
            meanwhile.retain(|&other| other != place);
            continue;
        }
        meanwhile.push(place);
        let number = all[place].number;
        let (mut named, mut counted) = (IntervalSet::default(), 0);
        for nodes in meanwhile.iter().map(|&place| &of[&all[place].number]) {
            match nodes.count {
                Some(count) => counted += u64::from(count),
                None => {
                    for part in nodes.among.iter() {
                        if named.missing(part) != [part] {
                            return Some((number, format!("nodes {part} are reserved twice at once")));
                        }
                        named.insert(part);
                    }
                }
            }
        }
        let left = |nodes: &ReservedNodes| {
            nodes.among.iter().flat_map(|part| named.missing(part)).map(Interval::count).sum::<u64>()
        };
        let lacks = |place: &&usize| {
            let nodes = &of[&all[**place].number];
            nodes.count.is_some_and(|count| left(nodes) < u64::from(count))
        };
        if named.count() + counted > u64::from(there) || meanwhile.iter().any(|place| lacks(&place)) {
            let most = named.count() + counted;
            let message = format!("{most} nodes are reserved at once, and too few of {there} are left");
            return Some((number, message));
        }
    }
    None
}
