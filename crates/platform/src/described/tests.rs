//! Tests of `[platform]`: accepted and refused texts.

use super::*;
use crate::distribution;
use crate::kernel::SimTime;
use crate::measured::{Reader, Units};
use crate::registry::{Node, Registry, Sources, Span, Value, check, parse_file};
use crate::{Host, HostId, Trace, network, random};

const ROOT: &[Key] = &[PLATFORM];

/// The platform of a text, or its mistakes as `line:column: message`.
fn platform_in(root: &std::path::Path, text: &str) -> Result<Described, Vec<String>> {
    read_in(root, text, |complaint| complaint.message.clone())
}

/// The same with what is shown of a mistake.
fn read_in(
    root: &std::path::Path,
    text: &str,
    shown: fn(&Complaint) -> String,
) -> Result<Described, Vec<String>> {
    let mut registry = Registry::new();
    registry.table(random::table()).table(distribution::table()).table(network::table());
    let mut sources = Sources::new(root);
    let id = sources.add("test.toml", text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let checked = check(&registry, &sources, &node, ROOT, &mut complaints);
    let read = match checked {
        Some(node) if complaints.is_empty() => {
            read(&Params::new(&registry, &sources, &node).section("platform"), &Streams::new(1, 0))
        }
        _ => Err(complaints),
    };
    read.map_err(|complaints| {
        let place = |complaint: &Complaint| {
            let (line, column) = sources.place(complaint.span.expect("a place"));
            format!("{line}:{column}: {}", shown(complaint))
        };
        complaints.iter().map(place).collect()
    })
}

fn platform(text: &str) -> Result<Platform, Vec<String>> {
    platform_in(std::path::Path::new(""), text).map(|described| described.platform)
}

fn route(platform: &Platform, from: &str, to: &str) -> Vec<String> {
    let [from, to] = [from, to].map(|name| platform.host_named(name).expect("a host"));
    let mut route = Vec::new();
    platform.route(from, to, &mut route).expect("joined");
    route.iter().map(|&link| platform.link_name(link).into_owned()).collect()
}

#[test]
fn hosts_links_and_routes_are_described() {
    let text = "[[platform.host]]\nname = \"a\"\nspeed = \"1.5Gf\"\ncores = 4\navailability = \"50%\"\nproperties = { rack = \"7\" }\n\
        [[platform.host.disk]]\nname = \"d\"\nread = \"200MBps\"\nwrite = \"100MBps\"\n\
        [[platform.host]]\nname = \"node\"\ncount = 3\npower-states = [\"2Gf\", \"1Gf\"]\npower-state = 1\n\
        [[platform.link]]\nname = \"wire\"\nbandwidth = \"1Gbps\"\nlatency = \"50us\"\n\
        [[platform.link]]\nname = \"wan\"\nbandwidth = \"10MBps\"\nsharing = \"split-duplex\"\n\
        [[platform.link]]\nname = \"fat\"\nbandwidth = \"10MBps\"\nsharing = \"fatpipe\"\n\
        [[platform.route]]\nfrom = \"a\"\nto = \"node-0\"\nlinks = [\"wire\", \"wan_UP\"]\n\
        [[platform.route]]\nfrom = \"node-1\"\nto = \"node-2\"\nlinks = [\"fat\"]\nsymmetric = false\n";
    let platform = platform(text).expect("valid");
    let names: Vec<&str> = platform.hosts().iter().map(|host| host.name.as_str()).collect();
    assert_eq!(names, ["a", "node-0", "node-1", "node-2"]);
    let (a, node) = (&platform.hosts()[0], &platform.hosts()[1]);
    assert_eq!((a.cores, a.disks.len(), a.properties["rack"].as_str()), (4, 1, "7"));
    assert_eq!(a.availability, crate::Trace::constant(0.5));
    assert_eq!((node.speeds.as_slice(), node.speed().to_bits()), (&[2e9, 1e9][..], 1e9_f64.to_bits()));
    assert_eq!(route(&platform, "a", "node-0"), ["wire", "wan_UP"]);
    assert_eq!(route(&platform, "node-0", "a"), ["wan_DOWN", "wire"]);
    assert!(platform.route(HostId::new(3), HostId::new(2), &mut Vec::new()).is_err(), "there only");
}

#[test]
fn clusters_and_zones_are_described_in_any_order() {
    let text = "[[platform.zone]]\nname = \"inner\"\nzone = \"grid\"\n[[platform.zone]]\nname = \"grid\"\n\
        [[platform.cluster]]\nname = \"c\"\nhosts = 4\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nlatency = \"50us\"\nzone = \"inner\"\n\
        backbone = { bandwidth = \"10Gbps\", latency = \"1ms\" }\n\
        [[platform.cluster]]\nname = \"t\"\ntopology = \"torus\"\ndimensions = [2, 3]\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nzone = \"inner\"\n\
        [[platform.cluster]]\nname = \"f\"\ntopology = \"fat-tree\"\ndown = [2, 2]\nup = [1, 2]\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\n\
        [[platform.cluster]]\nname = \"d\"\ntopology = \"dragonfly\"\ngroups = 2\nchassis = 1\nrouters = 2\nnodes = 2\nspeed = \"1Gf\"\n\
        bandwidth = \"1Gbps\"\nsharing = \"shared\"\n\
        [[platform.link]]\nname = \"wan\"\nbandwidth = \"10MBps\"\nlatency = \"5ms\"\n\
        [[platform.route]]\nfrom = \"c\"\nto = \"t\"\nlinks = [\"wan\"]\n";
    let platform = platform(text).expect("valid");
    assert_eq!(platform.hosts().len(), 4 + 6 + 4 + 8);
    assert_eq!(route(&platform, "c-0", "c-3"), ["c_link_0_UP", "c_backbone", "c_link_3_DOWN"]);
    assert!(route(&platform, "c-1", "t-5").contains(&"wan".to_owned()));
    assert_eq!(platform.zone_name(platform.zone_of(platform.zone_named("inner").expect("one"))), "grid");
}

#[test]
fn what_is_noted_of_a_cluster_is_noted_of_each_host() {
    let text = "[[platform.cluster]]\nname = \"c\"\nhosts = 3\nspeed = \"1Gf\"\nbandwidth = \"1MBps\"\n\
        properties = { memory = \"16 GiB\", rack = \"7\" }\n";
    let platform = platform(text).expect("a platform");
    assert_eq!(platform.hosts().len(), 3);
    for host in platform.hosts() {
        let noted: Vec<_> = host.properties.iter().map(|(name, text)| format!("{name} {text}")).collect();
        assert_eq!(noted, ["memory 16 GiB", "rack 7"]);
    }
}

#[test]
fn the_speed_of_each_host_of_a_cluster_may_be_drawn() {
    let cluster = |hosts: u32, speed: &str| {
        let text = format!(
            "[[platform.cluster]]\nname = \"m\"\ntopology = \"mesh\"\nhosts = {hosts}\nspeed = {speed}\nbandwidth = \"1MBps\"\n"
        );
        let described = platform_in(std::path::Path::new(""), &text);
        described.map(|described| (described.drawn, described.platform))
    };
    let speeds = |platform: &Platform| platform.hosts().iter().map(Host::speed).collect::<Vec<f64>>();
    let law = "{ kind = \"uniform\", low = \"0.7Gf\", high = \"1.4Gf\" }";
    let (is_drawn, drawn) = cluster(20, law).expect("valid");
    assert_eq!(route(&drawn, "m-3", "m-17"), ["m_link_from_3_to_17"]);
    assert!(is_drawn && speeds(&drawn).iter().all(|speed| (0.7e9..1.4e9).contains(speed)));
    let more = cluster(21, law).expect("valid").1;
    assert_eq!(speeds(&drawn), speeds(&more)[..20], "a host more moves no draw of the others");
    let (is_drawn, same) = cluster(3, "\"1Gf\"").expect("valid");
    assert!(!is_drawn && speeds(&same) == [1e9; 3]);
    let mistakes = cluster(2000, law).expect_err("too many links");
    assert_eq!(mistakes, ["4:9: a cluster of 2,000 hosts"]);
}

#[test]
fn hosts_and_links_may_be_loaded_by_others() {
    let text = "[[platform.cluster]]\nname = \"m\"\ntopology = \"mesh\"\nhosts = 3\nspeed = \"1Gf\"\nbandwidth = \"1MBps\"\n\
        load = { kind = \"uniform\", low = 0, high = 0.5, every = \"100s\" }\n\
        link-load = { kind = \"uniform\", low = 0.2, high = 0.4 }\n\
        [[platform.host]]\nname = \"n\"\ncount = 2\nspeed = \"1Gf\"\nload = 0.3\n\
        [[platform.host]]\nname = \"full\"\nspeed = \"1Gf\"\nload = { kind = \"constant\", value = 1, least-available = \"10%\" }\n\
        [[platform.link]]\nname = \"wan\"\nbandwidth = \"10MBps\"\nsharing = \"split-duplex\"\n\
        load = { kind = \"uniform\", low = 0, high = 1, every = \"1s\" }\n";
    let described = platform_in(std::path::Path::new(""), text).expect("valid");
    let platform = &described.platform;
    assert!(described.drawn);
    let hosts: Vec<&Trace> = platform.hosts().iter().map(|host| &host.availability).collect();
    let hundred = SimTime::from_nanos(100_000_000_000);
    assert!(hosts[..3].iter().all(|host| host.next_change(SimTime::ZERO) == Some(hundred)));
    assert!(hosts[..3].iter().all(|host| (0.5..=1.0).contains(&host.value_at(hundred))));
    assert_ne!(hosts[0].value_at(hundred).to_bits(), hosts[1].value_at(hundred).to_bits());
    assert_eq!(hosts[0].mean().to_bits(), 0.75_f64.to_bits());
    assert!(hosts[3] == hosts[4] && *hosts[3] == Trace::constant(0.7) && *hosts[5] == Trace::constant(0.1));
    let bandwidth = |name: &str| platform.link(platform.link_named(name).expect("a link")).bandwidth.clone();
    let [one, other] = ["m_link_from_0_to_1", "m_link_from_1_to_0"].map(bandwidth);
    assert!((0.6e6..=0.8e6).contains(&one.value_at(hundred)) && one != other);
    assert_eq!(one.next_change(SimTime::ZERO), None);
    assert_eq!(bandwidth("wan_UP").mean().to_bits(), 5e6_f64.to_bits());
    assert_ne!(
        bandwidth("wan_UP").value_at(hundred).to_bits(),
        bandwidth("wan_DOWN").value_at(hundred).to_bits()
    );

    let host = |keys: &str| {
        platform_in(
            std::path::Path::new(""),
            &format!("[[platform.host]]\nname = \"a\"\nspeed = \"1Gf\"\n{keys}\n"),
        )
        .expect_err("a mistake")
    };
    assert_eq!(host("load = 0.5\navailability = 1"), ["5:16: the availability is given twice"]);
    assert_eq!(
        host("load = { kind = \"constant\", value = 0.5, every = \"1us\" }"),
        ["4:50: a load is drawn too often"]
    );
    assert_eq!(
        host("load = { kind = \"constant\", value = 0.5, evry = \"1s\" }"),
        ["4:42: unknown key `evry`"]
    );
    assert_eq!(host("load = { value = 0.5, every = \"0s\" }").len(), 2);
}

#[test]
fn a_star_has_spokes() {
    let text = "[[platform.zone]]\nname = \"s\"\nrouting = \"star\"\nbackbone = \"bb\"\n\
        [[platform.host]]\nname = \"h\"\ncount = 2\nspeed = \"1Gf\"\nzone = \"s\"\n\
        [[platform.link]]\nname = \"l0\"\nbandwidth = \"1Gbps\"\nsharing = \"split-duplex\"\n\
        [[platform.link]]\nname = \"l1\"\nbandwidth = \"1Gbps\"\n[[platform.link]]\nname = \"bb\"\nbandwidth = \"1Gbps\"\n\
        [[platform.spoke]]\nof = \"h-0\"\nup = [\"l0_UP\"]\n[[platform.spoke]]\nof = \"h-1\"\nup = [\"l1\"]\n";
    let platform = platform(text).expect("valid");
    assert_eq!(route(&platform, "h-0", "h-1"), ["l0_UP", "bb", "l1"]);
    assert_eq!(route(&platform, "h-1", "h-0"), ["l1", "bb", "l0_DOWN"]);
}

#[test]
fn a_platform_may_be_drawn_and_perturbed() {
    let random = "[platform.random]\nkind = \"tree\"\nhosts = 5\nrouters = 3\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\nlatency = \"1ms\"\n\
        host-bandwidth = \"1GBps\"\nhost-latency = \"0s\"\n";
    let plain = platform(random).expect("valid");
    let perturbed =
        |speed: &str| platform(&format!("{random}[platform.perturb]\nspeed = {speed}\n")).expect("valid");
    assert_eq!(plain.hosts(), perturbed("1").hosts());
    let drawn = perturbed("{ kind = \"uniform\", low = 0.5, high = 1.5 }");
    assert_ne!(drawn.hosts()[0].speed().to_bits(), drawn.hosts()[1].speed().to_bits());
    let bad = platform(&format!("{random}[platform.perturb]\nspeed = 0\n")).expect_err("no speed");
    assert_eq!(bad, ["11:9: the speed of `host-0` cannot be multiplied by 0"]);
}

#[test]
fn a_trace_may_come_round_and_be_begun_in_its_middle() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("load.csv");
    std::fs::write(path, "time,value\n100,1\n110,0.5\n120,0.25\n").expect("written");
    let host = |trace: &str| {
        let text = format!("[[platform.host]]\nname = \"h\"\ncount = 3\nspeed = \"1Gf\"\n{trace}\n");
        platform_in(folder.path(), &text).map(|described| described.platform)
    };
    let values = |platform: &Platform, host: usize, seconds: [u64; 4]| {
        let at = seconds.map(|second| crate::kernel::SimTime::from_nanos(second * 1_000_000_000));
        at.map(|at| platform.hosts()[host].availability.value_at(at))
    };
    let exact = |found: [f64; 4], expected: [f64; 4]| {
        assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{found:?}, not {expected:?}");
    };
    let plain = host("availability-trace = \"load.csv\"").expect("valid");
    exact(values(&plain, 1, [0, 100, 115, 1_000]), [1.0, 1.0, 0.5, 0.25]);
    let round = "availability-trace = { file = \"load.csv\", periodicity = \"30s\", first-point-at-start = true, offset = \"10s\", \
        stagger = \"15s\" }";
    let round = host(round).expect("valid");
    // a round takes 50 s: 1 until 10 s, 0.5 until 20 s, 0.25 until 50 s
    exact(values(&round, 0, [0, 9, 10, 40]), [0.5, 0.5, 0.25, 1.0]);
    exact(values(&round, 1, [0, 24, 25, 35]), [0.25, 0.25, 1.0, 0.5]);
    exact(values(&round, 2, [0, 10, 20, 60]), [0.25, 1.0, 0.5, 1.0]);
    let wrong = |trace: &str| host(trace).expect_err("wrong");
    assert_eq!(wrong("state-trace = 7"), ["5:15: `state-trace` cannot be an integer"]);
    assert_eq!(wrong("state-trace = { offset = \"1s\" }"), ["5:15: missing key `file`"]);
    let zero = wrong("state-trace = { file = \"load.csv\", periodicity = \"0s\", offest = \"1s\" }");
    assert_eq!(zero.len(), 2, "{zero:?}");
    let link = "[[platform.link]]\nname = \"l\"\nbandwidth = \"1Gbps\"\nstate-trace = { file = \"load.csv\", stagger = \"1s\" }\n";
    let link = platform_in(folder.path(), link).expect_err("links are not many");
    assert_eq!(link, ["4:36: unknown key `stagger`"]);
}

