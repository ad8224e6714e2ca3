//! `matrix`: the rows of the matrix of gang scheduling in which jobs stood.

use crate::batch::record::{MatrixSpan, Record};
use crate::instrument::metrics::FinishedRun;
use crate::kernel::SimTime;
use crate::output::{Word, rows};
use crate::rows::MatrixSpanRow;

rows! {
    /// Spans in which jobs stood in rows of the matrix of a run.
    pub struct MatrixSpanRows<'a>(FinishedRun<'a>) of MatrixSpanRow;
    from run, spans(run.record, run.until.unwrap_or(SimTime::MAX));
    span => {
        job: run.jobs[span.job.index()].number,
        submitted: run.jobs[span.job.index()].submit_time,
        row: span.standing.row,
        role: Word(if span.standing.replica { "replica" } else { "own" }),
        from: span.from,
        to: span.to.min(run.until.unwrap_or(SimTime::MAX)),
        on: (&*span.columns).into(),
    }
}

/// Spans that began before the end of the run.
fn spans(record: &Record, end: SimTime) -> Vec<&MatrixSpan> {
    let mut spans = record.matrix().map(|spans| spans.in_order()).unwrap_or_default();
    spans.retain(|span| span.from < end);
    spans
}
