//! The `clustersim` command.

fn main() {}