/// The grid of figure 11 of the report of the Parameter Sweep Template.
#[test]
fn clusters_stand_behind_one_link_of_the_origin_each() {
    let text = "[platform]\norigin = \"home\"\n\
        [[platform.cluster]]\nname = \"fast\"\nhosts = 4\nlink = { bandwidth = \"10kBps\", latency = \"1ms\" }\n\
        availability = 1.0\n\
        [[platform.cluster]]\nname = \"middle\"\nhosts = 2\nlink = { bandwidth = \"10kBps\" }\narchitecture = 1\n\
        availability = { kind = \"uniform\", low = 0.4, high = 1.0, every = \"5s\" }\nqueue-wait = \"60s\"\n\
        failures = { up = \"100s\", down = \"10s\" }\n\
        [[platform.cluster]]\nname = \"slow\"\nhosts = 12\nstorage = \"none\"\ncores = 2\navailability = 0.3\n\
        link = { bandwidth = { kind = \"uniform\", low = \"5kBps\", high = \"10kBps\", every = \"60s\" } }\n";
    let described = platform_in(std::path::Path::new(""), text).expect("valid");
    assert!(described.drawn);
    let platform = described.platform;
    let origin = platform.host_named("home").expect("it is added");
    assert_eq!(route(&platform, "home", "fast-3"), ["fast"]);
    assert!(route(&platform, "fast-0", "fast-3").is_empty());
    // files go from the origin to clusters and back, and nowhere else unless a route says so
    let [slow, middle] = ["slow-11", "middle-0"].map(|name| platform.host_named(name).expect("a host"));
    assert!(platform.route(slow, middle, &mut Vec::new()).is_err());
    let grid = crate::clustered::grid::SweepGrid::of(&platform, &[origin], 1e10).expect("a grid");
    let hosts: Vec<u32> = grid.clusters.iter().map(|cluster| cluster.hosts.end).collect();
    assert_eq!(hosts, [4, 6, 18]);
    let at = |seconds: u64| crate::kernel::SimTime::from_nanos(seconds * 1_000_000_000);
    let first = |cluster: usize| &grid.hosts[grid.clusters[cluster].hosts.start as usize];
    assert_eq!(first(2).availability.value_at(at(7)).to_bits(), 0.3_f64.to_bits());
    assert!((0.4..=1.0).contains(&first(1).availability.value_at(at(7))));
    assert_eq!(first(1).availability.next_change(at(7)), Some(at(10)));
    assert_eq!(
        [99, 100, 109, 110].map(|second| first(1).present.value_at(at(second)) > 0.0),
        [true, false, false, true]
    );
    assert_eq!((first(1).architecture, first(1).queue_wait.is_some(), first(2).processors), (1, true, 2));
    assert_eq!((first(0).speed.to_bits(), grid.clusters[2].has_storage), (1.0_f64.to_bits(), false));
    assert_eq!(grid.clusters[2].bandwidth.next_change(at(7)), Some(at(60)));
    assert_eq!(grid.clusters[0].latency.value_at(at(0)).to_bits(), 1e-3_f64.to_bits());
}

