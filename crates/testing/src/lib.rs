//! Helpers of the tests of all packages: a place where the program runs, files of others, the
//! sources, and chapters of the manual.
//!
//! The crate knows no other crate of the workspace, so that every crate can use it in its tests
//! without a circle. Its own tests (`tests/house`) hold the rules of the house: they read the
//! sources, and nothing else is compiled for them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

pub mod chapters;
pub mod evidence;
pub mod program;
pub mod sources;
pub mod trace;
