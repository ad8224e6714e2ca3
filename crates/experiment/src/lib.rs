//! The floor of all systems: scenarios and sessions, rows and metrics, reports and studies,
//! dialogues with other programs, and the harness of judges.
//!
//! The modules are listed bottom-up, a layer a paragraph. Public items are those of the package
//! `clustersim`; this crate is a part of it and promises nothing by itself.

pub mod dialogue;
pub mod output;

pub mod measure;
pub mod rows;

pub mod check;
pub mod fidelity;

pub mod scenario;

pub mod report;

pub mod study;

#[doc(hidden)]
pub use clustersim_kernel as kernel;
#[doc(hidden)]
pub use clustersim_language::{collections, registry, text, units};
