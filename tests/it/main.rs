//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod analytic;
mod kernel;
