//! `trace.pftrace`, read back by a decoder of its own: every job is there on every processor it ran
//! on.

use std::collections::BTreeMap;

use clustersim_testing::program::Place;
use clustersim_testing::trace::{Slice, Trace, read};

const SECOND: u64 = 1_000_000_000;

/// Three jobs on four processors: the second waits for the first, the third never fits.
const LOG: &str = "\
; MaxProcs: 4
1 0 -1 100 3 -1 -1 3 120 -1 1 7 1 1 1 1 -1 -1
2 10 -1 50 4 -1 -1 4 60 -1 1 -1 1 1 1 1 -1 -1
3 20 -1 50 8 -1 -1 8 60 -1 1 -1 1 1 1 1 -1 -1
";

fn traced(log: &str, more: &[&str]) -> (Place, Trace) {
    let place = Place::new();
    place.file("log.swf", log);
    let arguments = ["run", "log.swf", "--trace", "-o", "out"];
    let arguments: Vec<&str> = arguments.iter().chain(more).copied().collect();
    let output = place.run(&arguments);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let trace = read(&place.read("out/trace.pftrace"));
    (place, trace)
}

#[test]
fn a_job_has_a_slice_on_each_of_its_processors() {
    let (_place, trace) = traced(LOG, &[]);
    let names = ["queue length", "used processors", "processors"];
    let processors = (0..4).map(|number| format!("processor {number}"));
    assert_eq!(trace.order, names.map(str::to_owned).into_iter().chain(processors).collect::<Vec<_>>());
    let told = |pairs: &[(&str, u64)]| -> BTreeMap<String, u64> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    };
    let first = Slice {
        start: 0,
        end: 100 * SECOND,
        job: "1".to_owned(),
        annotations: told(&[
            ("processors", 3),
            ("user", 7),
            ("wait_ns", 0),
            ("run_time_ns", 100 * SECOND),
            ("estimate_ns", 120 * SECOND),
        ]),
    };
    let second = Slice {
        start: 100 * SECOND,
        end: 150 * SECOND,
        job: "2".to_owned(),
        annotations: told(&[
            ("processors", 4),
            ("wait_ns", 90 * SECOND),
            ("run_time_ns", 50 * SECOND),
            ("estimate_ns", 60 * SECOND),
        ]),
    };
    assert_eq!(trace.slices["processor 0"], [first, second]);
    assert_eq!(trace.slices["processor 3"].len(), 1);
    let at = |pairs: &[(u64, u64)]| -> Vec<(u64, u64)> {
        pairs.iter().map(|&(at, value)| (at * SECOND, value)).collect()
    };
    assert_eq!(trace.counts["queue length"], at(&[(0, 0), (10, 1), (100, 0)]));
    assert_eq!(trace.counts["used processors"], at(&[(0, 3), (100, 4), (150, 0)]));
}

#[test]
fn slices_are_cut_where_the_run_is_stopped() {
    let (_place, trace) = traced(LOG, &["--set", "run.until=40s"]);
    assert_eq!(trace.slices.len(), 3);
    for slices in trace.slices.values() {
        assert_eq!((slices.len(), slices[0].start, slices[0].end), (1, 0, 40 * SECOND));
    }
    assert_eq!(trace.counts["queue length"].last(), Some(&(10 * SECOND, 1)));
}

