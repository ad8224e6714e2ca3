//! Agents and flows on a platform, by the program and its public interface.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod agent_examples;
mod agent_scenarios;
mod agent_studies;
mod agents_chapter;
mod deployments;
mod given_flows;
mod own_role;
