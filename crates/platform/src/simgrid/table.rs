//! The elements and attributes that are read, and those that are not and why.

/// An element of platform and deployment files.
#[derive(Clone, Copy, Debug)]
pub struct ElementRow {
    /// Name.
    pub name: &'static str,
    /// Other names for it, from older files.
    pub also: &'static [&'static str],
    /// The meaning, in one line.
    pub about: &'static str,
    /// The elements that it may stand in.
    pub inside: &'static [&'static str],
    /// Attributes.
    pub attributes: &'static [AttributeRow],
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug)]
pub struct AttributeRow {
    /// Name.
    pub name: &'static str,
    /// True if it may be left out.
    pub need: Need,
    /// The meaning, in a few words.
    pub about: &'static str,
}

/// True if an attribute may be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Must be there.
    Required,
    /// May be left out.
    Optional,
}

const fn must(name: &'static str, about: &'static str) -> AttributeRow {
    AttributeRow { name, need: Need::Required, about }
}

const fn may(name: &'static str, about: &'static str) -> AttributeRow {
    AttributeRow { name, need: Need::Optional, about }
}

/// The attributes of an element: `must` be there, `may` be there, or `..ROW` that several elements
/// have.
macro_rules! attributes {
    ($($(..$own:ident)? $($need:ident $name:literal => $about:literal)?;)*) => {
        &[$($($own)? $($need($name, $about))?),*]
    };
}

/// The elements: name, older names behind `|`, where they stand, what they mean, and their
/// attributes.
macro_rules! elements {
    ($($name:literal $(| $also:literal)* in $inside:expr => $about:literal, $attributes:expr;)*) => {
        &[$(ElementRow {
            name: $name,
            also: &[$($also),*],
            about: $about,
            inside: $inside,
            attributes: $attributes,
        }),*]
    };
}

const SYMMETRICAL: AttributeRow = may("symmetrical", "YES (the default) or NO: whether it also leads back");
const SPEED: AttributeRow =
    must("speed", "operations per second of a core, one for each power state: \"1Gf, 500Mf\"");
const STATE_FILE: AttributeRow = may("state_file", "a profile: it works while the value is above 0");
const SPEED_FILE: AttributeRow =
    may("availability_file", "a profile: the share of the speed that is available");
const OLD_SPEED_FILE: AttributeRow = may("speed_file", "the same");
const COORDINATES: AttributeRow = may("coordinates", "three numbers of milliseconds, in a Vivaldi zone");
const PREFIX: AttributeRow = must("prefix", "what names of hosts begin with");
const SUFFIX: AttributeRow = must("suffix", "what names of hosts end with");
const RADICAL: AttributeRow = must("radical", "the numbers of the hosts: \"0-9,20-29\"");
const BW: AttributeRow = must("bw", "the bandwidth of each cable");
const LAT: AttributeRow = must("lat", "the latency of each cable");
const ROUTE: &[AttributeRow] = attributes! {
    must "src" => "where the route begins";
    must "dst" => "where it ends";
    ..SYMMETRICAL;
};
const ZONE_ROUTE: &[AttributeRow] = attributes! {
    must "src" => "where the route begins";
    must "dst" => "where it ends";
    must "gw_src" => "the host or router in the first zone at which it begins";
    must "gw_dst" => "the host or router in the second zone at which it ends";
    ..SYMMETRICAL;
};

/// The elements that may hold hosts, links and routes.
const ZONES: &[&str] = &["zone"];
const TOP: &[&str] = &["platform", "zone"];
const PLATFORM: &[&str] = &["platform"];
const PROPERTIES: &[&str] =
    &["config", "zone", "cluster", "host", "link", "disk", "actor", "peer", "cabinet"];

