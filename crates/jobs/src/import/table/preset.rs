//! Mappings of public sources, each a text in the language of scenarios.

use crate::registry::{
    Complaint, Key, KeyValue, Kind, Node, Params, Sources, Span, Tree, Value, check, keys, parse_file,
};

use super::keys::COLUMNS;
use super::mapping::Mapping;

/// The sources, each with its text.
macro_rules! presets {
    ($($name:literal, $about:literal;)*) => {
        /// The names of the sources, each with its meaning.
        pub(super) const NAMES: &[(&str, &str)] = &[$(($name, $about)),*];

        /// The text of each source.
        const TEXTS: &[&str] = &[$(include_str!(concat!("presets/", $name, ".toml"))),*];
    };
}

presets! {
    "acme", "Acme, Shanghai AI Laboratory: Seren and Kalos, 2023 (CSV)";
    "adastra", "Adastra MI250, CINES, 2024 (Parquet)";
    "alcf", "ALCF DIM_JOB_COMPOSITE: Mira, Theta, Polaris, Aurora (CSV)";
    "eagle", "Eagle, NREL, 2018 to 2023 (CSV, JSON, Parquet)";
    "f-data", "F-DATA: Fugaku, 2021 to 2024 (Parquet)";
    "gavel", "Gavel's traces of Philly's sizes, whose `run-time` must be written (TSV)";
    "gfs-2026", "Alibaba's cluster of spot jobs, GFS, 2026 (CSV)";
    "helios", "Helios, SenseTime, 2020 (CSV)";
    "kestrel", "Kestrel, NREL, as its operators read it (Parquet)";
    "lassen", "Lassen, LLNL: the table of allocations (CSV)";
    "m100", "M100, CINECA: the raw table of jobs of ExaData (Parquet)";
    "opendc", "OpenDC's tasks (Parquet)";
    "openb", "openb, Alibaba's cluster of GPUs, 2023: pods (CSV)";
    "philly", "Philly, Microsoft, 2017 (JSON)";
    "pm100", "PM100: jobs of M100 that had nodes alone, 2020 (Parquet)";
    "supercloud", "MIT Supercloud, 2021: the scheduler's log (CSV)";
    "surf-lisa", "SURF Lisa, 2022, as CSV of OpenDC's columns with their units";
}

const PRESET: &[Key] = &keys! {
    "workload" Kind::Table(&keys! {
        "columns" Kind::Table(COLUMNS) => "the mapping";
        "machine-columns" Kind::Table(COLUMNS), absent "the source has no table of nodes" => "that of its nodes";
    }) => "the workload";
};

/// The columns of a source, or those of its nodes if it has a table of them, all at `span`.
fn columns(params: &Params<'_>, name: &str, of: &str, span: Span) -> Option<Node> {
    let place = NAMES.iter().position(|(known, _)| *known == name).expect("a checked choice");
    let mut sources = Sources::new("");
    let id = sources.add(name, TEXTS[place], "");
    let mut complaints = Vec::new();
    let tree = parse_file(TEXTS[place], id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let checked = check(params.registry(), &sources, &node, PRESET, &mut complaints);
    let checked = checked.unwrap_or_else(|| panic!("the preset {name} is a mapping: {complaints:?}"));
    checked.at(of).map(|columns| columns.clone().placed(span))
}

/// The mapping of the nodes of the source that a workload is like.
///
/// # Errors
/// A table like no source, or like one without a table of nodes.
pub(super) fn of_nodes(params: &Params<'_>) -> Result<Mapping, Complaint> {
    let name: Option<String> = params.read("like")?;
    let of_source = |name: &str| columns(params, name, "workload.machine-columns", params.span("like"));
    match name.as_deref().and_then(of_source) {
        Some(columns) => Mapping::of_nodes(&params.with(&columns)),
        None => Err(params
            .complaint("machine", "no table of nodes of this source is known")
            .help("describe the nodes by [[cluster.group]]; tables are known of openb and gfs-2026")),
    }
}

/// The columns of a workload: its own keys, over those of the source it is like.
///
/// # Errors
/// The name of the source is no text.
pub(super) fn merged(params: &Params<'_>) -> Result<Node, Complaint> {
    let own = params.tree().get("columns");
    let mut tree = own.and_then(Node::as_table).cloned().unwrap_or_default();
    let at = if own.is_some() { "columns" } else { "kind" };
    if let Some(name) = params.read::<Option<String>>("like")? {
        let preset = columns(params, &name, "workload.columns", params.span("like"));
        let slots = preset.as_ref().and_then(Node::as_table).map_or(&[][..], Tree::slots);
        let missing: Vec<KeyValue> =
            slots.iter().filter(|slot| is_missing(&tree, &slot.name)).cloned().collect();
        missing.into_iter().for_each(|slot| tree.put(slot));
    }
    Ok(Node::new(Value::Table(tree), params.span(at)))
}

/// Returns true if a key of a source holds for a table with keys of its own.
fn is_missing(own: &Tree, name: &str) -> bool {
    // a first line names the columns itself
    let named =
        name == "names" && own.get("header").is_some_and(|header| header.value == Value::Boolean(true));
    own.get(name).is_none() && !named
}
