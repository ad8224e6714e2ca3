//! Fidelity: how far the schedule of a simulation is from the one that the replayed log records.
//!
//! ```text
//! a system ──▶ ReplayedJob (recorded and simulated wait, one a job) ─┐
//!          ──▶ ReplayFacts (machine, counts, names)                  ├─▶ FidelityAccount
//! [fidelity] ──▶ FidelityRules (edges, bounds of the words) ─────────┘
//! FidelityAccount ──▶ terminal, JSON, page
//! ```
//!
//! Nothing is fitted, and no parameter is looked for: the scenario is taken as it is. A wait counts
//! from the instant at which the job could start for the first time, where the log has it, else
//! from its submission. Jobs whose waits begin in the first or the last `edge` of the log are left
//! out: the machine fills there, and empties. Weeks are counted from the start of the log.
//!
//! Quantiles are nearest-rank and exact. A job is within the time if its two waits differ by no
//! more, and within the factor if the longer wait is at most so many times the shorter one; a wait
//! of zero is within a factor of zero alone. Kendall's τ-b compares the order of recorded and
//! simulated starts among the jobs of one week; of several weeks the pairs are pooled, so no pair
//! crosses a boundary. Jobs of one week are not independent of each other, so intervals come from
//! whole weeks that are drawn with replacement (95 %, percentiles of 1,000 draws), none for fewer
//! than eight weeks, and there is no test over jobs.
//!
//! Sources: M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33(3), 1945
//! (τ-b); W. R. Knight, JASA 61, 1966 (in n log n); B. Efron, R. J. Tibshirani, An Introduction to
//! the Bootstrap, 1993, chapters 8 and 13 (blocks, percentiles).

mod account;
mod compared;
mod json;
mod kendall;
mod replayed;
mod resamples;
mod rules;
#[cfg(test)]
pub(crate) mod tests;

pub use account::{CauseShare, FidelityAccount, FidelityGroup, FidelityGrouping, LeftOut, WithoutCauses};
pub use compared::{ComparedWaits, WaitFigure};
pub use kendall::OrderedPairs;
pub use replayed::{ErrorCause, ErrorCauses, ReplayFacts, ReplayNames, ReplayedJob};
pub use resamples::WeekResamples;
pub use rules::{FIDELITY, FidelityRules, FidelityWord, ReplayMachine, WordBounds};
