//! Task graphs as a kind of file: what `show workflow` draws and states, and `convert` writes.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::kernel::rng::Streams;
use crate::model::grid::{CoresUsed, Grid};
use crate::output::Drawing;
use crate::output::number::{grouped, plain, span};
use crate::platform::described::{self, PLATFORM};
use crate::registry::{Complaint, Key, Params};
use crate::report::drawing::label::prefixed;
use crate::scenario::recognition::{JSON, XML};
use crate::scenario::{FileContent, FileFormat, FileKind};
use crate::system::assembly::means;
use crate::system::drawing::drawing;
use crate::system::keys::APPLICATION;
use crate::units::Speed;
use crate::workflow::read::{GraphFormat, marks};
use crate::workflow::report::GraphReport;
use crate::workflow::source::{CopyRequest, WorkflowSource};
use crate::workflow::write::{WriteOptions, losses, write};
use crate::workflow::{MeanCosts, Workflow};

/// Tasks that are drawn one by one.
const DRAWN: usize = 1_000;
/// Names of the critical path that are stated.
const NAMED: usize = 8;

/// Graphs of tasks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Graphs;

const FORMAT: FileFormat =
    FileFormat { name: "", about: "", marks: &[], endings: &[], is_written: true, whole: &[], unread: "" };

const FORMATS: &[FileFormat] = &[
    FileFormat {
        name: "dag-text",
        about: "The text of DAGSim",
        marks: &[&marks::DAG_TEXT],
        endings: GraphFormat::DagText.endings(),
        ..FORMAT
    },
    FileFormat {
        name: "dax",
        about: "An abstract DAG of Pegasus (XML)",
        marks: &[&marks::DAX, &XML],
        endings: GraphFormat::Dax.endings(),
        whole: &[("cores", "file")],
        unread: "arguments, profiles other than `cores`, and versions of jobs are not carried over",
        ..FORMAT
    },
    FileFormat {
        name: "dot",
        about: "A directed graph of Graphviz",
        marks: &[&marks::DOT],
        endings: GraphFormat::Dot.endings(),
        whole: &[("cores", "file")],
        ..FORMAT
    },
    FileFormat {
        name: "pegasus",
        about: "An abstract workflow of Pegasus 5 (YAML)",
        marks: &[&marks::PEGASUS],
        endings: GraphFormat::Pegasus.endings(),
        whole: &[("cores", "file"), ("memory", "respect")],
        unread: "arguments, catalogues, hooks and other profiles are not carried over",
        ..FORMAT
    },
    FileFormat {
        name: "stg",
        about: "A graph of the Standard Task Graph Set",
        marks: &[&marks::STG],
        endings: GraphFormat::Stg.endings(),
        ..FORMAT
    },
    FileFormat {
        name: "wfformat",
        about: "A workflow of WfCommons (JSON)",
        marks: &[&marks::WFFORMAT, &JSON],
        endings: GraphFormat::WfFormat.endings(),
        whole: &[("cores", "file"), ("memory", "respect")],
        unread: "machines, commands and other measurements are not carried over",
        ..FORMAT
    },
];

/// A ratio, however small.
fn ratio(value: f64) -> String {
    if value > 0.0 && value < 0.001 { format!("{value:.1e}") } else { plain(value) }
}

/// Number of tasks of several cores, and the most cores of one, in words behind the number of
/// tasks; empty if there are none.
fn several_cores(workflow: &Workflow) -> String {
    let cores = workflow.tasks().iter().map(|task| task.cores).filter(|cores| *cores > 1);
    match cores.clone().max() {
        Some(most) => {
            let count = grouped(cores.count() as u64);
            format!(", {count} of them on several cores, at most {}", grouped(u64::from(most)))
        }
        None => String::new(),
    }
}

fn format(name: &str) -> GraphFormat {
    let known = GraphFormat::ALL.into_iter().find(|format| format.name() == name);
    known.expect("the formats of the kind are those of graphs")
}

