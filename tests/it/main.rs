//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cluster;
mod conformance;
mod determinism;
mod fuzz_corpus;
mod house;
mod kernel;
mod layers;
mod readme;
mod reference;
mod space_sharing;
