//! Jobs on a cluster: how they are scheduled in space and time, the nodes that run them, the judge
//! of their runs, and the system that a scenario names.
//!
//! The modules are listed bottom-up, a layer a paragraph. Public items are those of the package
//! `clustersim`; this crate is a part of it and promises nothing by itself.

pub mod rows;

pub mod judge;

pub mod batch;

pub mod instrument;

pub mod node;

pub mod policy;

pub mod system;

pub(crate) use clustersim_experiment::{check, fidelity, measure, output, scenario};
pub(crate) use clustersim_jobs::{import, workload};
pub(crate) use clustersim_kernel as kernel;
pub(crate) use clustersim_language::{collections, ids, registry, text, units};
pub(crate) use clustersim_platform as platform;
