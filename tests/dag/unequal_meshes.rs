//! A mesh of hosts that are described one by one is the same platform as its hosts, links and
//! routes written out.

use std::fmt::Write as _;

use clustersim_testing::program::{Output, Place};

/// Hosts of a cluster `lab`: names, speeds, cores, and what else they are said to have.
const HOSTS: &str = "
[[platform.host]]
name = 'old'
zone = 'lab'
speed = '0.6Gf'

[[platform.host]]
name = 'wide'
zone = 'lab'
speed = '1Gf'
cores = 3
load = { kind = 'uniform', low = 0, high = 0.5, every = '40s' }

[[platform.host]]
name = 'twin'
zone = 'lab'
count = 2
power-states = ['2.5Gf', '1.5Gf']
power-state = 1
";

/// The cables of the cluster.
const CABLES: &str = "bandwidth = '2MBps'\nlatency = '20ms'\n";

const NAMES: [&str; 4] = ["old", "wide", "twin-0", "twin-1"];

/// What runs on it.
const GRAPH: &str = "
[application]
kind = 'layered'
tasks = 40
levels = 6
parents = 3
[scheduler]
kind = 'heft'
[run]
links = 'planned'
[record]
transfers = true
loads = true
";

fn mesh(cables: &str) -> String {
    format!(
        "title = 'Mesh'\nseed = 4\n[[platform.cluster]]\nname = 'lab'\ntopology = 'mesh'\n{cables}{HOSTS}{GRAPH}"
    )
}

/// The same platform with every link and route of its own.
fn written_out() -> String {
    let hosts = HOSTS.replace("zone = 'lab'\n", "");
    let mut text = format!("title = 'Mesh'\nseed = 4\n{hosts}");
    for (low, one) in NAMES.iter().enumerate() {
        for (high, other) in NAMES.iter().enumerate().skip(low + 1) {
            for (from, to, ends) in [(low, high, [one, other]), (high, low, [other, one])] {
                let link = format!("lab_link_from_{from}_to_{to}");
                write!(text, "[[platform.link]]\nname = '{link}'\n{CABLES}").unwrap();
                let [from, to] = ends;
                let route = format!("from = '{from}'\nto = '{to}'\nlinks = ['{link}']\nsymmetric = false\n");
                write!(text, "[[platform.route]]\n{route}").unwrap();
            }
        }
    }
    text + GRAPH
}

fn ran(place: &Place, name: &str, text: &str) -> Output {
    let file = format!("{name}.toml");
    place.file(&file, text);
    let output = place.run(&["run", &file, "--no-progress", "-o", name]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    output
}

#[test]
fn unequal_hosts_of_a_mesh_run_as_the_same_platform_written_out() {
    let place = Place::new();
    let mesh = ran(&place, "mesh", &mesh(CABLES));
    let written = ran(&place, "written", &written_out());
    assert_eq!(mesh.stdout.replace("mesh", "written"), written.stdout);
    for table in ["tasks.csv", "transfers.csv", "loads.csv"] {
        let [one, other] = ["mesh", "written"].map(|name| place.read(&format!("{name}/{table}")));
        assert_eq!(String::from_utf8(one).unwrap(), String::from_utf8(other).unwrap(), "{table}");
    }
    let metrics = |name: &str| -> serde_json::Value {
        let summary: serde_json::Value =
            serde_json::from_slice(&place.read(&format!("{name}/summary.json"))).unwrap();
        summary["metrics"].clone()
    };
    assert!(metrics("mesh").is_object());
    assert_eq!(metrics("mesh"), metrics("written"));
    let judged = place.run(&["check", "mesh"]);
    assert_eq!(judged.status, 0, "{}", judged.stdout);
}

#[test]
fn links_of_a_mesh_may_each_have_a_drawn_bandwidth() {
    let place = Place::new();
    let drawn = "bandwidth = { kind = 'uniform', low = '1MBps', high = '3MBps' }\nlatency = '20ms'\n";
    ran(&place, "drawn", &mesh(drawn));
    let loads = String::from_utf8(place.read("drawn/loads.csv")).unwrap();
    let of_links = |line: &&str| line.starts_with("link,");
    let rates: Vec<f64> = loads
        .lines()
        .filter(of_links)
        .map(|line| line.rsplit(',').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(rates.len(), 12, "each ordered pair has its own, once");
    assert!(rates.iter().all(|rate| (1e6..3e6).contains(rate)));
    assert!(rates.windows(2).all(|pair| (pair[0] - pair[1]).abs() > 0.0));
    // a host more moves no draw of the others
    let wider = mesh(drawn).replace(
        "[application]",
        "[[platform.host]]\nname = 'new'\nzone = 'lab'\nspeed = '1Gf'\n[application]",
    );
    ran(&place, "wider", &wider);
    let wider = String::from_utf8(place.read("wider/loads.csv")).unwrap();
    assert!(loads.lines().filter(of_links).all(|line| wider.contains(line)));
    let judged = place.run(&["check", "drawn"]);
    assert_eq!(judged.status, 0, "{}", judged.stdout);
}

/// What is said about `text` with one part replaced by another.
fn refused(part: &str, other: &str) -> String {
    let place = Place::new();
    let text = mesh(CABLES);
    assert!(text.contains(part), "{part}");
    place.file("m.toml", text.replacen(part, other, 1));
    let output = place.run(&["validate", "m.toml"]);
    assert_eq!(output.status, 2, "{}", output.stdout);
    output.stderr
}

#[test]
fn mistakes_of_described_hosts_are_told_where_they_stand() {
    let twice = refused("name = 'wide'", "name = 'old'");
    assert!(twice.contains("`old`") && twice.contains("m.toml:15:8"), "{twice}");
    let counted = refused("topology = 'mesh'", "topology = 'mesh'\nhosts = 3\nspeed = '1Gf'");
    assert!(counted.contains("the mesh that this host lies in has other hosts"), "{counted}");
    let both = refused("topology = 'mesh'", "topology = 'mesh'\nspeed = '1Gf'");
    assert!(both.contains("`speed` is of hosts that `hosts` counts"), "{both}");
    let none = refused("zone = 'lab'\nspeed = '0.6Gf'", "zone = 'lap'\nspeed = '0.6Gf'");
    assert!(none.contains("there is no zone `lap`") && none.contains("`lab`"), "{none}");
    let slow = refused("speed = '0.6Gf'\n", "");
    assert!(slow.contains("nothing says how fast `old` computes"), "{slow}");
    let shape = refused("topology = 'mesh'", "topology = 'torus'\ndimensions = [5]");
    assert!(shape.contains("this torus has 5 hosts, but the cluster has 4"), "{shape}");
    let route =
        refused("[application]", "[[platform.route]]\nfrom = 'old'\nto = 'wode'\nlinks = []\n[application]");
    assert!(route.contains("there is no host, router or zone `wode`") && route.contains("`wide`"), "{route}");
}
