//! Values of a scenario that no point of its study has, because an axis puts others in their place.
//!
//! They are checked by themselves. Against the rest of the file they are not: what contradicts it
//! contradicts no point.

use crate::collections::OrderedSet;
use crate::registry::{Complaint, Node, Span, Value, code, element};
use crate::scenario::axis::{Axis, path_of};
use crate::scenario::system::AsWritten;
use crate::scenario::systems::{Claimed, system_of};

/// Checks the values of the root that the axes put others in the place of, each by itself: its
/// type, name, unit and range. No point has them, so that nothing else would.
pub(super) fn check_overridden(written: &AsWritten<'_>, axes: &[Axis], complaints: &mut Vec<Complaint>) {
    let mut overridden = OrderedSet::new();
    for slot in axes.iter().flat_map(|axis| &axis.slots) {
        let mut node = Some(written.root);
        for name in path_of(slot) {
            node = node.and_then(|node| match &node.value {
                Value::Array(list) => element(list, &name).map(|place| &list[place]),
                Value::Table(tree) => tree.get(&name),
                _ => None,
            });
        }
        node.into_iter().for_each(|node| spans_of(node, &mut overridden));
    }
    if overridden.is_empty() {
        return;
    }
    let by_itself = [code::TYPE, code::QUANTITY, code::RANGE, code::UNKNOWN_KEY, code::UNKNOWN_NAME];
    let mut found = Vec::new();
    let written = AsWritten { registry: &written.registry.without_trials(), ..*written };
    if let Ok(Claimed { system, root, .. }) = system_of(&written) {
        system.check(&AsWritten { root: &root, ..written }, &mut found);
    }
    found.retain(|complaint| {
        by_itself.contains(&complaint.code) && complaint.span.is_some_and(|span| overridden.contains(&span))
    });
    let mut known: OrderedSet<Identity> = complaints.iter().map(identity).collect();
    complaints.extend(found.into_iter().filter(|complaint| known.insert(identity(complaint))));
}

/// The places of a value and of all in it.
fn spans_of(node: &Node, spans: &mut OrderedSet<Span>) {
    spans.insert(node.span);
    match &node.value {
        Value::Array(nodes) => nodes.iter().for_each(|node| spans_of(node, spans)),
        Value::Table(tree) => tree.slots().iter().for_each(|slot| {
            spans.insert(slot.span);
            spans_of(&slot.node, spans);
        }),
        _ => {}
    }
}

/// Identity of a complaint: code, place, and message.
pub(super) type Identity = (&'static str, Option<Span>, String, Option<(String, u64, usize)>);

pub(super) fn identity(complaint: &Complaint) -> Identity {
    let within = complaint.excerpt.as_ref();
    let within = within.map(|excerpt| (excerpt.file.clone(), excerpt.line, excerpt.range.start));
    (complaint.code.id, complaint.span, complaint.message.clone(), within)
}
