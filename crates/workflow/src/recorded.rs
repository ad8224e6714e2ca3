//! Files as sources of graphs: `[application] kind = "dax"` and the other formats.

use std::path::{Path, PathBuf};

use crate::Workflow;
use crate::draft::Irregularity;
use crate::efficiency::Efficiency;
use crate::laws::{BYTES, Laws, TIMES_KEY, WORK};
use crate::read::{GraphFormat, LoadedWorkflow, ReadOptions, read};
use crate::registry::code;
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, Span, reason};
use crate::source::{CopyRequest, WorkflowSource};
use crate::text;
use crate::units::Speed;

const FILE: Key = Key::new("file", Kind::Path).about("the file of the graph, plain or gzip");

const REFERENCE_SPEED: Key = Key::new("reference-speed", Kind::Speed)
    .or("10Gf")
    .about("operations in a second of the machines on which the times in the file were measured");

const CCR: Key = Key::new("ccr", Kind::Number(Bounds::NotNegative)).absent("data as they are").about(
    "sum of mean transfer times over sum of mean computation times that all data are scaled to, by one factor",
);

const CORES: Key = Key::new(
    "cores",
    Kind::Choice(&[("one", "each task runs on one core"), ("file", "as many as the file states")]),
)
.or("one")
.about("how many cores of one host a task holds while it is computed");

const EFFICIENCY: Key = Key::new("efficiency", Kind::Component("efficiency"))
    .absent("what the file states is the time on all cores that a task asks for")
    .about("costs of tasks are those on one core: by how much those of several are shorter, with `cores = \"file\"`")
    .source("H. Casanova et al., FGCS 112, 2020");

const MACHINE_SPEED: Key = Key::new(
    "machine-speed",
    Kind::Choice(&[
        ("reference", "the reference speed"),
        ("file", "one operation a cycle of the machine that ran the task; the reference speed where it is not stated"),
    ]),
)
.or("reference")
.about("by which speed the times in the file become work");

const MEMORY: Key = Key::new(
    "memory",
    Kind::Choice(&[
        ("ignore", "a task fits on every host"),
        ("respect", "what the file states must fit into the memory of the host"),
    ]),
)
.or("ignore")
.about("whether the memory of tasks counts");

const TIME_UNIT: Key = Key::new("time-unit", Kind::Duration(Bounds::Positive))
    .or("1s")
    .about("what a unit of time in the file is");

const COST_ATTRIBUTE: Key = Key::new("cost-attribute", Kind::Text)
    .or("size")
    .about("the attribute of a node that is its work in operations");

const BYTES_ATTRIBUTE: Key =
    Key::new("bytes-attribute", Kind::Text).or("size").about("the attribute of an edge that is its bytes");

/// The formats by name.
pub(super) const ENTRIES: &[Entry<dyn WorkflowSource>] = &[
    Entry::new(
        "dag-text",
        "a text of DAGSim: tasks, edges and times on single hosts",
        &[FILE, REFERENCE_SPEED, BYTES, CCR],
        |params| Recorded::build(params, GraphFormat::DagText),
    ),
    Entry::published(
        "dax",
        "an abstract DAG of Pegasus, versions 2 and 3, XML",
        "E. Deelman et al., FGCS 46, 2015; schemas DAX 2.1 and 3.6",
        &[FILE, REFERENCE_SPEED, CORES, EFFICIENCY, WORK, TIMES_KEY, BYTES, CCR],
        |params| Recorded::build(params, GraphFormat::Dax),
    ),
    Entry::published(
        "dot",
        "a directed graph of Graphviz, with work and bytes as `size`, as SimGrid writes it",
        "the documentation of Graphviz; H. Casanova et al., JPDC 74(10), 2014",
        &[
            FILE,
            REFERENCE_SPEED,
            COST_ATTRIBUTE,
            BYTES_ATTRIBUTE,
            CORES,
            EFFICIENCY,
            WORK,
            TIMES_KEY,
            BYTES,
            CCR,
        ],
        |params| Recorded::build(params, GraphFormat::Dot),
    ),
    Entry::published(
        "pegasus",
        "an abstract workflow of Pegasus 5, YAML",
        "E. Deelman et al., FGCS 46, 2015; schema wf-5.0",
        &[FILE, REFERENCE_SPEED, CORES, EFFICIENCY, MEMORY, WORK, TIMES_KEY, BYTES, CCR],
        |params| Recorded::build(params, GraphFormat::Pegasus),
    ),
    Entry::published(
        "stg",
        "a graph of the Standard Task Graph Set",
        "T. Tobita and H. Kasahara, Journal of Scheduling 5(5), 2002",
        &[FILE, REFERENCE_SPEED, TIME_UNIT, BYTES, CCR],
        |params| Recorded::build(params, GraphFormat::Stg),
    ),
    Entry::published(
        "wfformat",
        "a workflow of WfCommons, versions 1.0 to 1.6, JSON",
        "T. Coleman et al., FGCS 128, 2022",
        &[FILE, REFERENCE_SPEED, CORES, EFFICIENCY, MACHINE_SPEED, MEMORY, WORK, TIMES_KEY, BYTES, CCR],
        |params| Recorded::build(params, GraphFormat::WfFormat),
    ),
];

