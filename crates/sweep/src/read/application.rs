//! The text of an application of the Parameter Sweep Template: files and tasks.
//!
//! ```text
//! WorkDescription <version> <number of files> <number of tasks>
//! File: <id> <name> <size> <estimated size>
//! Work: <id> < n : input files > < n : output files > < A : seconds > < A : estimated seconds >
//! ```
//!
//! The numbers of the first line stand without signs; in all others `<` and `>` are written as they
//! are. Ids count from 0, each below its number of the first line, in any order of lines; files and
//! tasks are in the order of their ids. A file stands before the tasks that use it. There is a time
//! for each of A architectures; one time alone holds on all. Sizes are in bytes, times in seconds.
//! In version 2 a task may have an instant before it, `12.5:Work:`, at which the scheduler gets to
//! know it.
//!
//! Source: section 7.2.2 and appendix B of the report of the Parameter Sweep Template. Version 2 is
//! the simulator's own.

use crate::kernel::SimTime;
use crate::model::application::{Sweep, SweepFile, SweepTask, TaskTime};
use crate::platform::clustered::read::fields::{Fields, bytes, instant, number, spoken};
use crate::text::mark::FileMark;
use crate::text::{Mistake, Mistakes, Spot, TextLine};
use crate::workflow::FileNumber;

/// The first word of such a text.
pub const HEADING: &str = "WorkDescription";

/// The mark of such applications.
pub const MARK: FileMark = FileMark::new(
    "an application of the Parameter Sweep Template (`WorkDescription`)",
    "a scenario reads it: [application] with kind = \"pst\" and file = \"{file}\"",
    |head| head.begins_with(HEADING),
);

const FILE_FORM: &str = "File: <id> <name> <size> <estimated size>";
const WORK_FORM: &str = "Work: <id> < n : inputs > < n : outputs > < A : seconds > < A : estimated seconds >";

/// Bytes of the shortest line of a file or task: a text has room for no more of them.
const SHORTEST_LINE: u64 = 21;

/// Reads an application.
///
/// # Errors
/// Everything that is wrong with it, each mistake at its place.
pub fn read(text: &str) -> Result<Sweep, Mistakes<Mistake>> {
    let mut lines = spoken(text);
    let heading = heading(lines.next(), text)?;
    let mut reading = Reading::new(heading);
    for line in lines {
        if let Err(mistake) = reading.line(line) {
            reading.mistakes.push(mistake);
        }
    }
    reading.finish(Spot::new(text.len() as u64, 0))
}

/// Content of the first line.
struct Heading {
    version: u64,
    files: (u64, Spot),
    tasks: (u64, Spot),
}

fn heading(line: Option<TextLine<'_>>, text: &str) -> Result<Heading, Mistakes<Mistake>> {
    let wrong = |message: String, spot| Err(Mistake { message, help: None, spot }.into());
    let form = format!("the first line should be `{HEADING} <version> <number of files> <number of tasks>`");
    let Some(line) = line else { return wrong(form, Spot::new(text.len() as u64, 0)) };
    let words: Vec<(&str, Spot)> = line.words().collect();
    let [(HEADING, _), version, files, tasks] = words[..] else { return wrong(form, line.spot()) };
    let version = match version.0 {
        "1" => 1,
        "2" => 2,
        other => return wrong(format!("`{other}` is no version; known: 1 and 2"), version.1),
    };
    let room = text.len() as u64 / SHORTEST_LINE + 1;
    let count = |(word, spot): (&str, Spot), what: &str| match word.parse::<u64>() {
        Ok(count) if count <= room => Ok((count, spot)),
        Ok(count) => {
            Err((format!("{count} {what} are declared, and the text is too short for so many"), spot))
        }
        Err(_) => Err((format!("the number of {what} should stand here"), spot)),
    };
    match (count(files, "files"), count(tasks, "tasks")) {
        (Ok(files), Ok(tasks)) => Ok(Heading { version, files, tasks }),
        (files, tasks) => {
            let both = [files.err(), tasks.err()].into_iter().flatten();
            Err(both.map(|(message, spot)| Mistake { message, help: None, spot }).collect())
        }
    }
}

/// Use of a file by tasks so far.
#[derive(Clone, Copy, Default)]
struct Use {
    is_read: bool,
    is_written: bool,
    /// The last task that named it, from 1.
    last: u64,
}

struct Reading {
    heading: Heading,
    files: Vec<Option<SweepFile>>,
    uses: Vec<Use>,
    tasks: Vec<Option<SweepTask>>,
    /// Lines of files and tasks, right or wrong.
    lines: [u64; 2],
    /// Files that were used before they were declared.
    early: Vec<(u64, Spot)>,
    mistakes: Mistakes<Mistake>,
}

