//! The shipped studies of parameter sweeps: what they found, in a small form; and hosts and
//! clusters that go and come back.
//!
//! Directions bind and ranges around what was found with all replications; docs/sweep-studies.md
//! has the figures.

use serde_json::Value;

use clustersim_testing::program::{Place, repository};

/// The summary of the study `scenarios/studies/NAME.toml` with so many replications.
fn study(name: &str, replications: &str, more: &[&str]) -> Value {
    let place = Place::new();
    let path = repository("scenarios/studies").join(format!("{name}.toml"));
    let command =
        ["run", path.to_str().unwrap(), "--no-progress", "-q", "-o", "out", "--replications", replications];
    let output = place.run(&[&command[..], more].concat());
    assert!([0, 3].contains(&output.status), "{name}: {}", output.stderr);
    serde_json::from_slice(&place.read("out/study.json")).unwrap()
}

/// The means of a metric, point by point, the last axis moving fastest.
fn means(study: &Value, metric: &str) -> Vec<f64> {
    let points = study["points"].as_array().unwrap();
    points.iter().map(|point| point["metrics"][metric]["mean"].as_f64().unwrap()).collect()
}

#[test]
fn plans_are_made_again_for_grids_that_change_and_hardly_matter_on_others() {
    let makespans = means(&study("scheduling-events", "1", &[]), "makespan");
    println!("{makespans:?}");
    for (grid, row) in makespans.chunks(6).enumerate() {
        let [short, middle, long, once, right, weighted] = row else { panic!("six rules") };
        let least = row.iter().copied().fold(f64::INFINITY, f64::min);
        let spread = [short, middle, long, right, weighted].into_iter().all(|rule| *rule < 1.15 * least);
        assert!(spread, "grid {grid}: {row:?}");
        let of_once = once / least;
        let expected = if grid == 0 { 1.0..1.1 } else { 1.2..3.0 };
        assert!(expected.contains(&of_once), "grid {grid}: {row:?}");
    }
}

#[test]
fn a_link_that_waits_for_an_output_executes_the_plan_and_one_that_does_not_is_ahead() {
    let study = study("link-order", "2", &[]);
    let makespans = means(&study, "makespan");
    println!("{makespans:?}");
    for (place, links) in makespans.chunks(3).enumerate() {
        let [greedy, hybrid, in_order] = links else { panic!("three orders") };
        assert!((hybrid / in_order - 1.0).abs() < 0.01, "{place}: the plan has filled the gaps: {links:?}");
        assert!(*greedy < 1.03 * in_order, "{place}: {links:?}");
        let is_large = place / 2 % 2 == 1;
        assert!(!is_large || *greedy < 0.9 * in_order, "{place}: {links:?}");
    }
    let plans = means(&study, "plan-makespan");
    for (executed, planned) in makespans.chunks(3).zip(plans.chunks(3)).take(4) {
        assert!((executed[2] / planned[2] - 1.0).abs() < 1e-9, "right predictions, in order");
    }
}

#[test]
fn chance_among_equals_decides_little_but_for_sufferage_by_hosts() {
    let plans = means(&study("randomized-heuristics", "2", &[]), "plan-makespan");
    println!("{plans:?}");
    for row in plans.chunks(8) {
        let (first, drawn) = row.split_at(4);
        for rule in [0, 1, 3] {
            assert!((drawn[rule] / first[rule] - 1.0).abs() < 0.03, "{row:?}");
        }
    }
    let sufferage = |row: usize| plans[8 * row + 2];
    assert!(plans[8 + 6] < 0.8 * sufferage(1), "drawn among equals, at 4.8 MB");
    assert!(sufferage(3) < 0.75 * sufferage(1), "shuffled tasks, at 4.8 MB");
}

#[test]
fn a_plan_made_once_stands_half_the_error_of_plans_made_again() {
    let study = study("sweep-errors", "1", &[]);
    let found: Vec<Option<f64>> =
        study["crossovers"].as_array().unwrap().iter().map(|one| one["value"].as_f64()).collect();
    println!("{found:?}");
    let [Some(once), again] = found[..] else { panic!("{found:?}") };
    assert!((0.35..0.6).contains(&once), "{found:?}");
    assert!(again.is_none_or(|again| again > 0.75), "{found:?}");
}

#[test]
fn some_of_the_tasks_are_enough_where_a_look_takes_time() {
    let makespans = means(&study("task-subsets", "1", &["--set", "application.tasks=1000"]), "makespan");
    println!("{makespans:?}");
    let [all, all_slowly, ..] = makespans[..] else { panic!("{makespans:?}") };
    assert!(all_slowly > 1.1 * all, "{makespans:?}");
    for few in makespans[2..].chunks(2) {
        assert!(few[1] < all_slowly && few[0] < 1.15 * all, "{makespans:?}");
    }
}

