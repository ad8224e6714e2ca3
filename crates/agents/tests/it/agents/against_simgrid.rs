//! Flows over platform files end when they do in SimGrid 4.1 (`.ci/against_simgrid/flows.py`).

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use clustersim_agents::{Channel, Task, World, simulate};
use clustersim_kernel::{SimError, Simulation, now};
use clustersim_language::registry::Sources;
use clustersim_platform::network::Flow;
use clustersim_platform::simgrid;

use super::span;
use clustersim_testing::evidence;

use clustersim_testing::program::repository;

/// From, to, start [s], size, bound, and end [s] in SimGrid if it does not fail.
type Told = (String, String, f64, f64, Option<f64>, Option<f64>);

#[derive(serde::Deserialize)]
struct Run {
    platform: String,
    corrections: String,
    flows: Vec<Told>,
}

/// The ends of the flows in a run of ours [s].
fn ends(run: &Run, folder: &Path) -> Vec<Option<f64>> {
    let loaded = simgrid::read_file(&folder.join(&run.platform), &mut Sources::new(""));
    let platform = Arc::new(loaded.unwrap_or_else(|wrong| panic!("{}: {wrong:?}", run.platform)).platform);
    let flow = if run.corrections == "lv08" { Flow::lv08() } else { Flow::default() };
    let mut world = World::new(Arc::clone(&platform)).over(Box::new(flow));
    let ends = Rc::new(RefCell::new(vec![None; run.flows.len()]));
    for (number, &(ref from, ref to, start, size, bound, _)) in run.flows.iter().enumerate() {
        let [from, to] = [from, to].map(|host| platform.host_named(host).unwrap());
        let (ends, channel) = (Rc::clone(&ends), Channel(number as u32));
        world.agent(from, "sends", async move |me| {
            me.sleep(span(start)).await;
            let task = Task::new("flow", 0.0, size);
            match bound {
                Some(bound) => me.put_bounded(task, to, channel, bound).await?,
                None => me.put(task, to, channel).await?,
            }
            ends.borrow_mut()[number] = Some(now().as_secs_f64());
            Ok(())
        });
        world.agent(to, "gets", async move |me| me.get(channel).await.map(drop));
    }
    // whose partner is lost with its host waits for ever
    match simulate(world, Simulation::new(1), None) {
        Ok(_) | Err(SimError::Deadlock { .. }) => ends.take(),
        Err(error) => panic!("{error}"),
    }
}

fn compare(json: &str, folder: &Path) {
    let runs: Vec<Run> = serde_json::from_str(json).expect("the form of the script");
    assert!(!runs.is_empty());
    for run in runs {
        for (flow, end) in run.flows.iter().zip(ends(&run, folder)) {
            let &(ref from, ref to, start, _, _, expected) = flow;
            let Run { platform, corrections, .. } = &run;
            let name = format!("{platform}, {corrections}: {from} to {to} at {start} s");
            let (Some(end), Some(expected)) = (end, expected) else {
                assert_eq!(end, expected, "{name}");
                continue;
            };
            // here every instant is a whole nanosecond, and each end moves the others
            let most = 2e-8 + 1e-6 * (expected - start);
            assert!((end - expected).abs() <= most, "{name}: {end}, not {expected}");
        }
    }
}

#[test]
fn flows_over_our_own_files_end_when_they_do_in_simgrid() {
    let folder = repository("tests/data/platforms");
    compare(&std::fs::read_to_string(folder.join("flows.json")).unwrap(), &folder);
}

/// `CLUSTERSIM_SIMGRID_FLOWS` names what the script made of other files, under their whole paths.
#[test]
fn flows_over_files_of_others_end_when_they_do_in_simgrid() {
    let Some(json) = std::env::var_os("CLUSTERSIM_SIMGRID_FLOWS") else {
        evidence::skip("CLUSTERSIM_SIMGRID_FLOWS names no flows; `.ci/full simgrid` makes them");
        return;
    };
    compare(&std::fs::read_to_string(json).unwrap(), Path::new(""));
}
