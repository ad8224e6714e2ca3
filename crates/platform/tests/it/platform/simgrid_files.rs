//! Platform files of SimGrid: those of SimGrid, Batsim and WRENCH themselves, and small ones of our
//! own with every element.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::registry::{Complaint, Sources};
use clustersim_platform::sharing::{LinkId, SharingPolicy};
use clustersim_platform::simgrid::{Loaded, OnFailure, deployment, read, read_file};
use clustersim_platform::{HostId, ZoneId};
use proptest::prelude::*;

use clustersim_testing::evidence;

use clustersim_testing::program::repository;

/// The files that are refused, and what of them is not there.
const REFUSED: &[(&str, &str)] = &[
    ("simgrid/wifi.xml", "`Wifi` is no routing"),
    ("simgrid/wifi_energy.xml", "`Wifi` is no routing"),
    ("simgrid/wifi_large_cell.xml", "`Wifi` is no routing"),
    ("simgrid/wifi_ns3.xml", "`WIFI` is no routing"),
];

/// The folder of our own files.
fn own() -> PathBuf {
    repository("tests/data/platforms")
}

/// What is wrong, each with its line and column.
fn shown(sources: &Sources, complaint: &Complaint) -> String {
    let place = complaint.span.map(|span| sources.place(span));
    let at = place.map_or(String::new(), |(line, column)| format!("{line}:{column}: "));
    let label = if complaint.label.is_empty() { String::new() } else { format!(" ({})", complaint.label) };
    let help = complaint.help.as_deref().map_or(String::new(), |help| format!("; {help}"));
    format!("{at}{}{label}{help}", complaint.message)
}

fn load(path: &Path) -> Result<Loaded, Vec<String>> {
    let mut sources = Sources::new("");
    let read = read_file(path, &mut sources);
    read.map_err(|complaints| complaints.iter().map(|complaint| shown(&sources, complaint)).collect())
}

#[test]
fn platform_files_of_others_load_or_are_refused_for_a_reason() {
    let Some(data) = evidence::needed("platforms") else { return };
    let (mut loaded, mut refused) = (0, Vec::new());
    for folder in ["batsim", "simgrid", "wrench"] {
        let files = std::fs::read_dir(data.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
        files.sort();
        for file in files {
            let name = format!("{folder}/{}", file.file_name().unwrap().to_str().unwrap());
            let name = name.trim_end_matches(".gz").to_owned();
            match load(&file) {
                Ok(Loaded { platform, .. }) => {
                    loaded += 1;
                    assert!(!platform.hosts().is_empty(), "{name}");
                }
                Err(why) => refused.push((name, why.join("\n"))),
            }
        }
    }
    assert_eq!(refused.len(), REFUSED.len(), "{refused:#?}");
    for ((name, why), (expected, word)) in refused.iter().zip(REFUSED) {
        assert!(name == expected && why.contains(word), "{name}: {why}");
    }
    assert!(loaded >= 52, "{loaded}");
}

/// A route as SimGrid has it: the hosts, the places of its links in the list of links, and the
/// latency.
type Told = (String, String, Option<Vec<usize>>, serde_json::Value);

#[derive(serde::Deserialize)]
struct File {
    links: Vec<String>,
    routes: Vec<Told>,
}

/// How a route of ours is to SimGrid's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Likeness {
    /// The same links in the same order, and the same latency.
    Same,
    /// The same links in another order: SimGrid puts limiters of a dragonfly, and zones between
    /// zones, out of their order.
    Order,
    /// Anything else.
    Other,
}

fn likeness(told: Option<&[&str]>, latency: f64, ours: Option<&[&str]>, beyond: f64) -> Likeness {
    // SimGrid has an empty way where there is none
    let (told, ours) = match (told, ours) {
        (None | Some([]), None) => return Likeness::Same,
        (Some(told), Some(ours)) => (told, ours),
        _ => return Likeness::Other,
    };
    let sorted = |links: &[&str], keep: fn(&str) -> Option<String>| {
        let mut links: Vec<String> = links.iter().filter_map(|link| keep(link)).collect();
        links.sort();
        links
    };
    let same = |keep| sorted(told, keep) == sorted(ours, keep);
    let alike = (latency - beyond).abs() <= 1e-12 + latency * 1e-9;
    match () {
        () if alike && told == ours => Likeness::Same,
        () if alike && same(|link| Some(link.to_owned())) => Likeness::Order,
        () => Likeness::Other,
    }
}

