//! The command line: arguments, diagnostics, progress, and what is printed where.

pub use clustersim_cli::{MemoryGuard, main_with, status};
