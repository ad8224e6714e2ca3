//! `jobs`: one row a job, in Batsim's columns and order, and one column after them.
//!
//! The columns are those of Batsim's `jobs.csv`, so that its users' tools load what any system
//! calls a job: header and meaning of Batsim 5, `export.cpp` and its documentation. Times are exact
//! to the nanosecond; stretch is response time over run time, to the millionth. Metadata are empty.
//!
//! Rows stand in order of leaving: by end time (of a rejected job: its submission), at equal times
//! by submission. Jobs that had not ended when the run was stopped have no row. A rejected job
//! leaves the columns of its run empty; so does one that is cancelled before it starts, but for
//! when that was and how long it waited. One that is killed at its limit, cancelled, or lost with a
//! node, is no success. Of a job that was interrupted the row is about the last run, and its
//! waiting time leaves out what it had processors before; the attempts are the earlier runs. Energy
//! is exact where power is known and processors are not shared, and -1 elsewhere. The last column,
//! `reason`, is not Batsim's: why the job started when it did, or was rejected, as
//! [`Reason::name`](crate::instrument::Reason::name) calls it. Where moldable jobs may be given
//! other sizes, three columns follow: what was requested is what the job asked for, and these are
//! the processors that it was given, the time requested for them, and its run time alone on what it
//! asked for, which stretch is over.

use std::io;

use crate::batch::record::{Reason, State};
use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::energy;
use crate::instrument::metrics::FinishedRun;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{Cell, CellType, Column, RowSink, RowSource, Table, columns, csv};

/// The jobs of a run that left.
#[derive(Clone, Copy, Debug)]
pub struct JobRows<'a> {
    /// The run.
    pub run: FinishedRun<'a>,
    /// Name of the workload in every row.
    pub workload: &'a str,
}

/// The column after those of Batsim.
static REASON: [Column; 1] = columns! {
    "reason" Text "", "why it started when it did, or was rejected (docs/batch.md, Why?); not Batsim's";
};

/// The columns after those, where moldable jobs may be given other sizes.
static MOLDED: [Column; 3] = columns! {
    "given_number_of_resources" Integer "", "the processors that it was given; only where moldable jobs may be given other sizes";
    "given_time" Time "s", "the time requested for the processors that it was given; only there";
    "dedicated_time" Time "s", "its run time alone on what it asked for, which stretch is over; only there, and empty if it never ran";
};

pub(super) fn declared() -> Table {
    table(true)
}

fn table(molds: bool) -> Table {
    Table::new(
        "jobs",
        "a row a job that left, in order of end time, with the columns of Batsim's file of that name, and last the reason why the job started then or was rejected. Key: record.jobs",
        &COLUMNS,
    )
    .with(REASON.iter().chain(MOLDED.iter().filter(|_| molds)).cloned())
}

/// The first line of `jobs.csv`, without its end, where moldable jobs may be given other sizes or
/// not.
pub fn header(molds: bool) -> String {
    csv::header(&table(molds))
}

impl RowSource for JobRows<'_> {
    fn table(&self) -> Table {
        let site = self.run.record.site();
        let mut table = table(site.users.molds);
        if site.power.is_none() {
            // -1 in every row
            table.columns[ENERGY].kind = CellType::Integer;
        }
        table
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.each(&mut |_, cells| sink.row(cells))
    }
}