/// Both samples of the report; `loaded_2` is lost.
#[test]
fn a_grid_of_the_template_takes_behaviours_from_the_scenario_and_from_files_next_to_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("grid.txt", include_str!("../../../../tests/data/sweeps/appendix_a.txt"));
    let read = |more: &str| platform_in(folder.path(), &format!("[platform]\nfile = \"grid.txt\"\n{more}"));
    let lost = read("").expect_err("it is lost");
    assert_eq!(lost, ["2:8: there is no behaviour `loaded_2`"]);
    let at = |seconds: u64| crate::kernel::SimTime::from_nanos(seconds * 1_000_000_000);
    let share = |described: Described, second: u64| {
        let host = described.platform.host_named("host4.2").expect("a host");
        described.platform.host(host).availability.value_at(at(second))
    };
    let constant = read("behaviour = { loaded_2 = \"40%\" }\norigin = \"home\"\n").expect("a grid");
    assert_eq!(constant.warnings.len(), 1);
    assert!(constant.platform.host_named("home").is_some() && !constant.drawn);
    assert_eq!(
        [share(constant.clone(), 552), share(constant, 553)].map(f64::to_bits),
        [0.5, 0.4].map(f64::to_bits)
    );
    let drawn = read("behaviour.loaded_2 = { kind = \"uniform\", low = 0.2, high = 0.3 }\nstep = \"2s\"\n")
        .expect("a grid");
    assert!(drawn.drawn && (0.2..=0.3).contains(&share(drawn.clone(), 553)));
    let bits = [553, 554, 555].map(|at| share(drawn.clone(), at).to_bits());
    assert!(bits[0] == bits[1] && bits[1] != bits[2]);
    write("load.txt", "2\n10\n20\n");
    let file = read("behaviour = { loaded_2 = \"load.txt\" }\n").expect("a grid");
    assert_eq!(share(file, 558).to_bits(), 0.2_f64.to_bits());
    write("loaded_2.txt", "time,value\n1000,0.25\n1010,0.75\n");
    write("loaded_2", "1000 0.25\n1010 0.75\n");
    let measured = read("").expect("a grid");
    // an offset of 4 is none of 2 values
    assert_eq!(
        [553, 563, 568].map(|second| share(measured.clone(), second).to_bits()),
        [0.25, 0.75, 0.25].map(f64::to_bits)
    );
    write("loaded_2", "2\n10\n200\n");
    let wrong = read("").expect_err("above 100 %");
    assert_eq!(wrong, ["2:8: the availability is not a percentage from 0 to 100"]);
    let unknown = read("behaviour = { loaded_2 = 0.5, laoded = 0.5, stable_50 = \"none.txt\" }\n")
        .expect_err("mistakes");
    assert_eq!(
        unknown,
        ["3:57: cannot read `none.txt`: there is no such file", "3:31: the grid names no behaviour `laoded`"]
    );
    let other = platform("[platform]\nstep = \"5s\"\n[[platform.host]]\nname = \"h\"\nspeed = \"1Gf\"\n");
    let message = "2:8: `step` means nothing to a platform that is no grid of the Parameter Sweep Template";
    assert_eq!(other.expect_err("a mistake"), [message]);
}