impl Reading {
    fn new(heading: Heading) -> Self {
        let [files, tasks] = [heading.files.0, heading.tasks.0].map(|count| count as usize);
        Reading {
            heading,
            files: vec![None; files],
            uses: vec![Use::default(); files],
            tasks: vec![None; tasks],
            lines: [0, 0],
            early: Vec::new(),
            mistakes: Mistakes::default(),
        }
    }

    fn line(&mut self, line: TextLine<'_>) -> Result<(), Mistake> {
        let mut fields = Fields::new(line);
        let (at, word) = fields.instant_and_word()?;
        let (place, form) = match word.text {
            "File" => (0, FILE_FORM),
            "Work" => (1, WORK_FORM),
            other => {
                let mut behind = fields.clone();
                if at.is_none() && behind.sign(':') && behind.before(&['<', ':']).text == "Work" {
                    let message = format!("`{other}` is no instant in seconds");
                    return Err(Mistake { message, help: None, spot: word.spot() });
                }
                let message = format!("unknown line `{other}`");
                return Err(Mistake {
                    message,
                    help: Some("known: File, Work".to_owned()),
                    spot: word.spot(),
                });
            }
        };
        self.lines[place] += 1;
        let read = if !fields.sign(':') {
            let message = format!("`:` is missing behind `{}`", word.text);
            Err(Mistake { message, help: None, spot: word.end() })
        } else if place == 0 {
            if let Some(at) = at {
                self.mistakes.at(at.spot(), "only tasks have an instant");
            }
            self.file(&mut fields)
        } else {
            self.task(&mut fields, at)
        };
        let helped =
            |mistake: Mistake| Mistake { help: mistake.help.or(Some(format!("write `{form}`"))), ..mistake };
        read.and_then(|()| fields.end()).map_err(helped)
    }

    /// The id in a field: it is below `count` and not taken.
    fn id(
        &mut self,
        field: TextLine<'_>,
        what: &str,
        count: usize,
        is_taken: impl Fn(&Self, usize) -> bool,
    ) -> Option<usize> {
        let id = field.text.parse::<u64>().ok().filter(|id| *id < count as u64).map(|id| id as usize);
        match id {
            Some(id) if is_taken(self, id) => {
                self.mistakes.at(field.spot(), format!("there are two {what}s {id}"));
                None
            }
            Some(id) => Some(id),
            None => {
                let range = match count {
                    0 => "there are none".to_owned(),
                    count => format!("they are from 0 to {}", count - 1),
                };
                self.mistakes.at(field.spot(), format!("`{}` is no id of a {what}: {range}", field.text));
                None
            }
        }
    }

    fn file(&mut self, fields: &mut Fields<'_>) -> Result<(), Mistake> {
        let id = fields.word("the id")?;
        let name = fields.name("the name")?;
        let (size, estimate) = (fields.word("the size")?, fields.word("the estimated size")?);
        let id = self.id(id, "file", self.files.len(), |reading, id| reading.files[id].is_some());
        let sizes = [(size, "the size"), (estimate, "the estimated size")].map(|(field, what)| {
            let read = bytes(field.text);
            if read.is_none() {
                self.mistakes.at(field.spot(), format!("{what} is not a number of bytes"));
            }
            read.unwrap_or(0)
        });
        if let Some(id) = id {
            let [bytes, estimated] = sizes;
            self.files[id] = Some(SweepFile { estimated, ..SweepFile::new(name.text.into(), bytes) });
        }
        Ok(())
    }

    fn task(&mut self, fields: &mut Fields<'_>, at: Option<TextLine<'_>>) -> Result<(), Mistake> {
        let id = fields.word("the id")?;
        let (inputs, outputs) = (fields.list("input files")?, fields.list("output files")?);
        let (times, estimates) = (fields.list("times")?, fields.list("estimated times")?);
        let arrival = self.arrival(at);
        let id = self.id(id, "task", self.tasks.len(), |reading, id| reading.tasks[id].is_some());
        let own = self.lines[1];
        let inputs = self.used(inputs, own, false);
        let outputs = self.used(outputs, own, true);
        let times = self.times(times, estimates);
        if let Some(id) = id {
            self.tasks[id] = Some(SweepTask { name: id.to_string().into(), inputs, outputs, times, arrival });
        }
        Ok(())
    }

