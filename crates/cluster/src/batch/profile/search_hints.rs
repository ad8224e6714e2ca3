//! Results of searches of a profile, so that the next search need not repeat them.
//!
//! Whoever has looked for `procs` processors for `span` and found them at an instant has shown that
//! there is no place before it for any job that needs as many, or more, for as long, or longer.
//! That stays true while the profile is lowered. Where it is raised, a place that is new lies
//! across what was raised, and a hint is looked at again there: when it is asked for, because most
//! hints never are.
//!
//! # Complexity
//! A floor costs a comparison for each of the [`MOST`] hints, and for the best of them a search
//! across what has been raised since it was last asked for.

use std::collections::VecDeque;

use crate::kernel::{SimDuration, SimTime};

use super::{Profile, signed};

/// Before an instant there is no place for `procs` processors for `span`.
#[derive(Clone, Copy, Debug)]
struct SearchHint {
    procs: u64,
    span: SimDuration,
    upto: SimTime,
    /// Number of times the profile had been raised when it was true.
    seen: u64,
}

/// A span over which the profile was raised, to `most` free processors at most.
#[derive(Clone, Copy, Debug)]
struct Raise {
    from: SimTime,
    to: SimTime,
    most: i64,
}

/// SearchHints that are kept at most: the last ones.
const MOST: usize = 32;
/// Raises that are kept at most; a hint that has missed more is forgotten.
const MOST_RAISES: usize = 64;

/// The last hints, of which none follows from another.
#[derive(Clone, Debug, Default)]
pub(in crate::batch) struct SearchHints {
    found: VecDeque<SearchHint>,
    raises: VecDeque<Raise>,
    /// Number of times the profile has been raised.
    raised: u64,
}

impl SearchHints {
    /// Forgets all.
    pub(in crate::batch) fn clear(&mut self) {
        self.found.clear();
        self.raises.clear();
    }

    /// An instant before which no start need be looked for, for a job that holds the same from
    /// `start` on: that is called taken by the profile, but is no hindrance.
    pub(in crate::batch) fn floor(
        &mut self,
        profile: &Profile,
        procs: u64,
        span: SimDuration,
        start: SimTime,
    ) -> SimTime {
        loop {
            let mut best = None;
            for (place, one) in self.found.iter().enumerate() {
                if one.procs <= procs && one.span <= span {
                    // the hint is about spans that end before what is held begins
                    let before = start.as_nanos().saturating_sub(one.span.as_nanos());
                    best = best.max(Some((one.upto.min(SimTime::from_nanos(before)), place)));
                }
            }
            let Some((floor, place)) = best else { return SimTime::ZERO };
            if self.found[place].seen == self.raised {
                return floor;
            }
            self.look_again(profile, place);
        }
    }

    /// Brings a hint up to date, or forgets it if that cannot be done any more.
    fn look_again(&mut self, profile: &Profile, place: usize) {
        let one = &mut self.found[place];
        let missed = self.raised - one.seen;
        let Some(known) = (self.raises.len() as u64).checked_sub(missed) else {
            self.found.remove(place);
            return;
        };
        for raise in self.raises.range(known as usize..).filter(|raise| signed(one.procs) <= raise.most) {
            let across = profile.earliest_across((raise.from, raise.to), one.procs, one.span, one.upto);
            one.upto = across.unwrap_or(one.upto);
        }
        one.seen = self.raised;
    }

    /// Notes that there is no place before `upto`.
    pub(in crate::batch) fn note(&mut self, procs: u64, span: SimDuration, upto: SimTime) {
        let follows = |one: &SearchHint| one.procs >= procs && one.span >= span && one.upto <= upto;
        self.found.retain(|one| !follows(one));
        if self.found.len() == MOST {
            self.found.pop_front();
        }
        self.found.push_back(SearchHint { procs, span, upto, seen: self.raised });
    }

    /// Notes that the profile has been raised from one instant to another.
    pub(in crate::batch) fn raise(&mut self, profile: &Profile, from: SimTime, to: SimTime) {
        if from >= to {
            return;
        }
        if self.raises.len() == MOST_RAISES {
            self.raises.pop_front();
        }
        self.raises.push_back(Raise { from, to, most: profile.most(from, to) });
        self.raised += 1;
    }
}