#[test]
fn hosts_of_a_cluster_behind_a_link_may_be_described_one_by_one() {
    let text = "[[platform.cluster]]\nname = \"c\"\nhosts = 1\nlink = { bandwidth = \"1kBps\" }\n\
        [[platform.host]]\nname = \"h\"\nzone = \"c\"\nspeed = \"5Gf\"\navailability = 0.5\nproperties = { architecture = \"2\" }\n";
    let platform = platform(text).expect("valid");
    assert_eq!(route(&platform, "origin", "h"), ["c"]);
    let origin = platform.host_named("origin").expect("it is added");
    let grid = crate::clustered::grid::SweepGrid::of(&platform, &[origin], 1e10).expect("a grid");
    let host = &grid.hosts[1];
    assert_eq!((&*host.name, host.architecture, host.speed.to_bits()), ("h", 2, 0.5_f64.to_bits()));
    let alone = text.replace("hosts = 1\n", "");
    assert_eq!(self::platform(&alone).expect("valid").hosts().len(), 2);
}

#[test]
fn what_contradicts_a_cluster_behind_one_link_is_reported_at_its_key() {
    let cluster = |keys: &str| {
        let text =
            format!("[[platform.cluster]]\nname = \"c\"\nlink = {{ bandwidth = \"1kBps\" }}\n{keys}\n");
        platform(&text).expect_err("a mistake")
    };
    assert_eq!(
        cluster("hosts = 2\nbandwidth = \"1Gbps\""),
        ["5:13: a cluster behind one link has no `bandwidth`"]
    );
    assert_eq!(cluster(""), ["1:1: missing key `hosts`"]);
    assert_eq!(cluster("hosts = 2\navailability = 1.5"), ["5:16: `availability` is above 1"]);
    let often =
        cluster("hosts = 2\navailability = { kind = \"uniform\", low = 0, high = 1, every = \"1us\" }");
    assert_eq!(often, ["5:63: a value is drawn too often"]);
    let capacity = cluster("hosts = 2\nstorage = \"none\"\ncapacity = \"1GB\"");
    assert_eq!(capacity, ["6:12: the capacity of a storage that is not there"]);
    let torus = platform(
        "[[platform.cluster]]\nname = \"c\"\nhosts = 2\nspeed = \"1f\"\nbandwidth = \"1Bps\"\nstorage = \"none\"\n",
    );
    assert_eq!(torus.expect_err("no link"), ["6:11: `storage` is of clusters behind one link"]);
    let cables = platform("[[platform.cluster]]\nname = \"c\"\nhosts = 2\n").expect_err("a mistake");
    assert_eq!(cables, ["1:1: missing key `speed`", "1:1: missing key `bandwidth`"]);
}

