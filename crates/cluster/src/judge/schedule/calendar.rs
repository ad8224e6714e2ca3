//! Free capacity over time, of which bookings ahead are made.

use crate::kernel::SimTime;

use super::Row;
use super::supply::{Outlook, SupplyChange, span};

/// Promise to a waiting job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Booking<P> {
    pub(super) start: SimTime,
    pub(super) place: P,
}

/// Free capacity over time, by the estimates of those who hold or are promised something.
pub(super) trait Calendar {
    /// Promise to a job besides its start.
    type Place;
    /// True if a job that starts at its time gets what it was promised.
    const KEEPS_PLACES: bool = false;

    /// Forgets everything before an instant.
    fn advance(&mut self, now: SimTime);

    /// A change of the machine: true if what was promised may move.
    fn changes(&mut self, _now: SimTime, _change: SupplyChange, _index: usize) -> bool {
        false
    }

    /// Books the earliest start of a job from `from` on; `None` if there is none.
    fn earliest(&mut self, now: SimTime, row: &Row, from: SimTime) -> Option<Booking<Self::Place>>;

    /// Books the earliest start from `from` on in place of a booking, if it is before that; also
    /// the instant from which on more is free.
    fn earlier(
        &mut self,
        now: SimTime,
        row: &Row,
        from: SimTime,
        one: &Booking<Self::Place>,
    ) -> Option<(Booking<Self::Place>, SimTime)>;

    /// The rest of a booking is free.
    fn give_up(&mut self, now: SimTime, row: &Row, one: &Booking<Self::Place>);

    /// A job takes what it has, for its estimate.
    fn starts(&mut self, now: SimTime, row: &Row);

    /// A job gives that back, perhaps before its estimate is over.
    fn ends(&mut self, now: SimTime, row: &Row);
}

/// Processors by their number.
impl Calendar for Outlook<'_> {
    type Place = ();
    const KEEPS_PLACES: bool = true;

    fn advance(&mut self, now: SimTime) {
        self.timeline.advance(now);
    }

    fn changes(&mut self, now: SimTime, change: SupplyChange, index: usize) -> bool {
        self.take(now, change, index)
    }

    fn earliest(&mut self, _: SimTime, row: &Row, from: SimTime) -> Option<Booking<()>> {
        let start = self.timeline.earliest(row.procs, span(row), from);
        self.timeline.change(start, start.saturating_add(span(row)), -i64::from(row.procs));
        (start < SimTime::MAX).then_some(Booking { start, place: () })
    }

    fn earlier(
        &mut self,
        _: SimTime,
        row: &Row,
        from: SimTime,
        one: &Booking<()>,
    ) -> Option<(Booking<()>, SimTime)> {
        let (procs, span) = (i64::from(row.procs), span(row));
        let start = self.timeline.earlier(row.procs, span, from, one.start)?;
        let (end, before) = (start.saturating_add(span), one.start.saturating_add(span));
        let freed = one.start.max(end);
        self.timeline.change(start, end.min(one.start), -procs);
        self.timeline.change(freed, before, procs);
        Some((Booking { start, place: () }, freed))
    }

    fn give_up(&mut self, now: SimTime, row: &Row, one: &Booking<()>) {
        let end = one.start.saturating_add(span(row));
        self.timeline.change(one.start.max(now), end, i64::from(row.procs));
    }

    fn starts(&mut self, now: SimTime, row: &Row) {
        Outlook::starts(self, now, row);
    }

    fn ends(&mut self, now: SimTime, row: &Row) {
        Outlook::ends(self, now, row);
    }
}
