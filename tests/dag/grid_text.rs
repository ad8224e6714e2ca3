//! Grids of DAGSim as platforms: by the built program, and the same platform in TOML.

use std::fs;

use serde_json::Value as Json;

use clustersim_testing::program::{Place, repository};

/// A grid of hosts that are alike, all joined by one link of one byte per second.
fn alike(hosts: usize) -> String {
    let hosts: Vec<String> = (0..hosts).map(|host| format!("host h{host} 1 0\n")).collect();
    format!("DagGrid 1\n{}link wire 0 1 0\nall-pairs wire\n", hosts.concat())
}

fn place() -> Place {
    let place = Place::new();
    for name in ["f6.dag", "m7.dag"] {
        place.file(name, fs::read(repository("tests/data/workflows").join(name)).unwrap());
    }
    place
}

/// A scenario of a graph in a file, with more tables.
fn scenario(graph: &str, more: &str) -> String {
    format!("title = \"g\"\n[application]\nkind = \"dag-text\"\nfile = \"{graph}\"\n{more}\n")
}

fn summary(place: &Place, scenario: &str, out: &str) -> Json {
    let done = place.run(&["run", scenario, "-o", out, "--no-progress"]);
    assert_eq!(done.status, 0, "{}", done.stderr);
    serde_json::from_slice(&place.read(&format!("{out}/summary.json"))).unwrap()
}

#[test]
fn dcp_wants_four_hosts_for_the_fork_and_join() {
    let place = place();
    for hosts in [3, 4] {
        place.file(&format!("{hosts}.grid"), alike(hosts));
        let tables = format!(
            "[platform]\nfile = \"{hosts}.grid\"\n[scheduler]\nkind = \"dcp\"\n[run]\nlinks = \"contention-free\""
        );
        place.file(&format!("{hosts}.toml"), scenario("f6.dag", &tables));
    }
    assert_eq!(summary(&place, "4.toml", "four")["metrics"]["makespan"]["value"], 16.0);
    let small = place.run(&["run", "3.toml", "-o", "three"]);
    assert_eq!(small.status, 1, "{}", small.stderr);
    assert!(small.stderr.contains("dcp"), "{}", small.stderr);
}

/// Loads that change and do not, a pair that is void, pairs that differ by direction, and a link of
/// several pairs.
#[test]
fn a_grid_is_the_same_platform_as_its_tables() {
    let place = place();
    let grid = "DagGrid 1\nhost a 1 loads/busy.txt\nhost b 0.5 0.25\nhost c 2 0\nlink l 0.5 2 0\nlink m 0 4 loads/line.csv\n\
                all-pairs l\npath c a m\npath a c m\nvoid b c\n";
    let tables = "[[platform.host]]\nname = \"a\"\nspeed = \"10Gf\"\navailability-trace = \"free.txt\"\n\
        [[platform.host]]\nname = \"b\"\nspeed = \"5Gf\"\navailability = 0.75\n\
        [[platform.host]]\nname = \"c\"\nspeed = \"20Gf\"\n\
        [[platform.link]]\nname = \"l\"\nbandwidth = \"2Bps\"\nlatency = \"500ms\"\n\
        [[platform.link]]\nname = \"m\"\nbandwidth = \"4Bps\"\nbandwidth-trace = \"line.csv\"\n";
    let route = |from: &str, to: &str, link: &str| {
        format!(
            "[[platform.route]]\nfrom = \"{from}\"\nto = \"{to}\"\nlinks = [\"{link}\"]\nsymmetric = false\n"
        )
    };
    let routes = [("a", "b", "l"), ("b", "a", "l"), ("c", "b", "l"), ("c", "a", "m"), ("a", "c", "m")];
    let routes: String = routes.map(|(from, to, link)| route(from, to, link)).concat();
    place
        .file("grids/g.grid", grid)
        .file("grids/loads/busy.txt", "PERIODICITY 3\n0 0\n4 0.5\n9 1\n")
        .file("grids/loads/line.csv", "time,value\n2,0.5\n20,0\n")
        .file("free.txt", "PERIODICITY 3\n0 1\n4 0.5\n9 0.02\n")
        .file("line.csv", "time,value\n2,2\n20,4\n");
    for rule in ["heft", "min-min", "dls"] {
        for links in ["planned", "ready"] {
            let more = |platform: &str| {
                format!("{platform}[scheduler]\nkind = \"{rule}\"\n[run]\nlinks = \"{links}\"\n")
            };
            place
                .file("grid.toml", scenario("m7.dag", &more("[platform]\nfile = \"grids/g.grid\"\n")))
                .file("tables.toml", scenario("m7.dag", &more(&format!("{tables}{routes}"))));
            let outs = [format!("{rule}-{links}-grid"), format!("{rule}-{links}-tables")];
            let [grid, tables] = ["grid", "tables"]
                .map(|name| summary(&place, &format!("{name}.toml"), &outs[usize::from(name == "tables")]));
            assert_eq!(grid["metrics"], tables["metrics"], "{rule} {links}");
            for table in ["tasks.csv", "plans.csv", "hosts.csv"] {
                let [one, other] = [0, 1].map(|run| place.read(&format!("{}/{table}", outs[run])));
                assert!(one == other, "{rule} {links}: {table}");
            }
            let judged = place.run(&["check", &outs[0]]);
            assert_eq!(judged.status, 0, "{}", judged.stdout);
        }
    }
    let manifest: Json = serde_json::from_slice(&place.read("heft-ready-grid/manifest.json")).unwrap();
    let inputs = manifest["identity"].to_string();
    for file in ["grids/g.grid", "grids/loads/busy.txt", "grids/loads/line.csv", "m7.dag"] {
        assert!(inputs.contains(file), "{file}: {inputs}");
    }
}

