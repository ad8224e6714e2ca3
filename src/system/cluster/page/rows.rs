//! The jobs of a run as the pictures see them, from the run itself or from its `jobs.csv`; both give the same rows.
//!
//! `jobs.csv` does not tell the user of a job, nor which of two jobs of one instant was submitted first. The jobs of
//! the workload, read once more, tell both; without them users are unknown and equal submissions stand in the order
//! of the rows. Jobs that had not ended when the run was stopped have no row in either.

use std::cmp::Ordering;

use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::State;
use crate::instrument::metrics::Run;
use crate::kernel::SimTime;
use crate::kernel::stats::WarmUp;
use crate::system::cluster::page::behind::{self, Behind};
use crate::text::csv::{Cell, Reader, Row as Line, Table};
use crate::units::seconds;
use crate::workload::{Job, UNKNOWN_ID};

/// The columns that are read.
const ASKED: [&str; 8] = [
    "job_id",
    "submission_time",
    "requested_number_of_resources",
    "requested_time",
    "final_state",
    "starting_time",
    "finish_time",
    "allocated_resources",
];
/// Those that are read too where jobs are molded.
const GIVEN: [&str; 3] = ["given_number_of_resources", "given_time", "dedicated_time"];

/// One job that left. Times are in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// Place in the order of submission.
    pub(super) place: u32,
    pub(super) number: u64,
    pub(super) submit: u64,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) estimate: u64,
    pub(super) procs: u32,
    /// Processors that it asked for.
    pub(super) asked: u32,
    /// How long it runs alone on these, where it may have been given others.
    pub(super) dedicated: Option<u64>,
    pub(super) user: u32,
    pub(super) rejected: bool,
    /// Whether it was cancelled before it started.
    pub(super) withdrawn: bool,
    /// Whether the metrics observe it: it was not cut off with the warm-up.
    pub(super) observed: bool,
    /// Where its processors begin in the list of all, and how many intervals they are.
    pub(super) first: u32,
    pub(super) intervals: u32,
}

impl Row {
    /// Whether it had processors.
    pub(super) fn ran(&self) -> bool {
        !self.rejected && !self.withdrawn
    }
}

/// The jobs that left, in order of submission.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub(super) jobs: Vec<Row>,
    held: Vec<Interval>,
    /// Where the observations begin, if there is a warm-up [ns].
    pub(super) observed_from: Option<u64>,
    /// When processors were reserved or out of service.
    pub(super) behind: Vec<Behind>,
}

impl Rows {
    /// The jobs of a run that is over.
    pub fn of_run(run: &Run<'_>) -> Self {
        let mut rows = Rows { behind: behind::of_run(run), ..Rows::default() };
        for (id, job) in (0..).map(JobId).zip(run.jobs) {
            let outcome = run.record.outcome(id);
            let rejected = match outcome.state {
                State::Completed | State::Killed | State::Cancelled | State::Lost => false,
                State::Rejected => true,
                State::Expected | State::Running => continue,
            };
            let nanos = |at: SimTime| at.since(SimTime::ZERO).as_nanos();
            let withdrawn = outcome.state == State::Cancelled && !outcome.ran();
            let span = if rejected || withdrawn {
                (job.submit_time, job.submit_time)
            } else {
                (outcome.start, outcome.end)
            };
            let row = Row {
                place: id.0,
                number: job.number,
                submit: nanos(job.submit_time),
                start: nanos(span.0),
                end: nanos(span.1),
                estimate: job.estimate.as_nanos(),
                procs: job.procs,
                asked: run.asked_procs(id),
                dedicated: (run.record.site().users.molds && outcome.ran())
                    .then(|| run.dedicated_time(id).as_nanos()),
                user: job.user,
                rejected,
                withdrawn,
                ..Row::default()
            };
            rows.push(row, &run.record.processors(id));
        }
        rows.observe(run.warm_up);
        rows
    }

    /// The jobs of a `jobs.csv`; `jobs` are those of the workload, if they can still be read.
    ///
    /// # Errors
    /// What is wrong with the text, and in which line.
    pub fn of_csv(text: &str, warm_up: WarmUp, jobs: Option<&[Job]>) -> Result<Self, String> {
        let columns = Table::new(Reader::new(text)).ok().flatten().and_then(Columns::of);
        let mut columns = columns.ok_or_else(|| "line 1 is not the header of jobs.csv".to_owned())?;
        let mut rows = Rows::default();
        let (mut line, mut held) = (Line::default(), Vec::new());
        while columns.table.read(&mut line).map_err(|mistake| {
            format!("line {} is no row of a job: {}", mistake.place.line, mistake.message)
        })? {
            held.clear();
            let row = columns
                .row(&line, &mut held)
                .ok_or_else(|| format!("line {} is no row of a job", line.line()))?;
            rows.push(row, &held);
        }
        match jobs {
            Some(jobs) => rows.complete(jobs)?,
            None => {
                rows.jobs.sort_by_key(|row| row.submit);
                for (place, row) in (0..).zip(&mut rows.jobs) {
                    row.place = place;
                }
            }
        }
        rows.observe(warm_up);
        Ok(rows)
    }

