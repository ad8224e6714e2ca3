//! The `clustersim` command.

use std::process::ExitCode;

use clustersim::cli::{MemoryGuard, main_with};
use clustersim::system::standard;

/// Says where memory ends, instead of an abort.
#[global_allocator]
static ALLOCATOR: MemoryGuard = MemoryGuard;

fn main() -> ExitCode {
    main_with(&standard())
}
