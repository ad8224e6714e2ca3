//! Table 1 of "ClusterSchedSim" (SIMULATION 80(4-5), 2004): what cheaper switches and interrupts
//! are worth under each scheme.
//!
//! The directions bind, not the values: the workload of the paper is not published, and ratios
//! depend on how near an open system is to saturation. The studies are the shipped ones; the whole
//! of them, ten seeds each, is `.ci/studies`, and a small form runs with every change.

use serde_json::Value;

use clustersim_testing::program::{Place, repository};

/// The points of the study `scenarios/PATH.toml`, in the order of its axes.
fn points(path: &str, arguments: &[&str]) -> Vec<Value> {
    let place = Place::new();
    let path = repository("scenarios").join(format!("{path}.toml"));
    let command = ["run", path.to_str().unwrap(), "--no-progress", "-q", "-o", "out"];
    let output = place.run(&[&command, arguments].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    let study: Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    study["points"].as_array().unwrap().clone()
}

/// The mean of a metric over the replications of a point.
fn mean(point: &Value, metric: &str) -> f64 {
    point["metrics"][metric]["mean"].as_f64().unwrap()
}

/// Mean response times of the points of a study, in the order of its axes [s].
fn means(study: &str, arguments: &[&str]) -> Vec<f64> {
    let points = points(&format!("studies/{study}"), arguments);
    points.iter().map(|point| mean(point, "response-time.mean")).collect()
}

/// The second and third column over the first, row by row.
fn ratios(study: &str, schemes: &[&str], arguments: &[&str]) -> Vec<[f64; 2]> {
    let means = means(study, arguments);
    assert_eq!(means.len(), 3 * schemes.len());
    let rows: Vec<[f64; 2]> = means.chunks(3).map(|row| [row[1] / row[0], row[2] / row[0]]).collect();
    for (scheme, [both, switch]) in schemes.iter().zip(&rows) {
        println!("{study}, {scheme}: 1.000 {both:.3} {switch:.3}");
    }
    rows
}

#[test]
#[ignore = "minutes long: .ci/studies"]
fn table_1_has_the_published_directions() {
    let [[both, quantum]] = ratios("table-1-gang", &["gang"], &[])[..] else { panic!("one row") };
    assert!(both < quantum && quantum <= 1.0, "a shorter quantum pays, with a cheaper switch more");

    let communication = ratios("table-1-communication", &["sb", "dcs", "dcs-sb", "pb-sb", "pb"], &[]);
    let [sb, _, dcs_sb, pb_sb, pb] = communication[..] else { panic!("five rows") };
    for blocking in [sb, dcs_sb, pb_sb] {
        assert!(blocking.iter().all(|&ratio| ratio < 0.95), "schemes that block gain more than 5 %");
    }
    assert!((pb[0] / pb[1] - 1.0).abs() < 0.01, "who raises no interrupt gains nothing from cheap ones");

    let io = ratios("table-1-io", &["sb", "dcs-sb", "pb-sb", "pb"], &[]);
    let [sb, _, _, pb] = io[..] else { panic!("four rows") };
    assert!((pb[0] / pb[1] - 1.0).abs() < 0.01, "who raises no interrupt gains nothing from cheap ones");
    assert!(pb[0] > sb[0] && pb[1] > sb[1], "with I/O, who blocks gains more than who is boosted");
}

#[test]
fn deadlines_are_kept_by_own_nodes_budgets_and_reserved_slices_alone() {
    let points = points("quality-of-service", &[]);
    let [own, boosted, budgets, slices, reserved] = &points[..] else { panic!("five points") };
    let missed = |point| mean(point, "class.stream.deadlines.missed");
    let slowdown = |point| mean(point, "class.work.slowdown.mean");
    for kept in [own, budgets, reserved] {
        assert!(missed(kept) <= 0.0, "{}", kept["label"]);
    }
    assert!(missed(boosted) > 0.02 && missed(slices) > 2.0 * missed(boosted), "nobody keeps them there");
    assert!(slowdown(own) > 3.0 * slowdown(reserved), "nodes of their own cost the others most");
    assert!(slowdown(budgets) < 1.1 * slowdown(boosted), "budgets cost the others next to nothing");
}

#[test]
fn sharing_time_on_a_log_takes_half_the_time_of_waiting() {
    let points = points("studies/gang-figure-8a", &[]);
    let response = |point: usize| mean(&points[point], "response-time.mean");
    for load in 0..3 {
        assert!(response(load) > 1.9 * response(load + 3), "figure 8a at load {load}");
    }
    assert!(response(2) > 3.0 * response(5), "the more, the higher the load");
}

#[test]
fn rows_help_most_where_the_head_of_the_queue_blocks() {
    let points = points("studies/gang-mpl", &["--replications", "5"]);
    let response: Vec<f64> = points.iter().map(|point| mean(point, "response-time.mean")).collect();
    let (plain, backfilled) = response.split_at(5);
    assert!(plain.is_sorted_by(|few, many| few > many), "without backfilling every row helps: {plain:?}");
    assert!(plain[0] > 4.0 * plain[4], "{plain:?}");
    assert!(backfilled[0] > 1.1 * backfilled[2], "two or three rows have most of the gain: {backfilled:?}");
    assert!((backfilled[4] / backfilled[2] - 1.0).abs() < 0.1, "{backfilled:?}");
}

#[test]
fn over_load_backfilling_into_the_matrix_is_ahead_and_waiting_in_line_far_behind() {
    let points = points("studies/gang-over-load", &["--replications", "5"]);
    let response: Vec<f64> = points.iter().map(|point| mean(point, "response-time.mean")).collect();
    let [fcfs, easy, gs, bgs, mgs, bmgs] = [0, 1, 2, 3, 4, 5].map(|row| &response[3 * row..3 * row + 3]);
    for load in 0..3 {
        for other in [easy, gs, bgs, mgs, bmgs] {
            assert!(other[load] < fcfs[load] / 2.0, "load {load}");
        }
        assert!(
            bgs[load] < gs[load]
                && bgs[load] < easy[load]
                && mgs[load] <= gs[load]
                && bmgs[load] <= bgs[load]
        );
    }
}

#[test]
fn checkpoints_are_best_written_about_as_often_as_youngs_rule_says() {
    let points = points("checkpoints", &[]);
    // processor time that did no work: what was done again or lost, and what went into checkpoints
    let wasted = |point| mean(point, "processor-time.lost") + mean(point, "processor-time.checkpoints");
    let wasted: Vec<f64> = points.iter().map(wasted).collect();
    let best = (0..wasted.len()).min_by(|&one, &other| wasted[one].total_cmp(&wasted[other]));
    assert!(matches!(best, Some(2 | 3)), "40 or 80 minutes: {wasted:?}");
    assert!(wasted[0] > 2.0 * wasted[2] && wasted[5] > 2.0 * wasted[3], "{wasted:?}");
    let waits: Vec<f64> = points.iter().map(|point| mean(point, "wait-time.mean")).collect();
    assert!(waits[0] > 1.2 * waits[2] && waits[5] > 1.2 * waits[3], "users notice: {waits:?}");
}

#[test]
fn exact_times_beat_requests_under_every_rule_of_backfilling() {
    let points = points("studies/estimates", &["--replications", "5"]);
    let slowdown: Vec<f64> = points.iter().map(|point| mean(point, "bounded-slowdown.mean")).collect();
    for rule in slowdown.chunks(4) {
        let [requested, exact, phi, _] = rule else { panic!("four sorts of estimates") };
        assert!(*exact < 0.85 * requested && *phi < 0.95 * requested, "{rule:?}");
    }
    assert!(slowdown[4] < slowdown[0], "requested: the shortest first helps");
}
