//! Files of task graphs, in every format that is read, and what each cannot hold.
//!
//! Work is written in seconds at the reference speed, or as operations where the format has these. What comes from outside, or is left at
//! the end, is written as files where the format has files, and else as data from a root or to an end.

mod dax;
mod dot;
mod stg;
mod text;
mod wfformat;

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::workflow::graph::{EdgeNumber, External, Task, TaskNumber, Workflow};
use crate::workflow::read::{GraphFormat, REFERENCE_SPEED};

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteOptions {
    /// Operations in a second, by which work becomes time.
    pub reference_speed: f64,
    /// Seconds in a unit of time of a format that has units of its own (STG).
    pub time_unit: f64,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { reference_speed: REFERENCE_SPEED, time_unit: 1.0 }
    }
}

/// What a graph may have and a format may not hold, with the sentence about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Names,
    Times,
    Categories,
    Cores,
    Memory,
    Properties,
    FileNames,
    TransferNames,
    Bytes,
    EmptyTransfers,
    ControlEdges,
    Externals,
    RootAndEnd,
}

impl Content {
    const ALL: [Content; 13] = [
        Content::Names,
        Content::Times,
        Content::Categories,
        Content::Cores,
        Content::Memory,
        Content::Properties,
        Content::FileNames,
        Content::TransferNames,
        Content::Bytes,
        Content::EmptyTransfers,
        Content::ControlEdges,
        Content::Externals,
        Content::RootAndEnd,
    ];

    /// What becomes of it where a format does not hold it.
    fn sentence(self) -> &'static str {
        match self {
            Content::Names => "the names of tasks become numbers",
            Content::Times => "execution times on single hosts become their mean",
            Content::Categories => "the categories of tasks are left out",
            Content::Cores => "the cores that tasks ask for are left out",
            Content::Memory => "the memory that tasks ask for is left out",
            Content::Properties => "other properties of tasks and edges are left out",
            Content::FileNames => "the names of files are left out: only their bytes are written",
            Content::TransferNames => "the names of transfers are left out",
            Content::Bytes => "the data on edges are left out",
            Content::EmptyTransfers => "transfers of 0 bytes become control edges",
            Content::ControlEdges => "control edges become transfers of 0 bytes",
            Content::Externals => "what comes from outside or is left at the end is left out",
            Content::RootAndEnd => "the names of the root and the end are left out",
        }
    }

    fn is_in(self, workflow: &Workflow) -> bool {
        let any_task = |test: fn(&Task) -> bool| workflow.tasks().iter().any(test);
        let edges = workflow.edges();
        match self {
            Content::Names => {
                workflow.tasks().iter().zip(1_u64..).any(|(task, number)| *task.name != *number.to_string())
            }
            Content::Times => any_task(|task| task.times.is_some()),
            Content::Categories => any_task(|task| task.category.is_some()),
            Content::Cores => any_task(|task| task.cores != 1),
            Content::Memory => any_task(|task| task.memory.is_some()),
            Content::Properties => {
                any_task(|task| task.properties.is_some())
                    || edges.iter().any(|edge| edge.properties.is_some())
            }
            Content::FileNames => !workflow.files().is_empty(),
            Content::TransferNames => edges.iter().any(|edge| edge.name.is_some()),
            Content::Bytes => edges.iter().any(|edge| edge.bytes.is_some()),
            Content::EmptyTransfers => edges.iter().any(|edge| edge.bytes == Some(0)),
            Content::ControlEdges => edges.iter().any(|edge| edge.bytes.is_none()),
            Content::Externals => !workflow.inputs().is_empty() || !workflow.outputs().is_empty(),
            Content::RootAndEnd => workflow.root().is_some() || workflow.end().is_some(),
        }
    }
}

