//! Effort of planning graphs of which all tasks are ready at once.

use std::fmt::Write as _;

use clustersim_testing::program::Place;

/// Pairs of a task and a core or host that a rule looks at to place so many tasks without edges on
/// eight hosts of four cores; tasks hold one core, or one to three.
fn looked_at(rule: &str, tasks: u64, most_cores: u64) -> u64 {
    let mut graph = String::from("digraph g {\n");
    for task in 0..tasks {
        // in no order of lengths
        let (length, cores) = (1 + task * 7_919 % 1_009, 1 + task % most_cores);
        let _ = writeln!(graph, "t{task} [size=\"{length}e9\", cores={cores}];");
    }
    let mut scenario = format!(
        "title = \"Wide\"\napplication = {{ kind = \"dot\", file = \"g.dot\", cores = \"file\" }}\nscheduler = \"{rule}\"\n"
    );
    for host in 0..8 {
        let _ = write!(
            scenario,
            "[[platform.host]]\nname = \"h-{host}\"\ncores = 4\nspeed = \"{}Gf\"\n",
            1.0 + 0.3 * f64::from(host)
        );
    }
    let place = Place::new();
    place.file("g.dot", graph + "}\n").file("s.toml", scenario);
    let ended = place.run(&["run", "s.toml", "-q", "--no-progress", "-o", "out"]);
    assert_eq!(ended.status, 0, "{rule}: {}", ended.stderr);
    let plans = std::fs::read_to_string(place.path("out/plans.csv")).unwrap();
    let mut rows = plans.lines();
    let column = rows.next().unwrap().split(',').position(|name| name == "looked-at").unwrap();
    rows.map(|row| row.split(',').nth(column).unwrap().parse::<u64>().unwrap()).sum()
}

#[test]
fn a_rule_looks_at_four_times_as_many_tasks_with_little_more_than_four_times_the_effort() {
    for rule in
        ["dls", "dls-dagsim", "etf", "min-min", "hlfet", "mct", "olb", "mcp", "heft", "peft", "cpop", "hcpt"]
    {
        for most_cores in [1, 3] {
            let [few, many] = [250, 1_000].map(|tasks| looked_at(rule, tasks, most_cores));
            assert!(many < 6 * few, "{rule}, {most_cores} cores: {few} and {many}");
        }
    }
}
