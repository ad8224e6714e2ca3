//! `clustersim`: a process-oriented discrete-event simulator for scheduling research.
//!
//! The modules are listed bottom-up; a module imports only from the ones above it in this list
//! (`tests/it/layers.rs` holds the layers and fails on an import that points up or sideways).
//!
//! The [`kernel`] stands alone: `default-features = false` builds nothing else, for a simulation
//! that is a program of its own (`docs/kernel.md`). All other modules belong to the feature
//! `simulator`, which is on by default.

#[cfg(feature = "simulator")]
pub mod collections;
#[cfg(feature = "simulator")]
pub mod ids;
#[cfg(feature = "simulator")]
pub mod text;
#[cfg(feature = "simulator")]
pub mod units;

pub mod kernel;

#[cfg(feature = "simulator")]
pub mod registry;

#[cfg(feature = "simulator")]
pub mod dialogue;
#[cfg(feature = "simulator")]
pub mod distribution;
#[cfg(feature = "simulator")]
pub mod output;

#[cfg(feature = "simulator")]
pub mod forecast;
#[cfg(feature = "simulator")]
pub mod measure;
#[cfg(feature = "simulator")]
pub mod rows;
#[cfg(feature = "simulator")]
pub mod workflow;
#[cfg(feature = "simulator")]
pub mod workload;

#[cfg(feature = "simulator")]
pub mod check;
#[cfg(feature = "simulator")]
pub mod import;

#[cfg(feature = "simulator")]
pub mod scenario;

#[cfg(feature = "simulator")]
pub mod report;

#[cfg(feature = "simulator")]
pub mod batch;
#[cfg(feature = "simulator")]
pub mod platform;

#[cfg(feature = "simulator")]
pub mod instrument;

#[cfg(feature = "simulator")]
pub mod agent;
#[cfg(feature = "simulator")]
pub mod broker;
#[cfg(feature = "simulator")]
pub mod dag;
#[cfg(feature = "simulator")]
pub mod node;
#[cfg(feature = "simulator")]
pub mod sweep;

#[cfg(feature = "simulator")]
pub mod policy;

#[cfg(feature = "simulator")]
pub mod system;

#[cfg(feature = "simulator")]
pub mod study;

#[cfg(feature = "simulator")]
pub mod cli;

/// The programs of the chapter on agents, which are run as doc tests are.
#[cfg(all(doctest, feature = "simulator"))]
#[doc = include_str!("../docs/agents.md")]
pub struct ChapterOnAgents;

/// The programs of the chapter on policies, which are run as doc tests are.
#[cfg(all(doctest, feature = "simulator"))]
#[doc = include_str!("../docs/policies.md")]
pub struct ChapterOnPolicies;

/// The program of the chapter on task graphs, which is run as doc tests are.
#[cfg(all(doctest, feature = "simulator"))]
#[doc = include_str!("../docs/dags.md")]
pub struct ChapterOnTaskGraphs;

/// The program of the chapter on parameter sweeps, which is run as doc tests are.
#[cfg(all(doctest, feature = "simulator"))]
#[doc = include_str!("../docs/parameter-sweeps.md")]
pub struct ChapterOnParameterSweeps;

/// Rust of the chapter on global computing.
#[cfg(all(doctest, feature = "simulator"))]
#[doc = include_str!("../docs/global-computing.md")]
pub struct ChapterOnGlobalComputing;

/// The programs of the chapter on the kernel, which are run as doc tests are.
#[cfg(doctest)]
#[doc = include_str!("../docs/kernel.md")]
pub struct ChapterOnKernel;

/// The program of the README, which is run as doc tests are.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
