//! The keys of `[platform]`.

use crate::platform::topology::keys::{SHAPE, TOPOLOGIES, TOPOLOGY_SOURCES};
use crate::registry::{Bounds, Key, Kind, Quantity};

use super::traffic::TRAFFIC;

/// A key that has to be written.
const NAME: Key = Key::new("name", Kind::Text).about("what it is called");

/// A key that may be left out, and what holds then.
const fn optional(name: &'static str, kind: Kind, means: &'static str, about: &'static str) -> Key {
    Key::new(name, kind).absent(means).about(about)
}

const fn needed(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key::new(name, kind).about(about)
}

const fn count(name: &'static str, default: u64, about: &'static str) -> Key {
    let kind = Kind::Count { least: 1, most: u32::MAX as u64 };
    Key::new(name, kind).or_count(default).about(about)
}

const TRACE_FILE: Key = needed(
    "file",
    Kind::Path,
    "CSV with the columns time [s] and value if it is called so, else lines as SimGrid has them",
);
const PERIODICITY: Key = optional(
    "periodicity",
    Kind::Duration(Bounds::Positive),
    "what the file says: PERIODICITY or LOOPAFTER, and CSV never",
    "how long the last value holds until the first comes again",
);
const FROM_FIRST: Key = Key::new("from-first", Kind::Flag).or_flag(false).about(
    "whether its first point is at the start of the run, for what was measured \
                at times of day or of a calendar",
);
const OFFSET: Key =
    Key::new("offset", Kind::Duration(Bounds::NotNegative)).or("0s").about("how far into it the run begins");
/// A trace, of which a file may be all that is told.
const TRACE: Kind = Kind::FirstOrTable(&[TRACE_FILE, PERIODICITY, FROM_FIRST, OFFSET]);
/// The same for a host, of which there may be many.
const TRACE_OF_HOSTS: Kind = Kind::FirstOrTable(&[
    TRACE_FILE,
    PERIODICITY,
    FROM_FIRST,
    OFFSET,
    Key::new("stagger", Kind::Duration(Bounds::NotNegative))
        .or("0s")
        .about("how much further into it the run begins for each next one of `count` hosts"),
]);

const ZONE_KEY: Key =
    optional("zone", Kind::Text, "the platform's outermost zone", "the zone that it lies in");

const fn state(kind: Kind) -> Key {
    optional("state", kind, "it never fails", "a trace that is above 0 while it works")
}
const PROPERTIES: Key = optional("properties", Kind::Map(&Kind::Text), "none", "what its author notes of it");
const LATENCY: Key = Key::new("latency", Kind::Duration(Bounds::NotNegative))
    .or("0s")
    .about("how long it takes to get across");
const CORES: Key = count("cores", 1, "cores of it, each of this speed");

const DISK: &[Key] = &[
    NAME,
    needed("read", Kind::Bandwidth, "data read per second"),
    needed("write", Kind::Bandwidth, "data written per second"),
    PROPERTIES,
];

pub(super) const HOST: &[Key] = &[
    NAME,
    optional("speed", Kind::Speed, "as `power-states` tell", "how fast a core computes"),
    optional(
        "power-states",
        Kind::List(&Kind::Speed),
        "one, of this `speed`",
        "how fast a core computes in each of the host's power states, from 0",
    ),
    optional("power-state", Kind::count_from(0), "0, the first", "the power state that it begins in"),
    CORES,
    optional(
        "count",
        Kind::Count { least: 1, most: 1_000_000 },
        "one host of just this name",
        "so many of it: -0, -1 … follow the name",
    ),
    optional(
        "availability",
        Kind::Share(Bounds::Within(0.0, 1.0)),
        "all of it",
        "the share of its speed that is available",
    ),
    optional("availability-trace", TRACE_OF_HOSTS, "it does not change", "the share over time"),
    state(TRACE_OF_HOSTS),
    optional("disk", Kind::List(&Kind::Table(DISK)), "none", "its disks, a table for each"),
    ZONE_KEY,
    PROPERTIES,
];