    /// The same with what is read from these files: `reservations.csv` and `outages.csv`, where there are any.
    ///
    /// # Errors
    /// What is wrong with either, after its name.
    pub fn with_behind(
        mut self,
        reservations: Option<&str>,
        outages: Option<&str>,
    ) -> Result<Self, (&'static str, String)> {
        self.behind = behind::of_csv(reservations, outages)?;
        Ok(self)
    }

    /// Adds a job that runs on these processors.
    pub(super) fn push(&mut self, mut job: Row, held: &[Interval]) {
        job.first = self.held.len() as u32;
        job.intervals = held.len() as u32;
        self.held.extend_from_slice(held);
        self.jobs.push(job);
    }

    /// The processors a job ran on.
    pub(super) fn intervals(&self, job: &Row) -> &[Interval] {
        let first = job.first as usize;
        &self.held[first..first + job.intervals as usize]
    }

    /// Takes user and order of submission from the workload.
    fn complete(&mut self, jobs: &[Job]) -> Result<(), String> {
        let key = |job: &Job| (job.number, job.submit_time.since(SimTime::ZERO).as_nanos(), job.procs);
        let mut places: Vec<u32> = (0..jobs.len() as u32).collect();
        places.sort_by_key(|&place| key(&jobs[place as usize]));
        let mut order: Vec<usize> = (0..self.jobs.len()).collect();
        order.sort_by_key(|&row| (self.jobs[row].number, self.jobs[row].submit, self.jobs[row].asked));
        let mut known = places.into_iter();
        for row in order {
            let row = &mut self.jobs[row];
            let wanted = (row.number, row.submit, row.asked);
            let found =
                known.by_ref().find(|&place| key(&jobs[place as usize]).cmp(&wanted) != Ordering::Less);
            let Some(place) = found.filter(|&place| key(&jobs[place as usize]) == wanted) else {
                return Err(format!("job {} is not in the workload", row.number));
            };
            row.place = place;
            row.user = jobs[place as usize].user;
        }
        // moved in step with the list of intervals, so that both ways lead to equal rows
        let mut sorted = Rows { behind: std::mem::take(&mut self.behind), ..Rows::default() };
        let mut by_place: Vec<&Row> = self.jobs.iter().collect();
        by_place.sort_by_key(|row| row.place);
        for row in by_place {
            sorted.push(row.clone(), self.intervals(row));
        }
        *self = sorted;
        Ok(())
    }

    /// Marks the jobs that the warm-up leaves. A job that did not leave takes no number: in a run that was stopped
    /// before the first jobs ended, a warm-up that counts jobs ends a little later here than in the metrics.
    fn observe(&mut self, warm_up: WarmUp) {
        for (number, row) in (0..).zip(self.jobs.iter_mut().filter(|row| !row.rejected)) {
            row.observed = warm_up.keeps(number, SimTime::from_nanos(row.submit));
        }
        self.observed_from = match warm_up {
            WarmUp::None => None,
            _ => self.jobs.iter().find(|row| row.observed).map(|row| row.submit),
        };
    }
}

/// The columns of a `jobs.csv` that are read.
struct Columns<'a> {
    table: Table<'a>,
    asked: [usize; ASKED.len()],
    /// What a job was given beside what it asked for, if jobs are molded.
    given: Option<[usize; GIVEN.len()]>,
}

impl<'a> Columns<'a> {
    fn of(table: Table<'a>) -> Option<Self> {
        let asked = table.columns(ASKED).ok()?;
        let given = match table.column(GIVEN[0]).ok()? {
            Some(_) => Some(table.columns(GIVEN).ok()?),
            None => None,
        };
        Some(Columns { table, asked, given })
    }

    /// The job of a row; its processors are put into `held`.
    fn row(&self, line: &Line<'_>, held: &mut Vec<Interval>) -> Option<Row> {
        let cell = |column: usize| line.get(column).map(Cell::raw);
        let [number, submit, asked, requested, state, start, end, processors] = self.asked;
        let (submit, asked, requested) =
            (seconds(cell(submit)?)?, cell(asked)?.parse::<u32>().ok()?, seconds(cell(requested)?)?);
        let (state, start, end, processors) = (cell(state)?, cell(start)?, cell(end)?, cell(processors)?);
        let (mut procs, mut estimate, mut dedicated) = (asked, requested, None);
        if let Some([given, time, alone]) = self.given {
            (procs, estimate) = (cell(given)?.parse().ok()?, seconds(cell(time)?)?);
            let alone = cell(alone)?;
            dedicated = if alone.is_empty() { None } else { Some(seconds(alone)?) };
        }
        let rejected = state == "REJECTED";
        let withdrawn = state == "CANCELLED" && start.is_empty();
        for interval in processors.split_ascii_whitespace() {
            held.push(Interval::parse(interval)?);
        }
        let (start, end) =
            if rejected || withdrawn { (submit, submit) } else { (seconds(start)?, seconds(end)?) };
        let number = cell(number)?.parse().ok()?;
        let row = Row { number, submit, start, end, estimate, procs, asked, dedicated, ..Row::default() };
        (submit <= start && start <= end).then_some(Row { rejected, withdrawn, user: UNKNOWN_ID, ..row })
    }
}