impl<'a> JobRows<'a> {
    /// Shows every row in order, with the job that it is of.
    ///
    /// # Errors
    /// The first one of `see`.
    pub fn each(&self, see: &mut dyn FnMut(JobId, &[Cell<'_>]) -> io::Result<()>) -> io::Result<()> {
        let molded = if self.run.record.site().users.molds { MOLDED.len() } else { 0 };
        let width = COLUMNS.len() + REASON.len() + molded;
        for id in self.run.record.left() {
            let on = self.run.record.processors(id);
            see(id, &self.cells(id, &on)[..width])?;
        }
        Ok(())
    }

    /// The cells of a job that had the processors `on`, of every column that there may be.
    fn cells(
        &self,
        id: JobId,
        on: &'a [Interval],
    ) -> [Cell<'a>; COLUMNS.len() + REASON.len() + MOLDED.len()] {
        let run = &self.run;
        let (job, outcome) = (&run.jobs[id.index()], run.record.outcome(id));
        let accepted = outcome.state != State::Rejected;
        let ran = accepted && outcome.ran();
        let alone = if ran { run.asked(id).run_time } else { SimDuration::ZERO };
        let waited = || if ran { run.waited(id) } else { outcome.end.since(job.submit_time) };
        let as_of_batsim = BatsimJob {
            number: job.number,
            workload: self.workload,
            profile: Cell::Word("rigid"),
            submitted: job.submit_time,
            procs: run.asked(id).procs,
            requested_time: Some(run.asked(id).estimate),
            success: outcome.state == State::Completed,
            final_state: outcome.state.final_state().unwrap_or_default(),
            finished: accepted.then_some(outcome.end),
            waited: accepted.then(waited),
            run: ran.then(|| LastRun {
                start: outcome.start,
                alone,
                on,
                picojoules: energy::of_job(run, id).map(energy::Energy::picojoules),
            }),
        };
        let mut cells = [Cell::Empty; COLUMNS.len() + REASON.len() + MOLDED.len()];
        cells[..COLUMNS.len()].copy_from_slice(&as_of_batsim.cells());
        cells[COLUMNS.len()..].copy_from_slice(&[
            match outcome.reason {
                // a word of another crate may hold anything
                Reason::Own(own) => Cell::Text(own.name),
                declared => Cell::Word(declared.name()),
            },
            Cell::Integer(i64::from(job.procs)),
            Cell::Time(job.estimate),
            if ran { Cell::Time(alone) } else { Cell::Empty },
        ]);
        cells
    }
}

/// The columns of Batsim's file.
pub static COLUMNS: [Column; 17] = columns! {
    "job_id" Count "", "its number in the workload";
    "workload_name" Text "", "what the workload is called";
    "profile" Text "", "always `rigid`; of a task its name";
    "submission_time" Time "s", "when it was submitted; of a task, when its parents had ended";
    "requested_number_of_resources" Integer "", "processors that it asked for";
    "requested_time" Time "s", "the run time that it asked for; of a task the predicted one";
    "success" Integer "", "1 if it completed, 0 if it was rejected, killed at its limit, cancelled or lost with a node";
    "final_state" Text "", "what became of it, in Batsim's words";
    "starting_time" Time "s", "when its last run started; empty if it never ran";
    "execution_time" Time "s", "from there to its end; empty if it never ran";
    "finish_time" Time "s", "when it ended, or was cancelled before it started; empty if it was rejected";
    "waiting_time" Time "s", "from submission to its last start without its earlier runs, or until it was cancelled; empty if it was rejected";
    "turnaround_time" Time "s", "from submission to end; empty if it never ran";
    "stretch" Decimal(6) "", "turnaround time over run time, to the nearest millionth; empty if it never ran";
    "allocated_resources" Intervals "", "the processors of its last run; empty if it never ran";
    "consumed_energy" Decimal(12) "J", "what its processors drew while it had them; -1 where power is not known, processors are shared, or it never ran";
    "metadata" Text "", "always empty";
};

/// The place of `consumed_energy` among them.
pub const ENERGY: usize = 15;

/// Millionths of one.
const MILLION: u128 = 1_000_000;

/// A job as a row of that file.
#[derive(Clone, Copy, Debug)]
pub struct BatsimJob<'a> {
    /// Number in the workload.
    pub number: u64,
    /// Name of the workload.
    pub workload: &'a str,
    /// Name of its profile in Batsim.
    pub profile: Cell<'a>,
    /// Instant of submission.
    pub submitted: SimTime,
    /// Processors that it asked for.
    pub procs: u32,
    /// The run time that it asked for, if it did.
    pub requested_time: Option<SimDuration>,
    /// True if it completed.
    pub success: bool,
    /// Final state, in Batsim's words.
    pub final_state: &'static str,
    /// Instant at which it ended or was cancelled, if it was accepted.
    pub finished: Option<SimTime>,
    /// Waiting time, if it was accepted.
    pub waited: Option<SimDuration>,
    /// Last run, if it had one.
    pub run: Option<LastRun<'a>>,
}

/// The last run of a job.
#[derive(Clone, Copy, Debug)]
pub struct LastRun<'a> {
    /// Instant of the start.
    pub start: SimTime,
    /// The run time that stretch is over.
    pub alone: SimDuration,
    /// Processors of the run.
    pub on: &'a [Interval],
    /// Energy that these drew, if that is known [10^-12 J].
    pub picojoules: Option<u128>,
}

