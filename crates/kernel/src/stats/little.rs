//! Little's law as an identity of whole numbers.
//!
//! Over any observed window, the integral of the number of customers in a station equals the sum of
//! the times they spent in it, each clipped to the window (J. D. C. Little and S. C. Graves,
//! *Building Intuition*, Springer, 2008, chapter 5; the finite form needs no steady state). In
//! nanoseconds both are whole numbers, so they are equal or there is a bug: a customer lost,
//! counted twice, or forgotten at the end. The two sides are kept apart on purpose: one from the
//! changes of the level alone, the other from each customer's own time of entry. What is left out:
//! nothing of the window; customers already inside at its start count from there, those still
//! inside at its end up to there.

use slotmap::{SlotMap, new_key_type};

use super::table::DurationTable;
use super::time_weighted::TimeWeighted;
use crate::SimTime;

new_key_type! {
    /// One customer's stay in a station, from entering to leaving.
    pub struct Visit;
}

/// The customers in a station, those that were, and for how long.
#[derive(Clone, Debug)]
pub struct StationLog {
    inside: SlotMap<Visit, SimTime>,
    number: TimeWeighted,
    /// Time in the window of those that have left [customer × ns].
    left_nanos: u128,
    /// Whole stays that began and ended in the window.
    stays: DurationTable,
    entered: u64,
    left: u64,
}

impl StationLog {
    /// An empty station, observed from `now`.
    pub fn new(now: SimTime) -> Self {
        StationLog {
            inside: SlotMap::with_key(),
            number: TimeWeighted::new(now, 0),
            left_nanos: 0,
            stays: DurationTable::new(),
            entered: 0,
            left: 0,
        }
    }

    /// A customer enters at `now`.
    ///
    /// # Panics
    /// If `now` is before the last change.
    #[must_use = "the visit is needed to leave"]
    pub fn enter(&mut self, now: SimTime) -> Visit {
        self.number.rise(now, 1);
        self.entered += 1;
        self.inside.insert(now)
    }

    /// The customer of `visit` leaves at `now`.
    ///
    /// # Panics
    /// If it has left before, or `now` is before the last change.
    pub fn leave(&mut self, now: SimTime, visit: Visit) {
        let entry = self.inside.remove(visit).expect("a customer leaves a station once");
        self.number.fall(now, 1);
        self.left += 1;
        self.left_nanos += u128::from((now - entry.max(self.number.start())).as_nanos());
        if entry >= self.number.start() {
            self.stays.record(now - entry);
        }
    }

    /// Begins a new window at `now`; customers inside stay, and count from here.
    pub fn reset(&mut self, now: SimTime) {
        self.number.reset(now);
        self.left_nanos = 0;
        self.stays.reset();
        self.entered = 0;
        self.left = 0;
    }

    /// The number in the station over time.
    pub fn number(&self) -> &TimeWeighted {
        &self.number
    }

    /// Stays that began and ended in the window.
    pub fn stays(&self) -> &DurationTable {
        &self.stays
    }

    /// Customers that entered in the window.
    pub fn entered(&self) -> u64 {
        self.entered
    }

    /// Customers that left in the window.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Sum of the times in the station up to `now`, clipped to the window [customer × ns].
    ///
    /// # Complexity
    /// Linear in the customers inside.
    ///
    /// # Panics
    /// If `now` is before the last change.
    pub fn time_in_station(&self, now: SimTime) -> u128 {
        let clipped = |entry: &SimTime| u128::from((now - (*entry).max(self.number.start())).as_nanos());
        self.left_nanos + self.inside.values().map(clipped).sum::<u128>()
    }

    /// Returns true if the integral of the number inside equals the sum of times inside, and the
    /// counts agree.
    ///
    /// # Panics
    /// If `now` is before the last change.
    pub fn identity_holds(&self, now: SimTime) -> bool {
        self.number.area(now) == self.time_in_station(now) && self.number.level() == self.inside.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    #[test]
    fn a_small_station_worked_by_hand() {
        // stays 2..7 and 4..6, one from 5 still inside at 10: 5 + 2 + 5 = 12
        let mut station = StationLog::new(at(0));
        let first = station.enter(at(2));
        let second = station.enter(at(4));
        let _third = station.enter(at(5));
        station.leave(at(6), second);
        station.leave(at(7), first);
        assert_eq!(station.time_in_station(at(10)), 12);
        assert_eq!(station.number().area(at(10)), 12);
        assert!(station.identity_holds(at(10)));
        assert_eq!(station.stays().sum_nanos(), 7);
        assert_eq!((station.entered(), station.left()), (3, 2));
    }

    #[test]
    fn a_stay_over_the_end_of_the_warm_up_counts_from_there() {
        let mut station = StationLog::new(at(0));
        let early = station.enter(at(1));
        station.reset(at(10));
        station.leave(at(14), early);
        assert_eq!(station.time_in_station(at(20)), 4);
        assert!(station.identity_holds(at(20)));
        assert_eq!(station.stays().count(), 0); // a whole stay it is not
        assert_eq!((station.entered(), station.left()), (0, 1));
    }

    #[test]
    #[should_panic(expected = "leaves a station once")]
    fn a_visit_ends_once() {
        let mut station = StationLog::new(at(0));
        let visit = station.enter(at(0));
        station.leave(at(1), visit);
        station.leave(at(2), visit);
    }

    proptest! {
        #[test]
        fn the_identity_holds_whatever_happens(steps in vec((0_u64..50, 0_u8..10, any::<u8>()), 1..200)) {
            let mut station = StationLog::new(at(0));
            let mut inside = Vec::new();
            let mut now = 0;
            for (gap, what, pick) in steps {
                now += gap;
                match what {
                    0 => station.reset(at(now)),
                    1..=4 if !inside.is_empty() => {
                        let visit = inside.swap_remove(usize::from(pick) % inside.len());
                        station.leave(at(now), visit);
                    }
                    _ => inside.push(station.enter(at(now))),
                }
                prop_assert!(station.identity_holds(at(now)));
                prop_assert!(station.identity_holds(at(now + 7)));
            }
            prop_assert_eq!(station.number().level(), inside.len() as u64);
        }
    }
}
