//! What a run says of its own trustworthiness: whether anything was drawn, half-widths, warm-up,
//! warnings; and what makes a log random.

use std::path::Path;

use clustersim::system::standard;
use clustersim_cluster::system::{Finished, build, workload};
use clustersim_experiment::report::{figures, summary, terminal};
use clustersim_experiment::scenario::{Override, Scenario, check, from_text};
use clustersim_kernel::stats::WarmUp;

use clustersim_testing::program::{Place, repository};

/// M/M/1 at load 0.5, long enough for everything.
const QUEUE: &str = "\
title = \"A queue\"
cluster.nodes = 1

[workload]
kind = \"synthetic\"
jobs = 5000
arrivals = { kind = \"exponential\", mean = \"2min\" }
sizes = 1
run-times = { kind = \"exponential\", mean = \"1min\" }
";

fn run(text: &str, base: &Path, set: &[&str], replication: u64) -> (Scenario, Finished) {
    let registry = standard();
    let overrides: Vec<Override> = set.iter().map(|set| Override::set(set)).collect();
    let scenario = check(&registry, from_text("test.toml", text.to_owned(), base, &overrides)).unwrap();
    let source = workload(&registry, &scenario).unwrap();
    let experiment = build(&registry, &scenario.with_replication(replication), source.as_ref()).unwrap();
    let finished = experiment.run(&clustersim_experiment::scenario::Session::default()).unwrap();
    (scenario, finished)
}

fn queue(set: &[&str], replication: u64) -> (Scenario, Finished) {
    run(QUEUE, Path::new(""), set, replication)
}

/// Four weeks of a real log, with these settings.
fn log(set: &[&str], replication: u64) -> Finished {
    let text = "title = \"A log\"\n[workload]\nkind = \"swf\"\n\
                file = \"scenarios/data/KTH-SP2-1996-2.1-cln-4-weeks.swf.gz\"\n";
    run(text, &repository(""), set, replication).1
}

#[test]
fn a_random_run_has_half_widths_and_a_fixed_one_says_that_it_has_none() {
    let (scenario, finished) = queue(&[], 0);
    assert!(finished.figures.drew);
    let json = summary::summary(&scenario, &finished.figures);
    assert_eq!(json["interval"], "batch-means");
    let wait = &json["metrics"]["wait-time.mean"];
    // M/M/1 at load 0.5 waits a minute in the mean
    let (mean, half_width) = (wait["value"].as_f64().unwrap(), wait["half-width"].as_f64().unwrap());
    assert!((mean - 60.0).abs() < 2.0 * half_width && half_width < 20.0, "{mean} ± {half_width}");
    assert!(json["metrics"]["wait-time.median"]["half-width"].is_null());
    let text = terminal::text(&scenario, &finished, None);
    assert!(text.contains(" ±: half-width of the mean at 95 %, by batch means"), "{text}");

    let (scenario, fixed) =
        queue(&["workload.arrivals='2min'", "workload.run-times='1min'", "workload.jobs=100"], 0);
    assert!(!fixed.figures.drew && fixed.figures.half_widths.is_empty());
    let json = summary::summary(&scenario, &fixed.figures);
    assert_eq!((&json["interval"], &json["drew"]), (&"none".into(), &false.into()));
    assert!(terminal::text(&scenario, &fixed, None).contains(" no interval: nothing random was drawn\n"));
}

#[test]
fn replications_of_a_random_run_differ_and_those_of_a_log_do_not() {
    let digest = |replication| queue(&["workload.jobs=100"], replication).1.outcomes.digest;
    assert_eq!(digest(0), digest(0));
    assert_ne!(digest(0), digest(1));
    let (one, other) = (log(&[], 0), log(&[], 1));
    assert!(!one.figures.drew);
    assert_eq!(one.outcomes.digest, other.outcomes.digest);
}

#[test]
fn a_log_made_random_is_another_log_in_every_replication() {
    let fixed = log(&[], 0);
    for set in ["workload.randomize='weeks'", "workload.randomize={ kind = 'jitter', by = '10min' }"] {
        let (one, again, other) = (log(&[set], 0), log(&[set], 0), log(&[set], 1));
        assert!(one.figures.drew, "{set}");
        assert_eq!(one.outcomes.digest, again.outcomes.digest, "{set}");
        assert_ne!(one.outcomes.digest, other.outcomes.digest, "{set}");
        assert_ne!(one.outcomes.digest, fixed.outcomes.digest, "{set}");
    }
    let jobs = &log(&["workload.randomize='weeks'"], 0).outcomes.jobs;
    for (number, job) in (1..).zip(jobs.iter()) {
        assert_eq!(job.number, number);
        let same = |old: &&clustersim_jobs::workload::Job| {
            (old.user, old.group, old.procs, old.run_time, old.estimate)
                == (job.user, job.group, job.procs, job.run_time, job.estimate)
        };
        assert!(fixed.outcomes.jobs.iter().any(|old| same(&old)), "job {number} is in no week of the log");
    }
}

#[test]
fn a_log_made_random_meets_the_load_it_is_scaled_to() {
    use clustersim_jobs::workload::load::offered;
    for replication in 0..3 {
        let finished = log(&["workload.randomize='weeks'", "workload.load=0.9"], replication);
        let load = offered(finished.outcomes.jobs.iter(), 100).unwrap();
        assert!((load - 0.9).abs() < 1e-6, "{load}");
    }
}

#[test]
fn mser_5_finds_the_warm_up_and_tells_it() {
    let (scenario, finished) = queue(&["run.warm-up='mser-5'"], 0);
    assert_eq!(finished.figures.cut.unwrap().found, Some(true));
    let jobs = finished.figures.cut.unwrap().jobs;
    assert_eq!(finished.outcomes.setting.warm_up, if jobs == 0 { WarmUp::None } else { WarmUp::Count(jobs) });
    assert_eq!(finished.outcomes.run().observed().count() as u64, 5000 - jobs);
    let text = terminal::text(&scenario, &finished, None);
    assert!(text.contains(&format!(" warm-up: the first {jobs} jobs left out (MSER-5)")), "{text}");

    // twice as much comes as can be served: waits grow to the end
    let (scenario, growing) = queue(&["run.warm-up='mser-5'", "workload.load=2"], 0);
    assert_eq!((growing.figures.cut.unwrap().found, growing.figures.cut.unwrap().jobs), (Some(false), 0));
    let json = summary::summary(&scenario, &growing.figures);
    assert_eq!(json["warm-up"], serde_json::json!({ "jobs": 0, "found": false }));
    let codes: Vec<&str> = json["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes[..2], ["saturated", "warm-up-not-over"]);
    let text = terminal::text(&scenario, &growing, None);
    assert!(text.contains(" warm-up: no end found (MSER-5), nothing left out\n"), "{text}");
    let doubts = figures::doubts(&growing.figures);
    assert!(doubts.starts_with("\n warning: saturated: "), "{doubts}");
}

#[test]
fn a_steady_queue_is_told_without_a_warning_of_saturation() {
    for seed in ["seed=1", "seed=2", "seed=3"] {
        let (_, finished) = queue(&[seed, "run.warm-up=500"], 0);
        assert_eq!(finished.figures.cut.unwrap().jobs, 500);
        assert!(!finished.signs.saturated, "{seed}");
    }
}

#[test]
fn what_cannot_be_randomized_or_is_no_warm_up_is_told_at_its_place() {
    let place = Place::new();
    place.file("log.swf", "1 0 -1 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n");
    let swf = |extra: &str| {
        format!("title = \"x\"\ncluster.nodes = 4\n{extra}\nkind = \"swf\"\nfile = \"log.swf\"\n")
    };
    place.file("short.toml", swf("[workload]\nrandomize = \"weeks\""));
    let told = place.run(&["run", "short.toml"]);
    assert_eq!(told.status, 2, "{}", told.stderr);
    assert!(told.stderr.contains("two or more whole ones, and the log has 0"), "{}", told.stderr);
    assert!(told.stderr.contains("short.toml:4"), "{}", told.stderr);

    place.file("word.toml", swf("[run]\nwarm-up = \"mser5\"\n[workload]"));
    let told = place.run(&["validate", "word.toml"]);
    assert_eq!(told.status, 2, "{}", told.stderr);
    assert!(told.stderr.contains("did you mean `mser-5`?"), "{}", told.stderr);
}
