//! Bounds of searches for a start that earlier searches have shown.
//!
//! Where a job finds no start before an instant, none that needs no less for no less time finds
//! one. What becomes free later in between opens starts that reach it, and no others.

use crate::kernel::{SimDuration, SimTime};

/// Bounds that are kept.
const MOST: usize = 48;

/// A bound for all jobs that need as much for as long.
#[derive(Clone, Copy, Debug)]
struct Floor {
    procs: u32,
    span: SimDuration,
    /// No such job starts before it,
    before: SimTime,
    /// unless it still runs at this instant, from which on more has become free.
    freed: SimTime,
}

/// Bounds of starts.
#[derive(Clone, Debug, Default)]
pub(super) struct Floors(Vec<Floor>);

impl Floors {
    /// An instant before which a job finds no start, if it has its own processors from `own` on,
    /// which are free for it alone.
    pub(super) fn of(&self, procs: u32, span: SimDuration, own: SimTime) -> SimTime {
        let reach = |freed: SimTime| {
            let least = freed.as_nanos().saturating_sub(span.as_nanos());
            if freed == SimTime::MAX { freed } else { SimTime::from_nanos(least) }
        };
        let bounds = self.0.iter().filter(|one| one.procs <= procs && one.span <= span);
        bounds.map(|one| one.before.min(reach(one.freed.min(own)))).max().unwrap_or(SimTime::ZERO)
    }

    /// A job has found no start before an instant.
    pub(super) fn note(&mut self, procs: u32, span: SimDuration, before: SimTime) {
        let one = Floor { procs, span, before, freed: SimTime::MAX };
        self.0.retain(|other| other.procs < procs || other.span < span || other.before > before);
        if self.0.len() == MOST {
            let weakest = (0..MOST).min_by_key(|&place| self.0[place].before.min(self.0[place].freed));
            if let Some(place) = weakest {
                self.0.swap_remove(place);
            }
        }
        self.0.push(one);
    }

    /// More is free from an instant on.
    pub(super) fn free(&mut self, from: SimTime) {
        for one in &mut self.0 {
            one.freed = one.freed.min(from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_holds_for_what_needs_no_less_until_more_is_free() {
        let (at, nanos) = (SimTime::from_nanos, SimDuration::from_nanos);
        let mut floors = Floors::default();
        let of = |floors: &Floors, procs, span| floors.of(procs, nanos(span), SimTime::MAX);
        floors.note(4, nanos(10), at(50));
        assert_eq!([of(&floors, 4, 10), of(&floors, 5, 20)], [at(50), at(50)]);
        assert_eq!([of(&floors, 3, 10), of(&floors, 4, 9)], [at(0), at(0)]);
        // one of 10 that reaches 70 starts after 60, one of 30 after 40
        floors.free(at(70));
        assert_eq!([of(&floors, 4, 10), of(&floors, 4, 30)], [at(50), at(40)]);
        // and one that has its own from 45 on may reach that
        assert_eq!(floors.of(4, nanos(10), at(45)), at(35));
        // bounds behind others are dropped
        floors.note(2, nanos(5), at(60));
        floors.note(8, nanos(90), at(55));
        assert_eq!((of(&floors, 8, 90), floors.0.len()), (at(60), 2));
        for place in 0..100 {
            floors.note(100 - place, nanos(100 + u64::from(place)), at(60 + u64::from(place)));
        }
        assert_eq!((of(&floors, 100, 999), floors.0.len()), (at(159), MOST));
    }
}
