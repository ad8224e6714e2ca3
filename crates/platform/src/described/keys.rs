//! The keys of `[platform]`.

use crate::Load;
use crate::registry::{Bounds, Key, Kind, Quantity, keys};
use crate::topology::keys::{SHAPE, TOPOLOGIES, TOPOLOGY_SOURCES};

use super::behind_link::OF_SWEEPS;
use super::sweep_grid::OF_GRIDS;
use super::traffic::TRAFFIC;

/// A key that has to be written.
const NAME: Key = Key::new("name", Kind::Text).about("what it is called");

/// A list of tables that may be left out.
const fn tables(name: &'static str, of: &'static Kind, means: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::List(of)).absent(means).about(about)
}

const fn count(name: &'static str, default: u64, about: &'static str) -> Key {
    let kind = Kind::Count { least: 1, most: u32::MAX as u64 };
    Key::new(name, kind).or_count(default).about(about)
}

const TRACE_FILE: Key = Key::new("file", Kind::Path).about(
    "CSV with the columns time [s] and value if it is called so, else lines as \
                SimGrid has them",
);
const PERIODICITY: Key = Key::new("periodicity", Kind::Duration(Bounds::Positive))
    .absent("what the file says: PERIODICITY or LOOPAFTER, and CSV never")
    .about("how long the last value holds before the trace repeats");
const FIRST_POINT_AT_START: Key = Key::new("first-point-at-start", Kind::Flag).or_flag(false).about(
    "whether its first point is at the start of the run, for what was measured \
                at times of day or of a calendar",
);
const OFFSET: Key =
    Key::new("offset", Kind::Duration(Bounds::NotNegative)).or("0s").about("how far into it the run begins");
/// A trace, of which a file may be all that is given.
pub(super) const TRACE: Kind = Kind::FirstOrTable(&[TRACE_FILE, PERIODICITY, FIRST_POINT_AT_START, OFFSET]);
/// The same for a host, of which there may be many.
pub(super) const TRACE_OF_HOSTS: Kind = Kind::FirstOrTable(&keys! {
    ..TRACE_FILE;
    ..PERIODICITY;
    ..FIRST_POINT_AT_START;
    ..OFFSET;
    "stagger" Kind::Duration(Bounds::NotNegative), or "0s" =>
        "how much further into it the run begins for each next one of `count` hosts";
});

const LOAD: [Key; 2] = keys! {
    "every" Kind::Duration(Bounds::Positive), absent "it stays as it is drawn at the start" =>
        "after how long it is drawn again, from the start of the run on; 1 ms or more";
    "least-available" Kind::Share(Bounds::Within(1e-3, 1.0)), or_number Load::LEAST =>
        "what is left however high the load is";
};

/// A key of loads that are drawn.
const fn load(name: &'static str, absent: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::DistributionWith(Quantity::Number, &LOAD))
        .absent(absent)
        .about(about)
        .source("the grids of DAGSim: availability is 1 less the load")
}

const ZONE_KEY: Key =
    Key::new("zone", Kind::Text).absent("the platform's outermost zone").about("the zone that it lies in");

const ZONE_OF_HOST: Key = ZONE_KEY.about(
    "the zone that it lies in; a cluster without `hosts` has the hosts that are described in it, in their \
     order",
);

pub(super) const fn state_trace(kind: Kind) -> Key {
    Key::new("state-trace", kind).absent("it never fails").about("a trace that is above 0 while it works")
}
const PROPERTIES: Key =
    Key::new("properties", Kind::Map(&Kind::Text)).absent("none").about("what its author notes of it");
pub(super) const LATENCY: Key = Key::new("latency", Kind::Duration(Bounds::NotNegative))
    .or("0s")
    .about("how long it takes to get across");
const CORES: Key = count("cores", 1, "cores of it, each of this speed");
const CORES_OF_EACH: Key = CORES.absent("1").about("cores of each host, each of this speed");

const DISK: &[Key] = &keys! {
    ..NAME;
    "read" Kind::Bandwidth => "data read per second";
    "write" Kind::Bandwidth => "data written per second";
    ..PROPERTIES;
};

