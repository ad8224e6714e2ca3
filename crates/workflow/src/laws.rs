//! Costs of graphs whose files state none, or not all: `work`, `times` and `bytes` of a file.
//!
//! A law holds for all tasks, or for those that a word names; of several words that fit a task the
//! first of these counts: its name, its category, its label, and the label's first line. A table of
//! measured times has a row for each execution: those of one word are one mean. Of a name such as
//! `ALIGN (sample 3)`, as Nextflow writes it, what stands before the bracket is a word too.
//!
//! Laws give costs to tasks and edges for which the file has none; what it has stands.

use std::path::{Path, PathBuf};

use crate::collections::OrderedMap;
use crate::graph::{Task, TaskNumber, Workflow};
use crate::kernel::rng::{Sampler, Stream};
use crate::registry::code::{self, Code};
use crate::registry::{Complaint, Complaints, Excerpt, Key, Kind, Params, Quantity, Span, keys};
use crate::text::csv::{Field, Reader, Table};
use crate::text::{LONGEST_TEXT, Place, read_file};

/// Tasks that are named in a message.
const MOST_NAMED: usize = 5;
/// The columns of a table by which tasks are known, the first that is there.
const WORDS: [&str; 5] = ["task", "name", "process", "rule", "category"];
/// The columns of a table that have the time, the first that is there, and milliseconds of a number
/// without a unit in it.
const TIMES: [(&str, f64); 4] =
    [("seconds", 1000.0), ("runtime", 1000.0), ("realtime", 1.0), ("duration", 1.0)];

const BY_WORD: &[Key] = &keys! {
    "of" Kind::Map(&Kind::Distribution(Quantity::Flops)), or_table =>
        "that of tasks by their names, categories, labels, or the first lines of their labels";
    "others" Kind::Distribution(Quantity::Flops), absent "every task is named" => "that of all other tasks";
};

const BYTES_BY_WORD: &[Key] = &keys! {
    "of" Kind::Map(&Kind::Distribution(Quantity::Bytes)), or_table =>
        "those from tasks by their names, categories, labels, or the first lines of their labels";
    "others" Kind::Distribution(Quantity::Bytes), absent "0" => "those from all other tasks";
};

pub(super) const WORK: Key = Key::new("work", Kind::DistributionOr(Quantity::Flops, BY_WORD))
    .absent("the file states the costs of tasks")
    .about("the work of tasks for which neither the file nor `times` has a cost: of all, or by name, category or label");

pub(super) const TIMES_KEY: Key = Key::new("times", Kind::Path)
    .absent("the file states the costs of tasks")
    .about("a table of measured times of tasks for which the file has no cost, such as the trace file of Nextflow: by commas or tabs, \
            with a column task, name, process, rule or category, and one of seconds, runtime, realtime or duration");

pub(super) const BYTES: Key = Key::new("bytes", Kind::DistributionOr(Quantity::Bytes, BYTES_BY_WORD))
    .absent("edges without a size only order tasks")
    .about("what edges carry for which the file has no size: all, or by name, category or label of the task that sends");

/// A law for all, or by words.
#[derive(Debug)]
struct Law {
    of: OrderedMap<String, Sampler>,
    others: Option<Sampler>,
}

impl Law {
    fn read(params: &Params<'_>, key: &str) -> Result<Option<Self>, Complaint> {
        if !params.has(key) {
            return Ok(None);
        }
        let section = params.section(key);
        if section.has("kind") {
            let all = *params.component(key, "distribution")?;
            return Ok(Some(Law { of: OrderedMap::new(), others: Some(all) }));
        }
        let mut of = OrderedMap::new();
        let words = section.section("of");
        for slot in words.tree().slots() {
            of.insert(slot.name.clone(), *words.component(&slot.name, "distribution")?);
        }
        let others = section.component_if_any("others", "distribution")?.map(|law| *law);
        Ok(Some(Law { of, others }))
    }

    fn varies(&self) -> bool {
        self.of.values().chain(&self.others).any(Sampler::varies)
    }