pub(super) const ROUTER: &[Key] = &[NAME, ZONE_KEY];

pub(super) const SHARINGS: &[(&str, &str)] = &[
    ("shared", "what crosses it shares it, in both directions"),
    ("fatpipe", "each transfer may have all of it"),
    ("split-duplex", "there is one for each direction: NAME_UP and NAME_DOWN"),
];

pub(super) const LINK: &[Key] = &[
    NAME,
    needed("bandwidth", Kind::Bandwidth, "data carried per second"),
    LATENCY,
    Key::new("sharing", Kind::Choice(SHARINGS)).or("shared").about("how transfers over it get on"),
    optional(
        "bandwidth-trace",
        TRACE,
        "it does not change",
        "the bandwidth over time [bytes/s]; `bandwidth` holds before its first point",
    ),
    optional(
        "latency-trace",
        TRACE,
        "it does not change",
        "the latency over time [s]; `latency` holds before its first point",
    ),
    state(TRACE),
    PROPERTIES,
];

pub(super) const ROUTE: &[Key] = &[
    needed("from", Kind::Text, "the host, router or zone that it begins at"),
    needed("to", Kind::Text, "the host, router or zone that it ends at"),
    needed("links", Kind::List(&Kind::Text), "the links that it leads over, in order"),
    Key::new("symmetric", Kind::Flag).or_flag(true).about(
        "whether it is also the way back, over the same links from the last to the \
                first",
    ),
    optional(
        "from-gateway",
        Kind::Text,
        "the router of the cluster, if it begins at one",
        "of a zone that it begins at: the host or router in it",
    ),
    optional(
        "to-gateway",
        Kind::Text,
        "the router of the cluster, if it ends at one",
        "of a zone that it ends at: the host or router in it",
    ),
];

pub(super) const ZONE: &[Key] = &[
    NAME,
    Key::new(
        "routing",
        Kind::Choice(&[
            ("full", "a route is told for each pair of what lies in it"),
            ("shortest-path", "routes are hops, and ways have as few links as can be"),
            ("star", "each of what lies in it has a spoke to the middle"),
            ("none", "nothing joins what lies in it"),
        ]),
    )
    .or("full")
    .about("how ways between what lies in it are found")
    .source("P. Bobelin and others, CCGrid 2012"),
    optional(
        "backbone",
        Kind::Text,
        "nothing lies in the middle",
        "of a star: the link that all ways cross in the middle",
    ),
    ZONE_KEY,
    PROPERTIES,
];

pub(super) const SPOKE: &[Key] = &[
    needed("of", Kind::Text, "the host, router or zone, which lies in a star"),
    needed("up", Kind::List(&Kind::Text), "its links to the middle, in order"),
    optional(
        "down",
        Kind::List(&Kind::Text),
        "those of `up` from the last to the first; of those for each direction the other one",
        "its links from the middle, in order",
    ),
    optional(
        "gateway",
        Kind::Text,
        "the router of the cluster, if it is one",
        "of a zone: the host or router in it",
    ),
];

/// A link of a cluster.
const CLUSTER_LINK: &[Key] = &[needed("bandwidth", Kind::Bandwidth, "data carried per second"), LATENCY];

/// The keys of a cluster before `limiter` and those of its shape.
const CLUSTER_ITSELF: [Key; 12] = [
    NAME,
    Key::new("topology", Kind::Choice(&TOPOLOGIES))
        .or("crossbar")
        .about("how its hosts are joined")
        .source(TOPOLOGY_SOURCES),
    optional(
        "hosts",
        Kind::Count { least: 1, most: 1 << 22 },
        "as many as its topology has",
        "how many hosts it has",
    ),
    optional(
        "prefix",
        Kind::Text,
        "its name and a hyphen",
        "what names of hosts begin with, before their numbers from 0",
    ),
    optional("suffix", Kind::Text, "nothing", "what names of hosts end with"),
    needed("speed", Kind::Speed, "how fast a core of a host computes"),
    CORES,
    needed("bandwidth", Kind::Bandwidth, "data that a cable carries per second"),
    LATENCY,
    Key::new("sharing", Kind::Choice(SHARINGS)).or("split-duplex").about("how transfers over a cable get on"),
    optional(
        "backbone",
        Kind::Table(CLUSTER_LINK),
        "nothing lies in the middle",
        "a link that all ways between hosts cross",
    ),
    optional(
        "loopback",
        Kind::Table(CLUSTER_LINK),
        "what stays on a host takes no time",
        "a link from each host to itself",
    ),
];

