//! `clustersim check`: every shipped policy keeps its promises, and a schedule that was tampered
//! with does not.

use std::fs;

use serde_json::Value as Json;

use clustersim_testing::program::{Output, Place, repository};

const JOBS: &str = "\
title = \"Checked\"
cluster.nodes = 16
[workload]
kind = \"synthetic\"
jobs = 300
load = 0.9
arrivals = { kind = \"exponential\", mean = \"10min\" }
sizes = { kind = \"uniform\", low = 1, high = 16 }
run-times = { kind = \"exponential\", mean = \"1h\" }
";

fn ran(place: &Place, policy: &str) {
    let output =
        place.run(&["run", "jobs.toml", "--policy", policy, "-o", "out", "--force", "--no-progress"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
}

fn states(output: &Output) -> Vec<(String, String)> {
    let json: Json = serde_json::from_str(&output.stdout).unwrap();
    let text = |of: &Json, key: &str| of[key].as_str().unwrap().to_owned();
    let promises = json["promises"].as_array().unwrap().iter();
    promises.map(|promise| (text(promise, "promise"), text(promise, "state"))).collect()
}

#[test]
fn every_policy_keeps_its_promises() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    // how many promises of order each makes that a schedule cannot show; reasons, pictures and what
    // the run alone says come to them
    for (policy, unseen) in [
        ("fcfs", 1),
        ("easy", 1),
        ("sjf", 1),
        ("smallest", 1),
        ("conservative", 1),
        ("largest", 1),
        ("easy-plus-plus", 1),
        ("first-fit", 1),
        ("best-fit", 1),
        ("worst-fit", 1),
        ("gang", 0),
    ] {
        ran(&place, policy);
        let output = place.run(&["check", "out", "--json"]);
        assert_eq!(output.status, 0, "{policy}: {}{}", output.stdout, output.stderr);
        let states = states(&output);
        assert!(states.iter().all(|(_, state)| state != "broken"), "{policy}: {states:?}");
        let not_checked = states.iter().filter(|(_, state)| state == "not-checked").count();
        assert_eq!(not_checked, unseen + 3, "{policy}: {states:?}");
    }
}

/// The state of the promise that is worded so.
fn state_of(place: &Place, words: &str) -> (i32, String) {
    let output = place.run(&["check", "out", "--json"]);
    let states = states(&output);
    let found = states.iter().find(|(promise, _)| promise.contains(words));
    (output.status, found.unwrap_or_else(|| panic!("{words}: {states:?}")).1.clone())
}

/// A run of one policy with the schedule of another.
fn exchanged(place: &Place, policy: &str, schedule: &str) {
    ran_as(place, schedule);
    let other = fs::read(place.path("out/jobs.csv")).unwrap();
    ran_as(place, policy);
    fs::write(place.path("out/jobs.csv"), other).unwrap();
}

fn ran_as(place: &Place, policy: &str) {
    let set = format!("policy={policy}");
    let output = place.run(&["run", "jobs.toml", "--set", &set, "-o", "out", "--force", "--no-progress"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
}

#[test]
fn the_heads_promise_is_looked_at_by_exact_estimates_and_under_other_orders() {
    const SHADOW: &str = "at its first shadow time";
    let place = Place::new();
    // requests are three times the run times
    place.file("jobs.toml", JOBS.to_owned() + "estimates = 3\n");
    for (queue, estimates, extra) in [
        ("fcfs", "exact", ""),
        ("sjf", "exact", ""),
        ("smallest", "requested", ""),
        ("largest", "exact", ", order = \"sjbf\""),
        ("fcfs", "exact", ", extra = \"none\""),
    ] {
        let policy = |options: &str| {
            format!(
                "{{ kind = \"space-sharing\", queue = \"{queue}\", estimates = \"{estimates}\", \
                 backfill = {{ kind = \"easy\"{options} }} }}"
            )
        };
        ran_as(&place, &policy(extra));
        assert_eq!(state_of(&place, SHADOW), (0, "kept".to_owned()), "{queue} {extra}");
        assert_eq!(state_of(&place, "starts once it fits"), (0, "kept".to_owned()), "{queue} {extra}");
        // behind the smallest job all need more than it does, and none can delay it
        if queue == "smallest" {
            continue;
        }
        exchanged(&place, &policy(""), &policy(", extra = \"all\""));
        assert_eq!(state_of(&place, SHADOW), (1, "broken".to_owned()), "{queue}");
        // the options themselves say that the head may be delayed
        ran_as(&place, &policy(", extra = \"all\""));
        assert_eq!(state_of(&place, SHADOW), (0, "not-checked".to_owned()), "{queue}");
    }
}

#[test]
fn an_order_by_time_or_size_is_held_against_schedules_of_another() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    for (policy, schedule) in [("sjf", "fcfs"), ("smallest", "largest"), ("largest", "sjf"), ("fcfs", "sjf")]
    {
        exchanged(&place, &format!("\"{policy}\""), &format!("\"{schedule}\""));
        assert_eq!(state_of(&place, "nothing overtakes"), (1, "broken".to_owned()), "{policy}");
    }
}

#[test]
fn a_head_that_starts_late_is_found_under_plain_first_come_first_served() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    ran(&place, "fcfs");
    let csv = fs::read_to_string(place.path("out/jobs.csv")).unwrap();
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = |name: &str| head.iter().position(|column| *column == name).unwrap();
    // the job that is submitted last waits for an hour more
    let (name, submitted) = (column("job_id"), "300");
    let later: Vec<String> = csv
        .lines()
        .map(|line| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if cells[name] == submitted {
                for cell in ["starting_time", "finish_time"].map(column) {
                    let (whole, rest) =
                        cells[cell].split_once('.').map_or((&*cells[cell], "0"), |parts| parts);
                    cells[cell] = format!("{}.{rest}", whole.parse::<u64>().unwrap() + 3600);
                }
            }
            cells.join(",")
        })
        .collect();
    fs::write(place.path("out/jobs.csv"), later.join("\n")).unwrap();
    assert_eq!(state_of(&place, "nothing overtakes"), (1, "kept".to_owned()));
    assert_eq!(state_of(&place, "starts once it fits"), (1, "broken".to_owned()));
}

#[test]
fn jobs_that_outlast_their_estimates_end_promises() {
    let place = Place::new();
    let line = |(number, submit, run, asked): (u32, u32, u32, u32)| {
        format!("{number} {submit} -1 {run} 2 -1 -1 2 {asked} -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    };
    let log: String = [(1, 0, 90, 30), (2, 1, 20, 20), (3, 2, 20, 20)].map(line).concat();
    place.file("log.swf", format!("; MaxProcs: 3\n{log}")).file(
        "jobs.toml",
        "title = \"Late\"\nworkload = { kind = \"swf\", file = \"log.swf\", estimate-floor = \"none\" }\n\
         policy = \"easy\"\n",
    );
    // they are judged up to then, and anew once such a job has ended
    for (policy, words) in [("easy", "shadow time"), ("conservative", "when it was submitted")] {
        ran(&place, policy);
        assert_eq!(state_of(&place, words), (0, "kept".to_owned()), "{policy}");
    }
}

#[test]
fn limits_priorities_and_decisions_after_each_event_are_judged() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    for (policy, words, why) in [
        ("{ kind = \"easy\", queues = [{ name = \"all\", max-running = 3 }] }", "starts once it fits", ""),
        ("{ kind = \"easy\", queues = [{ name = \"all\", max-running = 3 }] }", "exceeds its limits", ""),
        ("{ kind = \"easy\", queue = \"priority\" }", "starts once it fits", ""),
        ("{ kind = \"conservative\", queue = \"sjf\" }", "when it was submitted", ""),
        ("{ kind = \"sjf\", decide = \"event\" }", "nothing overtakes", ""),
        ("\"fcfs\"", "allocation chooses", "in which order jobs started"),
    ] {
        ran_as(&place, policy);
        let output = place.run(&["check", "out"]);
        assert_eq!(output.status, 0, "{policy}: {}", output.stdout);
        let line = output.stdout.lines().find(|line| line.contains(words));
        let line = line.unwrap_or_else(|| panic!("{policy}: {}", output.stdout));
        let state = if why.is_empty() { " kept " } else { " not checked " };
        assert!(line.starts_with(state) && line.contains(why), "{policy}: {line}");
    }
}

#[test]
fn a_schedule_of_another_policy_breaks_what_this_one_promises() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    ran(&place, "easy");
    let overtaken = fs::read(place.path("out/jobs.csv")).unwrap();
    ran(&place, "fcfs");
    fs::write(place.path("out/jobs.csv"), overtaken).unwrap();
    let output = place.run(&["check", "out"]);
    assert_eq!(output.status, 1);
    assert!(output.stdout.contains(" BROKEN       nothing overtakes\n"), "{}", output.stdout);
    assert!(output.stdout.contains("it starts before a job submitted earlier"), "{}", output.stdout);
    assert!(output.stdout.contains(" BROKEN       files are as the run wrote them\n"), "{}", output.stdout);
    assert!(output.stdout.contains("jobs.csv was changed after the run"), "{}", output.stdout);
    assert!(output.stderr.contains("the schedule breaks "), "{}", output.stderr);
}

#[test]
fn a_job_that_was_taken_out_is_missed() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    ran(&place, "easy");
    let csv = fs::read_to_string(place.path("out/jobs.csv")).unwrap();
    let kept: Vec<&str> =
        csv.lines().enumerate().filter(|(line, _)| *line != 100).map(|(_, line)| line).collect();
    fs::write(place.path("out/jobs.csv"), kept.join("\n")).unwrap();
    let output = place.run(&["check", "out", "--json"]);
    let states = states(&output);
    assert_eq!(output.status, 1);
    assert!(states[1].0.contains("none lost") && states[1].1 == "broken", "{states:?}");
}

#[test]
fn a_run_that_was_stopped_is_checked_as_far_as_it_went() {
    let place = Place::new();
    place.file("jobs.toml", JOBS.to_owned() + "[run]\nuntil = \"10h\"\n");
    ran(&place, "fcfs");
    let output = place.run(&["check", "out", "--json"]);
    let states = states(&output);
    assert!(output.status == 0 && states.iter().all(|(_, state)| state != "broken"), "{states:?}");
    for words in ["none lost", "nothing overtakes", "starts once it fits", "utilization, loss-of-capacity"] {
        let found = states.iter().find(|(promise, _)| promise.contains(words));
        assert_eq!(found.map(|(_, state)| &**state), Some("not-checked"), "{words}: {states:?}");
    }
    for words in ["for its run time", "no processor is held", "every number of summary.json"] {
        let found = states.iter().find(|(promise, _)| promise.contains(words));
        assert_eq!(found.map(|(_, state)| &**state), Some("kept"), "{words}: {states:?}");
    }
}

#[test]
fn runs_of_agents_and_flows_are_judged_by_their_files() {
    let place = Place::new();
    for scenario in ["scenarios/agents.toml", "scenarios/given-flows.toml"] {
        let file = repository(scenario);
        let words = [
            "run",
            file.to_str().unwrap(),
            "--set",
            "record.operations=true",
            "-o",
            "agents",
            "--force",
            "-q",
        ];
        assert_eq!(place.run(&words).status, 0, "{scenario}");
        let output = place.run(&["check", "agents"]);
        assert_eq!(output.status, 0, "{scenario}\n{}{}", output.stdout, output.stderr);
        assert!(output.stdout.contains("kept") && !output.stdout.contains("BROKEN"), "{}", output.stdout);
    }
    // a task that ended earlier is found
    let place = Place::new();
    let file = repository("scenarios/agents.toml");
    assert_eq!(place.run(&["run", file.to_str().unwrap(), "-o", "agents", "-q"]).status, 0);
    let tasks = String::from_utf8(place.read("agents/tasks.csv")).unwrap();
    let (head, last) = tasks.trim_end().rsplit_once('\n').unwrap();
    place.file(
        "agents/tasks.csv",
        format!("{}\n{}\n{}", head.lines().next().unwrap(), last, head.split_once('\n').unwrap().1),
    );
    let output = place.run(&["check", "agents"]);
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("BROKEN"), "{}", output.stdout);
}

#[test]
fn what_holds_no_schedule_is_refused() {
    let place = Place::new();
    place.file("jobs.toml", JOBS);
    let nothing = place.run(&["check", "."]);
    assert_eq!(nothing.status, 2);
    assert!(nothing.stderr.contains(". holds no finished run or study"), "{}", nothing.stderr);
    ran(&place, "fcfs");
    place.file("out/jobs.csv", "a,b\n");
    let torn = place.run(&["check", "out"]);
    assert_eq!(torn.status, 2);
    assert!(
        torn.stderr.contains("jobs.csv, line 1, column 1: the first line names no column `job_id`"),
        "{}",
        torn.stderr
    );
    assert!(torn.stderr.contains("jobs.csv was changed after the run"), "{}", torn.stderr);
    fs::remove_file(place.path("out/jobs.csv")).unwrap();
    assert_eq!(place.run(&["check", "out"]).status, 2);
    let study = place.run(&["run", "jobs.toml", "--replications", "2", "-o", "study", "--no-progress"]);
    assert_eq!(study.status, 0, "{}", study.stderr);
    let refused = place.run(&["check", "study"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("a study keeps no schedules"), "{}", refused.stderr);
}
