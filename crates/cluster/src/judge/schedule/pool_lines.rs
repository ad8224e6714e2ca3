//! Free amounts of pools, now and by the estimates of those who hold or are promised some, and the
//! machine that they lie beside.

use crate::collections::StableSort as _;
use crate::kernel::{SimDuration, SimTime};

use super::calendar::{Booking, Calendar};
use super::changes::Change;
use super::pools::Amount;
use super::supply::{SupplyChange, span};
use super::timeline::Timeline;
use super::{PoolSupply, Row};

/// Event of a reservation that holds some of a pool; of one instant in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ShareEvent {
    Over,
    Known,
    Begins,
}

/// What is free of pools, now and by the estimates of those who hold or are promised some, and what
/// reservations leave.
pub(super) struct PoolLines<'a> {
    supply: Option<&'a PoolSupply>,
    free: Vec<i64>,
    lines: Vec<Timeline>,
    now: SimTime,
    /// Events of reservations to come, the last first, each with its place.
    to_come: Vec<(SimTime, ShareEvent, usize)>,
}

impl<'a> PoolLines<'a> {
    pub(super) fn new(supply: Option<&'a PoolSupply>) -> Self {
        let free: Vec<i64> = supply.iter().flat_map(|supply| supply.counts()).collect();
        let mut to_come = Vec::new();
        for (place, one) in supply.iter().flat_map(|supply| supply.reserved.iter().enumerate()) {
            to_come.extend([
                (one.what.to, ShareEvent::Over, place),
                (one.what.known, ShareEvent::Known, place),
                (one.what.from, ShareEvent::Begins, place),
            ]);
        }
        to_come.stable_sort();
        to_come.reverse();
        let lines = free.iter().map(|&free| Timeline::new(free)).collect();
        PoolLines { supply, lines, free, now: SimTime::ZERO, to_come }
    }

    fn asked(&self, row: &Row) -> &'a [Amount] {
        self.supply.map_or(&[], |supply| supply.of(row))
    }

    pub(super) fn advance(&mut self, now: SimTime) {
        while let Some((_, event, place)) = self.to_come.pop_if(|one| one.0 <= now) {
            let Some(one) = self.supply.and_then(|supply| supply.reserved.get(place)) else { continue };
            for &(pool, amount) in &one.amounts {
                let amount = i64::from(amount);
                match event {
                    ShareEvent::Over => self.free[pool] += amount,
                    ShareEvent::Begins => self.free[pool] -= amount,
                    ShareEvent::Known => {
                        self.lines[pool].change(one.what.from.max(now), one.what.to, -amount);
                    }
                }
            }
        }
        self.lines.iter_mut().for_each(|line| line.advance(now));
        self.now = now;
    }

    /// Returns true if as much is free as a job asks for, and by the estimates it delays no
    /// reservation that is known.
    pub(super) fn fits(&self, row: &Row) -> bool {
        let is_free = |&(pool, amount): &Amount| i64::from(amount) <= self.free[pool];
        self.asked(row).iter().all(is_free) && self.leaves_reserved(row)
    }

    /// Returns true if a job that starts now delays no reservation that is known, by the estimates:
    /// what those have now that are past theirs is free from then on.
    pub(super) fn leaves_reserved(&self, row: &Row) -> bool {
        let next = SimDuration::from_nanos(1);
        let rest = span(row).saturating_sub(next);
        let from = self.now.saturating_add(next);
        let is_reserved = self.supply.is_some_and(|supply| !supply.reserved.is_empty());
        let holds = |&(pool, amount): &Amount| self.lines[pool].holds(amount, from, rest);
        !is_reserved || rest.is_zero() || self.asked(row).iter().all(holds)
    }

    /// The first instant from another on, from which as much is free for the time that a job is
    /// estimated to last; [`SimTime::MAX`] if there is none.
    pub(super) fn earliest(&self, row: &Row, from: SimTime) -> SimTime {
        let mut start = from;
        loop {
            let before = start;
            for &(pool, amount) in self.asked(row) {
                start = self.lines[pool].earliest(amount, span(row), start);
            }
            if start == before || start == SimTime::MAX {
                return start;
            }
        }
    }

    /// Makes the amounts of a job more or less free from one instant to another.
    fn book(&mut self, row: &Row, (from, to): (SimTime, SimTime), sign: i64) {
        for &(pool, amount) in self.asked(row) {
            self.lines[pool].change(from, to, sign * i64::from(amount));
        }
    }

    fn starts(&mut self, now: SimTime, row: &Row) {
        self.asked(row).iter().for_each(|&(pool, amount)| self.free[pool] -= i64::from(amount));
        self.book(row, (now, now.saturating_add(span(row))), -1);
    }

    fn ends(&mut self, now: SimTime, row: &Row) {
        self.asked(row).iter().for_each(|&(pool, amount)| self.free[pool] += i64::from(amount));
        self.book(row, (now, row.start.saturating_add(span(row))), 1);
    }

    /// Start or end of a job; one that ends at once has ended before it starts, in the order of
    /// changes.
    pub(super) fn job(&mut self, now: SimTime, change: Change, row: &Row) {
        match change {
            Change::Start if row.start < row.end => self.starts(now, row),
            Change::End if row.start < row.end => self.ends(now, row),
            _ => {}
        }
    }
}

