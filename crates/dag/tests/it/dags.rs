//! HEFT against reference makespans.

use std::fs::File;
use std::io::Write;

use clustersim_dag::Contention;
use clustersim_dag::scheduler::{Heft, Scheduler};
use clustersim_dag::view::{ExecutionState, View};
use clustersim_kernel::SimTime;
use clustersim_platform::Trace;
use clustersim_workflow::read::{ReadOptions, read};

use clustersim_testing::evidence;

use crate::mesh::{mesh, problem};

#[test]
fn heft_plans_the_makespans_of_an_independent_program() {
    let Some(path) = evidence::needed("reference/dag/heft.json") else { return };
    let rows: Vec<serde_json::Value> = serde_json::from_str(&evidence::text(&path)).unwrap();
    let (mut compared, mut missing) = (0, 0);
    for row in &rows {
        let file = row["file"].as_str().unwrap();
        let name = file.trim_end_matches(".gz");
        let folders = ["wfformat", "wfformat-old"].map(|folder| format!("workflows/{folder}/{name}"));
        let Some(path) = folders.iter().find_map(|path| evidence::found(path)) else {
            missing += 1;
            continue;
        };
        let loaded = read(File::open(&path).unwrap(), file, None, &ReadOptions::default()).unwrap();
        let speeds: Vec<f64> =
            row["speeds"].as_array().unwrap().iter().map(|speed| speed.as_f64().unwrap() * 1e9).collect();
        let [bandwidth, latency, expected] = ["bw", "lat", "makespan"].map(|key| row[key].as_f64().unwrap());
        let platform = mesh(&speeds, bandwidth, latency, |_| Trace::constant(1.0));
        let problem = problem(loaded.workflow, platform, Contention::Free);
        let state = ExecutionState::all_open(&problem.graph);
        let view = View::new(&problem, &state, SimTime::ZERO, 0);
        let makespan = Heft.plan(&view).unwrap().end().as_secs_f64();
        // one tie falls otherwise where instants are whole nanoseconds
        let is_tied = file.starts_with("montage-chameleon-2mass-05d") && speeds[0] < speeds[1];
        let tolerance = if is_tied { 1e-7 } else { 1e-9 };
        assert!(
            (makespan / expected - 1.0).abs() <= tolerance,
            "{file} on {speeds:?}: {makespan}, not {expected}"
        );
        compared += 1;
    }
    assert!(compared >= 4, "only {compared} of {}", rows.len());
    if missing > 0 {
        let of = rows.len();
        let _ = writeln!(
            std::io::stderr().lock(),
            "LEFT OUT: {missing} of {of} makespans of HEFT, their files are not here"
        );
    }
}
