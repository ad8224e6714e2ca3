//! `profile.csv` and `executions.csv`: where the time of processors went, by processor and by job.
//!
//! `profile.csv` has a row a processor, in the order of nodes. Its activities add up to `to_ns` − `from_ns` in every row, exactly:
//! the time from the end of the warm-up (without one, from the first submission) to the end of the run.
//!
//! `executions.csv` has a row a job that was started, in order of end; then those that were running when the run was stopped, in
//! order of start, with what they had by then. Activities are those of processors while tasks of the job had them. Instants and
//! the dedicated time are seconds, as in `jobs.csv`; spans by activity are whole nanoseconds. What was not observed is empty.

use std::io::{self, Write};

use crate::instrument::execution::Execution;
use crate::instrument::profile::{Activity, Spent};
use crate::instrument::task_metrics::TaskRun;
use crate::kernel::SimTime;

use super::jobs_csv::{integer, quoted, seconds};

/// Bytes gathered before they are written.
const CHUNK: usize = 64 * 1024;

/// The columns of `executions.csv` before the activities, and behind them.
const OF_A_JOB: &str = "job_id,class,tasks,submission_time,starting_time,first_dispatch_time,finish_time,dedicated_time,slowdown";
const COUNTED: &str = "messages,dispatches,switches,interrupts,boosts,blocks,yields,skewed_waits,skew_ns,frames_due,\
frames_missed,jitter_ns,pace_windows,pace_mean,pace_cv";

/// The activities as columns: `,compute_ns` and so on.
fn activities(buffer: &mut Vec<u8>) {
    for activity in Activity::ALL {
        buffer.push(b',');
        buffer.extend(activity.name().bytes().map(|byte| if byte == b'-' { b'_' } else { byte }));
        buffer.extend_from_slice(b"_ns");
    }
}

fn spans(buffer: &mut Vec<u8>, spent: &Spent) {
    for activity in Activity::ALL {
        buffer.push(b',');
        integer(buffer, spent.of(activity));
    }
}

/// Writes `profile.csv`.
///
/// # Errors
/// What the writer says.
pub fn write_profile(run: &TaskRun<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut buffer = b"processor,node,from_ns,to_ns".to_vec();
    activities(&mut buffer);
    buffer.push(b'\n');
    let profile = run.profile;
    for (place, (spent, &node)) in profile.observed().zip(&profile.nodes).enumerate() {
        let head = [place as u64, u64::from(node), profile.observed_from().as_nanos(), profile.to.as_nanos()];
        for (column, value) in head.into_iter().enumerate() {
            if column > 0 {
                buffer.push(b',');
            }
            integer(&mut buffer, value);
        }
        spans(&mut buffer, &spent);
        buffer.push(b'\n');
        if buffer.len() >= CHUNK {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}

/// Writes `executions.csv`.
///
/// # Errors
/// What the writer says.
pub fn write_executions(run: &TaskRun<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut buffer = OF_A_JOB.as_bytes().to_vec();
    activities(&mut buffer);
    buffer.push(b',');
    buffer.extend_from_slice(COUNTED.as_bytes());
    buffer.push(b'\n');
    for execution in &run.profile.jobs {
        row(&mut buffer, run, execution);
        if buffer.len() >= CHUNK {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}

fn row(buffer: &mut Vec<u8>, run: &TaskRun<'_>, execution: &Execution) {
    let id = execution.job;
    let (job, outcome) = (&run.run.jobs[id.index()], run.run.record.outcome(id));
    integer(buffer, job.number);
    buffer.push(b',');
    buffer.extend_from_slice(quoted(run.applications.class(id)).as_bytes());
    buffer.push(b',');
    integer(buffer, u64::from(job.procs));
    let ended = outcome.state.has_run().then_some(outcome.end);
    for instant in [Some(job.submit_time), Some(outcome.start), execution.first_dispatch, ended] {
        buffer.push(b',');
        if let Some(instant) = instant {
            seconds(buffer, instant.since(SimTime::ZERO));
        }
    }
    buffer.push(b',');
    seconds(buffer, job.run_time);
    let response = ended.map(|end| end.since(job.submit_time));
    real(buffer, response.map(|response| response.as_nanos() as f64 / job.run_time.as_nanos() as f64));
    spans(buffer, &execution.spent);
    let counts = &execution.counts;
    let counted = [
        counts.messages,
        counts.dispatches,
        counts.switches,
        counts.interrupts,
        counts.boosts,
        counts.blocks,
        counts.yields,
        counts.skewed_waits,
    ];
    for count in counted {
        buffer.push(b',');
        integer(buffer, count);
    }
    let jitter = (counts.pairs > 0).then_some(counts.jitter);
    let skew = (counts.skewed_waits > 0).then_some(counts.skew);
    text(buffer, skew.map(|nanos| nanos.to_string()));
    for count in [counts.due, counts.missed] {
        buffer.push(b',');
        integer(buffer, count);
    }
    text(buffer, jitter.map(|nanos| nanos.to_string()));
    buffer.push(b',');
    integer(buffer, execution.pace.count());
    real(buffer, execution.pace.mean());
    real(buffer, execution.pace.cv());
    buffer.push(b'\n');
}

/// A real number with the fewest digits that read back the same, or an empty field.
fn real(buffer: &mut Vec<u8>, value: Option<f64>) {
    text(buffer, value.map(|value| value.to_string()));
}

fn text(buffer: &mut Vec<u8>, value: Option<String>) {
    buffer.push(b',');
    buffer.extend_from_slice(value.unwrap_or_default().as_bytes());
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::collections::Interval;
    use crate::ids::JobId;
    use crate::instrument::execution::{Counts, Mark, Profile};
    use crate::instrument::metrics::Run;
    use crate::instrument::{LossOfCapacity, Reason, Record};
    use crate::kernel::SimDuration;
    use crate::kernel::stats::{Table, WarmUp};
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
        let profile = Profile {
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
            run: Run { jobs: &jobs, record: &record, procs: 2, until: None, warm_up: WarmUp::None },
            profile: &profile,
            capacity: &LossOfCapacity::new(at(0)),
            slots: 2,
            applications: &applications,
        };
        let written = |write: &dyn Fn(&mut Vec<u8>) -> io::Result<()>| {
            let mut bytes = Vec::new();
            write(&mut bytes).expect("into memory");
            String::from_utf8(bytes).expect("text")
        };
        let names = "compute_ns,message_overhead_ns,spin_ns,switch_ns,interrupt_ns,scheduler_ns,daemon_ns,paging_ns,\
                     io_wait_ns,idle_ns";
        assert_eq!(
            written(&|out| write_profile(&run, out)),
            format!(
                "processor,node,from_ns,to_ns,{names}\n0,0,20,100,40,0,0,0,0,0,0,0,0,40\n1,0,20,100,65,0,0,0,0,0,0,0,0,15\n"
            )
        );
        assert_eq!(
            written(&|out| write_executions(&run, out)),
            format!(
                "{OF_A_JOB},{names},{COUNTED}\n\
                 7,\"a, b\",1,0,0,0.000000001,2,1,2,2000000000,0,0,0,0,0,0,0,0,0,3,0,0,0,0,0,0,0,,2,0,40,1,0.5,\n\
                 8,\"a, b\",1,0.000000005,0.000000005,,,1,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,,0,0,,0,,\n"
            )
        );
    }
}
