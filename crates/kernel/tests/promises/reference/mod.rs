//! Random programs on the kernel and on a slow executor written for this test.
//!
//! The slow one (`slow`) has no futures, no wakers and no event list: programs are data, an
//! interpreter steps through them, everything pending is one sorted vector of (time, phase,
//! sequence), and every line is a plain vector. It was written from `docs/design/determinism.md`
//! and the documentation of the primitives. What is compared is the whole journal: every resumption
//! of every process, and what each wait came to, with its time and in its order.

mod lines;
mod program;
mod real;
mod slow;

use clustersim_kernel::event_list::ListKind;
use proptest::prelude::*;

use program::{Outcome, UNITS};
use real::Setup;

/// When the reaper comes: later than any program can run by itself.
const REAPING: u64 = 100_000;

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Happened {
    Resumed,
    Awaited(Vec<Outcome>),
    Ended,
}

/// What is left in the world after a run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Left {
    sent: u64,
    received: u64,
    messages: usize,
    occurred: [bool; program::KINDS],
    busy: usize,
    available: [u64; program::KINDS],
    buffer: (u64, u64),
    waiting: usize,
}

/// What there is to compare of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    journal: Vec<(u64, usize, Happened)>,
    /// Names of the processes in a deadlock.
    blocked: Vec<String>,
    left: Left,
}

impl Left {
    /// Nothing is lost: whatever was taken is back, and every message was received or is still
    /// there.
    fn assert_whole(&self) {
        assert_eq!(self.sent, self.received + self.messages as u64, "{self:?}");
        assert_eq!((self.busy, self.waiting), (0, 0), "{self:?}");
        assert_eq!(self.available, [UNITS; 2], "{self:?}");
        assert_eq!(self.buffer.0 + self.buffer.1, UNITS, "{self:?}");
    }
}

const USUAL: Setup = Setup { list: ListKind::Adaptive, sequence_limit: None };

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_kernel_does_what_the_slow_executor_does(programs in program::programs(), reap: bool, limit in 12..60_u64) {
        let (real, digest) = real::execute(&programs, reap, USUAL);
        let slow = slow::execute(&programs, reap);
        prop_assert_eq!(&real.journal, &slow.journal);
        prop_assert_eq!(&real, &slow);
        real.left.assert_whole();
        for list in [ListKind::Heap, ListKind::Runs, ListKind::Adaptive] {
            prop_assert_eq!(&real::execute(&programs, reap, Setup { list, ..USUAL }), &(real.clone(), digest));
        }
        let often = Setup { sequence_limit: Some(limit), ..USUAL };
        prop_assert_eq!(&real::execute(&programs, reap, often), &(real, digest));
    }
}
