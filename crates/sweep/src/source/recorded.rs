//! Files as sources of applications: `[application] kind = "pst"`, and workflows whose tasks are
//! independent.

use std::path::{Path, PathBuf};

use crate::kernel::SimTime;
use crate::model::application::{ORIGINS, Sweep, SweepFile, SweepTask, TaskTime};
use crate::read::application;
use crate::registry::in_text;
use crate::registry::{Complaint, Entry, Key, Kind, Params, Span, code, reason};
use crate::source::scaled::{CCR, to_ratio};
use crate::source::{LoadedSweep, SweepRequest, SweepSource};
use crate::text::{LONGEST_TEXT, Unreadable, open, read_whole};
use crate::workflow::read::{GraphFormat, ReadOptions, read};
use crate::workflow::{FileNumber, TaskNumber, Workflow};

const FILE: Key = Key::new("file", Kind::Path).about("the file of the application, plain or gzip");

const KEYS: &[Key] = &[FILE, ORIGINS, CCR];

/// The formats by name.
pub(crate) const ENTRIES: &[Entry<dyn SweepSource>] = &[
    Entry::published(
        "dax",
        "the tasks of an abstract DAG of Pegasus that has no edges",
        "E. Deelman et al., FGCS 46, 2015; schemas DAX 2.1 and 3.6",
        KEYS,
        |params| Recorded::build(params, Some(GraphFormat::Dax)),
    ),
    Entry::published(
        "pst",
        "an application of the Parameter Sweep Template: `WorkDescription`, version 1, or 2 with arrivals",
        "F. Berman et al., LIP RR1999-46, 1999, section 7.2.2 and appendix B",
        KEYS,
        |params| Recorded::build(params, None),
    ),
    Entry::published(
        "wfformat",
        "the tasks of a workflow of WfCommons that has no edges",
        "T. Coleman et al., FGCS 128, 2022",
        KEYS,
        |params| Recorded::build(params, Some(GraphFormat::WfFormat)),
    ),
];

/// A file of an application.
#[derive(Debug)]
struct Recorded {
    /// Of a workflow; none of a text of the template.
    format: Option<GraphFormat>,
    written: String,
    file: PathBuf,
    ccr: Option<f64>,
    at_file: Span,
    at_ccr: Span,
}

impl Recorded {
    fn build(params: &Params<'_>, format: Option<GraphFormat>) -> Result<Box<dyn SweepSource>, Complaint> {
        Ok(Box::new(Recorded {
            format,
            written: params.read("file")?,
            file: params.path("file")?,
            ccr: params.read("ccr")?,
            at_file: params.span("file"),
            at_ccr: params.span("ccr"),
        }))
    }

    fn unreadable(&self, why: &str) -> Complaint {
        Complaint::nowhere(code::FILE, format!("cannot read `{}`: {why}", self.written)).label("named here")
    }

    fn read(&self) -> Result<Sweep, Vec<Complaint>> {
        let file = open(&self.file).map_err(|error| self.unreadable(&reason(&error)))?;
        let Some(format) = self.format else { return read_text(file, &self.written) };
        let options = ReadOptions::default();
        let loaded = read(file, &self.written, Some(format), &options)?;
        if !loaded.without_cost.is_empty() {
            let message = format!("no task of `{}` has a cost", self.written);
            return Err(Complaint::nowhere(code::WORKFLOW, message).label("named here").into());
        }
        of_workflow(&loaded.workflow, &self.written, options.reference_speed).map_err(Vec::from)
    }
}

impl SweepSource for Recorded {
    fn load(&self, request: &SweepRequest<'_>) -> Result<LoadedSweep, Vec<Complaint>> {
        let here = |complaint: Complaint| Complaint { span: Some(self.at_file), ..complaint };
        let sweep = self.read().map_err(|complaints| complaints.into_iter().map(here).collect::<Vec<_>>())?;
        Ok(to_ratio(sweep, request, self.ccr.map(|ccr| (ccr, self.at_ccr)))?.into())
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        vec![(&self.written, &self.file)]
    }

    fn draws(&self) -> bool {
        false
    }
}

/// Reads an application of the template, plain or gzip; `file` is what messages call it.
///
/// # Errors
/// The file cannot be read, or everything that is wrong with it.
pub fn read_text(input: impl std::io::Read, file: &str) -> Result<Sweep, Vec<Complaint>> {
    let text = read_whole(input, LONGEST_TEXT).map_err(|why| {
        let code = if matches!(why, Unreadable::Damaged(_)) { code::COMPRESSED } else { code::FILE };
        Complaint::nowhere(code, format!("cannot read `{file}`: {why}"))
    })?;
    application::read(&text).map_err(|mistakes| in_text(mistakes, &text, file, code::SWEEP))
}

/// The tasks of a workflow without edges; its work becomes seconds again by the speed that it was
/// read with.
fn of_workflow(workflow: &Workflow, file: &str, speed: f64) -> Result<Sweep, Complaint> {
    if let Some(edge) = workflow.edges().first() {
        let [from, to] = [edge.from, edge.to].map(|task| &*workflow.task(task).name);
        let message =
            format!("cannot use `{file}`: its tasks are not independent, `{to}` waits for `{from}`");
        let complaint = Complaint::nowhere(code::SWEEP, message);
        return Err(complaint.help("write detail = \"dag\" to run it as a task graph"));
    }
    let known = workflow.files();
    let mut files: Vec<SweepFile> = (0..known.len() as u32)
        .map(FileNumber)
        .map(|file| (known.name(file).into(), known.bytes(file)))
        .map(|(name, bytes)| SweepFile::new(name, bytes))
        .collect();
    let mut sides = [vec![Vec::new(); workflow.tasks().len()], vec![Vec::new(); workflow.tasks().len()]];
    for (side, externals) in sides.iter_mut().zip([workflow.inputs(), workflow.outputs()]) {
        for external in externals {
            let own = &mut side[external.task.index()];
            if !own.contains(&external.file) {
                own.push(external.file);
            }
        }
    }
    let [inputs, outputs] = sides;
    // a result that several tasks write is a file of its own for each
    let mut is_written = vec![false; files.len()];
    let mut own = |file: FileNumber, task: TaskNumber| {
        if !std::mem::replace(&mut is_written[file.index()], true) {
            return file;
        }
        let copy = &files[file.index()];
        let name = format!("{}-{}", copy.name, workflow.task(task).name).into();
        files.push(SweepFile { name, ..*copy });
        FileNumber(files.len() as u32 - 1)
    };
    let tasks = workflow
        .numbers()
        .zip(inputs.into_iter().zip(outputs))
        .map(|(number, (inputs, outputs))| {
            let task = workflow.task(number);
            let seconds = task.mean_seconds(speed);
            SweepTask {
                name: (&*task.name).into(),
                inputs: inputs.into(),
                outputs: outputs.into_iter().map(|file| own(file, number)).collect(),
                times: [TaskTime { real: seconds, estimated: seconds }].into(),
                arrival: SimTime::ZERO,
            }
        })
        .collect();
    Ok(Sweep { files, tasks })
}