    fn arrival(&mut self, at: Option<TextLine<'_>>) -> SimTime {
        let Some(at) = at else { return SimTime::ZERO };
        if self.heading.version < 2 {
            let message = "a task has an instant only in version 2".to_owned();
            let help = Some(format!("write `{HEADING} 2` in the first line"));
            self.mistakes.push(Mistake { message, help, spot: at.spot() });
        }
        instant(at.text).unwrap_or_else(|| {
            self.mistakes.at(at.spot(), "the instant is not a number of seconds");
            SimTime::ZERO
        })
    }

    /// The files of a list; `own` counts the tasks.
    fn used(&mut self, list: TextLine<'_>, own: u64, writes: bool) -> Box<[FileNumber]> {
        let mut files = Vec::new();
        for (word, spot) in list.words() {
            let Some(id) = word.parse::<u64>().ok().filter(|id| *id < self.files.len() as u64) else {
                self.mistakes.at(spot, format!("there is no file `{word}`"));
                continue;
            };
            let place = id as usize;
            if self.files[place].is_none() {
                self.early.push((id, spot));
            }
            let used = &mut self.uses[place];
            let message = match *used {
                Use { is_written: true, .. } if writes => "is written twice",
                Use { is_written: true, .. } => "is read, and a task writes it",
                Use { is_read: true, .. } if writes => "is written, and a task reads it",
                Use { last, .. } if last == own => "is named twice",
                _ => "",
            };
            if message.is_empty() {
                files.push(FileNumber(id as u32));
            } else {
                self.mistakes.at(spot, format!("the file {id} {message}"));
            }
            *used =
                Use { is_read: used.is_read || !writes, is_written: used.is_written || writes, last: own };
        }
        files.into()
    }

    fn times(&mut self, real: TextLine<'_>, estimated: TextLine<'_>) -> Box<[TaskTime]> {
        let counts = [&real, &estimated].map(|list| list.words().count());
        if counts[0] != counts[1] {
            let message = format!("{} times and {} estimated ones", counts[0], counts[1]);
            self.mistakes.at(estimated.spot(), message);
        } else if counts[0] == 0 {
            self.mistakes.at(real.spot(), "a task has at least one time");
        }
        let mut seconds = |(word, spot): (&str, Spot)| {
            let read = number(word);
            if read.is_none() {
                self.mistakes.at(spot, format!("`{word}` is not a number of seconds"));
            }
            (read, spot)
        };
        let mut times = Vec::with_capacity(counts[0]);
        let mut none = Vec::new();
        for (real, estimated) in real.words().zip(estimated.words()) {
            let ((real, _), (estimated, spot)) = (seconds(real), seconds(estimated));
            if let (Some(real), Some(estimated)) = (real, estimated) {
                if estimated <= 0.0 && real > 0.0 {
                    none.push(spot);
                }
                times.push(TaskTime { real, estimated });
            }
        }
        for spot in none {
            self.mistakes.at(spot, "an estimate of 0 for a time above 0");
        }
        times.into()
    }

