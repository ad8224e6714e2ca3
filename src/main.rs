//! The `clustersim` command.

use std::process::ExitCode;

use clustersim::cli::MemoryGuard;

/// Says where memory ends, instead of an abort.
#[global_allocator]
static ALLOCATOR: MemoryGuard = MemoryGuard;

fn main() -> ExitCode {
    clustersim::cli::main()
}
