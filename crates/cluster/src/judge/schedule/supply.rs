//! The processors that jobs may have over time: those in service, less those that are reserved as
//! far as that is known.

use crate::collections::{Interval, StableSort as _};
use crate::kernel::{SimDuration, SimTime};

use super::changes::{Change, changes};
use super::timeline::Timeline;
use super::{Away, Piece, PoolSupply, RequestedReservation, Reservations, Row};

/// The processors of a machine, and everything apart from jobs that takes some of them.
#[derive(Clone, Copy, Debug)]
pub struct Supply<'a> {
    /// Processors of the machine.
    pub procs: u32,
    /// Spans in which nodes were out of service.
    pub away: &'a [Away],
    /// Reservations as they were asked for.
    pub requested: &'a [RequestedReservation],
    /// Processors that reservations had.
    pub pieces: &'a [Piece],
    /// Places of what was requested and is not planned any more, with the instants from which on.
    pub dropped: &'a [(SimTime, usize)],
    /// Processors that reservations do without.
    pub without: &'a [Without],
    /// Pools beside them, if there are any.
    pub pools: Option<&'a PoolSupply>,
}

impl From<u32> for Supply<'_> {
    /// So many processors that are always there.
    fn from(procs: u32) -> Self {
        Supply { procs, away: &[], requested: &[], pieces: &[], dropped: &[], without: &[], pools: None }
    }
}

impl<'a> Supply<'a> {
    /// So many processors, of which some are reserved.
    pub fn reserved(procs: u32, known: &'a Reservations) -> Self {
        Supply { requested: &known.requested, pieces: &known.pieces, ..procs.into() }
    }

    /// So many processors, of which some go out of service.
    pub fn failing(procs: u32, away: &'a [Away]) -> Self {
        Supply { away, ..procs.into() }
    }
}

/// Processors that failed, and that a reservation does without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Without {
    /// Place of the reservation among those that were requested.
    pub place: usize,
    /// Number of them.
    pub procs: u32,
    /// Instant at which they failed.
    pub from: SimTime,
    /// Instant from which on it needs them again; its end if it does not.
    pub to: SimTime,
}

/// Change of the processors that jobs may have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SupplyChange {
    /// A node is back.
    Back,
    /// A node fails.
    Fails,
    /// A reservation does without what it was to have.
    Dropped,
    /// A reservation becomes known.
    Known,
    /// A reservation does without processors that failed.
    Shrinks,
    /// A reservation needs them again.
    Regrows,
    /// A reservation gives processors back.
    Returns,
    /// A reservation takes processors.
    Takes,
}

impl SupplyChange {
    /// Returns true if promises may move, as the machine that there is from then on was not known.
    pub(super) fn moves_promises(self) -> bool {
        matches!(self, SupplyChange::Fails | SupplyChange::Back | SupplyChange::Known)
    }
}

/// Event of a machine or of a job, by its index; of one instant in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// The machine changes.
    Machine(SupplyChange, usize),
    /// Something befalls a job.
    Job(Change, usize),
}

/// Everything that happens, in order of time.
pub(super) fn events(rows: &[Row], supply: &Supply<'_>) -> Vec<(SimTime, Event)> {
    let mut events: Vec<(SimTime, Event)> =
        changes(rows).into_iter().map(|(at, change, index)| (at, Event::Job(change, index))).collect();
    let own = |change, index| Event::Machine(change, index);
    for (index, one) in supply.away.iter().enumerate() {
        events
            .extend([(one.from, own(SupplyChange::Fails, index)), (one.to, own(SupplyChange::Back, index))]);
    }
    for (index, one) in supply.requested.iter().enumerate() {
        events.push((one.known, own(SupplyChange::Known, index)));
    }
    events.extend(supply.dropped.iter().map(|&(at, index)| (at, own(SupplyChange::Dropped, index))));
    for (index, one) in supply.without.iter().enumerate() {
        events.extend([
            (one.from, own(SupplyChange::Shrinks, index)),
            (one.to, own(SupplyChange::Regrows, index)),
        ]);
    }
    for (index, one) in supply.pieces.iter().enumerate() {
        events.extend([
            (one.from, own(SupplyChange::Takes, index)),
            (one.to, own(SupplyChange::Returns, index)),
        ]);
    }
    events.stable_sort();
    events
}

