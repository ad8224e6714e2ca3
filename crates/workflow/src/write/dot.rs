//! DOT, as SimGrid reads it.

use std::io::{self, Write};

use crate::graph::{Properties, Workflow};
use crate::read::REFERENCE_SPEED;
use crate::write::sides;

/// A text in quotes. A backslash stands for itself, but before a quote, at the end of a line and at
/// the end it cannot be written.
fn quoted(text: &str) -> String {
    let mut text = text.replace("\\\"", "/\"").replace("\\\n", "/\n");
    if text.ends_with('\\') {
        text.pop();
        text.push('/');
    }
    format!("\"{}\"", text.replace('"', "\\\""))
}

fn attributes(
    size: Option<String>,
    cores: u32,
    category: Option<&str>,
    properties: Option<&Properties>,
) -> String {
    let size = size.map(|size| format!("size=\"{size}\""));
    let cores = (cores != 1).then(|| format!("cores=\"{cores}\""));
    let category = category.map(|category| format!("category={}", quoted(category)));
    let others = properties.into_iter().flatten();
    let others = others.map(|(key, value)| format!("{}={}", quoted(key), quoted(value)));
    let all: Vec<String> = size.into_iter().chain(cores).chain(category).chain(others).collect();
    if all.is_empty() { String::new() } else { format!(" [{}]", all.join(", ")) }
}

/// A spelling of `name` that no task has; reading takes each spelling for the root or the end.
fn spelling(workflow: &Workflow, name: &str) -> String {
    let letters = name.chars().count() as u32;
    let spelled = |bits: u32| -> String {
        let spell = |(place, letter): (usize, char)| {
            if bits & (1 << place) == 0 { letter } else { letter.to_ascii_uppercase() }
        };
        name.chars().enumerate().map(spell).collect()
    };
    let free = (0..1 << letters).map(spelled).find(|name| workflow.find(name).is_none());
    free.unwrap_or_else(|| name.to_owned())
}

pub(super) fn write(workflow: &Workflow, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph {} {{", quoted(workflow.name()))?;
    for task in workflow.tasks() {
        let work = if task.times.is_some() { task.mean_seconds(1.0) * REFERENCE_SPEED } else { task.work };
        let with = attributes(
            Some(work.to_string()),
            task.cores,
            task.category.as_deref(),
            task.properties.as_deref(),
        );
        writeln!(out, "  {}{with};", quoted(&task.name))?;
    }
    let size = |bytes: Option<u64>| Some(bytes.map_or_else(|| "-1".to_owned(), |bytes| bytes.to_string()));
    for edge in workflow.edges() {
        let [from, to] = [edge.from, edge.to].map(|task| quoted(&workflow.task(task).name));
        writeln!(out, "  {from} -> {to}{};", attributes(size(edge.bytes), 1, None, edge.properties()))?;
    }
    if workflow.root().is_some() || !workflow.inputs().is_empty() {
        let root = spelling(workflow, "root");
        for (task, bytes) in sides(workflow, workflow.inputs(), |task| workflow.incoming(task).is_empty()) {
            let task = quoted(&workflow.task(task).name);
            writeln!(out, "  {root} -> {task}{};", attributes(size(bytes), 1, None, None))?;
        }
    }
    if workflow.end().is_some() || !workflow.outputs().is_empty() {
        let end = spelling(workflow, "end");
        for (task, bytes) in sides(workflow, workflow.outputs(), |task| workflow.outgoing(task).is_empty()) {
            let task = quoted(&workflow.task(task).name);
            writeln!(out, "  {task} -> {end}{};", attributes(size(bytes), 1, None, None))?;
        }
    }
    writeln!(out, "}}")
}