#[test]
fn zones_may_be_described_from_the_innermost_to_the_outermost() {
    let zone = |name: usize| match name {
        0 => "[[platform.zone]]\nname = \"z0\"\n".to_owned(),
        name => format!("[[platform.zone]]\nname = \"z{name}\"\nzone = \"z{}\"\n", name - 1),
    };
    let host = "[[platform.host]]\nname = \"a\"\nspeed = \"1Gf\"\nzone = \"z20\"\n";
    let nested = |zones: usize| (0..zones).rev().map(zone).collect::<String>();
    let made = platform(&format!("{host}{}", nested(21))).expect("valid");
    assert!(made.zone_named("z20").is_some());
    // deeper than zones may lie: one mistake, nothing of those inside, no search for each
    let deep = platform(&format!("{host}{}", nested(20_000))).expect_err("too deep");
    assert_eq!(deep.len(), 1, "{:?}", &deep[..2]);
}

#[test]
fn only_keys_of_the_topology_at_hand_are_suggested() {
    let help = |key: &str| {
        let cluster = "[[platform.cluster]]\nname = \"c\"\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\n";
        let text = format!("{cluster}{key}\n");
        let help = |complaint: &Complaint| complaint.help.clone().unwrap_or_default();
        let wrong = read_in(std::path::Path::new(""), &text, help).expect_err("unknown");
        wrong.into_iter().next().unwrap_or_default()
    };
    let torus = help("dimension = [4]\ntopology = \"torus\"\ndimensions = [4, 4]");
    assert!(torus.contains("did you mean `dimensions`?") && torus.contains("sharing, backbone"), "{torus}");
    for other in ["chassis", "down", "router-cables"] {
        assert!(!torus.contains(other), "{torus}");
    }
    let crossbar = help("dimension = [4]");
    assert!(!crossbar.contains("dimensions") && crossbar.contains("zone"), "{crossbar}");
    let tree = help("router-cable = 4\ntopology = \"fat-tree\"\ndown = [4]\nup = [1]");
    assert!(!tree.contains("router-cables") && tree.contains(" up, cables"), "{tree}");
}