#[test]
fn every_job_of_a_workload_is_there_and_the_bytes_are_equal_again() {
    let text = "title = \"Many\"\nseed = 3\ncluster.procs = 16\n[workload]\nkind = \"synthetic\"\njobs = 400\n\
                arrivals = { kind = \"exponential\", mean = \"100s\" }\nsizes = { kind = \"uniform\", low = 1, high = 16 }\n\
                run-times = { kind = \"exponential\", mean = \"150s\" }\n";
    let place = Place::new();
    place.file("many.toml", text);
    for directory in ["one", "two"] {
        let output = place.run(&["run", "many.toml", "--trace", "-o", directory]);
        assert_eq!(output.status, 0, "{}", output.stderr);
    }
    let bytes = place.read("one/trace.pftrace");
    assert_eq!(bytes, place.read("two/trace.pftrace"));
    let trace = read(&bytes);

    let mut slices_by_job: BTreeMap<&str, u64> = BTreeMap::new();
    for slice in trace.slices.values().flatten() {
        *slices_by_job.entry(&slice.job).or_default() += 1;
        assert_eq!(slice.end - slice.start, slice.annotations["run_time_ns"], "job {}", slice.job);
    }
    let rows = String::from_utf8(place.read("one/jobs.csv")).unwrap();
    let sizes: BTreeMap<&str, u64> = rows
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect::<Vec<_>>())
        .map(|row| (row[0], row[4].parse().unwrap()))
        .collect();
    assert_eq!(sizes.len(), 400);
    assert_eq!(slices_by_job, sizes, "slices of each job");
    assert_eq!(trace.counts["used processors"].last().map(|count| count.1), Some(0));

    let manifest: serde_json::Value = serde_json::from_slice(&place.read("one/manifest.json")).unwrap();
    assert!(manifest["outputs"]["trace.pftrace"].is_string(), "its hash stands in the manifest");
}

#[test]
fn without_asking_there_is_no_trace() {
    let place = Place::new();
    place.file("log.swf", LOG);
    assert_eq!(place.run(&["run", "log.swf", "-o", "out"]).status, 0);
    assert!(!place.names("out").contains(&"trace.pftrace".to_owned()));
}

/// MODELS 1.10, experiment A3, as a trace of tasks: 1 ms of computing, 5 us to compose a message,
/// 14 us until the other's is there, and 5 us to decompose that.
const PAIR: &str = "{\"class\": \"pair\", \"arrival\": \"0s\", \"tasks\": 2, \"iterations\": 1, \"compute\": \"1ms\", \
\"pattern\": \"linear\", \"message-size\": \"0B\"}\n";

fn of_tasks(more: &[&str]) -> Place {
    let place = Place::new();
    place.file("pair.jsonl", PAIR);
    let scenario = "title = \"A pair\"\ncluster = { detail = \"task\", nodes = 3 }\npolicy = \"local\"\n\
                    [workload]\nkind = \"task-trace\"\nfile = \"pair.jsonl\"\n";
    place.file("pair.toml", scenario);
    let arguments: Vec<&str> =
        ["run", "pair.toml", "-o", "out"].into_iter().chain(more.iter().copied()).collect();
    let output = place.run(&arguments);
    assert_eq!(output.status, 0, "{}", output.stderr);
    place
}

#[test]
fn at_detail_task_one_sees_what_each_processor_does_for_whom_and_messages_as_arrows() {
    let place = of_tasks(&["--trace"]);
    let trace = read(&place.read("out/trace.pftrace"));
    let processors: Vec<String> =
        (0..3).map(|number| format!("processor {number} (node {number})")).collect();
    let names = ["queue length", "processors"].map(str::to_owned);
    assert_eq!(trace.order, names.into_iter().chain(processors.iter().cloned()).collect::<Vec<_>>());
    assert_eq!(trace.slices.len(), 2, "nobody runs on the third");
    for (rank, processor) in (0..).zip(&processors[..2]) {
        let slices: Vec<(u64, u64, String)> =
            trace.slices[processor].iter().map(|slice| (slice.start, slice.end, slice.job.clone())).collect();
        let named = |activity: &str| format!("1.{rank} {activity}");
        let expected = [
            (0, 1_000_000, named("compute")),
            (1_000_000, 1_005_000, named("message-overhead")),
            (1_005_000, 1_019_000, named("spin")),
            (1_019_000, 1_024_000, named("message-overhead")),
        ];
        assert_eq!(slices, expected);
        let told = &trace.slices[processor][0].annotations;
        assert_eq!((told["job"], told["rank"]), (1, rank));
    }
    let arrows: Vec<_> = trace.begins.iter().map(|(flow, from)| (from, &trace.ends[flow])).collect();
    let mark = |at: u64, processor: &String, name: &str| (at, processor.clone(), name.to_owned());
    let arrow = |from: &String, to: &String| (mark(1_005_000, from, "send"), mark(1_019_000, to, "receive"));
    let expected = [arrow(&processors[0], &processors[1]), arrow(&processors[1], &processors[0])];
    assert_eq!(arrows, expected.iter().map(|(from, to)| (from, to)).collect::<Vec<_>>());
    assert_eq!(trace.ends.len(), 2);
}

