//! The systems of a registry: what they know together, and which of them a scenario is of.

use std::sync::OnceLock;

use crate::output::Table;
use crate::registry::{
    Complaint, Complaints, Key, Kind, Node, Registry, Tree, Value, code, suggestion, unknown_key,
};
use crate::scenario::file_kind::FileKind;
use crate::scenario::record_all::record_all;
use crate::scenario::schema;
use crate::scenario::system::{AsWritten, System};

/// The systems of a registry, in the order of registration.
#[derive(Default)]
struct Systems {
    systems: Vec<&'static dyn System>,
    /// Every key at the root of some scenario.
    root: OnceLock<Vec<Key>>,
}

/// Adds a system to those that scenarios can simulate, and its tables of components to the
/// registry.
///
/// # Panics
/// If one of that name is there: a mistake of the program.
pub fn register(registry: &mut Registry, system: &'static dyn System) {
    let all: &mut Systems = registry.extension_mut();
    let known = all.systems.iter().any(|known| known.name() == system.name());
    assert!(!known, "the system `{}` is registered twice", system.name());
    all.systems.push(system);
    (system.data().components)(registry);
}

/// The registered systems, in order.
pub fn systems(registry: &Registry) -> &[&'static dyn System] {
    registry.extension::<Systems>().map_or(&[], |all| &all.systems)
}

/// The kinds of files of all systems of a registry; of several of a name the first.
pub fn file_kinds(registry: &Registry) -> Vec<&'static dyn FileKind> {
    let mut kinds: Vec<&'static dyn FileKind> = Vec::new();
    for kind in systems(registry).iter().flat_map(|system| system.data().file_kinds) {
        if kinds.iter().all(|known| known.name() != kind.name()) {
            kinds.push(*kind);
        }
    }
    kinds
}

/// The declaration of every table that a run may hand over, system by system.
pub fn tables(registry: &Registry) -> Vec<Table> {
    systems(registry).iter().flat_map(|system| system.tables()).collect()
}

/// Every key that some scenario may have at its root; tables of several systems are united.
pub fn root_keys(registry: &Registry) -> &[Key] {
    let Some(all) = registry.extension::<Systems>() else { return schema::FIRST };
    all.root.get_or_init(|| {
        let mut keys = vec![schema::INCLUDE];
        keys.extend(schema::FIRST);
        all.systems.iter().flat_map(|system| system.keys()).for_each(|key| join(&mut keys, key));
        keys.extend(schema::LAST);
        keys
    })
}

/// Adds a key, or what a table or component of the same name does not have yet.
fn join(keys: &mut Vec<Key>, key: &Key) {
    let Some(known) = keys.iter_mut().find(|known| known.name == key.name) else {
        keys.push(*key);
        return;
    };
    // what is leaked is leaked once a registry
    match (&known.kind, &key.kind) {
        (Kind::Table(own), Kind::Table(more)) => {
            let mut union = own.to_vec();
            union.extend(more.iter().filter(|key| own.iter().all(|known| known.name != key.name)));
            if union.len() > own.len() {
                known.kind = Kind::Table(union.leak());
            }
        }
        (Kind::Component(own), Kind::Component(more)) if own != more => {
            known.kind = Kind::ComponentOfAny(vec![*own, *more].leak());
        }
        (Kind::ComponentOfAny(own), Kind::Component(more)) if !own.contains(more) => {
            known.kind = Kind::ComponentOfAny([own, &[*more][..]].concat().leak());
        }
        _ => {}
    }
}

/// Returns true if the component written under a key is none of the table that this key takes it
/// from, but one of `others`.
fn is_component_of_others(
    registry: &Registry,
    tree: &Tree,
    key: &Key,
    others: impl Iterator<Item = Key>,
) -> bool {
    let Some(slot) = tree.slot(key.name) else { return false };
    let Some(written) = slot.node.as_text().or_else(|| slot.node.text_at("kind")) else { return false };
    let is_of = |key: &Key| match key.kind {
        Kind::Component(table) => {
            registry.find(table).is_some_and(|table| table.rows().iter().any(|row| row.name == written))
        }
        _ => false,
    };
    matches!(key.kind, Kind::Component(_)) && !is_of(key) && others.into_iter().any(|key| is_of(&key))
}

/// A scenario as written and the system that it is of.
pub(super) struct Claimed {
    pub(super) system: &'static dyn System,
    /// The scenario without the tables that mean nothing in a scenario of that system.
    pub(super) root: Node,
    /// A complaint of each such table.
    pub(super) foreign: Vec<Complaint>,
}

