//! Tasks of several cores, from their files to the results, by the whole program.

use serde_json::Value;

use clustersim_testing::program::{Output, Place};

/// A chain: `a` on one core, then `b` on four, then `c` on two, with the seconds of each.
const CHAIN: &str = "{\"name\": \"g\", \"workflow\": {\"tasks\": [{\"name\": \"a\", \"runtime\": 10},\
    {\"name\": \"b\", \"runtime\": 20, \"cores\": 4, \"parents\": [\"a\"]},\
    {\"name\": \"c\", \"runtime\": 40, \"cores\": 2, \"parents\": [\"b\"]}]}}";

/// Runs a graph of WfFormat on two hosts of so many cores, which are as fast as the machines of the
/// file.
fn run(graph: &str, cores: u32, application: &str, others: &str) -> (Place, Output) {
    let place = Place::new();
    place.file("g.json", graph);
    place.file(
        "s.toml",
        format!(
            "title = \"T\"\n[application]\nkind = \"wfformat\"\nfile = \"g.json\"\n{application}\n\
             [[platform.cluster]]\nname = \"h\"\nhosts = 2\ncores = {cores}\nspeed = \"10Gf\"\nbandwidth = \"1MBps\"\n\
             topology = \"mesh\"\n{others}"
        ),
    );
    let output = place.run(&["run", "s.toml", "-o", "out", "--no-progress", "--json"]);
    (place, output)
}

fn makespan(output: &Output) -> f64 {
    assert_eq!(output.status, 0, "{}", output.stderr);
    let summary: Value = serde_json::from_str(&output.stdout).unwrap();
    summary["metrics"]["makespan"]["value"].as_f64().unwrap()
}

#[test]
fn the_time_of_a_file_is_that_on_its_cores_unless_a_law_shortens_it() {
    for (law, seconds) in [
        ("cores = \"file\"", 70.0),
        // 20 x (0.1 + 0.9 / 4) and 40 x (0.1 + 0.9 / 2)
        ("cores = \"file\"\nefficiency = { kind = \"amdahl\", parallel = 0.9 }", 10.0 + 6.5 + 22.0),
        // 20 / (4 x 0.8) and 40 / (2 x 0.8)
        ("cores = \"file\"\nefficiency = { kind = \"constant\", share = 0.8 }", 10.0 + 6.25 + 25.0),
        ("", 70.0),
    ] {
        let (_, output) = run(CHAIN, 4, law, "");
        assert!((makespan(&output) - seconds).abs() < 1e-6, "{law}: {}", output.stdout);
        assert!(!output.stderr.contains("cores"), "{law}: {}", output.stderr);
    }
}

#[test]
fn a_law_without_anything_to_shorten_is_refused_or_warned_of() {
    let (_, output) = run(CHAIN, 4, "efficiency = { kind = \"amdahl\", parallel = 0.9 }", "");
    assert_eq!(output.status, 2);
    for words in ["each task runs on one core", "`cores = \"file\"`", "s.toml:5:14"] {
        assert!(output.stderr.contains(words), "{}", output.stderr);
    }
    let narrow = CHAIN.replace("\"cores\"", "\"others\"");
    let law = "cores = \"file\"\nefficiency = { kind = \"constant\", share = 0.5 }";
    let (_, output) = run(&narrow, 4, law, "");
    assert!(output.stderr.contains("no task of the graph asks for several cores"), "{}", output.stderr);
    assert!((makespan(&output) - 70.0).abs() < 1e-6);
    for wrong in ["share = 0", "share = 1.5", ""] {
        let law = format!("cores = \"file\"\nefficiency = {{ kind = \"constant\", {wrong} }}");
        assert_eq!(run(CHAIN, 4, law.trim_end_matches(", }"), "").1.status, 2, "{wrong}");
    }
}

#[test]
fn more_cores_than_any_host_has_are_refused_at_the_key_with_all_counted() {
    let (_, output) = run(CHAIN, 3, "cores = \"file\"", "");
    assert_eq!(output.status, 2);
    let words = "1 of 3 tasks asks for more cores than any host has, 3: `b` for 4";
    assert!(output.stderr.contains(words) && output.stderr.contains("s.toml:5:9"), "{}", output.stderr);
    let (_, output) = run(CHAIN, 8, "cores = \"file\"", "[run]\ncores = \"one\"\n");
    assert_eq!(output.status, 2);
    let words = "2 of 3 tasks ask for more cores than any host has, 1: `b` for 4, `c` for 2";
    assert!(output.stderr.contains(words) && output.stderr.contains("`run.cores = "), "{}", output.stderr);
    let task = |number: u32| format!("{{\"name\": \"t{number}\", \"runtime\": 1, \"cores\": 9}}");
    let many = (0..1_000).map(task).collect::<Vec<_>>().join(",");
    let many = format!("{{\"workflow\": {{\"tasks\": [{many}]}}}}");
    let mixed = "title = \"T\"\n[application]\nkind = \"mixed\"\nof = [{ kind = \"wfformat\", file = \"g.json\", cores = \"file\" }]\n";
    let (place, output) = run(&many, 4, "cores = \"file\"", "");
    assert!(output.stderr.contains("1,000 of 1,000 tasks ask"), "{}", output.stderr);
    assert!(output.stderr.contains("`t4` for 9 and 995 more"), "{}", output.stderr);
    place.file(
        "m.toml",
        format!(
            "{mixed}[[platform.cluster]]\nname = \"h\"\nhosts = 2\nspeed = \"1Gf\"\nbandwidth = \"1MBps\"\ntopology = \"mesh\"\n"
        ),
    );
    let output = place.run(&["run", "m.toml", "--no-progress"]);
    assert!(output.stderr.contains("m.toml:4:53"), "{}", output.stderr);
}

