//! Times in service and out of service, drawn from distributions.
//!
//! A state is drawn for [`CYCLES`] times in and out of service, and then repeats: a run asks for
//! few of them, and a platform of a thousand hosts keeps them all.

use crate::kernel::rng::{Sampler, Stream};
use crate::kernel::{SimDuration, SimTime};

use super::trace::Trace;

/// Failures and repairs that are drawn for one host or link.
const CYCLES: usize = 256;

/// A state that is 1 for a time drawn from `up`, then 0 for one from `down`, and so on from the
/// start of the run. What lasts less than a nanosecond lasts one.
pub fn in_and_out_of_service(up: &Sampler, down: &Sampler, stream: &mut Stream) -> Trace {
    let mut points = Vec::with_capacity(2 * CYCLES);
    let (mut at, mut last) = (0_u64, SimDuration::from_nanos(1));
    'all: for _ in 0..CYCLES {
        for (law, state) in [(up, 1.0), (down, 0.0)] {
            points.push((SimTime::from_nanos(at), state));
            last = SimDuration::ceil_secs(law.draw(stream)).max(SimDuration::from_nanos(1));
            // a century: a round has to end within time
            match at.checked_add(last.as_nanos()).filter(|at| *at < 3_000_000_000_000_000_000) {
                Some(next) => at = next,
                None => break 'all,
            }
        }
    }
    let ends = points.len() < 2 * CYCLES;
    Trace::new(&points, (!ends).then_some(last)).expect("instants rise, and a round ends within time")
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "worked out by hand, and exact")]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;
    use crate::kernel::rng::distribution::{Constant, Exponential};

    fn constant(seconds: f64) -> Sampler {
        Sampler::new(Constant::new(seconds).expect("a law"))
    }

    #[test]
    fn times_in_and_out_of_service_alternate_for_ever() {
        let mut stream = Streams::new(1, 0).stream("test");
        let state = in_and_out_of_service(&constant(3.0), &constant(1.0), &mut stream);
        let at = |seconds: u64| SimTime::from_nanos(seconds * 1_000_000_000);
        assert_eq!(
            [0, 2, 3, 4, 4_002, 4_003].map(|second| state.value_at(at(second)) > 0.0),
            [true, true, false, true, true, false]
        );
        assert_eq!(state.integral(at(0), at(40_000)), 30_000.0);
        let law = Sampler::new(Exponential::new(2_000.0).expect("a law"));
        let drawn = in_and_out_of_service(&law, &constant(0.0), &mut stream);
        assert!(drawn.next_change(at(1_000_000)).is_some() && drawn.value_at(at(1_000_000)) > 0.0);
        let never = in_and_out_of_service(&constant(1e30), &constant(1.0), &mut stream);
        assert_eq!((never.value_at(SimTime::MAX), never.next_change(SimTime::ZERO)), (1.0, None));
    }
}
