//! The timetable of a machine beside which lie pools: that of the machine, and one of counts for
//! each pool. A booking is a booking in all of those that the job asks for.
//!
//! The earliest start is exact: each timetable in turn names its own earliest start from the last
//! answer on, until all name the same. None of them can be passed over, so it is the first that
//! suits all.

use std::sync::Arc;

use crate::batch::pools::{PoolShare, Pools};
use crate::batch::queue::Waiting;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::{Counts, Ticket, Timetable};

/// Machine and pools over time. Without pools it is the machine alone. Whoever knows the machine
/// tells it and the pools of each instant.
#[derive(Debug)]
pub(in crate::batch) struct PooledTable<T> {
    /// The machine.
    pub(in crate::batch) machine: T,
    /// The pools, and what jobs ask of them; `None`: there are none.
    pools: Option<Arc<Pools>>,
    /// Those of the pools, in their order.
    pub(in crate::batch) each: Vec<Counts>,
}

/// A job as a pool sees it.
fn of_pool(job: &Waiting, amount: u32) -> Waiting {
    Waiting::new(job.key(), job.job, amount, job.estimate)
}

impl<T: Timetable> PooledTable<T> {
    /// These timetables, of the pools in their order.
    pub(in crate::batch) fn new(machine: T, pools: Option<Arc<Pools>>, each: Vec<Counts>) -> Self {
        PooledTable { machine, pools, each }
    }

    /// The earliest start from an instant on that suits the pools.
    fn earliest_in_pools(
        each: &mut [Counts],
        shares: &[PoolShare],
        job: &Waiting,
        (span, from): (SimDuration, SimTime),
    ) -> Option<SimTime> {
        let mut start = from;
        loop {
            let before = start;
            for share in shares {
                start = each[share.pool].earliest(&of_pool(job, share.amount), span, start)?;
            }
            if start == before {
                return Some(start);
            }
        }
    }

    /// The earliest start from an instant on that suits machine and pools.
    fn search(
        &mut self,
        shares: &[PoolShare],
        job: &Waiting,
        (span, from): (SimDuration, SimTime),
    ) -> Option<SimTime> {
        let mut start = from;
        loop {
            let machine = self.machine.earliest(job, span, start)?;
            start = Self::earliest_in_pools(&mut self.each, shares, job, (span, machine))?;
            if start == machine {
                return Some(start);
            }
        }
    }

    fn book_in_pools(&mut self, shares: &[PoolShare], job: &Waiting, span: SimDuration, start: SimTime) {
        for share in shares {
            self.each[share.pool].book(&of_pool(job, share.amount), span, start);
        }
    }

    fn release_in_pools(&mut self, shares: &[PoolShare], job: JobId, from: SimTime, to: SimTime) {
        for share in shares {
            self.each[share.pool].release(job, share.amount, from, to);
        }
    }

    /// As [`Timetable::move_unmarked`], of a job that asks for these shares, whose amounts are not
    /// booked now.
    fn earlier(
        &mut self,
        shares: &[PoolShare],
        job: &Waiting,
        (span, start): (SimDuration, SimTime),
    ) -> Option<SimTime> {
        let in_pools = Self::earliest_in_pools(&mut self.each, shares, job, (span, SimTime::ZERO));
        in_pools.filter(|&found| found < start)?;
        let to = self.machine.move_unmarked(job, span, start)?;
        if Self::earliest_in_pools(&mut self.each, shares, job, (span, to)) == Some(to) {
            return Some(to);
        }
        // the machine has it too early: it is placed anew, at its old start at the latest
        self.machine.release(job.job, job.procs, to, to.saturating_add(span));
        let found = self.search(shares, job, (span, to)).map_or(start, |found| found.min(start));
        self.machine.book(job, span, found);
        (found < start).then_some(found)
    }
}

impl<T: Timetable> Timetable for PooledTable<T> {
    fn earliest(&mut self, job: &Waiting, span: SimDuration, from: SimTime) -> Option<SimTime> {
        match self.pools.clone() {
            Some(pools) if !pools.asked(job.job).is_empty() => {
                self.search(pools.asked(job.job), job, (span, from))
            }
            _ => self.machine.earliest(job, span, from),
        }
    }

    fn holds(&mut self, job: &Waiting, span: SimDuration, at: SimTime) -> bool {
        let shares = self.pools.as_ref().map_or(&[][..], |pools| pools.asked(job.job));
        let each = &mut self.each;
        shares.iter().all(|share| each[share.pool].holds(&of_pool(job, share.amount), span, at))
            && self.machine.holds(job, span, at)
    }

    fn book(&mut self, job: &Waiting, span: SimDuration, start: SimTime) {
        if let Some(pools) = self.pools.clone() {
            self.book_in_pools(pools.asked(job.job), job, span, start);
        }
        self.machine.book(job, span, start);
    }

    fn starts(&mut self, job: &Waiting, span: SimDuration, now: SimTime) {
        if let Some(pools) = self.pools.clone() {
            self.book_in_pools(pools.asked(job.job), job, span, now);
        }
        self.machine.starts(job, span, now);
    }

    fn book_alone(&mut self, job: &Waiting, span: SimDuration, start: SimTime) {
        if let Some(pools) = self.pools.clone() {
            self.book_in_pools(pools.asked(job.job), job, span, start);
        }
        self.machine.book_alone(job, span, start);
    }

    fn promise(&mut self, job: &Waiting, span: SimDuration, start: SimTime) -> Ticket {
        if self.pools.is_none() {
            return self.machine.promise(job, span, start);
        }
        self.book(job, span, start);
        Ticket::NONE
    }

    fn may_move(&self, ticket: Ticket) -> bool {
        self.pools.is_some() || self.machine.may_move(ticket)
    }

    fn move_forward(
        &mut self,
        ticket: Ticket,
        job: &Waiting,
        span: SimDuration,
        start: SimTime,
    ) -> Option<SimTime> {
        if self.pools.is_none() {
            return self.machine.move_forward(ticket, job, span, start);
        }
        let pools = self.pools.clone();
        let shares = pools.as_ref().map_or(&[][..], |pools| pools.asked(job.job));
        if shares.is_empty() {
            return self.machine.move_unmarked(job, span, start);
        }
        self.release_in_pools(shares, job.job, start, start.saturating_add(span));
        let found = self.earlier(shares, job, (span, start));
        self.book_in_pools(shares, job, span, found.unwrap_or(start));
        found
    }

    fn settle(&mut self, ticket: Ticket) {
        if self.pools.is_none() {
            self.machine.settle(ticket);
        }
    }

    fn release(&mut self, job: JobId, procs: u32, from: SimTime, to: SimTime) {
        if let Some(pools) = self.pools.clone() {
            self.release_in_pools(pools.asked(job), job, from, to);
        }
        self.machine.release(job, procs, from, to);
    }

    fn extend(&mut self, job: JobId, procs: u32, from: SimTime, to: SimTime) {
        if let Some(pools) = self.pools.clone() {
            for share in pools.asked(job) {
                self.each[share.pool].extend(job, share.amount, from, to);
            }
        }
        self.machine.extend(job, procs, from, to);
    }
}
