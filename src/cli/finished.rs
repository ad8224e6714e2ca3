//! A finished run or study in its directory.

use std::path::Path;

use serde_json::Value as Json;

use crate::cli::failure::Failure;
use crate::output::directory::read_manifest;
use crate::output::manifest;
use crate::registry::code;
use crate::registry::{Complaint, Registry};
use crate::scenario::{Scenario, check_again, load};

/// The manifest of a finished run or study.
pub(super) fn manifest_of(directory: &Path) -> Result<Json, Failure> {
    read_manifest(directory).ok_or_else(|| {
        let message = format!("{} holds no finished run or study", directory.display());
        let complaint = Complaint::nowhere(code::MANIFEST, message);
        Failure::usage(complaint.help("name the directory that holds a manifest.json"))
    })
}

/// Whether a manifest is that of a run.
pub(super) fn is_run(manifest: &Json) -> bool {
    manifest["schema"] == manifest::SCHEMA
}

/// The scenario of a finished run.
pub(super) fn scenario_of(
    registry: &Registry,
    directory: &Path,
    manifest: &Json,
) -> Result<Scenario, Failure> {
    let base = manifest["invocation"]["directory"].as_str().map(Path::new);
    Ok(check_again(registry, load(&directory.join("scenario.resolved.toml"), base, &[]))?)
}
