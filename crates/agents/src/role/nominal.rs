//! Knowledge of roles about the platform without measuring: routes as its author described them.

use crate::kernel::SimTime;
use crate::platform::{HostId, Platform};

/// A route by itself, by what its links have at the start of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Path {
    /// Seconds.
    pub(super) latency: f64,
    /// Size per second of the narrowest link; infinite if there is none, 0 if nothing joins the
    /// hosts.
    pub(super) bandwidth: f64,
}

impl Path {
    /// Seconds that `size` takes.
    pub(super) fn secs(self, size: f64) -> f64 {
        self.latency + size / self.bandwidth
    }
}

/// The route from one host to another.
pub(super) fn nominal(platform: &Platform, from: HostId, to: HostId) -> Path {
    let mut route = Vec::new();
    let Ok(beyond) = platform.route_with_delay(from, to, &mut route) else {
        return Path { latency: 0.0, bandwidth: 0.0 };
    };
    let links = || route.iter().map(|link| platform.link(*link));
    let latency = links().map(|link| link.latency.value_at(SimTime::ZERO)).sum::<f64>() + beyond;
    let bandwidths = links().map(|link| link.bandwidth.value_at(SimTime::ZERO));
    Path { latency, bandwidth: bandwidths.fold(f64::INFINITY, f64::min) }
}
