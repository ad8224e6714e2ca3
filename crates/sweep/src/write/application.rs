//! An application as a text of the template, and what that cannot hold.

use std::fmt;
use std::io::{self, Write};

use crate::kernel::SimTime;
use crate::model::application::{Sweep, SweepTask};
use crate::platform::clustered::write::instant;
use crate::read::application::HEADING;
use crate::workflow::FileNumber;

/// Returns true if a name can stand between `<` and `>`.
fn is_plain(name: &str) -> bool {
    !name.trim_ascii().is_empty()
        && name.trim_ascii() == name
        && !name.contains(|letter: char| letter == '<' || letter == '>' || letter.is_control())
}

/// Properties of an application that a text cannot hold, a sentence each.
pub fn losses(sweep: &Sweep) -> Vec<String> {
    let named =
        sweep.tasks.iter().enumerate().filter(|(number, task)| *task.name != *number.to_string()).count();
    let files = sweep.files.iter().filter(|file| !is_plain(&file.name)).count();
    let mut losses = Vec::new();
    if named > 0 {
        losses.push(format!("tasks have numbers from 0 in place of names: {named} were called otherwise"));
    }
    if files > 0 {
        losses
            .push(format!("signs and blanks in names of files have become `_`: {files} names have changed"));
    }
    losses
}

/// Writes an application. Version 1, or 2 if tasks arrive during the run.
///
/// # Errors
/// `out` cannot be written.
pub fn write(sweep: &Sweep, out: &mut dyn Write) -> io::Result<()> {
    let arrives = sweep.tasks.iter().any(|task| task.arrival > SimTime::ZERO);
    let version = if arrives { 2 } else { 1 };
    writeln!(out, "{HEADING} {version} {} {}", sweep.files.len(), sweep.tasks.len())?;
    for (id, file) in sweep.files.iter().enumerate() {
        let name = if is_plain(&file.name) { file.name.to_string() } else { plain(&file.name) };
        writeln!(out, "File: <{id}> <{name}> <{}> <{}>", file.bytes, file.estimated)?;
    }
    sweep.tasks.iter().enumerate().try_for_each(|(id, task)| write_task(id, task, out))
}

fn plain(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|letter| {
            if letter == '<' || letter == '>' || letter.is_control() || letter == ' ' { '_' } else { letter }
        })
        .collect();
    if plain.is_empty() { "_".to_owned() } else { plain }
}

fn write_task(id: usize, task: &SweepTask, out: &mut dyn Write) -> io::Result<()> {
    if task.arrival > SimTime::ZERO {
        write!(out, "{}:", instant(task.arrival.as_nanos()))?;
    }
    write!(out, "Work: <{id}>")?;
    list(out, task.inputs.iter().map(|FileNumber(file)| file))?;
    list(out, task.outputs.iter().map(|FileNumber(file)| file))?;
    list(out, task.times.iter().map(|time| time.real))?;
    list(out, task.times.iter().map(|time| time.estimated))?;
    writeln!(out)
}

fn list(out: &mut dyn Write, items: impl ExactSizeIterator<Item = impl fmt::Display>) -> io::Result<()> {
    write!(out, " < {} :", items.len())?;
    for item in items {
        write!(out, " {item}")?;
    }
    write!(out, " >")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::application::read;

    fn written(sweep: &Sweep) -> String {
        let mut bytes = Vec::new();
        write(sweep, &mut bytes).expect("memory can be written");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn what_is_written_is_read_back_the_same() {
        for text in [
            include_str!("../../../../tests/data/sweeps/appendix_b.txt"),
            "WorkDescription 2 1 2\nFile: <0> <a b> <7> <8>\nWork: <0> <0:> <1:0> <2: 0.1 1e-3> <2: 0.25 7>\n0.000000001:Work: <1> <0:> <0:> <1:1> <1:1>\n",
        ] {
            let sweep = read(text).expect("an application");
            assert!(losses(&sweep).is_empty());
            assert_eq!(read(&written(&sweep)), Ok(sweep));
        }
    }

    #[test]
    fn what_a_text_cannot_hold_is_reported() {
        let text = "WorkDescription 1 1 1\nFile: <0> <a> <7> <8>\nWork: <0> <1:0> <0:> <1:1> <1:1>\n";
        let mut sweep = read(text).expect("an application");
        sweep.tasks[0].name = "first".into();
        sweep.files[0].name = "a<b> c ".into();
        assert_eq!(losses(&sweep).len(), 2);
        assert!(written(&sweep).contains("<a_b__c_>"));
        assert!(read(&written(&sweep)).is_ok());
    }
}
