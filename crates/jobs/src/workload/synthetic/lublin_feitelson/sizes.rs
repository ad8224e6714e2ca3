//! Sizes: serial, a power of two, or anything; the logarithm is uniform in two stages.
//!
//! Source: Lublin and Feitelson, section 4.

use crate::kernel::rng::{Stream, math};

/// The sizes of a class on a machine. Three draws each, whatever comes out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// The probability of a serial job.
    pub(super) serial: f64,
    /// The probability of a power of two.
    pub(super) powers: f64,
    /// Start of the first stage, start of the second, and end of that [log2 of
    /// processors].
    pub(super) stages: [f64; 3],
    /// The probability of the first stage.
    pub(super) first: f64,
    /// Processors of the machine.
    pub(super) procs: u32,
}

impl Sizes {
    pub(super) fn draw(&self, stream: &mut Stream) -> u32 {
        let [kind, stage, within] = [stream.uniform01(), stream.uniform01(), stream.uniform01()];
        let [low, medium, high] = self.stages;
        let (from, to) = if stage < self.first { (low, medium) } else { (medium, high) };
        let exponent = from + (to - from) * within;
        if kind < self.serial {
            1
        } else if kind < self.serial + self.powers {
            // a power beyond the machine is the largest within it
            let power = (exponent + 0.5).floor().clamp(0.0, f64::from(self.procs.ilog2()));
            1 << power as u32
        } else {
            ((math::exp2(exponent) + 0.5).floor() as u32).clamp(1, self.procs)
        }
    }
}
