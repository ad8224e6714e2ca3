//! The elements and attributes that are read, and those that are not and why.

/// An element of platform and deployment files.
#[derive(Clone, Copy, Debug)]
pub struct ElementRow {
    /// Its name.
    pub name: &'static str,
    /// Other names for it, from older files.
    pub also: &'static [&'static str],
    /// What it means, in one line.
    pub about: &'static str,
    /// The elements that it may stand in.
    pub inside: &'static [&'static str],
    /// Its attributes.
    pub attributes: &'static [AttributeRow],
}

/// An attribute of an element.
#[derive(Clone, Copy, Debug)]
pub struct AttributeRow {
    /// Its name.
    pub name: &'static str,
    /// Whether it may be left out.
    pub need: Need,
    /// What it means, in a few words.
    pub about: &'static str,
}

/// Whether an attribute may be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// It may not.
    Required,
    /// It may.
    Optional,
}

const fn must(name: &'static str, about: &'static str) -> AttributeRow {
    AttributeRow { name, need: Need::Required, about }
}

const fn may(name: &'static str, about: &'static str) -> AttributeRow {
    AttributeRow { name, need: Need::Optional, about }
}

const SRC: AttributeRow = must("src", "where the route begins");
const DST: AttributeRow = must("dst", "where it ends");
const GW_SRC: AttributeRow = must("gw_src", "the host or router in the first zone at which it begins");
const GW_DST: AttributeRow = must("gw_dst", "the host or router in the second zone at which it ends");
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
const ROUTE: &[AttributeRow] = &[SRC, DST, SYMMETRICAL];
const ZONE_ROUTE: &[AttributeRow] = &[SRC, DST, GW_SRC, GW_DST, SYMMETRICAL];

/// What may hold hosts, links and routes.
const ZONES: &[&str] = &["zone"];
const TOP: &[&str] = &["platform", "zone"];

