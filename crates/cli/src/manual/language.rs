//! The scenario language: its values, its keys, its components and the metrics that `[expect]` can
//! bound.
//!
//! A key stands with the system that alone knows its path, a table of components with the system
//! whose keys alone reach it; what several have is common.

use crate::list::plural;
use crate::measure::class;
use crate::measure::family::{ANY_CLASS, Family};
use crate::registry::topic::{Topic, keys_of, reached};
use crate::registry::{Key, Kind, Registry, Row};
use crate::scenario::manual::{Block, Item};
use crate::scenario::metrics::families;
use crate::scenario::{System, added_families, root_keys, schema, systems};

use super::defined;

/// Notation of values. The parser's own words for each kind of value stand with every key.
const VALUES: &[(&str, &str)] = &[
    (
        "quantities",
        "a string with a number and its unit: `\"200us\"`, `\"2h30m\"`, `\"64 GiB\"`, `\"10Gbps\"`, `\"1.5Gf\"`. `b` is a bit and `B` a byte; k, M, G are powers of 1000 and Ki, Mi, Gi powers of 1024",
    ),
    (
        "counts and ratios",
        "a bare number; a share may also be written with `%`, as a string: `0.02` or `\"2%\"`",
    ),
    (
        "components",
        "a table with `kind` and the component's own keys, or only the name: `backfill = \"easy\"` is `backfill = { kind = \"easy\" }`",
    ),
    ("distributions", "a component of the table `distribution`, or a bare value, which is then always drawn"),
    ("paths", "relative to the file they stand in"),
];

/// The chapters about what every scenario may have: values, and the keys and components that are
/// no system's own.
pub(super) fn common(registry: &Registry) -> Vec<Block> {
    let mut blocks = vec![
        Block::Chapter("Scenarios".to_owned()),
        Block::Text(
            "A scenario is a TOML file with kebab-case keys. A key that is not known is an error. On the command \
             line, `--set KEY=VALUE` sets any key: `--set policy.backfill=none`."
                .to_owned(),
        ),
        Block::Section("Values".to_owned()),
    ];
    blocks.extend(VALUES.iter().map(|(name, about)| Block::Item(Item::new(name, about))));
    blocks.push(Block::Section("Keys".to_owned()));
    blocks.push(Block::Text("Keys of all systems, or of several of them.".to_owned()));
    blocks.extend(key_items(registry, None));
    blocks.push(Block::Chapter("Components".to_owned()));
    blocks.push(Block::Text("Components that several systems take.".to_owned()));
    components(registry, None, &mut blocks);
    blocks.extend(metrics());
    blocks
}

/// The sections about the keys, components and metrics of one system.
pub(super) fn of_system(registry: &Registry, system: &dyn System) -> Vec<Block> {
    let mut blocks = vec![Block::Section("Keys".to_owned())];
    blocks.push(Block::Text("Besides the common ones:".to_owned()));
    blocks.extend(key_items(registry, Some(system)));
    components(registry, Some(system), &mut blocks);
    blocks.push(Block::Section(format!("Metrics of {}", system.about())));
    let added = added_families(registry, system);
    let all = families(system).map(Family::definition).chain(added);
    blocks.extend(all.map(|definition| Block::Item(defined(&definition))));
    blocks
}

/// The keys at paths that only this system knows, or without one those of several and of all.
fn key_items(registry: &Registry, system: Option<&dyn System>) -> Vec<Block> {
    let paths =
        |keys: &[Key]| -> Vec<String> { keys_of(keys).iter().map(|topic| topic.name().to_owned()).collect() };
    let common = paths(&[schema::FIRST, schema::LAST].concat());
    let known: Vec<(&str, Vec<String>)> =
        systems(registry).iter().map(|system| (system.name(), paths(system.keys()))).collect();
    let owner = |path: &str| {
        let mut of = known.iter().filter(|(_, paths)| paths.iter().any(|known| known == path));
        let first = of.next().filter(|_| of.next().is_none() && !common.iter().any(|known| known == path));
        first.map(|(name, _)| *name)
    };
    let topics = keys_of(root_keys(registry));
    let items = topics.iter().filter_map(|topic| match topic {
        Topic::Key { path, key } if owner(path) == system.map(<dyn System>::name) => {
            Some(Block::Item(Item::of_key(path, key)))
        }
        _ => None,
    });
    items.collect()
}

/// Sections about the tables of components that only this system reaches, or without one about all
/// others.
fn components(registry: &Registry, system: Option<&dyn System>, blocks: &mut Vec<Block>) {
    let common = reached(registry, &[schema::FIRST, schema::LAST].concat());
    let by_system: Vec<_> =
        systems(registry).iter().map(|system| (system.name(), reached(registry, system.keys()))).collect();
    let owner = |table: &str| {
        let mut of = by_system.iter().filter(|(_, reached)| reached.contains(table));
        let first = of.next().filter(|_| of.next().is_none() && !common.contains(table));
        first.map(|(name, _)| *name)
    };
    for table in registry.tables().filter(|table| owner(table.name()) == system.map(<dyn System>::name)) {
        blocks.push(Block::Section(plural(table.name())));
        blocks.push(Block::Text(format!("Table `{}`: {}.", table.name(), table.about())));
        if let Some((kind, key)) = table.bare() {
            blocks.push(Block::Text(format!(
                "A bare value stands for `{kind}` with that value as its `{key}`."
            )));
        }
        if let Some((kind, key)) = table.listed() {
            blocks.push(Block::Text(format!("A list stands for `{kind}` with that list as its `{key}`.")));
        }
        for row in table.rows() {
            component(blocks, table.name(), &row);
        }
    }
}

/// The chapter about what all metrics have.
fn metrics() -> Vec<Block> {
    let text = "Every figure of a run has a family: its formula, its unit (the one that results are in and bounds of \
                `[expect]` without a unit are read in), which values are better, which jobs and what window it is of, and \
                in which runs it is observed. A metric without observations is null, and satisfies no bound. The families \
                stand with their systems.";
    let classes = format!(
        "Of each class of jobs (`record.classes`, or the classes of a workload of tasks), where there are several: \
         `{ANY_CLASS}METRIC`, which is METRIC of the jobs of the class NAME alone. METRIC is one of {}.",
        class::METRICS.map(|metric| format!("`{metric}`")).join(", ")
    );
    vec![Block::Chapter("Metrics".to_owned()), Block::Text(text.to_owned()), Block::Text(classes)]
}

fn component(blocks: &mut Vec<Block>, table: &str, row: &Row) {
    let mut item = Item::new(&format!("{table} \"{}\"", row.name), row.about);
    if let Some(preset) = row.preset {
        let set: Vec<String> =
            preset.set.iter().map(|(name, value)| format!("{name} = \"{value}\"")).collect();
        item =
            item.labelled("stands for", &format!("`{{ kind = \"{}\", {} }}`", preset.kind, set.join(", ")));
    }
    if !row.source.is_empty() {
        item = item.labelled("source", row.source);
    }
    blocks.push(Block::Item(item));
    if row.preset.is_none() {
        keys(blocks, &format!("{table}[{}].", row.name), row.keys);
    }
}

fn keys(blocks: &mut Vec<Block>, prefix: &str, keys_of: &[Key]) {
    for key in keys_of {
        let path = format!("{prefix}{}", key.name);
        blocks.push(Block::Item(Item::of_key(&path, key)));
        keys(blocks, &format!("{path}."), key.kind.keys());
        if let Kind::Map(&Kind::Table(inner)) = key.kind {
            keys(blocks, &format!("{path}.NAME."), inner);
        }
    }
}
