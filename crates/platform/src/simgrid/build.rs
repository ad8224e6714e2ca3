//! The parts made of the elements of a platform file: zones, hosts, routers and links. Routes
//! follow when all of these are there.

use crate::collections::{OrderedMap, OrderedSet};
use crate::error::PlatformError;
use crate::hosts::{Disk, Host};
use crate::links::Link;
use crate::registry::code::{self, Code};
use crate::registry::{Complaint, Complaints, Sources, Span, suggestion};
use crate::simgrid::profiles::Profiles;
use crate::simgrid::value::{self, Wrong};
use crate::text::xml::Element;
use crate::topology::{Builder, Duplex, Joins, NetPoint, Route, Routing, Sharing, Spoke, ToItself, ZoneId};

/// The words for policies of links.
pub(super) const POLICIES: &[(&str, Sharing)] = &[
    ("SHARED", Sharing::Shared),
    ("HALFDUPLEX", Sharing::Shared),
    ("FATPIPE", Sharing::Fatpipe),
    ("SPLITDUPLEX", Sharing::Split),
];

/// Bandwidth of the link by which hosts reach themselves that have no other, as SimGrid has it.
const LOOPBACK: f64 = 10e9;

/// The words for routings of zones.
const ROUTINGS: &[(&str, Routing)] = &[
    ("Full", Routing::Full),
    ("Floyd", Routing::ShortestPath),
    ("Dijkstra", Routing::ShortestPath),
    ("DijkstraCache", Routing::ShortestPath),
    ("Cluster", Routing::Star),
    ("Star", Routing::Star),
    ("Vivaldi", Routing::Vivaldi),
    ("None", Routing::None),
    ("Empty", Routing::None),
];

/// A function that reads a quantity.
type Reading = fn(&str) -> Result<f64, Wrong>;

/// The platform as it is made, and what is wrong with it.
pub(super) struct PlatformReader<'s> {
    pub(super) sources: &'s Sources,
    pub(super) builder: Builder,
    pub(super) links: OrderedMap<String, Duplex>,
    pub(super) profiles: Profiles,
    pub(super) coordinates: OrderedMap<NetPoint, [f64; 3]>,
    pub(super) complaints: Complaints,
    pub(super) warnings: Vec<Complaint>,
}

