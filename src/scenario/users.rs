//! What users do with their jobs beside submitting them, as `[workload]` tells it.
//!
//! Jobs that wait for others or are cancelled mean something at detail `job` only. Dependencies and recorded cancellations are those
//! of single jobs of a log, so it cannot be made random as well.

use crate::registry::code;
use crate::registry::{Complaint, Node, Slot, Tree};
use crate::scenario::cluster::detail_of;
use crate::scenario::expect::Detail;
use crate::workload::Habits;

/// The keys of `[workload]`.
const KEYS: [&str; 4] = ["cancelled", "dependencies", "patience", "preceding"];

fn written(root: &Node) -> (Option<&Tree>, Vec<&Slot>) {
    let workload = root.as_table().and_then(|tree| tree.get("workload")).and_then(Node::as_table);
    let on = |slot: &&Slot| !matches!(slot.node.as_text(), Some("ignored" | "dropped"));
    let slots = KEYS.iter().filter_map(|key| workload?.slot(key)).filter(on).collect();
    (workload, slots)
}

/// Tells what contradicts the rest of the scenario.
pub(super) fn prepare(root: &Node, complaints: &mut Vec<Complaint>) {
    let (workload, slots) = written(root);
    let randomize = workload.and_then(|workload| workload.slot("randomize"));
    for slot in slots {
        if detail_of(root) == Detail::Task {
            let message = format!("`{}` means nothing at detail `task`", slot.name);
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            complaints.push(complaint.help("write detail = \"job\" in [cluster], or take it out"));
        } else if let Some(randomize) = randomize.filter(|_| slot.name != "patience") {
            let message = format!("`{}` tells of jobs of the log, and it is made random", slot.name);
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            complaints.push(complaint.note("the log is made random here", Some(randomize.span)));
        }
    }
}

/// What users do in a run of a checked scenario.
pub(super) fn habits(root: &Node) -> Habits {
    let (_, slots) = written(root);
    let has = |names: [&str; 2]| slots.iter().any(|slot| names.contains(&slot.name.as_str()));
    let follows = slots.iter().any(|slot| slot.node.as_text() == Some("think-time"));
    Habits { depends: has(["dependencies", "preceding"]), follows, cancels: has(["cancelled", "patience"]) }
}
