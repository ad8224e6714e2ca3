//! A table of dependencies of one's own: a CSV file with the columns `job`, `kind` and `on`.
//!
//! ```text
//! job,kind,on
//! 7,after-ok,5
//! 7,after-any,6
//! ```
//!
//! Jobs are told by their numbers, each of which only one job may have. Kinds are those of Slurm: a job `after-any` may be
//! considered once the other has left, `after-ok` only if it ended by itself. Columns may stand in any order, others are
//! passed over, and so are empty lines. All mistakes of the file are told at once, each at its place.

use std::collections::BTreeMap;

use crate::ids::JobId;
use crate::registry::code;
use crate::registry::{Absent, Complaint, Key, Kind, Span, suggestion};
use crate::workload::Job;
use crate::workload::source::Problem;
use crate::workload::swf::Place;

use super::{Dependencies, Edge, Rule};

/// The table that a workload may have beside it.
pub(crate) const DEPENDENCIES: Key = Key {
    name: "dependencies",
    kind: Kind::Path,
    default: Absent::Means("no job waits for another one by a table"),
    about: "a CSV file with the columns job, kind and on: which jobs are held until which others have left (after-any), or have \
            ended by themselves (after-ok); detail `job` only",
    source: "kinds: sbatch(1) of Slurm, --dependency",
};

/// The columns.
const COLUMNS: [&str; 3] = ["job", "kind", "on"];
/// The kinds by name.
const KINDS: [(&str, Rule); 2] = [("after-any", Rule::AfterAny), ("after-ok", Rule::AfterOk)];
/// Mistakes of one file that are told.
const TOLD: usize = 20;

/// A field of a line and where it stands.
#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    column: usize,
}

/// The text of a table while it is read.
struct Reading<'a> {
    /// What messages call the file.
    file: &'a str,
    /// Where it is named.
    at: Span,
    /// The jobs that have each number.
    numbers: BTreeMap<u64, Vec<JobId>>,
    complaints: Vec<Complaint>,
}

/// The edges of a table, which the scenario calls `file`, at `at`, joined with those of the log.
///
/// # Errors
/// Every mistake of the table, at its place: columns that are missing, jobs that are not there, kinds that are not known; or
/// jobs that depend on each other in a circle.
pub fn join(
    text: &str,
    (file, at): (&str, Span),
    jobs: &[Job],
    of_log: &Dependencies,
) -> Result<Dependencies, Vec<Complaint>> {
    let mut numbers: BTreeMap<u64, Vec<JobId>> = BTreeMap::new();
    for (id, job) in (0..).map(JobId).zip(jobs) {
        numbers.entry(job.number).or_default().push(id);
    }
    let mut reading = Reading { file, at, numbers, complaints: Vec::new() };
    let lines: Vec<(u64, &str)> = (1..).zip(text.lines()).collect();
    let rows = reading.rows(&lines);
    if !reading.complaints.is_empty() {
        reading.complaints.truncate(TOLD);
        return Err(reading.complaints);
    }
    let mut edges = of_log.edges().to_vec();
    edges.extend(rows.iter().map(|&(edge, _)| edge));
    let joined = Dependencies::new(edges).map_err(|circle| {
        let circle = circle.0;
        let pairs = || circle.iter().zip(circle.iter().cycle().skip(1));
        let of_circle = |edge: &Edge| pairs().any(|(&job, &on)| (job, on) == (edge.job, edge.on));
        let line = rows.iter().find(|(edge, _)| of_circle(edge)).map_or(1, |&(_, line)| line);
        let words: Vec<String> =
            circle.iter().chain(circle.first()).map(|job| jobs[job.index()].number.to_string()).collect();
        let message = format!("jobs depend on each other in a circle: {}", words.join(" on "));
        let text = lines.get(line as usize - 1).map_or("", |line| line.1);
        let whole = Field { text, column: 0 };
        vec![reading.complaint((line, text), whole, &message, "none of them could ever start")]
    })?;
    Ok(if of_log.has_think_times() { joined.with_think_times() } else { joined })
}

