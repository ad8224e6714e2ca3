//! A shipped scenario of task graphs judged by its files.

use clustersim_testing::program::{Place, repository};

#[test]
fn a_run_on_a_loaded_grid_keeps_every_promise_and_is_the_same_twice() {
    let place = Place::new();
    let scenario = repository("scenarios/task-graph.toml");
    let scenario = scenario.to_str().unwrap();
    for scheduler in ["dcp-dagsim", "dls-dagsim", "heft", "peft", "etf", "self-scheduling"] {
        let set = format!("scheduler=\"{scheduler}\"");
        let run = |out: &str| {
            let args = ["run", scenario, "--set", &set, "-o", out];
            let done = place.run(&args);
            assert!(done.status == 0, "{scheduler}: {}", done.stderr);
        };
        run(scheduler);
        let judged = place.run(&["check", scheduler]);
        assert!(judged.status == 0, "{scheduler}: {}", judged.stdout);
        let again = format!("{scheduler}-again");
        run(&again);
        for file in ["tasks.csv", "transfers.csv", "plans.csv", "summary.json", "report.html"] {
            let [one, other] = [scheduler, &*again].map(|run| place.read(&format!("{run}/{file}")));
            assert!(one == other, "{scheduler}: {file} differs");
        }
    }
}

#[test]
fn a_given_plan_that_does_not_fit_is_refused_before_the_run() {
    let place = Place::new();
    let scenario = repository("scenarios/task-graph.toml");
    place.file("plan.json", "[\n  {\"task\": \"t99\", \"host\": \"grid-0\"}\n]\n");
    let plan = place.path("plan.json");
    let set = format!("scheduler={{kind=\"fixed\",file=\"{}\"}}", plan.display());
    let done = place.run(&["run", scenario.to_str().unwrap(), "--set", &set, "-o", "results"]);
    assert_eq!(done.status, 2, "{}", done.stderr);
    assert!(done.stderr.contains("there is no task `t99`"), "{}", done.stderr);
    assert!(done.stderr.contains("plan.json:2:12"), "{}", done.stderr);
    assert!(done.stderr.contains("20 tasks are left out: `t1`, `t2`"), "{}", done.stderr);
    assert!(!place.path("results").exists() && !place.path("results.partial").exists());
}

/// The text of a file of a run.
fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(name)).unwrap()
}

