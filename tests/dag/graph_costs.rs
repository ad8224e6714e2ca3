//! Costs of graphs whose files state none, by the whole program.

use clustersim_testing::program::{Output, Place};

const PLATFORM: &str = "[[platform.cluster]]\nname = \"h\"\nhosts = 2\nspeed = \"1Gf\"\nbandwidth = \"1MBps\"\ntopology = \"mesh\"\n\
                        [scheduler]\nkind = \"heft\"\n";
const RULES: &str = "digraph rules {\n node [shape=box];\n 0[label = \"all\"];\n 1[label = \"map\\nsample: A\"];\n\
                     2[label = \"map\\nsample: B\"];\n 1 -> 0\n 2 -> 0\n}\n";

fn run(application: &str, graph: &str) -> (Place, Output) {
    let place = Place::new();
    place.file("g.dot", graph);
    place.file("trace.txt", "task_id\tname\trealtime\n1\tmap (a)\t1m 30s\n2\tmap (b)\t30s\n3\tall\t500\n");
    let kind = if application.starts_with("kind") { "" } else { "kind = \"dot\"\nfile = \"g.dot\"\n" };
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
    assert_eq!((refused.status, refused.stderr.matches("no task of `g.dax` has a cost").count()), (2, 1));
    assert!(refused.stderr.contains("`work = ") && refused.stderr.contains("`times`"), "{}", refused.stderr);
    place.file("s.toml", scenario("work = { of = { cut = \"2Gf\", join = \"3Gf\" } }\nbytes = \"1MB\""));
    let output = place.run(&["run", "s.toml", "-o", "out", "--no-progress", "--json"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let summary: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert!((summary["metrics"]["makespan"]["value"].as_f64().unwrap() - 5.0).abs() < 1e-6);
}

/// Two tasks in each format that may state times: none of them, those of both, and that of one.
const TIMES: [(&str, &str, &str); 3] = [
    (
        "dax",
        "<adag><job id=\"a\" name=\"cut\"RUN><uses file=\"f\" link=\"output\"/></job>\
         <job id=\"b\" name=\"join\"OTHER><uses file=\"f\" link=\"input\"/></job></adag>",
        " runtime=\"2\"",
    ),
    (
        "wfformat",
        "{\"workflow\": {\"tasks\": [{\"name\": \"a\", \"category\": \"cut\"RUN},\
         {\"name\": \"b\", \"category\": \"join\"OTHER, \"parents\": [\"a\"]}]}}",
        ", \"runtime\": 2",
    ),
    (
        "pegasus",
        "pegasus: '5.0'\njobs:\n- {id: a, name: cutRUN}\n- {id: b, name: joinOTHER}\n\
         jobDependencies:\n- {id: a, children: [b]}\n",
        ", profiles: {pegasus: {runtime: 2}}",
    ),
];

#[test]
fn without_times_a_graph_of_any_format_is_one_error_and_with_a_law_it_runs() {
    for (kind, text, time) in TIMES {
        let with = |first: &str, second: &str| text.replace("RUN", first).replace("OTHER", second);
        let application = format!("kind = \"{kind}\"\nfile = \"g.dot\"\nreference-speed = \"1Gf\"\n");
        let (_, refused) = run(&application, &with("", ""));
        assert_eq!(refused.status, 2, "{kind}");
        assert_eq!(refused.stderr.matches("error").count(), 1, "{}", refused.stderr);
        assert!(refused.stderr.contains("no task of `g.dot` has a cost"), "{}", refused.stderr);
        // of those of some the others are mistakes at their places
        let (_, refused) = run(&application, &with(time, ""));
        assert!(refused.stderr.contains("the runtime of `b` is missing"), "{}", refused.stderr);
        assert!(refused.stderr.contains("g.dot:") && refused.status == 2, "{}", refused.stderr);
        let law = format!("{application}work = {{ of = {{ cut = \"3Gf\", join = \"4Gf\" }} }}");
        assert!((makespan(&law, &with("", "")) - 7.0).abs() < 1e-6, "{kind}");
        assert!((makespan(&law, &with("", time)) - 5.0).abs() < 1e-6, "{kind}");
        assert!((makespan(&application, &with(time, time)) - 4.0).abs() < 1e-6, "{kind}");
        // a graph without costs is still a graph
        let (place, _) = run(&application, &with("", ""));
        let output = place.run(&["convert", "g.dot", "o.dag", "--from", kind]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stderr.contains("2 tasks have no cost: 0 operations"), "{}", output.stderr);
    }
}

#[test]
fn a_sweep_of_tasks_without_times_is_refused() {
    let place = Place::new();
    place.file("g.dax", "<adag><job id=\"a\"/><job id=\"b\"/></adag>");
    place.file(
        "s.toml",
        "title = \"T\"\n[application]\nkind = \"dax\"\nfile = \"g.dax\"\n[platform]\norigin = \"o\"\n\
         [[platform.cluster]]\nname = \"c\"\nhosts = 1\nlink = { bandwidth = \"1MBps\" }\n\
         [scheduler]\nkind = \"self-scheduling\"\n",
    );
    let output = place.run(&["run", "s.toml", "-o", "out", "--no-progress"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("no task of `g.dax` has a cost"), "{}", output.stderr);
}

#[test]
fn laws_of_costs_are_flags_of_convert() {
    let place = Place::new();
    place.file("g.dot", RULES);
    place.file("trace.txt", "task,seconds\nmap,2\nall,3\n");
    let costs = |arguments: &[&str]| {
        let output = place.run(&[&["convert", "g.dot", "o.dag", "--force"], arguments].concat());
        assert_eq!(output.status, 0, "{}", output.stderr);
        let text = std::fs::read_to_string(place.path("o.dag")).unwrap();
        let fields = |first: &str, at: usize| -> Vec<String> {
            let lines = text.lines().filter(|line| line.split_whitespace().next() == Some(first));
            lines.map(|line| line.split_whitespace().nth(at).unwrap_or("").to_owned()).collect()
        };
        (fields("node", 2).join(" "), fields("edge", 3).join(" "))
    };
    assert_eq!(costs(&["--work", "20Gf"]).0, "2 2 2");
    assert_eq!(costs(&["--work", "{ of = { map = \"10Gf\" }, others = \"30Gf\" }"]).0, "3 1 1");
    assert_eq!(costs(&["--times", "trace.txt"]).0, "3 2 2");
    assert_eq!(costs(&["--times", "trace.txt", "--bytes", "1kB"]).1, "1000 1000");
    place.file("g.dot", "digraph { a [cost=1e10 size=7]; b [cost=2e10]; a -> b [load=9 size=3] }");
    let named = costs(&["--cost-attribute", "cost", "--bytes-attribute", "load"]);
    assert_eq!(named, ("1 2".to_owned(), "9".to_owned()));
}

#[test]
fn a_run_draws_numbers_only_where_a_law_of_costs_varies() {
    let draws = |work: &str| {
        let (_, output) = run(work, RULES);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let summary: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        summary["drew"].as_bool()
    };
    assert_eq!(draws("work = \"10Gf\""), Some(false));
    assert_eq!(
        draws("work = { of = { map = \"10Gf\" }, others = { kind = \"constant\", value = \"1Gf\" } }"),
        Some(false)
    );
    assert_eq!(draws("work = { kind = \"uniform\", low = \"1Gf\", high = \"2Gf\" }"), Some(true));
    assert_eq!(draws("work = \"1Gf\"\nbytes = { kind = \"exponential\", mean = \"1kB\" }"), Some(true));
    assert_eq!(draws("kind = \"chain\"\ntasks = 3\ncost = \"1Gf\"\ndata = \"1kB\""), Some(false));
    assert_eq!(draws("kind = \"chain\"\ntasks = 3\ncost = \"1Gf\"\ndata = \"1kB\"\nbeta = 0.5"), Some(true));
}
