//! `profile` and `executions`: where the time of processors went, by processor and by job.
//!
//! `profile` has a row a processor, in the order of nodes. Its activities add up to `to_ns` −
//! `from_ns` in every row, exactly: the time from the end of the warm-up (without one, from the
//! first submission) to the end of the run.
//!
//! `executions` has a row a job that was started, in order of end; then those that were running
//! when the run was stopped, in order of start, with what they had by then. Activities are those of
//! processors while tasks of the job had them. Spans by activity are whole nanoseconds, so that
//! they add up.

use std::io;

use crate::instrument::execution::Execution;
use crate::instrument::profile::Activity;
use crate::instrument::task_metrics::TaskRun;
use crate::output::{Always, FixedPoint, Row as _, RowSink, RowSource, Table, rows};
use crate::rows::{ExecutionRow, ProfileRow};

rows! {
    /// Time of each processor of a run, by activity.
    pub struct ProfileRows<'a>(TaskRun<'a>) of ProfileRow;
    from run, (0..).zip(run.profile.observed().zip(&run.profile.nodes));
    (processor, (spent, &node)) => {
        processor,
        node,
        from: run.profile.observed_from().as_nanos(),
        to: run.profile.to.as_nanos(),
        compute: spent.of(Activity::Compute),
        message_overhead: spent.of(Activity::Message),
        spin: spent.of(Activity::Spin),
        switch: spent.of(Activity::Switch),
        interrupt: spent.of(Activity::Interrupt),
        scheduler: spent.of(Activity::Scheduler),
        daemon: spent.of(Activity::Daemon),
        paging: spent.of(Activity::Paging),
        io_wait: spent.of(Activity::IoWait),
        idle: spent.of(Activity::Idle),
    }
}

/// Execution of each job of a run.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionRows<'a>(pub TaskRun<'a>);

impl RowSource for ExecutionRows<'_> {
    fn table(&self) -> Table {
        ExecutionRow::declared()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let jobs = &self.0.profile.jobs;
        jobs.iter().try_for_each(|execution| row(&self.0, execution).push(Always, sink))
    }
}

