//! Files of task graphs, in every format that is read, and what each cannot hold.
//!
//! Work is written in seconds at the reference speed, or as operations where the format has these.
//! What comes from outside, or is left at the end, is written as files where the format has files,
//! and else as data from a root or to an end.

mod dax;
mod dot;
mod losses;
mod pegasus;
mod stg;
mod text;
mod wfformat;

use std::io::{self, Write};

use crate::collections::OrderedSet;
use crate::graph::{EdgeNumber, External, Task, TaskNumber, Workflow};
use crate::read::{GraphFormat, REFERENCE_SPEED};

pub use losses::{Loss, losses};

/// Settings by which a graph is written.
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
        GraphFormat::Pegasus => pegasus::write(workflow, options, out),
        GraphFormat::Stg => stg::write(workflow, options, out),
        GraphFormat::WfFormat => wfformat::write(workflow, options, out),
    }
}

/// The files on an edge with their sizes; one that is called as the edge is, where the files do not
/// make up its bytes.
fn files_on(workflow: &Workflow, number: EdgeNumber) -> Vec<(String, u64)> {
    let files = workflow.files();
    let named = workflow.files_on(number).iter();
    let named: Vec<(String, u64)> =
        named.map(|file| (files.name(*file).to_owned(), files.bytes(*file))).collect();
    let sum = named.iter().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
    match workflow.edge(number).bytes {
        Some(bytes) if bytes != sum => vec![(workflow.edge_name(number), bytes)],
        _ => named,
    }
}

/// The files that a task reads and writes, each once, in order of name.
fn files_of(workflow: &Workflow, task: TaskNumber) -> [OrderedSet<(String, u64)>; 2] {
    let on = |edges: &[EdgeNumber]| edges.iter().flat_map(|edge| files_on(workflow, *edge)).collect();
    let mut files: [OrderedSet<_>; 2] = [on(workflow.incoming(task)), on(workflow.outgoing(task))];
    for (side, files) in [workflow.inputs(), workflow.outputs()].into_iter().zip(&mut files) {
        let start = side.partition_point(|one| one.task < task);
        let own = side[start..].iter().take_while(|one| one.task == task);
        files.extend(own.map(|one| (workflow.files().name(one.file).to_owned(), one.bytes)));
    }
    files
}

/// Tasks that a root or an end joins: every one without a parent (child), and every one with data
/// from outside (for outside).
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
