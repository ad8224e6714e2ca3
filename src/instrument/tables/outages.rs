//! `attempts` and `outages`: where nodes fail, the runs of jobs that were interrupted, and when
//! nodes were out of service.
//!
//! An attempt is a run of a job that a failing node interrupted; the last run of a job stands among
//! the jobs. Attempts stand in order of interruption, outages in order of their beginnings.

use crate::batch::record::Attempt;
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::metrics::FinishedRun;
use crate::output::{Cell, rows};

rows! {
    /// The interrupted runs of the jobs of a run.
    pub struct AttemptRows<'a>(FinishedRun<'a>) = "attempts",
        "where nodes fail or processors are reserved: a row for each run of a job that a failing node or maintenance interrupted, in order of interruption; the last run of a job stands in jobs.csv. Key: record.jobs";
    from run, numbered(run.record.outages().attempts());
    (number, attempt) => {
        "job_id" Count "", "the number of the job in the workload" => run.jobs[attempt.job.index()].number;
        "submission_time" Time "s", "when the job was submitted" => run.jobs[attempt.job.index()].submit_time;
        "attempt" Count "", "the how many-th run of the job, from 1" => number;
        "starting_time" Time "s", "when this run started" => attempt.start;
        "finish_time" Time "s", "when it was interrupted" => attempt.end;
        "allocated_resources" Intervals "", "the processors that it had" => &*attempt.on;
        "saved_work" Time "s", "the work that the job need not do again" => attempt.kept;
    }
}

rows! {
    /// Spans in which nodes were out of service in a run.
    pub struct OutageRows<'a>(FinishedRun<'a>) = "outages",
        "where nodes fail: a row for each span in which a node was out of service, in order of their beginnings. Key: record.jobs";
    from run, run.record.outages().spans();
    span => {
        "node" Count "", "the node, from 0" => span.node;
        "processors" Intervals "", "its processors" => Cell::Intervals(&[span.processors]);
        "from" Time "s", "since when it was out of service" => span.from;
        "to" Time "s", "until when; empty if that was not over when the run was" => Cell::until(span.to);
    }
}

/// Each interrupted run with its number among those of its job, from 1.
fn numbered(attempts: &[Attempt]) -> impl Iterator<Item = (u64, &Attempt)> {
    let mut numbers: OrderedMap<JobId, u64> = OrderedMap::new();
    attempts.iter().map(move |attempt| {
        let number = numbers.entry(attempt.job).or_default();
        *number += 1;
        (*number, attempt)
    })
}