#[test]
fn it_pays_to_learn_sizes_of_outputs_that_are_estimated_wrong() {
    let makespans = means(&study("unknown-outputs", "1", &[]), "makespan");
    println!("{makespans:?}");
    for (place, sizes) in makespans.chunks(3).enumerate() {
        let [given, mean, regression] = sizes else { panic!("three rules") };
        // right, a tenth, ten times, off by a factor each
        let expected = [0.95..1.05, 0.97..1.15, 2.5..6.0, 1.05..2.5][place % 4].clone();
        assert!(expected.contains(&(given / mean)), "{place}: {sizes:?}");
        assert!((regression / mean - 1.0).abs() < 0.05, "{place}: {sizes:?}");
    }
}

#[test]
fn plans_are_made_again_when_hosts_come_back() {
    let makespans = means(&study("transient-hosts", "2", &["--set", "application.tasks=200"]), "makespan");
    println!("{makespans:?}");
    for row in makespans.chunks(5) {
        let [workqueue, planned @ ..] = row else { panic!("five rules") };
        assert!(planned.iter().all(|rule| rule < workqueue), "{row:?}");
        assert!(planned[1] < 1.05 * planned[0], "{row:?}");
    }
    assert!(makespans[0] > makespans[5] && makespans[5] > makespans[10], "{makespans:?}");
}

/// Two tasks of 50 s on a cluster at 10 kB/s, which read one file of 100 kB and write 10 kB each.
const APPLICATION: &str = "WorkDescription 1 3 2\nFile: <0> <shared> <100000> <100000>\n\
    File: <1> <one> <10000> <10000>\nFile: <2> <other> <10000> <10000>\n\
    Work: <0> < 1 : 0 > < 1 : 1 > < 1 : 50 > < 1 : 50 >\nWork: <1> < 1 : 0 > < 1 : 2 > < 1 : 50 > < 1 : 50 >\n";

/// Runs these on two hosts `a` and `b`, to which this happens: rows of tasks (host, start, end,
/// arrival of the output, attempts), rows of transfers, lost computations and their time.
fn with_events(events: &str, heuristic: &str) -> (Vec<String>, Vec<String>, [f64; 2]) {
    let place = Place::new();
    let grid = "GridDescription 1\n0:ADD_CLUSTER <c> <stable_10Kb> <0>\n0:ADD_HOST <c> <a> <stable_100> <0> <0>\n\
        0:ADD_HOST <c> <b> <stable_100> <0> <0>\n";
    let scenario = format!(
        "title = 'events'\n[platform]\nfile = 'grid.txt'\n[application]\nkind = 'pst'\nfile = 'app.txt'\n\
         [scheduler]\nkind = 'plan'\nheuristic = '{heuristic}'\n[record]\ntransfers = true\n"
    );
    place.file("grid.txt", format!("{grid}{events}")).file("app.txt", APPLICATION).file("s.toml", scenario);
    let done = place.run(&["run", "s.toml", "-o", "out", "--no-progress", "-q"]);
    assert_eq!(done.status, 0, "{}", done.stderr);
    let judged = place.run(&["check", "out"]);
    assert_eq!(judged.status, 0, "{}", judged.stdout);
    let rows = |name: &str, columns: &[&str]| -> Vec<String> {
        let text = String::from_utf8(place.read(&format!("out/{name}"))).unwrap();
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let places: Vec<usize> =
            columns.iter().map(|name| header.iter().position(|column| column == name).unwrap()).collect();
        lines.map(|line| places.iter().map(|place| line[*place]).collect::<Vec<_>>().join(" ")).collect()
    };
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    let lost = ["failed-works", "lost-time"].map(|name| summary["metrics"][name]["value"].as_f64().unwrap());
    (
        rows("tasks.csv", &["host", "start", "end", "output-arrived", "attempts"]),
        rows("transfers.csv", &["file", "start", "end"]),
        lost,
    )
}

#[test]
fn a_task_whose_host_leaves_is_done_again_on_another() {
    for heuristic in ["h0", "h1", "h4", "xsufferage"] {
        let (tasks, transfers, lost) = with_events("30:REMOVE_HOST <a>\n", heuristic);
        assert_eq!(tasks, ["b 60 110 111 2", "b 10 60 61 1"], "{heuristic}");
        assert_eq!(transfers, ["shared 0 10", "other 60 61", "one 110 111"], "{heuristic}");
        assert_eq!(lost.map(f64::to_bits), [1.0, 20.0].map(f64::to_bits), "{heuristic}");
    }
}

#[test]
fn the_files_of_a_cluster_that_comes_back_are_there_again() {
    let events = "30:REMOVE_CLUSTER <c>\n100:ADD_CLUSTER <c> <stable_10Kb> <0>\n\
        100:ADD_HOST <c> <b> <stable_100> <0> <0>\n";
    for heuristic in ["h0", "h1", "h4", "xsufferage"] {
        let (tasks, transfers, lost) = with_events(events, heuristic);
        assert_eq!(tasks, ["b 100 150 151 2", "b 150 200 201 2"], "{heuristic}");
        assert_eq!(transfers, ["shared 0 10", "one 150 151", "other 200 201"], "{heuristic}");
        assert_eq!(lost.map(f64::to_bits), [2.0, 40.0].map(f64::to_bits), "{heuristic}");
    }
}
