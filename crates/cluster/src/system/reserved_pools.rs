//! Amounts of pools that reservations hold.

use crate::batch::machine::Reservation;
use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::SimTime;
use crate::registry::{Complaint, Node, Params, Tree, code, suggestion};
use crate::system::pools::POOLS;

/// The amounts that reservations hold of the pools of a checked `[cluster]`, by the numbers of the
/// reservations; what cannot be is reported.
pub(super) fn reserved(
    cluster: &Params<'_>,
    tables: &[Node],
    all: &[Reservation],
    complaints: &mut Vec<Complaint>,
) -> OrderedMap<u32, Vec<(String, u32)>> {
    let there = cluster.tree().get(POOLS.name).and_then(Node::as_table).map_or(&[][..], Tree::slots);
    let mut reserved: OrderedMap<u32, Vec<(String, u32)>> = OrderedMap::new();
    for (number, node) in (1..).zip(tables) {
        let Some(written) = node.at("pools").and_then(Node::as_table) else { continue };
        let table = cluster.with(node).section("pools");
        for slot in written.slots() {
            let Some(pool) = there.iter().find(|pool| pool.name == slot.name) else {
                let message = format!("the site has no pool `{}`", slot.name);
                let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
                let known = there.iter().map(|pool| pool.name.as_str());
                complaints.push(complaint.help(suggestion(&slot.name, known)));
                continue;
            };
            match table.read::<u32>(&slot.name) {
                Ok(amount) => reserved.entry(number).or_default().push((slot.name.clone(), amount)),
                Err(complaint) => complaints.push(complaint),
            }
            let count = cluster.section(POOLS.name).read::<u32>(&pool.name).unwrap_or(u32::MAX);
            let amount = |one: &Reservation| {
                let own = reserved.get(&one.number).into_iter().flatten();
                own.filter(|(name, _)| *name == slot.name).map(|(_, amount)| *amount).sum()
            };
            if let Some((most, _)) = more_at_once(all, count, amount) {
                let message = format!(
                    "{most} of pool `{}` are reserved at once, of which there are {count}",
                    slot.name
                );
                let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
                complaints.push(complaint.label("these, with those that overlap them"));
                return reserved;
            }
        }
    }
    reserved
}

/// Sum of what reservations need at the first instant at which it is more than there is, and the
/// number of the one that begins then.
pub(super) fn more_at_once(
    all: &[Reservation],
    there: u32,
    of: impl Fn(&Reservation) -> u32,
) -> Option<(u64, u32)> {
    // at one instant ends come first
    let mut changes: Vec<(SimTime, bool, u32, u32)> = Vec::with_capacity(all.len() * 2);
    for one in all {
        changes.extend([(one.from, true, one.number, of(one)), (one.to, false, one.number, of(one))]);
    }
    changes.stable_sort();
    let mut held = 0;
    changes.into_iter().find_map(|(_, begins, number, count)| {
        if !begins {
            held -= u64::from(count);
            return None;
        }
        held += u64::from(count);
        (held > u64::from(there)).then_some((held, number))
    })
}