const LIMITER: Key =
    optional("limiter", Kind::Bandwidth, "none", "what comes to and leaves a host together, per second");

pub(super) const CLUSTER: &[Key] = &{
    let mut keys = [LIMITER; CLUSTER_ITSELF.len() + 1 + SHAPE.len() + 1];
    let mut place = 0;
    while place < CLUSTER_ITSELF.len() {
        keys[place] = CLUSTER_ITSELF[place];
        place += 1;
    }
    place = 0;
    while place < SHAPE.len() {
        keys[CLUSTER_ITSELF.len() + 1 + place] = SHAPE[place];
        place += 1;
    }
    keys[CLUSTER_ITSELF.len() + 1 + SHAPE.len()] = ZONE_KEY;
    keys
};

const fn factor(name: &'static str, about: &'static str) -> Key {
    optional(name, Kind::Distribution(Quantity::Number), "it stays as it is", about)
}

pub(super) const PERTURB: &[Key] = &[
    factor("speed", "what the speed of each host is multiplied by"),
    factor("bandwidth", "what the bandwidth of each link is multiplied by"),
    factor("latency", "what the latency of each link is multiplied by"),
];

/// The tables in which a platform is described.
pub(super) const DESCRIBED: [&str; 7] = ["host", "router", "link", "route", "zone", "spoke", "cluster"];

pub(super) const KEYS: &[Key] = &[
    Key::new("network", Kind::Component("network"))
        .or("flow")
        .about("how transfers get over the links")
        .source(
            "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", \
                2003, section IV.C",
        ),
    optional(
        "file",
        Kind::Path,
        "it is described here or drawn",
        "a platform file of SimGrid 4 (.xml, plain or .gz)",
    ),
    optional(
        "random",
        Kind::Component("generator"),
        "it is described or read",
        "what draws it from the seed",
    ),
    optional(
        "host",
        Kind::List(&Kind::Table(HOST)),
        "none but those of clusters",
        "hosts, a table for each or for many alike",
    ),
    optional(
        "router",
        Kind::List(&Kind::Table(ROUTER)),
        "none but those of clusters",
        "points that compute nothing, a table for each",
    ),
    optional("link", Kind::List(&Kind::Table(LINK)), "none but those of clusters", "links, a table for each"),
    optional(
        "route",
        Kind::List(&Kind::Table(ROUTE)),
        "none but those within clusters",
        "ways between hosts, routers or zones, a table for each",
    ),
    optional(
        "zone",
        Kind::List(&Kind::Table(ZONE)),
        "one that everything lies in",
        "parts with a routing of their own, a table for each",
    ),
    optional(
        "spoke",
        Kind::List(&Kind::Table(SPOKE)),
        "none",
        "links of what lies in a star, a table for each",
    ),
    optional(
        "cluster",
        Kind::List(&Kind::Table(CLUSTER)),
        "none",
        "zones of equal hosts in a usual topology, a table for each",
    ),
    optional(
        "traffic",
        Kind::List(&Kind::Table(TRAFFIC)),
        "none",
        "transfers that nobody waits for and that take bandwidth, a table for those between some hosts and others",
    ),
    optional(
        "perturb",
        Kind::Table(PERTURB),
        "it is as it is told",
        "factors that are drawn for each host and link, so that one platform becomes many; one seed gives one",
    ),
];
