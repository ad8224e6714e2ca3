//! Backfilling into a matrix that is full: which jobs may overtake a head that fits in no row.
//!
//! Each row is taken for a machine of its own that runs at one part in as many as there are rows,
//! so one who sees a job's end by its estimate sees it that many times as far off. The head is
//! promised the row that by these ends is the first to have room for it (its shadow time; of equals
//! the first row). Others, in queue order, start if a row has enough free columns: outside the
//! promised row freely, in it only if they are over by the shadow time or need at most the columns
//! that the head leaves. Migration and compaction may keep the promise sooner.
//!
//! Source: Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam, JSSPP 2001 and IEEE TPDS 14(3),
//! 2003 (virtual machines of backfilling gang scheduling, their estimates stretched by the
//! multiprogramming level); the rule in a row is EASY, as in A. W. Mu'alem, D. G. Feitelson, IEEE
//! TPDS 12(6), 2001. Columns are counted as if any would do, in blocks of buddy packing too.

use crate::batch::Obstacle;
use crate::batch::backfill::Picked;
use crate::batch::queue::{BackfillWindow, Queue, Waiting};
use crate::batch::record::Reason;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::{Matrix, Role, RowId};

/// Promise to a head that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeadPromise {
    /// The row.
    pub row: RowId,
    /// By when, as seen from now, it fits by the estimates.
    pub shadow: SimTime,
    /// Columns free then, beyond the need of the head.
    pub extra: u64,
}

impl Matrix {
    /// The row that is promised to a job of `tasks` tasks that fits in no row; `ends` says when a
    /// job ends by its estimate, and one that should have is taken to end a nanosecond from now.
    /// `None` if it will never fit in a row.
    ///
    /// # Complexity
    /// That of a sort of the jobs.
    pub fn promise(&self, tasks: u32, now: SimTime, ends: impl Fn(JobId) -> SimTime) -> Option<HeadPromise> {
        let soonest = now.saturating_add(SimDuration::from_nanos(1));
        let promises = self.rows().filter_map(|row| {
            let own = row.jobs().filter(|&(_, role)| role == Role::Own);
            let mut releases: Vec<(SimTime, u64)> =
                own.map(|(job, _)| (ends(job).max(soonest), self.booked_by(job))).collect();
            releases.sort_unstable();
            let (mut free, mut shadow) = (row.vacant().count(), None);
            for (end, columns) in releases {
                if shadow.is_some_and(|shadow| end > shadow) {
                    break;
                }
                free += columns;
                if shadow.is_none() && free >= u64::from(tasks) {
                    shadow = Some(end);
                }
            }
            shadow.map(|shadow| HeadPromise { row: row.id(), shadow, extra: free - u64::from(tasks) })
        });
        promises.min_by_key(|promise| (promise.shadow, promise.row))
    }

    /// Obstacle of a job that still waits behind a head that does not fit, or as that head, once
    /// every job has come in that may.
    pub fn obstacle(
        &self,
        head: &Waiting,
        job: &Waiting,
        now: SimTime,
        ends: impl Fn(JobId) -> SimTime,
    ) -> Obstacle {
        let promise = self.promise(head.procs, now, ends);
        match promise {
            _ if head.job != job.job && u64::from(job.procs) > self.capacity() => Obstacle::Short,
            None => Obstacle::Unknown,
            Some(promise) if head.job == job.job => Obstacle::Promised(promise.shadow),
            Some(HeadPromise { shadow, extra, .. }) => {
                let rows = u64::from(self.shape().rows);
                let stretched = job.estimate.checked_mul(rows).unwrap_or(SimDuration::MAX);
                Obstacle::Shadow { shadow, ends: now.saturating_add(stretched), extra }
            }
        }
    }

    /// Puts the jobs in that may overtake the head of the queue, which does not fit, and takes them
    /// out of the queue: those jobs, in the order in which they came in.
    ///
    /// # Complexity
    /// That of [`Matrix::promise`], if any job could come in at all; for each job that does, a
    /// search of the queue and what [`Matrix::insert`] costs.
    pub fn backfill(
        &mut self,
        queue: &mut Queue,
        now: SimTime,
        ends: impl Fn(JobId) -> SimTime,
    ) -> Vec<Picked> {
        let mut picked = Vec::new();
        let (Some(head), capacity) = (queue.head(), self.capacity()) else { return picked };
        let any = BackfillWindow { free: capacity, extra: capacity, until: SimDuration::ZERO };
        if capacity == 0 || queue.first_fit(queue.behind_head(), &any).is_none() {
            return picked;
        }
        let Some(HeadPromise { row, shadow, mut extra }) = self.promise(head.procs, now, ends) else {
            return picked;
        };
        // a stretched job is over by the shadow time if it is not longer than this
        let short = SimDuration::from_nanos(shadow.since(now).as_nanos() / u64::from(self.shape().rows));
        let mut place = queue.behind_head();
        loop {
            let (alongside, inside) = (self.capacity_alongside(row), self.capacity_in(row));
            let gap = BackfillWindow {
                free: alongside.max(inside),
                extra: alongside.max(extra.min(inside)),
                until: short,
            };
            if gap.free == 0 {
                break;
            }
            let Some((job, after)) = queue.first_fit(place, &gap) else { break };
            let need = u64::from(job.procs);
            let allowed = need <= inside && (job.estimate <= short || need <= extra);
            let kept = (!allowed).then_some(row);
            let inserted = self.insert_alongside(job.job, job.procs, kept).map(|place| place.row);
            debug_assert!(inserted.is_some(), "a row with enough free columns takes a job");
            let reason = match inserted {
                Some(other) if other != row => Reason::OtherRow,
                _ if job.estimate <= short => Reason::BeforeShadow,
                _ => Reason::Extra,
            };
            if reason == Reason::Extra {
                extra = extra.saturating_sub(self.booked_by(job.job));
            }
            picked.push(Picked { waiting: job, reason });
            place = after;
        }
        for job in &picked {
            queue.remove(&job.waiting);
        }
        picked
    }
}
