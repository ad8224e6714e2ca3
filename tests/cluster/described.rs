//! `describe`: files of every kind, and scenarios made of a guess.

use std::fs;

use insta::assert_snapshot;

use clustersim_testing::program::{Place, repository};
use serde_json::Value as Json;

const TABLE: &str = "job,queued,began,ended,cores,nodes,asked,account,result
a1,2026-03-01 08:00:00,2026-03-01 08:00:00,2026-03-01 09:00:00,96,3,120,physics,COMPLETED
a2,2026-03-01 08:05:00,2026-03-01 09:00:00,2026-03-01 10:00:00,64,2,60,biology,TIMEOUT
a3,2026-03-01 08:10:00,2026-03-01 08:10:00,2026-03-01 08:30:00,32,1,30,physics,COMPLETED
a4,2026-03-01 08:20:00,,,32,1,30,physics,PENDING
";

fn described(place: &Place, name: &str) -> Json {
    let output = place.run(&["describe", name, "--json"]);
    assert_eq!(output.status, 0, "{name}: {}", output.stderr);
    let document: Json = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["schema"], "clustersim/describe/1");
    document
}

fn sample(place: &Place, name: &str) {
    place.file(name, fs::read(repository("crates/jobs/tests/data/tables").join(name)).unwrap());
}

#[test]
fn tables_of_known_sources_are_named_and_counted() {
    let place = Place::new();
    for (name, like, rows, jobs, with_gpus) in [
        ("acme-kalos.csv.gz", "acme", 50, 48, 38),
        ("helios.csv.gz", "helios", 50, 49, 32),
        ("philly.json.gz", "philly", 40, 35, 35),
    ] {
        sample(&place, name);
        let document = described(&place, name);
        assert_eq!(document["guess"]["like"], like);
        let found = &document["jobs"];
        assert_eq!((document["rows"].as_u64(), found["jobs"].as_u64()), (Some(rows), Some(jobs)), "{name}");
        assert_eq!(found["with-gpus"].as_u64(), Some(with_gpus), "{name}");
        assert!(document["columns"].as_array().is_some_and(|columns| columns.len() >= 5), "{name}");
    }
}

#[test]
fn a_table_is_described_and_the_text_to_paste_runs() {
    let place = Place::new();
    place.file("jobs.csv", TABLE);
    let output = place.run(&["describe", "jobs.csv"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_snapshot!("described_table", output.stdout);
    let toml = described(&place, "jobs.csv")["guess"]["toml"].as_str().unwrap().to_owned();
    assert!(output.stdout.contains(&toml), "{toml}");
    place.file(
        "pasted.toml",
        format!("title = \"p\"\ncluster.procs = 128\n\n{toml}\n[policy]\nkind = \"easy\"\n"),
    );
    let run = place.run(&["run", "pasted.toml", "-o", "pasted"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("1 never-started"), "{}", run.stderr);
}

#[test]
fn a_table_becomes_a_scenario_that_runs_and_says_what_was_guessed() {
    let place = Place::new();
    place.file("jobs.csv", TABLE);
    for name in ["acme-kalos.csv.gz", "philly.json.gz", "eagle-60.jsonl.gz"] {
        sample(&place, name);
    }
    for name in ["jobs.csv", "acme-kalos.csv.gz", "philly.json.gz", "eagle-60.jsonl.gz"] {
        let (scenario, out) = (format!("{name}.toml"), format!("{name}.out"));
        let output = place.run(&["convert", name, &scenario]);
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
        let run = place.run(&["run", &scenario, "-o", &out]);
        assert_eq!(run.status, 0, "{name}: {}", run.stderr);
        let judged = place.run(&["check", &out]);
        assert_eq!(judged.status, 0, "{name}: {}{}", judged.stdout, judged.stderr);
    }
    let output = place.run(&["convert", "jobs.csv", "again.toml"]);
    assert!(
        output.stderr.contains("limit = { column = \"asked\", unit = \"min\" } is a guess"),
        "{}",
        output.stderr
    );
    let refused = place.run(&["convert", "jobs.csv", "log.swf"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("write a scenario (.toml)"), "{}", refused.stderr);
}

#[test]
fn a_log_has_its_load_by_week_and_the_use_of_its_limits() {
    let place = Place::new();
    let name = "KTH-SP2-1996-2.1-cln-4-weeks.swf.gz";
    place.file(name, fs::read(repository("scenarios/data").join(name)).unwrap());
    let found = &described(&place, name)["jobs"];
    assert_eq!(found["machine"], 100);
    assert!((4..=5).contains(&found["weeks"].as_array().unwrap().len()), "{found}");
    let weeks = found["weeks"].as_array().unwrap();
    let jobs: u64 = weeks.iter().map(|week| week["jobs"].as_u64().unwrap()).sum();
    assert_eq!(Some(jobs), found["jobs"].as_u64());
    assert!(weeks.iter().take(4).all(|week| (0.1..1.5).contains(&week["load"].as_f64().unwrap())), "{found}");
    let (reached, requested) = (&found["limits"]["reached"], &found["limits"]["requested"]);
    assert!(reached.as_u64().unwrap() < requested.as_u64().unwrap(), "{found}");
    let text = place.run(&["describe", name]).stdout;
    assert!(
        text.contains("Standard Workload Format") && text.contains("Load by week, on 100 processors"),
        "{text}"
    );
}

#[test]
fn files_of_other_kinds_say_what_they_are() {
    let place = Place::new();
    place.file("slurm.conf", "ClusterName=c\nNodeName=n[1-4] CPUs=8\n");
    place.file("s.toml", "title = \"T\"\ncluster.nodes = 4\n[workload]\nkind = \"synthetic\"\n");
    place.file("letter.txt", "Dear reader\n\nthis is a letter\n");
    let conf = described(&place, "slurm.conf");
    assert_eq!((&conf["facts"]["nodes"], &conf["facts"]["processors"]), (&"4".into(), &"32".into()));
    assert!(described(&place, "s.toml")["reader"].as_str().unwrap().contains("clustersim run s.toml"));
    for (name, why) in [
        ("letter.txt", "no sign between cells"),
        (".", "is a directory"),
        ("none.csv", "cannot read none.csv"),
    ] {
        let output = place.run(&["describe", name]);
        assert_eq!(output.status, 2, "{name}: {}", output.stderr);
        assert!(output.stderr.contains(why), "{name}: {}", output.stderr);
    }
    sample(&place, "openb-nodes-head40.csv.gz");
    let nodes = place.run(&["describe", "openb-nodes-head40.csv.gz"]);
    assert!(nodes.stdout.contains("the nodes of Alibaba's openb cluster"), "{}", nodes.stdout);
    assert!(!nodes.stdout.contains("[workload"), "{}", nodes.stdout);
    let refused = place.run(&["convert", "openb-nodes-head40.csv.gz", "nodes.toml"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("it is the nodes of Alibaba's openb cluster"), "{}", refused.stderr);
}
