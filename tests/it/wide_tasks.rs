//! Tasks of several cores, from their files to the results, by the whole program.

use serde_json::Value;

use crate::program::{Output, Place};

/// A chain: `a` on one core, then `b` on four, then `c` on two, with the seconds of each.
const CHAIN: &str = "{\"name\": \"g\", \"workflow\": {\"tasks\": [{\"name\": \"a\", \"runtime\": 10},\
    {\"name\": \"b\", \"runtime\": 20, \"cores\": 4, \"parents\": [\"a\"]},\
    {\"name\": \"c\", \"runtime\": 40, \"cores\": 2, \"parents\": [\"b\"]}]}}";

/// Runs a graph of WfFormat on two hosts of so many cores, which are as fast as the machines of the file.
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
        assert_eq!(output.stderr.trim(), "", "{law}");
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
        format!("{mixed}[[platform.cluster]]\nname = \"h\"\nhosts = 2\ntopology = \"mesh\"\n"),
    );
    let output = place.run(&["run", "m.toml", "--no-progress"]);
    assert!(output.stderr.contains("m.toml:4:52"), "{}", output.stderr);
}
