//! The kind of a file, by its content: its name may say anything, or nothing.
//!
//! The first bytes are looked at, after decompression. Each kind has a mark that the other kinds do
//! not have: an element of XML, a key of a JSON object, the columns of a first line, eighteen
//! numbers. What has no such mark is not recognized, and is left to the reader that its name calls
//! for: its messages have a place.

use std::path::Path;

use crate::registry::definition::words;
use crate::text::csv::{self, Field, Row};
use crate::text::{Unpacked, open};
use crate::workflow::read::is_pegasus;

/// Bytes that are looked at.
const LOOKED_AT: usize = 64 * 1024;

words! {
    /// The kind of a file; its meaning is in words that follow "it is".
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Recognized {
        Scenario = "scenario", "a scenario (TOML)";
        Swf = "swf", "a log in the Standard Workload Format";
        Sacct = "sacct", "an accounting dump of Slurm (sacct)";
        SlurmConf = "slurm-conf", "a slurm.conf, the nodes of a site";
        Batsim = "batsim", "a workload of Batsim (JSON)";
        TaskTrace = "task-trace", "a trace of parallel jobs (a JSON object on each line)";
        WfFormat = "wf-format", "a workflow in WfFormat (JSON)";
        Pegasus = "pegasus", "an abstract workflow of Pegasus (YAML)";
        DagText = "dag-text", "a task graph in the text of DAGSim";
        Dax = "dax", "a task graph of Pegasus (DAX, XML)";
        Dot = "dot", "a directed graph in DOT";
        Stg = "stg", "a graph of the Standard Task Graph Set";
        SimgridPlatform = "simgrid-platform", "a platform of SimGrid (XML)";
        SimgridDeployment = "simgrid-deployment", "a deployment of SimGrid (XML)";
        DagGrid = "dag-grid", "a grid of DAGSim (`DagGrid 1`)";
        SweepGrid = "sweep-grid", "a grid of the Parameter Sweep Template (`GridDescription 1`)";
        SweepText = "sweep-text", "an application of the Parameter Sweep Template (`WorkDescription`)";
        Manifest = "manifest", "the manifest of a run or study";
        Results = "results", "a JSON file of results";
        Page = "page", "a page of HTML";
        Table = "table", "a table of comma-separated values";
        Xml = "xml", "XML, but no platform and no deployment of SimGrid";
        Json = "json", "JSON of a kind that is not known";
        Parquet = "parquet", "a Parquet file";
    }
}

impl Recognized {
    /// Command, or key of a scenario, that reads it, in words; `file` is what the command line
    /// calls it.
    pub fn reader(self, file: &str) -> String {
        let key = |kind: &str| {
            format!("a scenario reads it: [workload] with kind = \"{kind}\" and file = \"{file}\"")
        };
        let graph = |kind: &str| {
            format!(
                "`clustersim show workflow {file}` draws it, `clustersim convert {file} graph.dot` writes another format; a scenario \
                 reads it: [application] with kind = \"{kind}\" and file = \"{file}\""
            )
        };
        let log = |kind| format!("`clustersim convert {file} log.swf` makes a log of it; {}", key(kind));
        match self {
            Recognized::Scenario => {
                format!("`clustersim run {file}` runs it, `clustersim validate {file}` checks it")
            }
            Recognized::Swf => format!("`clustersim run {file}` runs it"),
            Recognized::Sacct => log("slurm"),
            Recognized::Batsim => log("batsim"),
            Recognized::TaskTrace => key("task-trace"),
            Recognized::SlurmConf => format!("`clustersim convert {file} site.toml` makes a cluster of it"),
            Recognized::SimgridPlatform | Recognized::DagGrid | Recognized::SweepGrid => {
                format!("`clustersim show platform {file}` draws it; a scenario names it in `platform.file`")
            }
            Recognized::SweepText => {
                format!("a scenario reads it: [application] with kind = \"pst\" and file = \"{file}\"")
            }
            Recognized::SimgridDeployment => "a scenario of agents names it in `deployment.file`".to_owned(),
            Recognized::Manifest => {
                format!("`clustersim run {file}` repeats the run, `clustersim report DIR` shows it")
            }
            Recognized::Results => {
                "`clustersim report DIR` shows the run or study in the directory DIR".to_owned()
            }
            Recognized::Page => "open it in a browser".to_owned(),
            Recognized::Table => {
                format!("`clustersim convert {file} platform.toml` reads measured hosts, links and series")
            }
            Recognized::WfFormat => graph("wfformat"),
            Recognized::Pegasus => graph("pegasus"),
            Recognized::DagText => graph("dag-text"),
            Recognized::Dax => graph("dax"),
            Recognized::Dot => graph("dot"),
            Recognized::Stg => graph("stg"),
            Recognized::Xml | Recognized::Json | Recognized::Parquet => "no command reads it".to_owned(),
        }
    }
}

