//! What all programs share: the workloads' sizes, the random numbers, and the line that each
//! prints.
//!
//! A program is called as `PROGRAM WORKLOAD SIZE OPERATIONS` and prints `EVENTS SECONDS CHECK`: how
//! many operations were simulated, how long that took from the empty simulation to the end of the
//! run, and a figure of the result, which two programs that do the same share to the last few
//! digits.
//!
//! | workload | model | check |
//! |---|---|---|
//! | `hold` | SIZE processes hold for exponential times, OPERATIONS times together | mean instant at which they end |
//! | `mm1` | OPERATIONS customers, each a process, at one server with load 0.9 | mean time in the system |
//! | `ring` | SIZE processes in a ring: hold, send to the next, receive; OPERATIONS rounds together | end of the run |

use std::time::Instant;

/// SplitMix64: every process has a generator of its own, so that no order of events matters to what
/// is drawn.
pub struct Source(pub u64);

impl Source {
    /// The generator of a process.
    pub fn new(process: u64) -> Self {
        Source(process.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(42))
    }

    /// Exponential with this mean.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        -(((z >> 11) + 1) as f64 * (1.0 / 9_007_199_254_740_992.0)).ln() * mean
    }
}

/// Mean time between arrivals, and of a service, in M/M/1.
pub const INTERVAL: f64 = 1.0;
/// See [`INTERVAL`].
pub const SERVICE: f64 = 0.9;

/// What a simulated workload came to.
#[derive(Default)]
pub struct Outcome {
    /// Operations that were simulated: holds, customers served, messages received.
    pub events: u64,
    /// A figure of the result.
    pub check: f64,
}

/// A workload of `size` processes, each of which does `each` operations.
pub type Workload = fn(size: u64, each: u64) -> Outcome;

/// Runs the workload that the command line names.
pub fn main(hold: Workload, mm1: Workload, ring: Workload) {
    let args: Vec<String> = std::env::args().collect();
    let number = |at: usize| args[at].parse::<u64>().expect("a number");
    let (size, operations) = (number(2), number(3));
    let workload = match args[1].as_str() {
        "hold" => hold,
        "mm1" => mm1,
        "ring" => ring,
        other => panic!("no workload {other}"),
    };
    let begun = Instant::now();
    let outcome = workload(size, operations / size);
    println!("{} {:.6} {:.6}", outcome.events, begun.elapsed().as_secs_f64(), outcome.check);
}
