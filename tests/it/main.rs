//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod analytic;
mod cluster;
mod conformance;
mod determinism;
mod fuzz_corpus;
mod kernel;
mod layers;
mod reference;
mod space_sharing;
