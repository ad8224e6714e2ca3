//! Results of searches of a profile, so that the next search need not repeat them.
//!
//! Whoever has looked for `procs` processors for `span` and found them at an instant has shown that
//! there is no place before it for any job that needs as many, or more, for as long, or longer.
//! That stays true while the profile is lowered. Where it is raised, all is to be forgotten.
//!
//! # Complexity
//! A floor costs a comparison for each of the [`MOST`] hints.

use std::collections::VecDeque;

use crate::kernel::{SimDuration, SimTime};

/// Before an instant there is no place for `procs` processors for `span`.
#[derive(Clone, Copy, Debug)]
struct SearchHint {
    procs: u64,
    span: SimDuration,
    upto: SimTime,
}

/// Hints that are kept at most: the last ones.
const MOST: usize = 32;

/// The last hints, of which none follows from another.
#[derive(Clone, Debug, Default)]
pub(in crate::batch) struct SearchHints {
    found: VecDeque<SearchHint>,
}

impl SearchHints {
    /// Forgets all.
    pub(in crate::batch) fn clear(&mut self) {
        self.found.clear();
    }

    /// An instant before which no start need be looked for.
    pub(in crate::batch) fn floor(&self, procs: u64, span: SimDuration) -> SimTime {
        let hints = self.found.iter().filter(|one| one.procs <= procs && one.span <= span);
        hints.map(|one| one.upto).max().unwrap_or(SimTime::ZERO)
    }

    /// Notes that there is no place before `upto`.
    pub(in crate::batch) fn note(&mut self, procs: u64, span: SimDuration, upto: SimTime) {
        let follows = |one: &SearchHint| one.procs >= procs && one.span >= span && one.upto <= upto;
        self.found.retain(|one| !follows(one));
        if self.found.len() == MOST {
            self.found.pop_front();
        }
        self.found.push_back(SearchHint { procs, span, upto });
    }
}