/// How many routes of each file are how like ours.
fn compare(json: &str, folder: &Path) -> BTreeMap<(String, Likeness), usize> {
    let files: BTreeMap<String, File> = serde_json::from_str(json).expect("the form of the script");
    let mut found = BTreeMap::new();
    for (name, File { links, routes }) in files {
        let Ok(Loaded { platform, .. }) = load(&folder.join(&name)) else {
            assert!(REFUSED.iter().any(|(refused, _)| name.ends_with(refused)), "{name} is refused");
            continue;
        };
        let mut route = Vec::new();
        for (from, to, told, latency) in routes {
            let ends = [&from, &to].map(|host| platform.host_named(host).expect("the same hosts"));
            let told: Option<Vec<&str>> =
                told.map(|told| told.iter().map(|&place| links[place].as_str()).collect());
            let beyond = platform.route_with_delay(ends[0], ends[1], &mut route);
            let of = |link: &LinkId| platform.link(*link).latency.value_at(SimTime::ZERO);
            let seconds = beyond.clone().unwrap_or(0.0) + route.iter().map(of).sum::<f64>();
            let named: Vec<_> = route.iter().map(|&link| platform.link_name(link)).collect();
            let ours: Option<Vec<&str>> = beyond.ok().map(|_| named.iter().map(|name| &**name).collect());
            let latency = latency.as_f64().unwrap_or(0.0);
            let likeness = likeness(told.as_deref(), latency, ours.as_deref(), seconds);
            if likeness == Likeness::Other {
                println!("{name}: {from} to {to}: {told:?} in {latency}, not {ours:?} in {seconds}");
            }
            *found.entry((name.clone(), likeness)).or_insert(0) += 1;
        }
    }
    found
}

#[test]
fn routes_of_our_own_files_are_those_of_simgrid() {
    let json = std::fs::read_to_string(own().join("routes.json")).unwrap();
    let found = compare(&json, &own());
    let found: Vec<String> =
        found.iter().map(|((name, likeness), routes)| format!("{name} {likeness:?} {routes}")).collect();
    let expected = [
        "crossbars.xml Same 64",
        "dragonfly.xml Same 144",
        "fat_tree.xml Same 121",
        "fat_tree_ports.xml Same 144",
        "peers.xml Same 9",
        "torus.xml Same 100",
        "zones.xml Same 75",
        "zones.xml Order 6",
    ];
    assert_eq!(found, expected);
}

/// `CLUSTERSIM_SIMGRID_ROUTES` names what the script made of other files, under their whole paths.
#[test]
fn routes_of_files_of_others_are_those_of_simgrid() {
    let Some(json) = std::env::var_os("CLUSTERSIM_SIMGRID_ROUTES") else {
        evidence::skip("CLUSTERSIM_SIMGRID_ROUTES names no routes; `.ci/full simgrid` makes them");
        return;
    };
    let found = compare(&std::fs::read_to_string(json).unwrap(), Path::new(""));
    for ((name, likeness), routes) in &found {
        println!("{name} {likeness:?} {routes}");
        assert_ne!(*likeness, Likeness::Other, "{name}");
    }
}

