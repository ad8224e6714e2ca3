//! Mappings of public sources, each a text in the language of scenarios.

use crate::registry::{
    Complaint, Key, KeyValue, Kind, Node, Params, Registry, Sources, Span, Tree, Value, check, keys,
    parse_file,
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
    "torque", "accounting logs of Torque and PBS: Blue Waters, and those of many sites (text)";
}

const PRESET: &[Key] = &keys! {
    "workload" Kind::Table(&keys! {
        "columns" Kind::Table(COLUMNS), absent "its jobs are in several tables" => "the mapping";
        "machine-columns" Kind::Table(COLUMNS), absent "the source has no table of nodes" => "that of its nodes";
    }) => "the workload";
    "machine" Kind::Table(&keys! {
        "procs" Kind::Count { least: 1, most: u32::MAX as u64 } => "its size, in what jobs are sized by";
        "about" Kind::Text => "its nodes, in a sentence";
    }), absent "its size is not known" => "the machine";
};

/// Tables of nodes of sources whose jobs no mapping reads.
const NODES: [(&str, &str); 1] = [("pai", include_str!("presets/nodes/pai.toml"))];

/// The machine of a source, as far as it is known without a table of its nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceMachine {
    /// Processors; nodes where jobs are sized by these.
    pub procs: u32,
    /// Its nodes, in a sentence.
    pub about: String,
}

/// The text of a source.
fn text_of(name: &str) -> Option<&'static str> {
    let place = NAMES.iter().position(|(known, _)| *known == name);
    let other = || NODES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    place.map(|place| TEXTS[place]).or_else(other)
}

/// Calls `read` with the keys of a source; `None` if the source is not known.
fn with_keys<T>(registry: &Registry, name: &str, read: impl FnOnce(&Params<'_>) -> T) -> Option<T> {
    let text = text_of(name)?;
    let mut sources = Sources::new("");
    let id = sources.add(name, text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let checked = check(registry, &sources, &node, PRESET, &mut complaints);
    let checked = checked.unwrap_or_else(|| panic!("the preset {name} is a mapping: {complaints:?}"));
    Some(read(&Params::new(registry, &sources, &checked)))
}

/// The columns of a source, or those of its nodes if it has a table of them, all at `span`.
fn columns(params: &Params<'_>, name: &str, of: &str, span: Span) -> Option<Node> {
    let placed = |keys: &Params<'_>| keys.tree().at(of).map(|columns| columns.clone().placed(span));
    with_keys(params.registry(), name, placed).flatten()
}

/// The mapping of the table of nodes of a source, if it has one.
pub(super) fn nodes_of(name: &str) -> Option<Mapping> {
    let read = |keys: &Params<'_>| {
        let columns = keys.tree().at("workload.machine-columns")?.clone();
        Some(Mapping::of_nodes(&keys.with(&columns)).expect("a right mapping"))
    };
    with_keys(&Registry::new(), name, read).flatten()
}

/// The machine of a source, as far as it is known without a table of its nodes.
pub fn source_machine(name: &str) -> Option<SourceMachine> {
    let read = |keys: &Params<'_>| {
        keys.tree().get("machine")?;
        let machine = keys.section("machine");
        let procs = machine.read("procs").expect("a checked count");
        Some(SourceMachine { procs, about: machine.read("about").expect("a checked text") })
    };
    with_keys(&Registry::new(), name, read).flatten()
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
            .help("describe the nodes by [[cluster.group]]; tables are known of openb, gfs-2026 and philly")),
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