    fn draw(&self, task: &Task, stream: &mut Stream) -> Option<f64> {
        let named = words(task).find_map(|word| self.of.get(word));
        named.or(self.others.as_ref()).map(|law| law.draw(stream))
    }
}

/// The words by which a task is known, the most telling first.
fn words(task: &Task) -> impl Iterator<Item = &str> {
    let properties = task.properties.iter().flat_map(|all| all.iter());
    let label = properties.clone().find(|(key, _)| **key == *"label").map(|(_, label)| label.trim());
    let line = label.and_then(|label| label.split(['\n', '\\']).next()).map(str::trim);
    [Some(&*task.name), task.category.as_deref(), label, line].into_iter().flatten()
}

/// Laws of the costs that a file has not.
#[derive(Debug)]
pub(super) struct Laws {
    work: Option<Law>,
    bytes: Option<Law>,
    /// The table of times: as it is written, where it is and where it is named.
    pub(super) times: Option<(String, PathBuf, Span)>,
}

impl Laws {
    pub(super) fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let times = if params.has("times") {
            Some((params.read("times")?, params.path("times")?, params.span("times")))
        } else {
            None
        };
        Ok(Laws { work: Law::read(params, "work")?, bytes: Law::read(params, "bytes")?, times })
    }

    /// Returns true if costs of tasks come from here.
    pub(super) fn have_work(&self) -> bool {
        self.work.is_some() || self.times.is_some()
    }

    /// Returns true if one copy of the graph may have other costs than another.
    pub(super) fn draw(&self) -> bool {
        [&self.work, &self.bytes].into_iter().flatten().any(Law::varies)
    }

    /// Refuses a graph of which no task has a cost, neither by its file nor from here.
    pub(super) fn are_needed(
        &self,
        workflow: &Workflow,
        without: &[TaskNumber],
        (file, at): (&str, Span),
    ) -> Result<(), Complaint> {
        let are_all = !without.is_empty() && without.len() == workflow.tasks().len();
        if are_all && !self.have_work() { Err(costless(file, at)) } else { Ok(()) }
    }

    /// Gives work to tasks that have none; a second of the table is `speed` operations.
    ///
    /// # Errors
    /// The table cannot be read, or has not all of them and there is no law.
    pub(super) fn give_work(
        &self,
        workflow: &mut Workflow,
        without: &[TaskNumber],
        (speed, at): (f64, Span),
        stream: &mut Stream,
    ) -> Result<(), Vec<Complaint>> {
        if !self.have_work() {
            return Ok(());
        }
        let measured = match &self.times {
            Some((written, path, span)) => read_times(path, written, *span)?,
            None => OrderedMap::new(),
        };
        let mut left = Vec::new();
        for task in without {
            let known = words(workflow.task(*task)).find_map(|word| measured.get(word));
            let work = known.map(|(sum, count)| sum / *count as f64 * speed);
            let drawn = || self.work.as_ref()?.draw(workflow.task(*task), stream);
            match work.or_else(drawn) {
                Some(work) => workflow.set_work(*task, work),
                None => left.push(*task),
            }
        }
        if left.is_empty() { Ok(()) } else { Err(unnamed(workflow, &left, at).into()) }
    }

    /// Gives bytes to edges that have none; of nothing are those that carry `empty` bytes, too:
    /// where sizes are those of files, one without a size is empty.
    pub(super) fn give_bytes(&self, workflow: Workflow, empty: Option<u64>, stream: &mut Stream) -> Workflow {
        let Some(law) = &self.bytes else { return workflow };
        let drawn: Vec<Option<u64>> = workflow
            .edges()
            .iter()
            .map(|edge| {
                if edge.bytes.is_some() && edge.bytes != empty {
                    return edge.bytes;
                }
                law.draw(workflow.task(edge.from), stream)
                    .map_or(edge.bytes, |bytes| Some(bytes.round() as u64))
            })
            .collect();
        let mut drawn = drawn.into_iter();
        workflow.with_bytes(|_| drawn.next().flatten())
    }
}