impl<'a> BatsimJob<'a> {
    /// Cells of the row.
    pub fn cells(&self) -> [Cell<'a>; COLUMNS.len()] {
        let (mut start, mut execution, mut turnaround, mut stretch, mut on) = Default::default();
        let mut energy = Cell::Integer(-1);
        if let (Some(run), Some(end)) = (self.run, self.finished) {
            let response = end.since(self.submitted);
            start = Cell::at(run.start);
            execution = Cell::Time(end.since(run.start));
            turnaround = Cell::Time(response);
            stretch = Cell::Decimal(in_millionths(response, run.alone), 6);
            on = Cell::Intervals(run.on);
            if let Some(consumed) = run.picojoules {
                energy = Cell::Decimal(consumed, 12);
            }
        }
        [
            Cell::Count(self.number),
            Cell::Text(self.workload),
            self.profile,
            Cell::at(self.submitted),
            Cell::Integer(i64::from(self.procs)),
            self.requested_time.map(Cell::Time).unwrap_or_default(),
            Cell::Integer(i64::from(self.success)),
            Cell::Word(self.final_state),
            start,
            execution,
            self.finished.map(Cell::at).unwrap_or_default(),
            self.waited.map(Cell::Time).unwrap_or_default(),
            turnaround,
            stretch,
            on,
            energy,
            Cell::Empty,
        ]
    }
}

/// Response time over run time, to the nearest millionth.
pub fn in_millionths(turnaround: SimDuration, run_time: SimDuration) -> u128 {
    let (turnaround, run_time) = (u128::from(turnaround.as_nanos()), u128::from(run_time.as_nanos()));
    if turnaround == run_time || run_time == 0 {
        return MILLION;
    }
    (turnaround * MILLION + run_time / 2) / run_time
}

#[cfg(test)]
mod tests {
    use crate::instrument::{Reason, Record, SiteModel};
    use crate::kernel::stats::WarmUp;
    use crate::output::TableFormat;
    use crate::workload::{Habits, Job};

    use super::*;

    const HEADER: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,\
        success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
        allocated_resources,consumed_energy,metadata,reason";

    #[test]
    fn rows_are_batsims_in_order_of_end() {
        let at = SimTime::from_nanos;
        let second = 1_000_000_000;
        let mut record = Record::new(3);
        let jobs = [
            Job::new(7, at(0), 4, SimDuration::from_nanos(4 * second)),
            Job::new(8, at(second / 2), 2, SimDuration::from_nanos(second)),
            Job::new(9, at(second), 99, SimDuration::from_nanos(second)),
        ];
        record.started(JobId(0), at(0), &[Interval::new(0, 2), Interval::new(7, 7)], Reason::Head);
        record.rejected(JobId(2), at(second), Reason::TooLarge);
        record.started(JobId(1), at(second), &[Interval::new(3, 4)], Reason::BeforeShadow);
        record.ended(JobId(1), at(2 * second));
        record.ended(JobId(0), at(4 * second));
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 8, until: None, warm_up: WarmUp::None };
        let bytes = TableFormat::Csv.bytes(&JobRows { run, workload: "a, b" }).expect("into memory");
        let text = String::from_utf8(bytes).expect("ASCII");
        let expected = format!(
            "{HEADER}\n\
             9,\"a, b\",rigid,1,99,1,0,REJECTED,,,,,,,,-1,,too-large\n\
             8,\"a, b\",rigid,0.5,2,1,1,COMPLETED_SUCCESSFULLY,1,1,2,0.5,1.5,1.5,3-4,-1,,before-shadow\n\
             7,\"a, b\",rigid,0,4,4,1,COMPLETED_SUCCESSFULLY,0,4,4,0,4,1,0-2 7,-1,,head\n"
        );
        assert_eq!(text, expected);
        let columns = HEADER.split(',').count();
        assert!(text.lines().skip(1).all(|row| row.replace("\"a, b\"", "w").split(',').count() == columns));
    }

    #[test]
    fn molded_jobs_have_three_columns_more_and_energy_is_where_it_is_said_to_be() {
        for users in [Habits::default(), Habits::ALL] {
            let record = Record::new(0).at(SiteModel { users, ..SiteModel::default() });
            let run =
                FinishedRun { jobs: &[], record: &record, procs: 1, until: None, warm_up: WarmUp::None };
            let source = JobRows { run, workload: "w" };
            let molded =
                if users.molds { ",given_number_of_resources,given_time,dedicated_time" } else { "" };
            assert_eq!(csv::header(&source.table()), [HEADER, molded].concat());
            assert_eq!(header(users.molds), [HEADER, molded].concat());
            assert_eq!(source.table().columns[ENERGY].name, "consumed_energy");
        }
    }

    #[test]
    fn stretch_is_rounded_to_the_millionth() {
        let stretch = |turnaround, run| {
            in_millionths(SimDuration::from_nanos(turnaround), SimDuration::from_nanos(run))
        };
        assert_eq!(stretch(3, 2), 1_500_000);
        assert_eq!(stretch(5, 3), 1_666_667);
        assert_eq!(stretch(1_999_999_999, 1_000_000_000), 2 * MILLION);
        assert_eq!(stretch(100_000_003, 100_000_000), MILLION);
        assert_eq!(stretch(u64::MAX, 1), u128::from(u64::MAX) * MILLION);
    }
}
