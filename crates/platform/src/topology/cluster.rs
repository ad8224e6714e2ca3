//! Clusters: zones of hosts, equal ones or not, with equal cables in one of the usual topologies.
//!
//! ```text
//!   crossbar      host ── limiter ══ up, down ══ (backbone) ══ …    all meet in one switch
//!   fat tree, torus, dragonfly, mesh                                   as their own files say
//! ```
//!
//! Each cluster has a router, which routes between zones use as its gateway. In a crossbar it sits
//! in the middle, beyond the backbone; of the other topologies nothing leads to it, so that what
//! goes out of them crosses none of their links, as in SimGrid.
//!
//! Links are named as SimGrid names them: `cluster_link_3_UP`, `cluster_backbone`,
//! `cluster_link_3_loopback`, `cluster_link_3_limiter`, `cluster_link_from_3_to_7` in a mesh,
//! `link_from_3_31_7_UP` in a fat tree (the node below, the switch above, the number of the cable;
//! switches are counted down from twice the number of hosts less 1), and so on. Where that is the
//! name of another link already, the cluster's comes before it.

use crate::Varying;
use crate::error::PlatformError;
use crate::hosts::Host;
use crate::kernel::rng::Streams;
use crate::links::Link;
use crate::sharing::LinkId;
use crate::topology::platform::ZonePosition;
use crate::topology::{
    Builder, Cables, ClusterRouting, Dragonfly, DragonflyLinks, Duplex, FatTree, FatTreeLinks, Joins,
    MeshLinks, NetPoint, Sharing, Spoke, Star, ToItself, Torus, TorusLinks, ZoneId,
};

/// The topology that joins the hosts of a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Each has a cable to one switch.
    Crossbar,
    /// By a fat tree.
    FatTree(FatTree),
    /// By a torus.
    Torus(Torus),
    /// By a dragonfly.
    Dragonfly(Dragonfly),
    /// Each has a cable to each other; split, a link for each ordered pair.
    Mesh,
}

impl Shape {
    /// The most hosts that it may have, if it may have any number.
    pub fn most_hosts(&self) -> Option<u32> {
        match self {
            Shape::Crossbar => Some(Cluster::MOST_HOSTS),
            Shape::Mesh => Some(Cluster::MOST_OF_MESH),
            _ => None,
        }
    }
}

/// Bandwidths that are drawn, to each cable its own.
#[derive(Clone, PartialEq, Debug)]
pub struct DrawnBandwidths {
    /// Law of the bandwidths.
    pub law: Varying,
    /// Source of the draws.
    pub streams: Streams,
}

/// A zone of hosts, equal ones or not, with equal cables.
#[derive(Clone, PartialEq, Debug)]
pub struct Cluster {
    /// Name of the zone.
    pub name: String,
    /// The beginning of the names of hosts.
    pub prefix: String,
    /// The end of the names of hosts.
    pub suffix: String,
    /// Between both: the numbers of the hosts, in order.
    pub numbers: Vec<u32>,
    /// The properties of each host; its name says nothing.
    pub host: Host,
    /// Hosts with names and properties of their own, one for each number; none if all are equal.
    pub described: Vec<Host>,
    /// The properties of each cable. Its policy says nothing.
    pub link: Link,
    /// Factors of the bandwidths of cables, one for each direction that has a link of its own.
    pub drawn: Option<DrawnBandwidths>,
    /// The sharing of cables between both directions.
    pub sharing: Sharing,
    /// The link that all cross in the middle of a crossbar.
    pub backbone: Option<Link>,
    /// The link from each host to itself.
    pub loopback: Option<Link>,
    /// The link that all crosses that leaves or comes to a host, and a switch of a computed
    /// topology.
    pub limiter: Option<Link>,
    /// The route to itself of a host without a loopback.
    pub to_itself: ToItself,
    /// Routes of a fat tree or dragonfly.
    pub routing: ClusterRouting,
    /// Name of the router.
    pub router: String,
    /// The topology that joins the hosts.
    pub shape: Shape,
}

impl Cluster {
    /// The most hosts of a cluster.
    pub const MOST_HOSTS: u32 = 1 << 20;
    /// The most hosts of a mesh, which has cables by the square of these: a little below 2^20.
    pub const MOST_OF_MESH: u32 = 1_448;