/// Everything that is read.
pub const ELEMENTS: &[ElementRow] = &[
    row("platform", "the whole of a file", &[], &[must("version", "4.1, or 4")]),
    row(
        "config",
        "settings of SimGrid, which are handed to the caller",
        &["platform"],
        &[may("id", "a name")],
    ),
    ElementRow {
        also: &["AS"],
        ..row(
            "zone",
            "hosts, routers, links and zones with a routing of their own",
            TOP,
            &[
                must("id", "its name"),
                must(
                    "routing",
                    "Full, Floyd, Dijkstra, DijkstraCache, Cluster, Star, Vivaldi, None or Empty",
                ),
            ],
        )
    },
    row(
        "host",
        "a host",
        ZONES,
        &[
            must("id", "its name"),
            SPEED,
            may("core", "its cores; 1 unless said"),
            may("pstate", "the power state it begins in; 0 unless said"),
            SPEED_FILE,
            OLD_SPEED_FILE,
            STATE_FILE,
            COORDINATES,
        ],
    ),
    row("router", "a point that only routes lead over", ZONES, &[must("id", "its name"), COORDINATES]),
    row(
        "link",
        "a link",
        TOP,
        &[
            must("id", "its name"),
            must("bandwidth", "what it carries: \"125MBps\", \"1Gbps\""),
            may("latency", "what it takes: \"50us\"; nothing unless said"),
            may("sharing_policy", "SHARED (the default), HALFDUPLEX, FATPIPE or SPLITDUPLEX"),
            may("bandwidth_file", "a profile: the bandwidth itself in bytes per second"),
            may("latency_file", "a profile: the latency itself in seconds"),
            STATE_FILE,
        ],
    ),
    row("route", "the route between two points of a zone", ZONES, ROUTE),
    ElementRow {
        also: &["ASroute"],
        ..row("zoneRoute", "the route between two zones of a zone", TOP, ZONE_ROUTE)
    },
    row("bypassRoute", "a route between two hosts that bypasses all zones", TOP, ROUTE),
    ElementRow {
        also: &["bypassASroute"],
        ..row("bypassZoneRoute", "a route between two zones that bypasses those around them", TOP, ZONE_ROUTE)
    },
    row(
        "link_ctn",
        "a link of a route",
        &["route", "zoneRoute", "bypassRoute", "bypassZoneRoute"],
        &[
            must("id", "its name"),
            may("direction", "UP or DOWN, of a link with one for each direction; NONE of others"),
        ],
    ),
    row("cluster", "a zone of equal hosts", TOP, CLUSTER),
    row(
        "cabinet",
        "equal hosts of a zone with cluster routing",
        ZONES,
        &[must("id", "its name"), PREFIX, SUFFIX, RADICAL, SPEED, BW, LAT],
    ),
    row(
        "backbone",
        "the link in the middle of a zone with cluster routing",
        ZONES,
        &[must("id", "its name"), must("bandwidth", "what it carries"), must("latency", "what it takes")],
    ),
    row(
        "host_link",
        "the links of a host in a zone with cluster routing",
        ZONES,
        &[must("id", "the host"), must("up", "the link from it"), must("down", "the link to it")],
    ),
    row(
        "peer",
        "a host with a link up and one down in a Vivaldi zone",
        ZONES,
        &[
            must("id", "its name"),
            SPEED,
            must("bw_in", "what the link to it carries"),
            must("bw_out", "what the link from it carries"),
            may("lat", "what each of the links takes"),
            COORDINATES,
            SPEED_FILE,
            OLD_SPEED_FILE,
            STATE_FILE,
        ],
    ),
    row(
        "disk",
        "a disk of a host",
        &["host"],
        &[
            must("id", "its name"),
            must("read_bw", "bytes read per second"),
            must("write_bw", "bytes written per second"),
        ],
    ),
    row("prop", "a property", PROPERTIES, &[must("id", "its name"), must("value", "its value")]),
    row(
        "trace",
        "a profile in the file itself",
        &["platform"],
        &[
            must("id", "its name"),
            may("file", "the file that it is in, in place of the text of the element"),
            may("periodicity", "seconds after which it begins again"),
        ],
    ),
    row(
        "trace_connect",
        "the host or link that has the profile",
        &["platform"],
        &[
            must("kind", "SPEED, HOST_AVAIL, BANDWIDTH, LATENCY or LINK_AVAIL"),
            must("trace", "the profile"),
            must("element", "the host or link"),
        ],
    ),
    ElementRow {
        also: &["process"],
        ..row(
            "actor",
            "an agent, in deployment files only",
            &["platform"],
            &[
                must("host", "where it runs"),
                must("function", "what it does"),
                may("start_time", "seconds after which it starts; 0 unless said"),
                may("kill_time", "seconds after which it is killed; never unless said"),
                may("on_failure", "DIE (the default) or RESTART with its host"),
            ],
        )
    },
    row("argument", "an argument of an agent", &["actor"], &[must("value", "the argument")]),
];

const PROPERTIES: &[&str] =
    &["config", "zone", "cluster", "host", "link", "disk", "actor", "peer", "cabinet"];

const CLUSTER: &[AttributeRow] = &[
    must("id", "its name"),
    PREFIX,
    SUFFIX,
    RADICAL,
    SPEED,
    may("core", "cores of each host; 1 unless said"),
    BW,
    LAT,
    may("sharing_policy", "of the cables: SPLITDUPLEX (the default), SHARED, HALFDUPLEX or FATPIPE"),
    may("bb_bw", "the bandwidth of the backbone, if there is one"),
    may("bb_lat", "its latency"),
    may("bb_sharing_policy", "its policy: SHARED (the default) or FATPIPE"),
    may("loopback_bw", "the bandwidth of each host's link to itself, if there is one"),
    may("loopback_lat", "its latency"),
    may(
        "limiter_link",
        "the bandwidth of each host's link for all that it sends and receives, if there is one",
    ),
    may("topology", "FLAT (the default), FAT_TREE, TORUS or DRAGONFLY"),
    may(
        "topo_parameters",
        "of a fat tree \"levels;down,..;up,..;cables,..\", of a torus \"x,y,..\", of a dragonfly \
         \"groups,cables;chassis,cables;routers,cables;nodes\"",
    ),
    may("router_id", "the name of its router; PREFIX, id, _router and SUFFIX unless said"),
];

const fn row(
    name: &'static str,
    about: &'static str,
    inside: &'static [&'static str],
    attributes: &'static [AttributeRow],
) -> ElementRow {
    ElementRow { name, also: &[], about, inside, attributes }
}

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
