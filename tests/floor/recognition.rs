//! What a file is shows in its content: a command that does not read it says what it is and what
//! reads it.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use clustersim_testing::program::{Place, repository};

const SCENARIO: &str = "title = \"T\"\ncluster.nodes = 4\n[workload]\nkind = \"synthetic\"\njobs = 5\n\
                        arrivals = \"1min\"\nsizes = 1\nrun-times = \"1h\"\nestimates = 2\n";
const LOG: &str = "1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n";
const PLATFORM: &str = "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\
                        <host id=\"a\" speed=\"1Gf\"/></zone></platform>\n";
const DEPLOYMENT: &str =
    "<platform version=\"4.1\"><actor host=\"a\" function=\"f\"><argument value=\"1\"/></actor></platform>\n";

/// Kinds of file that neither `run` nor `validate` reads: what they are, and what reads them.
const OTHERS: [(&str, &str, &str); 8] = [
    (PLATFORM, "it is a platform of SimGrid", "`clustersim show platform FILE` draws it"),
    (DEPLOYMENT, "it is a deployment of SimGrid", "`deployment.file`"),
    ("{\"nb_res\": 4, \"jobs\": [], \"profiles\": {}}", "it is a workload of Batsim", "kind = \"batsim\""),
    (
        "{\"name\": \"w\", \"schemaVersion\": \"1.5\", \"workflow\": {}}",
        "it is a workflow in WfFormat",
        "`clustersim show workflow FILE` draws it",
    ),
    ("JobID|User|Submit\n1|u|2026-03-01T00:00:00\n", "it is an accounting dump of Slurm", "kind = \"slurm\""),
    ("ClusterName=c\nNodeName=n[1-4] CPUs=4\n", "it is a slurm.conf", "`clustersim convert FILE site.toml`"),
    ("{\"schema\": \"clustersim/summary/1\"}", "it is a JSON file of results", "`clustersim report DIR`"),
    ("{\"arrival\": \"1s\", \"tasks\": 3}\n", "it is a trace of parallel jobs", "kind = \"task-trace\""),
];

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn run_and_validate_say_what_a_file_is_and_what_reads_it() {
    for (number, (text, what, reader)) in OTHERS.into_iter().enumerate() {
        let place = Place::new();
        // a name that says something else
        let name = ["a.toml", "a.swf", "a.txt", "a.json"][number % 4];
        for (name, bytes) in [(name.to_owned(), text.as_bytes().to_vec()), (format!("{name}.gz"), gzip(text))]
        {
            place.file(&name, bytes);
            for command in ["run", "validate"] {
                let output = place.run(&[command, &name]);
                assert_eq!(output.status, 2, "{command} {name}: {}", output.stderr);
                let message = format!("cannot {command} {name}: {what}");
                assert!(output.stderr.contains(&message), "{}", output.stderr);
                assert!(output.stderr.contains(&reader.replace("FILE", &name)), "{}", output.stderr);
            }
        }
    }
}

#[test]
fn scenarios_and_logs_are_run_whatever_they_are_called() {
    let place = Place::new();
    place.file("scenario.txt", SCENARIO).file("log.toml", LOG).file("log", gzip(LOG));
    for name in ["scenario.txt", "log.toml", "log"] {
        let mut arguments = vec!["run", name, "--dry-run"];
        arguments.extend(["--procs", "4"].iter().filter(|_| name != "scenario.txt"));
        let output = place.run(&arguments);
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
    }
    assert_eq!(place.run(&["validate", "scenario.txt"]).stdout, "scenario.txt: valid\n");
    let output = place.run(&["validate", "log.toml"]);
    assert!(output.stderr.contains("it is a log in the Standard Workload Format"), "{}", output.stderr);
    assert!(output.stderr.contains("`clustersim run log.toml` runs it"), "{}", output.stderr);
}

#[test]
fn show_and_convert_look_at_the_content_too() {
    let place = Place::new();
    place.file("site", gzip(PLATFORM)).file("jobs", "JobID|User|Submit\n").file("a.json", LOG);
    assert_eq!(place.run(&["show", "platform", "site", "--json"]).status, 0);
    let output = place.run(&["show", "platform", "jobs"]);
    assert!(output.stderr.contains("cannot show jobs: it is an accounting dump"), "{}", output.stderr);
    let output = place.run(&["convert", "site", "log.swf"]);
    assert!(output.stderr.contains("cannot convert site: it is a platform of SimGrid"), "{}", output.stderr);
    assert_eq!(place.run(&["convert", "a.json", "log.swf"]).status, 0);
}

#[test]
fn a_directory_is_called_one() {
    let place = Place::new();
    place.file("done/manifest.json", "{}");
    for (name, help) in [(".", "name a scenario"), ("done", "`clustersim run done/manifest.json` repeats")] {
        let output = place.run(&["run", name]);
        assert!(
            output.stderr.contains(&format!("cannot run {name}: it is a directory")),
            "{}",
            output.stderr
        );
        assert!(output.stderr.contains(help), "{}", output.stderr);
        assert!(place.run(&["validate", name]).stderr.contains("it is a directory"));
    }
}

#[test]
fn a_workload_of_batsim_becomes_no_graph() {
    let place = Place::new();
    place.file("batsim.json", std::fs::read(repository("tests/data/batsim.json")).unwrap());
    let output = place.run(&["convert", "batsim.json", "b.dot"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("it is a workload of Batsim"), "{}", output.stderr);
}

#[test]
fn a_platform_is_described() {
    let place = Place::new();
    place.file("site.xml", "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/></zone></platform>\n");
    let output = place.run(&["describe", "site.xml"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.contains("platform of SimGrid"), "{}", output.stdout);
}
