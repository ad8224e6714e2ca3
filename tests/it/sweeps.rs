//! Parameter sweeps: figure 11 of the report of the Parameter Sweep Template, and runs of the program.
//!
//! The planned makespans of figure 11 were computed independently twice; the orders among heuristics bind.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::program::{Place, repository};

/// Heuristics of the study, in the order of its axis.
const HEURISTICS: [&str; 7] = ["h0", "h1", "h2", "h3", "h4", "h9", "xsufferage"];

/// Planned makespans in seconds, a row for each size of the shared file: means of ten seeds.
const PLANNED: [[f64; 7]; 6] = [
    [3728.0, 3450.0, 3451.0, 3522.0, 3479.0, 3502.0, 3524.0],
    [4192.0, 3512.0, 3760.0, 3586.0, 3552.0, 3569.0, 3580.0],
    [4847.0, 3889.0, 4521.0, 4042.0, 3856.0, 3797.0, 3769.0],
    [5772.0, 4482.0, 5634.0, 5152.0, 4468.0, 4343.0, 4410.0],
    [7797.0, 5396.0, 7254.0, 7709.0, 5392.0, 5321.0, 5328.0],
    [11637.0, 6936.0, 8690.0, 11549.0, 6768.0, 6762.0, 6783.0],
];

#[test]
fn figure_11_has_the_planned_makespans_and_the_orders_of_the_report() {
    let place = Place::new();
    let path = repository("scenarios/studies/figure-11.toml");
    let output = place.run(&["run", path.to_str().unwrap(), "--no-progress", "-q", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let study: Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    let points = study["points"].as_array().unwrap();
    assert_eq!(points.len(), 42);
    let means: Vec<BTreeMap<&str, f64>> = points
        .chunks(7)
        .map(|row| {
            let mean = |point: &Value| point["metrics"]["plan-makespan"]["mean"].as_f64().unwrap();
            HEURISTICS.iter().copied().zip(row.iter().map(mean)).collect()
        })
        .collect();
    for (row, expected) in means.iter().zip(PLANNED) {
        for (heuristic, expected) in HEURISTICS.iter().zip(expected) {
            let tolerance = if ["h0", "h2", "h3"].contains(heuristic) { 0.08 } else { 0.05 };
            let found = row[heuristic];
            assert!((found / expected - 1.0).abs() <= tolerance, "{heuristic}: {found} for {expected}");
        }
    }
    for row in &means[1..] {
        let others = HEURISTICS[1..].iter().map(|heuristic| row[heuristic]);
        assert!(others.into_iter().all(|other| other <= row["h0"]), "the workqueue is the worst: {row:?}");
    }
    for row in &means[4..] {
        assert!((row["h3"] / row["h0"] - 1.0).abs() <= 0.1, "Sufferage by hosts is as bad: {row:?}");
        assert!(row["h4"] <= 1.01 * row["h1"] && row["h9"] <= 1.01 * row["h1"], "{row:?}");
        assert!(row["h1"] < row["h2"] && row["h2"] < row["h3"], "Max-min lies between: {row:?}");
    }
    for row in &means[3..] {
        assert!(row["xsufferage"] <= 1.03 * row["h4"].min(row["h9"]), "XSufferage is robust: {row:?}");
    }
    for heuristic in HEURISTICS {
        let grows = means.windows(2).all(|pair| pair[1][heuristic] >= 0.98 * pair[0][heuristic]);
        assert!(grows, "larger files take longer: {heuristic}");
    }
}