#[test]
fn a_timeline_changes_nothing_in_the_run_and_adds_up_to_its_profile() {
    let (with, without) = (of_tasks(&["--trace"]), of_tasks(&[]));
    for file in ["summary.json", "profile.csv", "executions.csv", "jobs.csv"] {
        assert_eq!(with.read(&format!("out/{file}")), without.read(&format!("out/{file}")), "{file}");
    }
    let place = Place::new();
    let scenario = clustersim_testing::program::repository("scenarios/parallel.toml");
    let scenario = scenario.to_str().unwrap();
    let more = [
        "--trace",
        "-o",
        "out",
        "--policy",
        "pb-sb",
        "--set",
        "cluster.detail=task",
        "--set",
        "workload.jobs=25",
    ];
    let output = place.run(&[&["run", scenario][..], &more[..]].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    let trace = read(&place.read("out/trace.pftrace"));
    // of each processor, the lengths of its slices by activity are those of its row
    let rows = String::from_utf8(place.read("out/profile.csv")).unwrap();
    let mut lines = rows.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let mut spins = 0;
    for row in lines {
        let track = format!("processor {} (node {})", row[0], row[1]);
        let from: u64 = row[2].parse().unwrap();
        for (name, value) in head.iter().zip(&row).skip(4).filter(|(name, _)| **name != "idle_ns") {
            let activity = name.trim_end_matches("_ns").replace('_', "-");
            let slices = trace.slices.get(&track).into_iter().flatten();
            let ours = slices.filter(|slice| slice.job.rsplit(' ').next() == Some(activity.as_str()));
            let sum: u64 = ours.map(|slice| slice.end.max(from) - slice.start.max(from)).sum();
            assert_eq!(sum, value.parse::<u64>().unwrap(), "{activity} of {track}");
            spins += u64::from(activity == "spin" && sum > 0);
        }
    }
    assert!(spins > 0, "somebody has spun");
    assert!(trace.begins.len() > 1000 && trace.begins.len() == trace.ends.len(), "every message is received");
    assert!(trace.begins.iter().all(|(flow, begin)| begin.0 <= trace.ends[flow].0));
}

#[test]
fn of_task_graphs_one_sees_cores_and_links_and_arrows_from_parents_to_children() {
    let place = Place::new();
    let scenario = clustersim_testing::program::repository("scenarios/task-graph.toml");
    let arguments = ["run", scenario.to_str().unwrap(), "--trace", "-o", "out"];
    let output = place.run(&arguments);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let trace = read(&place.read("out/trace.pftrace"));
    let table = |name: &str| -> Vec<Vec<String>> {
        let text = String::from_utf8(place.read(&format!("out/{name}"))).unwrap();
        text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    // a slice for each task on its host, and for each transfer on the link of its pair
    let nanos = |text: &str| (text.parse::<f64>().unwrap() * 1e9).round() as u64;
    let slice = |track: &str, name: &str| -> (u64, u64) {
        let named = trace.slices[track].iter().find(|slice| slice.job == name);
        named.map(|slice| (slice.start, slice.end)).expect(name)
    };
    let (tasks, transfers) = (table("tasks.csv"), table("transfers.csv"));
    for row in &tasks {
        assert_eq!(slice(&row[2], &row[0]), (nanos(&row[7]), nanos(&row[8])), "{row:?}");
    }
    let number = |host: &str| host.trim_start_matches("grid-").to_owned();
    for row in &transfers {
        let link = format!("grid_link_from_{}_to_{}", number(&row[4]), number(&row[5]));
        assert_eq!(slice(&link, &format!("{} to {}", row[0], row[1])), (nanos(&row[8]), nanos(&row[9])));
    }
    let slices: usize = trace.slices.values().map(Vec::len).sum();
    assert_eq!(slices, tasks.len() + transfers.len());
    // an arrow for each edge, from the end of the parent to the start of the child
    let graph = String::from_utf8(place.read("out/graph.dot")).unwrap();
    let edges: Vec<(&str, &str)> = graph.lines().filter_map(|line| line.split_once(" -> ")).collect();
    assert_eq!((edges.len(), edges.len()), (trace.begins.len(), trace.ends.len()));
    let row = |quoted: &str| {
        let name = quoted.split(['/', '"']).nth(2).unwrap();
        tasks.iter().find(|row| row[0] == name).expect(name)
    };
    for (flow, (parent, child)) in (0..).zip(edges) {
        let (parent, child) = (row(parent), row(child));
        let mark = |at: &str, host: &str, name: &str| (nanos(at), host.to_owned(), name.to_owned());
        assert_eq!(trace.begins[&flow], mark(&parent[8], &parent[2], "parent"));
        assert_eq!(trace.ends[&flow], mark(&child[7], &child[2], "child"));
    }
}

#[test]
fn a_transfer_is_on_the_lane_of_each_link_of_its_route() {
    let place = Place::new();
    let scenario = clustersim_testing::program::repository("scenarios/task-graph.toml");
    let settings =
        ["platform.cluster.grid.topology=crossbar", "scheduler.kind=round-robin", "expect={ gap = \"< 9\" }"];
    let mut arguments = vec!["run", scenario.to_str().unwrap(), "--trace", "-o", "out"];
    arguments.extend(settings.iter().flat_map(|set| ["--set", *set]));
    let done = place.run(&arguments);
    assert_eq!(done.status, 0, "{}", done.stderr);
    let trace = read(&place.read("out/trace.pftrace"));
    let table = |name: &str| String::from_utf8(place.read(name)).unwrap();
    let transfers = table("out/transfers.csv");
    let (head, rows) = transfers.split_once('\n').unwrap();
    let column = |name: &str| head.split(',').position(|column| column == name).expect(name);
    let [from_task, to_task, from, to, start, end] =
        ["from-task", "to-task", "from-host", "to-host", "start", "end"].map(column);
    let nanos = |seconds: &str| (seconds.parse::<f64>().unwrap() * 1e9).round() as u64;
    let (mut carried, mut spans) = (0, 0);
    for row in rows.lines().map(|line| line.split(',').collect::<Vec<_>>()) {
        let name = format!("{} to {}", row[from_task], row[to_task]);
        let on: Vec<&String> = trace
            .slices
            .iter()
            .filter(|(_, slices)| {
                slices.iter().any(|slice| {
                    slice.job == name
                        && slice.start.abs_diff(nanos(row[start])) <= 1_000
                        && slice.end.abs_diff(nanos(row[end])) <= 1_000
                })
            })
            .map(|(lane, _)| lane)
            .collect();
        let link = |host: &str, way: &str| host.replace('-', "_link_") + way;
        let expected = [link(row[from], "_UP"), link(row[to], "_DOWN")];
        assert_eq!(on.len(), 2, "{name}: {on:?}");
        for lane in &expected {
            assert!(on.iter().any(|on| on.starts_with(lane)), "{name} on {lane}: {on:?}");
        }
        carried += 1;
        spans += on.len();
    }
    assert!(carried > 10 && spans == 2 * carried, "{carried} transfers");
    let graph = table("out/graph.dot");
    assert_eq!(trace.begins.len(), graph.matches(" -> ").count(), "an arrow for each edge");
}
