//! `list`: the components that a scenario may name, table by table.

use serde_json::{Value as Json, json};

use crate::args::List;
use crate::failure::Failure;
use crate::registry::{Catalogue, Complaint, Registry, Row, code, suggestion};
use crate::{print, print_json};

pub(super) fn list(registry: &Registry, args: &List) -> Result<(), Failure> {
    let tables = match &args.table {
        None => registry.tables().collect(),
        Some(asked) => vec![named(registry, asked)?],
    };
    if args.json {
        let all: serde_json::Map<String, Json> =
            tables.iter().map(|table| (plural(table.name()), json(*table))).collect();
        let object = json!({ "schema": "clustersim/list/1", "tables": all });
        return print_json(&object);
    }
    let mut text = String::new();
    for (index, table) in tables.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        text += &format!("{}: {}\n", plural(table.name()), table.about());
        let rows = table.rows();
        let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
        for row in rows {
            text += &format!("  {:width$}  {}\n", row.name, row.about);
        }
    }
    print(&text)
}

fn named<'a>(registry: &'a Registry, asked: &str) -> Result<&'a dyn Catalogue, Failure> {
    let found = registry.tables().find(|table| plural(table.name()) == asked || table.name() == asked);
    found.ok_or_else(|| {
        let names: Vec<String> = registry.tables().map(|table| plural(table.name())).collect();
        let complaint = Complaint::nowhere(code::UNKNOWN_NAME, format!("there are no `{asked}` to list"));
        let known = suggestion(asked, names.iter().map(String::as_str));
        Failure::usage(complaint.help(format!("{known}; `clustersim list` shows them all")))
    })
}

fn json(table: &dyn Catalogue) -> Json {
    let rows: Vec<Json> = table.rows().iter().map(row).collect();
    json!({ "about": table.about(), "components": rows })
}

fn row(row: &Row) -> Json {
    let keys: Vec<Json> = row
        .keys
        .iter()
        .map(|key| json!({ "name": key.name, "unit": key.kind.unit(), "about": key.about, "source": key.source }))
        .collect();
    json!({ "name": row.name, "about": row.about, "source": row.source, "keys": keys })
}

/// The English plural of a table's name.
pub(super) fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if name.ends_with('s') => format!("{name}es"),
        None => format!("{name}s"),
    }
}
