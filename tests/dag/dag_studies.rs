//! The shipped studies of task graphs: what they found, in a small form.
//!
//! Directions bind and ranges around what was found with all replications; docs/dag-studies.md has
//! the figures.

use serde_json::Value;

use clustersim_testing::program::{Place, repository};

/// The summary of the study `scenarios/studies/NAME.toml` with so many replications.
fn study(name: &str, replications: &str) -> Value {
    let place = Place::new();
    let path = repository("scenarios/studies").join(format!("{name}.toml"));
    let command =
        ["run", path.to_str().unwrap(), "--no-progress", "-q", "-o", "out", "--replications", replications];
    let output = place.run(&command);
    assert!([0, 3].contains(&output.status), "{name}: {}", output.stderr);
    serde_json::from_slice(&place.read("out/study.json")).unwrap()
}

/// The means of a metric, point by point, the last axis moving fastest.
fn means(study: &Value, metric: &str) -> Vec<f64> {
    let points = study["points"].as_array().unwrap();
    points.iter().map(|point| point["metrics"][metric]["mean"].as_f64().unwrap()).collect()
}

#[test]
fn the_table_of_dagsim_has_its_order() {
    let makespans = means(&study("dagsim-table", "10"), "makespan");
    let ratios: Vec<f64> = makespans.chunks(3).map(|cell| cell[0] / cell[2]).collect();
    println!("{ratios:?}");
    for row in ratios.chunks(3) {
        assert!(row.is_sorted(), "the more load, the further DCP is behind: {ratios:?}");
    }
    assert!((0.85..=1.15).contains(&ratios[0]), "alike and hardly loaded: {ratios:?}");
    assert!(ratios[3..].iter().all(|ratio| *ratio > 1.0), "DLS is ahead where hosts differ: {ratios:?}");
    for cell in makespans.chunks(3) {
        assert!((cell[1] / cell[2] - 1.0).abs() < 0.08, "0.9 or 1.0 decides little: {cell:?}");
    }
    let growth = |rule: usize| makespans[6 + rule] / makespans[rule];
    assert!(growth(0) > 1.4 && growth(2) < growth(0), "{} {}", growth(0), growth(2));
}

#[test]
fn one_host_wins_where_graphs_are_dense() {
    let study = study("dense-graphs", "10");
    let found: Vec<Option<f64>> =
        study["crossovers"].as_array().unwrap().iter().map(|one| one["value"].as_f64()).collect();
    println!("{found:?}");
    let [Some(heft), Some(dls)] = found[..] else { panic!("{found:?}") };
    assert!((2.5..6.0).contains(&heft) && (8.0..19.0).contains(&dls), "{found:?}");
}

#[test]
fn predictions_must_be_far_off_before_no_plan_is_better_than_one() {
    let study = study("wrong-predictions", "10");
    let found: Vec<Option<f64>> =
        study["crossovers"].as_array().unwrap().iter().map(|one| one["value"].as_f64()).collect();
    println!("{found:?}");
    let [Some(once), Some(again)] = found[..] else { panic!("{found:?}") };
    assert!([once, again].iter().all(|error| (0.45..0.9).contains(error)), "{found:?}");
}

#[test]
fn rules_that_know_speeds_are_near_the_optimum_and_those_for_hosts_alike_far() {
    let study = study("optimality", "20");
    let gaps = means(&study, "gap.optimal");
    println!("{gaps:?}");
    let [heft, .., sequential] = gaps[..] else { panic!("{gaps:?}") };
    let [mcp, etf] = [gaps[6], gaps[7]];
    assert!(gaps.iter().all(|gap| *gap >= 0.0) && heft < 0.06, "{gaps:?}");
    assert!([mcp, etf, sequential].iter().all(|gap| *gap > 0.15), "{gaps:?}");
    assert!(means(&study, "optimum.proven").iter().all(|share| *share >= 1.0));
}

