//! Runs that fail inside a study: a policy that deadlocks, one that does what is not lawful, and
//! one that panics. Each is told with a command that shows the same failure again, the others go
//! on, and nothing is made twice.
//!
//! The program under test is this test binary, which knows the policies: [`the_program`] is its
//! command line.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::process::{Command, exit};

use async_trait::async_trait;
use clustersim::system::standard;
use clustersim_cluster::instrument::Reason;
use clustersim_cluster::policy::{FrontEnd, Policy, PolicyError, SiteEvent};
use clustersim_language::collections::Interval;
use clustersim_language::registry::{Entry, Registry};
use serde_json::Value as Json;

use clustersim_testing::program::{Output, Place};

/// The arguments of [`the_program`], as a JSON array.
const WORDS: &str = "CLUSTERSIM_TEST_WORDS";
/// Where the policies note that they were run.
const MADE: &str = "made.txt";

const STUDY: &str = "\
title = \"Failing\"
cluster.nodes = 8
[workload]
kind = \"synthetic\"
jobs = 30
arrivals = { kind = \"exponential\", mean = \"30min\" }
sizes = { kind = \"uniform\", low = 1, high = 8 }
run-times = { kind = \"exponential\", mean = \"1h\" }
[[vary]]
policy = [\"fcfs\", \"forgetful\", \"unlawful\", \"broken\"]
[repeat]
replications = 3
";

/// What a policy does with its first news.
#[derive(Debug)]
struct Wrong(&'static str);

#[async_trait(?Send)]
impl Policy for Wrong {
    fn name(&self) -> &'static str {
        self.0
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        let mut made = OpenOptions::new().append(true).create(true).open(MADE).unwrap();
        made.write_all(format!("{}\n", self.0).as_bytes()).unwrap();
        while let Some(news) = front.news().await {
            match self.0 {
                "unlawful" => {
                    if let Some(SiteEvent::Arrived(job)) = news.into_iter().next() {
                        front.start(job, &[Interval::new(0, 8)], Reason::Head)?;
                    }
                }
                "broken" => panic!("no such thing as a free lunch, \"quoted\",\nin two lines"),
                _ => {}
            }
        }
        Ok(())
    }
}

/// An entry of the table of policies.
const fn entry(
    name: &'static str,
    build: fn(&clustersim_language::registry::Params<'_>) -> Built,
) -> Entry<dyn Policy> {
    Entry { name, about: "fails", source: "", keys: &[], build }
}

type Built = Result<Box<dyn Policy>, clustersim_language::registry::Complaint>;

fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn Policy>("policy", entry("forgetful", |_| Ok(Box::new(Wrong("forgetful")))));
    registry.add::<dyn Policy>("policy", entry("unlawful", |_| Ok(Box::new(Wrong("unlawful")))));
    registry.add::<dyn Policy>("policy", entry("broken", |_| Ok(Box::new(Wrong("broken")))));
    registry
}

#[test]
#[ignore = "the program that the tests here run, and no test"]
fn the_program() {
    let Ok(words) = env::var(WORDS) else { return };
    let words: Vec<String> = serde_json::from_str(&words).unwrap();
    let status = clustersim_cli::status(&registry(), words.into_iter().map(Into::into));
    exit(i32::from(status));
}

/// Runs [`the_program`], which may not write files longer than so many blocks of 512 bytes.
fn run(place: &Place, words: &[&str], blocks: &str) -> Output {
    let words: Vec<&str> = ["clustersim"].iter().chain(words).copied().collect();
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &limited]).arg(env::current_exe().unwrap());
    command.args(["failing_runs::the_program", "--exact", "--ignored", "--nocapture"]);
    place.wait(command.env(WORDS, serde_json::to_string(&words).unwrap()))
}

fn made(place: &Place) -> usize {
    String::from_utf8(place.read(MADE)).unwrap().lines().count()
}

/// What stands in study.json of the failed runs: point, error.
fn failures(place: &Place, directory: &str) -> Vec<(u64, String)> {
    let summary: Json = serde_json::from_slice(&place.read(&format!("{directory}/study.json"))).unwrap();
    let failures = summary["failures"].as_array().unwrap().iter();
    failures.map(|one| (one["point"].as_u64().unwrap(), one["error"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn each_is_told_with_a_command_that_shows_the_same_failure_and_the_others_go_on() {
    let place = Place::new();
    place.file("s.toml", STUDY);
    let all = run(&place, &["run", "s.toml", "-o", "a study", "-j", "1"], "unlimited");
    assert_eq!(all.status, 4, "{}", all.stderr);
    assert!(all.stderr.contains("9 of 12 runs failed"), "{}", all.stderr);
    assert_eq!(made(&place), 9);
    let told = failures(&place, "a study");
    assert_eq!(told.iter().map(|(point, _)| *point).collect::<Vec<_>>(), [1, 1, 1, 2, 2, 2, 3, 3, 3]);
    let rows = String::from_utf8(place.read("a study/results.csv")).unwrap();
    assert_eq!(rows.matches(",done,").count(), 3, "{rows}");
    assert_eq!(rows.matches(",failed,").count(), 9, "{rows}");

    let commands: Vec<&str> =
        all.stderr.lines().filter_map(|line| line.trim().strip_prefix("repeat it: ")).collect();
    assert_eq!(commands.len(), 9, "{}", all.stderr);
    let begins = ["deadlock at", "policy `unlawful`", "a panic, which is a mistake"];
    for ((command, (point, error)), replication) in commands.iter().zip(&told).zip([0, 1, 2].iter().cycle()) {
        let kind = *point as usize - 1;
        assert!(error.contains(begins[kind]), "{error}");
        // as a shell would read it
        let words = Command::new("sh").args(["-c", &format!("printf '%s\\n' {command}")]).output().unwrap();
        let words = String::from_utf8(words.stdout).unwrap();
        let words: Vec<&str> = words.lines().collect();
        let (point, replication) = (point.to_string(), replication.to_string());
        let wanted = ["--point", &point, "--replication", &replication];
        assert_eq!(words[..3], ["clustersim", "run", "a study/scenario.resolved.toml"], "{command}");
        assert_eq!(words[3..], wanted, "{command}");
        let alone = run(&place, &words[1..], "unlimited");
        assert_eq!(alone.status, if kind == 2 { 101 } else { 1 }, "{}", alone.stderr);
        let error = error
            .strip_prefix("a panic, which is a mistake of the simulator or of a policy: ")
            .unwrap_or(error);
        assert!(error.lines().count() > 1 || kind == 1, "{error}");
        for line in error.lines() {
            assert!(alone.stderr.contains(line), "{error}\nis not\n{}", alone.stderr);
        }
    }
}

#[test]
fn a_dry_run_says_which_points_fail_and_goes_on() {
    let place = Place::new();
    place.file("s.toml", STUDY);
    let dry = run(&place, &["run", "s.toml", "--dry-run"], "unlimited");
    assert_eq!(dry.status, 0, "{}", dry.stderr);
    assert!(dry.stdout.contains("by the first run of each point"), "{}", dry.stdout);
    for point in [1, 2, 3] {
        let words = format!("note: replication 0 of point {point} fails: ");
        assert!(dry.stderr.contains(&words), "{}", dry.stderr);
    }
    assert_eq!(place.names("."), [MADE, "s.toml"]);
}

#[test]
fn they_are_runs_like_others_for_threads_interruptions_and_shards() {
    let place = Place::new();
    place.file("s.toml", STUDY);
    assert_eq!(run(&place, &["run", "s.toml", "-o", "whole", "-j", "1"], "unlimited").status, 4);
    assert_eq!(run(&place, &["run", "s.toml", "-o", "two", "-j", "2"], "unlimited").status, 4);
    assert_eq!(
        run(&place, &["sweep", "plan", "s.toml", "-o", "wide", "--shards", "5"], "unlimited").status,
        0
    );
    for index in ["0", "1", "2", "3", "4"] {
        let shard = run(&place, &["sweep", "shard", "wide", "--index", index], "unlimited");
        assert_eq!(
            shard.status, 0,
            "a failed run is a result, and no failure of the shard: {}",
            shard.stderr
        );
    }
    assert_eq!(run(&place, &["sweep", "collect", "wide"], "unlimited").status, 4);

    // the disk is full now and then: a failed run that is in the journal is not made again
    std::fs::remove_file(place.path(MADE)).unwrap();
    let mut sessions = 0;
    loop {
        let session = run(&place, &["run", "s.toml", "-o", "cut", "-j", "1"], "8");
        sessions += 1;
        if sessions > 1 {
            assert!(session.stderr.contains("is continued"), "{}", session.stderr);
        }
        if !session.stderr.contains("parts/part-") {
            break;
        }
        assert!(session.status == 1 && sessions < 12, "{}", session.stderr);
    }
    assert!(sessions > 2, "never interrupted");
    assert_eq!(run(&place, &["run", "s.toml", "-o", "cut", "-j", "1"], "unlimited").status, 4);
    // each session but the last lost at most the run whose row did not fit
    assert!(made(&place) < 9 + sessions, "{} runs in {sessions} sessions", made(&place));

    for name in ["results.csv", "study.json", "report.html", "scenario.toml", "scenario.resolved.toml"] {
        let whole = place.read(&format!("whole/{name}"));
        for other in ["two", "wide", "cut"] {
            assert!(place.read(&format!("{other}/{name}")) == whole, "{other}/{name} differs");
        }
    }
    let again = run(&place, &["run", "s.toml", "-o", "whole"], "unlimited");
    assert!(again.status == 4 && again.stderr.contains("identical"), "{}", again.stderr);
}
