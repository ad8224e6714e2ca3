//! Actions of users on their jobs besides submitting them, as `[workload]` declares it.
//!
//! Jobs that wait for others or are cancelled mean something at detail `job` only. Dependencies and
//! recorded cancellations are those of single jobs of a log, so it cannot be made random as well.

use std::sync::Arc;

use crate::import::batsim::BATSIM;
use crate::kernel::rng::Streams;
use crate::policy::Policy;
use crate::registry::{Complaint, KeyValue, Node, Params, Tree, code};
use crate::system::task_detail::{Detail, detail_of, misplaced};
use crate::workload::Habits;
use crate::workload::moldable::{MOLDABLE, Moldable};
use crate::workload::source::LoadedWorkload;

/// The keys of `[workload]`.
const KEYS: [&str; 5] = ["cancelled", "dependencies", "moldable", "patience", "preceding"];
/// Keys that are not about single jobs of a log.
const OF_ALL: [&str; 2] = ["moldable", "patience"];

fn written(root: &Node) -> (Option<&Tree>, Vec<&KeyValue>) {
    let workload = root.table_at("workload");
    let on = |slot: &&KeyValue| !matches!(slot.node.as_text(), Some("ignored" | "dropped"));
    let slots = KEYS.iter().filter_map(|key| workload?.slot(key)).filter(on).collect();
    (workload, slots)
}

/// Reports what contradicts the rest of the scenario.
pub(super) fn prepare(root: &Node, complaints: &mut Vec<Complaint>) {
    let (workload, slots) = written(root);
    let randomize = workload.and_then(|workload| workload.slot("randomize"));
    for slot in slots {
        if detail_of(root) == Detail::Task {
            complaints.push(misplaced(slot, "", Detail::Task));
        } else if let Some(randomize) = randomize.filter(|_| !OF_ALL.contains(&slot.name.as_str())) {
            let message = format!("`{}` names jobs of the log, and it is made random", slot.name);
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            complaints.push(complaint.note("the log is made random here", Some(randomize.span)));
        }
    }
}

/// Habits of users in a run of a checked scenario.
pub(super) fn habits(root: &Node) -> Habits {
    let (_, slots) = written(root);
    let has = |names: &[&str]| slots.iter().any(|slot| names.contains(&slot.name.as_str()));
    let follows = slots.iter().any(|slot| slot.node.as_text() == Some("think-time"));
    let rule = root.text_at("policy.molding.kind");
    let molds = has(&["moldable"]) && rule.is_some_and(|rule| rule != "as-requested");
    Habits {
        depends: has(&["dependencies", "preceding"]),
        follows,
        cancels: has(&["cancelled", "patience"]),
        molds,
        kills: root.text_at("workload.kind") == Some(BATSIM.name),
    }
}

/// Jobs that may be given other sizes, if any may.
///
/// # Errors
/// Bounds that contradict each other; a policy that chooses sizes where no job is moldable.
pub(super) fn moldable(
    params: &Params<'_>,
    policy: &dyn Policy,
    loaded: &mut LoadedWorkload,
    streams: &Streams,
) -> Result<Option<Arc<Moldable>>, Complaint> {
    let workload = params.section("workload");
    if !workload.has(MOLDABLE.name) {
        if policy.molds() {
            let policy = params.section("policy");
            let complaint =
                policy.complaint("molding", "no job is moldable, so that there is no size to choose");
            return Err(complaint.help("write [workload.moldable], or take it out"));
        }
        return Ok(None);
    }
    let mut draws = streams.stream("workload/moldable");
    let rules =
        Moldable::read(&workload.section(MOLDABLE.name), loaded.jobs.len(), loaded.procs, &mut draws)?;
    loaded.drew |= draws.draws() > 0;
    Ok(Some(Arc::new(rules)))
}
