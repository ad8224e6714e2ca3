//! Costs of graphs whose files state none, by the whole program.

use crate::program::{Output, Place};

const PLATFORM: &str = "[[platform.cluster]]\nname = \"h\"\nhosts = 2\nspeed = \"1Gf\"\nbandwidth = \"1MBps\"\ntopology = \"mesh\"\n\
                        [scheduler]\nkind = \"heft\"\n";
const RULES: &str = "digraph rules {\n node [shape=box];\n 0[label = \"all\"];\n 1[label = \"map\\nsample: A\"];\n\
                     2[label = \"map\\nsample: B\"];\n 1 -> 0\n 2 -> 0\n}\n";

fn run(application: &str, graph: &str) -> (Place, Output) {
    let place = Place::new();
    place.file("g.dot", graph);
    place.file("trace.txt", "task_id\tname\trealtime\n1\tmap (a)\t1m 30s\n2\tmap (b)\t30s\n3\tall\t500\n");
    let kind = if application.contains("kind") { "" } else { "kind = \"dot\"\nfile = \"g.dot\"\n" };
    place.file("s.toml", format!("title = \"T\"\n[application]\n{kind}{application}\n{PLATFORM}"));
    let output = place.run(&["run", "s.toml", "-o", "out", "--no-progress", "--json"]);
    (place, output)
}

fn makespan(application: &str, graph: &str) -> f64 {
    let (_, output) = run(application, graph);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let summary: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    summary["metrics"]["makespan"]["value"].as_f64().unwrap()
}

#[test]
fn a_graph_without_costs_is_refused_and_told_how_to_give_them() {
    let (_, output) = run("", RULES);
    assert_eq!(output.status, 2);
    for word in ["no task of `g.dot` has a cost", "`work = ", "`times`", "`cost-attribute`"] {
        assert!(output.stderr.contains(word), "{}", output.stderr);
    }
}

#[test]
fn work_and_bytes_are_given_to_all_by_word_or_by_a_table() {
    // both maps side by side, then `all`
    assert!((makespan("work = \"10Gf\"", RULES) - 20.0).abs() < 1e-6);
    let by_word = "work = { of = { map = \"3Gf\" }, others = \"1Gf\" }";
    assert!((makespan(by_word, RULES) - 4.0).abs() < 1e-6);
    let sent = format!("{by_word}\nbytes = {{ of = {{ map = \"500kB\" }} }}");
    // one map runs where `all` does, and the data of the other are 0.5 s on their way
    assert!((makespan(&sent, RULES) - 4.5).abs() < 1e-6);
    let measured = "times = \"trace.txt\"\nreference-speed = \"1Gf\"";
    assert!((makespan(measured, RULES) - 60.5).abs() < 1e-6);
    let partly = "times = \"trace.txt\"\nwork = \"7Gf\"\nreference-speed = \"1Gf\"";
    assert!((makespan(partly, &RULES.replace("\"all\"", "\"last\"")) - 67.0).abs() < 1e-6);
    // what the file states stands
    let stated = RULES.replace("label = \"all\"", "size = 2e9");
    assert!((makespan("work = \"10Gf\"", &stated) - 12.0).abs() < 1e-6);
}

#[test]
fn tasks_that_nothing_gives_a_cost_are_named() {
    let (_, output) = run("work = { of = { map = \"3Gf\" } }", RULES);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("nothing gives the cost of `0`"), "{}", output.stderr);
}

#[test]
fn an_abstract_workflow_of_pegasus_is_given_costs() {
    let place = Place::new();
    place.file(
        "g.dax",
        "<adag><job id=\"a\" name=\"cut\"><uses file=\"f\" link=\"output\"/></job>\
                         <job id=\"b\" name=\"join\"><uses file=\"f\" link=\"input\"/></job></adag>",
    );
    let scenario = |costs: &str| {
        format!("title = \"T\"\n[application]\nkind = \"dax\"\nfile = \"g.dax\"\n{costs}\n{PLATFORM}")
    };
    place.file("s.toml", scenario(""));
    let refused = place.run(&["validate", "s.toml"]);
    assert_eq!((refused.status, refused.stderr.matches("`runtime` is missing").count()), (2, 2));
    place.file("s.toml", scenario("work = { of = { cut = \"2Gf\", join = \"3Gf\" } }\nbytes = \"1MB\""));
    let output = place.run(&["run", "s.toml", "-o", "out", "--no-progress", "--json"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let summary: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert!((summary["metrics"]["makespan"]["value"].as_f64().unwrap() - 5.0).abs() < 1e-6);
}
