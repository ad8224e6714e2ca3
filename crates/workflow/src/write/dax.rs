//! DAX 2.1.

use std::io::{self, Write};

use quick_xml::escape::escape;

use crate::graph::Workflow;
use crate::write::{WriteOptions, files_of, seconds};

pub(super) fn write(workflow: &Workflow, options: &WriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let children: Vec<_> = workflow.numbers().filter(|task| !workflow.incoming(*task).is_empty()).collect();
    let (jobs, childs) = (workflow.tasks().len(), children.len());
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<adag xmlns=\"http://pegasus.isi.edu/schema/DAX\" version=\"2.1\" name=\"{}\" jobCount=\"{jobs}\" childCount=\"{childs}\">",
        escape(workflow.name())
    )?;
    for (task, number) in workflow.tasks().iter().zip(workflow.numbers()) {
        let program = task.category.as_deref().unwrap_or(&task.name);
        let (id, program, runtime) = (escape(&*task.name), escape(program), seconds(task, options));
        writeln!(out, "  <job id=\"{id}\" name=\"{program}\" runtime=\"{runtime}\">")?;
        if task.cores != 1 {
            writeln!(out, "    <profile namespace=\"pegasus\" key=\"cores\">{}</profile>", task.cores)?;
        }
        for (files, link) in files_of(workflow, number).iter().zip(["input", "output"]) {
            for (name, bytes) in files {
                writeln!(out, "    <uses file=\"{}\" link=\"{link}\" size=\"{bytes}\"/>", escape(&**name))?;
            }
        }
        writeln!(out, "  </job>")?;
    }
    for child in children {
        writeln!(out, "  <child ref=\"{}\">", escape(&*workflow.task(child).name))?;
        for parent in workflow.parents(child) {
            writeln!(out, "    <parent ref=\"{}\"/>", escape(&*workflow.task(parent).name))?;
        }
        writeln!(out, "  </child>")?;
    }
    writeln!(out, "</adag>")
}