#[test]
fn every_mistake_is_reported_at_its_value() {
    let text = "[[platform.host]]\nname = \"alpha\"\nspeed = \"1Gf\"\n[[platform.host]]\nname = \"alpha\"\nspeed = \"1Gf\"\n\
        [[platform.host]]\nname = \"beta\"\n[[platform.host]]\nname = \"gamma\"\nspeed = \"1Gf\"\nzone = \"nowhere\"\n\
        [[platform.link]]\nname = \"wire\"\nbandwidth = \"1Gbps\"\nbandwidth-trace = \"none.csv\"\n\
        [[platform.link]]\nname = \"wan\"\nbandwidth = \"1Gbps\"\nsharing = \"split-duplex\"\n\
        [[platform.route]]\nfrom = \"alhpa\"\nto = \"beta\"\nlinks = [\"wrie\", \"wan\", \"wire\"]\n\
        [[platform.cluster]]\nname = \"c\"\ntopology = \"torus\"\ndimensions = [2, 2]\nhosts = 5\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\n\
        [[platform.cluster]]\nname = \"d\"\nhosts = 5\nspeed = \"1Gf\"\nbandwidth = \"1Gbps\"\nup = [1]\n\
        [[platform.zone]]\nname = \"x\"\nzone = \"y\"\n[[platform.zone]]\nname = \"y\"\nzone = \"x\"\n";
    let expected = [
        "5:8: there are two of the name `alpha`",
        "7:1: nothing says how fast `beta` computes",
        "12:8: there is no zone `nowhere`",
        "16:19: cannot read `none.csv`: there is no such file",
        "22:8: there is no host, router or zone `alhpa`",
        "24:10: there is no link `wrie`",
        "24:18: `wan` is a link for each direction",
        "29:9: cluster `c`: this torus has 4 hosts, but the cluster has 5",
        "37:6: `up` means nothing to the topology crossbar",
        "40:8: this zone lies in itself",
        "43:8: this zone lies in itself",
    ];
    assert_eq!(platform(text).expect_err("mistakes"), expected);
    assert_eq!(platform("[platform]\n").expect_err("empty"), ["1:1: the platform has no hosts"]);
    let both = "[platform]\nfile = \"x.xml\"\n[[platform.host]]\nname = \"a\"\nspeed = \"1Gf\"\n";
    assert_eq!(platform(both).expect_err("both"), ["3:1: `file` gives the platform, and `host` does, too"]);
}

