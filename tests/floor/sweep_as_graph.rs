//! Two systems, one answer: a run of a parameter sweep, written as a task graph with a fixed plan,
//! has the same instants.
//!
//! In the graph the origin and each storage are hosts of their own, which run a task of no cost for
//! each file that they send or receive. Tasks that read a file depend by a control edge on the task
//! of the storage that received it. What sends an output depends on the task that computed it. What
//! sends over a link depends on what received the file before on that link.
//!
//! ```text
//!   origin       storage        host        storage      origin
//!   sent i  -->  stored i  ..>  task t  ..>  ready o  -->  home o        --> bytes over the link of the cluster,  ..> control
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;

use clustersim_kernel::rng::{Stream, Streams};
use serde_json::json;

use clustersim_testing::program::Place;

/// Bandwidth of the link in kB/s and the available shares of the hosts, cluster by cluster.
const CLUSTERS: [(u32, &[f64]); 3] = [(10, &[1.0, 1.0]), (10, &[0.5, 0.5, 0.5]), (5, &[1.0])];

/// A small application in the text of the template: chunks of tasks share a file, each task has one
/// of its own and an output.
fn application(stream: &mut Stream, tasks: u64) -> String {
    let chunk = 1 + stream.below(6);
    let shared = tasks.div_ceil(chunk);
    let files = shared + 2 * tasks;
    let mut text = format!("WorkDescription 1 {files} {tasks}\n");
    for file in 0..files {
        let bytes = 1_000 * (1 + stream.below(if file < shared { 900 } else { 40 }));
        // writing into a String cannot fail
        let _ = writeln!(text, "File: <{file}> <f{file}> <{bytes}> <{bytes}>");
    }
    for task in 0..tasks {
        let (first, own, output) = (task / chunk, shared + task, shared + tasks + task);
        let time = 5 + stream.below(60);
        let _ = writeln!(
            text,
            "Work: <{task}> < 2 : {first} {own} > < 1 : {output} > < 1 : {time} > < 1 : {time} >"
        );
    }
    text
}

/// The grid of the sweep, or that of the graph, in which links join the origin and storages.
fn platform(as_graph: bool) -> String {
    let mut text = String::from("[platform]\n");
    if as_graph {
        text.push_str("[[platform.host]]\nname = 'origin'\nspeed = '10Gf'\n");
    }
    for (place, (bandwidth, hosts)) in CLUSTERS.iter().enumerate() {
        if as_graph {
            let names = (0..hosts.len()).map(|host| format!("c{place}-{host}"));
            for name in names.chain([format!("c{place}")]) {
                let _ = writeln!(text, "[[platform.host]]\nname = '{name}'\nspeed = '10Gf'");
            }
            // nothing is sent there, but a task that waits for another must be within its reach
            for host in 0..hosts.len() {
                let _ = writeln!(
                    text,
                    "[[platform.link]]\nname = 'local-{place}-{host}'\nbandwidth = '1Bps'\n\
                     [[platform.route]]\nfrom = 'c{place}'\nto = 'c{place}-{host}'\nlinks = ['local-{place}-{host}']"
                );
            }
            let _ = writeln!(
                text,
                "[[platform.link]]\nname = 'link-{place}'\nbandwidth = '{bandwidth}kBps'\n\
                 [[platform.route]]\nfrom = 'origin'\nto = 'c{place}'\nlinks = ['link-{place}']"
            );
        } else {
            let (count, available) = (hosts.len(), hosts[0]);
            let _ = writeln!(
                text,
                "[[platform.cluster]]\nname = 'c{place}'\nhosts = {count}\navailability = {available}\n\
                 link = {{ bandwidth = '{bandwidth}kBps' }}"
            );
        }
    }
    text
}

