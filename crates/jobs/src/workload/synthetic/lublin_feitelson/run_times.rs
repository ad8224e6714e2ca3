//! Run times and gaps: the logarithm is of a gamma law, cut where no such time was seen.
//!
//! Source: Lublin and Feitelson, sections 5 (run times, correlated with size) and 6 (gaps in busy
//! hours).

use rand::distr::Distribution;

use crate::kernel::rng::distribution::Gamma;
use crate::kernel::rng::{Stream, math};

/// Times whose natural logarithm is of a gamma law and at most `limit`; longer ones are drawn
/// again.
#[derive(Clone, Debug)]
pub(super) struct LogGamma {
    pub(super) law: Gamma,
    pub(super) limit: f64,
}

/// The share of draws below the limit that a law must have at least, so that drawing again comes to
/// an end.
pub(super) const LEAST_BELOW: f64 = 0.01;

impl LogGamma {
    /// The next time [s].
    pub(super) fn draw(&self, stream: &mut Stream) -> f64 {
        loop {
            let logarithm = self.law.sample(stream);
            if logarithm <= self.limit {
                return math::exp(logarithm);
            }
        }
    }
}

/// Run times: short ones, or long ones the oftener the larger the job.
#[derive(Clone, Debug)]
pub(super) struct RunTimes {
    pub(super) short: LogGamma,
    pub(super) long: LogGamma,
    /// The probability of a short run time is `intercept + slope × processors`, within 0 and 1.
    pub(super) slope: f64,
    pub(super) intercept: f64,
}

impl RunTimes {
    /// The probability that a job of this size is short.
    pub(super) fn short_share(&self, procs: u32) -> f64 {
        (self.intercept + self.slope * f64::from(procs)).clamp(0.0, 1.0)
    }

    /// The next run time of a job of this size [s].
    pub(super) fn draw(&self, procs: u32, stream: &mut Stream) -> f64 {
        let share = self.short_share(procs);
        loop {
            // what is too long is drawn again from the mixture, not from the law it came from
            let law = if stream.uniform01() < share { &self.short } else { &self.long };
            let logarithm = law.law.sample(stream);
            if logarithm <= law.limit {
                return math::exp(logarithm);
            }
        }
    }
}
