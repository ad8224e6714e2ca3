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
//! asked for, which stretch is over. Attributes that the input states of its jobs
//! ([`Attributes`]) follow, each in a column of its own, and columns of features of another crate
//! ([`OwnCells`](crate::instrument::OwnCells)) are the last.

use std::io;

use crate::batch::record::{Reason, State};
use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::energy;
use crate::instrument::metrics::FinishedRun;
use crate::kernel::SimDuration;
use crate::output::{Cell, Row as _, RowSink, RowSource, Table, csv};
use crate::workload::resources::{GpuShare, Resources};
use crate::workload::{Attribute, Attributes};
use clustersim_experiment::rows::batsim::{BatsimJob, LastRun};
use clustersim_experiment::rows::jobs::{JobCells, JobColumns, JobRow, without_energy};

/// The jobs of a run that left.
#[derive(Clone, Copy, Debug)]
pub struct JobRows<'a> {
    /// The run.
    pub run: FinishedRun<'a>,
    /// Name of the workload in every row.
    pub workload: &'a str,
}

pub(super) fn declared() -> Table {
    JobRow::declared()
}

/// The cell of GPUs that a run of a job had.
pub(super) fn listed(gpus: &[GpuShare]) -> String {
    let gpus: Vec<String> = gpus.iter().map(ToString::to_string).collect();
    gpus.join(" ")
}

/// The columns of jobs that may be given other sizes or not, on nodes whose GPUs are distinguished
/// or not, and have these attributes.
fn columns(molds: bool, gpus_held: bool, attributes: &Attributes) -> JobColumns {
    JobColumns {
        of_cluster: true,
        molds,
        gpus_held,
        qos: attributes.has(Attribute::Qos),
        account: attributes.has(Attribute::Account),
        class: attributes.has(Attribute::Class),
        pools: attributes.has(Attribute::Pools),
        nodes: attributes.has(Attribute::Nodes),
        gpus: attributes.has(Attribute::Gpus),
        energy: attributes.has(Attribute::Energy),
        power: attributes.has(Attribute::Power),
    }
}

/// The first line of `jobs.csv`, without its end, where moldable jobs may be given other sizes or
/// not.
pub fn header(molds: bool) -> String {
    csv::header(&JobRow::table(JobColumns { molds, ..JobColumns::OF_JOBS }))
}

impl RowSource for JobRows<'_> {
    fn table(&self) -> Table {
        let table = JobRow::table(self.columns());
        let table = if self.run.record.site().power.is_none() { without_energy(table) } else { table };
        let own = self.run.record.own_cells();
        table.with(own.into_iter().flat_map(|own| own.columns.iter().cloned()))
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
        let met = self.columns();
        // columns that only some runs have are the last, and most runs have none of them
        let first = JobRow::table(JobColumns { molds: met.molds, ..JobColumns::OF_JOBS }).columns.len();
        let own = self.run.record.own_cells();
        let is_plain = met == JobColumns { molds: met.molds, ..JobColumns::OF_JOBS } && own.is_none();
        for id in self.run.record.left() {
            let on = self.run.record.processors(id);
            let gpus = listed(self.run.record.gpus(id));
            let cells = self.cells(id, &on, &gpus);
            if is_plain {
                see(id, &cells.array()[..first])?;
            } else {
                let mut list = cells.list(met);
                list.extend(own.into_iter().flat_map(|own| own.of(id)));
                see(id, &list)?;
            }
        }
        Ok(())
    }

    fn columns(&self) -> JobColumns {
        let record = self.run.record;
        let gpus_held = record.resources().is_some_and(Resources::distinguishes_gpus);
        columns(record.site().users.molds, gpus_held, record.attributes())
    }

    /// The cells of a job that had the processors `on` and these GPUs, of every column that there
    /// may be.
    fn cells(&self, id: JobId, on: &'a [Interval], gpus: &'a str) -> JobCells<Cell<'a>> {
        let run = &self.run;
        let (job, outcome) = (&run.jobs[id.index()], run.record.outcome(id));
        let accepted = outcome.state != State::Rejected;
        let ran = accepted && outcome.ran();
        let alone = if ran { run.asked(id).run_time } else { SimDuration::ZERO };
        let before = || run.record.outages().held(id);
        let withdrawn = || outcome.end.since(job.submit_time).saturating_sub(before());
        let waited = || if ran { run.waited(id) } else { withdrawn() };
        let stated = run.record.attributes().of(id.index());
        let text = |text: Option<&'a str>| text.map_or(Cell::Empty, Cell::Text);
        let count = |number: Option<u32>| number.map_or(Cell::Empty, |number| Cell::Integer(number.into()));
        let thousandths =
            |amount: Option<u64>| amount.map_or(Cell::Empty, |amount| Cell::Decimal(amount.into(), 3));
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
        JobCells {
            reason: match outcome.reason {
                // a word of another crate may hold anything
                Reason::Own(own) => Cell::Text(own.name),
                declared => Cell::Word(declared.name()),
            },
            given_procs: Cell::Integer(i64::from(job.procs)),
            given_time: Cell::Time(job.estimate),
            dedicated: if ran { Cell::Time(alone) } else { Cell::Empty },
            gpus_held: text(Some(gpus).filter(|gpus| !gpus.is_empty())),
            qos: text(stated.qos),
            account: text(stated.account),
            class: text(stated.class),
            pools: text(stated.pools),
            nodes: count(stated.nodes),
            gpus: count(stated.gpus),
            recorded_energy: thousandths(stated.energy),
            recorded_power: thousandths(stated.power),
            ..as_of_batsim.cells()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::instrument::{Reason, Record, SiteModel};
    use crate::kernel::SimTime;
    use crate::kernel::stats::WarmUp;
    use crate::output::{CellType, TableFormat};
    use crate::workload::{Habits, Job, Stated};

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
    fn attributes_have_columns_where_the_input_states_them() {
        let mut attributes = Attributes::keeping(&[Attribute::Account, Attribute::Gpus, Attribute::Power]);
        let stated = Stated { account: Some("a, b"), gpus: Some(0), power: Some(1500), ..Stated::default() };
        attributes.push(&stated);
        attributes.push(&Stated { class: Some("not kept"), ..Stated::default() });
        let job = |number| Job::new(number, SimTime::ZERO, 1, SimDuration::from_secs(1));
        let jobs = [job(1), job(2)];
        let mut record = Record::new(2).of_jobs_with(attributes.into());
        record.rejected(JobId(0), SimTime::ZERO, Reason::TooLarge);
        record.rejected(JobId(1), SimTime::ZERO, Reason::TooLarge);
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 1, until: None, warm_up: WarmUp::None };
        let bytes = TableFormat::Csv.bytes(&JobRows { run, workload: "w" }).expect("into memory");
        let text = String::from_utf8(bytes).expect("ASCII");
        let rejected = "w,rigid,0,1,1,0,REJECTED,,,,,,,,-1,,too-large";
        let expected =
            format!("{HEADER},account,gpus,recorded_power\n1,{rejected},\"a, b\",0,1.5\n2,{rejected},,,\n");
        assert_eq!(text, expected);
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
            let energy = source.table().columns.into_iter().find(|column| column.name == "consumed_energy");
            assert_eq!(energy.map(|column| column.kind), Some(CellType::Integer));
        }
    }
}
