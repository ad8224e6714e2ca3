//! A table of dependencies of one's own: a CSV file with the columns `job`, `kind` and `on`.
//!
//! ```text
//! job,kind,on
//! 7,after-ok,5
//! 7,after-any,6
//! ```
//!
//! Jobs are identified by their numbers, each of which only one job may have. Kinds are those of
//! Slurm: a job `after-any` may be considered once the other has left, `after-ok` only if it ended
//! by itself. Columns may stand in any order, others are passed over, and so are blank lines and
//! those that begin with `#`. All mistakes of the file are reported at once, each at its place.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::registry::Problem;
use crate::registry::{Complaint, Complaints, Key, Kind, Span, code, key, suggestion};
use crate::text::csv::{Field, Mistake, Table};
use crate::workload::Job;

use super::{Dependencies, Edge, Rule};

/// The table that a workload may have with it.
pub const DEPENDENCIES: Key = key! {
    "dependencies" Kind::Path, absent "no job waits for another one by a table" =>
        "a CSV file with the columns job, kind and on: which jobs are held until which others have left \
         (after-any), or have ended by themselves (after-ok); detail `job` only",
        source "kinds: sbatch(1) of Slurm, --dependency"
};

/// The columns.
const COLUMNS: [&str; 3] = ["job", "kind", "on"];
/// The kinds by name.
const KINDS: [(&str, Rule); 2] = [("after-any", Rule::AfterAny), ("after-ok", Rule::AfterOk)];

/// The text of a table while it is read.
struct Reading<'a> {
    /// The name of the file in messages.
    file: &'a str,
    /// The place at which it is named.
    at: Span,
    /// The jobs that have each number.
    numbers: OrderedMap<u64, Vec<JobId>>,
    complaints: Complaints,
}

/// The edges of a table, which the scenario calls `file`, at `at`, joined with those of the log.
///
/// # Errors
/// Every mistake of the table, at its place: columns that are missing, jobs that are not there,
/// kinds that are not known; or jobs that depend on each other in a circle.
pub fn join(
    text: &str,
    (file, at): (&str, Span),
    jobs: &[Job],
    of_log: &Dependencies,
) -> Result<Dependencies, Vec<Complaint>> {
    let mut numbers: OrderedMap<u64, Vec<JobId>> = OrderedMap::new();
    for (id, job) in (0..).map(JobId).zip(jobs) {
        numbers.entry(job.number).or_default().push(id);
    }
    let mut reading = Reading { file, at, numbers, complaints: Complaints::new() };
    let rows = reading.rows(text);
    if !reading.complaints.is_empty() {
        return Err(reading.complaints.into());
    }
    let mut edges = of_log.edges().to_vec();
    edges.extend(rows.iter().map(|&(edge, _)| edge));
    let joined = Dependencies::new(edges).map_err(|circle| {
        let circle = circle.0;
        let pairs = || circle.iter().zip(circle.iter().cycle().skip(1));
        let of_circle = |edge: &Edge| pairs().any(|(&job, &on)| (job, on) == (edge.job, edge.on));
        let row = rows.iter().find(|(edge, _)| of_circle(edge)).map(|&(_, row)| row);
        let words: Vec<String> =
            circle.iter().chain(circle.first()).map(|job| jobs[job.index()].number.to_string()).collect();
        let message = format!("jobs depend on each other in a circle: {}", words.join(" on "));
        let row = row.unwrap_or_else(|| Field::piece("", 1, ""));
        vec![reading.complaint(row, &message, "none of them could ever start")]
    })?;
    Ok(if of_log.has_think_times() { joined.with_think_times() } else { joined })
}

