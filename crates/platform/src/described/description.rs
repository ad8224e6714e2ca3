//! Zones, hosts, routers and links out of their tables.

use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::rng::{Sampler, Streams};
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Complaint, Node, Params, Span, Value, code, suggestion};
use crate::sharing::LinkId;
use crate::units::Bandwidth;
use crate::{BehindLink, Builder, Duplex, Link, Load, NetPoint, PlatformError, Routing, Sharing, ZoneId};

use super::Described;
use super::nesting::{Around, order};
use super::traces::trace;

/// A platform that is being described.
pub(super) struct TableReader<'a> {
    pub(super) params: Params<'a>,
    /// Source of everything drawn.
    pub(super) streams: &'a Streams,
    /// True if anything was.
    pub(super) drawn: bool,
    pub(super) builder: Builder,
    pub(super) complaints: Vec<Complaint>,
    /// Links by name; none for one that is wrong, so that no route complains that it is not there.
    pub(super) links: OrderedMap<String, Option<LinkId>>,
    /// Hosts, routers and zones that are wrong.
    pub(super) invalid: OrderedSet<String>,
    /// Clusters whose hosts are described one by one.
    pub(super) of_described: OrderedSet<String>,
    /// Clusters behind a link that begins at no host yet.
    pub(super) behind: Vec<BehindLink>,
}

