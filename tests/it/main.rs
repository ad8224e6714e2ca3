//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod analytic;
mod cli;
mod cluster;
mod conformance;
mod determinism;
mod diagnostics;
mod fuzz_corpus;
mod house;
mod kernel;
mod layers;
mod program;
mod readme;
mod reference;
mod space_sharing;
mod telling;
mod wrong_input;
