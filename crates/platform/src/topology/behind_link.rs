//! Clusters behind one link: zones that a single link joins to a host of the top zone, with hosts
//! that nothing separates.
//!
//! ```text
//!   origin ── link ── router ─┬─ host
//!                             └─ host      no link between hosts of the cluster: no time
//! ```

use crate::error::PlatformError;
use crate::hosts::{Host, HostId};
use crate::links::Link;
use crate::sharing::LinkId;
use crate::topology::{Builder, Route, RouterId, Routing, Spoke, ZoneId};

/// A cluster behind one link, of which it is not yet said where the link begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BehindLink {
    /// The cluster.
    pub zone: ZoneId,
    /// The router at which its hosts meet the link.
    pub router: RouterId,
    /// The link.
    pub link: LinkId,
}

impl Builder {
    /// Adds a cluster without hosts behind a link of its name.
    ///
    /// # Errors
    /// There is a zone or link of its name, or a point of the name of its router; the numbers of
    /// the link are none.
    pub fn cluster_behind(&mut self, name: &str, link: Link) -> Result<BehindLink, PlatformError> {
        let zone = self.zone(ZoneId::TOP, name, Routing::Star)?;
        let router = self.router(zone, &format!("{name}-router"))?;
        self.middle(router)?;
        let link = self.link(name, link)?;
        Ok(BehindLink { zone, router, link })
    }

    /// Lets the link of such a cluster begin at a host of the top zone.
    ///
    /// # Errors
    /// The host lies elsewhere, or a route joins both already.
    pub fn join_behind(&mut self, origin: HostId, cluster: BehindLink) -> Result<(), PlatformError> {
        let BehindLink { zone, router, link } = cluster;
        let route = Route { to_gateway: Some(router.into()), links: vec![link], ..Route::new(origin, zone) };
        self.route_in(ZoneId::TOP, &route)
    }

    /// Adds a host to such a cluster.
    ///
    /// # Errors
    /// There is a host or router of its name, or its numbers are none.
    pub fn host_behind(&mut self, cluster: ZoneId, host: Host) -> Result<HostId, PlatformError> {
        let host = self.host_in(cluster, host)?;
        self.spoke(host, Spoke::default())?;
        Ok(host)
    }
}
