//! Simulated systems against theory, and the same run again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod analytic;
mod coverage;
mod determinism;