/// The rows of a table of a run, without its head.
fn rows(place: &Place, name: &str) -> Vec<Vec<String>> {
    text(place, name).lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Runs the shipped scenario with these settings.
fn run(place: &Place, out: &str, sets: &[&str]) {
    let scenario = repository("scenarios/task-graph.toml");
    let mut arguments = vec!["run", scenario.to_str().unwrap(), "-q", "-o", out];
    arguments.extend(sets.iter().flat_map(|set| ["--set", *set]));
    let done = place.run(&arguments);
    assert_eq!(done.status, 0, "{}", done.stderr);
}

#[test]
fn jobs_csv_has_a_row_for_each_task_in_batsims_columns() {
    let place = Place::new();
    run(&place, "out", &[]);
    let head = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,\
                final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
                allocated_resources,consumed_energy,metadata";
    assert_eq!(text(&place, "out/jobs.csv").lines().next(), Some(head));
    let (jobs, tasks) = (rows(&place, "out/jobs.csv"), rows(&place, "out/tasks.csv"));
    assert_eq!(jobs.len(), tasks.len());
    let secs = |text: &str| text.parse::<f64>().unwrap();
    assert!(jobs.windows(2).all(|pair| secs(&pair[0][10]) <= secs(&pair[1][10])));
    for job in &jobs {
        let task = &tasks[job[0].parse::<usize>().unwrap()];
        assert_eq!([&job[2], &job[8], &job[10]], [&task[0], &task[7], &task[8]]);
        assert_eq!(job[14], task[2].trim_start_matches("grid-"), "a host of one core each");
        assert_eq!([&*job[4], &*job[6], &*job[7], &*job[15]], ["1", "1", "COMPLETED_SUCCESSFULLY", "-1"]);
        let sum = |one: usize, other: usize| secs(&job[one]) + secs(&job[other]);
        assert!((sum(3, 11) - secs(&job[8])).abs() < 1e-6 && (sum(8, 9) - secs(&job[10])).abs() < 1e-6);
        assert!((secs(&job[13]) * secs(&job[9]) - secs(&job[12])).abs() < 1e-3 * secs(&job[12]), "{job:?}");
    }
    // two runs are compared by it
    run(&place, "other", &["scheduler=\"random\""]);
    let compared = place.run(&["compare", "out", "other"]);
    assert_eq!(compared.status, 0, "{}", compared.stderr);
    assert!(compared.stdout.contains("20 tasks started"), "{}", compared.stdout);
    assert!(compared.stdout.contains("first difference at"), "{}", compared.stdout);
}

#[test]
fn without_the_drawn_loads_durations_are_not_judged_and_with_them_faults_are_found() {
    let place = Place::new();
    let links = "platform.cluster.grid.link-load={kind=\"uniform\",low=0,high=0.5,every=\"20s\"}";
    let (computed, carried) =
        ("tasks compute for as long as their work takes", "transfers take as long as latency");
    let line = |judged: &str, promise: &str| {
        judged.lines().find(|line| line.contains(promise)).expect(promise).to_owned()
    };
    run(&place, "without", &[links]);
    let judged = place.run(&["check", "without"]);
    assert_eq!(judged.status, 0, "{}", judged.stdout);
    for promise in [computed, carried] {
        let line = line(&judged.stdout, promise);
        assert!(line.contains("no loads.csv (record.loads)"), "{line}");
    }
    // hosts and links that change, and hosts whose load is drawn once
    for (out, more) in [
        ("changing", &[links][..]),
        ("once", &["platform.cluster.grid.load={kind=\"uniform\",low=0,high=0.5}"]),
    ] {
        run(&place, out, &[&["record.loads=true"], more].concat());
        let judged = place.run(&["check", out]);
        assert_eq!(judged.status, 0, "{}", judged.stdout);
        assert!(!judged.stdout.contains("no loads.csv"), "{}", judged.stdout);
    }
    for (kind, promise) in [("host", computed), ("link", carried)] {
        run(&place, kind, &[links, "record.loads=true"]);
        let loads = text(&place, &format!("{kind}/loads.csv"));
        let halved = loads.lines().map(|line| match line.rsplit_once(',') {
            Some((head, value)) if line.starts_with(kind) => {
                format!("{head},{}\n", value.parse::<f64>().unwrap() / 2.0)
            }
            _ => format!("{line}\n"),
        });
        place.file(&format!("{kind}/loads.csv"), halved.collect::<String>());
        let judged = place.run(&["check", kind]);
        assert_ne!(judged.status, 0, "{}", judged.stdout);
        assert!(line(&judged.stdout, promise).starts_with(" BROKEN"), "{}", judged.stdout);
    }
}

#[test]
fn hosts_are_billed_in_quanta_and_deadlines_are_met_or_not() {
    let place = Place::new();
    let metric = |out: &str, name: &str| -> serde_json::Value {
        let summary: serde_json::Value =
            serde_json::from_str(&text(&place, &format!("{out}/summary.json"))).unwrap();
        summary["metrics"][name]["value"].clone()
    };
    run(&place, "plain", &[]);
    assert!(metric("plain", "cost").is_null() && metric("plain", "deadlines.met").is_null());
    let makespan = metric("plain", "makespan");
    // an hour a host, and a second a host: what is busy costs no more than what is rented
    let cost =
        |more: &str| format!("run.cost={{price=3600,host=[{{named=[\"grid-1*\"],price=7200}}],{more}}}");
    run(&place, "hours", &[&cost("quantum=\"1h\""), &format!("application.deadline=\"{makespan}s\"")]);
    run(&place, "rented", &[&cost("quantum=\"1ns\""), "application.deadline=\"1s\""]);
    run(&place, "busy", &[&cost("quantum=\"1ns\",billed=\"busy\"")]);
    let hosts = rows(&place, "hours/hosts.csv");
    let price = |host: &str| if host.starts_with("grid-1") { 7200.0 } else { 3600.0 };
    let value = |row: &[String], column: usize| row[column].parse::<f64>().unwrap();
    for row in &hosts {
        let used = row[2] != "0";
        assert_eq!(value(row, 5) > 0.0, used, "{row:?}");
        assert!(!used || (value(row, 5) / price(&row[0])).fract() == 0.0, "{row:?}");
    }
    for row in rows(&place, "busy/hosts.csv") {
        let expected = value(&row, 3) * price(&row[0]) / 3600.0;
        assert!((value(&row, 5) - expected).abs() < 1e-6, "{row:?}");
    }
    let sum: f64 = hosts.iter().map(|row| value(row, 5)).sum();
    let [hours, rented, busy] = ["hours", "rented", "busy"].map(|out| metric(out, "cost").as_f64().unwrap());
    assert!((sum - hours).abs() < 1e-6 && busy <= rented && rented <= hours, "{sum} {hours} {rented} {busy}");
    assert_eq!(
        (metric("hours", "deadlines.met"), metric("rented", "deadlines.met")),
        (1.0.into(), 0.0.into())
    );
    let judged = place.run(&["check", "hours"]);
    assert_eq!(judged.status, 0, "{}", judged.stdout);
    // the probability to meet a deadline is the mean over replications
    let scenario = repository("scenarios/task-graph.toml");
    let (deadline, replications) = ("application.deadline=\"630s\"", "repeat.replications=6");
    let arguments = ["run", scenario.to_str().unwrap(), "--set", deadline, "--set", replications];
    let done = place.run(&[&arguments[..], &["--set", "expect={}", "-o", "study"]].concat());
    assert_eq!(done.status, 0, "{}", done.stderr);
    let study: serde_json::Value = serde_json::from_str(&text(&place, "study/study.json")).unwrap();
    let values = |name: &str| -> Vec<f64> {
        let values = study["points"][0]["metrics"][name]["values"].as_array().unwrap();
        values.iter().map(|value| value.as_f64().unwrap()).collect()
    };
    let in_time: Vec<f64> = values("makespan").iter().map(|end| f64::from(u8::from(*end <= 630.0))).collect();
    assert_eq!(values("deadlines.met"), in_time);
    assert!(in_time.contains(&0.0) && in_time.contains(&1.0), "{in_time:?}");
    // mistakes
    let wrong = cost("quantum=\"0s\"").replace("grid-1*", "cloud-*");
    let refused = place.run(&["run", scenario.to_str().unwrap(), "--set", &wrong, "-o", "no"]);
    assert!(refused.status == 2 && refused.stderr.contains("quantum"), "{}", refused.stderr);
    let wrong = cost("quantum=\"1s\"").replace("grid-1*", "cloud-*");
    let refused = place.run(&["run", scenario.to_str().unwrap(), "--set", &wrong, "-o", "no"]);
    assert!(
        refused.status == 2 && refused.stderr.contains("no host is called `cloud-*`"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_report_is_drawn_again_with_the_critical_path() {
    let place = Place::new();
    for (name, more) in [("planned", "run.links=\"planned\""), ("ready", "run.links=\"ready\"")] {
        run(&place, name, &[more]);
        let again = place.run(&["report", name]);
        assert_eq!(again.status, 0, "{}", again.stderr);
        assert!(again.stderr.contains("drawn again, as it was"), "{}", again.stderr);
        assert!(
            text(&place, &format!("{name}/report.html")).contains("\"title\":\"Critical path of the run\"")
        );
    }
    run(&place, "few", &["record.tasks=false"]);
    let again = place.run(&["report", "few"]);
    assert!(again.stderr.contains("the critical path: there is no tasks.csv"), "{}", again.stderr);
}

#[test]
fn a_plan_is_repeated_from_its_file_with_the_order_of_its_links() {
    let place = Place::new();
    let steady = "platform.cluster.grid.load=0";
    let rows = |out: &str| {
        (text(&place, &format!("{out}/tasks.csv")), text(&place, &format!("{out}/transfers.csv")))
    };
    let instants = |rows: &str, from: usize| -> Vec<Vec<String>> {
        rows.lines().map(|row| row.split(',').skip(from).take(3).map(str::to_owned).collect()).collect()
    };
    let mut differ = 0;
    for (number, more) in [
        &["scheduler=\"dls-dagsim\""][..],
        &["scheduler=\"dls-dagsim\"", "platform.cluster.grid.topology=\"crossbar\"", "run.links=\"planned\""],
        &["scheduler=\"heft\"", "application.file-cache=true", "run.links=\"planned\""],
        &["scheduler=\"dls-dagsim\"", "application.file-cache=true", "application.home=\"grid-0\""],
    ]
    .iter()
    .enumerate()
    {
        let sets = [&[steady, "prediction=\"perfect\"", "application.tasks=40", "expect={}"], *more].concat();
        let first = format!("first-{number}");
        run(&place, &first, &sets);
        let file = place.path(&format!("{first}/plan.json"));
        let fixed = format!("scheduler={{ kind = \"fixed\", file = {file:?} }}");
        let again = format!("again-{number}");
        run(&place, &again, &[&sets[..], &[&fixed]].concat());
        let ((tasks, transfers), (tasks_again, transfers_again)) = (rows(&first), rows(&again));
        // when data are there, start and end; what is planned may differ
        assert_eq!(instants(&tasks, 6), instants(&tasks_again, 6), "{more:?}");
        assert_eq!(transfers, transfers_again, "{more:?}");
        // without the order of links some plan is executed otherwise
        let plan = text(&place, &format!("{first}/plan.json"));
        let without: String = plan
            .lines()
            .map(|line| match line.split_once(",\"transfers\":[") {
                Some((head, tail)) => format!("{head}}}{}\n", if tail.ends_with(',') { "," } else { "" }),
                None => format!("{line}\n"),
            })
            .collect();
        place.file(&format!("{first}/plan.json"), without);
        let other = format!("other-{number}");
        run(&place, &other, &[&sets[..], &[&fixed]].concat());
        differ += u32::from(rows(&other).1 != transfers);
    }
    assert!(differ > 0, "every plan has the links in the order of planned ends");
}