/// The row of a job.
fn row<'a>(run: &TaskRun<'a>, execution: &Execution) -> ExecutionRow<'a> {
    let id = execution.job;
    let (job, outcome) = (&run.run.jobs[id.index()], run.run.record.outcome(id));
    let end = outcome.state.has_run().then_some(outcome.end);
    let response = end.map(|end| end.since(job.submit_time));
    let (spent, counts) = (&execution.spent, &execution.counts);
    ExecutionRow {
        job: job.number,
        class: run.applications.class(id).into(),
        tasks: job.procs,
        submitted: job.submit_time,
        start: outcome.start,
        first_dispatch: execution.first_dispatch,
        end,
        dedicated: job.run_time,
        slowdown: response.map(|response| response.as_nanos() as f64 / job.run_time.as_nanos() as f64),
        compute: spent.of(Activity::Compute),
        message_overhead: spent.of(Activity::Message),
        spin: spent.of(Activity::Spin),
        switch: spent.of(Activity::Switch),
        interrupt: spent.of(Activity::Interrupt),
        scheduler: spent.of(Activity::Scheduler),
        daemon: spent.of(Activity::Daemon),
        paging: spent.of(Activity::Paging),
        io_wait: spent.of(Activity::IoWait),
        idle: spent.of(Activity::Idle),
        messages: counts.messages,
        dispatches: counts.dispatches,
        switches: counts.switches,
        interrupts: counts.interrupts,
        boosts: counts.boosts,
        blocks: counts.blocks,
        yields: counts.yields,
        skewed_waits: counts.skewed_waits,
        skew: (counts.skewed_waits > 0).then_some(FixedPoint(counts.skew)),
        frames_due: counts.due,
        frames_missed: counts.missed,
        jitter: (counts.pairs > 0).then_some(FixedPoint(counts.jitter)),
        pace_windows: execution.pace.count(),
        pace_mean: execution.pace.mean(),
        pace_cv: execution.pace.cv(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::collections::Interval;
    use crate::ids::JobId;
    use crate::instrument::execution::{Counts, ExecutionProfile, Mark};
    use crate::instrument::metrics::FinishedRun;
    use crate::instrument::profile::Spent;
    use crate::instrument::{LossOfCapacity, Reason, Record};
    use crate::kernel::stats::{Table, WarmUp};
    use crate::kernel::{SimDuration, SimTime};
    use crate::output::TableFormat;
    use crate::units::Bytes;
    use crate::workload::Job;
    use crate::workload::parallel::{Application, Applications, Program, Quality};

    use super::*;

    fn nanos(nanos: u64) -> SimDuration {
        SimDuration::from_nanos(nanos)
    }

    fn spent(compute: u64, idle: u64) -> Spent {
        let mut spent = Spent::default();
        spent.add(Activity::Compute, nanos(compute));
        spent.add(Activity::Idle, nanos(idle));
        spent
    }

    #[test]
    fn every_activity_has_a_column_with_its_meaning() {
        let columns = [ProfileRow::declared(), ExecutionRow::declared()];
        for columns in columns.map(|table| table.columns) {
            let first = columns.iter().position(|column| column.name == "compute_ns").expect("it is there");
            for (activity, column) in Activity::ALL.iter().zip(&columns[first..]) {
                assert_eq!(column.name, format!("{}_ns", activity.name().replace('-', "_")));
                assert_eq!((&*column.about, column.unit), (activity.about(), "ns"));
            }
        }
    }

    #[test]
    fn rows_hold_whole_nanoseconds_and_leave_empty_what_was_not_observed() {
        let at = SimTime::from_nanos;
        let second = 1_000_000_000;
        let jobs = [Job::new(7, at(0), 1, nanos(second)), Job::new(8, at(5), 1, nanos(second))];
        let mut record = Record::new(2);
        record.started(JobId(0), at(0), &[Interval::new(0, 0)], Reason::Head);
        record.started(JobId(1), at(5), &[Interval::new(1, 1)], Reason::Head);
        record.ended(JobId(0), at(2 * second));
        let mut pace = Table::new();
        pace.record(0.5);
        let counts = Counts { messages: 3, due: 2, pairs: 1, jitter: 40, ..Counts::default() };
        let first = Execution {
            job: JobId(0),
            spent: spent(2 * second, 0),
            counts,
            first_dispatch: Some(at(1)),
            pace,
        };
        let counts = Counts::default();
        let second_job = Execution {
            job: JobId(1),
            spent: Spent::default(),
            counts,
            first_dispatch: None,
            pace: Table::new(),
        };
        let profile = ExecutionProfile {
            processors: vec![spent(60, 40), spent(70, 30)],
            nodes: vec![0, 0],
            jobs: vec![first, second_job],
            from: at(0),
            to: at(100),
            drew: false,
            timeline: None,
            mark: Some(Mark { at: at(20), processors: vec![spent(20, 0), spent(5, 15)] }),
        };
        let program = Program::Recorded([Box::default()].into());
        let quality = Quality::BestEffort;
        let application =
            Arc::new(Application { class: 0, tasks: 1, program, memory: Bytes::new(0), quality });
        let of = vec![Arc::clone(&application), application];
        let applications = Applications { classes: vec!["a, b".to_owned()], of };
        let run = TaskRun {
            run: FinishedRun { jobs: &jobs, record: &record, procs: 2, until: None, warm_up: WarmUp::None },
            profile: &profile,
            capacity: &LossOfCapacity::new(at(0)),
            slots: 2,
            applications: &applications,
        };
        let written = |source: &dyn RowSource| {
            String::from_utf8(TableFormat::Csv.bytes(source).expect("into memory")).expect("text")
        };
        let of_a_job = "job_id,class,tasks,submission_time,starting_time,first_dispatch_time,finish_time,dedicated_time,slowdown";
        let counted = "messages,dispatches,switches,interrupts,boosts,blocks,yields,skewed_waits,skew_ns,frames_due,\
                       frames_missed,jitter_ns,pace_windows,pace_mean,pace_cv";
        let names = "compute_ns,message_overhead_ns,spin_ns,switch_ns,interrupt_ns,scheduler_ns,daemon_ns,paging_ns,\
                     io_wait_ns,idle_ns";
        assert_eq!(
            written(&ProfileRows(run)),
            format!(
                "processor,node,from_ns,to_ns,{names}\n0,0,20,100,40,0,0,0,0,0,0,0,0,40\n1,0,20,100,65,0,0,0,0,0,0,0,0,15\n"
            )
        );
        assert_eq!(
            written(&ExecutionRows(run)),
            format!(
                "{of_a_job},{names},{counted}\n\
                 7,\"a, b\",1,0,0,0.000000001,2,1,2,2000000000,0,0,0,0,0,0,0,0,0,3,0,0,0,0,0,0,0,,2,0,40,1,0.5,\n\
                 8,\"a, b\",1,0.000000005,0.000000005,,,1,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,0,0,,0,,\n"
            )
        );
    }
}
