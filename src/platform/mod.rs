//! Platforms: hosts and links whose speed changes over time.
//!
//! [`Trace`] is a value that changes at given times, for availability, bandwidth and latency. Times are whole nanoseconds;
//! amounts, rates and shares are `f64` in whatever units the user counts in.

pub mod sharing;
mod trace;
mod trace_file;

pub use trace::{Trace, WrongTrace};
pub use trace_file::{read_trace, read_trace_csv};
