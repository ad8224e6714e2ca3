//! Platforms in scenarios: `[platform]` names a file of SimGrid or a grid of DAGSim, describes hosts and what joins them, or has a platform drawn.
//!
//! ```toml
//! [[platform.host]]
//! name = "node"
//! count = 4
//! speed = "1.5Gf"
//!
//! [[platform.link]]
//! name = "wire"
//! bandwidth = "125MBps"
//! latency = "50us"
//!
//! [[platform.route]]
//! from = "node-0"
//! to = "node-1"
//! links = ["wire"]
//! ```
//!
//! What is described may name what is described further down. A route is put into the zone that both of its ends lie in;
//! between hosts of different zones it is a route of these two alone, which bypasses the zones. Of a zone a route or
//! spoke begins or ends at a gateway, for a cluster by itself at its router. Whatever the platform is made of, `perturb`
//! may multiply its numbers by factors that are drawn, and `traffic` may take bandwidth of its links.
//!
//! All mistakes are reported at once, each at its value; an unknown name comes with the nearest one. Mistakes in files
//! that are named here are reported with the lines of these.
//!
//! Left out: coordinates (Vivaldi) and bypasses of zones, which platform files of SimGrid may have.

mod build;
mod clusters;
mod description;
mod keys;
mod nesting;
mod routes;
mod traces;
mod traffic;

use std::path::{Path, PathBuf};

use crate::kernel::rng::Streams;
use crate::platform::{Platform, grid_text, simgrid};
use crate::registry::{Complaint, Key, Kind, Params, key};

use build::{build, perturbed};
use keys::KEYS;

pub use build::is_grid_text;
pub use traffic::traffic;

/// Hosts and what joins them.
pub const PLATFORM: Key = key! {
    "platform" Kind::Table(KEYS), absent "there is none: the scenario is of another system" =>
        "hosts, links and routes: a file of SimGrid or DAGSim, tables that describe them, or what draws them"
};

/// A platform, and what of it may not be as its author meant it.
#[derive(Clone, Debug)]
pub struct Described {
    /// The platform.
    pub platform: Platform,
    /// Settings that a file of SimGrid holds besides it: name and value.
    pub config: Vec<(String, String)>,
    /// What is worth a second look.
    pub warnings: Vec<Complaint>,
    /// Whether anything of it is drawn.
    pub drawn: bool,
}

impl From<Platform> for Described {
    fn from(platform: Platform) -> Self {
        Described { platform, config: Vec::new(), warnings: Vec::new(), drawn: false }
    }
}

/// The platform of a checked `[platform]`; what is drawn of it is drawn from `streams`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(params: &Params<'_>, streams: &Streams) -> Result<Described, Vec<Complaint>> {
    let mut described = build(params, streams)?;
    if params.has("perturb") {
        described.drawn = true;
        described.platform = perturbed(&params.section("perturb"), &described.platform, streams)?;
    }
    Ok(described)
}

/// The files that a checked `[platform]` names, and those that a platform file names in turn: as they are named, from where the
/// scenario lies, and from where the program runs.
pub fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let named = |table: &Params<'_>, key: &str| {
        table.has(key).then_some(())?;
        Some((table.read(key).ok()?, table.path(key).ok()?))
    };
    let mut inputs: Vec<(String, PathBuf)> = named(params, "file").into_iter().collect();
    if let Some((name, path)) = inputs.first().cloned() {
        let files =
            if is_grid_text(params) { grid_text::traces_of(&path) } else { simgrid::profiles_of(&path) };
        inputs.extend(files.into_iter().map(|file| {
            let name = Path::new(&name).with_file_name(&file);
            (name.to_string_lossy().into_owned(), path.with_file_name(&file))
        }));
    }
    for (list, keys) in [
        ("host", &["availability-trace", "state-trace"][..]),
        ("link", &["bandwidth-trace", "latency-trace", "state-trace"]),
    ] {
        for table in params.items(list).iter().map(|node| params.with(node)) {
            let given = keys.iter().filter(|key| table.has(key));
            inputs.extend(given.filter_map(|key| named(&table.section(key), "file")));
        }
    }
    inputs.sort();
    inputs.dedup();
    inputs
}

#[cfg(test)]
mod tests;
