//! The shipped studies of global computing: what they found, in a small form.
//!
//! Directions bind and ranges around what was found with all replications; docs/broker-studies.md
//! has the figures. Only the points that a test looks at are made: `.ci/points` runs all of them.

use serde_json::Value;

use clustersim_testing::program::{Place, repository};

/// The study `scenarios/studies/NAME.toml` with so many replications, in a directory of its own.
fn run(name: &str, more: &[&str]) -> Place {
    let place = Place::new();
    let path = repository("scenarios/studies").join(format!("{name}.toml"));
    let command = ["run", path.to_str().unwrap(), "--no-progress", "-q", "-o", "out"];
    let output = place.run(&[&command[..], more].concat());
    assert!([0, 3].contains(&output.status), "{name}: {}", output.stderr);
    place
}

/// The means of a metric, point by point, the last axis moving fastest.
fn means(place: &Place, metric: &str) -> Vec<f64> {
    let study: Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    let points = study["points"].as_array().unwrap();
    points.iter().map(|point| point["metrics"][metric]["mean"].as_f64().unwrap()).collect()
}

fn study(name: &str, replications: &str, more: &[&str], metric: &str) -> Vec<f64> {
    let means = means(&run(name, &[&["--replications", replications], more].concat()), metric);
    println!("{name} {metric}: {means:?}");
    means
}

#[test]
fn large_packets_are_right_for_a_busy_sender_and_too_fast_for_others() {
    let times = study("packet-size", "2", &["--set", "client.c.tasks=200"], "response-time.mean");
    let (busy, others) = times.split_at(4);
    assert!(busy.iter().all(|time| (time / 25.0 - 1.0).abs() < 0.05), "{busy:?}");
    assert!((others[1] / 25.0 - 1.0).abs() < 0.05 && others[2] < 23.0 && others[3] < 10.5, "{others:?}");
}

#[test]
fn load_correction_keeps_old_measurements_from_herding_tasks() {
    // the last one stands in a question of the study
    let rules = "scheduler=random,greedy,{ kind = 'greedy', load-correction = true },power-of-d";
    let more = ["--set", "run.until=1h", "--vary", rules];
    let times = study("stale-information", "1", &more, "response-time.mean");
    for row in times.chunks(4) {
        let [random, _, corrected, _] = row else { panic!("four rules") };
        assert!(corrected < random, "{row:?}");
    }
    let greedy: Vec<f64> = times.chunks(4).map(|row| row[1]).collect();
    assert!(greedy.is_sorted() && greedy[0] < times[0] && greedy[3] > 2.0 * times[0], "{greedy:?}");
}

#[test]
fn more_probes_are_better_until_they_take_too_much() {
    let times = study("price-of-monitoring", "2", &[], "response-time.mean");
    let (free, probes) = times.split_at(6);
    assert!(free[0] < free[3] && free[3] < free[5], "{free:?}");
    assert!(probes[2] < probes[0] && probes[2] < probes[4] && probes[4] < probes[5] * 1.2, "{probes:?}");
    assert!(free.iter().zip(probes).take(4).all(|(free, probe)| free < probe), "{free:?} {probes:?}");
}

#[test]
fn a_margin_before_the_deadline_pays_and_costs() {
    let axes = ["--vary", "scheduler.opt=1,0.7", "--vary", "scheduler.fallbacks=0"];
    let more = [&["--replications", "1", "--set", "run.until=40min"], &axes[..]].concat();
    let place = run("deadlines", &more);
    let (late, cost) = (means(&place, "deadline-failures"), means(&place, "cost"));
    println!("{late:?} {cost:?}");
    assert_eq!(late.len(), 6);
    for (late, cost) in late.chunks(2).zip(cost.chunks(2)) {
        assert!(late[1] < late[0] && cost[1] > 1.05 * cost[0], "{late:?} {cost:?}");
    }
}

#[test]
fn knowing_more_is_faster_at_every_load() {
    let more = ["--set", "run.until=30min", "--vary", "scheduler.kind=random,greedy,oracle"];
    let times = study("brokers-over-load", "1", &more, "response-time.mean");
    assert_eq!(times.len(), 18);
    for row in times.chunks(3) {
        let [random, greedy, oracle] = row else { panic!("three rules") };
        assert!(greedy < random && *oracle < 1.05 * greedy, "{row:?}");
    }
}

