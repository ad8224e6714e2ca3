//! WfFormat 1.5.

use std::io::{self, Write};

use crate::collections::OrderedMap;
use crate::workflow::graph::{TaskNumber, Workflow};
use crate::workflow::write::{WriteOptions, files_of, seconds};

/// A text in quotes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", names.map(quoted).collect::<Vec<_>>().join(", "))
}

pub(super) fn write(workflow: &Workflow, options: &WriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut sizes: OrderedMap<String, u64> = OrderedMap::new();
    let name = |task: TaskNumber| &*workflow.task(task).name;
    let comma = |is_first: bool| if is_first { "" } else { "," };
    writeln!(out, "{{\"name\": {}, \"schemaVersion\": \"1.5\", \"workflow\": {{", quoted(workflow.name()))?;
    write!(out, "\"specification\": {{\"tasks\": [")?;
    for (task, number) in workflow.tasks().iter().zip(workflow.numbers()) {
        let [reads, writes] = files_of(workflow, number);
        let program = task.category.as_deref().unwrap_or(&task.name);
        writeln!(
            out,
            "{}\n{{\"name\": {}, \"id\": {}, \"parents\": {}, \"children\": {},",
            comma(number.0 == 0),
            quoted(program),
            quoted(&task.name),
            list(workflow.parents(number).map(name)),
            list(workflow.children(number).map(name)),
        )?;
        let files = [&reads, &writes].map(|files| list(files.iter().map(|(name, _)| &**name)));
        write!(out, "\"inputFiles\": {}, \"outputFiles\": {}}}", files[0], files[1])?;
        sizes.extend(reads.into_iter().chain(writes));
    }
    write!(out, "],\n\"files\": [")?;
    for ((name, bytes), place) in sizes.iter().zip(0..) {
        write!(out, "{}\n{{\"id\": {}, \"sizeInBytes\": {bytes}}}", comma(place == 0), quoted(name))?;
    }
    write!(out, "]}},\n\"execution\": {{\"tasks\": [")?;
    for (task, number) in workflow.tasks().iter().zip(workflow.numbers()) {
        let (first, id, runtime) = (comma(number.0 == 0), quoted(&task.name), seconds(task, options));
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
