//! Calls to servers, by the program and its public interface.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod broker_model;
mod broker_outputs;
mod broker_studies;
#[cfg(unix)]
mod foreign_programs;
mod global_computing;
mod own_brokers;
mod replay;
#[cfg(unix)]
mod started_programs;
