//! Lanes that are explained: processors, hosts, links, servers, queues and windows of any system,
//! and their sums, which are those of the metrics.

use std::io;

use clustersim::system::standard;
use clustersim_experiment::output::{Arrow, Label, LaneSink};
use clustersim_experiment::report::lane::explanation;
use clustersim_experiment::scenario::{Results, Session, check, load};
use clustersim_kernel::SimTime;
use clustersim_language::collections::Interval;
use clustersim_language::registry::Registry;

use crate::own_system::example;
use clustersim_testing::program::{Place, repository};

/// Names of lanes.
#[derive(Default)]
struct Names(Vec<String>);

impl LaneSink for Names {
    fn lane(&mut self, _: u32, name: &str) -> io::Result<()> {
        self.0.push(name.to_owned());
        Ok(())
    }

    fn begin(&mut self, _: SimTime, _: &[Interval], _: Label<'_>) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, _: SimTime, _: &[Interval]) -> io::Result<()> {
        Ok(())
    }

    fn mark(&mut self, _: SimTime, _: u32, _: Label<'_>, _: Arrow) -> io::Result<()> {
        Ok(())
    }

    fn count(&mut self, _: SimTime, _: usize, _: u64) -> io::Result<()> {
        Ok(())
    }
}

/// A run of a shipped scenario of which a lane is to be explained.
fn run(registry: &Registry, file: &str, lane: &str) -> Box<dyn Results> {
    let scenario = check(registry, load(&repository(file), None, &[])).unwrap();
    let mut ready = scenario.system.assemble(registry, &scenario).unwrap();
    assert!(ready.explain("no such lane").is_err());
    assert_eq!(ready.explain(lane).unwrap().as_deref(), Some(lane));
    Session::of(&scenario).make(&scenario, ready.run).unwrap()
}

