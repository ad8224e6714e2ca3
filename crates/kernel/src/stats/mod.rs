//! Statistics of a run, as data structures that take the time as an argument and know no executor.
//!
//! | Question | Answer |
//! |---|---|
//! | mean and spread of observations | [`Table`]; of times, summed exactly: [`DurationTable`] |
//! | mean of a level over time | [`TimeWeighted`] |
//! | how observations are spread | [`Histogram`], [`LogLinear`], [`Quantiles`] |
//! | does the number inside agree with the times inside | [`StationLog`] |
//! | error of a mean over replications, or of paired differences | [`ConfidenceInterval`] |
//! | error of a mean within a run | [`BatchMeans`] |
//! | what do replications say in a few figures | [`Summary`] |
//! | is a difference more than chance, among many | [`student_two_sided`], [`holm`] |
//! | what of the beginning to leave out | [`WarmUp`], [`mser5`], [`Mser5`] |
//! | does the beginning still show | [`InitialBias`] |
//! | when is a run long enough | [`RunLength`] towards a [`Precision`] |
//!
//! Sums of time are whole nanoseconds in 128 bits and become a real number once, in [`ratio`]. A
//! statistic without observations is `None`, never zero.

mod batch_means;
mod histogram;
mod holm;
mod initial_bias;
mod interval;
mod little;
mod precision;
mod quantiles;
mod ratio;
mod replications;
mod student;
mod table;
mod time_weighted;
mod warm_up;

pub use batch_means::BatchMeans;
pub use histogram::{Histogram, LogLinear};
pub use holm::holm;
pub use initial_bias::{BiasBatches, InitialBias};
pub use interval::ConfidenceInterval;
pub use little::{StationLog, Visit};
pub use precision::{Precision, RunLength, Verdict};
pub use quantiles::{Quantiles, nearest_rank};
pub use ratio::ratio;
pub use replications::{CONFIDENCE, Summary};
pub use student::{student_quantile, student_two_sided};
pub use table::{DurationTable, Table};
pub use time_weighted::TimeWeighted;
pub use warm_up::{Mser5, WarmUp, mser5};