/// A machine with pools beside it.
pub(super) struct Pooled<'a, C> {
    pub(super) machine: C,
    pub(super) pools: PoolLines<'a>,
}

/// Span of a booking.
fn of_booking<P>(row: &Row, one: &Booking<P>) -> (SimTime, SimTime) {
    (one.start, one.start.saturating_add(span(row)))
}

impl<C: Calendar> Pooled<'_, C> {
    /// As [`Calendar::earlier`], of a job whose amounts are not booked; so they are afterwards.
    fn moved(
        &mut self,
        now: SimTime,
        row: &Row,
        from: SimTime,
        one: &Booking<C::Place>,
    ) -> Option<(Booking<C::Place>, SimTime)> {
        if self.pools.earliest(row, from) >= one.start {
            return None;
        }
        let (found, freed) = self.machine.earlier(now, row, from, one)?;
        if self.pools.earliest(row, found.start) == found.start {
            return Some((found, freed));
        }
        // the machine alone has it too early
        self.machine.give_up(now, row, &found);
        self.search(now, row, found.start).map(|found| (found, now))
    }

    /// Books the earliest start on the machine that suits the pools.
    fn search(&mut self, now: SimTime, row: &Row, from: SimTime) -> Option<Booking<C::Place>> {
        let mut from = from;
        loop {
            let found = self.machine.earliest(now, row, from)?;
            let start = self.pools.earliest(row, found.start);
            if start == found.start {
                return Some(found);
            }
            self.machine.give_up(now, row, &found);
            if start == SimTime::MAX {
                return None;
            }
            from = start;
        }
    }
}

impl<C: Calendar> Calendar for Pooled<'_, C> {
    type Place = C::Place;
    const KEEPS_PLACES: bool = false;

    fn advance(&mut self, now: SimTime) {
        self.machine.advance(now);
        self.pools.advance(now);
    }

    fn changes(&mut self, now: SimTime, change: SupplyChange, index: usize) -> bool {
        self.machine.changes(now, change, index)
    }

    fn earliest(&mut self, now: SimTime, row: &Row, from: SimTime) -> Option<Booking<C::Place>> {
        let found = self.search(now, row, from)?;
        self.pools.book(row, of_booking(row, &found), -1);
        Some(found)
    }

    fn earlier(
        &mut self,
        now: SimTime,
        row: &Row,
        from: SimTime,
        one: &Booking<C::Place>,
    ) -> Option<(Booking<C::Place>, SimTime)> {
        self.pools.book(row, of_booking(row, one), 1);
        let found = self.moved(now, row, from, one);
        let is = found.as_ref().map_or_else(|| of_booking(row, one), |(found, _)| of_booking(row, found));
        self.pools.book(row, is, -1);
        found
    }

    fn give_up(&mut self, now: SimTime, row: &Row, one: &Booking<C::Place>) {
        self.machine.give_up(now, row, one);
        let (from, to) = of_booking(row, one);
        self.pools.book(row, (from.max(now), to), 1);
    }

    fn starts(&mut self, now: SimTime, row: &Row) {
        self.machine.starts(now, row);
        self.pools.starts(now, row);
    }

    fn ends(&mut self, now: SimTime, row: &Row) {
        self.machine.ends(now, row);
        self.pools.ends(now, row);
    }
}

/// Time of a promise: the later of two, if the job finds both.
pub(super) fn later_of(machine: Option<SimTime>, pools: SimTime) -> Option<SimTime> {
    machine.map(|time| time.max(pools)).filter(|&time| time < SimTime::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::pools::tests::{asking, supply};
    use super::super::row;
    use super::*;

    #[test]
    fn pools_have_a_job_when_all_of_them_do() {
        let (at, all) = (SimTime::from_nanos, supply());
        let mut lines = PoolLines::new(Some(&all));
        let job = |number, list| asking(row(number, 0, 0, 10, (0, 0)), list);
        lines.starts(at(0), &job(1, 0));
        assert!(!lines.fits(&job(2, 1)) && lines.fits(&row(3, 0, 0, 1, (0, 0))));
        assert_eq!(lines.earliest(&job(2, 1), at(3)), at(10));
        assert_eq!(lines.earliest(&job(2, 2), at(3)), SimTime::MAX);
        lines.ends(at(4), &job(1, 0));
        assert!(lines.fits(&job(2, 1)));
        assert_eq!(lines.earliest(&job(2, 1), at(4)), at(4));
        assert_eq!(later_of(Some(at(5)), at(9)), Some(at(9)));
        assert_eq!(later_of(Some(at(5)), SimTime::MAX), None);
    }
}