/// The kind of the file at `path`, if it can be read and has a mark of its kind.
pub fn recognize_file(path: &Path) -> Option<Recognized> {
    recognize(&head_of(path)?)
}

/// The beginning of the file at `path`, unpacked, if it can be read.
pub fn head_of(path: &Path) -> Option<Vec<u8>> {
    let mut unpacked = Unpacked::new(open(path).ok()?).ok()?;
    let mut head = vec![0; LOOKED_AT];
    let mut filled = 0;
    while filled < head.len() {
        match unpacked.read(&mut head[filled..]) {
            Ok(0) | Err(_) => break,
            Ok(count) => filled += count,
        }
    }
    head.truncate(filled);
    Some(head)
}

/// The kind of a text that begins with these bytes.
pub fn recognize(head: &[u8]) -> Option<Recognized> {
    if head.starts_with(b"PAR1") {
        return Some(Recognized::Parquet);
    }
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // the last character may be cut, and comments of logs are in any code
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('<') {
        return Some(markup(text));
    }
    let behind_bracket = text.strip_prefix('[').map(str::trim_start);
    if text.starts_with('{') || behind_bracket.is_some_and(|rest| rest.starts_with('{')) {
        return Some(json(text));
    }
    lines(text)
}

fn markup(text: &str) -> Recognized {
    let has = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let behind = text[at + name.len()..].chars().next();
            behind.is_none_or(|next| next.is_whitespace() || matches!(next, '>' | '/'))
        })
    };
    let lower = text.get(..text.len().min(256)).unwrap_or_default().to_ascii_lowercase();
    if lower.contains("<!doctype html") || lower.contains("<html") {
        return Recognized::Page;
    }
    if has("<adag") {
        return Recognized::Dax;
    }
    match (has("<platform"), has("<actor") || has("<process"), has("<zone") || has("<AS") || has("<host")) {
        (true, true, false) => Recognized::SimgridDeployment,
        (true, ..) => Recognized::SimgridPlatform,
        _ => Recognized::Xml,
    }
}

fn json(text: &str) -> Recognized {
    let key = |name: &str| {
        let quoted = format!("\"{name}\"");
        let mut behind = text.match_indices(&quoted).map(|(at, _)| text[at + quoted.len()..].trim_start());
        behind.any(|rest| rest.starts_with(':'))
    };
    let has_schema = |start: &str| text.contains(&format!("\"clustersim/{start}"));
    match () {
        () if has_schema("manifest/") || has_schema("study-manifest/") => Recognized::Manifest,
        () if has_schema("") => Recognized::Results,
        () if key("schemaVersion") && key("workflow") => Recognized::WfFormat,
        () if is_pegasus(text) => Recognized::Pegasus,
        () if key("arrival") && (key("tasks") || key("steps")) => Recognized::TaskTrace,
        () if key("nb_res") || key("subtime") || (key("jobs") && key("profiles")) => Recognized::Batsim,
        () => Recognized::Json,
    }
}

fn lines(text: &str) -> Option<Recognized> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    if lines.peek()?.starts_with(';') {
        return Some(Recognized::Swf);
    }
    let mut lines = lines.filter(|line| !line.starts_with(['#', ';'])).peekable();
    let first = *lines.peek()?;
    match first.split(|letter: char| !letter.is_ascii_alphanumeric()).next() {
        Some("DagGrid") => return Some(Recognized::DagGrid),
        Some("GridDescription") => return Some(Recognized::SweepGrid),
        Some("WorkDescription") => return Some(Recognized::SweepText),
        Some("DagDescription") => return Some(Recognized::DagText),
        Some("digraph" | "strict") => return Some(Recognized::Dot),
        // behind a comment
        Some("") if first.starts_with('/') && text.contains("digraph") => return Some(Recognized::Dot),
        _ => {}
    }
    if is_pegasus(text) {
        return Some(Recognized::Pegasus);
    }
    if is_stg(text) {
        return Some(Recognized::Stg);
    }
    let numbers = first.split_whitespace().take_while(|word| word.parse::<f64>().is_ok()).count();
    if numbers >= 11 {
        return Some(Recognized::Swf);
    }
    let has_column = |name: &str| first.split(['|', ',']).any(|column| column.eq_ignore_ascii_case(name));
    if first.contains('|') && (has_column("JobID") || has_column("JobIDRaw")) {
        return Some(Recognized::Sacct);
    }
    let is_name = |cell: Field<'_>| {
        let cell = cell.raw();
        !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-. ".contains(&byte))
    };
    let mut head = Row::default();
    let is_table = first.contains(',') && csv::Reader::new(first).read(&mut head).is_ok();
    if is_table && head.cells().all(is_name) {
        return Some(Recognized::Table);
    }
    for line in lines {
        if let Some(mark) = of_line(line) {
            return Some(mark);
        }
    }
    None
}