impl PlatformReader<'_> {
    /// Complains about the text at `at`.
    pub(super) fn report(&mut self, code: &'static Code, what: impl Into<String>, at: Span, label: &str) {
        self.complaints.push(Complaint::new(code, what, at).label(label));
    }

    /// The part in `done`; `None`, with a complaint at `at`, if that was an error.
    pub(super) fn part<T>(&mut self, done: Result<T, PlatformError>, at: Span) -> Option<T> {
        match done {
            Ok(part) => Some(part),
            Err(wrong) => {
                let code = if let PlatformError::Value { .. } = wrong { code::RANGE } else { code::PLATFORM };
                self.complaints.push(Complaint::new(code, wrong.to_string(), at));
                None
            }
        }
    }

    /// Reads an attribute; `None` if it is not there, or, with a complaint, not right.
    pub(super) fn read<T>(
        &mut self,
        element: &Element,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, Wrong>,
    ) -> Option<T> {
        let attribute = element.get(name)?;
        match read(&attribute.value) {
            Ok(read) => Some(read),
            Err((what, expected)) => {
                self.report(code::QUANTITY, what, attribute.value_at, expected);
                None
            }
        }
    }

    /// As [`PlatformReader::read`], of a quantity; and warns of one without a unit.
    pub(super) fn quantity(
        &mut self,
        element: &Element,
        name: &str,
        (read, base): (Reading, &str),
    ) -> Option<f64> {
        let number = self.read(element, name, read)?;
        let text = element.value(name);
        if number > 0.0 && !text.ends_with(|c: char| c.is_ascii_alphabetic()) {
            let what = format!("`{text}` has no unit: {base} are taken");
            self.warnings.push(Complaint::new(code::QUANTITY, what, element.place(name)));
        }
        Some(number)
    }

    pub(super) fn bandwidth(&mut self, element: &Element, name: &str) -> Option<f64> {
        self.quantity(element, name, (value::bandwidth, "bytes per second"))
    }

    pub(super) fn latency(&mut self, element: &Element, name: &str) -> Option<f64> {
        self.quantity(element, name, (value::seconds, "seconds"))
    }

    /// A link of the bandwidth and the latency that these attributes give.
    pub(super) fn measured(&mut self, element: &Element, bandwidth: &str, latency: &str) -> Link {
        let bandwidth = self.bandwidth(element, bandwidth).unwrap_or(1.0);
        Link::new(bandwidth, self.latency(element, latency).unwrap_or(0.0))
    }

    /// One of the words that an attribute may be, or nothing if it is not there.
    pub(super) fn choice<T: Copy>(
        &mut self,
        element: &Element,
        name: &str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let attribute = element.get(name)?;
        let choice = value::choice(&attribute.value, words);
        if choice.is_none() {
            let what = format!("`{}` is no {name} that is read", attribute.value);
            let complaint = Complaint::new(code::UNKNOWN_NAME, what, attribute.value_at);
            let help = match attribute.value.to_ascii_lowercase().as_str() {
                "wifi" => "wireless links and zones are not modelled".to_owned(),
                _ => suggestion(&attribute.value, words.iter().map(|(word, _)| *word)),
            };
            self.complaints.push(complaint.help(help));
        }
        choice
    }

    /// Everything in the element of the platform or of a zone but routes.
    pub(super) fn contents(&mut self, element: &Element, zone: ZoneId) {
        for child in &element.children {
            match child.name.as_str() {
                "zone" => self.zone(child, zone),
                "host" => self.host(child, zone),
                "router" => self.router(child, zone),
                "link" => self.link(child),
                "cluster" => self.cluster(child, zone),
                "cabinet" => self.cabinet(child, zone),
                "backbone" => self.backbone(child, zone),
                "peer" => self.peer(child, zone),
                "prop" => self.builder.zone_property(zone, child.value("id"), child.value("value")),
                _ => {}
            }
        }
    }

    fn zone(&mut self, element: &Element, parent: ZoneId) {
        let routing = self.choice(element, "routing", ROUTINGS).unwrap_or(Routing::None);
        let made = self.builder.zone(parent, element.value("id"), routing);
        let Some(zone) = self.part(made, element.place("id")) else { return };
        self.contents(element, zone);
        match routing {
            Routing::Star => self.star(zone),
            Routing::Vivaldi => {
                self.builder.to_itself(zone, ToItself::OverTheMiddle).expect("the zone is of this kind");
                self.places(element, zone);
            }
            _ => {}
        }
    }

    /// Gives the hosts of zones that route by tables and hold no zones a route to themselves, where
    /// the file has none.
    pub(super) fn loopbacks(&mut self) {
        let mut loopback = None;
        for zone in self.builder.so_far().zones() {
            let points = self.builder.so_far().points(zone).to_vec();
            let tables = matches!(self.builder.so_far().zone(zone).joins, Joins::Declared(_));
            if !tables || points.iter().any(|point| matches!(point, NetPoint::Zone(_))) {
                continue;
            }
            for host in points.into_iter().filter(|point| matches!(point, NetPoint::Host(_))) {
                let name = "__loopback__";
                let link = *loopback.get_or_insert_with(|| {
                    let link = Link::new(LOOPBACK, 0.0).fatpipe();
                    self.builder.link(name, link).ok().or(self.builder.so_far().link_named(name))
                });
                let Some(link) = link else { return };
                // refused where there is one already
                let _ = self.builder.route_in(zone, &Route::new(host, host).over([link]).one_way());
            }
        }
    }

    /// Hosts of clusters without a loopback use their links for themselves; the first router sits
    /// in the middle.
    fn star(&mut self, zone: ZoneId) {
        let points = self.builder.so_far().points(zone);
        let router = points
            .iter()
            .find_map(|point| if let NetPoint::Router(router) = point { Some(*router) } else { None });
        self.builder.to_itself(zone, ToItself::OverTheMiddle).expect("the zone is a star");
        if let Some(router) = router {
            self.builder.middle(router).expect("it is the first");
        }
    }

    /// Gives the points of a Vivaldi zone their coordinates; zones have those of the router that is
    /// called after them.
    fn places(&mut self, element: &Element, zone: ZoneId) {
        for point in self.builder.so_far().points(zone).to_vec() {
            let name = self.builder.so_far().point_name(point).to_owned();
            let (gateway, of) = match point {
                NetPoint::Zone(_) => {
                    let router = self.builder.point_named(&format!("router_{name}"));
                    (router, router)
                }
                _ => (None, Some(point)),
            };
            let at = of.and_then(|of| self.coordinates.get(&of)).copied();
            let span = element.children.iter().find(|child| child.value("id") == name);
            let span = span.map_or(element.at, |child| child.place("id"));
            match at {
                Some(at) => {
                    let placed = self.builder.place(point, at, gateway);
                    self.part(placed, span);
                }
                None => {
                    let what = format!("`{name}` has no coordinates");
                    let label = "a zone has those of a router in it: `router_` and its id";
                    let label = if let NetPoint::Zone(_) = point { label } else { "expected three numbers" };
                    self.report(code::MISSING_KEY, what, span, label);
                }
            }
        }
    }

    /// The speeds of a host, one at least.
    pub(super) fn speeds(&mut self, element: &Element) -> Vec<f64> {
        let speeds = self.read(element, "speed", |text| text.split(',').map(value::speed).collect());
        speeds.filter(|speeds: &Vec<f64>| !speeds.is_empty()).unwrap_or_else(|| vec![1.0])
    }

    /// The host that an element describes.
    pub(super) fn described(&mut self, element: &Element) -> Host {
        let name = element.value("id");
        let mut host = Host::new(name, 1.0);
        host.speeds = self.speeds(element);
        host.cores = self.read(element, "core", value::count).unwrap_or(1);
        host.power_state = self.read(element, "pstate", value::count).unwrap_or(0) as usize;
        for file in ["availability_file", "speed_file"] {
            host.availability = self.profile(element, file, "SPEED").unwrap_or(host.availability);
        }
        host.working = self.profile(element, "state_file", "HOST_AVAIL").unwrap_or(host.working);
        host.properties = properties(element);
        for child in element.children("disk") {
            host.disks.push(Disk {
                name: child.value("id").to_owned(),
                read_bandwidth: self.bandwidth(child, "read_bw").unwrap_or(1.0),
                write_bandwidth: self.bandwidth(child, "write_bw").unwrap_or(1.0),
                properties: properties(child),
            });
        }
        host
    }

    fn host(&mut self, element: &Element, zone: ZoneId) {
        let host = self.described(element);
        let made = self.builder.host_in(zone, host);
        let Some(host) = self.part(made, element.place("id")) else { return };
        self.at(element, host.into());
    }

    fn router(&mut self, element: &Element, zone: ZoneId) {
        let made = self.builder.router(zone, element.value("id"));
        let Some(router) = self.part(made, element.place("id")) else { return };
        self.at(element, router.into());
    }

    fn at(&mut self, element: &Element, point: NetPoint) {
        if let Some(at) = self.read(element, "coordinates", value::coordinates) {
            self.coordinates.insert(point, at);
        }
    }

    fn peer(&mut self, element: &Element, zone: ZoneId) {
        let host = self.described(element);
        let made = self.builder.host_in(zone, host);
        let Some(host) = self.part(made, element.place("id")) else { return };
        self.at(element, host.into());
        if self.latency(element, "lat").is_some_and(|latency| latency > 0.0) {
            let what = "`lat` of a peer is passed over, as SimGrid does";
            let warning = Complaint::new(code::PLATFORM, what, element.place("lat"));
            self.warnings.push(warning.label("the third of its coordinates is its latency to all others"));
        }
        let link = |reader: &mut Self, bandwidth: &str, ending: &str| {
            let link = Link::new(reader.bandwidth(element, bandwidth).unwrap_or(1.0), 0.0);
            let made = reader.builder.link(format!("link_{}{ending}", element.value("id")), link);
            reader.part(made, element.place("id"))
        };
        let (up, down) = (link(self, "bw_out", "_UP"), link(self, "bw_in", "_DOWN"));
        let (Some(up), Some(down)) = (up, down) else { return };
        let done = self.builder.spoke(host, Spoke::new(up, down));
        self.part(done, element.at);
    }

    fn link(&mut self, element: &Element) {
        let name = element.value("id");
        let policy = self.choice(element, "sharing_policy", POLICIES);
        let wireless = policy.is_none() && element.get("sharing_policy").is_some();
        let bandwidth = if wireless { None } else { self.bandwidth(element, "bandwidth") };
        let (bandwidth, latency) =
            (bandwidth.unwrap_or(1.0), self.latency(element, "latency").unwrap_or(0.0));
        let mut link = Link::new(bandwidth, latency);
        if let Some(trace) = self.profile(element, "bandwidth_file", "BANDWIDTH") {
            link.bandwidth = trace.before(bandwidth);
        }
        if let Some(trace) = self.profile(element, "latency_file", "LATENCY") {
            link.latency = trace.before(latency);
        }
        link.working = self.profile(element, "state_file", "LINK_AVAIL").unwrap_or(link.working);
        let made = self.builder.shared_link(name, link, policy.unwrap_or(Sharing::Shared));
        let Some(linked) = self.part(made, element.place("id")) else { return };
        for link in OrderedSet::from([linked.up, linked.down]) {
            for (id, value) in properties(element) {
                self.builder.link_property(link, id, value);
            }
        }
        self.links.insert(name.to_owned(), linked);
    }

    fn backbone(&mut self, element: &Element, zone: ZoneId) {
        let link = self.measured(element, "bandwidth", "latency");
        let made = self.builder.link(element.value("id"), link);
        let Some(link) = self.part(made, element.place("id")) else { return };
        self.links.insert(element.value("id").to_owned(), Duplex { up: link, down: link });
        let done = self.builder.backbone(zone, link);
        self.part(done, element.at);
    }
}

/// The properties in an element.
pub(super) fn properties(element: &Element) -> OrderedMap<String, String> {
    let of = |child: &Element| (child.value("id").to_owned(), child.value("value").to_owned());
    element.children("prop").map(of).collect()
}
