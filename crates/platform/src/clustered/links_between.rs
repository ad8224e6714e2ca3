//! Links between clusters: routes of one link that a scenario writes from one cluster to another.
//!
//! ```toml
//! [[platform.route]]
//! from = "near"
//! to = "far"
//! links = ["near-far"]
//! ```
//!
//! Such a link carries inputs that one of the clusters has to the other, in either direction, one
//! at a time. Source: the report of the Parameter Sweep Template names links between clusters as
//! future work; the rules are a choice of ours.

use crate::clustered::grid::{ClusterNumber, FurtherLink, SweepGrid};
use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::{Complaint, Node, Span, code};
use crate::sharing::LinkId;
use crate::{HostId, Platform};

impl SweepGrid {
    /// Adds the links of the routes among these, as a scenario writes them, that lead from one
    /// cluster to another.
    ///
    /// # Errors
    /// Routes of several links, or of one that is another link of the grid already.
    pub fn join_clusters(
        &mut self,
        platform: &Platform,
        origins: &[HostId],
        routes: &[Node],
    ) -> Result<(), Vec<Complaint>> {
        let names: OrderedMap<String, ClusterNumber> =
            self.clusters.iter().map(|cluster| cluster.name.clone()).zip((0..).map(ClusterNumber)).collect();
        let end = |node: &Node, key: &str| names.get(node.text_at(key)?).copied();
        let pairs = routes.iter().filter_map(|node| Some((end(node, "from")?, end(node, "to")?, node.span)));
        let mut pairs = pairs.filter(|(from, to, _)| from != to).peekable();
        if pairs.peek().is_none() {
            return Ok(());
        }
        let mut joining =
            Joining { of_origins: OrderedSet::new(), seen: OrderedMap::new(), platform, grid: self };
        joining.of_origins = joining.links_of_origins(origins);
        let complaints: Vec<Complaint> =
            pairs.filter_map(|(from, to, at)| joining.join(from, to, at).err()).collect();
        if complaints.is_empty() { Ok(()) } else { Err(complaints) }
    }
}

struct Joining<'a> {
    platform: &'a Platform,
    grid: &'a mut SweepGrid,
    of_origins: OrderedSet<LinkId>,
    /// The links between clusters so far, and between which they lie.
    seen: OrderedMap<LinkId, [ClusterNumber; 2]>,
}

impl Joining<'_> {
    fn first_host(&self, cluster: ClusterNumber) -> Option<HostId> {
        let host = self.grid.hosts.get(self.grid.cluster(cluster).hosts.start as usize)?;
        self.platform.host_named(&host.name)
    }

    fn links_of_origins(&self, origins: &[HostId]) -> OrderedSet<LinkId> {
        let mut links = OrderedSet::new();
        for host in self.grid.cluster_numbers().filter_map(|cluster| self.first_host(cluster)) {
            links.extend(origins.iter().flat_map(|origin| self.route(*origin, host)));
        }
        links
    }

    fn route(&self, from: HostId, to: HostId) -> Vec<LinkId> {
        let mut route = Vec::new();
        let found = self.platform.route(from, to, &mut route).is_ok();
        if found { route } else { Vec::new() }
    }

    fn join(&mut self, from: ClusterNumber, to: ClusterNumber, at: Span) -> Result<(), Complaint> {
        let [one, other] = [from, to].map(|cluster| self.grid.cluster(cluster).name.clone());
        let complain = |message: String| Complaint::new(code::PLATFORM, message, at);
        let Some((first, second)) = self.first_host(from).zip(self.first_host(to)) else { return Ok(()) };
        let (there, back) = (self.route(first, second), self.route(second, first));
        let (&[link], true) = (&there[..], there == back) else {
            let message =
                format!("clusters `{one}` and `{other}` are joined by one link, in both directions");
            let names: Vec<_> = there.iter().map(|link| self.platform.link_name(*link)).collect();
            let label = match names.len() {
                1 => "another route leads back".to_owned(),
                links => format!("it leads over {links} links: {}", names.join(", ")),
            };
            return Err(complain(message).label(label));
        };
        let name = self.platform.link_name(link).into_owned();
        if self.of_origins.contains(&link) {
            return Err(complain(format!(
                "the link `{name}` leads from an origin, and lies between `{one}` and `{other}`"
            )));
        }
        if let Some(before) = self.seen.insert(link, [from, to]) {
            let [first, second] = before.map(|cluster| &self.grid.cluster(cluster).name);
            return Err(complain(format!(
                "the link `{name}` lies between `{first}` and `{second}`, and between `{one}` and `{other}`"
            )));
        }
        let described = self.platform.link(link);
        if self.grid.clusters.iter().any(|cluster| cluster.name == name) {
            return Err(complain(format!("a cluster and a further link are called `{name}`")));
        }
        if described.working.least() <= 0.0 {
            return Err(complain(format!(
                "the further link `{name}` fails, and only clusters do with their own"
            )));
        }
        self.grid.add_link(FurtherLink {
            name,
            cluster: from,
            other: Some(to),
            bandwidth: described.bandwidth.clone(),
            latency: described.latency.clone(),
        });
        Ok(())
    }
}
