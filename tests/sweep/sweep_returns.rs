//! Hosts and clusters that leave a parameter sweep and return at the same instant: they have left.

use serde_json::Value;

use clustersim_testing::program::Place;

/// Two tasks of 50 s on a cluster at 10 kB/s, which read one file of 100 kB and write 10 kB each.
const APPLICATION: &str = "WorkDescription 1 3 2\nFile: <0> <shared> <100000> <100000>\n\
    File: <1> <one> <10000> <10000>\nFile: <2> <other> <10000> <10000>\n\
    Work: <0> < 1 : 0 > < 1 : 1 > < 1 : 50 > < 1 : 50 >\nWork: <1> < 1 : 0 > < 1 : 2 > < 1 : 50 > < 1 : 50 >\n";

/// Columns of tasks and transfers, lost computations and their time, and the absence of hosts, of a
/// run with these files.
struct Ran {
    tasks: Vec<String>,
    transfers: Vec<String>,
    lost: [f64; 2],
    absent: f64,
}

fn run(platform: &str, heuristic: &str, files: &[(&str, String)]) -> Ran {
    let place = Place::new();
    for (name, text) in files {
        place.file(name, text.as_str());
    }
    let scenario = format!(
        "title = 'returns'\n{platform}\n[application]\nkind = 'pst'\nfile = 'app.txt'\n\
         [scheduler]\nkind = 'plan'\nheuristic = '{heuristic}'\n[record]\ntransfers = true\n"
    );
    place.file("app.txt", APPLICATION).file("s.toml", scenario);
    let done = place.run(&["run", "s.toml", "-o", "out", "--no-progress", "-q"]);
    assert_eq!(done.status, 0, "{}", done.stderr);
    let judged = place.run(&["check", "out"]);
    assert_eq!(judged.status, 0, "{}", judged.stdout);
    let rows = |name: &str, columns: &[&str]| -> Vec<String> {
        let text = String::from_utf8(place.read(&format!("out/{name}"))).unwrap();
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let places: Vec<usize> =
            columns.iter().map(|name| header.iter().position(|column| column == name).unwrap()).collect();
        lines.map(|line| places.iter().map(|place| line[*place]).collect::<Vec<_>>().join(" ")).collect()
    };
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    let metric = |name: &str| summary["metrics"][name]["value"].as_f64().unwrap();
    Ran {
        tasks: rows("tasks.csv", &["host", "start", "end", "output-arrived", "attempts"]),
        transfers: rows("transfers.csv", &["file", "start", "end"]),
        lost: [metric("failed-works"), metric("lost-time")],
        absent: metric("processor-time.absent"),
    }
}

/// Runs two hosts `a` and `b`, to which these events happen, in this order and in the other.
fn with_events(events: &[&str], heuristic: &str, see: impl Fn(&Ran)) {
    let head = "GridDescription 1\n0:ADD_CLUSTER <c> <stable_10Kb> <0>\n0:ADD_HOST <c> <a> <stable_100> <0> <0>\n\
        0:ADD_HOST <c> <b> <stable_100> <0> <0>\n";
    let reversed: Vec<&str> = events.iter().rev().copied().collect();
    for events in [events, &reversed[..]] {
        let grid = format!("{head}{}\n", events.join("\n"));
        see(&run("[platform]\nfile = 'grid.txt'", heuristic, &[("grid.txt", grid)]));
    }
}

#[test]
fn a_host_that_is_removed_and_added_at_one_instant_has_lost_its_task_whatever_the_order_of_the_lines() {
    let events = ["30:REMOVE_HOST <a>", "30:ADD_HOST <c> <a> <stable_100> <0> <0>"];
    for heuristic in ["h0", "h1", "h4", "xsufferage"] {
        with_events(&events, heuristic, |ran| {
            assert_eq!(ran.tasks, ["a 30 80 81 2", "b 10 60 61 1"], "{heuristic}");
            assert_eq!(ran.transfers, ["shared 0 10", "other 60 61", "one 80 81"], "{heuristic}");
            assert_eq!(ran.lost.map(f64::to_bits), [1.0, 20.0].map(f64::to_bits), "{heuristic}");
            assert_eq!(ran.absent.to_bits(), 0.0_f64.to_bits(), "it was away for no time");
        });
    }
}

const CLUSTER: [&str; 4] = [
    "REMOVE_CLUSTER <c>",
    "ADD_CLUSTER <c> <stable_10Kb> <0>",
    "ADD_HOST <c> <a> <stable_100> <0> <0>",
    "ADD_HOST <c> <b> <stable_100> <0> <0>",
];

#[test]
fn a_cluster_that_is_removed_and_added_at_one_instant_has_lost_its_tasks_and_keeps_its_files() {
    let events = CLUSTER.map(|event| format!("30:{event}"));
    with_events(&events.each_ref().map(String::as_str), "h1", |ran| {
        assert_eq!(ran.tasks, ["a 30 80 81 2", "b 30 80 82 2"]);
        assert_eq!(ran.transfers, ["shared 0 10", "one 80 81", "other 81 82"]);
        assert_eq!(ran.lost.map(f64::to_bits), [2.0, 40.0].map(f64::to_bits));
    });
}

#[test]
fn a_transfer_on_a_link_that_leaves_and_returns_at_one_instant_begins_again() {
    let events = CLUSTER.map(|event| format!("5:{event}"));
    with_events(&events.each_ref().map(String::as_str), "h1", |ran| {
        assert_eq!(ran.tasks, ["a 15 65 66 1", "b 15 65 67 1"]);
        assert_eq!(ran.transfers, ["shared 0 ", "shared 5 15", "one 65 66", "other 66 67"]);
    });
    // so do outputs, of which the tasks are lost with the cluster
    let events = CLUSTER.map(|event| format!("60.5:{event}"));
    with_events(&events.each_ref().map(String::as_str), "h1", |ran| {
        assert_eq!(ran.tasks, ["a 60.5 110.5 111.5 2", "b 60.5 110.5 112.5 2"]);
        assert_eq!(ran.transfers[1], "one 60 ");
    });
}

#[test]
fn a_state_that_is_down_and_up_at_one_instant_is_down() {
    let state = || [("state.csv", "time,value\n0,1\n30,0\n30,1\n".to_owned())];
    let of_link = "[[platform.cluster]]\nname = 'c'\nhosts = 1\n\
        link = { bandwidth = '10kBps', state-trace = { file = 'state.csv' } }\n";
    let of_host = "[[platform.cluster]]\nname = 'c'\nhosts = 1\nlink = { bandwidth = '10kBps' }\n\
        state-trace = { file = 'state.csv' }\n";
    for platform in [of_link, of_host] {
        let ran = run(platform, "h1", &state());
        assert_eq!(ran.tasks, ["c-0 30 80 81 2", "c-0 80 130 131 1"], "{platform}");
        assert_eq!(ran.transfers, ["shared 0 10", "one 80 81", "other 130 131"], "{platform}");
        assert_eq!(ran.lost.map(f64::to_bits), [1.0, 20.0].map(f64::to_bits), "{platform}");
    }
}
