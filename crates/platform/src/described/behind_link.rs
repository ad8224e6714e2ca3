//! Clusters behind one link of the origin, as parameter sweeps have them, and what all clusters say
//! of their hosts.

use crate::clustered::clusters::{ARCHITECTURE, CAPACITY, PRICE, PRICE_PER_BYTE, QUEUE_WAIT, STORAGE};
use crate::clustered::grid::ORIGIN;
use crate::collections::OrderedMap;
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{
    Absent, Bounds, Complaint, Key, Kind, Node, Params, Quantity, code, keys, suggestion, to_inline,
};
use crate::units::grouped;
use crate::{Cluster, Host, HostId, Link, Load, Platform, PlatformError, Trace, Varying, ZoneId};

use super::SWEEP_SPEED;
use super::description::{TableReader, given_once, refused};
use super::keys::{LATENCY, TRACE, TRACE_OF_HOSTS, state_trace};
use super::traces::{Staggered, shares, trace};
use super::varying::{EVERY, FAILURES, RATES, SHARES};

const OWN_LINK: &[Key] = &keys! {
    "bandwidth" Kind::DistributionWith(Quantity::Bandwidth, &EVERY) => "data carried per second, in either direction";
    ..LATENCY;
    "bandwidth-trace" TRACE, absent "it does not change" =>
        "the bandwidth over time [bytes/s]; `bandwidth` holds before its first point";
    "latency-trace" TRACE, absent "it does not change" =>
        "the latency over time [s]; `latency` holds before its first point";
    ..state_trace(TRACE);
    ..FAILURES;
};

/// Default of a key of a cluster behind one link, which has no other topology.
const fn behind(means: &'static str) -> Absent {
    Absent::OnlyIf { key: "topology", is: "crossbar", means }
}

/// Keys that only clusters behind one link have.
pub(super) const ONLY_BEHIND: [&str; 6] =
    ["architecture", "storage", "capacity", "queue-wait", "price", "price-per-byte"];

/// Keys of a cluster besides its name, size and cables.
pub(super) const OF_SWEEPS: [Key; 11] = keys! {
    "link" Kind::Table(OWN_LINK), otherwise behind("cables join its hosts, and routes lead to it") =>
        "the one link from the origin to it, called as it is; nothing lies between its hosts then";
    "availability" Kind::DistributionWith(Quantity::Number, &EVERY), absent "all of each host" =>
        "the share of its speed that is available, from 0 to 1, drawn for each host";
    "availability-trace" TRACE_OF_HOSTS, absent "it does not change" => "the share over time";
    ..state_trace(TRACE_OF_HOSTS);
    ..FAILURES;
    "architecture" Kind::Count { least: 0, most: 999 }, otherwise behind("0") =>
        "which of the times of a task of a parameter sweep holds on its hosts";
    "storage" Kind::Choice(&[
        ("kept", "files that were sent to it stay for other tasks"),
        ("none", "each task has its files sent"),
    ]), otherwise behind("kept") => "whether it has a storage that parameter sweeps use";
    "capacity" Kind::Bytes, otherwise behind("no limit") =>
        "what inputs its storage holds at most; those that no task needs are removed for others, the least recently used first";
    "price" Kind::Number(Bounds::NotNegative), otherwise behind("nothing") =>
        "what each second costs in which one of its processors computes a task, lost computations included [any currency]";
    "price-per-byte" Kind::Number(Bounds::NotNegative), otherwise behind("nothing") =>
        "what each byte costs that its link carries in either direction, if it arrives [the same currency]";
    "queue-wait" Kind::Distribution(Quantity::Duration), otherwise behind("no time: its hosts are interactive") =>
        "how long a task of a parameter sweep waits in the batch queue of a host, drawn for each start";
};

/// Laws of each host, from the keys of a cluster.
pub(super) struct HostLaws {
    drawn: Option<Varying>,
    shares: Option<Staggered>,
    load: Option<Load>,
    properties: OrderedMap<String, String>,
}

impl HostLaws {
    /// Sets what the laws say of the host of this number.
    pub(super) fn change(&self, streams: &Streams, number: u32, host: &mut Host) {
        if let Some(drawn) = &self.drawn {
            host.availability = drawn.availability(streams, &host.name);
        }
        if let Some(shares) = &self.shares {
            host.availability = shares.of(number);
        }
        if let Some(load) = &self.load {
            host.availability = load.availability(streams, &host.name);
        }
        host.properties.extend(self.properties.clone());
    }
}