#[test]
fn a_mean_of_all_is_the_worse_forecast_where_measurements_are_frequent() {
    let predictors = "predictor=last,{ kind = 'battery', forecasters = ['mean'] },battery,perfect";
    let times = study("forecasters", "1", &["--vary", predictors], "response-time.mean");
    let [last, mean, battery, perfect] = &times[..4] else { panic!("four predictors") };
    assert!(battery < mean && last < mean && *perfect < 1.02 * battery, "{times:?}");
}

#[test]
fn measurements_are_worth_more_than_the_choice_of_a_forecaster() {
    let short = ["--set", "run.until=20min"];
    let times = study("thirty-three-servers", "1", &short, "response-time.mean");
    for (load, row) in times.chunks(10).enumerate() {
        let [random, _, last, battery, perfect, nominal_deadline, last_deadline, ..] = row else {
            panic!("ten pairs")
        };
        assert!(last < random && battery < random && *perfect < 1.05 * last, "{row:?}");
        // at the highest load most tasks that are placed by nominal values are not over, and not in
        // the mean
        assert!(load == 2 || last_deadline < nominal_deadline, "{row:?}");
    }
}

/// Figures 6 to 9: what a monitor measures on the cubic curve through a day is the day; of lost
/// minutes it measures none if `drop-at` lists them.
#[test]
fn a_day_replayed_is_the_day() {
    let days = std::fs::read_to_string(repository("scenarios/data/series/synthetic-days.csv")).unwrap();
    for (point, column, compared) in [("2", 1, 1440), ("5", 2, 1440), ("8", 3, 1440), ("14", 4, 1360)] {
        let place = run("replayed-days", &["--point", point, "--replication", "0"]);
        let table = String::from_utf8(place.read("out/measurements.csv")).unwrap();
        let mut differences: Vec<f64> = Vec::new();
        for line in table.lines().filter(|line| line.contains(",bandwidth,c,s,")) {
            let cells: Vec<&str> = line.split(',').collect();
            let minute = (cells[0].parse::<f64>().unwrap() / 60.0) as usize;
            let real = days.lines().nth(1 + minute).unwrap().split(',').nth(column).unwrap();
            let real = real.parse::<f64>().unwrap_or_else(|_| panic!("minute {minute} was lost")) * 1e3;
            differences.push((cells[4].parse::<f64>().unwrap() / real - 1.0).abs());
        }
        differences.sort_by(f64::total_cmp);
        let (median, most) = (differences[differences.len() / 2], differences[differences.len() * 95 / 100]);
        println!("{point}: {} {median} {most}", differences.len());
        assert!(differences.len() >= compared && median < 0.003 && most < 0.015);
    }
}

#[test]
fn two_drawn_servers_bear_lost_measurements_and_load_correction_drift() {
    let short = ["--set", "run.until=2h"];
    let times = study("poor-monitors", "1", &short, "response-time.mean");
    // least-load, corrected, two drawn, corrected, greedy, corrected, oracle
    let rows: Vec<&[f64]> = times.chunks(7).collect();
    let [sound, drifting, .., lossy, _] = &rows[..] else { panic!("six rows") };
    assert!(sound[5] < sound[2] && lossy[2] < lossy[5] / 2.0 && lossy[4] > 10.0 * sound[4], "{rows:?}");
    assert!(drifting[5] < 1.3 * sound[5] && drifting[1] > 1.1 * sound[1], "{rows:?}");
    assert!(
        rows.iter().all(|row| row[6].total_cmp(&sound[6]).is_eq()),
        "the oracle measures nothing: {rows:?}"
    );
}

#[test]
fn quantiles_and_missed_deadlines_have_intervals() {
    let vary = ["--vary", "scheduler.kind=random,greedy", "--replications", "6"];
    let place = Place::new();
    let path = repository("scenarios/global-computing.toml");
    let set = ["--set", "client.c.tasks=60", "--set", "run.warm-up='0s'"];
    let command = ["run", path.to_str().unwrap(), "--no-progress", "-q", "-o", "out"];
    let output = place.run(&[&command[..], &set, &vary].concat());
    assert!([0, 3].contains(&output.status), "{}", output.stderr);
    let study: Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    for metric in ["response-time.median", "response-time.p95", "deadline-failures"] {
        for point in study["points"].as_array().unwrap() {
            let of = &point["metrics"][metric];
            let (mean, half) = (of["mean"].as_f64().unwrap(), of["half_width"].as_f64().unwrap());
            assert!(mean > 0.0 && half > 0.0 && half < mean, "{metric}: {of}");
        }
    }
}