pub(super) const HOST: &[Key] = &keys! {
    ..NAME;
    "speed" Kind::Speed, absent "as `power-states` say" => "how fast a core computes";
    "power-states" Kind::List(&Kind::Speed), absent "one, of this `speed`" =>
        "how fast a core computes in each of the host's power states, from 0";
    "power-state" Kind::count_from(0), absent "0, the first" => "the power state that it begins in";
    ..CORES;
    "count" Kind::Count { least: 1, most: 1_000_000 }, absent "one host of just this name" =>
        "so many of it: -0, -1 … follow the name";
    "availability" Kind::Share(Bounds::Within(0.0, 1.0)), absent "all of it" =>
        "the share of its speed that is available";
    "availability-trace" TRACE_OF_HOSTS, absent "it does not change" => "the share over time";
    ..load("load", "`availability` or its trace says it", "the share of its speed that others take, drawn for each host");
    ..state_trace(TRACE_OF_HOSTS);
    ..tables("disk", &Kind::Table(DISK), "none", "its disks, a table for each");
    ..ZONE_OF_HOST;
    ..PROPERTIES;
};

pub(super) const ROUTER: &[Key] = &[NAME, ZONE_KEY];

pub(super) const SHARINGS: &[(&str, &str)] = &[
    ("shared", "what crosses it shares it, in both directions"),
    ("fatpipe", "each transfer may have all of it"),
    ("split-duplex", "there is one for each direction: NAME_UP and NAME_DOWN"),
];

pub(super) const LINK: &[Key] = &keys! {
    ..NAME;
    "bandwidth" Kind::Bandwidth => "data carried per second";
    ..LATENCY;
    "sharing" Kind::Choice(SHARINGS), or "shared" => "how transfers share it";
    "bandwidth-trace" TRACE, absent "it does not change" =>
        "the bandwidth over time [bytes/s]; `bandwidth` holds before its first point";
    ..load("load", "none but that of `bandwidth-trace`", "the share of its bandwidth that others take, drawn for each link");
    "latency-trace" TRACE, absent "it does not change" =>
        "the latency over time [s]; `latency` holds before its first point";
    ..state_trace(TRACE);
    ..PROPERTIES;
};

pub(super) const ROUTE: &[Key] = &keys! {
    "from" Kind::Text => "the host, router or zone that it begins at";
    "to" Kind::Text => "the host, router or zone that it ends at";
    "links" Kind::List(&Kind::Text) => "the links that it leads over, in order";
    "symmetric" Kind::Flag, or_flag true =>
        "whether it also leads back, over the same links from the last to the first";
    "from-gateway" Kind::Text, absent "the router of the cluster, if it begins at one" =>
        "of a zone that it begins at: the host or router in it";
    "to-gateway" Kind::Text, absent "the router of the cluster, if it ends at one" =>
        "of a zone that it ends at: the host or router in it";
};

pub(super) const ZONE: &[Key] = &keys! {
    ..NAME;
    "routing" Kind::Choice(&[
        ("full", "a route is given for each pair of what lies in it"),
        ("shortest-path", "routes are made of hops, with as few links as can be"),
        ("star", "each of what lies in it has a spoke to the middle"),
        ("none", "nothing joins what lies in it"),
    ]), or "full" =>
        "how routes between what lies in it are found", source "P. Bobelin and others, CCGrid 2012";
    "backbone" Kind::Text, absent "nothing lies in the middle" =>
        "of a star: the link that all routes cross in the middle";
    ..ZONE_KEY;
    ..PROPERTIES;
};

pub(super) const SPOKE: &[Key] = &keys! {
    "of" Kind::Text => "the host, router or zone, which lies in a star";
    "up" Kind::List(&Kind::Text) => "its links to the middle, in order";
    "down" Kind::List(&Kind::Text),
        absent "those of `up` from the last to the first; of those for each direction the other one" =>
        "its links from the middle, in order";
    "gateway" Kind::Text, absent "the router of the cluster, if it is one" =>
        "of a zone: the host or router in it";
};

/// A link of a cluster.
const CLUSTER_LINK: &[Key] =
    &[Key::new("bandwidth", Kind::Bandwidth).about("data carried per second"), LATENCY];

