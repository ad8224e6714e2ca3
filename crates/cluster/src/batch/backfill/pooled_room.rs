//! A machine beside which lie pools, as rules see it: what is free of the pools bounds what the
//! machine allows.
//!
//! A job fits if it fits on the machine and as much of each pool is free as it asks for. It is
//! promised the first estimated end at which both is so: what is free of a pool only grows by these
//! ends, and so does the machine, so the later of the two is the first that suits both. Jobs that
//! outlast the promise may hold what it leaves of the pools, as they may of the machine.

use std::sync::Arc;

use crate::batch::planned::Planned;
use crate::batch::pools::{FreePool, FreePools, PoolShare};
use crate::batch::queue::{BackfillWindow, Waiting};
use crate::batch::record::Reason;
use crate::batch::running::NEXT_NANO;
use crate::batch::timetable::{Counts, PooledTable, Timetable};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::View;
use super::room::{Extra, MachineState, PickedJob, Room, begin_counts, counts_of};

/// A machine and the pools of its view.
pub(super) struct PooledRoom<'v, R> {
    machine: R,
    pools: Option<&'v FreePools>,
    /// Amounts that picked jobs get.
    taken: Vec<PoolShare>,
}

/// Promise on the machine, and what it leaves of the pools that its job asks for.
pub(super) struct PooledPromise<P> {
    of_machine: P,
    left: Vec<PoolShare>,
}

/// Condition for starts next to such a promise.
pub(super) struct PooledWindow<W> {
    of_machine: W,
    /// What is left of the pools, if jobs that outlast the promise are held to that.
    left: Option<Vec<PoolShare>>,
}

/// Amount of a pool in a list.
fn amount_in(list: &[PoolShare], pool: usize) -> Option<u32> {
    list.iter().find(|share| share.pool == pool).map(|share| share.amount)
}

/// A view of each pool in place of the processors.
fn views<'v>(view: &View<'v>, pools: Option<&'v FreePools>) -> impl Iterator<Item = View<'v>> {
    let each = pools.map_or(&[][..], FreePools::each);
    let of_machine = View { nodes: None, pools: None, ..*view };
    let of_pool = move |pool: &'v FreePool| {
        let (free, running, planned) = (pool.free, &pool.running, &pool.planned[..]);
        View { free, running, planned, ..of_machine }
    };
    each.iter().map(of_pool)
}

/// Bookings of a machine with those of the pools of a view, as [`Room::timetable`] has them.
pub(super) fn with_pools<T: Timetable>(
    view: &View<'_>,
    machine: T,
    late: Option<SimDuration>,
) -> PooledTable<T> {
    let each = each_of(view, late);
    PooledTable::new(machine, view.pools.map(|pools| Arc::clone(pools.pools())), each)
}

/// Bookings of the pools of a view, in their order.
fn each_of(view: &View<'_>, late: Option<SimDuration>) -> Vec<Counts> {
    views(view, view.pools).map(|view| counts_of(&view, late)).collect()
}

impl<'v, R: Room> PooledRoom<'v, R> {
    pub(super) fn new(machine: R, pools: Option<&'v FreePools>) -> Self {
        PooledRoom { machine, pools, taken: Vec::new() }
    }

