//! Rows of the matrix of gang scheduling in which jobs stood, span by span.
//!
//! A row is known by its place among the rows that there are, from 1: in this order they have their
//! slices. A span begins where a job comes to a row, with cells of its own or with a replica; it
//! ends where the job leaves the row, where it moves to other columns, and where a row before it is
//! deleted, so that its own row has another place. Changes of one instant are one change: a job
//! that is moved twice in it stood nowhere in between.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::collections::{Interval, OrderedMap};
use crate::ids::JobId;
use crate::kernel::SimTime;

use super::jobs::Record;

/// A row in which a job stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MatrixPlace {
    /// The place of the row, from 1.
    pub row: u32,
    /// True if the job has only a replica in it.
    pub replica: bool,
}

/// A span in which a job stood in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixSpan {
    /// The job.
    pub job: JobId,
    /// The row.
    pub standing: MatrixPlace,
    /// The columns that its tasks were on, which are processors.
    pub columns: Arc<[Interval]>,
    /// Instant from which on it stood there.
    pub from: SimTime,
    /// Instant at which that was over; [`SimTime::MAX`] if it was not when the run was.
    pub to: SimTime,
}

/// The spans of all jobs.
///
/// # Complexity
/// Some 48 bytes a span.
#[derive(Clone, Debug, Default)]
pub struct MatrixSpans {
    spans: Vec<MatrixSpan>,
    /// The places of the spans of each job that are not over.
    open: OrderedMap<JobId, SmallVec<[u32; 4]>>,
    /// The places of the spans that ended in the last instant at which one did.
    ended: (SimTime, Vec<u32>),
}

impl MatrixSpans {
    /// Notes that from now on a job stands in exactly these rows, on these columns.
    ///
    /// # Complexity
    /// A step for each two rows of the job, and for each span that ended in this instant.
    pub fn stands(&mut self, job: JobId, rows: &[MatrixPlace], columns: &[Interval], now: SimTime) {
        let mut open = self.open.remove(&job).unwrap_or_default();
        open.retain(|place| {
            let span = &mut self.spans[*place as usize];
            let goes_on = rows.contains(&span.standing) && *span.columns == *columns;
            if !goes_on {
                span.to = now;
                if self.ended.0 != now {
                    self.ended = (now, Vec::new());
                }
                self.ended.1.push(*place);
            }
            goes_on
        });
        let mut own: Option<Arc<[Interval]>> = open.first().map(|place| self.columns_of(*place));
        for &standing in rows {
            if open.iter().all(|place| self.spans[*place as usize].standing != standing) {
                let place = self.resumed(job, standing, columns, now).unwrap_or_else(|| {
                    let columns = Arc::clone(own.get_or_insert_with(|| columns.into()));
                    let span = MatrixSpan { job, standing, columns, from: now, to: SimTime::MAX };
                    self.spans.push(span);
                    self.spans.len() as u32 - 1
                });
                open.push(place);
            }
        }
        if !open.is_empty() {
            self.open.insert(job, open);
        }
    }

    /// Notes that a job stands in no row from now on.
    pub fn leaves(&mut self, job: JobId, now: SimTime) {
        self.stands(job, &[], &[], now);
    }

    fn columns_of(&self, place: u32) -> Arc<[Interval]> {
        Arc::clone(&self.spans[place as usize].columns)
    }

    /// Goes on with a span that ended in this instant, if there is one like this.
    fn resumed(
        &mut self,
        job: JobId,
        standing: MatrixPlace,
        columns: &[Interval],
        now: SimTime,
    ) -> Option<u32> {
        if self.ended.0 != now {
            return None;
        }
        let is_like = |place: &u32| {
            let span = &self.spans[*place as usize];
            span.job == job && span.standing == standing && *span.columns == *columns
        };
        let found = self.ended.1.iter().position(is_like)?;
        let place = self.ended.1.swap_remove(found);
        self.spans[place as usize].to = SimTime::MAX;
        Some(place)
    }

    /// The spans in order of beginning, then row, then columns; those of no length are left out.
    pub fn in_order(&self) -> Vec<&MatrixSpan> {
        let mut all: Vec<&MatrixSpan> = self.spans.iter().filter(|span| span.from < span.to).collect();
        all.sort_by_key(|span| (span.from, span.standing.row, span.columns.first().copied()));
        all
    }