    fn finish(mut self, end: Spot) -> Result<Sweep, Mistakes<Mistake>> {
        for (id, spot) in std::mem::take(&mut self.early) {
            let message = match &self.files[id as usize] {
                Some(_) => format!("the file {id} is used before it is declared"),
                None => format!("the file {id} is not declared"),
            };
            self.mistakes.at(spot, message);
        }
        let declared = [(self.heading.files, "files"), (self.heading.tasks, "tasks")];
        for (((count, spot), what), found) in declared.into_iter().zip(self.lines) {
            if count != found {
                self.mistakes.at(spot, format!("{count} {what} are declared and {found} described"));
            }
        }
        if self.heading.tasks.0 == 0 && self.lines[1] == 0 {
            self.mistakes.at(end, "there is no task");
        }
        let Reading { files, tasks, mistakes, .. } = self;
        let (files, tasks) = (files.into_iter().flatten().collect(), tasks.into_iter().flatten().collect());
        mistakes.in_order().unless_any(Sweep { files, tasks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<(usize, String, String)> {
        let mistakes = read(text).expect_err("mistakes");
        let shown = |mistake: Mistake| {
            let at = mistake.spot.at as usize;
            let line = text[..at].matches('\n').count() + 1;
            (line, text[at..at + mistake.spot.width as usize].to_owned(), mistake.message)
        };
        mistakes.into_iter().map(shown).collect()
    }

    /// Appendix B of the report.
    #[test]
    fn the_sample_of_the_report_is_read() {
        let sweep = read(include_str!("../../../../tests/data/sweeps/appendix_b.txt")).expect("the sample");
        assert_eq!((sweep.files.len(), sweep.tasks.len()), (22, 12));
        assert!(sweep.tasks.iter().all(|task| task.times.len() == 3 && task.outputs.len() == 1));
        let task = &sweep.tasks[4];
        assert_eq!(*task.inputs, [5, 8, 9].map(FileNumber));
        assert_eq!(*task.outputs, [FileNumber(14)]);
        let (real, estimated): (Vec<f64>, Vec<f64>) =
            task.times.iter().map(|time| (time.real, time.estimated)).unzip();
        assert_eq!((real, estimated), (vec![500.0, 300.0, 600.0], vec![502.0, 308.0, 578.0]));
        assert_eq!((&*sweep.files[4].name, sweep.files[4].bytes), ("file_4", 1_130_456));
    }

    #[test]
    fn blanks_are_free_and_ids_stand_in_any_order() {
        let text = "# an application\nWorkDescription 2 3 2\n\n  File :<2><out><5><6>\nFile: < 0 > < a b > < 1 > < 2.4 >\nFile:<1> <c> <0> <0>\r\n\
                    12.5:Work: <1> <0:> < 0 : > <1:3.5><1 :4>\nWork:<0><2:1 0><1:2>< 1:1><1: 1 >\n";
        let sweep = read(text).expect("an application");
        assert_eq!((&*sweep.files[0].name, sweep.files[0].estimated), ("a b", 2));
        assert_eq!(*sweep.tasks[0].inputs, [FileNumber(1), FileNumber(0)]);
        assert_eq!(sweep.tasks[1].arrival.as_nanos(), 12_500_000_000);
        assert_eq!((&*sweep.tasks[1].name, sweep.tasks[1].inputs.len()), ("1", 0));
    }

    #[test]
    fn every_mistake_is_at_its_place() {
        let text = "WorkDescription 1 4 4\n\
                    File: <0> <a> <-1> <1>\n\
                    File: <0 <b> <1> <1>\n\
                    File: <1> <b> <1> <1>\n\
                    File: <1> <b> <1> <1>\n\
                    File: <4> <e> <1>\n\
                    Wrok: <0>\n\
                    Work: <0> <2 : 1> <0 : > <1 : 1> <1 : 1>\n\
                    Work: <1> <3 : 1 9 3> <1 : 1> <2 : 1 x> <2 : 0 1>\n\
                    5:Work: <2> <1 : 1> <0 : > <1 : 1> <2 : 1 1> more\n";
        let at = |line, at: &str, what: &str| (line, at.to_owned(), what.to_owned());
        assert_eq!(
            mistakes(text),
            [
                at(1, "4", "4 files are declared and 5 described"),
                at(1, "4", "4 tasks are declared and 3 described"),
                at(2, "-1", "the size is not a number of bytes"),
                at(3, "", "`>` is missing behind the id"),
                at(5, "1", "there are two files 1"),
                at(6, "", "`<` is missing before the estimated size"),
                at(7, "Wrok", "unknown line `Wrok`"),
                at(8, "2", "2 input files are declared and 1 listed"),
                at(9, "9", "there is no file `9`"),
                at(9, "3", "the file 3 is not declared"),
                at(9, "1", "the file 1 is written, and a task reads it"),
                at(9, "x", "`x` is not a number of seconds"),
                at(9, "0", "an estimate of 0 for a time above 0"),
                at(10, "5", "a task has an instant only in version 2"),
                at(10, "1", "the file 1 is read, and a task writes it"),
                at(10, "1 1", "1 times and 2 estimated ones"),
                at(10, "more", "the line goes on"),
            ]
        );
    }

    #[test]
    fn a_heading_that_promises_too_much_is_refused() {
        let only = |text: &str| mistakes(text).remove(0).2;
        assert_eq!(
            only("WorkDescription 1 99999999999 0\n"),
            "99999999999 files are declared, and the text is too short for so many"
        );
        assert_eq!(only("WorkDescription 3 0 0\n"), "`3` is no version; known: 1 and 2");
        assert_eq!(only("WorkDescription 1 0 0\n"), "there is no task");
        let form = "the first line should be `WorkDescription <version> <number of files> <number of tasks>`";
        assert_eq!(only(""), form);
        assert_eq!(only("WorkDescription 1 0\n"), form);
        let early = "WorkDescription 1 1 1\nWork: <0> <1 : 0> <0 :> <1 : 1> <1 : 1>\nFile: <0> <a> <1> <1>\n";
        assert_eq!(only(early), "the file 0 is used before it is declared");
    }
}