#[test]
fn what_was_measured_is_read_back_the_same() {
    let mut units = Units::default();
    units.state("bandwidth", "Mbps").expect("a unit");
    let mut reader = Reader::new(units, None);
    reader.read("hosts.csv", "host,speed,cores\na,1.1Gf,2\nb,333333333.3f,1\n");
    reader.read("lines.csv", "from,to,bandwidth,latency\na,hub,3.3,1.7ms\nb,hub,7,0.3us\n");
    reader.read("cpu.csv", "time,host,availability\n5,b,0.1\n7,b,0.7\n");
    reader.read("net.csv", "time,link,bandwidth\n6.5,a--hub,1\n9,a--hub,2\n");
    let measured = reader.finish().expect("valid");
    let folder = tempfile::tempdir().expect("a folder");
    let toml = measured.toml("traces");
    std::fs::create_dir(folder.path().join("traces")).expect("a folder");
    for (name, text) in &toml.traces {
        std::fs::write(folder.path().join("traces").join(name), text).expect("written");
    }
    let read = platform_in(folder.path(), &toml.text).expect("valid").platform;
    let of = |platform: &Platform| {
        let values = |trace: &crate::Trace| -> Vec<u64> {
            let at = (0..40).map(|tenth| crate::kernel::SimTime::from_nanos(tenth * 250_000_000));
            at.map(|at| trace.value_at(at).to_bits()).collect()
        };
        let hosts: Vec<_> = platform
            .hosts()
            .iter()
            .map(|host| (host.speed().to_bits(), host.cores, values(&host.availability)))
            .collect();
        let links: Vec<_> =
            platform.links().iter().map(|link| (values(&link.bandwidth), values(&link.latency))).collect();
        (hosts, links, route(platform, "a", "b"))
    };
    assert_eq!(of(&read), of(&measured.platform));
}

