//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cluster;
mod kernel;
mod reference;
mod space_sharing;