#[test]
fn a_plan_takes_longer_where_transfers_share_links_and_is_the_same_plan() {
    let study = study("link-models", "2");
    let (plans, makespans) = (means(&study, "plan-makespan"), means(&study, "makespan"));
    println!("{makespans:?}");
    for (model, row) in plans.chunks(3).enumerate() {
        assert_eq!(row, &plans[..3], "model {model} plans the same");
    }
    for (place, executed) in makespans.iter().enumerate() {
        let free = makespans[place % 3];
        assert!(*executed >= free * 0.999, "point {place}: {executed} against {free}");
    }
    assert_eq!(makespans[..3], plans[..3], "what has its links to itself is executed as planned");
}

#[test]
fn recorded_workflows_are_planned_by_every_rule() {
    let study = study("real-workflows", "1");
    let gaps = means(&study, "gap");
    for cell in gaps.chunks(8) {
        let heft = cell[0];
        assert!(heft < 0.3 && cell[7] > heft, "{cell:?}");
    }
}

#[test]
fn dcp_pays_most_for_loads() {
    let makespans = means(&study("loaded-grid", "10"), "makespan");
    println!("{makespans:?}");
    let [dcp, others @ ..] = &makespans.chunks(3).collect::<Vec<_>>()[..] else { panic!("{makespans:?}") };
    assert!(makespans.chunks(3).all(<[f64]>::is_sorted), "more load takes longer: {makespans:?}");
    for rule in others {
        assert!(rule.iter().zip(*dcp).all(|(rule, dcp)| rule < dcp), "{makespans:?}");
        assert!(rule[2] / rule[0] < dcp[2] / dcp[0], "{makespans:?}");
    }
}

#[test]
fn the_more_often_graphs_arrive_the_longer_they_take() {
    let slowdowns = means(&study("mixed-workflows", "3"), "slowdown.mean");
    println!("{slowdowns:?}");
    for rule in 0..3 {
        assert!(
            slowdowns[rule] < slowdowns[3 + rule] && slowdowns[3 + rule] < slowdowns[6 + rule],
            "{slowdowns:?}"
        );
    }
}

#[test]
fn what_is_kept_counts_the_more_the_more_often_hosts_fail() {
    let makespans = means(&study("failing-hosts", "20"), "makespan");
    println!("{makespans:?}");
    // by rule, those that lose what is on a host and those that keep it, from the fewest failures
    // to the most
    let rule = |rule: usize| -> Vec<(f64, f64)> {
        makespans.chunks(6).map(|cell| (cell[rule], cell[3 + rule])).collect()
    };
    for cells in (0..3).map(rule) {
        assert!(cells.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1), "{cells:?}");
        let cost: Vec<f64> = cells.iter().map(|(lost, kept)| lost / kept).collect();
        assert!((0.9..1.1).contains(&cost[0]) && cost[3] > 1.4, "{cost:?}");
    }
    for lost in makespans.chunks(6).map(|cell| &cell[..3]) {
        assert!(lost[0] < lost[2], "a plan is ahead of none where data are lost: {makespans:?}");
    }
}

#[test]
fn every_point_of_the_study_of_failing_hosts_keeps_its_promises() {
    let path = repository("scenarios/studies/failing-hosts.toml");
    let mut lost = 0;
    for point in 0..24 {
        let place = Place::new();
        let number = point.to_string();
        let command = ["run", path.to_str().unwrap(), "--point", &number, "--replication", "0"];
        let output = place.run(&[&command[..], &["-q", "--no-progress", "-o", "out"]].concat());
        assert!([0, 3].contains(&output.status), "point {point}: {}", output.stderr);
        let judged = place.run(&["check", "out"]);
        assert_eq!(judged.status, 0, "point {point}: {}", judged.stdout);
        let attempts = String::from_utf8(place.read("out/attempts.csv")).unwrap();
        lost += attempts.lines().skip(1).filter(|row| row.split(',').nth(2).unwrap() != "1").count();
    }
    assert!(lost > 24, "{lost} attempts after a failure");
}
