//! Spans of the timelines of a run add up to its metrics, in every scenario that comes with the
//! simulator: each timeline declares which metrics are the totals of which spans.

use clustersim::system::standard;
use clustersim_experiment::output::{LaneSource, LaneTotal};
use clustersim_experiment::report::lane_time::seconds;
use clustersim_experiment::scenario::{Override, Results, Session, check, load};

use clustersim_testing::program::repository;

/// Scenarios of which no metric is a time of lanes: flows alone, and a host of two cores, of which
/// the spans of executions do not say how many they share.
const WITHOUT: [&str; 2] = ["given-flows", "simgrid-platform"];

/// Scenarios that are no studies.
fn scenarios() -> Vec<String> {
    let files = std::fs::read_dir(repository("scenarios")).unwrap();
    let names = files.filter_map(|file| file.unwrap().file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".toml").map(ToOwned::to_owned)).collect();
    let is_run = |name: &String| {
        let text = std::fs::read_to_string(repository(&format!("scenarios/{name}.toml"))).unwrap();
        !["[[vary]]", "[repeat]"].iter().any(|table| text.contains(table))
    };
    names.retain(is_run);
    names.sort_unstable();
    names
}

/// A run with everything recorded.
fn run(name: &str) -> Box<dyn Results> {
    let registry = standard();
    let all = Override::set("record.all=true");
    let scenario =
        check(&registry, load(&repository(&format!("scenarios/{name}.toml")), None, &[all])).unwrap();
    let mut ready = scenario.system.assemble(&registry, &scenario).unwrap();
    // activities of processors and servers are recorded where one is to be explained
    drop(ready.explain("processor 0"));
    drop(ready.explain("s-0"));
    Session::of(&scenario).make(&scenario, ready.run).unwrap()
}

/// Totals of a timeline that differ from the metrics, and the number of those that were compared.
fn compared(results: &dyn Results, source: &dyn LaneSource, differing: &mut Vec<String>) -> usize {
    let totals = source.totals();
    let found = seconds(source, &totals);
    let mut compared = 0;
    for (LaneTotal { metrics, causes, whole, .. }, found) in totals.iter().zip(found) {
        let known: Option<Vec<f64>> = metrics.iter().map(|metric| results.figures().number(metric)).collect();
        let Some(known) = known else { continue };
        let expected = known.iter().sum::<f64>() * whole;
        if (found - expected).abs() > 1e-9 * expected.max(1.0) {
            differing.push(format!("{metrics:?} is of {expected} s, and {causes:?} are {found} s"));
        }
        compared += usize::from(found > 0.0);
    }
    compared
}

#[test]
fn spans_of_every_scenario_add_up_to_its_metrics() {
    let (mut differing, mut silent) = (Vec::new(), Vec::new());
    for name in scenarios() {
        let results = run(&name);
        let mut found = Vec::new();
        let both = [results.lanes(), results.explained_lanes()];
        let compared: usize =
            both.iter().flatten().map(|source| compared(&*results, &**source, &mut found)).sum();
        differing.extend(found.into_iter().map(|what| format!("{name}: {what}")));
        if compared == 0 {
            silent.push(name);
        }
    }
    assert_eq!(differing, [""; 0]);
    assert_eq!(silent, WITHOUT);
}