/// A file of a graph, and what is made of it.
#[derive(Debug)]
struct Recorded {
    format: GraphFormat,
    written: String,
    file: PathBuf,
    options: ReadOptions,
    respects_memory: bool,
    laws: Laws,
    efficiency: Option<Box<dyn Efficiency>>,
    ccr: Option<f64>,
    at_file: Span,
    at_ccr: Span,
}

impl Recorded {
    fn build(params: &Params<'_>, format: GraphFormat) -> Result<Box<dyn WorkflowSource>, Complaint> {
        let mut options = ReadOptions::default();
        if params.has("reference-speed") {
            options.reference_speed = params.read::<Speed>("reference-speed")?.flops_per_sec();
        }
        if params.has("time-unit") {
            options.time_unit = params.read("time-unit")?;
        }
        if params.has("cost-attribute") {
            options.cost_attribute = params.read::<String>("cost-attribute")?.into();
            options.bytes_attribute = params.read::<String>("bytes-attribute")?.into();
        }
        let laws = Laws::read(params)?;
        options.without_costs = laws.have_work();
        let states = |key, word| Ok(params.has(key) && params.read::<String>(key)? == word);
        options.cores = states("cores", "file")?;
        let efficiency = params.component_if_any::<dyn Efficiency>("efficiency", "efficiency")?;
        if efficiency.is_some() && !options.cores {
            let message = "nothing is shortened: each task runs on one core";
            let help = "`cores = \"file\"` gives tasks the cores that the file states";
            return Err(params.complaint("efficiency", message).help(help));
        }
        options.machine_speed = states("machine-speed", "file")?;
        if options.reference_speed <= 0.0 {
            return Err(params.complaint("reference-speed", "nothing is ever computed at this speed"));
        }
        Ok(Box::new(Recorded {
            format,
            written: params.read("file")?,
            file: params.path("file")?,
            options,
            respects_memory: states("memory", "respect")?,
            laws,
            efficiency,
            ccr: if params.has("ccr") { Some(params.read("ccr")?) } else { None },
            at_file: params.span("file"),
            at_ccr: params.span("ccr"),
        }))
    }
}

impl WorkflowSource for Recorded {
    fn load(&self, request: &CopyRequest<'_>) -> Result<LoadedWorkflow, Vec<Complaint>> {
        let unreadable = |why: &str| {
            Complaint::new(code::FILE, format!("cannot read `{}`: {why}", self.written), self.at_file)
                .label("named here")
        };
        let file = text::open(&self.file).map_err(|error| unreadable(&reason(&error)))?;
        let mut loaded =
            read(file, &self.written, Some(self.format), &self.options).map_err(|complaints| {
                let named = |complaint| Complaint { span: Some(self.at_file), ..complaint };
                complaints.into_iter().map(named).collect::<Vec<_>>()
            })?;
        if !self.respects_memory {
            loaded.workflow.forget_memory();
        }
        let (speed, without) = (self.options.reference_speed, std::mem::take(&mut loaded.without_cost));
        if request.is_run {
            self.laws.are_needed(&loaded.workflow, &without, (&self.written, self.at_file))?;
        }
        self.laws.give_work(
            &mut loaded.workflow,
            &without,
            (speed, self.at_file),
            &mut request.draws_for("work"),
        )?;
        if self.laws.have_work() {
            loaded.irregularities.retain(|found| found.what != Irregularity::WithoutCost);
        }
        if let Some(law) = &self.efficiency {
            loaded.workflow.scale_multicore_work(|cores| law.time(cores));
        }
        let empty = matches!(self.format, GraphFormat::Dax | GraphFormat::Pegasus | GraphFormat::WfFormat)
            .then_some(0);
        loaded.workflow = self.laws.give_bytes(loaded.workflow, empty, &mut request.draws_for("bytes"));
        if let Some(ccr) = self.ccr {
            loaded.workflow = scaled(loaded.workflow, request, ccr, self.at_ccr)?;
        }
        Ok(loaded)
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        let times = self.laws.times.as_ref().map(|(written, path, _)| (&**written, &**path));
        [(&*self.written, &*self.file)].into_iter().chain(times).collect()
    }

    fn draws(&self) -> bool {
        self.laws.draw()
    }
}

/// The graph scaled to this ratio.
pub(super) fn scaled(
    workflow: Workflow,
    request: &CopyRequest<'_>,
    ccr: f64,
    at: Span,
) -> Result<Workflow, Complaint> {
    request.means.scaled(workflow, ccr).ok_or_else(|| {
        let message = "no factor gives the data this ratio to computations: no edge has any, or latencies alone are more";
        Complaint::new(code::CONTRADICTION, message, at)
    })
}
