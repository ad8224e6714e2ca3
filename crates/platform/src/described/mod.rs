//! Platforms in scenarios: `[platform]` names a file of SimGrid, DAGSim or the Parameter Sweep
//! Template, describes hosts and what joins them, or has a platform drawn.
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
//! What is described may name what is described further down. A route is put into the zone that
//! both of its ends lie in; between hosts of different zones it is a route of these two alone,
//! which bypasses the zones. Of a zone a route or spoke begins or ends at a gateway, for a cluster
//! by itself at its router. Whatever the platform is made of, `perturb` may multiply its numbers by
//! factors that are drawn, and `traffic` may take bandwidth of its links.
//!
//! For parameter sweeps the `origin` holds all files. A cluster with a `link` stands behind this
//! one link of it, and nothing lies between its hosts:
//!
//! ```toml
//! [[platform.cluster]]
//! name = "fast"
//! hosts = 4
//! link = { bandwidth = "10kBps" }
//! availability = { kind = "uniform", low = 0.4, high = 1.0, every = "5s" }
//! ```
//!
//! All mistakes are reported at once, each at its value; an unknown name comes with the nearest
//! one. Mistakes in files that are named here are reported with the lines of these.
//! Left out: coordinates (Vivaldi) and bypasses of zones, which platform files of SimGrid may have.

mod behind_link;
mod build;
mod clusters;
mod description;
pub mod host_patterns;
mod hosts;
mod inputs;
mod keys;
mod link_place;
mod nesting;
mod routes;
mod sweep_grid;
mod traces;
mod traffic;
mod varying;

use crate::clustered::grid::{ORIGIN, SweepGrid};
use crate::kernel::rng::Streams;
use crate::registry::{Complaint, Key, Kind, Params, code, key};
use crate::units::REFERENCE_SPEED;
use crate::{HostId, Platform};

use behind_link::{further_origins, missing_origin};
use build::{build, perturbed};
use keys::{KEYS, TRACE_OF_HOSTS, state_trace};
use link_place::link_place;

pub use build::is_grid_text;
pub use inputs::inputs;
pub use sweep_grid::SWEEP_STEP;
pub use traces::states;
pub use traffic::traffic;

/// Hosts and what joins them.
pub const PLATFORM: Key = key! {
    "platform" Kind::Table(KEYS), absent "there is none: the scenario is of another system" =>
        "hosts, links and routes: a file of SimGrid, DAGSim or the Parameter Sweep Template, tables that describe them, or what draws them"
};

/// The key of [`states`].
pub const STATE_TRACE: Key = state_trace(TRACE_OF_HOSTS);

/// A platform, and what of it may not be as its author meant it.
#[derive(Clone, Debug)]
pub struct Described {
    /// The platform.
    pub platform: Platform,
    /// Settings that a file of SimGrid holds besides it: name and value.
    pub config: Vec<(String, String)>,
    /// Warnings.
    pub warnings: Vec<Complaint>,
    /// True if anything of it is drawn.
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
    if let Some(complaint) = missing_origin(params, &described.platform) {
        return Err(complaint.into());
    }
    if params.has("perturb") {
        described.drawn = true;
        described.platform = perturbed(&params.section("perturb"), &described.platform, streams)?;
    }
    Ok(described)
}

/// Speed of a host without a stated one, behind a link or in a grid of the Parameter Sweep Template
/// \[flop/s\]: tasks of a parameter sweep take the times of the application on it.
pub const SWEEP_SPEED: f64 = REFERENCE_SPEED;

/// The hosts that hold the files of a parameter sweep; all but those of others are on the first.
///
/// # Errors
/// The platform has none, or not all that are named.
pub fn origins(params: &Params<'_>, platform: &Platform) -> Result<Vec<HostId>, Vec<Complaint>> {
    let name: Option<String> = params.read("origin")?;
    let first = platform.host_named(name.as_deref().unwrap_or(ORIGIN)).ok_or_else(|| {
        let complaint = params.complaint("origin", "nothing says which host holds the files");
        let complaint = Complaint { code: code::MISSING_KEY, ..complaint };
        complaint.help("`origin` names it; clusters that have a `link` get one")
    })?;
    further_origins(params, platform, first)
}

/// The grid of a parameter sweep: clusters around their origins, and links between them.
///
/// # Errors
/// There is no origin; clusters, or routes between them, that are none of a grid.
pub fn sweep_grid(params: &Params<'_>, platform: &Platform) -> Result<SweepGrid, Vec<Complaint>> {
    let origins = origins(params, platform)?;
    let place = |link: &str, cluster: &str, message: &str| link_place(params, link, cluster, message);
    let mut grid = SweepGrid::described(platform, &origins, SWEEP_SPEED, &place)?;
    grid.join_clusters(platform, &origins, params.items("route"))?;
    Ok(grid)
}

#[cfg(test)]
mod tests;
