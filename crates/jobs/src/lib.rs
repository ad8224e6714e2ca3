//! Jobs: where they come from and what they say.
//!
//! The modules are listed bottom-up, a layer a paragraph. Public items are those of the package
//! `clustersim`; this crate is a part of it and promises nothing by itself.

pub mod workload;

pub mod import;

pub(crate) use clustersim_experiment::output;
pub(crate) use clustersim_kernel as kernel;
#[cfg(test)]
pub(crate) use clustersim_language::distribution;
pub(crate) use clustersim_language::{collections, ids, registry, text, units};
