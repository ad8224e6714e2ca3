//! A finished run or study in its directory.

use std::path::Path;

use serde_json::Value as Json;

use crate::failure::Failure;
use crate::registry::{Registry, code};
use crate::scenario::{RunDirectory, check_again, load};
use clustersim_experiment::output::directory::read_manifest;
use clustersim_experiment::output::manifest;

/// The manifest of a finished run or study.
pub(super) fn manifest_of(directory: &Path) -> Result<Json, Failure> {
    read_manifest(directory).ok_or_else(|| {
        let message = format!("{} holds no finished run or study", directory.display());
        Failure::refused(code::MANIFEST, message, "name the directory that holds a manifest.json")
    })
}

/// Returns true if a manifest is that of a run.
pub(super) fn is_run(manifest: &Json) -> bool {
    manifest["schema"] == manifest::SCHEMA
}

/// The finished run in a directory, as `use_of` has it; of a study, `help` says what to do.
pub(super) fn finished_run<T>(
    registry: &Registry,
    directory: &Path,
    note: &dyn Fn(&str),
    help: &str,
    use_of: impl FnOnce(&RunDirectory<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let manifest = manifest_of(directory)?;
    if !is_run(&manifest) {
        let message = format!("{} holds a study", directory.display());
        return Err(Failure::refused(code::MANIFEST, message, help));
    }
    let base = manifest["invocation"]["directory"].as_str().map(Path::new);
    let scenario = check_again(registry, load(&directory.join("scenario.resolved.toml"), base, &[]))?;
    use_of(&RunDirectory { place: directory, manifest: &manifest, scenario: &scenario, registry, note })
}
