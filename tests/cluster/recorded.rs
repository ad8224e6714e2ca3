//! The run of the log as recorded, which every point has where replications randomize its log: it
//! is marked, enters no figure, and is compared with the draws.

use std::fs;

use clustersim_kernel::rng::{Stream, Streams, math};
use serde_json::Value;

use clustersim_testing::program::Place;

const WEEK: f64 = 7.0 * 86_400.0;

/// A log of so many weeks on 32 processors, busy to a share of about `load`: Poisson arrivals, run
/// times skewed, all weeks alike.
fn log(seed: u64, weeks: u32, jobs_a_week: u32, load: f64) -> String {
    let mut stream = Streams::new(seed, 0).stream("log");
    let exponential = |stream: &mut Stream, mean: f64| -mean * math::ln(1.0 - stream.uniform01());
    let run_mean = load * 32.0 * WEEK / f64::from(jobs_a_week) / 4.5;
    let (mut at, mut lines, mut number) = (0.0, String::from("; MaxProcs: 32\n; UnixStartTime: 0\n"), 0);
    while at < f64::from(weeks) * WEEK {
        number += 1;
        let procs = 1 + (stream.uniform01() * 8.0) as u32;
        let run = exponential(&mut stream, run_mean) * if stream.uniform01() < 0.1 { 5.0 } else { 0.6 };
        let (run, user) = (run as u64 + 60, number % 7);
        let asked = run * 3;
        lines += &format!(
            "{number} {} -1 {run} {procs} -1 -1 {procs} {asked} -1 1 {user} -1 -1 -1 -1 -1 -1\n",
            at as u64
        );
        at += exponential(&mut stream, WEEK / f64::from(jobs_a_week));
    }
    lines
}

const FINAL: [&str; 3] = ["results.csv", "study.json", "scenario.resolved.toml"];

fn assert_same(place: &Place, one: &str, two: &str) {
    for name in FINAL {
        let (a, b) = (place.read(&format!("{one}/{name}")), place.read(&format!("{two}/{name}")));
        assert!(a == b, "{name} of {one} and {two} differs");
    }
}

fn json(place: &Place, path: &str) -> Value {
    serde_json::from_slice(&place.read(path)).unwrap()
}

/// A place with a log, and a study of it that randomizes it and repeats as asked.
fn place(repeat: &str) -> Place {
    let place = Place::new();
    place.file("log.swf", log(3, 4, 60, 0.8)).file(
        "s.toml",
        format!(
            "title = \"Draws\"\n[workload]\nkind = \"swf\"\nfile = \"log.swf\"\nrandomize = \"weeks\"\n[repeat]\n{repeat}\n\
             [[vary]]\npolicy = [\"fcfs\", \"easy\"]\n"
        ),
    );
    place
}