fn rows(place: &Place, table: &str) -> Vec<BTreeMap<String, String>> {
    let text = String::from_utf8(place.read(table)).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let header: Vec<String> = lines.next().unwrap().collect();
    lines.map(|line| header.iter().cloned().zip(line).collect()).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// A node of the graph: when it is to be placed, its name, its host, and when it ends in the sweep.
struct Node {
    at: f64,
    name: String,
    host: String,
    end: f64,
}

/// The graph, its plan, and when each node is to end, out of what a sweep did.
fn graph(place: &Place, application: &str) -> (String, String, BTreeMap<String, f64>) {
    let (mut lines, mut edges, mut nodes) = (String::new(), String::new(), Vec::new());
    let mut node = |at: f64, name: String, host: String, start: f64, end: f64| {
        // whole seconds; the difference of two real numbers is not quite that
        let _ = writeln!(lines, "node {name} 0\ntime {name} {host} {}", (end - start).round());
        nodes.push(Node { at, name, host, end });
    };
    let inputs: BTreeMap<&str, Vec<&str>> = application
        .lines()
        .filter_map(|line| line.strip_prefix("Work: <")?.split_once("> < 2 : "))
        .map(|(task, rest)| (task, rest.split(' ').take(2).collect()))
        .collect();
    let mut transfers = rows(place, "sweep/transfers.csv");
    transfers.sort_by(|one, other| number(one, "start").total_cmp(&number(other, "start")));
    // the task that receives what a link carries, by the cluster
    let mut carried: BTreeMap<&str, String> = BTreeMap::new();
    for transfer in &transfers {
        let (file, cluster, task) = (&transfer["file"], &transfer["cluster"], &transfer["for-task"]);
        let (start, end, bytes) = (number(transfer, "start"), number(transfer, "end"), &transfer["bytes"]);
        let (sender, receiver, places, ready) = if transfer["direction"] == "input" {
            (format!("sent-{file}-{cluster}"), format!("stored-{file}-{cluster}"), ["origin", cluster], None)
        } else {
            (format!("ready-{file}"), format!("home-{file}"), [cluster, "origin"], Some(task))
        };
        let _ = writeln!(edges, "edge {sender} {receiver} {bytes}");
        if let Some(task) = ready {
            let _ = writeln!(edges, "edge t{task} {sender}");
        }
        if let Some(before) = carried.insert(cluster, receiver.clone()) {
            let _ = writeln!(edges, "edge {before} {sender}");
        }
        node(start, sender, places[0].to_owned(), start, start);
        node(end, receiver, places[1].to_owned(), end, end);
    }
    for task in rows(place, "sweep/tasks.csv") {
        let (name, cluster) = (&task["task"], &task["cluster"]);
        let (start, end) = (number(&task, "start"), number(&task, "end"));
        for file in &inputs[name.as_str()] {
            let _ = writeln!(edges, "edge stored-f{file}-{cluster} t{name}");
        }
        node(start, format!("t{name}"), task["host"].clone(), start, end);
    }
    nodes.sort_by(|one, other| one.at.total_cmp(&other.at));
    let plan = nodes.iter().map(
        |node| json!({ "task": node.name, "host": node.host, "core": 0, "start": node.end, "end": node.end }),
    );
    let plan = json!(plan.collect::<Vec<_>>()).to_string();
    let ends = nodes.iter().map(|node| (node.name.clone(), node.end)).collect();
    (format!("DagDescription 1\n{lines}{edges}"), plan, ends)
}

#[test]
fn a_sweep_as_a_task_graph_with_its_plan_has_the_same_instants() {
    let mut stream = Streams::new(1999, 0).stream("sweeps-as-graphs");
    let heuristics = ["h1", "h2", "h3", "h4", "h5", "h9", "h10", "h12", "xsufferage"];
    for (case, heuristic) in heuristics.iter().cycle().take(18).enumerate() {
        let place = Place::new();
        let tasks = 1 + stream.below(30);
        let text = application(&mut stream, tasks);
        let links = ["greedy", "in-order"][case % 2];
        place.file("application.txt", &text).file(
            "sweep.toml",
            format!(
                "title = 'sweep'\n{}[application]\nkind = 'pst'\nfile = 'application.txt'\n[scheduler]\nkind = 'plan'\n\
                 heuristic = '{heuristic}'\nlinks = '{links}'\ninterval = 'once'\nfill = 'all'\n[record]\ntransfers = true\n",
                platform(false)
            ),
        );
        let done = place.run(&["run", "sweep.toml", "-o", "sweep", "--no-progress"]);
        assert_eq!(done.status, 0, "{heuristic}: {}", done.stderr);
        let (graph, plan, expected) = graph(&place, &text);
        place.file("graph.txt", &graph).file("plan.json", plan).file(
            "graph.toml",
            format!(
                "title = 'graph'\n{}[application]\nkind = 'dag-text'\nfile = 'graph.txt'\n\
                 [scheduler]\nkind = 'fixed'\nfile = 'plan.json'\n[run]\nlinks = 'planned'\n",
                platform(true)
            ),
        );
        let done = place.run(&["run", "graph.toml", "-o", "graph", "--no-progress"]);
        assert_eq!(done.status, 0, "{heuristic}: {}\n{graph}", done.stderr);
        let judged = place.run(&["check", "graph"]);
        assert_eq!(judged.status, 0, "{heuristic}: {}", judged.stdout);
        let mut compared = 0;
        for row in rows(&place, "graph/tasks.csv") {
            let end = expected[&row["task"]];
            // sums of whole nanoseconds in seconds: half of one is the last digit of a real number
            let difference = (number(&row, "end") - end).abs();
            assert!(
                difference < 0.5e-9,
                "{heuristic}, case {case}, {}: {} for {end}",
                row["task"],
                row["end"]
            );
            compared += 1;
        }
        assert!(compared == expected.len() && compared as u64 >= 3 * tasks, "{compared} nodes");
    }
}
