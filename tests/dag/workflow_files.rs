//! `show workflow` and `convert` between formats of task graphs, by the built program.

use std::fs;
use std::io::Read;

use flate2::read::GzDecoder;
use insta::assert_snapshot;
use serde_json::Value as Json;

use clustersim_testing::program::{Output, Place, repository};

/// Every format by how its files end.
const ENDINGS: [&str; 6] = ["dag", "dax", "dot", "stg", "json", "yml"];

/// A place with shipped files: one of each format, and the worked graphs.
fn place() -> Place {
    let place = Place::new();
    for name in [
        "dax/smalldax.xml",
        "dax/simple_dax_with_cycle.xml",
        "dot/dag.dot",
        "dot/dag_with_cycle.dot",
        "stg/n50-rand0000.stg",
        "wfformat/helloworld-forkjoin-10-chameleon.json.gz",
        "wfformat-old/srasearch-chameleon-10a-001.json.gz",
    ] {
        let bytes = fs::read(repository("tests/data/public/workflows").join(name)).unwrap();
        place.file(name.rsplit('/').next().unwrap(), bytes);
    }
    for name in ["f6.dag", "k9.dag", "m7.dag", "t10.dag"] {
        place.file(name, fs::read(repository("tests/data/workflows").join(name)).unwrap());
    }
    place
}

fn done(place: &Place, arguments: &[&str]) -> Output {
    let output = place.run(arguments);
    assert_eq!(output.status, 0, "{arguments:?}: {}", output.stderr);
    output
}

fn refused(place: &Place, arguments: &[&str], words: &[&str]) {
    let output = place.run(arguments);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
    for word in words {
        assert!(output.stderr.contains(word), "{arguments:?} {word}: {}", output.stderr);
    }
}

fn listed(place: &Place, file: &str) -> Json {
    serde_json::from_str(&done(place, &["show", "workflow", file, "--json"]).stdout).unwrap()
}