#[test]
fn cells_of_measurements_may_be_quoted() {
    let read = |hosts: &str, lines: &str, wide: &str| {
        let mut reader = Reader::new(Units::default(), None);
        reader.read("hosts.csv", hosts);
        reader.read("lines.csv", lines);
        reader.read("cpu.csv", wide);
        reader.finish().expect("valid").toml("traces")
    };
    let plain = read(
        "host,speed\na,1.1Gf\nb,2Gf\n",
        "from,to,bandwidth,latency\na,b,3MBps,1ms\n",
        "host,t0,t5\na,0.5,1\n",
    );
    let quoted = read(
        "\"host\",\"why, or\nwhat\",\"speed\"\n\"a\",\"x \"\"y\"\"\",\"1.1Gf\"\nb,,2Gf\n",
        "from,\"to\",bandwidth,latency\r\n\"a\",\"b\", \"3MBps\" ,\"1ms\"\r\n",
        "\"host\",\"t0\",\"t5\"\n\"a\",\"0.5\",1\n",
    );
    assert_eq!(plain, quoted);
    let mut reader = Reader::new(Units::default(), None);
    reader.read("hosts.csv", "host,speed\n\"a, \"\"b\"\"\",1Gf\nb\nc,\"1Gf\nd,1Gf\n");
    let problems = reader.finish().expect_err("an open quote");
    let found: Vec<(&str, u64, usize)> = problems
        .iter()
        .map(|(_, problem)| {
            let place = problem.place.as_ref().expect("a place");
            (problem.message.as_str(), place.line, place.column)
        })
        .collect();
    let expected = [("this line has 1 cells, and the first has 2", 3, 1), ("the quote is left open", 4, 3)];
    assert_eq!(found, expected);
}
