//! Abstract workflows of Pegasus 5, YAML.

use std::io::{self, Write};

use crate::graph::Workflow;
use crate::write::{WriteOptions, files_of, seconds};

/// Bytes in a unit of memory.
const MEBIBYTE: f64 = 1_048_576.0;

pub(super) fn write(workflow: &Workflow, options: &WriteOptions, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "pegasus: \"5.0\"\nname: {}\njobs:", quoted(workflow.name()))?;
    for (task, number) in workflow.tasks().iter().zip(workflow.numbers()) {
        let program = task.category.as_deref().unwrap_or(&task.name);
        let (id, program, runtime) = (quoted(&task.name), quoted(program), seconds(task, options));
        write!(out, "- type: job\n  id: {id}\n  name: {program}\n  arguments: []\n")?;
        write!(out, "  profiles: {{pegasus: {{runtime: {runtime}, cores: {}", task.cores)?;
        if let Some(memory) = task.memory {
            write!(out, ", memory: {}", memory as f64 / MEBIBYTE)?;
        }
        writeln!(out, "}}}}")?;
        let files = files_of(workflow, number);
        writeln!(
            out,
            "  uses:{}",
            if files.iter().all(crate::collections::ordered_set::OrderedSet::is_empty) { " []" } else { "" }
        )?;
        for (files, link) in files.iter().zip(["input", "output"]) {
            for (name, bytes) in files {
                writeln!(
                    out,
                    "  - {{lfn: {}, type: {link}, metadata: {{size: \"{bytes}\"}}}}",
                    quoted(name)
                )?;
            }
        }
    }
    let parents: Vec<_> = workflow.numbers().filter(|task| !workflow.outgoing(*task).is_empty()).collect();
    writeln!(out, "jobDependencies:{}", if parents.is_empty() { " []" } else { "" })?;
    for parent in parents {
        writeln!(out, "- id: {}\n  children:", quoted(&workflow.task(parent).name))?;
        for child in workflow.children(parent) {
            writeln!(out, "  - {}", quoted(&workflow.task(child).name))?;
        }
    }
    Ok(())
}

/// A text in quotes, as JSON has it; signs that YAML has not as they are become numbers.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    for letter in serde_json::Value::from(text).to_string().chars() {
        match u32::from(letter) {
            sign @ (0x7f..=0x9f | 0x2028 | 0x2029 | 0xfeff | 0xfffe | 0xffff) => {
                quoted += &format!("\\u{sign:04x}");
            }
            _ => quoted.push(letter),
        }
    }
    quoted
}