    fn asked(&self, job: JobId) -> &'v [PoolShare] {
        self.pools.map_or(&[], |pools| pools.asked(job))
    }

    /// Returns true if as much of the pools is free as a job asks for, next to picked jobs.
    fn fits_in_pools(&self, job: JobId) -> bool {
        let Some(pools) = self.pools else { return true };
        let free = |share: &PoolShare| {
            let taken: u64 =
                self.taken.iter().filter(|one| one.pool == share.pool).map(|one| u64::from(one.amount)).sum();
            pools.each()[share.pool].free.saturating_sub(taken)
        };
        pools.asked(job).iter().all(|share| u64::from(share.amount) <= free(share))
    }

    fn take(&mut self, job: JobId) {
        self.taken.extend(self.asked(job));
    }

    /// Releases of a pool as the machine sees them.
    fn releases(&self, pool: usize, late: SimDuration, picked: &[PickedJob]) -> Vec<(SimTime, u32)> {
        let (now, Some(pools)) = (self.machine.view().now, self.pools) else { return Vec::new() };
        let longer = picked.iter().filter(|one| one.judged != one.job.estimate);
        let end = |one: &PickedJob| (one.job.job, now.saturating_add(one.judged.max(NEXT_NANO)));
        let known: Vec<(JobId, SimTime)> = longer.map(end).collect();
        pools.each()[pool].releases((now, late), &known)
    }

    /// The first estimated end at which pools have what a job asks for; now, if they have it.
    fn first_end(&self, job: &Waiting, late: SimDuration, picked: &[PickedJob]) -> Option<SimTime> {
        let (mut first, Some(pools)) = (self.machine.view().now, self.pools) else {
            return Some(self.machine.view().now);
        };
        for share in pools.asked(job.job) {
            let mut free = pools.each()[share.pool].free;
            if free < u64::from(share.amount) {
                let mut releases = self.releases(share.pool, late, picked).into_iter();
                let enough = releases.find(|&(_, amount)| {
                    free += u64::from(amount);
                    free >= u64::from(share.amount)
                });
                first = first.max(enough?.0);
            }
        }
        Some(first)
    }

    /// A promise on the machine, with what it leaves of the pools.
    fn promised(
        &self,
        of_machine: R::Promise,
        job: &Waiting,
        (late, picked): (SimDuration, &[PickedJob]),
    ) -> PooledPromise<R::Promise> {
        let time = R::time(&of_machine);
        let left = |share: &PoolShare| {
            let now: u64 = self.pools.map_or(0, |pools| pools.each()[share.pool].free);
            let releases = self.releases(share.pool, late, picked).into_iter();
            let back: u64 =
                releases.take_while(|&(end, _)| end <= time).map(|(_, amount)| u64::from(amount)).sum();
            let left = (now + back).saturating_sub(share.amount.into());
            PoolShare { amount: u32::try_from(left).unwrap_or(u32::MAX), ..*share }
        };
        PooledPromise { of_machine, left: self.asked(job.job).iter().map(left).collect() }
    }
}

impl<W> PooledWindow<W> {
    /// Returns true if a job may hold these amounts beyond the promise.
    fn leaves(&self, shares: &[PoolShare]) -> bool {
        let left = self.left.as_deref().unwrap_or_default();
        shares.iter().all(|share| amount_in(left, share.pool).is_none_or(|left| share.amount <= left))
    }
}

