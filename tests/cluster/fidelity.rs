//! `clustersim fidelity`: figures by hand, by a plain second computation from jobs.csv, and what is
//! refused.

use std::fs;

use serde_json::Value as Json;

use clustersim_testing::program::{Place, repository};

/// Four jobs on a machine whose header says more than was ever in use; the third was kept back.
const LOG: &str = "; MaxProcs: 8
; Queue: 1 short
; Queue: 2 long
1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1
2 10 90 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1
3 20 480 50 2 -1 -1 2 200 -1 1 2 2 1 2 1 -1 -1
4 30 170 100 2 -1 -1 2 200 -1 1 2 2 1 1 1 -1 -1
";

fn account(place: &Place, arguments: &[&str]) -> Json {
    let all: Vec<&str> =
        ["fidelity"].iter().chain(arguments).chain(&["--json", "--no-progress"]).copied().collect();
    let output = place.run(&all);
    assert_eq!(output.status, 0, "{arguments:?}: {}", output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

fn figure(jobs: &Json, name: &str) -> f64 {
    jobs["figures"][name]["value"].as_f64().unwrap_or(f64::NAN)
}

fn is(jobs: &Json, name: &str, expected: f64) {
    let value = figure(jobs, name);
    assert!((value - expected).abs() < 1e-9, "{name}: {value}, not {expected}");
}

#[test]
fn four_jobs_by_hand_on_the_machine_of_the_recorded_peak() {
    let place = Place::new();
    place.file("log.swf", LOG);
    let found = account(&place, &["log.swf", "--policy", "fcfs", "--edge", "0s"]);
    let (machine, jobs) = (&found["machine"], &found["jobs"]);
    assert_eq!((machine["processors"].as_u64(), machine["scenario"].as_u64()), (Some(4), Some(8)));
    // starts 0, 100, 200, 200 on four processors; recorded are 0, 100, 500, 200
    assert_eq!(jobs["jobs"], 4);
    is(jobs, "recorded.mean", 740.0 / 4.0);
    is(jobs, "simulated.mean", 440.0 / 4.0);
    is(jobs, "simulated.p50", 90.0);
    is(jobs, "recorded.p99", 480.0);
    is(jobs, "ratio-of-means", 440.0 / 740.0);
    is(jobs, "within-time", 1.0);
    is(jobs, "within-factor", 0.75);
    is(jobs, "error.mean", 75.0);
    // five of six pairs in order, one tied in the simulation
    is(jobs, "kendall-tau", 5.0 / 30.0_f64.sqrt());
    let queues = found["by"]["queue"].as_array().unwrap();
    let names: Vec<(&str, u64)> =
        queues.iter().map(|one| (one["name"].as_str().unwrap(), one["jobs"].as_u64().unwrap())).collect();
    assert_eq!(names, [("short", 3), ("long", 1)]);
    assert_eq!(queues[1]["error-share"], 1.0);
    // on the eight of the header the second job need not wait
    let set = "fidelity.machine=scenario";
    let found = account(&place, &["log.swf", "--policy", "fcfs", "--edge", "0s", "--set", set]);
    is(&found["jobs"], "simulated.mean", 150.0 / 4.0);
    assert_eq!(found["machine"]["processors"], 8);
}

/// The dump of the page on one's own log, and a scenario of it.
fn dump(place: &Place) {
    let page = fs::read_to_string(repository("docs/own-log.md")).unwrap();
    let block = page.split("cat > dump.txt <<'END'\n").nth(1).unwrap().split("END\n").next().unwrap();
    place.file("dump.txt", block);
    let scenario = "title = \"Ours\"\n[cluster]\nprocs = 128\n[workload]\nkind = \"slurm\"\nfile = \"dump.txt\"\n\
                    [fidelity]\nedge = \"0s\"\n";
    place.file("ours.toml", scenario);
}

#[test]
fn waits_count_from_eligible_and_held_jobs_can_start_as_recorded() {
    let place = Place::new();
    dump(&place);
    let found = account(&place, &["ours.toml"]);
    let jobs = &found["jobs"];
    assert_eq!((jobs["jobs"].as_u64(), found["machine"]["recorded-peak"].as_u64()), (Some(5), Some(128)));
    // 10 s, 55 min 10 s, 5 s, 1805 s from eligible, 1 h 40 min 10 s
    is(jobs, "recorded.mean", (10.0 + 3310.0 + 5.0 + 1805.0 + 6010.0) / 5.0);
    let causes = found["error"].as_array().unwrap();
    let held = causes.iter().find(|one| one["cause"] == "held").unwrap();
    assert_eq!((held["jobs"].as_u64(), causes[4]["cause"].as_str()), (Some(1), Some("none")));
    let found = account(&place, &["ours.toml", "--without", "held"]);
    let without = &found["without"];
    assert_eq!(
        (without["started-as-recorded"].as_u64(), without["causes"][0].as_str()),
        (Some(1), Some("held"))
    );
    assert_eq!(without["others-after"]["jobs"], 4);
    // the first run is the same with and without a second one
    assert_eq!(found["jobs"], *jobs);
}

#[test]
fn a_job_that_starts_as_recorded_takes_its_processors_then_and_not_before() {
    let place = Place::new();
    let at = |secs: u64| format!("2026-03-01T08:{:02}:{:02}", secs / 60, secs % 60);
    let record = |number: u64, submit: u64, eligible: u64, start: u64, run: u64| {
        let [submit, eligible, start, end] = [submit, eligible, start, start + run].map(at);
        format!("{number}|{submit}|{eligible}|{start}|{end}|{run}|00:30:00|COMPLETED|4\n")
    };
    let head = "JobID|Submit|Eligible|Start|End|ElapsedRaw|Timelimit|State|AllocCPUS\n";
    // the second was held until 100, and started at 200; the third had to wait for it
    let dump =
        [head.to_owned(), record(1, 0, 0, 0, 100), record(2, 0, 100, 200, 100), record(3, 10, 10, 300, 50)];
    place.file("dump.txt", dump.concat());
    place.file(
        "held.toml",
        "title = \"Held\"\ncluster.procs = 4\npolicy = \"fcfs\"\n[workload]\nkind = \"slurm\"\nfile = \"dump.txt\"\n",
    );
    let found = account(&place, &["held.toml", "--edge", "0s", "--without", "held"]);
    // simulated starts 0, 100, 200: waits 0, 0 from eligible, 190
    is(&found["jobs"], "simulated.mean", 190.0 / 3.0);
    is(&found["jobs"], "recorded.mean", (100.0 + 290.0) / 3.0);
    let [before, after] = ["others-before", "others-after"].map(|name| &found["without"][name]);
    is(before, "simulated.mean", 190.0 / 2.0);
    // the second has its processors from 200 to 300, and nobody knew it at 100
    is(after, "simulated.mean", 90.0 / 2.0);
    // of the error of 100 + 100 it carries half
    assert_eq!(found["error"][0]["error-share"], 0.5);
}

/// Jobs of eleven weeks, of which every seventh starts later than any policy would let it.
fn many() -> String {
    let mut log = String::from("; MaxProcs: 16\n");
    for number in 1..=700_u64 {
        let (submit, procs) = (number * 9000 + number * number % 4000, 1 + number * 7 % 12);
        let run = 2000 + number * 977 % 9000;
        let wait = number * 331 % 900 + if number % 7 == 0 { 5000 } else { 0 };
        let (user, queue) = (number % 5, number % 3);
        let line = format!(
            "{number} {submit} {wait} {run} {procs} -1 -1 {procs} {} -1 1 {user} {} -1 {queue} 1 -1 -1\n",
            run * 2,
            user % 2
        );
        log.push_str(&line);
    }
    log
}

#[test]
fn figures_are_those_of_the_rows_of_the_same_run() {
    let place = Place::new();
    place.file("log.swf", many());
    let found = account(&place, &["log.swf"]);
    let procs = found["machine"]["processors"].as_u64().unwrap().to_string();
    let output = place.run(&["run", "log.swf", "--procs", &procs, "-o", "out", "--no-progress", "-q"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let text = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let (number, submitted, waits) = (column("job_id"), column("submission_time"), column("waiting_time"));
    let recorded: Vec<f64> =
        many().lines().skip(1).map(|line| line.split(' ').nth(2).unwrap().parse().unwrap()).collect();
    let rows: Vec<(f64, f64, f64)> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let at = |place: usize| cells[place].parse::<f64>().unwrap();
            (at(submitted), recorded[at(number) as usize - 1], at(waits))
        })
        .collect();
    let (week, last) = (7.0 * 86_400.0, rows.iter().map(|row| row.0).fold(0.0, f64::max));
    let kept: Vec<&(f64, f64, f64)> =
        rows.iter().filter(|row| row.0 >= week && row.0 <= last - week).collect();
    let count = kept.len() as f64;
    assert_eq!(found["jobs"]["jobs"].as_f64(), Some(count));
    assert_eq!(found["not-compared"]["in-edges"].as_u64(), Some((rows.len() - kept.len()) as u64));
    let share = |holds: &dyn Fn(f64, f64) -> bool| {
        kept.iter().filter(|(_, one, other)| holds(*one, *other)).count() as f64 / count
    };
    let jobs = &found["jobs"];
    is(jobs, "within-time", share(&|one, other| (one - other).abs() <= 600.0));
    is(jobs, "within-factor", share(&|one, other| one.max(other) <= 2.0 * one.min(other)));
    let sum = |of: &dyn Fn(&(f64, f64, f64)) -> f64| kept.iter().map(|row| of(row)).sum::<f64>();
    is(jobs, "ratio-of-means", sum(&|row| row.2) / sum(&|row| row.1));
    is(jobs, "error.mean", sum(&|row| (row.1 - row.2).abs()) / count);
    let mut sorted: Vec<f64> = kept.iter().map(|row| row.2).collect();
    sorted.sort_by(f64::total_cmp);
    is(jobs, "simulated.p90", sorted[(kept.len() * 90).div_ceil(100) - 1]);
    // every pair of jobs of the same week
    let (mut balance, mut first, mut second) = (0.0, 0.0, 0.0);
    for (place, one) in kept.iter().enumerate() {
        for other in kept[..place].iter().filter(|other| (one.0 / week) as u64 == (other.0 / week) as u64) {
            let order = |one: f64, other: f64| f64::from(i8::from(one > other) - i8::from(one < other));
            let (a, b) = (order(one.0 + one.1, other.0 + other.1), order(one.0 + one.2, other.0 + other.2));
            balance += a * b;
            first += a * a;
            second += b * b;
        }
    }
    is(jobs, "kendall-tau", balance / (first * second).sqrt());
    let ends = jobs["figures"]["error.mean"]["interval"].as_array().unwrap();
    let mean = figure(jobs, "error.mean");
    assert!(ends[0].as_f64().unwrap() < mean && mean < ends[1].as_f64().unwrap(), "{ends:?}");
    // eight weeks at least
    let fewer = account(&place, &["log.swf", "--edge", "20d"]);
    assert!(fewer["jobs"]["figures"]["error.mean"]["interval"].is_null());
    let again = place.run(&["fidelity", "log.swf", "--json", "--no-progress"]);
    let once = place.run(&["fidelity", "log.swf", "--json", "--no-progress"]);
    assert_eq!(once.stdout, again.stdout);
}

#[test]
fn the_text_has_eighty_columns_and_the_page_is_one_file() {
    let place = Place::new();
    place.file("log.swf", many());
    dump(&place);
    for arguments in [&["log.swf"][..], &["ours.toml", "--without", "held,left-out"][..]] {
        let all: Vec<&str> = ["fidelity", "--no-progress"].iter().chain(arguments).copied().collect();
        let output = place.run(&all);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let wide = output.stdout.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{}", output.stdout);
        assert!(output.stdout.contains("who carries the error") && output.stdout.contains(" all of it: "));
    }
    let output = place.run(&["fidelity", "log.swf", "-o", "page.html", "--no-progress"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert!(page.contains("clustersim/fidelity/1") && !page.contains("https://"));
    let output = place.run(&["fidelity", "log.swf", "-o", "page.html", "--no-progress"]);
    assert_eq!(output.status, 2, "it is there already");
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_reason() {
    let place = Place::new();
    place.file("log.swf", LOG);
    place.file(
        "unknown.swf",
        LOG.replace(" 0 100 4", " -1 100 4")
            .replace(" 90 ", " -1 ")
            .replace(" 480 ", " -1 ")
            .replace(" 170 ", " -1 "),
    );
    dump(&place);
    let narrow = "fidelity.usable.within-time=0.9";
    let cases: [(&[&str], &str); 9] = [
        (&["unknown.swf", "--edge", "0s"], "no wait of this workload is recorded"),
        (&["log.swf"], "no job is left between edges"),
        (&["log.swf", "--edge", "soon"], "soon"),
        (&["log.swf", "--edge", "0s", "--set", narrow], "would not be `usable`"),
        (&["log.swf", "--edge", "0s", "--set", "workload.randomize=weeks"], "with `randomize`"),
        (&["log.swf", "--edge", "0s", "--set", "workload.load=0.9"], "with `load`"),
        (
            &["log.swf", "--edge", "0s", "--without", "held"],
            "no job of this workload is to start as recorded",
        ),
        (&["ours.toml", "--without", "held", "--policy", "gang"], "no job can start as recorded"),
        (&["ours.toml", "--without", "bad-luck"], "tried-again"),
    ];
    for (arguments, expected) in cases {
        let all: Vec<&str> = ["fidelity"].iter().chain(arguments).copied().collect();
        let output = place.run(&all);
        assert_eq!(output.status, 2, "{arguments:?}: {}{}", output.stdout, output.stderr);
        assert!(output.stderr.contains(expected), "{arguments:?}: {}", output.stderr);
    }
}