#[test]
fn a_platform_file_says_everything_about_hosts_links_and_zones() {
    let Loaded { platform, config, warnings } = load(&own().join("zones.xml")).expect("a platform");
    let settings = [("network/model", "LV08"), ("network/TCP-gamma", "4194304")];
    assert_eq!(config, settings.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(warnings, []);
    let host = |name: &str| platform.host(platform.host_named(name).expect("a host"));
    let tenths = |value: f64| (value * 10.0) as u64;
    let secs = |secs: f64| SimTime::from_nanos((secs * 1e9) as u64);
    let ada = host("ada");
    assert_eq!((ada.speeds.as_slice(), ada.power_state, ada.cores), (&[2e9, 1e9, 5e8][..], 1, 8));
    assert_eq!(ada.properties["memory"], "64GB");
    assert_eq!((ada.disks[0].name.as_str(), ada.disks[0].read_bandwidth), ("scratch", 2e8));
    assert_eq!(ada.disks[0].properties["mounted"], "/tmp");
    let share = [0.0, 1.0, 6.0, 10.9, 11.0, 16.0].map(|at| tenths(ada.availability.value_at(secs(at))));
    assert_eq!(share, [10, 5, 10, 10, 5, 10], "the clock begins again after 10 s");
    let working =
        [9.0, 10.0, 20.0, 39.0, 40.0, 50.0].map(|at| tenths(host("bob").working.value_at(secs(at))));
    assert_eq!(working, [10, 0, 10, 10, 0, 10], "10 s after the last, and 10 s to the first");
    let link = |name: &str| platform.link_named(name).expect("a link");
    let wall = platform.link(link("wall"));
    let bandwidths = [0.0, 5.0, 10.0].map(|at| tenths(wall.bandwidth.value_at(secs(at))));
    assert_eq!(bandwidths, [125_000_000, 62_500_000, 125_000_000]);
    assert_eq!(platform.link_properties(link("desk_DOWN"))["colour"], "green");
    assert_eq!(platform.link(link("loop")).policy, SharingPolicy::Fatpipe);
    let world = platform.zone_named("world").expect("a zone");
    assert_eq!(platform.zone_properties(world)["author"], "<us>");
    assert_eq!(platform.zone_of(world), ZoneId::TOP);
}

/// What is wrong with `text`, and where.
fn told(text: &str) -> Vec<String> {
    let mut sources = Sources::new("");
    let source = sources.add("p.xml", text, "");
    let complaints = read(source, &sources).err().unwrap_or_default();
    complaints.iter().map(|complaint| shown(&sources, complaint)).collect()
}

#[test]
fn every_mistake_of_a_file_is_told_at_its_place() {
    let text = r#"<?xml version='1.0'?>
<platform version="3">
  <storage id="s"/>
  <zone id="z" routing="Ful">
    <host id="a" sped="1Gf" speed="fast"/>
    <host id="a" speed="1Gf"/>
    <hots id="b" speed="1Gf"/>
    <link id="l" bandwidth="1KBps" latency="1 parsec" sharing_policy="WIFI"/>
    <link id="split" bandwidth="1MBps" sharing_policy="SPLITDUPLEX"/>
    <actor host="a" function="f"/>
    <route src="a" dst="c"><link_ctn id="m"/><link_ctn id="split"/></route>
  </zone>
  <zone id="y" routing="Full">
    <cluster id="c" prefix="" suffix="" radical="1-4" speed="1Gf" bw="1MBps" lat="0" topology="TORUS" topo_parameters="2,3"/>
    <host id="d" speed="1Gf" state_file="nowhere"/>
    <route src="d" dst="a"/>
  </zone>
</platform>
"#;
    let expected = [
        "2:20: version `3` of platform files is not read (expected 4 or 4.1); `simgrid_update_xml` of SimGrid brings older files up to date",
        "3:4: `<storage>` is no element that is read (not supported); storages are of SimGrid before 3.27: write a <disk> into the host",
        "4:25: `Ful` is no routing that is read; did you mean `Full`? known: Full, Floyd, Dijkstra, DijkstraCache, Cluster, Star, Vivaldi, None, Empty",
        "5:18: `<host>` has no attribute `sped`; did you mean `speed`? known: id, speed, core, pstate, availability_file, speed_file, state_file, coordinates",
        r#"5:36: `fast` does not begin with a number (expected operations per second, such as "1.5Gf")"#,
        "6:15: there are two of the name `a`",
        "7:6: `<hots>` is no element that is read (in `<zone>`); did you mean `host`? known: zone, host, router, link, route, zoneRoute, bypassRoute, bypassZoneRoute, cluster, cabinet, backbone, host_link, peer, prop",
        r#"8:45: `parsec` is no unit of time (expected a time, such as "50us", "1ms" or "2s")"#,
        "8:71: `WIFI` is no sharing_policy that is read; wireless links and zones are not modelled",
        "10:6: `<actor>` belongs into a deployment file (not in a platform file); a platform file describes hosts and links, a deployment file the agents on them",
        "11:25: there is no host or router `c`; did you mean `a`?",
        "11:42: there is no link `m`; did you mean `l`?",
        r#"11:60: link `split` has one for each direction (expected `direction="UP"` or `DOWN`)"#,
        "14:18: cluster `c`: this torus has 6 hosts, but the cluster has 4",
        "15:42: cannot read `nowhere`: there is no such file (named here)",
        "16:6: `a` does not lie in zone `y`",
    ];
    assert_eq!(told(text), expected);
}

#[test]
fn what_is_no_xml_is_told_too() {
    let deep = "<zone>".repeat(100);
    let bomb = "<!DOCTYPE p [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><platform version='&b;'/>";
    let found = [
        "",
        "<platform version='4.1'><zone id='a' routing='Full'></platform>",
        "<platform version='4.1'/><platform version='4.1'/>",
        "<platform version='4.1' version='4.1'/>",
        "<platform version='4.1'><zone id='a' routing='Full'>",
        "<adag/>",
        &deep,
        bomb,
    ];
    let expected = [
        "1:1: the file has no elements",
        "1:53: this is no XML: ill-formed document: expected `</zone>`, but `</platform>` was found",
        "1:27: a second element after the first has ended",
        "1:2: this tag is no XML: position 23: duplicated attribute, previous declaration at position 9",
        "1:26: `<zone>` is not closed",
        r#"1:2: `<adag>` is no platform (expected `<platform version="4.1">`)"#,
        "1:385: more than 64 elements within each other",
        "1:71: this value is no XML: at 1..2: unrecognized entity `b`; 1:71: version `&b;` of platform files is not \
         read (expected 4 or 4.1); `simgrid_update_xml` of SimGrid brings older files up to date",
    ];
    assert_eq!(found.map(|text| told(text).join("; ")).to_vec(), expected);
}

#[test]
fn a_deployment_file_says_who_runs_where() {
    let mut sources = Sources::new("");
    let text = r#"<platform version="4.1">
  <actor host="a" function="master" start_time="1.5" kill_time="1m" on_failure="RESTART">
    <argument value="20"/><argument value="x &amp; y"/>
    <prop id="p" value="v"/>
  </actor>
  <process host="b" function="worker"/>
</platform>"#;
    let source = sources.add("d.xml", text, "");
    let actors = deployment(source, &sources).expect("a deployment");
    let master = &actors[0];
    assert_eq!((master.host.0.as_str(), master.function.0.as_str()), ("a", "master"));
    assert_eq!(master.start_time, SimDuration::from_nanos(1_500_000_000));
    assert_eq!((master.kill_time, master.on_failure), (Some(SimDuration::from_secs(60)), OnFailure::Restart));
    let arguments: Vec<&str> = master.arguments.iter().map(|(argument, _)| argument.as_str()).collect();
    assert_eq!(arguments, ["20", "x & y"]);
    assert_eq!(sources.place(master.arguments[0].1), (3, 22));
    assert_eq!(actors[1].on_failure, OnFailure::Die);
    let text = r#"<platform version="4.1"><host id="a" speed="1f"/><actor host="a"/></platform>"#;
    let source = sources.add("e.xml", text, "");
    let complaints = deployment(source, &sources).expect_err("two mistakes");
    let told: Vec<String> = complaints.iter().map(|complaint| shown(&sources, complaint)).collect();
    let expected = [
        "1:26: `<host>` belongs into a platform file (not in a deployment file)",
        "1:51: this `<actor>` lacks `function`; expected: what it does",
    ];
    assert_eq!(told, expected);
}

proptest! {
    /// Our own files with some bytes cut out, put in or doubled are read or refused, and never make
    /// it panic; what is read has routes.
    #[test]
    fn mutated_files_are_read_or_refused(
        file in prop::sample::select(vec!["zones", "crossbars", "peers", "torus", "dragonfly"]),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, "[<>/=\"a-z0-9 &;,-]{0,4}"), 1..6),
    ) {
        let mut text = std::fs::read_to_string(own().join(format!("{file}.xml"))).unwrap();
        for (place, cut, put) in edits {
            let at = place.index(text.len());
            let end = (at + cut).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, &put);
            }
        }
        let mut sources = Sources::new(own());
        let source = sources.add("mutated.xml", text.as_str(), "");
        match read(source, &sources) {
            Ok(Loaded { platform, .. }) => {
                let mut route = Vec::new();
                let hosts = u32::try_from(platform.hosts().len().min(20)).unwrap();
                for (from, to) in (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))) {
                    let _ = platform.route(HostId::new(from), HostId::new(to), &mut route);
                }
            }
            Err(complaints) => {
                prop_assert!(!complaints.is_empty());
                for complaint in complaints {
                    if let Some(span) = complaint.span {
                        prop_assert!(text.get(span.range()).is_some(), "{complaint:?}");
                    }
                }
            }
        }
    }
}
