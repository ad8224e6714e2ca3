//! The `clustersim` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    clustersim::cli::main()
}