#[test]
fn a_grid_keeps_the_planned_order_of_its_links_unless_it_is_told_otherwise() {
    let place = place();
    place
        .file("4.grid", alike(4))
        .file("g.toml", scenario("f6.dag", "[platform]\nfile = \"4.grid\"\n[scheduler]\nkind = \"heft\"\n"));
    let makespan = |out: &str, set: &str| {
        let done = place.run(&["run", "g.toml", "-o", out, "--set", set]);
        assert_eq!(done.status, 0, "{}", done.stderr);
        let summary: Json = serde_json::from_slice(&place.read(&format!("{out}/summary.json"))).unwrap();
        summary["metrics"]["makespan"]["value"].as_f64().unwrap()
    };
    let default = makespan("default", "seed=1");
    assert!((default - makespan("planned", "run.links=planned")).abs() < 1e-9);
    assert!((default - makespan("ready", "run.links=ready")).abs() > 1e-9, "{default}");
}

#[test]
fn mistakes_of_a_grid_are_reported_at_their_places() {
    let place = place();
    place
        .file("g.grid", "DagGrid 1\nhost a 1 none.txt\nhost b 1 0\nlink l 0 1 high.txt\npath a c l\n")
        .file("high.txt", "0 0.5\n3 1.5\n")
        .file("g.toml", scenario("f6.dag", "[platform]\nfile = \"g.grid\"\n"))
        .file(
            "tables.toml",
            scenario(
                "f6.dag",
                "[platform]\nreference-speed = \"1Gf\"\nhost = [{ name = \"a\", speed = \"1Gf\" }]\n",
            ),
        );
    for command in [&["run", "g.toml"][..], &["show", "platform", "g.grid"]] {
        let done = place.run(command);
        assert_eq!(done.status, 2, "{}", done.stderr);
        for words in [
            "g.grid:2:10",
            "cannot read `none.txt`: there is no such file",
            "g.grid:4:12",
            "`high.txt` has loads above 1",
            "g.grid:5:8",
            "there is no host `c`",
        ] {
            assert!(done.stderr.contains(words), "{command:?} {words}: {}", done.stderr);
        }
    }
    let done = place.run(&["run", "tables.toml"]);
    assert!(done.status == 2 && done.stderr.contains("tables.toml:6:1"), "{}", done.stderr);
}

#[test]
fn a_grid_is_recognized_and_shown() {
    let place = place();
    place.file("grid", alike(4));
    let drawn = place.run(&["show", "platform", "grid", "--json"]);
    assert_eq!(drawn.status, 0, "{}", drawn.stderr);
    let listed: Json = serde_json::from_str(&drawn.stdout).unwrap();
    assert_eq!((&listed["hosts"][3]["speed"], &listed["joined-pairs"]), (&1e10.into(), &12.into()));
    let refused = place.run(&["run", "grid"]);
    assert!(refused.stderr.contains("it is a grid of DAGSim"), "{}", refused.stderr);
}
