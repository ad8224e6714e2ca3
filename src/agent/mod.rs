//! Applications on platforms.

pub mod sg;