impl Reading<'_> {
    fn complaint(&self, cell: Field<'_>, message: &str, help: &str) -> Complaint {
        Problem::of_cell(cell, code::DEPENDENCY, message, help).complaint(self.file, Some(self.at))
    }

    fn wrong(&mut self, cell: Field<'_>, message: &str, help: &str) {
        let complaint = self.complaint(cell, message, help);
        self.complaints.push(complaint);
    }

    /// Faults of the table as a whole.
    fn refused(&self, mistake: Mistake) -> Complaint {
        let problem = Problem { code: code::DEPENDENCY, ..mistake.into() };
        problem.complaint(self.file, Some(self.at))
    }

    /// The edges with their rows, as far as they can be read.
    fn rows<'t>(&mut self, text: &'t str) -> Vec<(Edge, Field<'t>)> {
        let mut rows = Vec::new();
        let (mut table, columns) = match Table::with_columns(text, COLUMNS) {
            Ok(Some(opened)) => opened,
            Ok(None) => {
                self.wrong(Field::piece("", 1, ""), "the table is empty", "write: job,kind,on");
                return rows;
            }
            Err(mistakes) => {
                let refused = mistakes.map(|mistake| self.refused(mistake));
                self.complaints.append(refused);
                return rows;
            }
        };
        let width = table.head.len();
        let read = table.each_row(|row| {
            let ([Some(job), Some(kind), Some(on)], true) =
                (columns.map(|column| row.get(column)), row.len() == width)
            else {
                let message = format!("a line has {width} fields, this one has {}", row.len());
                return self.wrong(row.whole(), &message, "write: 7,after-ok,5");
            };
            let (job, kind, on) = (self.job(job), self.kind(kind), self.job(on));
            if let (Some(job), Some(rule), Some(on)) = (job, kind, on) {
                rows.push((Edge { job, on, rule }, row.whole()));
            }
        });
        if let Err(mistake) = read {
            let refused = self.refused(mistake);
            self.complaints.push(refused);
        }
        rows
    }

    fn job(&mut self, cell: Field<'_>) -> Option<JobId> {
        let Ok(number) = cell.raw().parse::<u64>() else {
            self.wrong(cell, &format!("`{}` is no number of a job", cell.raw()), "write such as 7");
            return None;
        };
        match self.numbers.get(&number).map(Vec::as_slice) {
            Some(&[one]) => Some(one),
            Some(several) => {
                let message = format!("{} jobs have the number {number}", several.len());
                self.wrong(cell, &message, "a table can only name jobs whose numbers are their own");
                None
            }
            None => {
                let nearest = self.near(number);
                let help = nearest.map_or_else(String::new, |nearest| {
                    format!("did you mean {nearest}? jobs that were dropped or lie outside the window are not there")
                });
                self.wrong(cell, &format!("the workload has no job {number}"), &help);
                None
            }
        }
    }

    /// The number of a job that is nearest to one that none has.
    fn near(&self, number: u64) -> Option<u64> {
        let below = self.numbers.range(..number).next_back().map(|(below, _)| *below);
        let above = self.numbers.range(number..).next().map(|(above, _)| *above);
        below.into_iter().chain(above).min_by_key(|other| (other.abs_diff(number), *other))
    }

    fn kind(&mut self, cell: Field<'_>) -> Option<Rule> {
        let found = KINDS.iter().find(|kind| kind.0 == cell.raw());
        if found.is_none() {
            let help = suggestion(cell.raw(), KINDS.iter().map(|kind| kind.0));
            self.wrong(cell, &format!("unknown kind of dependency `{}`", cell.raw()), &help);
        }
        found.map(|kind| kind.1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::kernel::{SimDuration, SimTime};

    use super::*;

    fn found(text: &str) -> Result<Vec<Edge>, Vec<String>> {
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
        assert_eq!(found("job,kind,on\n7,after-ok,5\n7, after-any ,6\r\n\n"), Ok(both.to_vec()));
        assert_eq!(found("on,why,job,kind\n5,x,7,after-ok\n6,,7,after-any"), Ok(both.to_vec()));
        assert_eq!(found("job,kind,on\n"), Ok(Vec::new()));
        let quoted = "\"job\",\"why\",\"kind\",\"on\"\n# both\n7,\"a, b\",\"after-ok\",5\n\"7\",\"c\nd\",after-any,\"6\"\n";
        assert_eq!(found(quoted), Ok(both.to_vec()));
    }

    #[test]
    fn every_mistake_is_reported() {
        let all = found("job,kind,on\n8,after-ok,5\n7,afterok,5\n7,after-ok,9\n7,after-ok\nx,after-any,5\n");
        let messages = [
            "the workload has no job 8",
            "unknown kind of dependency `afterok`",
            "2 jobs have the number 9",
            "a line has 3 fields, this one has 2",
            "`x` is no number of a job",
        ];
        assert_eq!(all, Err(messages.map(str::to_owned).to_vec()));
        assert_eq!(
            found("jobs,kind\n"),
            Err(["job", "on"].map(|name| format!("the first line names no column `{name}`")).to_vec())
        );
        assert_eq!(found("").expect_err("empty"), ["the table is empty"]);
        assert_eq!(found("job,kind,on,on\n").expect_err("twice"), ["two columns are called `on`"]);
        let circle = "jobs depend on each other in a circle: 5 on 7 on 6 on 5".to_owned();
        assert_eq!(found("job,kind,on\n5,after-ok,7\n7,after-ok,6\n6,after-ok,5\n"), Err(vec![circle]));
    }

    proptest! {
        #[test]
        fn any_text_gives_edges_or_complaints(text in "(job,kind,on\n)?[0-9a-z,\n é-]{0,80}") {
            let _ = found(&text);
        }
    }
}
