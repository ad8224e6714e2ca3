//! Nodes that differ, as a scenario writes them: what comes of it, and what is told of mistakes.

use clustersim_testing::program::Place;

/// A scenario with `cluster` in it, whose jobs have one task each that computes for 100 ms.
fn scenario(cluster: &str) -> String {
    format!(
        "title = \"Groups\"\npolicy = \"local\"\n\n[cluster]\ndetail = \"task\"\nmpl = 1\n{cluster}\n\
         [workload]\nkind = \"task-trace\"\nfile = \"jobs.jsonl\"\n"
    )
}

const JOB: &str = "{\"class\": \"one\", \"arrival\": \"0s\", \"steps\": [[\"compute 100ms\"]]}\n";

fn validate(cluster: &str) -> String {
    let place = Place::new();
    place.file("scenario.toml", scenario(cluster)).file("jobs.jsonl", JOB);
    let output = place.run(&["validate", "scenario.toml"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    output.stderr
}

#[test]
fn the_sum_of_the_groups_must_be_the_nodes() {
    let told = validate("nodes = 5\n[[cluster.group]]\nnodes = 2\n[[cluster.group]]\nnodes = 2\nspeed = 2\n");
    assert!(told.contains("the groups have 4 nodes, but `nodes` is 5"), "{told}");
    assert!(told.contains("scenario.toml:7:9"), "{told}");
}

#[test]
fn a_group_tells_how_many_it_has_and_names_only_keys_of_a_node() {
    let told = validate("[[cluster.group]]\nspeeed = 2.0\nnodes = 1\n[[cluster.group]]\nspeed = -1\n");
    assert!(told.contains("speeed") && told.contains("`speed`"), "{told}");
    assert!(told.contains("scenario.toml:8:1"), "{told}");
    assert!(told.contains("scenario.toml:11:9"), "{told}");
    assert!(told.contains("`nodes`"), "{told}");
}

#[test]
fn nodes_of_a_group_differ_as_it_says_and_else_are_as_all() {
    let place = Place::new();
    let cluster = "[cluster.node]\nspeed = 0.5\n[[cluster.group]]\nnodes = 1\nspeed = 4.0\n[[cluster.group]]\nnodes = 1\n";
    place.file("scenario.toml", scenario(cluster)).file("jobs.jsonl", JOB.repeat(2));
    let output = place.run(&["run", "scenario.toml", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let jobs = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    let column = |name: &str| {
        let mut lines = jobs.lines();
        let place = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
        lines.map(|line| line.split(',').nth(place).unwrap().to_owned()).collect::<Vec<_>>()
    };
    // 100 ms at speed 4 and at 0.5
    assert_eq!(column("finish_time"), ["0.025", "0.2"]);
}