/// Lanes of a run whose names are of a sort.
fn lanes(results: &dyn Results, is_of: impl Fn(&str) -> bool) -> Vec<String> {
    let mut names = Names::default();
    results.explained_lanes().unwrap().push(&mut names).unwrap();
    // spans that overlap are on further lanes, which have a number
    let is_further = |name: &str| {
        let number = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")).map(|(_, number)| number);
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    names.0.into_iter().filter(|name| !is_further(name) && is_of(name)).collect()
}

/// Seconds that lanes spend for a cause.
fn seconds(results: &dyn Results, lanes: &[String], cause: &str) -> f64 {
    let source = results.explained_lanes().unwrap();
    let ended = results.figures().ended;
    let of = |lane: &String| explanation(&*source, lane, ended).members["seconds"][cause].as_f64().unwrap();
    lanes.iter().map(of).sum()
}

#[track_caller]
fn agree(found: f64, expected: f64) {
    assert!(found > 0.0 && (found - expected).abs() < 1e-9 * expected, "{found}, not {expected}");
}

#[test]
fn processors_run_jobs_for_the_time_that_utilization_is_of() {
    let over = run(&standard(), "scenarios/quickstart.toml", "processor 7");
    let number = |metric| over.figures().number(metric).unwrap();
    let all = lanes(over.as_ref(), |_| true);
    assert_eq!(all.len(), 100);
    agree(seconds(over.as_ref(), &all, "runs"), number("utilization") * 100.0 * number("makespan"));
}

#[test]
fn processors_of_nodes_are_explained_by_their_activities() {
    let over = run(&standard(), "scenarios/coscheduling.toml", "processor 7");
    let number = |metric: &str| over.figures().number(metric).unwrap();
    let all = lanes(over.as_ref(), |_| true);
    let of = |cause: &str| seconds(over.as_ref(), &all, cause);
    let compute = of("compute");
    agree(of("spin") / compute, number("profile.spin") / number("profile.compute"));
    agree(of("io-wait") / compute, number("profile.io-wait") / number("profile.compute"));
}

#[test]
fn cores_of_hosts_compute_tasks_for_the_time_in_use_and_lose_others() {
    let over = run(&standard(), "scenarios/failing-hosts.toml", "site-0");
    let number = |metric| over.figures().number(metric).unwrap();
    let all = lanes(over.as_ref(), |_| true);
    let used = number("utilization");
    agree(seconds(over.as_ref(), &all, "computes"), number("idle-time") * used / (1.0 - used));
    assert!(seconds(over.as_ref(), &all, "lost") > 0.0 && seconds(over.as_ref(), &all, "carries") > 0.0);
}

#[test]
fn processors_and_links_of_a_sweep_add_up_to_its_metrics() {
    let over = run(&standard(), "scenarios/parameter-sweep.toml", "link of fast");
    let number = |metric| over.figures().number(metric).unwrap();
    let (is_link, makespan) = (|name: &str| name.starts_with("link "), number("makespan"));
    let (links, processors) = (lanes(over.as_ref(), is_link), lanes(over.as_ref(), |name| !is_link(name)));
    let whole = |lanes: &[String]| lanes.len() as f64 * makespan;
    let computes = seconds(over.as_ref(), &processors, "computes");
    agree(computes, number("processor-time.computing") * whole(&processors));
    agree(seconds(over.as_ref(), &links, "carries"), number("link-utilization") * whole(&links));
}

#[test]
fn hosts_of_agents_execute_for_the_time_that_they_are_busy() {
    let over = run(&standard(), "scenarios/agents.toml", "server");
    let number = |metric| over.figures().number(metric).unwrap();
    let hosts = lanes(over.as_ref(), |_| true);
    let whole = hosts.len() as f64 * number("makespan");
    agree(seconds(over.as_ref(), &hosts, "execute"), number("host-utilization.mean") * whole);
    let flows = run(&standard(), "scenarios/given-flows.toml", "uplink");
    assert!(seconds(flows.as_ref(), &["uplink".to_owned()], "carries") > 0.0);
}

#[test]
fn windows_of_an_own_system_are_explained_with_nothing_but_their_lanes() {
    let over = run(&example::registry(), "examples/own_system.toml", "window 2");
    let number = |metric| over.figures().number(metric).unwrap();
    let windows = lanes(over.as_ref(), |_| true);
    let [serves, idle] = ["serves", "idle"].map(|cause| seconds(over.as_ref(), &windows, cause));
    assert!((serves / (serves + idle) - number("windows.busy")).abs() < 1e-3);
}

#[test]
fn servers_and_queues_are_explained_on_the_command_line() {
    let place = Place::new();
    place.file(
        "calls.toml",
        "title = \"One task\"\nscheduler = \"round-robin\"\n\
         platform.server = [{ name = \"s\", performance = \"100Mop/s\" }]\n\
         platform.queue = [{ name = \"up\", bandwidth = \"100kBps\" }, { name = \"down\", bandwidth = \"50kBps\" }]\n\
         platform.path = [{ send = [\"up\"], receive = [\"down\"] }]\n\
         client = [{ name = \"c\", tasks = 1, arrivals = \"0s\", class = [{ send = \"1000kB\", \
         receive = \"200kB\", instructions = \"500Mop\" }] }]\n",
    );
    let expected = [
        ("s", "executes", 5.0),
        ("up", "carries", 10.0),
        ("down", "carries", 4.0),
        ("c sends", "sends", 10.0),
    ];
    for (lane, cause, expected) in expected {
        let done = place.run(&["run", "calls.toml", "--explain", lane, "--json", "-o", "out", "--force"]);
        assert_eq!(done.status, 0, "{}", done.stderr);
        let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        let found = json["explanation"]["seconds"][cause].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-6, "{lane}: {found}\n{}", done.stdout);
    }
    let none = place.run(&["run", "calls.toml", "--explain", "d", "-o", "out", "--force"]);
    assert_eq!(none.status, 2, "{}", none.stderr);
}