/// On two hosts of four cores: `b` and `c` need all of one between them, `d` waits for both.
const FORK: &str = "{\"name\": \"g\", \"workflow\": {\"tasks\": [{\"name\": \"a\", \"runtime\": 10},\
    {\"name\": \"b\", \"runtime\": 20, \"cores\": 3, \"parents\": [\"a\"]},\
    {\"name\": \"c\", \"runtime\": 20, \"parents\": [\"a\"]},\
    {\"name\": \"d\", \"runtime\": 5, \"cores\": 4, \"parents\": [\"b\", \"c\"]}]}}";

const PLANNED: &str =
    "[scheduler]\nkind = \"heft\"\n[run]\nlinks = \"contention-free\"\n[record]\ntransfers = true\n";

#[test]
fn files_say_all_cores_of_a_task_and_a_plan_is_repeated_from_them() {
    let (place, output) = run(FORK, 4, "cores = \"file\"", PLANNED);
    assert!((makespan(&output) - 35.0).abs() < 1e-6, "{}", output.stdout);
    let text = |name: &str| String::from_utf8(place.read(name)).unwrap();
    let tasks = text("out/tasks.csv");
    assert!(tasks.starts_with("task,application,host,core,further-cores,planned-start,"), "{tasks}");
    let cells = |name: &str| -> Vec<String> {
        let row = tasks.lines().find(|line| line.starts_with(name)).unwrap();
        row.split(',').skip(2).take(3).map(str::to_owned).collect()
    };
    assert_eq!(cells("d,")[1..], ["0", "1 2 3"]);
    let hosts = [cells("b,"), cells("c,")];
    assert_eq!(hosts.map(|cells| 1 + cells[2].split_whitespace().count()), [3, 1]);
    // 10 + 60 + 20 + 20 seconds of cores over 8 cores and 35 seconds
    let summary: Value = serde_json::from_str(&output.stdout).unwrap();
    let value = |name: &str| summary["metrics"][name]["value"].as_f64().unwrap();
    assert!((value("utilization") - 110.0 / 280.0).abs() < 1e-9, "{}", value("utilization"));
    assert!((value("speedup") - 110.0 / 35.0).abs() < 1e-9, "{}", value("speedup"));
    let jobs = text("out/jobs.csv");
    let of_d = jobs.lines().find(|line| line.contains(",d,")).unwrap();
    assert!(of_d.contains(",0-3,") || of_d.contains(",4-7,"), "{jobs}");
    assert!(text("out/plan.json").contains("\"further-cores\":[1,2,3]"));
    let again = "scheduler={ kind = \"fixed\", file = \"out/plan.json\" }";
    let repeated = place.run(&["run", "s.toml", "-o", "again", "--no-progress", "-q", "--set", again]);
    assert_eq!(repeated.status, 0, "{}", repeated.stderr);
    for name in ["tasks.csv", "transfers.csv", "plan.json"] {
        assert_eq!(text(&format!("again/{name}")), text(&format!("out/{name}")), "{name}");
    }
    for directory in ["out", "again"] {
        let checked = place.run(&["check", directory]);
        assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    }
}

#[test]
fn a_graph_of_tasks_of_one_core_has_the_files_that_it_had() {
    let narrow = FORK.replace("\"cores\"", "\"others\"");
    let files = |application: &str| {
        let (place, output) = run(&narrow, 4, application, PLANNED);
        assert_eq!(output.status, 0, "{}", output.stderr);
        ["tasks.csv", "plan.json", "graph.dot", "hosts.csv"]
            .map(|name| String::from_utf8(place.read(&format!("out/{name}"))).unwrap())
    };
    let all = files("cores = \"file\"");
    assert_eq!(all, files(""));
    assert!(all.iter().all(|text| !text.contains("further-cores") && !text.contains("cores=")), "{all:?}");
}

#[test]
fn an_explanation_names_all_cores() {
    let (place, _) = run(FORK, 4, "cores = \"file\"", PLANNED);
    let told = place.run(&["run", "s.toml", "--explain", "d", "--no-progress"]);
    assert!(told.stdout.contains("cores 0, 1, 2 and 3"), "{}{}", told.stdout, told.stderr);
}