    /// A crossbar of `hosts` hosts, numbered from 0, with these links; hosts are called by the
    /// cluster's `name`, a hyphen and their number.
    pub fn new(name: impl Into<String>, hosts: u32, host: Host, link: Link) -> Self {
        let name = name.into();
        Cluster {
            prefix: format!("{name}-"),
            suffix: String::new(),
            numbers: (0..hosts).collect(),
            router: format!("{name}-router"),
            name,
            host,
            described: Vec::new(),
            link,
            drawn: None,
            sharing: Sharing::Split,
            backbone: None,
            loopback: None,
            limiter: None,
            to_itself: ToItself::AtOnce,
            routing: ClusterRouting::AsPublished,
            shape: Shape::Crossbar,
        }
    }

    /// A crossbar of these hosts, with these links.
    pub fn of_hosts(name: impl Into<String>, hosts: Vec<Host>, link: Link) -> Self {
        let equal = Cluster::new(name, hosts.len() as u32, Host::new("", 1.0), link);
        Cluster { described: hosts, ..equal }
    }

    /// The hosts, in the order of their numbers.
    fn hosts(&self) -> impl Iterator<Item = Host> {
        self.numbers.iter().enumerate().map(|(place, number)| match self.described.get(place) {
            Some(host) => host.clone(),
            None => Host { name: format!("{}{number}{}", self.prefix, self.suffix), ..self.host.clone() },
        })
    }

    /// Refuses shapes that are none, or of another number of hosts.
    fn check(&self) -> Result<(), PlatformError> {
        let wrong = |problem: String| Err(PlatformError::Shape { cluster: self.name.clone(), problem });
        let count = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let (shape, hosts) = match &self.shape {
            _ if count == 0 => return wrong("it has no hosts".to_owned()),
            _ if count > Cluster::MOST_HOSTS => return wrong("it has more than 2^20 hosts".to_owned()),
            Shape::Crossbar => return Ok(()),
            Shape::Mesh if count > Cluster::MOST_OF_MESH => {
                let most = Cluster::MOST_OF_MESH;
                return wrong(format!(
                    "a mesh of {count} hosts has too many links: it has {most} hosts at most"
                ));
            }
            Shape::Mesh => ("mesh", Some(count)),
            Shape::FatTree(tree) => ("fat tree", tree.hosts()),
            Shape::Torus(torus) => ("torus", torus.hosts()),
            Shape::Dragonfly(dragonfly) => ("dragonfly", dragonfly.hosts()),
        };
        if self.backbone.is_some() {
            return wrong(format!("a {shape} has no backbone"));
        }
        match (hosts, &self.shape) {
            (Some(hosts), _) if hosts == count => Ok(()),
            (Some(hosts), _) => wrong(format!("this {shape} has {hosts} hosts, but the cluster has {count}")),
            (None, Shape::Dragonfly(Dragonfly { groups, .. })) if groups.count > 0 => wrong(
                "a dragonfly has at least one of each, and each group at least as many routers as there are groups"
                    .to_owned(),
            ),
            _ => wrong(format!("no part of a {shape} is 0, and its hosts are fewer than 2^32")),
        }
    }

    fn cables(&self) -> Option<u64> {
        let hosts = self.numbers.len() as u64;
        match &self.shape {
            Shape::Crossbar => Some(hosts),
            Shape::FatTree(tree) => (0..tree.levels.len()).try_fold(0_u64, |sum, level| {
                let ports = u64::from(tree.levels[level].up).checked_mul(tree.levels[level].cables.into())?;
                tree.nodes(level).checked_mul(ports)?.checked_add(sum)
            }),
            Shape::Torus(torus) => hosts.checked_mul(torus.dimensions.len() as u64),
            Shape::Dragonfly(dragonfly) => Some(dragonfly.firsts()[3]),
            Shape::Mesh => Some(Cables::between_all(hosts)),
        }
    }
}

/// The most cables that a cluster may have.
const MOST: u64 = Cluster::MOST_HOSTS as u64;

impl Builder {
    /// Adds a cluster: a zone, its hosts, a router and all links.
    ///
    /// # Errors
    /// The shape does not fit the number of hosts; names that are there already; numbers that are
    /// none.
    pub fn cluster(&mut self, parent: ZoneId, cluster: &Cluster) -> Result<ZoneId, PlatformError> {
        cluster.check()?;
        if cluster.cables().is_none_or(|cables| cables > MOST) {
            let problem = "it has more than 2^20 cables".to_owned();
            return Err(PlatformError::Shape { cluster: cluster.name.clone(), problem });
        }
        let zone = self.zone_of(parent, &cluster.name, Joins::None)?;
        for host in cluster.hosts() {
            self.host_in(zone, host)?;
        }
        let router = self.router(zone, &cluster.router)?;
        let joins = match &cluster.shape {
            Shape::Crossbar => {
                let ZonePosition { rank, .. } = self.so_far().position(NetPoint::Router(router));
                self.crossbar(cluster, Star::around(rank, cluster.to_itself))?
            }
            Shape::FatTree(tree) => self.fat_tree(cluster, tree)?,
            Shape::Torus(torus) => self.torus(cluster, torus)?,
            Shape::Dragonfly(dragonfly) => self.dragonfly(cluster, *dragonfly)?,
            Shape::Mesh => self.mesh(cluster)?,
        };
        self.built.zones[zone.index()].joins = joins;
        Ok(zone)
    }