/// The complaint that nothing states the costs of tasks.
fn costless(file: &str, at: Span) -> Complaint {
    let message = format!("no task of `{file}` has a cost");
    let help = "give them one in the application: `work = \"10Gf\"` for all or by name, category or label, `times` with a table of \
                measured times such as the trace file of Nextflow, or `cost-attribute` of DOT with the attribute that has it";
    Complaint::new(code::WORKFLOW, message, at).label("named here").help(help)
}

fn unnamed(workflow: &Workflow, left: &[TaskNumber], at: Span) -> Complaint {
    let named: Vec<String> =
        left.iter().take(MOST_NAMED).map(|task| format!("`{}`", workflow.task(*task).name)).collect();
    let more = match left.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("nothing gives the cost of {}{more}", named.join(", "));
    Complaint::new(code::WORKFLOW, message, at)
        .label("tasks of this file")
        .help("name them, or give all others a cost: `work = { of = { NAME = \"10Gf\" }, others = \"1Gf\" }`")
}

/// Sums of the times of each word, and how many.
type Sums = OrderedMap<String, (f64, u64)>;

/// Columns of the words and of the times, and milliseconds of a time without a unit.
type Columns = (usize, usize, f64);

fn read_times(path: &Path, written: &str, at: Span) -> Result<Sums, Vec<Complaint>> {
    let text = read_file(path, LONGEST_TEXT).map_err(|why| {
        Complaint::new(code::FILE, format!("cannot read `{written}`: {why}"), at).label("named here")
    })?;
    Measured { written, at, sums: Sums::new(), wrong: Complaints::new() }.read(&text).map_err(Vec::from)
}

/// A table of measured times while it is read.
struct Measured<'a> {
    written: &'a str,
    at: Span,
    sums: Sums,
    wrong: Complaints,
}

