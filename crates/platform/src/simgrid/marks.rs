//! Marks of the files of SimGrid.

use crate::text::mark::{FileMark, Head};

/// The mark of platform files.
pub const PLATFORM: FileMark = FileMark::new(
    "a platform of SimGrid (XML)",
    "`clustersim show platform {file}` draws it; a scenario names it in `platform.file`",
    |head| head.has_element("platform") && !deploys(head),
);

/// The mark of deployment files.
pub const DEPLOYMENT: FileMark = FileMark::new(
    "a deployment of SimGrid (XML)",
    "a scenario of agents names it in `deployment.file`",
    |head| head.has_element("platform") && deploys(head),
);

/// Returns true if a file has agents, and no hosts for them.
fn deploys(head: &Head<'_>) -> bool {
    let has_any = |names: &[&str]| names.iter().any(|name| head.has_element(name));
    has_any(&["actor", "process"]) && !has_any(&["zone", "AS", "host"])
}
