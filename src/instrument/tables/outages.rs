//! `attempts` and `outages`: where nodes fail, the runs of jobs that were interrupted, and when nodes were out of service.
//!
//! An attempt is a run of a job that a failing node interrupted; the last run of a job stands among the jobs. Attempts stand in
//! order of interruption, outages in order of their beginnings.

use std::collections::BTreeMap;
use std::io;

use crate::ids::JobId;
use crate::instrument::metrics::FinishedRun;
use crate::output::{Cell, Column, RowSink, RowSource, Table, columns};

/// The interrupted runs of the jobs of a run.
#[derive(Clone, Copy, Debug)]
pub struct AttemptRows<'a>(pub FinishedRun<'a>);

/// When nodes were out of service in a run.
#[derive(Clone, Copy, Debug)]
pub struct OutageRows<'a>(pub FinishedRun<'a>);

const ATTEMPTS: &[Column] = &columns! {
    "job_id" Count "", "the number of the job in the workload";
    "submission_time" Time "s", "when the job was submitted";
    "attempt" Count "", "the how many-th run of the job, from 1";
    "starting_time" Time "s", "when this run started";
    "finish_time" Time "s", "when it was interrupted";
    "allocated_resources" Intervals "", "the processors that it had";
    "saved_work" Time "s", "the work that the job need not do again";
};

const OUTAGES: &[Column] = &columns! {
    "node" Count "", "the node, from 0";
    "processors" Intervals "", "its processors";
    "from" Time "s", "since when it was out of service";
    "to" Time "s", "until when; empty if that was not over when the run was";
};

pub(super) fn attempts() -> Table {
    Table::new(
        "attempts",
        "where nodes fail or processors are reserved: a row for each run of a job that a failing node or maintenance interrupted, in order of interruption; the last run of a job stands in jobs.csv. Key: record.jobs",
        ATTEMPTS,
    )
}

pub(super) fn outages() -> Table {
    Table::new(
        "outages",
        "where nodes fail: a row for each span in which a node was out of service, in order of their beginnings. Key: record.jobs",
        OUTAGES,
    )
}

impl RowSource for AttemptRows<'_> {
    fn table(&self) -> Table {
        attempts()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let mut numbers: BTreeMap<JobId, u64> = BTreeMap::new();
        self.0.record.outages().attempts().iter().try_for_each(|attempt| {
            let job = &self.0.jobs[attempt.job.index()];
            let number = numbers.entry(attempt.job).or_default();
            *number += 1;
            sink.row(&[
                Cell::Count(job.number),
                Cell::at(job.submit_time),
                Cell::Count(*number),
                Cell::at(attempt.start),
                Cell::at(attempt.end),
                Cell::Intervals(&attempt.on),
                Cell::Time(attempt.kept),
            ])
        })
    }
}

impl RowSource for OutageRows<'_> {
    fn table(&self) -> Table {
        outages()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.0.record.outages().spans().iter().try_for_each(|span| {
            sink.row(&[
                Cell::Count(u64::from(span.node)),
                Cell::Intervals(&[span.processors]),
                Cell::at(span.from),
                Cell::until(span.to),
            ])
        })
    }
}
