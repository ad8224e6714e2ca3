//! `clustersim`: a process-oriented discrete-event simulator for scheduling research.
//!
//! The modules are listed bottom-up; a module imports only from the ones above it in this list
//! (`tests/it/layers.rs` holds the layers and fails on an import that points up or sideways).

pub mod collections;
pub mod ids;
pub mod text;
pub mod units;

pub mod kernel;

pub mod registry;

pub mod output;

pub mod workload;

pub mod check;
pub mod import;

pub mod batch;
pub mod platform;

pub mod instrument;

pub mod agent;
pub mod node;

pub mod policy;

pub mod scenario;

pub mod report;

pub mod system;

pub mod study;

pub mod cli;

/// The programs of the chapter on agents, which are run as doc tests are.
#[cfg(doctest)]
#[doc = include_str!("../docs/agents.md")]
pub struct ChapterOnAgents;

/// The programs of the chapter on policies, which are run as doc tests are.
#[cfg(doctest)]
#[doc = include_str!("../docs/policies.md")]
pub struct ChapterOnPolicies;
