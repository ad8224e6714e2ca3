//! Applications of parameter sweeps as a kind of file: what `show application` states, and
//! `convert` writes.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use crate::kernel::rng::Streams;
use crate::model::application::Sweep;
use crate::model::grid::SweepGrid;
use crate::output::Drawing;
use crate::output::number::{grouped, plain, span};
use crate::platform::described::{self, PLATFORM};
use crate::read::application;
use crate::registry::{Complaint, Key, Params, code, reason};
use crate::results::bounds::SweepBounds;
use crate::scenario::recognition::{JSON, XML};
use crate::scenario::{FileContent, FileFormat, FileKind, NamedFile, ScenarioOfFile};
use crate::source::recorded::read_text;
use crate::source::report::SweepReport;
use crate::source::{SweepRequest, SweepSource};
use crate::system::drawing::drawing;
use crate::system::keys::APPLICATION;
use crate::text::open_stream;
use crate::workflow::read::marks;
use crate::write::application::{losses, write};
use clustersim_experiment::report::drawing::label::prefixed;

/// Independent tasks with shared files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Applications;

const FORMAT: FileFormat = FileFormat {
    name: "pst",
    about: "An application of the Parameter Sweep Template",
    marks: &[&application::MARK],
    endings: &[".pst"],
    is_written: true,
    whole: &[],
    unread: "",
};

const FORMATS: &[FileFormat] = &[
    FORMAT,
    FileFormat {
        name: "dax",
        about: "An abstract DAG of Pegasus (XML) without edges",
        marks: &[&marks::DAX, &XML],
        endings: &[".dax"],
        is_written: false,
        ..FORMAT
    },
    FileFormat {
        name: "wfformat",
        about: "A workflow of WfCommons (JSON) without edges",
        marks: &[&marks::WFFORMAT, &JSON],
        endings: &[".json"],
        is_written: false,
        ..FORMAT
    },
];

impl FileKind for Applications {
    fn name(&self) -> &'static str {
        "application"
    }

    fn about(&self) -> &'static str {
        "Independent tasks and the files that they share"
    }

    fn tables(&self) -> &'static [Key] {
        &[APPLICATION, PLATFORM]
    }

    fn formats(&self) -> &'static [FileFormat] {
        FORMATS
    }

    fn read(&self, params: &Params<'_>, streams: &Streams) -> Result<Box<dyn FileContent>, Vec<Complaint>> {
        let source: Box<dyn SweepSource> = params.component("application", "sweep")?;
        let name: String = params.section("application").read("kind")?;
        let grid = if params.has("platform") {
            let section = params.section("platform");
            let described = described::read(&section, streams)?;
            Some(described::sweep_grid(&section, &described.platform)?)
        } else {
            None
        };
        let means = grid.as_ref().map(SweepGrid::means);
        let loaded = source.load(&SweepRequest { grid: means, ..SweepRequest::new(*streams, &name) })?;
        Ok(Box::new(Application {
            report: SweepReport::new(&loaded.sweep, means),
            bounds: grid.map(|grid| SweepBounds::new(&loaded.sweep, &grid)),
            sweep: loaded.sweep,
            warnings: loaded.warnings.into_iter().map(|warning| warning.message).collect(),
        }))
    }

    fn scenario_of(&self, file: &NamedFile<'_>) -> Option<Result<ScenarioOfFile, Vec<Complaint>>> {
        (file.format == FORMAT.name).then(|| scenario_of(file))
    }
}

/// A scenario that reads an application of the template.
fn scenario_of(file: &NamedFile<'_>) -> Result<ScenarioOfFile, Vec<Complaint>> {
    let name = file.path.display().to_string();
    let input = open_stream(file.path)
        .map_err(|error| Complaint::nowhere(code::FILE, format!("cannot read {name}: {}", reason(&error))))?;
    let sweep = read_text(input, &name)?;
    let text = format!(
        "# An application of the Parameter Sweep Template, to be taken into a scenario by `include = [\"…\"]`.\n\n\
         [application]\nkind = \"pst\"\nfile = {}\n",
        file.written
    );
    let [tasks, files] = [sweep.tasks.len(), sweep.files.len()].map(|count| grouped(count as u64));
    Ok(ScenarioOfFile { text, about: format!("{tasks} tasks, {files} files") })
}