#[test]
fn every_format_becomes_every_other_one() {
    let place = place();
    let near = |one: &Json, other: &Json| {
        let [one, other] = [one, other].map(|value| value.as_f64().unwrap());
        (one - other).abs() <= 1e-9 * one.abs()
    };
    for file in
        ["smalldax.xml", "dag.dot", "n50-rand0000.stg", "helloworld-forkjoin-10-chameleon.json.gz", "m7.dag"]
    {
        let original = listed(&place, file);
        for through in ENDINGS {
            let first = format!("first.{through}");
            done(&place, &["convert", file, &first, "--force"]);
            for to in ENDINGS {
                let second = format!("second.{to}");
                done(&place, &["convert", &first, &second, "--force"]);
                let again = listed(&place, &second);
                let chain = format!("{file} {through} {to}");
                for key in ["tasks", "edges", "levels"] {
                    assert_eq!(again[key], original[key], "{chain}: {key}");
                }
                assert!(near(&again["work"], &original["work"]), "{chain}");
                if through != "stg" && to != "stg" {
                    assert_eq!(again["bytes"], original["bytes"], "{chain}");
                }
            }
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_counted() {
    let place = place();
    let output = done(&place, &["convert", "srasearch-chameleon-10a-001.json.gz", "s.stg.gz"]);
    assert!(output.stdout.starts_with("s.stg.gz: 22 tasks, "), "{}", output.stdout);
    for words in [
        "the names of tasks become numbers (22 tasks)",
        "the data on edges are left out (",
        "machines, commands",
    ] {
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
    let mut text = String::new();
    GzDecoder::new(&place.read("s.stg.gz")[..]).read_to_string(&mut text).unwrap();
    assert!(text.starts_with("22\n0 0 0\n"), "{text}");
    let output = done(&place, &["convert", "t10.dag", "t.dot"]);
    assert!(
        output.stderr.contains("execution times on single hosts become their mean (10 tasks)"),
        "{}",
        output.stderr
    );
    // nothing is lost, and nothing is said
    assert_eq!(done(&place, &["convert", "k9.dag", "k.dag"]).stderr, "");
    refused(&place, &["convert", "k9.dag", "k.dag"], &["k.dag is there already"]);
}

#[test]
fn files_are_told_apart_by_their_content() {
    let place = place();
    place
        .file("stg", place.read("n50-rand0000.stg"))
        .file("odd.txt", "{\"workflow\": {\"tasks\": [{\"name\": \"a\", \"runtime\": 1}]}}")
        .file("g.swf", place.read("dag.dot"));
    refused(
        &place,
        &["convert", "g.swf", "log.swf"],
        &["it is a directed graph in DOT", "`clustersim show workflow g.swf` draws it"],
    );
    refused(&place, &["convert", "k9.dag", "k.what"], &["does not say what to write", ".dag"]);
    refused(
        &place,
        &["convert", "k9.dag", "k.dot", "--from", "sacct"],
        &["a file of sacct holds no workflow"],
    );
    refused(
        &place,
        &["convert", "k9.dag", "k.swf", "--from", "dag-text"],
        &["a file of dag-text holds no jobs"],
    );
    refused(&place, &["show", "workflow", "k9.dag", "--from", "x"], &["unexpected argument"]);
    assert_eq!(listed(&place, "stg")["tasks"], 50);
    done(&place, &["convert", "odd.txt", "odd.dot", "--from", "wfformat"]);
    assert_eq!(listed(&place, "odd.dot")["tasks"], 1);
}

#[test]
fn keys_of_readers_are_flags_where_they_mean_something() {
    let place = place();
    done(&place, &["convert", "n50-rand0000.stg", "n.dag", "--bytes", "1MB", "--time-unit", "2s"]);
    let [plain, scaled] = ["n50-rand0000.stg", "n.dag"].map(|file| listed(&place, file));
    assert_eq!(scaled["bytes"].as_u64(), Some(scaled["edges"].as_u64().unwrap() * 1_000_000));
    assert_eq!(scaled["work"].as_f64(), plain["work"].as_f64().map(|work| 2.0 * work));
    let asked = ["show", "workflow", "k9.dag", "--json", "--reference-speed", "1Gf"];
    let slow: Json = serde_json::from_str(&done(&place, &asked).stdout).unwrap();
    assert_eq!((slow["work"].as_f64(), slow["path-seconds"].as_f64()), (Some(30e9), Some(11.0)));
    refused(&place, &["convert", "k9.dag", "k.dot", "--time-unit", "1s"], &["time-unit", "unknown key"]);
    refused(&place, &["convert", "k9.dag", "k.swf", "--time-unit", "1s"], &["--time-unit means nothing"]);
    refused(
        &place,
        &["convert", "k9.dag", "k.dot", "--utc-offset", "+01:00"],
        &["--utc-offset means nothing"],
    );
    let help = done(&place, &["convert", "--help"]).stdout;
    for word in ["--bytes", "--cost-attribute", "--machine-speed", "wfformat", "slurm-conf"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    let help = done(&place, &["show", "--help"]).stdout;
    assert!(help.contains("platform") && help.contains("workflow"), "{help}");
}

#[test]
fn mistakes_of_graphs_are_reported_at_their_places() {
    let place = place();
    place.file("bad.dag", "DagDescription 1\nnode a -1\nedge a b\n");
    for command in [&["show", "workflow"][..], &["convert"]] {
        let run = |file: &str, words: &[&str]| {
            let output: &[&str] = if command[0] == "convert" { &["out.dot"] } else { &[] };
            refused(&place, &[command, &[file], output].concat(), words);
        };
        run(
            "simple_dax_with_cycle.xml",
            &["the tasks form a cycle: 1 -> 3 -> 1", "simple_dax_with_cycle.xml:21:"],
        );
        run("dag_with_cycle.dot", &["1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 1", "dag_with_cycle.dot:21:"]);
        run("bad.dag", &["the cost is negative", "bad.dag:2:8", "there is no task `b`", "bad.dag:3:8"]);
        run("none.dag", &["none.dag", "there is no such file"]);
    }
    refused(&place, &["show", "workfolw", "k9.dag"], &["workfolw", "workflow"]);
}

#[test]
fn a_small_graph_is_drawn_task_by_task() {
    let place = place();
    let drawn = done(&place, &["show", "workflow", "f6.dag", "-o", "f6.svg"]);
    assert_eq!(drawn.stderr, "");
    let svg = String::from_utf8(place.read("f6.svg")).unwrap();
    let picture = svg.split("</style>").nth(1).unwrap();
    assert_snapshot!("a_fork_and_join", format!("{}\n{picture}", drawn.stdout));
    for word in ["href", "url(", "@import", "<script", "var("] {
        assert!(!svg.contains(word), "{word}");
    }
    let out = done(&place, &["show", "workflow", "f6.dag"]);
    assert_eq!(out.stdout, svg);
    assert!(out.stderr.contains("path: 3 tasks, 10 s at 10 Gf: 1 2 6"), "{}", out.stderr);
    let k9 = listed(&place, "k9.dag");
    assert_eq!(
        (&k9["schema"], &k9["depth"], &k9["width"]),
        (&"clustersim/workflow/1".into(), &4.into(), &4.into())
    );
    assert_eq!(k9["path"], serde_json::json!(["1", "4", "8", "9"]));
}

#[test]
fn a_graph_of_a_scenario_is_drawn_and_a_large_one_by_its_levels() {
    let place = place();
    let scenario =
        |tasks: u32| format!("title = \"T\"\nseed = 3\n[application]\nkind = \"layered\"\ntasks = {tasks}\n");
    place
        .file("small.toml", scenario(30))
        .file("large.toml", scenario(10_000))
        .file("none.toml", "title = \"x\"\n");
    let small = done(&place, &["show", "workflow", "small.toml"]).stdout;
    assert!(small.contains("30 tasks, ") && small.contains("class=\"box mark\""), "{small}");
    assert_ne!(small, done(&place, &["show", "workflow", "small.toml", "--seed", "4"]).stdout);
    let large = done(&place, &["show", "workflow", "large.toml"]).stdout;
    assert!(large.contains(">10,000 tasks, ") && large.contains(">level"), "{large}");
    assert!(large.len() < 100_000, "{}", large.len());
    done(&place, &["convert", "small.toml", "small.dot"]);
    assert_eq!(listed(&place, "small.dot")["levels"], listed(&place, "small.toml")["levels"]);
    refused(&place, &["show", "workflow", "none.toml"], &["none.toml declares no application"]);
}

#[test]
fn the_report_has_the_graph_of_the_run_and_again_from_its_files() {
    let place = place();
    let grid = "DagGrid 1\nhost a 1 0\nhost b 1 0\nlink l 0 1 0\nall-pairs l\n";
    place.file("two.grid", grid).file(
        "run.toml",
        "title = \"r\"\n[platform]\nfile = \"two.grid\"\n[application]\nkind = \"dag-text\"\nfile = \"m7.dag\"\ncount = 2\n",
    );
    done(&place, &["run", "run.toml", "-o", "out", "--no-progress"]);
    let picture = || {
        let page = String::from_utf8(place.read("out/report.html")).unwrap();
        let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let data: Json = serde_json::from_str(data).unwrap();
        data["figures"]
            .as_array()
            .unwrap()
            .iter()
            .find(|figure| figure["kind"] == "picture")
            .cloned()
            .unwrap()
    };
    let first = picture();
    assert_eq!(first["title"], "Graph");
    assert_eq!(first["alt"], "The graph: 7 tasks, 8 edges, 5 levels.");
    assert!(first["note"].as_str().unwrap().starts_with("The first of 2 graphs."), "{first}");
    done(&place, &["report", "out"]);
    assert_eq!(picture(), first);
}