impl<'a> TableReader<'a> {
    /// The platform that the tables of `params` describe, whose hosts may be drawn from `streams`.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub(super) fn of(params: &Params<'a>, streams: &'a Streams) -> Result<Described, Vec<Complaint>> {
        let mut all = TableReader {
            params: *params,
            streams,
            drawn: false,
            builder: Builder::new(),
            complaints: Vec::new(),
            links: OrderedMap::new(),
            invalid: OrderedSet::new(),
            of_described: OrderedSet::new(),
            behind: Vec::new(),
        };
        all.zones();
        all.each("cluster", Self::cluster);
        all.each("cluster", Self::cluster_behind);
        all.each("host", Self::host);
        all.origin();
        all.each("router", Self::router);
        all.each("link", Self::link);
        all.backbones();
        all.each("spoke", Self::spoke);
        all.each("route", Self::route);
        if all.builder.so_far().hosts().is_empty() && all.complaints.is_empty() {
            let complaint = params.complaint("host", "the platform has no hosts");
            let complaint = Complaint { code: code::MISSING_KEY, ..complaint };
            all.complaints
                .push(complaint.help("write [[platform.host]], [[platform.cluster]], `file` or `random`"));
        }
        all.complaints.stable_sort_by_key(|complaint| complaint.span);
        if !all.complaints.is_empty() {
            return Err(all.complaints);
        }
        Ok(Described { drawn: all.drawn, ..all.builder.build().into() })
    }

    fn each(&mut self, list: &str, make: fn(&mut Self, &Params<'a>) -> Result<(), Vec<Complaint>>) {
        for node in self.params.items(list) {
            let table = self.params.with(node);
            if let Err(complaints) = make(self, &table) {
                self.complaints.extend(complaints);
                let name = table.tree().get("name").and_then(Node::as_text);
                self.invalid.extend(name.map(ToOwned::to_owned));
                if list == "link" {
                    self.links.extend(name.map(|name| (name.to_owned(), None)));
                }
            }
        }
    }

    /// A zone named by the key `zone`, or else the outermost.
    pub(super) fn zone(&self, table: &Params<'_>) -> Result<ZoneId, Vec<Complaint>> {
        let Some(name) = table.read::<Option<String>>("zone")? else {
            return Ok(ZoneId::TOP);
        };
        self.builder.so_far().zone_named(&name).ok_or_else(|| {
            if self.invalid.contains(&name) {
                return Vec::new();
            }
            let complaint =
                Complaint::new(code::UNKNOWN_NAME, format!("there is no zone `{name}`"), table.span("zone"));
            let help = || suggestion(&name, self.zone_names().iter().map(String::as_str));
            vec![complaint.label("not described").help_while_few(self.complaints.len(), help)]
        })
    }

    /// The distribution of a key.
    ///
    /// # Errors
    /// What it objects to.
    pub(super) fn law(&mut self, table: &Params<'_>, key: &str) -> Result<Sampler, Complaint> {
        let kind = table.section(key).read::<String>("kind")?;
        self.drawn |= kind != "constant";
        table.component(key, "distribution").map(|law| *law)
    }

    /// The load that a key gives, if it is written.
    ///
    /// # Errors
    /// What its distribution objects to, and an interval that is too short.
    pub(super) fn load(&mut self, table: &Params<'_>, key: &str) -> Result<Option<Load>, Complaint> {
        if !table.has(key) {
            return Ok(None);
        }
        let law = self.law(table, key)?;
        let table = table.section(key);
        let every: Option<SimDuration> = table.read("every")?;
        if every.is_some_and(|every| every < Load::SHORTEST) {
            let complaint = Complaint::new(code::RANGE, "a load is drawn too often", table.span("every"));
            return Err(complaint.label("expected 1 ms or more"));
        }
        Ok(Some(Load::new(law, every).at_least(table.read("least-available")?)))
    }

    fn zone_names(&self) -> Vec<String> {
        let so_far = self.builder.so_far();
        so_far.zones().skip(1).map(|zone| so_far.zone_name(zone).to_owned()).collect()
    }

    /// Zones, those that lie in others after these, in whatever order they are described.
    fn zones(&mut self) {
        let nodes = self.params.items("zone");

        let mut names: OrderedMap<&str, usize> = OrderedMap::new();
        for (position, node) in nodes.iter().enumerate() {
            names.extend(
                node.text_at("name").filter(|name| !names.contains_key(name)).map(|name| (name, position)),
            );
        }
        let around = nodes.iter().map(|node| match node.text_at("zone") {
            None => Around::There,
            Some(outer) if self.builder.so_far().zone_named(outer).is_some() => Around::There,
            Some(outer) => names.get(outer).map_or(Around::Unknown, |&position| Around::Listed(position)),
        });
        let mut left_out = vec![true; nodes.len()];
        for position in order(&around.collect::<Vec<Around>>()) {
            left_out[position] = false;
            let table = self.params.with(&nodes[position]);
            if let Err(complaints) = self.add_zone(&table) {
                self.complaints.extend(complaints);
                self.invalid.extend(nodes[position].text_at("name").map(ToOwned::to_owned));
            }
        }
        for (node, _) in nodes.iter().zip(left_out).filter(|(_, left_out)| *left_out) {
            let table = self.params.with(node);
            let parent = table.tree().get("zone").and_then(Node::as_text).unwrap_or_default();
            let message = if names.contains_key(parent) {
                "this zone lies in itself".to_owned()
            } else {
                format!("there is no zone `{parent}`")
            };
            let complaint = Complaint::new(code::UNKNOWN_NAME, message, table.span("zone"));
            let complaint = complaint.label("expected a zone that is described elsewhere");
            let help = || suggestion(parent, names.keys().copied());
            self.complaints.push(complaint.help_while_few(self.complaints.len(), help));
            let name = table.tree().get("name").and_then(Node::as_text);
            self.invalid.extend(name.map(ToOwned::to_owned));
        }
    }

    fn add_zone(&mut self, table: &Params<'_>) -> Result<(), Vec<Complaint>> {
        let routings = [
            ("full", Routing::Full),
            ("shortest-path", Routing::ShortestPath),
            ("star", Routing::Star),
            ("none", Routing::None),
        ];
        let parent = self.zone(table)?;
        let (name, routing) = (table.read::<String>("name")?, table.pick("routing", &routings)?);
        let zone = self.builder.zone(parent, &name, routing).map_err(|why| refused(table, "name", &why))?;
        for (key, value) in properties(table) {
            self.builder.zone_property(zone, key, value);
        }
        Ok(())
    }

    /// Links in the middles of stars.
    fn backbones(&mut self) {
        for node in self.params.items("zone") {
            let table = self.params.with(node);
            let (Some(name), Some(link)) =
                (table.tree().get("name").and_then(Node::as_text), table.tree().get("backbone").cloned())
            else {
                continue;
            };
            let Some(zone) = self.builder.so_far().zone_named(name) else { continue };
            match self.link_named(&link, self.complaints.len()) {
                Ok(link) => {
                    let put = self.builder.backbone(zone, link);
                    self.complaints.extend(put.err().map(|why| refused(&table, "backbone", &why)));
                }
                Err(complaint) => self.complaints.extend(complaint),
            }
        }
    }

    fn router(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        let zone = self.zone(table)?;
        let name: String = table.read("name")?;
        self.builder.router(zone, &name).map_err(|why| refused(table, "name", &why))?;
        Ok(())
    }

    fn link(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        let name: String = table.read("name")?;
        let mut link = plain_link(table)?;
        let load = self.load(table, "load")?;
        let mut complaints = Vec::new();
        given_once(table, ["bandwidth-trace", "load"], "what is left of the bandwidth")?;
        for (key, value) in [
            ("bandwidth-trace", &mut link.bandwidth),
            ("latency-trace", &mut link.latency),
            ("state-trace", &mut link.working),
        ] {
            match trace(table, key) {
                Ok(Some(staggered)) => *value = staggered.of(0).before(value.value_at(SimTime::ZERO)),
                Ok(None) => {}
                Err(mistakes) => complaints.extend(mistakes),
            }
        }
        if !complaints.is_empty() {
            return Err(complaints);
        }
        let added = self.builder.shared_link(&name, link, table.pick("sharing", &SHARINGS)?);
        let Duplex { up, down } = added.map_err(|why| refused(table, "name", &why))?;
        let ids = OrderedSet::from([up, down]);
        self.builder.load_links(ids.iter().copied(), load.as_ref(), self.streams);
        for (key, value) in properties(table) {
            ids.iter().for_each(|&id| self.builder.link_property(id, &key, &value));
        }
        Ok(())
    }

    /// Known names of points, for messages: hosts, routers and zones.
    pub(super) fn point_names(&self) -> Vec<String> {
        let so_far = self.builder.so_far();
        let mut names = self.zone_names();
        for zone in so_far.zones() {
            names.extend(so_far.points(zone).iter().map(|&point| so_far.point_name(point).to_owned()));
        }
        names
    }

    /// The host, router or zone of this name.
    pub(super) fn point_named(&self, name: &str) -> Option<NetPoint> {
        self.builder.point_named(name).or_else(|| self.builder.so_far().zone_named(name).map(NetPoint::Zone))
    }
}