    fn crossbar(&mut self, cluster: &Cluster, mut star: Star) -> Result<Joins, PlatformError> {
        for (rank, &number) in (0..).zip(&cluster.numbers) {
            let spoke = self.spoke_of(cluster, &format!("{}_link_{number}", cluster.name))?;
            star.add(rank, spoke);
        }
        if let Some(backbone) = &cluster.backbone {
            star.backbone = Some(self.link(format!("{}_backbone", cluster.name), backbone.clone())?);
        }
        Ok(Joins::Star(star))
    }

    /// The links of one host of a crossbar; names begin with `name`.
    fn spoke_of(&mut self, cluster: &Cluster, name: &str) -> Result<Spoke, PlatformError> {
        let mut spoke = Spoke::default();
        if let Some(loopback) = &cluster.loopback {
            spoke.loopback.push(self.link(format!("{name}_loopback"), loopback.clone())?);
        }
        if let Some(limiter) = &cluster.limiter {
            spoke.up.push(self.link(format!("{name}_limiter"), limiter.clone())?);
        }
        let Duplex { up, down } = self.cable(cluster, name, 1)?;
        spoke.down.push(down);
        spoke.down.extend(&spoke.up);
        spoke.up.push(up);
        Ok(spoke)
    }

    /// Lays a cable, of `times` times the bandwidth.
    fn cable(&mut self, cluster: &Cluster, name: &str, times: u32) -> Result<Duplex, PlatformError> {
        let link = if times == 1 { cluster.link.clone() } else { cluster.link.times(f64::from(times)) };
        let cable = self.shared_link(name, link, cluster.sharing)?;
        let ids = if cable.is_split() { vec![cable.up, cable.down] } else { vec![cable.up] };
        self.draw(cluster, ids.into_iter());
        Ok(cable)
    }

    /// Multiplies bandwidths of links of a cluster by what is drawn for each, if anything is.
    fn draw(&mut self, cluster: &Cluster, links: impl Iterator<Item = LinkId>) {
        let Some(DrawnBandwidths { law, streams }) = &cluster.drawn else { return };
        for id in links {
            let drawn = law.bandwidth(streams, self.built.links.written(id));
            self.built.links.draw(id, &drawn);
        }
    }

    /// As [`Builder::cable`], with the cluster's name before `name` if it is taken.
    fn cable_or(&mut self, cluster: &Cluster, name: &str, times: u32) -> Result<Duplex, PlatformError> {
        match self.cable(cluster, name, times) {
            Err(PlatformError::Twice(_)) => self.cable(cluster, &format!("{}_{name}", cluster.name), times),
            laid => laid,
        }
    }

    /// Loopbacks of hosts, and limiters of these and of `switches` switches; cables are to follow.
    fn lay(&mut self, cluster: &Cluster, switches: u64) -> Result<Cables, PlatformError> {
        let next = |builder: &Builder| builder.built.links.len() as u32;
        let hosts = cluster.numbers.len() as u64;
        let (mut loopbacks, mut limiters) = (None, None);
        if let Some(loopback) = &cluster.loopback {
            loopbacks = Some(next(self));
            for host in 0..hosts {
                self.link(format!("{}_link_{host}_loopback", cluster.name), loopback.clone())?;
            }
        }
        if let Some(limiter) = &cluster.limiter {
            limiters = Some(next(self));
            let of_switches = (0..switches).map(|switch| (2 * hosts - 1).wrapping_sub(switch));
            for node in (0..hosts).chain(of_switches) {
                let name = format!("{}_link_{node}_limiter", cluster.name);
                if let Err(PlatformError::Twice(_)) = self.link(name, limiter.clone()) {
                    let name = format!("{}_switch_{node}_limiter", cluster.name);
                    self.link(name, limiter.clone())?;
                }
            }
        }
        let width = if cluster.sharing == Sharing::Split { 2 } else { 1 };
        let Cluster { to_itself, routing, .. } = *cluster;
        Ok(Cables { first: next(self), width, loopbacks, limiters, to_itself, routing })
    }

