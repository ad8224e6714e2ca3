//! The text of DAGSim.

use std::io::{self, Write};

use crate::graph::Workflow;
use crate::write::{WriteOptions, free_name, sides};

/// Names without blanks: each run of blanks is an underscore. Where two would be one, numbers
/// follow.
fn names(workflow: &Workflow) -> Vec<String> {
    let plain = |name: &str| {
        let words: Vec<&str> = name.split_ascii_whitespace().collect();
        if words.is_empty() { "_".to_owned() } else { words.join("_") }
    };
    let changed = |name: &str| plain(name) != *name;
    let tasks = workflow.tasks().iter().zip(1_u64..);
    let named = tasks.map(|(task, number)| match plain(&task.name) {
        name if changed(&task.name) => free_name(workflow, &format!("{name}_{number}")),
        name => name,
    });
    named.collect()
}

pub(super) fn write(workflow: &Workflow, options: &WriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let names = names(workflow);
    writeln!(out, "DagDescription 1")?;
    for (task, name) in workflow.tasks().iter().zip(&names) {
        writeln!(out, "node {name} {}", task.work / options.reference_speed)?;
        for (host, seconds) in task.times.iter().flatten() {
            writeln!(out, "time {name} {host} {seconds}")?;
        }
    }
    let word = |name: &str| free_name(workflow, &name.split_ascii_whitespace().collect::<Vec<_>>().join("_"));
    let root = workflow.root().or((!workflow.inputs().is_empty()).then_some("root")).map(word);
    let end = workflow.end().or((!workflow.outputs().is_empty()).then_some("end")).map(word);
    for (name, kind) in [(&root, "root"), (&end, "end")] {
        if let Some(name) = name {
            writeln!(out, "node {name} 0 {kind}")?;
        }
    }
    let edge = |out: &mut dyn Write, from: &str, to: &str, bytes: Option<u64>| match bytes {
        Some(bytes) => writeln!(out, "edge {from} {to} {bytes}"),
        None => writeln!(out, "edge {from} {to}"),
    };
    for one in workflow.edges() {
        edge(out, &names[one.from.index()], &names[one.to.index()], one.bytes)?;
    }
    if let Some(root) = root {
        for (task, bytes) in sides(workflow, workflow.inputs(), |task| workflow.incoming(task).is_empty()) {
            edge(out, &root, &names[task.index()], bytes)?;
        }
    }
    if let Some(end) = end {
        for (task, bytes) in sides(workflow, workflow.outputs(), |task| workflow.outgoing(task).is_empty()) {
            edge(out, &names[task.index()], &end, bytes)?;
        }
    }
    Ok(())
}