impl Measured<'_> {
    /// The times, in seconds, by word.
    fn read(mut self, text: &str) -> Result<Sums, Complaints> {
        if text.lines().next().is_some_and(|head| head.contains('\t')) {
            let mut lines = text.lines().zip(1..).map(|(line, number)| {
                line.split('\t').map(move |cell| Field::piece(line, number, cell)).collect::<Vec<_>>()
            });
            let columns = self.columns(&lines.next().unwrap_or_default())?;
            lines
                .filter(|row| row.iter().any(|cell| !cell.raw().is_empty()))
                .for_each(|row| self.row(&row, columns));
            return self.wrong.unless_any(self.sums);
        }
        let table = match Table::new(Reader::new(text).with_comments()) {
            Ok(Some(table)) => table,
            Ok(None) => {
                let message = format!("`{}` is empty", self.written);
                return Err(Complaint::new(code::MISSING_KEY, message, self.at).label("named here").into());
            }
            Err(mistake) => {
                return Err(self.complaint(code::TYPE, mistake.message, mistake.place, &mistake.help).into());
            }
        };
        let columns = self.columns(&table.head.cells().collect::<Vec<_>>())?;
        let mut table = table;
        let read = table.each_row(|row| self.row(&row.cells().collect::<Vec<_>>(), columns));
        if let Err(mistake) = read {
            let broken = self.complaint(code::TYPE, mistake.message, mistake.place, &mistake.help);
            self.wrong.push(broken);
        }
        self.wrong.unless_any(self.sums)
    }

    fn complaint(&self, code: &'static Code, message: String, place: Place, help: &str) -> Complaint {
        Complaint::new(code, message, self.at).excerpt(Excerpt::at(place, self.written)).help(help)
    }

    fn columns(&self, head: &[Field<'_>]) -> Result<Columns, Complaint> {
        let place = |name: &str| head.iter().position(|cell| cell.text().trim().eq_ignore_ascii_case(name));
        let word = WORDS.iter().find_map(|name| place(name));
        let time = TIMES.iter().find_map(|(name, millis)| place(name).map(|place| (place, *millis)));
        if let (Some(word), Some((time, millis))) = (word, time) {
            return Ok((word, time, millis));
        }
        let message = "the first line does not name a column of tasks and one of times".to_owned();
        let help =
            "expected task, name, process, rule or category, and seconds, runtime, realtime or duration";
        let whole = head.first().map_or_else(|| Field::piece("", 1, ""), |cell| cell.whole_row());
        Err(self.complaint(code::MISSING_KEY, message, whole.place(), help))
    }

    fn row(&mut self, row: &[Field<'_>], (word, time, millis): Columns) {
        let (Some(word), Some(time)) = (row.get(word), row.get(time)) else {
            let whole = row.first().map_or_else(|| Field::piece("", 1, ""), |cell| cell.whole_row());
            let message = "this line lacks a column".to_owned();
            let wrong = self.complaint(code::TYPE, message, whole.place(), "expected a task and a time");
            return self.wrong.push(wrong);
        };
        let text = time.text();
        // an execution that did not come so far has none
        if matches!(text.trim(), "" | "-") {
            return;
        }
        let Some(seconds) = seconds(text.trim(), millis) else {
            let message = format!("`{}` is no time", text.trim());
            let help = "expected such as 12.5, \"1h 2m 3s\" or \"250ms\"";
            let wrong = self.complaint(code::QUANTITY, message, time.place(), help);
            return self.wrong.push(wrong);
        };
        let name = word.text().trim().to_owned();
        let process = name.split_once(" (").map(|(process, _)| process.trim().to_owned());
        for word in [Some(name), process].into_iter().flatten() {
            let (sum, count) = self.sums.entry(word).or_insert((0.0, 0));
            (*sum, *count) = (*sum + seconds, *count + 1);
        }
    }
}

/// Parts such as `1h 2m 3.5s`, or a number alone; in seconds.
fn seconds(text: &str, millis: f64) -> Option<f64> {
    let finite = |number: f64| (number.is_finite() && number >= 0.0).then_some(number);
    if let Ok(number) = text.parse::<f64>() {
        return finite(number * millis / 1000.0);
    }
    let mut sum = 0.0;
    for part in text.split_whitespace() {
        let unit = part.find(|letter: char| letter.is_ascii_alphabetic())?;
        let number: f64 = part[..unit].parse().ok()?;
        let factor = match &part[unit..] {
            "ms" => 0.001,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        sum += finite(number)? * factor;
    }
    finite(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Sources;

    fn measured(text: &str) -> Result<Sums, Complaints> {
        let at = Span::new(Sources::new("").add("scenario.toml", "", ""), 0..0);
        Measured { written: "times", at, sums: Sums::new(), wrong: Complaints::new() }.read(text)
    }

    #[test]
    fn times_are_read_as_nextflow_and_tables_write_them() {
        let trace = "task_id\tname\tstatus\trealtime\n1\tALIGN (a)\tCOMPLETED\t1m 30s\n2\tALIGN (b)\tCOMPLETED\t30s\n3\tQC\tFAILED\t-\n\
                     4\tQC\tCOMPLETED\t500\n";
        let sums = measured(trace).expect("times");
        assert_eq!(sums.get("ALIGN"), Some(&(120.0, 2)));
        assert_eq!(sums.get("ALIGN (b)"), Some(&(30.0, 1)));
        assert_eq!(sums.get("QC"), Some(&(0.5, 1)));
        let sums = measured("rule,seconds\n\"map\",2.5\nmap,1h\n").expect("times");
        assert_eq!(sums.get("map"), Some(&(3602.5, 2)));
    }

    #[test]
    fn what_is_no_time_is_reported_at_its_place() {
        let found = measured("task,seconds\na,soon\nb\nc,-1\nd,1 parsec\n").expect_err("mistakes");
        let lines: Vec<u64> = found.iter().filter_map(|one| Some(one.excerpt.as_ref()?.line)).collect();
        assert_eq!(lines, [2, 3, 4, 5]);
        assert_eq!(measured("a,b\n").expect_err("columns").count(), 1);
        assert_eq!(measured("").expect_err("nothing").count(), 1);
    }
}