/// Refuses a table that has more than one of these keys, which all say the same.
pub(super) fn given_once<const N: usize>(
    table: &Params<'_>,
    keys: [&str; N],
    what: &str,
) -> Result<(), Complaint> {
    let given: Vec<&str> = keys.into_iter().filter(|key| table.has(key)).collect();
    let [first, second, ..] = given[..] else { return Ok(()) };
    Err(table.complaint(first, format!("{what} is given twice")).note("and here", Some(table.span(second))))
}

/// Sharing of links and cables, by the words for it.
pub(super) const SHARINGS: [(&str, Sharing); 3] =
    [("shared", Sharing::Shared), ("fatpipe", Sharing::Fatpipe), ("split-duplex", Sharing::Split)];

/// A link of the keys `bandwidth` and `latency`.
pub(super) fn plain_link(table: &Params<'_>) -> Result<Link, Complaint> {
    let (bandwidth, latency): (Bandwidth, SimDuration) = (table.read("bandwidth")?, table.read("latency")?);
    Ok(Link::new(bandwidth.bytes_per_sec(), latency.as_secs_f64()))
}

/// Complaint for an error of the builder, at the value of a key.
pub(super) fn refused(table: &Params<'_>, key: &str, why: &PlatformError) -> Complaint {
    let at: Span = match why {
        PlatformError::Value { what: "bandwidth", .. } if table.has("bandwidth") => table.span("bandwidth"),
        PlatformError::Value { what: "latency", .. } if table.has("latency") => table.span("latency"),
        PlatformError::Value { what: "speed", .. } if table.has("speed") => table.span("speed"),
        PlatformError::Value { what: "power state", .. } if table.has("power-state") => {
            table.span("power-state")
        }
        _ => table.span(key),
    };
    Complaint::new(code::CONTRADICTION, why.to_string(), at)
}

pub(super) fn properties(table: &Params<'_>) -> OrderedMap<String, String> {
    let Some(Value::Table(tree)) = table.tree().get("properties").map(|node| &node.value) else {
        return OrderedMap::new();
    };
    let text = |node: &Node| node.as_text().unwrap_or_default().to_owned();
    tree.slots().iter().map(|slot| (slot.name.clone(), text(&slot.node))).collect()
}