    fn fat_tree(&mut self, cluster: &Cluster, tree: &FatTree) -> Result<Joins, PlatformError> {
        let levels = tree.levels.len();
        let nodes: Vec<u32> = (0..=levels).map(|level| tree.nodes(level) as u32).collect();
        let mut limiters = vec![0];
        for &nodes in &nodes {
            limiters.push(limiters.last().copied().unwrap_or(0) + nodes);
        }
        let (hosts, all) = (nodes[0], limiters[levels + 1]);
        let cables = self.lay(cluster, u64::from(all - hosts))?;
        let switch = |level: usize, place: u32| {
            if level == 0 {
                return i64::from(place);
            }
            2 * i64::from(hosts) - 1 - i64::from(limiters[level] - hosts + place)
        };
        let (mut cable, mut first) = (0, Vec::new());
        for (level, shape) in tree.levels.iter().enumerate() {
            first.push(cable);
            for place in 0..nodes[level] {
                for port in 0..shape.up {
                    let above = tree.above(level, place, port);
                    for _ in 0..shape.cables {
                        let (below, above) = (switch(level, place), switch(level + 1, above));
                        self.cable_or(cluster, &format!("link_from_{below}_{above}_{cable}"), 1)?;
                        cable += 1;
                    }
                }
            }
        }
        Ok(Joins::FatTree(FatTreeLinks { shape: tree.clone(), cables, first, limiters }))
    }

    fn torus(&mut self, cluster: &Cluster, torus: &Torus) -> Result<Joins, PlatformError> {
        let cables = self.lay(cluster, 0)?;
        let dimensions: Vec<u32> = torus.dimensions.iter().copied().filter(|&length| length > 1).collect();
        for host in 0..cluster.numbers.len() as u32 {
            let mut stride = 1;
            for &length in &dimensions {
                let next = Torus::next(host, length, stride);
                self.cable(cluster, &format!("{}_link_from_{host}_to_{next}", cluster.name), 1)?;
                stride *= length;
            }
        }
        Ok(Joins::Torus(TorusLinks { shape: Torus { dimensions }, cables }))
    }

    fn mesh(&mut self, cluster: &Cluster) -> Result<Joins, PlatformError> {
        let cables = self.lay(cluster, 0)?;
        let hosts = cluster.numbers.len() as u32;
        let link = cluster.link.clone();
        let link = if cluster.sharing == Sharing::Fatpipe { link.fatpipe() } else { link };
        self.built.links.add_pairs(&cluster.name, hosts, cables.width, link)?;
        self.draw(cluster, (cables.first..self.built.links.len() as u32).map(LinkId::new));
        Ok(Joins::Mesh(MeshLinks { hosts, cables }))
    }

    fn dragonfly(&mut self, cluster: &Cluster, shape: Dragonfly) -> Result<Joins, PlatformError> {
        let of_group = shape.of_group();
        let cables = self.lay(cluster, u64::from(of_group) * u64::from(shape.groups.count))?;
        let mut cable = 0;
        let mut lay = |name: String, times: u32| {
            cable += 1;
            self.cable_or(cluster, &format!("{name}_{}", cable - 1), times)
        };
        let (groups, chassis, routers) = (shape.groups.count, shape.chassis.count, shape.routers.count);
        for router in 0..groups * of_group {
            for node in 0..shape.nodes {
                lay(format!("local_link_from_router_{router}_to_node_{node}"), 1)?;
            }
        }
        for frame in 0..groups * chassis {
            for (i, j) in pairs(routers) {
                let of = frame % chassis;
                lay(format!("green_link_in_chassis_{of}_between_routers_{i}_and_{j}"), shape.routers.cables)?;
            }
        }
        for group in 0..groups {
            for (i, j) in pairs(chassis) {
                for blade in 0..routers {
                    let name =
                        format!("black_link_in_group_{group}_between_chassis_{i}_and_{j}_blade_{blade}");
                    lay(name, shape.chassis.cables)?;
                }
            }
        }
        for (i, j) in pairs(groups) {
            let (from, to) = (i * of_group + j, j * of_group + i);
            lay(format!("blue_link_between_group_{i}_and_{j}_routers_{from}_and_{to}"), shape.groups.cables)?;
        }
        Ok(Joins::Dragonfly(DragonflyLinks { shape, cables }))
    }
}

/// All pairs of `count` numbers, the lower one first.
fn pairs(count: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..count).flat_map(move |low| (low + 1..count).map(move |high| (low, high)))
}