#[test]
fn every_point_has_one_run_more_which_is_marked_and_in_no_figure() {
    let place = place("replications = 6");
    let compared = place.run(&["compare", "s.toml", "-o", "one", "-j", "1"]);
    assert_eq!(compared.status, 0, "{}", compared.stderr);
    let eight = place.run(&["compare", "s.toml", "-o", "eight", "-j", "8"]);
    assert_eq!(compared.stdout, eight.stdout);
    assert_same(&place, "one", "eight");
    // the rows: one of the recorded log and six replications of each point
    let csv = String::from_utf8(place.read("one/results.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let kinds: Vec<(&str, &str, &str)> = rows.iter().map(|row| (row[0], row[1], row[3])).collect();
    let point = |number| {
        let drawn = ["0", "1", "2", "3", "4", "5"].map(|replication| (number, replication, "done"));
        [&[(number, "", "recorded")][..], &drawn].concat()
    };
    assert_eq!(kinds, [point("0"), point("1")].concat());
    // it is the run of the log by itself, and that of its name
    let study = json(&place, "one/study.json");
    let mut waits = Vec::new();
    for (number, policy) in ["fcfs", "easy"].into_iter().enumerate() {
        let alone = place.run(&["run", "log.swf", "--policy", policy, "-o", policy, "--json"]);
        let alone: Value = serde_json::from_str(&alone.stdout).unwrap();
        let row = rows.iter().find(|row| row[0] == number.to_string() && row[3] == "recorded").unwrap();
        assert_eq!(alone["digest"], row[4]);
        let number = number.to_string();
        let named = place.run(&[
            "run",
            "s.toml",
            "--point",
            &number,
            "--replication",
            "recorded",
            "--json",
            "-o",
            "named",
            "--force",
        ]);
        let named: Value = serde_json::from_str(&named.stdout).unwrap();
        assert_eq!(named["digest"], alone["digest"]);
        let point = &study["points"][number.parse::<usize>().unwrap()];
        let wait = &alone["metrics"]["wait-time.mean"]["value"];
        assert_eq!(point["recorded"]["wait-time.mean"], *wait);
        waits.push(wait.as_f64().unwrap());
        let figures = &point["metrics"]["wait-time.mean"];
        assert_eq!((figures["n"].as_u64(), figures["values"].as_array().unwrap().len()), (Some(6), 6));
    }
    let pair = &study["comparisons"][0]["pairs_list"][0];
    assert_eq!(pair["n"], 6);
    assert_eq!(pair["recorded"]["difference"].as_f64(), Some(waits[1] - waits[0]));
    let line = compared.stdout.lines().filter(|line| line.starts_with("  log as recorded (")).count();
    assert_eq!(line, 4, "its own line for each metric: {}", compared.stdout);
    // the runs of a study that randomizes nothing have no other
    let plain = place.run(&["run", "log.swf", "--point", "0", "--replication", "recorded", "-o", "none"]);
    assert!(plain.status == 2 && plain.stderr.contains("randomized"), "{}", plain.stderr);
}

#[test]
fn it_is_made_once_by_shards_after_interruptions_and_by_old_journals_that_lack_it() {
    for repeat in
        ["replications = 4", "until = { metric = \"wait-time.mean\", half-width = \"40%\", at-most = 14 }"]
    {
        let place = place(repeat);
        let whole = place.run(&["run", "s.toml", "-o", "whole"]);
        assert_eq!(whole.status, 0, "{}", whole.stderr);
        assert_eq!(
            String::from_utf8(place.read("whole/results.csv")).unwrap().matches(",recorded,").count(),
            2
        );
        let planned = place.run(&["sweep", "plan", "s.toml", "-o", "cut", "--shards", "3"]);
        assert_eq!(planned.status, 0, "{}", planned.stderr);
        for index in ["2", "0", "1"] {
            let shard = place.run(&["sweep", "shard", "cut", "--index", index]);
            assert!(shard.status == 0 || shard.stderr.contains("no shard"), "{}", shard.stderr);
        }
        let collected = place.run(&["sweep", "collect", "cut"]);
        assert_eq!(collected.status, 0, "{}", collected.stderr);
        assert_same(&place, "whole", "cut");
        // stopped in the midst of its runs, and the runs of the recorded log taken out of the
        // journal
        let stopped = place.squeezed(24, &["run", "s.toml", "-o", "again", "-j", "1"]);
        assert_eq!(stopped.status, 1, "{}", stopped.stderr);
        let journal = place.path("again.partial/parts/part-00000.0.jsonl");
        let text = fs::read_to_string(&journal).unwrap();
        let (recorded, drawn): (Vec<&str>, Vec<&str>) =
            text.split_inclusive('\n').partition(|line| line.contains("\"replication\":null"));
        assert!(!recorded.is_empty() && !drawn.is_empty(), "{} and {}", recorded.len(), drawn.len());
        fs::write(&journal, drawn.concat()).unwrap();
        let continued = place.run(&["run", "s.toml", "-o", "again"]);
        assert!(continued.status == 0 && continued.stderr.contains("continued"), "{}", continued.stderr);
        assert_same(&place, "whole", "again");
    }
}

/// Of `count` sound logs, those on which a comparison of FCFS with EASY over ten draws warns.
fn warned(count: u64, randomize: &str) -> u64 {
    let warns = |seed: &u64| {
        let place = Place::new();
        place.file("log.swf", log(*seed, 8, 50, 0.7));
        let set = format!("workload.randomize={randomize}");
        let compared =
            place.run(&["compare", "log.swf", "--vary", "policy=fcfs,easy", "--set", &set, "-o", "out"]);
        assert_eq!(compared.status, 0, "{}", compared.stderr);
        compared.stdout.contains("recorded-log-differs")
    };
    (0..count).filter(warns).count() as u64
}

#[test]
#[ignore = "measures: cargo test --release --test cluster recorded::logs_without -- --ignored --nocapture"]
fn logs_without_chains_across_weeks_are_warned_of_in_at_most_one_case_of_twenty() {
    for randomize in ["weeks", "{ kind = \"jitter\", by = \"1h\" }"] {
        let warned = warned(200, randomize);
        println!("{randomize}: {warned} of 200 warned");
        assert!(warned <= 10, "{randomize}: {warned} of 200");
    }
}