impl<R: Room> Room for PooledRoom<'_, R> {
    type Table = PooledTable<R::Table>;
    type Promise = PooledPromise<R::Promise>;
    type Window = PooledWindow<R::Window>;

    fn view(&self) -> &View<'_> {
        self.machine.view()
    }

    fn free(&self) -> u64 {
        self.machine.free()
    }

    fn could_start(&self) -> bool {
        self.machine.could_start()
    }

    fn suffices(&self, job: &Waiting) -> bool {
        self.machine.suffices(job)
    }

    fn ask_again(&mut self) {
        self.machine.ask_again();
    }

    fn overdue(&self) -> bool {
        self.machine.overdue()
    }

    fn timetable_before(&self, late: Option<SimDuration>, instant: SimTime) -> Self::Table {
        with_pools(self.view(), self.machine.timetable_before(late, instant), late)
    }

    fn keeps(&self, late: SimDuration) -> bool {
        self.machine.keeps(late)
    }

    fn state(&self) -> Option<MachineState> {
        let state = self.machine.state()?;
        let matter = |pools: &&FreePools| self.view().queue.iter().any(|job| pools.asks(job.job));
        let Some(pools) = self.pools.filter(matter) else { return Some(state) };
        let overdue = |pool: &FreePool| pool.running.overdue(self.view().now) > 0;
        let settled = !pools.each().iter().any(overdue);
        settled.then(|| MachineState { pools: pools.changes() + 1, ..state })
    }

    fn renew(&self, table: &mut Self::Table, waiting: &[Waiting], late: SimDuration) {
        self.machine.renew(&mut table.machine, waiting, late);
        table.each = each_of(self.view(), Some(late));
    }

    fn withhold(&self, table: &mut Self::Table, ahead: &[Planned]) {
        self.machine.withhold(&mut table.machine, ahead);
    }

    fn begin(&self, table: &mut Self::Table) {
        self.machine.begin(&mut table.machine);
        let views = views(self.view(), self.pools);
        table.each.iter_mut().zip(views).for_each(|(pool, view)| begin_counts(&view, pool));
    }

    fn fits(&self, job: &Waiting) -> bool {
        self.fits_in_pools(job.job) && self.machine.fits(job)
    }

    fn fits_for(&self, job: &Waiting, span: SimDuration) -> bool {
        self.fits_in_pools(job.job) && self.machine.fits_for(job, span)
    }

    fn promise(&self, job: &Waiting, late: SimDuration, picked: &[PickedJob]) -> Option<Self::Promise> {
        let first = self.first_end(job, late, picked)?;
        let of_machine = if first > self.view().now {
            self.machine.promise_from(job, first, late, picked)?
        } else {
            self.machine.promise(job, late, picked)?
        };
        Some(self.promised(of_machine, job, (late, picked)))
    }

    fn promise_from(
        &self,
        job: &Waiting,
        from: SimTime,
        late: SimDuration,
        picked: &[PickedJob],
    ) -> Option<Self::Promise> {
        let first = self.first_end(job, late, picked)?.max(from);
        let of_machine = self.machine.promise_from(job, first, late, picked)?;
        Some(self.promised(of_machine, job, (late, picked)))
    }

    fn promise_at(&self, job: &Waiting, time: SimTime, picked: &[PickedJob]) -> Self::Promise {
        self.promised(self.machine.promise_at(job, time, picked), job, (NEXT_NANO, picked))
    }

    fn time(promise: &Self::Promise) -> SimTime {
        R::time(&promise.of_machine)
    }

    fn window(&self, promise: Self::Promise, extra: Extra) -> Self::Window {
        let left = (extra == Extra::Count).then_some(promise.left);
        PooledWindow { of_machine: self.machine.window(promise.of_machine, extra), left }
    }

    fn bound(window: &Self::Window) -> &BackfillWindow {
        R::bound(&window.of_machine)
    }

    fn bound_mut(window: &mut Self::Window) -> &mut BackfillWindow {
        R::bound_mut(&mut window.of_machine)
    }

    fn reason(&self, window: &Self::Window, job: &Waiting, judged: SimDuration) -> Option<Reason> {
        if !self.fits_in_pools(job.job) {
            return None;
        }
        let reason = self.machine.reason(&window.of_machine, job, judged)?;
        (reason != Reason::Extra || window.leaves(self.asked(job.job))).then_some(reason)
    }

    fn extra(&self, window: &Self::Window, job: &Waiting) -> u64 {
        if window.leaves(self.asked(job.job)) { self.machine.extra(&window.of_machine, job) } else { 0 }
    }

    fn start_alongside(&mut self, window: &mut Self::Window, job: Waiting, reason: Reason) -> bool {
        if let Some(left) = window.left.as_mut().filter(|_| reason == Reason::Extra) {
            for share in left {
                share.amount -= amount_in(self.asked(job.job), share.pool).unwrap_or(0);
            }
        }
        self.take(job.job);
        self.machine.start_alongside(&mut window.of_machine, job, reason)
    }

    fn start_in(&mut self, table: &mut Self::Table, job: Waiting, span: SimDuration, reason: Reason) -> bool {
        self.take(job.job);
        self.machine.start_in(&mut table.machine, job, span, reason)
    }

    fn start(&mut self, job: Waiting, reason: Reason) -> bool {
        self.take(job.job);
        self.machine.start(job, reason)
    }
}
