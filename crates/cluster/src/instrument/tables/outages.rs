//! `attempts` and `outages`: where nodes fail, the runs of jobs that were interrupted, and when
//! nodes were out of service.
//!
//! An attempt is a run of a job that a failing node interrupted; the last run of a job stands among
//! the jobs. Attempts stand in order of interruption, outages in order of their beginnings.

use std::io;

use crate::batch::record::Attempt;
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::metrics::FinishedRun;
use crate::output::{Row as _, RowSink, RowSource, Table, rows};
use crate::rows::{AttemptColumns, AttemptRow, OutageRow};

use super::ended;
use super::jobs::listed;

/// The interrupted runs of the jobs of a run.
#[derive(Clone, Copy, Debug)]
pub struct AttemptRows<'a>(pub FinishedRun<'a>);

impl AttemptRows<'_> {
    fn columns(&self) -> AttemptColumns {
        AttemptColumns { gpus_held: self.0.record.with_distinct_gpus().is_some() }
    }
}

impl RowSource for AttemptRows<'_> {
    fn table(&self) -> Table {
        AttemptRow::table(self.columns())
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let (run, met) = (self.0, self.columns());
        numbered(run.record.outages().attempts()).try_for_each(|(number, attempt)| {
            let row = AttemptRow {
                job: run.jobs[attempt.job.index()].number,
                submitted: run.jobs[attempt.job.index()].submit_time,
                attempt: number,
                start: attempt.start,
                end: attempt.end,
                on: (&*attempt.on).into(),
                kept: attempt.kept,
                gpus_held: met.gpus_held.then(|| listed(&attempt.gpus).into()),
            };
            row.push(met, sink)
        })
    }
}

rows! {
    /// Spans in which nodes were out of service in a run.
    pub struct OutageRows<'a>(FinishedRun<'a>) of OutageRow;
    from run, run.record.outages().spans();
    span => {
        node: span.node,
        processors: span.processors,
        from: span.from,
        to: ended(span.to),
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