/// These events instant by instant.
pub(super) fn instants(events: &[(SimTime, Event)]) -> impl Iterator<Item = (SimTime, &[(SimTime, Event)])> {
    events.chunk_by(|one, other| one.0 == other.0).map(|instant| (instant[0].0, instant))
}

/// The jobs that a change of an instant befalls.
pub(super) fn jobs(instant: &[(SimTime, Event)], change: Change) -> impl Iterator<Item = usize> {
    instant.iter().filter_map(move |&(_, event)| match event {
        Event::Job(of, job) if of == change => Some(job),
        _ => None,
    })
}

/// The processors that jobs may have from an instant on, by what is known then.
pub(super) struct Outlook<'a> {
    supply: Supply<'a>,
    /// Processors in service.
    pub(super) in_service: i64,
    /// Of them, those that no reservation has and no job.
    pub(super) free: i64,
    /// Free processors by the estimates of those who hold some, less all that is reserved.
    pub(super) timeline: Timeline,
}

impl<'a> Outlook<'a> {
    pub(super) fn new(supply: Supply<'a>) -> Self {
        let procs = i64::from(supply.procs);
        Outlook { supply, in_service: procs, free: procs, timeline: Timeline::new(procs) }
    }

    /// A change of the machine: true if what was promised may move, as the machine that there is
    /// from now on was not known.
    pub(super) fn take(&mut self, now: SimTime, change: SupplyChange, index: usize) -> bool {
        let count = |on: Interval| on.count().cast_signed();
        match change {
            SupplyChange::Fails | SupplyChange::Back => {
                let count = count(self.supply.away[index].on);
                let by = if change == SupplyChange::Back { count } else { -count };
                (self.in_service, self.free) = (self.in_service + by, self.free + by);
                self.timeline.change(now, SimTime::MAX, by);
            }
            SupplyChange::Known => {
                let one = &self.supply.requested[index];
                self.timeline.change(one.from.max(now), one.to, -i64::from(one.procs));
            }
            SupplyChange::Dropped => {
                let one = &self.supply.requested[index];
                self.timeline.change(one.from.max(now), one.to, i64::from(one.procs));
            }
            SupplyChange::Shrinks | SupplyChange::Regrows => {
                let one = &self.supply.without[index];
                let by =
                    if change == SupplyChange::Shrinks { one.procs.into() } else { -i64::from(one.procs) };
                self.timeline.change(now, self.supply.requested[one.place].to, by);
            }
            SupplyChange::Takes | SupplyChange::Returns => {
                let count = count(self.supply.pieces[index].on);
                self.free += if change == SupplyChange::Returns { count } else { -count };
            }
        }
        change.moves_promises()
    }

    /// A job takes its processors, for its estimate.
    pub(super) fn starts(&mut self, now: SimTime, row: &Row) {
        let procs = i64::from(row.procs);
        self.free -= procs;
        self.timeline.change(now, now.saturating_add(span(row)), -procs);
    }

    /// A job that started gives them back, perhaps before its estimate is over.
    pub(super) fn ends(&mut self, now: SimTime, row: &Row) {
        let procs = i64::from(row.procs);
        self.free += procs;
        self.timeline.change(now, row.start.saturating_add(span(row)), procs);
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

    /// Returns true if a job fits now, and by the estimates delays no reservation that is known.
    pub(super) fn fits(&self, now: SimTime, row: &Row) -> bool {
        if i64::from(row.procs) > self.free {
            return false;
        }
        // what those have now that are past their estimates is free from then on
        let next = SimDuration::from_nanos(1);
        let rest = span(row).saturating_sub(next);
        self.supply.requested.is_empty()
            || rest.is_zero()
            || self.timeline.holds(row.procs, now.saturating_add(next), rest)
    }
}

/// Time for which a job is taken to have its processors.
pub(super) fn span(row: &Row) -> SimDuration {
    row.estimate.max(SimDuration::from_nanos(1))
}