/// The keys of a cluster before `limiter` and those of its shape.
const CLUSTER_ITSELF: [Key; 15] = keys! {
    ..NAME;
    "topology" Kind::Choice(&TOPOLOGIES), or "crossbar" =>
        "how its hosts are joined", source TOPOLOGY_SOURCES;
    "hosts" Kind::Count { least: 1, most: 1 << 22 }, absent "those that are described as hosts of the zone of its name; else as many as its topology has" =>
        "how many equal hosts it has";
    "prefix" Kind::Text, absent "its name and a hyphen" =>
        "what names of hosts begin with, before their numbers from 0";
    "suffix" Kind::Text, absent "nothing" => "what names of hosts end with";
    "speed" Kind::Distribution(Quantity::Speed),
        absent "10Gf behind a `link`, so that tasks of a parameter sweep take their times; else it must be written for `hosts`" =>
        "how fast a core of a host computes, drawn for each host";
    ..CORES_OF_EACH;
    ..load("load", "all of each host is available", "the share of its speed that others take, drawn for each host");
    "bandwidth" Kind::Distribution(Quantity::Bandwidth), absent "there are no cables behind a `link`; else it must be written" =>
        "data that a cable carries per second, drawn for each of its links";
    ..LATENCY;
    ..load("link-load", "all of each cable is available", "the share of its bandwidth that others take, drawn for each of its links");
    "sharing" Kind::Choice(SHARINGS), or "split-duplex" => "how transfers share a cable";
    "backbone" Kind::Table(CLUSTER_LINK), absent "nothing lies in the middle" =>
        "a link that all routes between hosts cross";
    "loopback" Kind::Table(CLUSTER_LINK), absent "what stays on a host takes no time" =>
        "a link from each host to itself";
    ..PROPERTIES;
};

const LIMITER: Key = Key::new("limiter", Kind::Bandwidth)
    .absent("none")
    .about("what comes to and leaves a host together, per second");

pub(super) const CLUSTER: &[Key] = &Key::joined::<
    { CLUSTER_ITSELF.len() + 1 + SHAPE.len() + 1 + OF_SWEEPS.len() },
>(&[&CLUSTER_ITSELF, &[LIMITER], &SHAPE, &[ZONE_KEY], &OF_SWEEPS]);

const fn factor(name: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::Distribution(Quantity::Number)).absent("it stays as it is").about(about)
}

pub(super) const PERTURB: &[Key] = &[
    factor("speed", "what the speed of each host is multiplied by"),
    factor("bandwidth", "what the bandwidth of each link is multiplied by"),
    factor("latency", "what the latency of each link is multiplied by"),
];

/// The tables in which a platform is described.
pub(super) const DESCRIBED: [&str; 7] = ["host", "router", "link", "route", "zone", "spoke", "cluster"];

const WHOLE: [Key; 15] = keys! {
    "network" Kind::Component("network"), or "flow" =>
        "how transfers get over the links",
        source "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section \
         IV.C";
    "file" Kind::Path, absent "it is described here or drawn" =>
        "a platform file of SimGrid 4 (.xml), a grid of DAGSim (`DagGrid 1`) or one of the Parameter Sweep Template (`GridDescription 1`), \
         plain or .gz";
    "reference-speed" Kind::Speed, absent "10Gf where `file` is a grid of DAGSim" =>
        "operations in a second of a host of relative speed 1; only grids of DAGSim have such speeds";
    "origin" Kind::Text, absent "a host called `origin`, which is added if a cluster has a `link`" =>
        "the host that holds the files of a parameter sweep; added to the outermost zone if it is not described",
        source "F. Berman et al., LIP RR1999-46, 1999, section 4";
    "origins" Kind::List(&Kind::Text), absent "the origin holds all files" =>
        "further hosts that hold files of a parameter sweep (`application.origins`); to each cluster a route of one link leads from each";
    "random" Kind::Component("generator"), absent "it is described or read" => "what draws it from the seed";
    ..tables("host", &Kind::Table(HOST), "none but those of clusters", "hosts, a table for each or for many \
         alike");
    ..tables("router", &Kind::Table(ROUTER), "none but those of clusters", "points that compute nothing, a \
         table for each");
    ..tables("link", &Kind::Table(LINK), "none but those of clusters", "links, a table for each");
    ..tables("route", &Kind::Table(ROUTE), "none but those within clusters", "routes between hosts, routers \
         or zones, a table for each");
    ..tables("zone", &Kind::Table(ZONE), "one that everything lies in", "parts with a routing of their own, \
         a table for each");
    ..tables("spoke", &Kind::Table(SPOKE), "none", "links of what lies in a star, a table for each");
    ..tables("cluster", &Kind::Table(CLUSTER), "none", "hosts with equal cables in a usual topology, a \
         table for each");
    ..tables("traffic", &Kind::Table(TRAFFIC), "none", "transfers that no agent waits for and that take \
         bandwidth, a table for those between some hosts and others");
    "perturb" Kind::Table(PERTURB), absent "it is as it is described" =>
        "factors that are drawn for each host and link, so that one platform becomes many; one seed gives \
         one";
};

pub(super) const KEYS: &[Key] = &Key::joined::<{ WHOLE.len() + OF_GRIDS.len() }>(&[&WHOLE, &OF_GRIDS]);
