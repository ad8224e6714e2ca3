//! STG.

use std::io::{self, Write};

use crate::graph::Workflow;
use crate::write::{WriteOptions, seconds};

pub(super) fn write(workflow: &Workflow, options: &WriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let count = workflow.tasks().len();
    writeln!(out, "{count}")?;
    writeln!(out, "0 0 0")?;
    for (task, number) in workflow.tasks().iter().zip(workflow.numbers()) {
        let time = seconds(task, options) / options.time_unit;
        let parents: Vec<String> =
            workflow.parents(number).map(|parent| (parent.0 + 1).to_string()).collect();
        if parents.is_empty() {
            writeln!(out, "{} {time} 1 0", number.0 + 1)?;
        } else {
            writeln!(out, "{} {time} {} {}", number.0 + 1, parents.len(), parents.join(" "))?;
        }
    }
    let last = workflow.numbers().filter(|task| workflow.outgoing(*task).is_empty());
    let last: Vec<String> = last.map(|task| (task.0 + 1).to_string()).collect();
    writeln!(out, "{} 0 {} {}", count + 1, last.len(), last.join(" "))?;
    writeln!(out, "# {}", workflow.name().replace(['\n', '\r'], " "))
}