/// What a format holds.
fn holds(format: GraphFormat) -> &'static [Content] {
    use Content::{
        Bytes, Categories, ControlEdges, Cores, EmptyTransfers, Externals, FileNames, Memory, Names,
        Properties, RootAndEnd, Times,
    };
    match format {
        GraphFormat::DagText => &[Names, Times, Bytes, EmptyTransfers, ControlEdges, Externals, RootAndEnd],
        GraphFormat::Dax => &[Names, Categories, FileNames, Bytes, EmptyTransfers, Externals],
        GraphFormat::Dot => &[Names, Categories, Properties, Bytes, ControlEdges, Externals, RootAndEnd],
        GraphFormat::Stg => &[ControlEdges, RootAndEnd],
        GraphFormat::WfFormat => {
            &[Names, Categories, Cores, Memory, FileNames, Bytes, EmptyTransfers, Externals]
        }
    }
}

/// What a graph has that a file of this format cannot hold, a sentence for each without a full stop.
pub fn losses(workflow: &Workflow, format: GraphFormat) -> Vec<&'static str> {
    let lost = |content: &Content| {
        // where all data go, none of their properties has to be named
        let is_within =
            matches!(content, Content::EmptyTransfers | Content::FileNames | Content::TransferNames);
        !holds(format).contains(content) && !(is_within && !holds(format).contains(&Content::Bytes))
    };
    let lost = Content::ALL.into_iter().filter(lost).filter(|content| content.is_in(workflow));
    lost.map(Content::sentence).collect()
}

/// Writes a graph; what the format cannot hold is left out ([`losses`]).
///
/// # Errors
/// `out` cannot be written.
pub fn write(
    workflow: &Workflow,
    format: GraphFormat,
    options: &WriteOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        GraphFormat::DagText => text::write(workflow, options, out),
        GraphFormat::Dax => dax::write(workflow, options, out),
        GraphFormat::Dot => dot::write(workflow, out),
        GraphFormat::Stg => stg::write(workflow, options, out),
        GraphFormat::WfFormat => wfformat::write(workflow, options, out),
    }
}

/// The files on an edge with their sizes; one that is called as the edge is, where the files do not make up its bytes.
fn files_on(workflow: &Workflow, number: EdgeNumber) -> Vec<(String, u64)> {
    let named = workflow.files_on(number).iter().map(|file| &workflow.files()[file.index()]);
    let named: Vec<(String, u64)> = named.map(|file| (file.name.to_string(), file.bytes)).collect();
    let sum = named.iter().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
    match workflow.edge(number).bytes {
        Some(bytes) if bytes != sum => vec![(workflow.edge_name(number), bytes)],
        _ => named,
    }
}

/// The files that a task reads and writes, each once, in order of name.
fn files_of(workflow: &Workflow, task: TaskNumber) -> [BTreeSet<(String, u64)>; 2] {
    let on = |edges: &[EdgeNumber]| edges.iter().flat_map(|edge| files_on(workflow, *edge)).collect();
    let mut files: [BTreeSet<_>; 2] = [on(workflow.incoming(task)), on(workflow.outgoing(task))];
    for (side, files) in [workflow.inputs(), workflow.outputs()].into_iter().zip(&mut files) {
        let start = side.partition_point(|one| one.task < task);
        let own = side[start..].iter().take_while(|one| one.task == task);
        files.extend(own.map(|one| (workflow.files()[one.file.index()].name.to_string(), one.bytes)));
    }
    files
}

/// What leads from a root, or to an end: every task without a parent (child), and every one with data from outside (for outside).
fn sides(
    workflow: &Workflow,
    externals: &[External],
    is_bare: impl Fn(TaskNumber) -> bool,
) -> Vec<(TaskNumber, Option<u64>)> {
    let mut sides = Vec::new();
    let mut rest = externals;
    for task in workflow.numbers() {
        let own = rest.iter().take_while(|one| one.task == task).count();
        let bytes = rest[..own].iter().fold(0_u64, |sum, one| sum.saturating_add(one.bytes));
        rest = &rest[own..];
        if own > 0 || is_bare(task) {
            sides.push((task, (own > 0).then_some(bytes)));
        }
    }
    sides
}

/// The seconds of a task at the reference speed.
fn seconds(task: &Task, options: &WriteOptions) -> f64 {
    task.mean_seconds(options.reference_speed)
}

/// A name that no task has: this one, or with as many `_` as it takes.
fn free_name(workflow: &Workflow, name: &str) -> String {
    let mut name = name.to_owned();
    while workflow.find(&name).is_some() {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests;