#[cfg(test)]
mod tests {
    use crate::instrument::tables::{JobRows, jobs_header};
    use crate::instrument::{Reason, Record};
    use crate::kernel::SimDuration;
    use crate::output::TableFormat;

    use super::*;

    /// Three jobs of one instant that leave in another order than they came, one of them refused.
    fn run() -> (Vec<Job>, Record) {
        let at = SimTime::from_nanos;
        let mut jobs: Vec<Job> = [9, 4, 4, 7]
            .map(|number| Job::new(number, at(5), 2, SimDuration::from_nanos(1_500_000_001)))
            .into();
        for (user, job) in (0..).zip(&mut jobs) {
            job.user = 10 + user;
        }
        let mut record = Record::new(4);
        record.started(JobId(0), at(40), &[Interval::new(0, 0), Interval::new(5, 5)], Reason::Head);
        record.started(JobId(1), at(20), &[Interval::new(1, 2)], Reason::Head);
        record.started(JobId(2), at(30), &[Interval::new(3, 4)], Reason::Head);
        record.rejected(JobId(3), at(5), Reason::TooLarge);
        for job in [1, 2, 0] {
            record.ended(JobId(job), at(100_000_000_000 - u64::from(job)));
        }
        (jobs, record)
    }

    #[test]
    fn a_run_and_its_file_give_the_same_rows() {
        let (jobs, record) = run();
        for warm_up in [WarmUp::None, WarmUp::Count(2), WarmUp::Until(SimTime::from_nanos(5))] {
            let run = Run { jobs: &jobs, record: &record, procs: 8, until: None, warm_up };
            let csv = TableFormat::Csv.bytes(&JobRows { run, workload: "a \"b\", c" }).expect("into memory");
            let text = String::from_utf8(csv).expect("text");
            let again = Rows::of_csv(&text, warm_up, Some(&jobs)).expect("rows");
            let rows = Rows::of_run(&run);
            // two jobs with equal numbers of one instant cannot be told apart: their places may be exchanged
            let key = |rows: &Rows| -> Vec<(u64, u64, bool)> {
                let mut keys: Vec<_> =
                    rows.jobs.iter().map(|row| (row.number, row.end, row.rejected)).collect();
                keys.sort_unstable();
                keys
            };
            assert_eq!(key(&again), key(&rows));
            assert_eq!(again.jobs[0], rows.jobs[0]);
            assert_eq!(again.intervals(&again.jobs[0]), rows.intervals(&rows.jobs[0]));
            assert_eq!(again.observed_from, rows.observed_from);
            let alone = Rows::of_csv(&text, warm_up, None).expect("rows");
            assert!(alone.jobs.len() == 4 && alone.jobs.iter().all(|row| row.user == UNKNOWN_ID));
        }
    }

    #[test]
    fn every_cell_may_be_quoted() {
        let (jobs, record) = run();
        let run = Run { jobs: &jobs, record: &record, procs: 8, until: None, warm_up: WarmUp::None };
        let csv = TableFormat::Csv.bytes(&JobRows { run, workload: "w" }).expect("into memory");
        let text = String::from_utf8(csv).expect("text");
        let quoted = |line: &str| format!("\"{}\"\r\n", line.replace(',', "\",\""));
        let all: String = text.lines().map(quoted).collect();
        let rows = |text: &str| Rows::of_csv(text, WarmUp::None, None).expect("rows");
        assert_eq!(rows(&all), rows(&text));
    }

    #[test]
    fn what_is_no_jobs_csv_is_told_with_its_line() {
        let told = |text: &str| Rows::of_csv(text, WarmUp::None, None).expect_err("refused");
        assert_eq!(told("a,b\n"), "line 1 is not the header of jobs.csv");
        for row in [
            "",
            "1,w,rigid",
            "x,w,rigid,0,1,1,1,C,0,1,1,0,1,1,0,-1,",
            "1,w,rigid,5,1,1,1,C,0,1,1,0,1,1,0,-1,",
        ] {
            assert_eq!(
                told(&format!("{}\n{row}\n", jobs_header(false))),
                "line 2 is no row of a job",
                "{row}"
            );
        }
    }
}
