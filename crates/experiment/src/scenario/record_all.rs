//! `record.all`: one switch for every file that `check` judges a run by.

use crate::registry::{Tree, Value};
use crate::scenario::schema;

/// Puts the keys of the files that the system of the scenario is judged by, `names`, in the place
/// of `record.all`.
///
/// A value of the wrong type stays, and is reported with those of all other keys.
pub(super) fn record_all(names: &'static [&'static str], root: &mut Tree) {
    let Some(record) = root.table_mut(schema::RECORD.name) else { return };
    let Some(slot) = record.slot(schema::ALL.name) else { return };
    let (span, Value::Boolean(on)) = (slot.span, &slot.node.value) else { return };
    let names = if *on { names } else { &[] };
    record.take(schema::ALL.name);
    names.iter().for_each(|name| record.set(name, span, Value::Boolean(true)));
}
