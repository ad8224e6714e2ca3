//! The bare event loop that every figure is a ratio to: pop an event, draw an exponential variate,
//! push the next event.
//!
//! It uses the kernel's own event-list structures, the better one at each size, and no process.

use std::cell::Cell;
use std::hint::black_box;
use std::time::Instant;

use clustersim_kernel::event_list::{EventKey, EventList, ListKind, Phase, QuaternaryHeap, RadixRuns};
use clustersim_kernel::{SimDuration, SimTime};

/// SplitMix64: one word of state, shared by all processes of a run.
pub(crate) struct Source(Cell<u64>);

impl Source {
    pub(crate) fn new() -> Self {
        Source(Cell::new(42))
    }

    #[inline]
    pub(crate) fn unit(&self) -> f64 {
        let state = self.0.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.0.set(state);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((z >> 11) + 1) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// Exponential with this mean, in nanoseconds.
    #[inline]
    pub(crate) fn exponential(&self, mean: f64) -> SimDuration {
        SimDuration::from_nanos((-self.unit().ln() * mean) as u64)
    }
}

/// Operations per second of one run.
pub(crate) type Rate = f64;

pub(crate) fn timed(operations: u64, work: impl FnOnce()) -> Rate {
    let start = Instant::now();
    work();
    operations as f64 / start.elapsed().as_secs_f64()
}

/// Pop, draw, push on a structure given by its two operations.
macro_rules! bare {
    ($list:expr, $n:expr, $operations:expr) => {{
        let source = Source::new();
        let mut list = $list;
        for i in 0..$n {
            let at = SimTime::ZERO + source.exponential(1e9);
            list.push(EventKey::new(at, Phase::Events, i, i as u32));
        }
        let mut sequence = $n;
        timed($operations, || {
            for _ in 0..$operations {
                let key = list.pop().expect("as many pushes as pops");
                sequence += 1;
                list.push(EventKey::new(
                    key.time() + source.exponential(1e9),
                    Phase::Events,
                    sequence,
                    black_box(key.target()),
                ));
            }
        })
    }};
}

pub(crate) fn bare_heap(n: u64, operations: u64) -> Rate {
    bare!(QuaternaryHeap::new(), n, operations)
}

pub(crate) fn bare_runs(n: u64, operations: u64) -> Rate {
    bare!(RadixRuns::new(), n, operations)
}

pub(crate) fn bare_adaptive(n: u64, operations: u64) -> Rate {
    bare!(EventList::new(ListKind::Adaptive), n, operations)
}

/// The bare loop over the better list for `n` pending events.
pub(crate) fn bare_best(n: u64, operations: u64) -> Rate {
    bare_heap(n, operations).max(bare_runs(n, operations))
}

pub(crate) fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
