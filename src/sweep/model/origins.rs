//! Origins that files come from, or are returned to: `[application] origins`.
//!
//! A file is named, or all files whose names begin alike (`"shared-*"`). The name of a file comes
//! before all beginnings, and of these the longest holds. What no entry names is on the first
//! origin.

use crate::collections::OrderedMap;
use crate::registry::{Complaint, Key, Kind, Node, Params, Tree, code, suggestion};
use crate::sweep::model::application::Sweep;
use crate::sweep::model::grid::{OriginNumber, SweepGrid};

/// The origins of files that are not on the first.
pub(in crate::sweep) const ORIGINS: Key =
    Key::new("origins", Kind::Map(&Kind::Text)).absent("all files are on the first origin").about(
        "for names of files, or beginnings of names followed by `*`: the origin that they come from or are returned to, one of \
         `platform.origins`",
    );

/// Says of each file where it is, by the key `origins` of a checked `[application]`.
///
/// # Errors
/// Origins that the platform does not have, and entries that name no file.
///
/// # Complexity
/// O(files x (log entries + entries with `*`)).
pub fn place_files(
    sweep: &mut Sweep,
    grid: &SweepGrid,
    application: &Params<'_>,
) -> Result<(), Vec<Complaint>> {
    let Some(entries) = application.tree().get("origins").and_then(Node::as_table) else { return Ok(()) };
    let names: Vec<&str> = grid.origin_names().collect();
    let mut complaints = Vec::new();
    let mut exact: OrderedMap<&str, (usize, OriginNumber)> = OrderedMap::new();
    let mut beginnings: Vec<(&str, usize, OriginNumber)> = Vec::new();
    let slots = Tree::slots(entries);
    for (place, slot) in slots.iter().enumerate() {
        let node = entries.get(&slot.name);
        let written = node.and_then(Node::as_text).unwrap_or_default();
        let Some(origin) = names.iter().position(|name| *name == written) else {
            let message = format!("there is no origin `{written}`");
            let at = node.map_or(slot.span, |node| node.span);
            let complaint = Complaint::new(code::UNKNOWN_NAME, message, at);
            complaints.push(complaint.help(suggestion(written, names.iter().copied())));
            continue;
        };
        let origin = OriginNumber(origin as u32);
        match slot.name.strip_suffix('*') {
            Some(beginning) => beginnings.push((beginning, place, origin)),
            None => _ = exact.insert(&slot.name, (place, origin)),
        }
    }
    beginnings.sort_by_key(|(beginning, ..)| std::cmp::Reverse(beginning.len()));
    let mut is_used = vec![false; slots.len()];
    for file in &mut sweep.files {
        let mut is_first = true;
        let mut named = |(place, origin): (usize, OriginNumber)| {
            is_used[place] = true;
            if std::mem::take(&mut is_first) {
                file.origin = origin;
            }
        };
        exact.get(&*file.name).copied().into_iter().for_each(&mut named);
        let begin = beginnings.iter().filter(|(beginning, ..)| file.name.starts_with(beginning));
        begin.for_each(|(_, place, origin)| named((*place, *origin)));
    }
    for (slot, is_used) in slots.iter().zip(is_used) {
        let is_known =
            entries.get(&slot.name).and_then(Node::as_text).is_some_and(|name| names.contains(&name));
        if is_known && !is_used {
            let message = format!("no file is called `{}`", slot.name);
            let complaint = Complaint::new(code::UNKNOWN_NAME, message, slot.span);
            complaints.push(complaint.help("names of files, or beginnings of names followed by `*`"));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}
