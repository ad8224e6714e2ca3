//! `clustersim`: a process-oriented discrete-event simulator for scheduling research.
//!
//! This package is the program and the public interface of the crates in `crates/`, bottom-up:
//!
//! | crate | modules here |
//! |---|---|
//! | `kernel` | [`kernel`] |
//! | `language` | [`collections`], [`ids`], [`text`], [`units`], [`registry`], [`distribution`] |
//! | `experiment` | [`output`], [`dialogue`], [`measure`], [`rows`], [`check`], [`scenario`] |
//! | | [`report`], [`study`] |
//! | `platform`, `workflow` | [`platform`], [`workflow`] |
//! | `forecast`, `jobs` | [`forecast`], [`workload`], [`import`] |
//! | `cli` | [`cli`] |
//! | `cluster` | [`batch`], [`node`], [`instrument`], [`policy`], [`system::cluster`] |
//! | `dag`, `sweep` | [`dag`], [`sweep`], [`system`] |
//! | `brokers`, `agents` | [`brokers`], [`agents`], [`system`] |
//!
//! A crate imports only from the rows above its own, and the five systems know neither each other
//! nor the command line. Inside a crate, its `lib.rs` lists the modules bottom-up
//! (`crates/testing/tests/house/layers.rs`).
//!
//! The [`kernel`] stands alone: `default-features = false` builds nothing else, for a simulation
//! that is a program of its own (`docs/kernel.md`). The feature `simulator`, on by default, is all
//! five systems; each of them is a feature of its own (`cluster`, `dag`, `sweep`, `brokers`,
//! `agents`) that brings the language, the command line and nothing of the others.

pub use clustersim_kernel as kernel;

#[cfg(feature = "floor")]
pub use clustersim_cli as cli;
#[cfg(feature = "floor")]
pub use clustersim_experiment::{dialogue, measure, output, report, scenario, study};
#[cfg(feature = "floor")]
pub use clustersim_jobs::{import, workload};
#[cfg(feature = "floor")]
pub use clustersim_language::{collections, distribution, ids, registry, text, units};
#[cfg(feature = "floor")]
pub use clustersim_platform as platform;

#[cfg(feature = "agents")]
pub use clustersim_agents as agents;
#[cfg(feature = "brokers")]
pub use clustersim_brokers as brokers;
#[cfg(feature = "cluster")]
pub use clustersim_cluster::{batch, instrument, node, policy};
#[cfg(feature = "dag")]
pub use clustersim_dag as dag;
#[cfg(any(feature = "brokers", feature = "dag", feature = "sweep"))]
pub use clustersim_forecast as forecast;
#[cfg(feature = "sweep")]
pub use clustersim_sweep as sweep;
#[cfg(any(feature = "dag", feature = "sweep"))]
pub use clustersim_workflow as workflow;

#[cfg(feature = "floor")]
pub mod check;
#[cfg(feature = "floor")]
pub mod rows;
#[cfg(feature = "floor")]
pub mod system;

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
