//! Traces against an integrator that walks from point to point, and SimGrid's own trace files.

use clustersim_kernel::{SimDuration, SimTime};
use clustersim_platform::{Trace, read_trace};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use clustersim_testing::evidence;

const SECOND: u64 = 1_000_000_000;

/// Points, periodicity, value before the first and offset, in whole seconds and quarters.
#[derive(Clone, Debug)]
struct Plain {
    points: Vec<(u64, f64)>,
    periodicity: Option<u64>,
    before: f64,
    offset: u64,
}

impl Plain {
    /// The value in the second that begins at `second`, by counting the rounds one by one.
    fn value(&self, second: u64) -> f64 {
        let mut own = second + self.offset;
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else { return self.before };
        if own < first.0 {
            return self.before;
        }
        if let Some(periodicity) = self.periodicity {
            while own >= last.0 + periodicity {
                own -= last.0 + periodicity - first.0;
            }
        }
        self.points.iter().rev().find(|(time, _)| *time <= own).expect("after the first").1
    }

    fn trace(&self) -> Trace {
        let at = |&(time, value): &(u64, f64)| (SimTime::from_nanos(time * SECOND), value);
        let points: Vec<(SimTime, f64)> = self.points.iter().map(at).collect();
        let trace = Trace::new(&points, self.periodicity.map(SimDuration::from_secs)).unwrap();
        trace.before(self.before).offset(SimDuration::from_secs(self.offset))
    }
}

fn plain() -> impl Strategy<Value = Plain> {
    let value = (0_u8..5).prop_map(|quarters| f64::from(quarters) / 4.0);
    let points = prop::collection::vec((1_u64..6, value.clone()), 1..7);
    (points, prop::option::of(1_u64..6), value, 0_u64..40).prop_map(|(steps, periodicity, before, offset)| {
        let mut time = 0;
        let points = steps.into_iter().map(|(step, value)| {
            time += step;
            (time, value)
        });
        Plain { points: points.collect(), periodicity, before, offset }
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        rng_seed: RngSeed::Fixed(20_261_122),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Value, integral, next change and finish, second by second over 200 s.
    #[test]
    fn a_trace_is_what_walking_along_it_gives(plain in plain(), from in 0_u64..60, quarters in 1_u32..120) {
        let trace = plain.trace();
        let secs = |secs: u64| SimTime::from_nanos(secs * SECOND);
        let work = f64::from(quarters) / 4.0;
        let mut done = 0.0;
        let mut finished = None;
        for second in from..from + 200 {
            let value = plain.value(second);
            prop_assert_eq!(trace.value_at(secs(second)).to_bits(), value.to_bits(), "at {}", second);
            prop_assert_eq!(trace.integral(secs(from), secs(second)).to_bits(), f64::to_bits(done));
            let next = trace.next_change(secs(second));
            if plain.value(second + 1).to_bits() == value.to_bits() {
                prop_assert!(next.is_none_or(|next| next >= secs(second + 1)));
            } else {
                prop_assert_eq!(next, Some(secs(second + 1)));
            }
            if done + value >= work && finished.is_none() {
                finished = Some(secs(second) + SimDuration::ceil_secs((work - done) / value));
            }
            done += value;
        }
        // everything is a quarter, so that sums are exact
        let found = trace.finish(secs(from), work);
        if let Some(finished) = finished {
            let near = found.unwrap().as_nanos().abs_diff(finished.as_nanos());
            prop_assert!(near <= 1, "{:?} and not {:?}", found, finished);
        } else {
            prop_assert!(found.is_none_or(|found| found >= secs(from + 200)));
        }
    }
}

#[test]
fn the_trace_files_of_simgrid_are_read() {
    let Some(folder) = evidence::needed("platforms/simgrid/profiles") else { return };
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let trace = read_trace(&std::fs::read_to_string(&path).unwrap());
        assert!(trace.is_ok(), "{}: {:?}", path.display(), trace.err());
    }
}
