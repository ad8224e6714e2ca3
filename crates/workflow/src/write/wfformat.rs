//! WfFormat 1.5, as its schema has it: ids of letters, digits, `-`, `_` and `.`, lists of parents
//! and children, and an execution with its makespan and instant.
//!
//! A graph was executed nowhere: its makespan is the time of its longest path without transfers, on
//! as many machines as it takes, and its instant is the beginning of the clock.
//!
//! Source: the JSON schema of WfCommons, version 1.5 (T. Coleman et al., FGCS 128, 2022).

use std::io::{self, Write};

use crate::collections::{OrderedMap, OrderedSet};
use crate::graph::{TaskNumber, Workflow};
use crate::report::longest_path;
use crate::write::{WriteOptions, files_of, seconds};

/// The instant `executedAt` of a graph that was never executed.
const NEVER: &str = "1970-01-01T00:00:00Z";

/// A text in quotes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", names.map(quoted).collect::<Vec<_>>().join(", "))
}

/// Returns true if the schema takes a name as an id.
pub(super) fn is_id(name: &str) -> bool {
    let is_sign = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    !name.is_empty() && name.chars().all(is_sign)
}

/// Ids of names: most are their own; in the others signs become underscores, and a number behind
/// them distinguishes equal ones.
#[derive(Default)]
struct Ids {
    other: OrderedMap<String, String>,
}

impl Ids {
    /// Ids of these names, which differ from each other.
    fn of<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut ids = Ids::default();
        if names.clone().all(is_id) {
            return ids;
        }
        let mut taken: OrderedSet<String> =
            names.clone().filter(|name| is_id(name)).map(str::to_owned).collect();
        let mut counts: OrderedMap<String, u64> = OrderedMap::new();
        for name in names.filter(|name| !is_id(name)) {
            let mend = |letter: char| if is_id(letter.encode_utf8(&mut [0; 4])) { letter } else { '_' };
            let mended: String =
                if name.is_empty() { "_".to_owned() } else { name.chars().map(mend).collect() };
            let count = counts.entry(mended.clone()).or_insert(0);
            let mut id = mended.clone();
            while !taken.insert(id.clone()) {
                *count += 1;
                id = format!("{mended}_{count}");
            }
            ids.other.insert(name.to_owned(), id);
        }
        ids
    }

    fn id<'a>(&'a self, name: &'a str) -> &'a str {
        self.other.get(name).map_or(name, |id| id)
    }
}

pub(super) fn write(workflow: &Workflow, options: &WriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let sizes: OrderedMap<String, u64> =
        workflow.numbers().flat_map(|task| files_of(workflow, task)).flatten().collect();
    let ids = Ids::of(workflow.tasks().iter().map(|task| &*task.name));
    let files = Ids::of(sizes.keys().map(String::as_str));
    let name = |task: TaskNumber| ids.id(&workflow.task(task).name);
    let title = if workflow.name().is_empty() { "workflow" } else { workflow.name() };
    let comma = |is_first: bool| if is_first { "" } else { "," };
    writeln!(out, "{{\"name\": {}, \"schemaVersion\": \"1.5\", \"workflow\": {{", quoted(title))?;
    write!(out, "\"specification\": {{\"tasks\": [")?;
    for (task, number) in workflow.tasks().iter().zip(workflow.numbers()) {
        let [reads, writes] = files_of(workflow, number);
        let program = task.category.as_deref().unwrap_or(&task.name);
        let program = if program.is_empty() { "_" } else { program };
        writeln!(
            out,
            "{}\n{{\"name\": {}, \"id\": {}, \"parents\": {}, \"children\": {},",
            comma(number.0 == 0),
            quoted(program),
            quoted(ids.id(&task.name)),
            list(workflow.parents(number).map(name)),
            list(workflow.children(number).map(name)),
        )?;
        let [reads, writes] = [&reads, &writes].map(|all| list(all.iter().map(|(name, _)| files.id(name))));
        write!(out, "\"inputFiles\": {reads}, \"outputFiles\": {writes}}}")?;
    }
    write!(out, "],\n\"files\": [")?;
    for ((name, bytes), place) in sizes.iter().zip(0..) {
        write!(
            out,
            "{}\n{{\"id\": {}, \"sizeInBytes\": {bytes}}}",
            comma(place == 0),
            quoted(files.id(name))
        )?;
    }
    let (_, makespan) = longest_path(workflow, |task| seconds(workflow.task(task), options));
    write!(
        out,
        "]}},\n\"execution\": {{\"makespanInSeconds\": {makespan}, \"executedAt\": \"{NEVER}\", \"tasks\": ["
    )?;
    for (task, number) in workflow.tasks().iter().zip(workflow.numbers()) {
        let (first, id, runtime) = (comma(number.0 == 0), quoted(ids.id(&task.name)), seconds(task, options));
        write!(
            out,
            "{first}\n{{\"id\": {id}, \"runtimeInSeconds\": {runtime}, \"coreCount\": {}",
            task.cores
        )?;
        if let Some(memory) = task.memory {
            write!(out, ", \"memoryInBytes\": {memory}")?;
        }
        write!(out, "}}")?;
    }
    writeln!(out, "]}}}}}}")
}
