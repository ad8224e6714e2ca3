//! Clusters behind one link: zones that a single link joins to a host of the top zone, with hosts that nothing separates.
//!
//! ```text
//!   origin ── link ── router ─┬─ host
//!                             └─ host      between hosts of the cluster there is no link: that takes no time
//! ```

use crate::platform::error::PlatformError;
use crate::platform::hosts::{Host, HostId};
use crate::platform::links::Link;
use crate::platform::sharing::LinkId;
use crate::platform::topology::{Builder, Route, Routing, Spoke, ZoneId};

impl Builder {
    /// Adds a cluster without hosts behind a link of its name, which begins at a host of the top zone.
    ///
    /// # Errors
    /// There is a zone or link of its name, or a point of the name of its router; the numbers of the link are none.
    pub fn cluster_behind(
        &mut self,
        origin: HostId,
        name: &str,
        link: Link,
    ) -> Result<(ZoneId, LinkId), PlatformError> {
        let zone = self.zone(ZoneId::TOP, name, Routing::Star)?;
        let router = self.router(zone, &format!("{name}-router"))?;
        self.middle(router)?;
        let link = self.link(name, link)?;
        let route = Route { to_gateway: Some(router.into()), links: vec![link], ..Route::new(origin, zone) };
        self.route_in(ZoneId::TOP, &route)?;
        Ok((zone, link))
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
