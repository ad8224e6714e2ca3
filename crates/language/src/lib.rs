//! The language of scenarios: text and its mistakes, units, keys and their registry, random laws
//! by name.
//!
//! The modules are listed bottom-up. Public items are those of the package `clustersim`, which
//! names all of them; this crate is a part of it and promises nothing by itself.

pub mod collections;
pub mod ids;
pub mod text;
pub mod units;

pub mod registry;

pub mod distribution;

#[doc(hidden)]
pub use clustersim_kernel as kernel;