impl<'a> TableReader<'a> {
    /// Reads the laws of the hosts of a cluster.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(super) fn host_laws(&mut self, table: &Params<'_>) -> Result<HostLaws, Vec<Complaint>> {
        given_once(table, ["availability", "availability-trace", "load"], "the availability")?;
        let mut properties = OrderedMap::new();
        let architecture = table.read::<Option<u32>>("architecture")?.unwrap_or(0);
        if architecture > 0 {
            properties.insert(ARCHITECTURE.to_owned(), architecture.to_string());
        }
        if let Some(wait) = table.tree().get("queue-wait") {
            // its draws are those of the run, which starts tasks
            self.law(table, "queue-wait")?;
            properties.insert(QUEUE_WAIT.to_owned(), to_inline(wait));
        }
        Ok(HostLaws {
            drawn: self.varying(table, "availability", SHARES)?,
            shares: shares(table, "availability-trace")?,
            load: self.load(table, "load")?,
            properties,
        })
    }

    /// Storage and prices of a cluster, as properties of its zone.
    ///
    /// # Errors
    /// A capacity of nothing.
    pub(super) fn of_zone(table: &Params<'_>) -> Result<Vec<(&'static str, String)>, Complaint> {
        let mut properties = Vec::new();
        let storage: Option<String> = table.read("storage")?;
        properties.extend(storage.filter(|storage| storage != "kept").map(|storage| (STORAGE, storage)));
        if let Some(capacity) = table.read::<Option<String>>("capacity")? {
            if properties.is_empty() {
                properties.push((CAPACITY, capacity));
            } else {
                return Err(table.complaint("capacity", "the capacity of a storage that is not there"));
            }
        }
        for (key, property) in [("price", PRICE), ("price-per-byte", PRICE_PER_BYTE)] {
            let price = table.read::<Option<f64>>(key)?;
            properties.extend(price.map(|price| (property, price.to_string())));
        }
        Ok(properties)
    }

    /// The host that holds all files: one that is described, or else a new one in the outermost
    /// zone. The links of clusters begin there.
    pub(super) fn origin(&mut self) {
        let named = self.params.read::<Option<String>>("origin").ok().flatten();
        let Some(name) = named.or((!self.behind.is_empty()).then(|| ORIGIN.to_owned())) else { return };
        if self.invalid.contains(&name) {
            return;
        }
        let made = match self.builder.so_far().host_named(&name) {
            Some(host) => Ok(host),
            None => self.builder.host(Host::new(name, SWEEP_SPEED)),
        };
        let clusters = std::mem::take(&mut self.behind);
        let joined = made.and_then(|origin| {
            clusters.iter().try_for_each(|cluster| self.builder.join_behind(origin, *cluster))
        });
        if let Err(why) = joined {
            self.complaints.push(refused(&self.params, "origin", &why));
        }
        for node in self.params.items("origins") {
            let name = node.as_text().unwrap_or_default();
            if self.invalid.contains(name) || self.builder.so_far().host_named(name).is_some() {
                continue;
            }
            if let Err(why) = self.builder.host(Host::new(name, SWEEP_SPEED)) {
                self.complaints.push(Complaint::new(code::PLATFORM, why.to_string(), node.span));
            }
        }
    }

    /// Adds a host to a zone, which may be a cluster behind a link.
    ///
    /// # Errors
    /// There is a host or router of its name, or its numbers are none.
    pub(super) fn add_host(&mut self, zone: ZoneId, host: Host) -> Result<(), PlatformError> {
        let is_behind = self.behind.iter().any(|cluster| cluster.zone == zone);
        let added =
            if is_behind { self.builder.host_behind(zone, host) } else { self.builder.host_in(zone, host) };
        added.map(drop)
    }

    /// A cluster behind a link of the origin; others are made elsewhere.
    pub(super) fn cluster_behind(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        if !table.has("link") {
            return Ok(());
        }
        let others = ["bandwidth", "link-load", "backbone", "loopback", "limiter", "zone"];
        if let Some(other) = others.into_iter().find(|key| table.has(key)) {
            let complaint = table.complaint(other, format!("a cluster behind one link has no `{other}`"));
            return Err(complaint.note("its link is here", Some(table.span("link"))).into());
        }
        if table.read::<String>("topology")? != "crossbar" {
            let message = "nothing lies between the hosts of a cluster behind one link";
            return Err(table.complaint("topology", message).into());
        }
        let name: String = table.read("name")?;
        let hosts = table.read::<Option<u32>>("hosts")?;
        let is_in = |node: &Node| node.text_at("zone") == Some(&name);
        if hosts.is_none() && !self.params.items("host").iter().any(is_in) {
            let complaint = Complaint::new(code::MISSING_KEY, "missing key `hosts`", table.span("hosts"));
            let help = "`hosts`: how many hosts it has, or describe each: [[platform.host]] with `zone`";
            return Err(complaint.help(help).into());
        }
        let hosts = hosts.unwrap_or(0);
        if hosts > Cluster::MOST_HOSTS {
            let complaint = table.complaint("hosts", format!("a cluster of {} hosts", grouped(hosts.into())));
            return Err(complaint
                .label(format!("expected {} at most", grouped(Cluster::MOST_HOSTS.into())))
                .into());
        }
        let usual = Cluster::new(&*name, 0, Host::new("", 1.0), Link::new(1.0, 0.0));
        let prefix = table.read::<Option<String>>("prefix")?.unwrap_or(usual.prefix);
        let suffix = table.read::<Option<String>>("suffix")?.unwrap_or_default();
        let speed = if table.has("speed") { Some(self.law(table, "speed")?) } else { None };
        let (laws, working) = (self.host_laws(table)?, self.working(table)?);
        let of_zone = Self::of_zone(table)?;
        let cores = table.read::<Option<u32>>("cores")?.unwrap_or(1);
        let link = self.own_link(&table.section("link"), &name)?;
        let made = self.builder.cluster_behind(&name, link).map_err(|why| refused(table, "name", &why))?;
        self.behind.push(made);
        let zone = made.zone;
        for number in 0..hosts {
            let mut host = Host { cores, ..Host::new(format!("{prefix}{number}{suffix}"), SWEEP_SPEED) };
            if let Some(speed) = &speed {
                let mut stream = self.streams.stream(&format!("platform/speed/{}", host.name));
                host.speeds = vec![speed.draw(&mut stream)];
            }
            laws.change(self.streams, number, &mut host);
            host.working = working(self.streams, number, &host.name);
            self.builder.host_behind(zone, host).map_err(|why| refused(table, "name", &why))?;
        }
        of_zone.into_iter().for_each(|(key, value)| self.builder.zone_property(zone, key, value));
        Ok(())
    }

    /// The link of a cluster called `name`.
    fn own_link(&mut self, table: &Params<'_>, name: &str) -> Result<Link, Vec<Complaint>> {
        let latency: SimDuration = table.read("latency")?;
        let drawn = self.varying(table, "bandwidth", RATES)?;
        let mut bandwidth = drawn.map_or(Trace::constant(1.0), |drawn| drawn.bandwidth(self.streams, name));
        if let Some(given) = trace(table, "bandwidth-trace")? {
            if bandwidth.is_drawn() {
                let complaint = table.complaint("bandwidth", "the bandwidth is drawn, and a trace gives it");
                return Err(complaint.note("the trace is here", Some(table.span("bandwidth-trace"))).into());
            }
            bandwidth = given.of(0).before(bandwidth.value_at(SimTime::ZERO));
        }
        let mut link = Link { bandwidth, ..Link::new(1.0, latency.as_secs_f64()) };
        if let Some(given) = trace(table, "latency-trace")? {
            link.latency = given.of(0).before(latency.as_secs_f64());
        }
        link.working = self.working(table)?(self.streams, 0, name);
        Ok(link)
    }
}