/// The system that a scenario as written is of, by its tables: of several that claim it one that
/// knows the components that are written, then one that has what it requires, then the one with the
/// most tables, and the first of these; the tables of the others are complained of.
///
/// # Errors
/// None claims it.
pub(super) fn system_of(written: &AsWritten<'_>) -> Result<Claimed, Vec<Complaint>> {
    let AsWritten { registry, root, .. } = *written;
    let empty = Tree::default();
    let tree = root.as_table().unwrap_or(&empty);
    let all = systems(registry);
    let claim = |system: &dyn System| system.claims().iter().find_map(|key| tree.slot(key));
    let owns = |system: &dyn System, name: &str| system.keys().iter().any(|key| key.name == name);
    let tables = |system: &dyn System| tree.slots().iter().filter(|slot| owns(system, &slot.name)).count();
    let is_complete = |system: &dyn System| system.required().iter().all(|key| tree.slot(key).is_some());
    let detail = tree.slot(schema::DETAIL.name).and_then(|slot| Some((slot, slot.node.as_text()?)));
    if let Some((slot, name)) = detail
        && all.iter().all(|system| system.name() != name)
    {
        let complaint =
            Complaint::new(code::UNKNOWN_NAME, format!("no system is called `{name}`"), slot.node.span);
        return Err(vec![complaint.help(suggestion(name, all.iter().map(|system| system.name())))]);
    }
    let is_named = |system: &dyn System| detail.is_none_or(|(_, name)| system.name() == name);
    let knows = |system: &dyn System| {
        let keys = |name: &'static str| {
            all.iter().flat_map(|other| other.keys()).filter(move |key| key.name == name)
        };
        !system.keys().iter().any(|key| is_component_of_others(registry, tree, key, keys(key.name).copied()))
    };
    let claim = |system: &dyn System| match detail {
        Some((slot, _)) => is_named(system).then_some(slot),
        None => claim(system),
    };
    let claims = all.iter().rev().filter_map(|system| Some((*system, claim(*system)?)));
    let Some((system, said)) =
        claims.max_by_key(|(system, _)| (knows(*system), is_complete(*system), tables(*system)))
    else {
        return Err(unclaimed(written));
    };
    let is_of_another = |name: &str| !owns(system, name) && all.iter().any(|other| owns(*other, name));
    let mut own = tree.clone();
    let mut foreign = Vec::new();
    for slot in tree.slots().iter().filter(|slot| is_of_another(&slot.name)) {
        own.take(&slot.name);
        let message = format!("`{}` means nothing in a scenario of {}", slot.name, system.about());
        let complaint = Complaint::new(code::CONTRADICTION, message, slot.span).label("take it out");
        let note = format!("`{}` says that {} are simulated", said.name, system.about());
        foreign.push(complaint.note(note, Some(said.span)));
    }
    record_all(system.judged_by(&own), &mut own);
    Ok(Claimed { system, root: Node::new(Value::Table(own), root.span), foreign })
}

/// Complaints about a scenario that no system claims: keys that are not known, or that no key
/// states the system; and about the keys that every scenario has.
fn unclaimed(written: &AsWritten<'_>) -> Vec<Complaint> {
    let AsWritten { registry, root, .. } = *written;
    let empty = Tree::default();
    let tree = root.as_table().unwrap_or(&empty);
    let mut wrong = Complaints::new();
    let known = root_keys(registry).iter().map(|key| key.name);
    // of these every key that some system has is checked
    let of_all: Vec<Key> = root_keys(registry)
        .iter()
        .filter(|key| [schema::RUN.name, schema::RECORD.name].contains(&key.name))
        .copied()
        .collect();
    let of_all = schema::whole_keys(&of_all, &[]);
    let mut shared = Tree::default();
    let mut near = None;
    for slot in tree.slots() {
        if of_all.iter().any(|key| key.name == slot.name) {
            shared.put(slot.clone());
        } else if known.clone().all(|key| key != slot.name) {
            wrong.push_with(|| unknown_key(slot, known.clone()));
        } else {
            near = near.or(Some(slot));
        }
    }
    let is_misspelt = !wrong.is_empty();
    let mut complaints = Vec::from(wrong);
    let shared = Node::new(Value::Table(shared), root.span);
    written.check(&shared, &of_all, &mut complaints);
    if !is_misspelt {
        // a table that only some systems have stands for what its author meant
        let fits = |system: &&&dyn System| {
            near.is_none_or(|slot| system.keys().iter().any(|key| key.name == slot.name))
        };
        let of = systems(registry).iter().filter(fits).map(|system| {
            let keys: Vec<String> = system.claims().iter().map(|key| format!("`{key}`")).collect();
            format!("{} for {}", keys.join(" or "), system.about())
        });
        let of: Vec<String> = of.collect();
        let span = near.map_or(root.span, |slot| slot.span);
        let complaint = Complaint::new(code::MISSING_KEY, "nothing says what is simulated", span);
        complaints.push(complaint.help(format!("write {}", of.join(", or "))));
    }
    complaints
}
