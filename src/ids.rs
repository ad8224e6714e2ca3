//! Typed keys: an index of one kind cannot be used for another.

pub use clustersim_language::ids::JobId;
