//! Words that components of another crate add to the results of a system: metrics, and columns of
//! its tables. Their names begin with that of the component and a dot.

use crate::measure::family::Family;
use crate::output::{Column, Table};
use crate::registry::Registry;
use crate::registry::definition::Definition;
use crate::scenario::system::System;

/// Metrics and columns that a component adds to the results of a system.
#[derive(Clone, Copy, Debug)]
pub struct Addition {
    /// Name of the component.
    pub name: &'static str,
    /// Families of its metrics.
    pub families: &'static [Family],
    /// Name of the system to whose results it adds them.
    pub system: &'static str,
    /// Table to which it adds columns.
    pub table: &'static str,
    /// These columns.
    pub columns: &'static [Column],
}

/// The additions of a registry, in order.
#[derive(Default)]
struct Additions(Vec<Addition>);

/// Adds words of a component to those that are listed and explained.
pub fn declare(registry: &mut Registry, addition: Addition) {
    registry.extension_mut::<Additions>().0.push(addition);
}

fn additions(registry: &Registry) -> &[Addition] {
    registry.extension::<Additions>().map_or(&[], |all| &all.0)
}

/// Name of a word of a component.
pub fn own_name(of: &str, name: &str) -> String {
    format!("{of}.{name}")
}

/// Columns of a component under the names that they have in a table.
pub fn own_columns(of: &str, columns: &[Column]) -> Vec<Column> {
    let named = |column: &Column| Column { name: own_name(of, &column.name).into(), ..column.clone() };
    columns.iter().map(named).collect()
}

/// The tables of a system with the columns that components add to them.
pub fn with_additions(registry: &Registry, system: &dyn System) -> Vec<Table> {
    let added = |table: Table| {
        let own = to(registry, system).filter(|one| one.table == table.name);
        let columns: Vec<Column> = own.flat_map(|one| own_columns(one.name, one.columns)).collect();
        table.with(columns)
    };
    system.tables().into_iter().map(added).collect()
}

/// The additions to the results of a system.
fn to<'a>(registry: &'a Registry, system: &dyn System) -> impl Iterator<Item = &'a Addition> {
    let name = system.name();
    additions(registry).iter().filter(move |one| one.system == name)
}

/// The definitions of metrics that components add.
pub(super) fn metrics(registry: &Registry) -> Vec<Definition> {
    additions(registry).iter().flat_map(|one| defined(one, Family::definitions)).collect()
}

/// The definitions of families of metrics that components add to the results of a system.
pub fn added_families(registry: &Registry, system: &dyn System) -> Vec<Definition> {
    to(registry, system).flat_map(|one| defined(one, |family| vec![family.definition()])).collect()
}

fn defined(one: &Addition, of: impl Fn(&Family) -> Vec<Definition>) -> Vec<Definition> {
    let named = |definition: Definition| Definition {
        name: own_name(one.name, &definition.name).into(),
        ..definition
    };
    one.families.iter().flat_map(of).map(named).collect()
}
