//! The steps of gang scheduling between slices: clean, compact, schedule, fill; and the row whose
//! turn is next.

use crate::batch::gang_matrix::{EmptyRows, Matrix, MatrixShape, Packing, RowChoice, RowId};
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::kernel::rng::Stream;
use crate::kernel::{Either, SimDuration, SimTime, now, race, timer};

use super::frames::Reserve;
use super::gang_line::{GangLine, LineRules};
use super::{FrontEnd, News, PolicyError, SiteEvent};

#[derive(Debug)]
pub(super) struct Gang {
    pub(super) quantum: SimDuration,
    pub(super) switch: SimDuration,
    pub(super) skew: SimDuration,
    pub(super) line: LineRules,
    pub(super) row: RowChoice,
    pub(super) replicas: bool,
    pub(super) unification: bool,
    pub(super) packing: Packing,
    pub(super) empty_rows: EmptyRows,
    /// Time for which a job that migrates is frozen, if any does.
    pub(super) migration_cost: Option<SimDuration>,
    /// Reserve for real-time jobs, if there is one.
    pub(super) reserve: Option<Reserve>,
}

/// Time at which waiting jobs are let into the matrix.
#[derive(Clone, Copy, Debug)]
pub(super) enum Letting {
    /// While this row runs, if one does.
    During(Option<RowId>),
    /// Between two slices, once rows have been compacted; before that a job of at most `capacity`
    /// tasks had found capacity.
    Turned { capacity: u64 },
}

/// The slice that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub(super) row: RowId,
    pub(super) ends: SimTime,
}

/// Waits for news, or until the slice is over that ends then, if one runs.
pub(super) async fn news_until(front: &mut FrontEnd, ends: Option<SimTime>) -> Either<Option<News>, ()> {
    let Some(ends) = ends else { return Either::Left(front.news().await) };
    let over = timer(ends.since(now()));
    race(front.news(), over).await
}

impl Gang {
    /// The matrix that it keeps.
    pub(super) fn shape(&self, front: &FrontEnd) -> MatrixShape {
        let (choice, packing, empty_rows) = (self.row, self.packing, self.empty_rows);
        MatrixShape { choice, packing, empty_rows, ..MatrixShape::new(front.procs(), front.level()) }
    }

    /// Takes out jobs that have left, and lets in those that fit.
    pub(super) fn decide(
        &self,
        news: News,
        matrix: &mut Matrix,
        line: &mut GangLine<'_>,
        slice: Option<Slice>,
    ) -> Result<(), PolicyError> {
        for event in news {
            match event {
                SiteEvent::Ended(id) => {
                    matrix.remove(id);
                    line.ended(id);
                }
                SiteEvent::Arrived(id) => line.arrives(id)?,
                _ => {}
            }
        }
        self.schedule(matrix, line, Letting::During(slice.map(|slice| slice.row)))
    }

    /// Lets in jobs that fit; one that comes to the row that runs starts at once.
    pub(super) fn schedule(
        &self,
        matrix: &mut Matrix,
        line: &mut GangLine<'_>,
        when: Letting,
    ) -> Result<(), PolicyError> {
        let running = if let Letting::During(row) = when { row } else { None };
        loop {
            while let Some(next) = line.next(matrix.capacity()) {
                if matrix.insert(next.job, next.procs).is_none() {
                    break;
                }
                let reason = match when {
                    _ if !line.starts_with(next.job) => Reason::Fits,
                    Letting::Turned { capacity } if u64::from(next.procs) > capacity => Reason::Compacted,
                    _ => Reason::Row,
                };
                line.start(matrix, next, (reason, 1), running)?;
            }
            if !self.line.backfills || line.is_empty() || !line.overtake(matrix, running)? {
                break;
            }
        }
        line.settled(matrix);
        Ok(())
    }

    /// Compacts as far as that is wished: the jobs that migrated, in order.
    pub(super) fn compact(&self, matrix: &mut Matrix) -> Vec<JobId> {
        match (self.migration_cost, self.unification) {
            (Some(_), _) => return matrix.compact_migrating(),
            (None, true) => matrix.compact(),
            (None, false) => matrix.prune(),
        }
        Vec::new()
    }

    /// Begins the slice after `before`, or the first one; `None` if there is nothing to run.
    pub(super) fn next_slice(
        &self,
        front: &FrontEnd,
        (matrix, line): (&mut Matrix, &mut GangLine<'_>),
        before: Option<Slice>,
        delays: Option<&mut Stream>,
    ) -> Result<Option<Slice>, PolicyError> {
        let capacity = matrix.capacity();
        self.compact(matrix);
        self.schedule(matrix, line, Letting::Turned { capacity })?;
        if self.replicas {
            matrix.fill();
        }
        let before = before.map(|slice| slice.row);
        let row = matrix.next_row(before);
        let jobs: Vec<JobId> =
            row.into_iter().flat_map(|row| matrix.members(row)).map(|member| member.job).collect();
        // nothing is switched from on an idle machine, and nothing to on one that falls idle
        let switches = before.is_some() && row.is_some() && row != before;
        let cost = if switches { self.switch } else { SimDuration::ZERO };
        self.begin_slice(front, &jobs, cost, delays);
        let ends = now().saturating_add(cost).saturating_add(self.quantum);
        Ok(row.map(|row| Slice { row, ends }))
    }

    /// Lets these jobs run from now on, after a switch of `cost`; each node hears of it after a
    /// delay of its own, if there are any.
    pub(super) fn begin_slice(
        &self,
        front: &FrontEnd,
        jobs: &[JobId],
        cost: SimDuration,
        mut delays: Option<&mut Stream>,
    ) {
        front.begin_slice(jobs, cost, || match &mut delays {
            Some(stream) => SimDuration::from_nanos(stream.below(self.skew.as_nanos().saturating_add(1))),
            None => SimDuration::ZERO,
        });
    }
}
