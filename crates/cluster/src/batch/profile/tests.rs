//! The profile by hand and against a plain step function.

use proptest::prelude::*;

use crate::batch::running::Running;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::*;

fn at(secs: u64) -> SimTime {
    SimTime::from_nanos(secs * 1_000_000_000)
}

fn secs(secs: u64) -> SimDuration {
    SimDuration::from_secs(secs)
}

fn profile() -> Profile {
    let mut running = Running::new();
    running.insert(JobId(0), 4, at(10));
    running.insert(JobId(1), 2, at(20));
    running.insert(JobId(2), 1, at(20));
    Profile::new(at(0), 3, &running, secs(0))
}

#[test]
fn a_job_fits_where_its_whole_span_is_free() {
    let mut profile = profile();
    let earliest = |profile: &Profile, procs, span| profile.earliest(procs, secs(span), at(0), SimTime::MAX);
    assert_eq!(earliest(&profile, 3, 100), Some(at(0)));
    assert_eq!(earliest(&profile, 4, 100), Some(at(10)));
    assert_eq!(earliest(&profile, 10, 100), Some(at(20)));
    assert_eq!(earliest(&profile, 11, 1), None);
    profile.reserve(at(10), secs(15), 7);
    assert_eq!(earliest(&profile, 3, 10), Some(at(0)));
    assert_eq!(earliest(&profile, 3, 11), Some(at(20)));
    assert_eq!(earliest(&profile, 4, 1), Some(at(25)));
    assert!(profile.holds(3, at(0), secs(10)) && !profile.holds(3, at(0), secs(11)));
    profile.release(at(10), at(25), 7);
    assert_eq!(profile.len(), 3, "steps that are equal again are joined");
}

#[test]
fn a_job_that_moves_forward_does_not_obstruct_itself() {
    let mut profile = profile();
    profile.reserve(at(20), secs(30), 10);
    assert_eq!(profile.earlier(7, secs(30), at(0), at(20)), Some(at(10)));
    assert_eq!(profile.earlier(8, secs(30), at(0), at(20)), None);
    profile.release(at(20), at(50), 3);
    profile.move_forward(at(20), at(10), secs(30), 7);
    assert_eq!((profile.at(at(10)), profile.at(at(20)), profile.at(at(40))), (0, 3, 10));
}

/// A plain step function: what is free in each of a row of units of time, and for ever behind them.
#[derive(Clone, Debug)]
struct Plain {
    free: Vec<i64>,
}

const UNITS: u64 = 400;

impl Plain {
    fn change(&mut self, from: u64, to: u64, by: i64) {
        for unit in from..to {
            self.free[unit as usize] += by;
        }
    }

    fn earliest(&self, procs: i64, span: u64, from: u64, before: u64) -> Option<u64> {
        let last = self.free.len() as u64 - 1;
        let free = |unit: u64| self.free[unit.min(last) as usize];
        (from..before.min(2 * UNITS)).find(|&start| (start..start + span).all(|unit| free(unit) >= procs))
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Change { from: u64, span: u64, by: i64 },
    Advance(u64),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let change =
        (0..UNITS - 60, 1_u64..60, -4_i64..5).prop_map(|(from, span, by)| Op::Change { from, span, by });
    let advance = (0_u64..4).prop_map(Op::Advance);
    prop::collection::vec(prop_oneof![12 => change, 1 => advance], 0..500)
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(96))]
    #[test]
    fn the_profile_is_the_plain_step_function(
        ops in ops(),
        asked in prop::collection::vec((0_u64..14, 1_u64..90, 0..UNITS, 1..UNITS), 40),
    ) {
        let mut profile = Profile::idle(at(0), 9);
        let mut plain = Plain { free: vec![9; UNITS as usize + 1] };
        let (mut now, mut covered) = (0, Vec::new());
        for op in ops {
            match op {
                Op::Change { from, span, by } => {
                    let from = from.max(now);
                    covered.push(profile.steps.place(at(from)));
                    let to = (from + span).min(UNITS);
                    profile.change(at(from), at(to), by);
                    plain.change(from, to, by);
                }
                Op::Advance(by) => {
                    now += by;
                    profile.advance(at(now));
                }
            }
        }
        let units = now..=UNITS;
        for unit in units.clone() {
            prop_assert_eq!(profile.at(at(unit)), plain.free[unit as usize]);
        }
        let changes = units.clone().skip(1).filter(|&unit| plain.free[unit as usize] != plain.free[unit as usize - 1]);
        prop_assert_eq!(profile.len(), 1 + changes.count());
        // steps that covered some instant, of which some are gone
        let covered = covered.into_iter().chain([StepId::NONE]).cycle();
        for ((procs, span, from, more), known) in asked.into_iter().zip(covered) {
            let (from, before) = (from.max(now), from.max(now) + more);
            let found = profile.earliest(procs, secs(span), at(from), at(before));
            let expected = plain.earliest(signed(procs), span, from, before).map(at);
            prop_assert_eq!(found, expected);
            let near = profile.search_near(known, procs, secs(span), at(from), (at(before), SimTime::MAX));
            prop_assert_eq!(near, expected);
        }
    }
}
