//! `jobs.swf`: the schedule of a run as a log in the Standard Workload Format, which can be
//! replayed.
//!
//! Every job of the run stands in it, in order of submission, as it was read or drawn; its wait
//! time (field 3) is the simulated one, or -1 if the job did not start. So a replay meets the same
//! jobs, a rejected one included, and shows the waits of this run next to its own. Where jobs are
//! killed at their limits, run times (field 4) are those that the limits leave, and the status
//! (field 11) of a job that was killed is 0; that of one that was cancelled is 5. Where nodes fail,
//! the wait is up to the last start, and the status of a job that was lost is 0. A moldable job
//! stands in it as it was run, with the processors that it asked for in field 8 alone. What
//! [`write`](crate::workload::swf::write) does not keep is -1.

use std::io::{self, Write};

use crate::batch::record::State;
use crate::ids::JobId;
use crate::instrument::metrics::FinishedRun;
use crate::kernel::SimDuration;
use crate::workload::{Job, UNKNOWN_ID, swf};

/// Writes these header entries, then a line for each job; time 0 is the first submission.
///
/// # Errors
/// What the writer says.
pub fn write(run: &FinishedRun<'_>, header: &[(&str, String)], out: &mut impl Write) -> io::Result<()> {
    let waited = |(id, job): (JobId, &Job)| {
        let outcome = run.record.outcome(id);
        let wait = match outcome.state {
            State::Running | State::Completed | State::Killed | State::Lost => {
                Some(outcome.start.since(job.submit_time))
            }
            State::Cancelled if outcome.ran() => Some(outcome.start.since(job.submit_time)),
            State::Expected | State::Rejected | State::Cancelled => None,
        };
        let mut job = job.with_recorded_wait(wait);
        if matches!(outcome.state, State::Killed | State::Lost) {
            // as logs have it of a job that met its limit, or whose node failed: it failed
            job.status = 0;
        }
        if outcome.state == State::Cancelled {
            job.status = 5;
        }
        let executable = run.record.attributes().of(id.index()).executable.unwrap_or(UNKNOWN_ID);
        swf::Line { job, requested_procs: run.asked(id).procs, executable }
    };
    swf::write(header, (0..).map(JobId).zip(run.jobs).map(waited), SimDuration::ZERO, out)
}