/// Everything that is read.
pub const ELEMENTS: &[ElementRow] = elements! {
    "platform" in &[] => "the whole of a file", attributes! {
        must "version" => "4.1, or 4";
    };
    "config" in PLATFORM => "settings of SimGrid, which are handed to the caller", attributes! {
        may "id" => "a name";
    };
    "zone" | "AS" in TOP => "hosts, routers, links and zones with a routing of their own", attributes! {
        must "id" => "its name";
        must "routing" => "Full, Floyd, Dijkstra, DijkstraCache, Cluster, Star, Vivaldi, None or Empty";
    };
    "host" in ZONES => "a host", attributes! {
        must "id" => "its name";
        ..SPEED;
        may "core" => "its cores; 1 unless said";
        may "pstate" => "the power state it begins in; 0 unless said";
        ..SPEED_FILE;
        ..OLD_SPEED_FILE;
        ..STATE_FILE;
        ..COORDINATES;
    };
    "router" in ZONES => "a point that only routes lead over", attributes! {
        must "id" => "its name";
        ..COORDINATES;
    };
    "link" in TOP => "a link", attributes! {
        must "id" => "its name";
        must "bandwidth" => "what it carries: \"125MBps\", \"1Gbps\"";
        may "latency" => "what it takes: \"50us\"; nothing unless said";
        may "sharing_policy" => "SHARED (the default), HALFDUPLEX, FATPIPE or SPLITDUPLEX";
        may "bandwidth_file" => "a profile: the bandwidth itself in bytes per second";
        may "latency_file" => "a profile: the latency itself in seconds";
        ..STATE_FILE;
    };
    "route" in ZONES => "the route between two points of a zone", ROUTE;
    "zoneRoute" | "ASroute" in TOP => "the route between two zones of a zone", ZONE_ROUTE;
    "bypassRoute" in TOP => "a route between two hosts that bypasses all zones", ROUTE;
    "bypassZoneRoute" | "bypassASroute" in TOP =>
        "a route between two zones that bypasses those around them", ZONE_ROUTE;
    "link_ctn" in &["route", "zoneRoute", "bypassRoute", "bypassZoneRoute"] => "a link of a route", attributes! {
        must "id" => "its name";
        may "direction" => "UP or DOWN, of a link with one for each direction; NONE of others";
    };
    "cluster" in TOP => "a zone of equal hosts", attributes! {
        must "id" => "its name";
        ..PREFIX;
        ..SUFFIX;
        ..RADICAL;
        ..SPEED;
        may "core" => "cores of each host; 1 unless said";
        ..BW;
        ..LAT;
        may "sharing_policy" => "of the cables: SPLITDUPLEX (the default), SHARED, HALFDUPLEX or FATPIPE";
        may "bb_bw" => "the bandwidth of the backbone, if there is one";
        may "bb_lat" => "its latency";
        may "bb_sharing_policy" => "its policy: SHARED (the default) or FATPIPE";
        may "loopback_bw" => "the bandwidth of each host's link to itself, if there is one";
        may "loopback_lat" => "its latency";
        may "limiter_link" =>
            "the bandwidth of each host's link for all that it sends and receives, if there is one";
        may "topology" => "FLAT (the default), FAT_TREE, TORUS or DRAGONFLY";
        may "topo_parameters" =>
            "of a fat tree \"levels;down,..;up,..;cables,..\", of a torus \"x,y,..\", of a dragonfly \
             \"groups,cables;chassis,cables;routers,cables;nodes\"";
        may "router_id" => "the name of its router; PREFIX, id, _router and SUFFIX unless said";
    };
    "cabinet" in ZONES => "equal hosts of a zone with cluster routing", attributes! {
        must "id" => "its name";
        ..PREFIX;
        ..SUFFIX;
        ..RADICAL;
        ..SPEED;
        ..BW;
        ..LAT;
    };
    "backbone" in ZONES => "the link in the middle of a zone with cluster routing", attributes! {
        must "id" => "its name";
        must "bandwidth" => "what it carries";
        must "latency" => "what it takes";
    };
    "host_link" in ZONES => "the links of a host in a zone with cluster routing", attributes! {
        must "id" => "the host";
        must "up" => "the link from it";
        must "down" => "the link to it";
    };
    "peer" in ZONES => "a host with a link up and one down in a Vivaldi zone", attributes! {
        must "id" => "its name";
        ..SPEED;
        must "bw_in" => "what the link to it carries";
        must "bw_out" => "what the link from it carries";
        may "lat" => "what each of the links takes";
        ..COORDINATES;
        ..SPEED_FILE;
        ..OLD_SPEED_FILE;
        ..STATE_FILE;
    };
    "disk" in &["host"] => "a disk of a host", attributes! {
        must "id" => "its name";
        must "read_bw" => "bytes read per second";
        must "write_bw" => "bytes written per second";
    };
    "prop" in PROPERTIES => "a property", attributes! {
        must "id" => "its name";
        must "value" => "its value";
    };
    "trace" in PLATFORM => "a profile in the file itself", attributes! {
        must "id" => "its name";
        may "file" => "the file that it is in, in place of the text of the element";
        may "periodicity" => "seconds after which it begins again";
    };
    "trace_connect" in PLATFORM => "the host or link that has the profile", attributes! {
        must "kind" => "SPEED, HOST_AVAIL, BANDWIDTH, LATENCY or LINK_AVAIL";
        must "trace" => "the profile";
        must "element" => "the host or link";
    };
    "actor" | "process" in PLATFORM => "an agent, in deployment files only", attributes! {
        must "host" => "where it runs";
        must "function" => "what it does";
        may "start_time" => "seconds after which it starts; 0 unless said";
        may "kill_time" => "seconds after which it is killed; never unless said";
        may "on_failure" => "DIE (the default) or RESTART with its host";
    };
    "argument" in &["actor"] => "an argument of an agent", attributes! {
        must "value" => "the argument";
    };
};

/// Elements that SimGrid knows or knew, and why they are refused.
pub const REFUSED: &[(&str, &str)] = &[
    ("storage", "storages are of SimGrid before 3.27: write a <disk> into the host"),
    ("storage_type", "storages are of SimGrid before 3.27: write a <disk> into the host"),
    ("mount", "storages are of SimGrid before 3.27: write a <disk> into the host"),
    ("mstorage", "storages are of SimGrid before 3.27: write a <disk> into the host"),
    ("model_prop", "properties of models mean nothing here"),
    ("include", "a file stands by itself: put what it includes in its place"),
    ("random", "random values are drawn by a scenario, not in a platform"),
    ("gpu", "hosts have cores of one kind"),
    ("wifi", "wireless links are not modelled"),
];