impl FileKind for Graphs {
    fn name(&self) -> &'static str {
        "workflow"
    }

    fn about(&self) -> &'static str {
        "A graph of tasks, in layers"
    }

    fn tables(&self) -> &'static [Key] {
        &[APPLICATION, PLATFORM]
    }

    fn formats(&self) -> &'static [FileFormat] {
        FORMATS
    }

    fn read(&self, params: &Params<'_>, streams: &Streams) -> Result<Box<dyn FileContent>, Vec<Complaint>> {
        let application = params.section("application");
        let source: Box<dyn WorkflowSource> = params.component("application", "application")?;
        let name: String = application.read("kind")?;
        let grid = if params.has("platform") {
            let described = described::read(&params.section("platform"), streams)?;
            Some(Grid::new(Arc::new(described.platform), CoresUsed::All))
        } else {
            None
        };
        let hosts = grid.iter().flat_map(|grid| grid.platform().hosts());
        let hosts: Vec<&str> = hosts.map(|host| host.name.as_str()).collect();
        let means = grid.as_ref().map_or_else(MeanCosts::default, means);
        let request = CopyRequest { hosts: &hosts, means, ..CopyRequest::new(*streams, &name) };
        let loaded = source.load(&request)?;
        let reference = if application.has("reference-speed") {
            Some(application.read::<Speed>("reference-speed")?.flops_per_sec())
        } else {
            None
        };
        // times in the file are those at its reference speed, unless there is a platform
        let means = match (reference, &grid) {
            (Some(speed), None) => MeanCosts { speed, ..means },
            _ => means,
        };
        let words = |one: &crate::workflow::Irregularities| {
            format!("{}, the first of them `{}`", one.what.words(one.count), one.first)
        };
        let warnings = loaded.irregularities.iter().map(words).collect();
        let options = WriteOptions::default();
        let options =
            WriteOptions { reference_speed: reference.unwrap_or(options.reference_speed), ..options };
        Ok(Box::new(Graph {
            report: GraphReport::new(&loaded.workflow, &means),
            workflow: loaded.workflow,
            means,
            on_platform: grid.is_some(),
            options,
            warnings,
        }))
    }
}

/// A graph that was read or drawn.
struct Graph {
    workflow: Workflow,
    report: GraphReport,
    means: MeanCosts,
    on_platform: bool,
    options: WriteOptions,
    warnings: Vec<String>,
}

impl Graph {
    fn path(&self) -> Vec<&str> {
        self.report.path.iter().map(|task| &*self.workflow.task(*task).name).collect()
    }
}

impl FileContent for Graph {
    fn about(&self) -> String {
        let [tasks, edges] = [self.report.tasks, self.report.edges].map(grouped);
        format!("{tasks} tasks, {edges} edges")
    }

    fn drawing(&self) -> Drawing {
        drawing(&self.workflow, self.means.speed, DRAWN)
    }

    fn json(&self, title: &str) -> Json {
        let report = &self.report;
        json!({
            "schema": "clustersim/workflow/1", "title": title, "tasks": report.tasks, "edges": report.edges,
            "control-edges": report.control_edges, "depth": report.depth(), "width": report.width(), "levels": report.levels,
            "work": report.work, "bytes": report.bytes, "input-bytes": report.input_bytes, "output-bytes": report.output_bytes,
            "ccr": report.ccr, "path": self.path(), "path-seconds": report.path_seconds,
            "speed": self.means.speed, "latency": self.means.latency, "seconds-per-byte": self.means.seconds_per_byte,
        })
    }

    fn facts(&self) -> Vec<(&'static str, Option<String>)> {
        let report = &self.report;
        let bytes = |bytes: u64| prefixed(bytes as f64, "B");
        let edges = match report.control_edges {
            0 => grouped(report.edges),
            none => format!("{}, {} of them without data", grouped(report.edges), grouped(none)),
        };
        let speed = prefixed(self.means.speed, "f");
        let by = if self.on_platform {
            "by mean costs of the platform".to_owned()
        } else {
            format!("at {speed} and {}", prefixed(1.0 / self.means.seconds_per_byte, "Bps"))
        };
        let path = self.path();
        let shown = match &path[..] {
            [first @ .., last] if path.len() > NAMED => format!("{} … {last}", first[..NAMED - 1].join(" ")),
            few => few.join(" "),
        };
        let seconds = report.work / self.means.speed;
        vec![
            ("tasks", Some(format!("{}{}", grouped(report.tasks), several_cores(&self.workflow)))),
            ("edges", Some(edges)),
            ("depth", Some(format!("{} levels", grouped(report.depth())))),
            ("width", Some(format!("{} tasks on the widest level", grouped(report.width())))),
            ("work", Some(format!("{}, {} at {speed}", prefixed(report.work, "flop"), span(seconds)))),
            (
                "data",
                Some(format!(
                    "{} on edges, {} from outside, {} left at the end",
                    bytes(report.bytes),
                    bytes(report.input_bytes),
                    bytes(report.output_bytes)
                )),
            ),
            ("CCR", report.ccr.map(|ccr| format!("{} {by}", ratio(ccr)))),
            (
                "path",
                Some(format!(
                    "{} tasks, {} at {speed}: {shown}",
                    grouped(path.len() as u64),
                    span(report.path_seconds)
                )),
            ),
        ]
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn losses(&self, to: &str) -> Vec<String> {
        losses(&self.workflow, format(to)).iter().map(ToString::to_string).collect()
    }

    fn write(&self, to: &str, out: &mut dyn Write) -> io::Result<()> {
        write(&self.workflow, format(to), &self.options, out)
    }
}
