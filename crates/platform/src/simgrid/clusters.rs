//! Clusters and cabinets of a platform file.

use crate::hosts::Host;
use crate::links::Link;
use crate::registry::{Complaint, code};
use crate::simgrid::build::{POLICIES, PlatformReader, properties};
use crate::simgrid::value::{self, Wrong};
use crate::text::xml::Element;
use crate::topology::{
    Cluster, ClusterRouting, Dragonfly, Duplex, FatTree, Level, Shape, Sharing, Spoke, Tier, ToItself, Torus,
    ZoneId,
};

/// The shapes by the words for them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flat,
    FatTree,
    Torus,
    Dragonfly,
}

const KINDS: &[(&str, Kind)] = &[
    ("FLAT", Kind::Flat),
    ("FAT_TREE", Kind::FatTree),
    ("TORUS", Kind::Torus),
    ("DRAGONFLY", Kind::Dragonfly),
];

fn fat_tree(text: &str) -> Result<Shape, Wrong> {
    const EXPECTED: &str = "expected \"levels;down,..;up,..;cables,..\", such as \"2;4,4;1,2;1,2\"";
    let parts: Vec<&str> = text.split(';').collect();
    let [levels, down, up, cables] = parts[..] else {
        return Err((format!("a fat tree has 4 parts, not {}", parts.len()), EXPECTED));
    };
    let levels = value::count(levels)? as usize;
    let [down, up, cables] = [value::counts(down)?, value::counts(up)?, value::counts(cables)?];
    if [&down, &up, &cables].iter().any(|part| part.len() != levels) {
        return Err((format!("each part has a number for each of {levels} levels"), EXPECTED));
    }
    let level = |((down, up), cables)| Level { down, up, cables };
    let levels = down.into_iter().zip(up).zip(cables).map(level).collect();
    Ok(Shape::FatTree(FatTree { levels }))
}

fn dragonfly(text: &str) -> Result<Shape, Wrong> {
    const EXPECTED: &str =
        "expected \"groups,cables;chassis,cables;routers,cables;nodes\", such as \"3,4;4,3;5,1;2\"";
    let parts: Vec<&str> = text.split(';').collect();
    let [groups, chassis, routers, nodes] = parts[..] else {
        return Err((format!("a dragonfly has 4 parts, not {}", parts.len()), EXPECTED));
    };
    let tier = |text: &str| match value::counts(text)?[..] {
        [count, cables] => Ok(Tier { count, cables }),
        _ => Err((format!("`{text}` is not how many there are and how many cables join two"), EXPECTED)),
    };
    let (groups, chassis, routers) = (tier(groups)?, tier(chassis)?, tier(routers)?);
    Ok(Shape::Dragonfly(Dragonfly { groups, chassis, routers, nodes: value::count(nodes)? }))
}

impl PlatformReader<'_> {
    fn shape(&mut self, element: &Element) -> Option<Shape> {
        let kind = match element.get("topology") {
            Some(_) => self.choice(element, "topology", KINDS)?,
            None => Kind::Flat,
        };
        if kind == Kind::Flat {
            return Some(Shape::Crossbar);
        }
        if element.get("topo_parameters").is_none() {
            let what = "this topology lacks `topo_parameters`";
            self.report(code::MISSING_KEY, what, element.place("topology"), "its numbers are written there");
        }
        self.read(element, "topo_parameters", |text| match kind {
            Kind::FatTree => fat_tree(text),
            Kind::Torus => value::counts(text).map(|dimensions| Shape::Torus(Torus { dimensions })),
            Kind::Dragonfly | Kind::Flat => dragonfly(text),
        })
    }

    /// The link whose bandwidth and latency these attributes give, if one of them is there.
    fn link_of(&mut self, element: &Element, bandwidth: &str, latency: &str) -> Option<Link> {
        element.get(bandwidth).or(element.get(latency))?;
        if element.get(bandwidth).is_none() {
            let what = format!("`{latency}` without `{bandwidth}`");
            self.report(code::MISSING_KEY, what, element.place(latency), "a link has both");
        }
        Some(self.measured(element, bandwidth, latency))
    }

    pub(super) fn cluster(&mut self, element: &Element, parent: ZoneId) {
        let [name, prefix, suffix] = ["id", "prefix", "suffix"].map(|name| element.value(name).to_owned());
        let numbers = self.read(element, "radical", value::radical);
        let mut host = Host::new("", 1.0);
        host.speeds = self.speeds(element);
        host.cores = self.read(element, "core", value::count).unwrap_or(1);
        let link = self.link_of(element, "bw", "lat").unwrap_or_else(|| Link::new(1.0, 0.0));
        let mut backbone = self.link_of(element, "bb_bw", "bb_lat");
        if self.choice(element, "bb_sharing_policy", POLICIES) == Some(Sharing::Fatpipe) {
            backbone = backbone.map(Link::fatpipe);
        }
        let mut sharing = self.choice(element, "sharing_policy", POLICIES).unwrap_or(Sharing::Split);
        if sharing == Sharing::Fatpipe {
            let what = "FATPIPE of a cluster's links is taken as SHARED, as SimGrid does";
            self.warnings.push(Complaint::new(code::PLATFORM, what, element.place("sharing_policy")));
            sharing = Sharing::Shared;
        }
        let loopback = self.link_of(element, "loopback_bw", "loopback_lat").map(Link::fatpipe);
        let limiter = self.bandwidth(element, "limiter_link").map(|bandwidth| Link::new(bandwidth, 0.0));
        let router = match element.get("router_id").filter(|router| !router.value.is_empty()) {
            Some(router) => router.value.clone(),
            None => format!("{prefix}{name}_router{suffix}"),
        };
        let shape = self.shape(element);
        let (Some(numbers), Some(shape)) = (numbers, shape) else { return };
        let to_itself = ToItself::OverTheMiddle;
        let cluster = Cluster {
            name,
            prefix,
            suffix,
            numbers,
            host,
            described: Vec::new(),
            link,
            drawn: None,
            sharing,
            backbone,
            loopback,
            limiter,
            to_itself,
            routing: ClusterRouting::AsInSimGrid,
            router,
            shape,
        };
        let made = self.builder.cluster(parent, &cluster);
        let Some(zone) = self.part(made, element.place("id")) else { return };
        for (id, value) in properties(element) {
            self.builder.zone_property(zone, id, value);
        }
    }

    pub(super) fn cabinet(&mut self, element: &Element, zone: ZoneId) {
        let numbers = self.read(element, "radical", value::radical).unwrap_or_default();
        let speeds = self.speeds(element);
        let link = self.link_of(element, "bw", "lat").unwrap_or_else(|| Link::new(1.0, 0.0));
        for number in numbers {
            let name = format!("{}{number}{}", element.value("prefix"), element.value("suffix"));
            let mut host = Host::new(name.clone(), 1.0);
            host.speeds.clone_from(&speeds);
            host.properties = properties(element);
            let host = self.builder.host_in(zone, host);
            let cable = self.builder.split_link(&format!("link_{name}"), link.clone());
            let (host, cable) =
                (self.part(host, element.place("radical")), self.part(cable, element.place("radical")));
            let (Some(host), Some(Duplex { up, down })) = (host, cable) else { return };
            let done = self.builder.spoke(host, Spoke::new(up, down));
            if self.part(done, element.at).is_none() {
                return;
            }
        }
    }
}
