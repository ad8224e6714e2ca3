//! The files that a platform is read from.

use std::path::{Path, PathBuf};

use crate::collections::{OrderedSet, StableSort as _};
use crate::registry::Params;
use crate::{grid_text, simgrid};

use super::build::is_grid_text;
use super::sweep_grid::{behaviour_files, is_sweep_grid};

/// The files that a checked `[platform]` names, and those that a platform file names in turn: as
/// they are named, from where the scenario lies, and from where the program runs.
pub fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let named = |table: &Params<'_>, key: &str| {
        table.has(key).then_some(())?;
        Some((table.read(key).ok()?, table.path(key).ok()?))
    };
    let mut inputs: Vec<(String, PathBuf)> = named(params, "file").into_iter().collect();
    if let Some((name, path)) = inputs.first().cloned() {
        let files = if is_sweep_grid(params) {
            inputs.extend(behaviour_files(params));
            OrderedSet::new()
        } else if is_grid_text(params) {
            grid_text::traces_of(&path)
        } else {
            simgrid::profiles_of(&path)
        };
        inputs.extend(files.into_iter().map(|file| {
            let name = Path::new(&name).with_file_name(&file);
            (name.to_string_lossy().into_owned(), path.with_file_name(&file))
        }));
    }
    for (list, keys) in [
        ("host", &["availability-trace", "state-trace"][..]),
        ("link", &["bandwidth-trace", "latency-trace", "state-trace"]),
        ("cluster", &["availability-trace", "state-trace"]),
    ] {
        for table in params.items(list).iter().map(|node| params.with(node)) {
            let of = |table: &Params<'_>, keys: &[&str]| {
                let given = keys.iter().filter(|key| table.has(key));
                given.filter_map(|key| named(&table.section(key), "file")).collect::<Vec<_>>()
            };
            inputs.extend(of(&table, keys));
            if list == "cluster" && table.has("link") {
                inputs
                    .extend(of(&table.section("link"), &["bandwidth-trace", "latency-trace", "state-trace"]));
            }
        }
    }
    inputs.stable_sort();
    inputs.dedup();
    inputs
}