/// Returns true if a text begins as graphs of that set do: the number of tasks alone, then the
/// root, which has no time and no parents.
fn is_stg(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let count = lines.next().is_some_and(|line| line.parse::<u32>().is_ok());
    count && lines.next().is_some_and(|line| line.split_whitespace().eq(["0", "0", "0"]))
}

/// The kind of file that a line shows: a `Key=Value` of a slurm.conf, or a table or a key of TOML.
fn of_line(line: &str) -> Option<Recognized> {
    const KEYS: [&str; 6] =
        ["nodename", "partitionname", "clustername", "slurmctldhost", "controlmachine", "slurmuser"];
    let (name, _) = line.split_once('=').unwrap_or((line, ""));
    if KEYS.contains(&name.to_ascii_lowercase().as_str()) {
        return Some(Recognized::SlurmConf);
    }
    let is_key = |name: &str| {
        let name = name.trim();
        let part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.\"' ".contains(&byte);
        !name.is_empty() && name.bytes().all(part)
    };
    let header = line.split('#').next().unwrap_or_default().trim_end();
    let header = header.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let header =
        header.map(|inner| inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner));
    // `Key=Value` without blanks may be any configuration
    let assigns = line.contains(" =") || line.contains("= ");
    (header.is_some_and(is_key) || (assigns && is_key(name))).then_some(Recognized::Scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_mark() {
        use Recognized as R;
        for (text, expected) in [
            ("title = \"T\"\n", Some(R::Scenario)),
            ("# a part\n\n[[cluster.group]] # g\nnodes = 2\n", Some(R::Scenario)),
            ("\"policy.backfill\" = [\"none\"]\n", Some(R::Scenario)),
            ("; Version: 2.2\n", Some(R::Swf)),
            ("1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n", Some(R::Swf)),
            ("JobID|User|Submit\n1|u|2026-03-01T00:00:00\n", Some(R::Sacct)),
            ("# site\nClusterName=c\nNodeName=n[1-4] CPUs=4\n", Some(R::SlurmConf)),
            ("SlurmctldTimeout=300\nNodeName=n1 CPUs=4 State=UNKNOWN\n", Some(R::SlurmConf)),
            (r#"{"nb_res": 4, "jobs": [], "profiles": {}}"#, Some(R::Batsim)),
            (r#"{"arrival": "1s", "tasks": 3}"#, Some(R::TaskTrace)),
            (r#"{"name": "w", "schemaVersion": "1.5", "workflow": {}}"#, Some(R::WfFormat)),
            (r#"{"schema": "clustersim/manifest/1", "identity": {}}"#, Some(R::Manifest)),
            (r#"{"schema": "clustersim/summary/1"}"#, Some(R::Results)),
            (r#"[{"a": 1}]"#, Some(R::Json)),
            ("<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\">", Some(R::SimgridPlatform)),
            ("<platform version=\"4.1\"><actor host=\"a\" function=\"f\"/>", Some(R::SimgridDeployment)),
            ("# a grid\nDagGrid 1\nhost a 1 0\n", Some(R::DagGrid)),
            ("DagDescription 1\nnode a 1\n", Some(R::DagText)),
            ("# a grid\nGridDescription 1\n0:ADD_CLUSTER <c> <b> <0>\n", Some(R::SweepGrid)),
            ("WorkDescription 1 1 1\nFile: <0> <f> <1> <1>\n", Some(R::SweepText)),
            ("<?xml version='1.0'?>\n<adag name=\"a\">", Some(R::Dax)),
            ("// a graph\ndigraph G {\n  a [size = \"1\"];\n}\n", Some(R::Dot)),
            ("digraph G{a->b}", Some(R::Dot)),
            ("   2\n 0 0 0\n 1 5 1 0\n", Some(R::Stg)),
            ("<svg xmlns=\"x\"/>", Some(R::Xml)),
            ("<!DOCTYPE html><html>", Some(R::Page)),
            ("host,speed\na,1Gf\n", Some(R::Table)),
            ("\"host\",\"speed\"\na,1Gf\n", Some(R::Table)),
            ("", None),
            ("\0\0\0", None),
            ("some words\nand more\n", None),
        ] {
            assert_eq!(recognize(text.as_bytes()), expected, "{text}");
        }
    }
}
