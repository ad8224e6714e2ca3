//! Backfilling into a matrix that is full: which jobs may overtake a head that fits in no row.
//!
//! Each row is taken for a machine of its own that runs at one part in as many as there are rows,
//! so one who sees a job's end by its estimate sees it that many times as far off. The head is
//! promised the row that by these ends is the first to have room for it (its shadow time; of equals
//! the first row). Others, in queue order, start if a row has enough free columns: outside the
//! promised row freely, in it only if they are over by the shadow time or need at most the columns
//! that the head leaves. Migration and compaction may keep the promise sooner.
//!
//! Pools beside processors are seen by the same estimates. A head that lacks some of one is
//! promised the first instant at which pools and a row suit it, be it a row that is still to be
//! opened; a job that is not over by then leaves it its amounts. A head that needs more columns
//! than are in service has no promise and keeps no other waiting: the first job behind it that
//! could have cells is the head for these rules.
//!
//! Source: Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam, JSSPP 2001 and IEEE TPDS 14(3),
//! 2003 (virtual machines of backfilling gang scheduling, their estimates stretched by the
//! multiprogramming level); the rule in a row is EASY, as in A. W. Mu'alem, D. G. Feitelson, IEEE
//! TPDS 12(6), 2001. Columns are counted as if any would do, in blocks of buddy packing too.

use crate::batch::Obstacle;
use crate::batch::backfill::Picked;
use crate::batch::pools::{FreePool, FreePools};
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

/// Pools beside the columns, if there are any, and when jobs that hold some end by the estimates.
#[derive(Debug)]
pub struct PoolsAndEnds<'a, E> {
    /// The pools.
    pub pools: Option<&'a FreePools>,
    /// Estimated end of a job that has cells, stretched by the number of rows.
    pub ends: E,
}

/// Amounts that a promise leaves of the pools that its job asks for, by pool.
type LeftOfPools = Vec<(usize, u64)>;

/// Jobs that overtake a head that has a promise, from the first on.
#[derive(Debug)]
pub struct Overtaking {
    promise: HeadPromise,
    left: LeftOfPools,
    /// The last job that was looked at.
    behind: Waiting,
}

impl<E: Fn(JobId) -> SimTime> PoolsAndEnds<'_, E> {
    /// Returns true if as much of each pool is free as a job asks for.
    fn fits(&self, job: JobId) -> bool {
        self.pools.is_none_or(|pools| pools.fits(job))
    }

    /// The first instant at which pools have what a job asks for; now, if they have it.
    fn first(&self, job: JobId, now: SimTime) -> Option<SimTime> {
        let mut first = now;
        for (share, pool) in self.shares(job) {
            if pool.free < share {
                first = first.max(pool.running.shadow(now, pool.free, share)?.time);
            }
        }
        Some(first)
    }

    /// Amounts that are left at an instant of the pools of a job, once it has its own.
    fn left(&self, job: JobId, at: SimTime) -> LeftOfPools {
        let Some(pools) = self.pools else { return Vec::new() };
        let asked = pools.asked(job).iter().map(|share| share.pool);
        let left = self.shares(job).map(|(share, pool)| {
            let back = pool.running.released_by(at);
            (pool.free + back).saturating_sub(share)
        });
        asked.zip(left).collect()
    }

    fn shares(&self, job: JobId) -> impl Iterator<Item = (u64, &FreePool)> {
        let shares = self.pools.map(|pools| (pools.asked(job).iter(), pools.each()));
        shares
            .into_iter()
            .flat_map(|(asked, each)| asked.map(move |share| (u64::from(share.amount), &each[share.pool])))
    }

    /// Amounts that a job would leave of these; `None` if they are less than it asks for.
    fn leaves(&self, job: JobId, left: &LeftOfPools) -> Option<LeftOfPools> {
        let asked = self.pools.map_or(&[][..], |pools| pools.asked(job));
        let rest = |&(pool, left): &(usize, u64)| {
            let own =
                asked.iter().find(|share| share.pool == pool).map_or(0, |share| u64::from(share.amount));
            Some((pool, left.checked_sub(own)?))
        };
        left.iter().map(rest).collect()
    }
}

impl Matrix {
    /// The row that is promised to a job of `tasks` tasks that has no cells, from `from` on at the
    /// earliest; `ends` says when a job ends by its estimate, and one that should have is taken to
    /// end a nanosecond from now. `None` if it will never fit in a row.
    ///
    /// # Complexity
    /// That of a sort of the jobs.
    pub fn promise(
        &self,
        tasks: u32,
        (now, from): (SimTime, SimTime),
        ends: impl Fn(JobId) -> SimTime,
    ) -> Option<HeadPromise> {
        let (soonest, need) = (now.saturating_add(SimDuration::from_nanos(1)), u64::from(tasks));
        // else a job that fits would have its cells
        let waits = from > now;
        let promises = self.rows().filter_map(|row| {
            let own = row.jobs().filter(|&(_, role)| role == Role::Own);
            let mut releases: Vec<(SimTime, u64)> =
                own.map(|(job, _)| (ends(job).max(soonest), self.booked_by(job))).collect();
            releases.sort_unstable();
            let mut free = row.vacant().count();
            let mut shadow = (waits && free >= need).then_some(from);
            for (end, columns) in releases {
                if shadow.is_some_and(|shadow| end > shadow) {
                    break;
                }
                free += columns;
                if shadow.is_none() && free >= need {
                    shadow = Some(end.max(from));
                }
            }
            shadow.map(|shadow| HeadPromise { row: row.id(), shadow, extra: free - need })
        });
        let opens = waits && self.could_open() && self.could_hold(tasks);
        let new = opens.then(|| HeadPromise {
            row: RowId(self.opened),
            shadow: from,
            extra: self.in_service.count() - need,
        });
        promises.chain(new).min_by_key(|promise| (promise.shadow, promise.row))
    }