/// An application that was read or drawn.
struct Application {
    sweep: Sweep,
    report: SweepReport,
    bounds: Option<SweepBounds>,
    warnings: Vec<String>,
}

impl FileContent for Application {
    fn about(&self) -> String {
        let files = self.sweep.files.len() as u64;
        format!("{} tasks, {} files", grouped(self.report.tasks), grouped(files))
    }

    fn drawing(&self) -> Drawing {
        drawing(&self.sweep, self.about())
    }

    fn json(&self, title: &str) -> Json {
        let report = &self.report;
        let bounds = self.bounds.map(|bounds| {
            json!({ "compute": bounds.compute, "link": bounds.link, "longest": bounds.longest, "lower": bounds.lower() })
        });
        json!({
            "schema": "clustersim/application/1", "title": title, "tasks": report.tasks, "late-tasks": report.late,
            "architectures": report.architectures, "seconds": report.seconds, "inputs": report.inputs,
            "input-bytes": report.input_bytes[0], "input-bytes-unshared": report.input_bytes[1],
            "shared-files": report.shared[0], "shared-bytes": report.shared[1], "users-mean": report.users[0],
            "users-most": report.users[1], "outputs": report.outputs[0], "output-bytes": report.outputs[1],
            "unused-files": report.unused, "ccr": report.ccr, "bounds": bounds,
        })
    }

    fn facts(&self) -> Vec<(&'static str, Option<String>)> {
        let report = &self.report;
        let bytes = |bytes: u64| prefixed(bytes as f64, "B");
        let [least, mean, most] = report.seconds.map(span);
        let late = match report.late {
            0 => String::new(),
            late => format!(", {} of them arrive during the run", grouped(late)),
        };
        let on = match report.architectures {
            [_, 1] => "all architectures".to_owned(),
            [least, most] if least == most => format!("{most} architectures"),
            [least, most] => format!("{least} to {most} architectures"),
        };
        let time = if least == most { least } else { format!("{least} to {most}, {mean} on the mean") };
        let shared = match report.shared {
            [0, _] => "none".to_owned(),
            [files, size] => format!(
                "{} files, {}, each read by {} tasks on the mean and {} at most",
                grouped(files),
                bytes(size),
                plain(report.users[0]),
                grouped(report.users[1] as u64)
            ),
        };
        let [input, unshared] = report.input_bytes;
        let mut facts = vec![
            ("tasks", Some(format!("{}{late}", grouped(report.tasks)))),
            ("time", Some(format!("{time}, on {on}"))),
            (
                "inputs",
                Some(format!(
                    "{} files, {}; {} if nothing was shared",
                    grouped(report.inputs),
                    bytes(input),
                    bytes(unshared)
                )),
            ),
            ("shared", Some(shared)),
            ("outputs", Some(format!("{} files, {}", grouped(report.outputs[0]), bytes(report.outputs[1])))),
        ];
        if report.unused > 0 {
            facts.push(("unused", Some(format!("{} files", grouped(report.unused)))));
        }
        let ratio = |ccr| format!("{}, communication to computation", plain(ccr));
        facts.push(("CCR", report.ccr.map(ratio)));
        if let Some(bounds) = self.bounds {
            let [compute, link, longest] = [bounds.compute, bounds.link, bounds.longest]
                .map(|bound| bound.map_or_else(|| "never".to_owned(), span));
            let all = format!(
                "a makespan of at least {compute} by processors, {link} by links, {longest} by the longest task"
            );
            facts.push(("bounds", Some(all)));
        }
        facts
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn losses(&self, _: &str) -> Vec<String> {
        losses(&self.sweep)
    }

    fn write(&self, _: &str, out: &mut dyn Write) -> io::Result<()> {
        write(&self.sweep, out)
    }
}