/// Mistakes of the name of the origin, if a platform that is read or drawn has no such host.
pub(super) fn missing_origin(params: &Params<'_>, platform: &Platform) -> Option<Complaint> {
    let first = params.read::<Option<String>>("origin").ok().flatten();
    let first = first.map(|name| (name, params.span("origin")));
    let further =
        params.items("origins").iter().filter_map(|node| Some((node.as_text()?.to_owned(), node.span)));
    let (name, at) =
        first.into_iter().chain(further).find(|(name, _)| platform.host_named(name).is_none())?;
    let message = format!("there is no host `{name}`");
    let complaint = Complaint::new(code::UNKNOWN_NAME, message, at);
    Some(complaint.help(suggestion(&name, platform.hosts().iter().map(|host| host.name.as_str()))))
}

/// The hosts that hold files of a parameter sweep besides the first, by a checked `[platform]`.
///
/// # Errors
/// There is no such host, or it is named twice.
pub(super) fn further_origins(
    params: &Params<'_>,
    platform: &Platform,
    first: HostId,
) -> Result<Vec<HostId>, Vec<Complaint>> {
    let (mut found, mut complaints) = (vec![first], Vec::new());
    for node in params.items("origins") {
        let name = node.as_text().unwrap_or_default();
        match platform.host_named(name) {
            Some(host) if !found.contains(&host) => found.push(host),
            Some(_) => {
                let message = format!("`{name}` is an origin twice");
                complaints.push(Complaint::new(code::RANGE, message, node.span).label("take it out"));
            }
            None => {
                let message = format!("there is no host `{name}`");
                complaints.push(Complaint::new(code::UNKNOWN_NAME, message, node.span));
            }
        }
    }
    if complaints.is_empty() { Ok(found) } else { Err(complaints) }
}