impl Reading<'_> {
    fn complaint(&self, (line, text): (u64, &str), at: Field<'_>, message: &str, help: &str) -> Complaint {
        let place = Place::new(line, text.as_bytes(), at.column, at.text.len());
        Problem::new(code::DEPENDENCY, message).help(help).at(place).complaint(self.file, Some(self.at))
    }

    fn wrong(&mut self, line: (u64, &str), at: Field<'_>, message: &str, help: &str) {
        if self.complaints.len() < TOLD {
            let complaint = self.complaint(line, at, message, help);
            self.complaints.push(complaint);
        }
    }

    /// The edges with their lines, as far as they can be read.
    fn rows(&mut self, lines: &[(u64, &str)]) -> Vec<(Edge, u64)> {
        let first = lines.first().copied().unwrap_or((1, ""));
        let head: Vec<Field<'_>> = fields(first.1.trim_start_matches('\u{feff}')).collect();
        let mut places = [0; COLUMNS.len()];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            match head.iter().position(|field| field.text == name) {
                Some(found) => *place = found,
                None => {
                    let message = format!("the first line names no column `{name}`");
                    self.wrong(first, Field { text: first.1, column: 0 }, &message, "write: job,kind,on");
                }
            }
        }
        if !self.complaints.is_empty() {
            return Vec::new();
        }
        let mut rows = Vec::new();
        for &(line, text) in lines.iter().skip(1).filter(|line| !line.1.trim().is_empty()) {
            let fields: Vec<Field<'_>> = fields(text).collect();
            if fields.len() != head.len() {
                let message = format!("a line has {} fields, this one has {}", head.len(), fields.len());
                self.wrong((line, text), Field { text, column: 0 }, &message, "write: 7,after-ok,5");
                continue;
            }
            let [job, kind, on] = places.map(|place| fields[place]);
            let job = self.job((line, text), job);
            let kind = self.kind((line, text), kind);
            let on = self.job((line, text), on);
            if let (Some(job), Some(rule), Some(on)) = (job, kind, on) {
                rows.push((Edge { job, on, rule }, line));
            }
        }
        rows
    }

    fn job(&mut self, line: (u64, &str), field: Field<'_>) -> Option<JobId> {
        let Ok(number) = field.text.parse::<u64>() else {
            self.wrong(line, field, &format!("`{}` is no number of a job", field.text), "write such as 7");
            return None;
        };
        match self.numbers.get(&number).map(Vec::as_slice) {
            Some(&[one]) => Some(one),
            Some(several) => {
                let message = format!("{} jobs have the number {number}", several.len());
                self.wrong(line, field, &message, "a table can only name jobs whose numbers are their own");
                None
            }
            None => {
                let nearest =
                    self.numbers.keys().copied().min_by_key(|other| (other.abs_diff(number), *other));
                let help = nearest.map_or_else(String::new, |nearest| {
                    format!("did you mean {nearest}? jobs that were dropped or lie outside the window are not there")
                });
                self.wrong(line, field, &format!("the workload has no job {number}"), &help);
                None
            }
        }
    }

    fn kind(&mut self, line: (u64, &str), field: Field<'_>) -> Option<Rule> {
        let found = KINDS.iter().find(|kind| kind.0 == field.text);
        if found.is_none() {
            let help = suggestion(field.text, KINDS.iter().map(|kind| kind.0));
            self.wrong(line, field, &format!("unknown kind of dependency `{}`", field.text), &help);
        }
        found.map(|kind| kind.1)
    }
}

/// The fields of a line, without blanks around them.
fn fields(line: &str) -> impl Iterator<Item = Field<'_>> {
    let mut at = 0;
    line.split(',').map(move |part| {
        let column = at + part.len() - part.trim_start().len();
        at += part.len() + 1;
        Field { text: part.trim(), column }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::kernel::{SimDuration, SimTime};

    use super::*;

    fn told(text: &str) -> Result<Vec<Edge>, Vec<String>> {
        let job = |number| Job::new(number, SimTime::ZERO, 1, SimDuration::from_secs(1));
        let jobs = [5, 6, 7, 9, 9].map(job);
        let named = ("d.csv", Span::new(crate::registry::Sources::new("").add("s", "", ""), 0..0));
        join(text, named, &jobs, &Dependencies::default())
            .map(|all| all.edges().to_vec())
            .map_err(|all| all.into_iter().map(|one| one.message).collect())
    }

    #[test]
    fn rows_are_read_in_any_order_of_columns() {
        let edge = |job, on, rule| Edge { job: JobId(job), on: JobId(on), rule };
        let both = [edge(2, 0, Rule::AfterOk), edge(2, 1, Rule::AfterAny)];
        assert_eq!(told("job,kind,on\n7,after-ok,5\n7, after-any ,6\r\n\n"), Ok(both.to_vec()));
        assert_eq!(told("on,why,job,kind\n5,x,7,after-ok\n6,,7,after-any"), Ok(both.to_vec()));
        assert_eq!(told("job,kind,on\n"), Ok(Vec::new()));
    }

    #[test]
    fn every_mistake_is_told() {
        let all = told("job,kind,on\n8,after-ok,5\n7,afterok,5\n7,after-ok,9\n7,after-ok\nx,after-any,5\n");
        let messages = [
            "the workload has no job 8",
            "unknown kind of dependency `afterok`",
            "2 jobs have the number 9",
            "a line has 3 fields, this one has 2",
            "`x` is no number of a job",
        ];
        assert_eq!(all, Err(messages.map(str::to_owned).to_vec()));
        assert_eq!(
            told("jobs,kind\n"),
            Err(["job", "on"].map(|name| format!("the first line names no column `{name}`")).to_vec())
        );
        let circle = "jobs depend on each other in a circle: 5 on 7 on 6 on 5".to_owned();
        assert_eq!(told("job,kind,on\n5,after-ok,7\n7,after-ok,6\n6,after-ok,5\n"), Err(vec![circle]));
    }

    proptest! {
        #[test]
        fn any_text_gives_edges_or_complaints(text in "(job,kind,on\n)?[0-9a-z,\n é-]{0,80}") {
            let _ = told(&text);
        }
    }
}