    /// The promise to a job, and what it leaves of pools.
    fn promise_with_pools<E: Fn(JobId) -> SimTime>(
        &self,
        job: &Waiting,
        now: SimTime,
        others: &PoolsAndEnds<'_, E>,
    ) -> Option<(HeadPromise, LeftOfPools)> {
        let from = others.first(job.job, now)?;
        let promise = self.promise(job.procs, (now, from), &others.ends)?;
        Some((promise, others.left(job.job, promise.shadow)))
    }

    /// Obstacle of a job that still waits behind a head that does not fit, or as that head, once
    /// every job has come in that may.
    pub fn obstacle<E: Fn(JobId) -> SimTime>(
        &self,
        head: &Waiting,
        job: &Waiting,
        now: SimTime,
        others: &PoolsAndEnds<'_, E>,
    ) -> Obstacle {
        let promise = self.promise_with_pools(head, now, others).map(|(promise, _)| promise);
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

    /// The job that is the head of the queue for those that overtake: the first that could have
    /// cells with the columns that are in service.
    pub fn head_of(&self, queue: &Queue) -> Option<Waiting> {
        queue.first_within(self.capacity_of_new_row())
    }

    /// The promise by which jobs overtake the head of the queue ([`Matrix::head_of`]), which does
    /// not fit; `None` if it has none, or if no job could come in at all.
    ///
    /// # Complexity
    /// That of [`Matrix::promise`], if any job could come in.
    pub fn overtaking<E: Fn(JobId) -> SimTime>(
        &self,
        queue: &Queue,
        now: SimTime,
        others: &PoolsAndEnds<'_, E>,
    ) -> Option<Overtaking> {
        let (head, capacity) = (self.head_of(queue)?, self.capacity());
        let any = BackfillWindow { free: capacity, extra: capacity, until: SimDuration::ZERO };
        if capacity == 0 || queue.first_fit(queue.behind(&head), &any).is_none() {
            return None;
        }
        let (promise, left) = self.promise_with_pools(&head, now, others)?;
        Some(Overtaking { promise, left, behind: head })
    }

    /// Puts the next job in that may overtake the head of the queue, if one may; the caller takes
    /// it out of the queue.
    ///
    /// # Complexity
    /// A search of the queue and what [`Matrix::insert`] costs.
    pub fn overtake<E: Fn(JobId) -> SimTime>(
        &mut self,
        queue: &Queue,
        now: SimTime,
        overtaking: &mut Overtaking,
        others: &PoolsAndEnds<'_, E>,
    ) -> Option<Picked> {
        let Overtaking { promise, left, behind } = overtaking;
        // a stretched job is over by the shadow time if it is not longer than this
        let short =
            SimDuration::from_nanos(promise.shadow.since(now).as_nanos() / u64::from(self.shape().rows));
        let HeadPromise { row, extra, .. } = *promise;
        let (alongside, inside) = (self.capacity_alongside(row), self.capacity_in(row));
        let gap = BackfillWindow {
            free: alongside.max(inside),
            extra: alongside.max(extra.min(inside)),
            until: short,
        };
        if gap.free == 0 {
            return None;
        }
        let mut place = queue.behind(behind);
        loop {
            let (job, after) = queue.first_fit(place, &gap)?;
            (place, *behind) = (after, job);
            let (need, is_short) = (u64::from(job.procs), job.estimate <= short);
            let leaves = others.leaves(job.job, left);
            if !others.fits(job.job) || !is_short && leaves.is_none() {
                continue;
            }
            let allowed = need <= inside && (is_short || need <= extra);
            let kept = (!allowed).then_some(row);
            let inserted = self.insert_alongside(job.job, job.procs, kept).map(|place| place.row);
            debug_assert!(inserted.is_some(), "a row with enough free columns takes a job");
            let reason = match inserted {
                Some(other) if other != row || !allowed => Reason::OtherRow,
                _ if is_short => Reason::BeforeShadow,
                _ => Reason::Extra,
            };
            if reason == Reason::Extra {
                promise.extra = extra.saturating_sub(self.booked_by(job.job));
            }
            if inserted == Some(row) && !allowed {
                // the row that was to be opened is another's: the head has the one after it
                promise.row = RowId(self.opened);
            }
            if let Some(leaves) = leaves.filter(|_| !is_short) {
                *left = leaves;
            }
            return Some(Picked { waiting: job, reason });
        }
    }
}
