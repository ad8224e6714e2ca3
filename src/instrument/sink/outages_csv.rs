//! `attempts.csv` and `outages.csv`: where nodes fail, the runs of jobs that were interrupted, and when nodes were out of service.
//!
//! An attempt is a run of a job that a failing node interrupted; the last run of a job stands in `jobs.csv`. Attempts stand in
//! order of interruption and are numbered for each job from 1; `kept` is the work [s] that the job need not do again. Outages stand in
//! order of their beginnings; the end of one that was not over when the run was is left empty. Times are seconds, exact
//! to the nanosecond.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::ids::JobId;
use crate::instrument::metrics::Run;
use crate::kernel::SimTime;

use super::jobs_csv::{integer, intervals, seconds};

/// Writes the interrupted runs of jobs.
///
/// # Errors
/// What the writer says.
pub fn write_attempts(run: &Run<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    buffer.extend_from_slice(
        b"job_id,submission_time,attempt,starting_time,finish_time,allocated_resources,kept\n",
    );
    let mut numbers: BTreeMap<JobId, u64> = BTreeMap::new();
    for attempt in run.record.outages().attempts() {
        let job = &run.jobs[attempt.job.index()];
        let number = numbers.entry(attempt.job).or_default();
        *number += 1;
        integer(&mut buffer, job.number);
        buffer.push(b',');
        seconds(&mut buffer, job.submit_time.since(SimTime::ZERO));
        buffer.push(b',');
        integer(&mut buffer, *number);
        for at in [attempt.start, attempt.end] {
            buffer.push(b',');
            seconds(&mut buffer, at.since(SimTime::ZERO));
        }
        buffer.push(b',');
        intervals(&mut buffer, &attempt.on);
        buffer.push(b',');
        seconds(&mut buffer, attempt.kept);
        buffer.push(b'\n');
    }
    out.write_all(&buffer)
}

/// Writes when nodes were out of service.
///
/// # Errors
/// What the writer says.
pub fn write_outages(run: &Run<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut buffer = Vec::new();
    buffer.extend_from_slice(b"node,processors,from,to\n");
    for span in run.record.outages().spans() {
        integer(&mut buffer, u64::from(span.node));
        buffer.push(b',');
        intervals(&mut buffer, &[span.processors]);
        buffer.push(b',');
        seconds(&mut buffer, span.from.since(SimTime::ZERO));
        buffer.push(b',');
        if span.to < SimTime::MAX {
            seconds(&mut buffer, span.to.since(SimTime::ZERO));
        }
        buffer.push(b'\n');
    }
    out.write_all(&buffer)
}
