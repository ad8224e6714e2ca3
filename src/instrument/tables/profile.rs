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
use crate::instrument::profile::{Activity, Spent};
use crate::instrument::task_metrics::TaskRun;
use crate::output::{Cell, CellType, Column, RowSink, RowSource, Table, columns};

/// Time of each processor of a run, by activity.
#[derive(Clone, Copy, Debug)]
pub struct ProfileRows<'a>(pub TaskRun<'a>);

/// Execution of each job of a run.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionRows<'a>(pub TaskRun<'a>);

const OF_A_PROCESSOR: &[Column] = &columns! {
    "processor" Count "", "the processor, from 0";
    "node" Count "", "its node, from 0";
    "from_ns" Count "ns", "from when its time is observed";
    "to_ns" Count "ns", "to when";
};

/// The columns of a job before the activities.
const OF_A_JOB: &[Column] = &columns! {
    "job_id" Count "", "the number of the job in the workload";
    "class" Text "", "its class";
    "tasks" Count "", "its tasks";
    "submission_time" Time "s", "when it was submitted";
    "starting_time" Time "s", "when it was started";
    "first_dispatch_time" Time "s", "when one of its tasks first had a processor";
    "finish_time" Time "s", "when it ended; empty if it had not when the run was stopped";
    "dedicated_time" Time "s", "its run time alone on the machine";
    "slowdown" Real "", "response time over dedicated time, of a job that ended";
};

/// The columns of a job behind them.
const COUNTED: &[Column] = &columns! {
    "messages" Count "", "messages that its tasks sent";
    "dispatches" Count "", "times that a task of it got a processor";
    "switches" Count "", "switches of context to a task of it";
    "interrupts" Count "", "interrupts of processors while a task of it had them";
    "boosts" Count "", "times that a task of it was boosted";
    "blocks" Count "", "times that a task of it blocked";
    "yields" Count "", "times that a task of it yielded";
    "skewed_waits" Count "", "waits whose skew is known";
    "skew_ns" Decimal(0) "ns", "the skew of these waits together; empty if there are none";
    "frames_due" Count "", "frames that were due";
    "frames_missed" Count "", "frames among them that missed their deadlines";
    "jitter_ns" Decimal(0) "ns", "the jitter of its frames together; empty if there are no two";
    "pace_windows" Count "", "windows over which its pace was observed";
    "pace_mean" Real "", "its mean pace over them";
    "pace_cv" Real "", "the coefficient of variation of its pace over them";
};

/// The activities as columns: `compute_ns` and so on.
fn activities() -> impl Iterator<Item = Column> {
    Activity::ALL.into_iter().map(|activity| {
        let name = format!("{}_ns", activity.name().replace('-', "_"));
        Column::named(name, CellType::Count, "ns", activity.about())
    })
}

fn spans<'a>(spent: &Spent) -> [Cell<'a>; Activity::ALL.len()] {
    Activity::ALL.map(|activity| Cell::Count(spent.of(activity)))
}

/// Both tables.
pub(super) fn declared() -> [Table; 2] {
    let profile = Table::new(
        "profile",
        "at detail `task`: a row a processor, with where its time went by activity, which add up. Key: record.profile",
        OF_A_PROCESSOR,
    );
    let executions = Table::new(
        "executions",
        "at detail `task`: a row a job that was started, in order of end, then those that were running when the run was stopped. Key: record.profile",
        OF_A_JOB,
    );
    [profile.with(activities()), executions.with(activities()).with(COUNTED.iter().cloned())]
}

impl RowSource for ProfileRows<'_> {
    fn table(&self) -> Table {
        let [profile, _] = declared();
        profile
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let profile = self.0.profile;
        let mut cells = Vec::new();
        for (place, (spent, &node)) in (0..).zip(profile.observed().zip(&profile.nodes)) {
            cells.clear();
            let head = [place, u64::from(node), profile.observed_from().as_nanos(), profile.to.as_nanos()];
            cells.extend(head.map(Cell::Count));
            cells.extend(spans(&spent));
            sink.row(&cells)?;
        }
        Ok(())
    }
}

impl RowSource for ExecutionRows<'_> {
    fn table(&self) -> Table {
        let [_, executions] = declared();
        executions
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let mut cells = Vec::new();
        for execution in &self.0.profile.jobs {
            cells.clear();
            gather(&mut cells, &self.0, execution);
            sink.row(&cells)?;
        }
        Ok(())
    }
}

/// The cells of a job.
fn gather<'a>(cells: &mut Vec<Cell<'a>>, run: &TaskRun<'a>, execution: &Execution) {
    let id = execution.job;
    let (job, outcome) = (&run.run.jobs[id.index()], run.run.record.outcome(id));
    let ended = outcome.state.has_run().then_some(outcome.end);
    let response = ended.map(|end| end.since(job.submit_time));
    let slowdown = response.map(|response| response.as_nanos() as f64 / job.run_time.as_nanos() as f64);
    cells.extend([
        Cell::Count(job.number),
        Cell::Text(run.applications.class(id)),
        Cell::Count(u64::from(job.procs)),
        Cell::at(job.submit_time),
        Cell::at(outcome.start),
        execution.first_dispatch.map(Cell::at).unwrap_or_default(),
        ended.map(Cell::at).unwrap_or_default(),
        Cell::Time(job.run_time),
        slowdown.map(Cell::Real).unwrap_or_default(),
    ]);
    cells.extend(spans(&execution.spent));
    let counts = &execution.counts;
    let nanos = |any: bool, nanos| if any { Cell::Decimal(nanos, 0) } else { Cell::Empty };
    cells.extend([
        Cell::Count(counts.messages),
        Cell::Count(counts.dispatches),
        Cell::Count(counts.switches),
        Cell::Count(counts.interrupts),
        Cell::Count(counts.boosts),
        Cell::Count(counts.blocks),
        Cell::Count(counts.yields),
        Cell::Count(counts.skewed_waits),
        nanos(counts.skewed_waits > 0, counts.skew),
        Cell::Count(counts.due),
        Cell::Count(counts.missed),
        nanos(counts.pairs > 0, counts.jitter),
        Cell::Count(execution.pace.count()),
        execution.pace.mean().map(Cell::Real).unwrap_or_default(),
        execution.pace.cv().map(Cell::Real).unwrap_or_default(),
    ]);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::collections::Interval;
    use crate::ids::JobId;
    use crate::instrument::execution::{Counts, ExecutionProfile, Mark};
    use crate::instrument::metrics::FinishedRun;
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