    /// The same of jobs that go by other ids.
    pub(super) fn renamed(mut self, name: impl Fn(JobId) -> JobId) -> Self {
        self.spans.iter_mut().for_each(|span| span.job = name(span.job));
        self.open = self.open.into_iter().map(|(job, places)| (name(job), places)).collect();
        self
    }
}

impl Record {
    /// Keeps from now on in which rows of a matrix jobs stand, if it keeps the places of jobs that
    /// left.
    pub fn keep_matrix(&mut self) {
        self.matrix = self.places.keeps_all().then(MatrixSpans::default);
    }

    /// The rows of the matrix in which jobs stood, if there is one and that is kept.
    pub fn matrix(&self) -> Option<&MatrixSpans> {
        self.matrix.as_ref()
    }

    /// The same, to note where jobs stand.
    pub fn matrix_mut(&mut self) -> Option<&mut MatrixSpans> {
        self.matrix.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::record::Keep;

    const OWN: MatrixPlace = MatrixPlace { row: 1, replica: false };
    const REPLICA: MatrixPlace = MatrixPlace { row: 2, replica: true };

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    fn on(first: u32, last: u32) -> [Interval; 1] {
        [Interval::new(first, last)]
    }

    /// The spans in words: job, row, columns, from when to when.
    fn texts(spans: &MatrixSpans) -> Vec<String> {
        let text = |span: &MatrixSpan| {
            let to = if span.to < SimTime::MAX { span.to.as_secs_f64().to_string() } else { "on".to_owned() };
            let role = if span.standing.replica { " replica" } else { "" };
            let MatrixSpan { job, standing, columns, from, .. } = span;
            format!("{job} row {}{role} {}: {} to {to}", standing.row, columns[0], from.as_secs_f64())
        };
        spans.in_order().into_iter().map(text).collect()
    }

    #[test]
    fn a_span_lasts_while_row_role_and_columns_are_the_same() {
        let mut spans = MatrixSpans::default();
        spans.stands(JobId(1), &[MatrixPlace { row: 2, ..OWN }], &on(0, 3), at(1));
        spans.stands(JobId(0), &[OWN, REPLICA], &on(4, 5), at(1));
        spans.stands(JobId(0), &[OWN, REPLICA], &on(4, 5), at(2));
        // the replica goes, the row of job 1 gets another place, job 0 moves to other columns
        spans.stands(JobId(0), &[OWN], &on(4, 5), at(3));
        spans.stands(JobId(1), &[OWN], &on(0, 3), at(4));
        spans.stands(JobId(0), &[OWN], &on(6, 7), at(5));
        spans.leaves(JobId(0), at(9));
        assert_eq!(
            texts(&spans),
            [
                "0 row 1 4-5: 1 to 5",
                "1 row 2 0-3: 1 to 4",
                "0 row 2 replica 4-5: 1 to 3",
                "1 row 1 0-3: 4 to on",
                "0 row 1 6-7: 5 to 9",
            ]
        );
    }

    #[test]
    fn changes_of_one_instant_are_one_change() {
        let mut spans = MatrixSpans::default();
        spans.stands(JobId(0), &[OWN], &on(0, 1), at(0));
        // there and back, with a stay of no length
        spans.stands(JobId(0), &[OWN, REPLICA], &on(0, 1), at(5));
        spans.stands(JobId(0), &[MatrixPlace { row: 3, ..OWN }], &on(2, 3), at(5));
        spans.stands(JobId(0), &[OWN], &on(0, 1), at(5));
        spans.leaves(JobId(0), at(8));
        // one that comes and leaves at once
        spans.stands(JobId(1), &[OWN], &on(0, 1), at(8));
        spans.leaves(JobId(1), at(8));
        assert_eq!(texts(&spans), ["0 row 1 0-1: 0 to 8"]);
    }

    #[test]
    fn a_record_that_forgets_places_keeps_no_matrix() {
        let mut record = Record::new(1);
        assert!(record.matrix().is_none());
        record.keep_matrix();
        assert!(record.matrix().is_some());
        let mut forgetful = Record::new(1).keeping(Keep::WhileRunning);
        forgetful.keep_matrix();
        assert!(forgetful.matrix_mut().is_none());
    }
}
