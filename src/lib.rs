//! `clustersim`: a process-oriented discrete-event simulator for scheduling research.
//!
//! This package is the program and the public interface of the crates in `crates/`. Each module
//! lists what it takes from them: all that a component, a system or a simulation of one's own
//! needs, and every type that stands in a signature of these. Nothing else is promised; a test
//! holds the list (`crates/testing/tests/house/facade.rs`).
//!
//! | for | modules |
//! |---|---|
//! | any simulation | [`kernel`] |
//! | components | [`registry`], [`text`], [`units`], [`ids`], [`collections`] |
//! | systems | [`scenario`], [`output`], [`measure`], [`report`], [`check`], [`dialogue`] |
//! | programs | [`cli`], [`system`] |
//! | hosts, links, graphs, jobs | [`platform`], [`workflow`], [`forecast`], [`workload`] |
//! | policies | [`policy`], [`batch`], [`node`], [`instrument`] |
//! | schedulers of graphs, sweeps, calls; agents | [`dag`], [`sweep`], [`brokers`], [`agents`] |
//!
//! The [`kernel`] stands alone: `default-features = false` builds nothing else, for a simulation
//! that is a program of its own (`docs/kernel.md`). The feature `simulator`, on by default, is all
//! five systems; each of them is a feature of its own (`cluster`, `dag`, `sweep`, `brokers`,
//! `agents`) that brings the language, the command line and nothing of the others.

pub use clustersim_kernel as kernel;

#[cfg(feature = "floor")]
pub mod check;
#[cfg(feature = "floor")]
pub mod cli;
#[cfg(feature = "floor")]
pub mod collections;
#[cfg(feature = "floor")]
pub mod dialogue;
#[cfg(feature = "floor")]
pub mod fidelity;
#[cfg(feature = "floor")]
pub mod ids;
#[cfg(feature = "floor")]
pub mod measure;
#[cfg(feature = "floor")]
pub mod output;
#[cfg(feature = "floor")]
pub mod platform;
#[cfg(feature = "floor")]
pub mod registry;
#[cfg(feature = "floor")]
pub mod report;
#[cfg(feature = "floor")]
pub mod scenario;
#[cfg(feature = "floor")]
pub mod text;
#[cfg(feature = "floor")]
pub mod units;
#[cfg(feature = "floor")]
pub mod workload;

#[cfg(feature = "agents")]
pub mod agents;

#[cfg(feature = "brokers")]
pub mod brokers;

#[cfg(feature = "cluster")]
pub mod batch;
#[cfg(feature = "cluster")]
pub mod instrument;
#[cfg(feature = "cluster")]
pub mod node;
#[cfg(feature = "cluster")]
pub mod policy;

#[cfg(feature = "dag")]
pub mod dag;

#[cfg(feature = "sweep")]
pub mod sweep;

#[cfg(any(feature = "brokers", feature = "dag", feature = "sweep"))]
pub mod forecast;
#[cfg(any(feature = "dag", feature = "sweep"))]
pub mod workflow;

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

/// The program of the chapter on features of a site, which is run as doc tests are.
#[cfg(all(doctest, feature = "simulator"))]
#[doc = include_str!("../docs/features.md")]
pub struct ChapterOnFeatures;

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
