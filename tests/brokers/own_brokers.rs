//! Schedulers, forecasters and databases of a user's own crate: the examples for global computing
//! as they stand there, with the whole command line.

#[path = "../../examples/own_forecaster.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod forecaster;
#[path = "../../examples/own_resource_db.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod resource_db;
#[path = "../../examples/own_broker_scheduler.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod scheduler;

use std::ffi::OsString;

use clustersim::cli;
use clustersim::registry::Registry;

use clustersim_testing::chapters::leads_to;
use clustersim_testing::program::Place;

/// Runs a scenario with a user's registry, and judges it: the lines of a table, each as its cells.
fn run(registry: &Registry, place: &Place, keys: &[&str], table: &str) -> Vec<Vec<String>> {
    let path = |name: &str| place.path(name).to_str().unwrap().to_owned();
    let status = |words: &[&str]| {
        let words = ["clustersim"].iter().chain(words).map(OsString::from);
        cli::status(registry, words.collect::<Vec<_>>())
    };
    let (out, scenario) = (path("out"), path("s.toml"));
    let mut words = vec!["run", &scenario, "-q", "--no-progress", "--force", "-o", &out];
    words.extend(keys.iter().flat_map(|key| ["--set", key]));
    assert_eq!(status(&words), 0, "{keys:?}");
    assert_eq!(status(&["check", &out]), 0, "{keys:?}");
    let table = String::from_utf8(place.read(&format!("out/{table}"))).unwrap();
    table.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// A server near that is slow, and one far away that is fast; three tasks, one a second.
const TWO_SERVERS: &str = r#"
title = "Near and far"
monitor.server.every = "500ms"
scheduler = { kind = "near-and-idle" }
[platform]
server = [{ name = "near", performance = "100Mop/s" }, { name = "far", performance = "1Gop/s" }]
queue = [{ name = "lan", bandwidth = "10MBps" }, { name = "wan", bandwidth = "1MBps" }]
path = [{ server = "near", send = ["lan"], receive = ["lan"] }, { server = "far", send = ["wan"], receive = ["wan"] }]
[[client]]
name = "c"
tasks = 3
arrivals = "1s"
class = [{ send = "100kB", instructions = "1Gop" }]
"#;

#[test]
fn a_scheduler_of_ones_own_takes_the_near_server_while_that_is_idle() {
    let place = Place::new();
    place.file("s.toml", TWO_SERVERS);
    let registry = scheduler::registry();
    let servers = |keys: &[&str]| -> Vec<String> {
        run(&registry, &place, keys, "tasks.csv").into_iter().map(|row| row[3].clone()).collect()
    };
    assert_eq!(servers(&[]), ["near", "far", "far"]);
    assert_eq!(servers(&["scheduler.busy=4"]), ["near", "near", "near"]);
}

#[test]
fn a_forecaster_of_ones_own_knows_what_repeats() {
    let place = Place::new();
    let values = [1.0, 0.5, 0.25, 0.5];
    let series: Vec<String> = (0..40).map(|step| format!("{} {}\n", 10 * step, values[step % 4])).collect();
    place.file("cpu.txt", series.concat()).file(
        "s.toml",
        r#"
title = "A load that repeats"
platform.server = [{ name = "s", performance = "100Mop/s", availability = "cpu.txt" }]
platform.queues.bandwidth = "1MBps"
monitor.server.every = "10s"
predictor = { kind = "battery", forecasters = [{ kind = "seasonal", period = 4 }] }
record = { measurements = true, forecasts = true }
run.until = "390s"
client = [{ name = "c", tasks = 1, arrivals = "300s", class = [{ instructions = "1Gop" }] }]
"#,
    );
    let rows = run(&forecaster::registry(), &place, &[], "forecasts.csv");
    let rows: Vec<_> = rows.iter().filter(|row| row[1] == "availability").collect();
    assert!(rows.len() > 20, "{rows:?}");
    assert!(rows.iter().all(|row| row[4] == "seasonal 0" && row[5] == row[6]), "{rows:?}");
}

#[test]
fn a_database_of_ones_own_lags() {
    let place = Place::new();
    place.file("cpu.txt", "0 1\n60 0.5\n").file(
        "s.toml",
        r#"
title = "A replica"
platform.server = [{ name = "s", performance = "100Mop/s", availability = "cpu.txt" }]
platform.queues.bandwidth = "1MBps"
monitor.server.every = "10s"
predictor.kind = "last"
client = [{ name = "c", tasks = 1, arrivals = "65s", class = [{ instructions = "1Gop" }] }]
"#,
    );
    let registry = resource_db::registry();
    let predicted = |keys: &[&str]| run(&registry, &place, keys, "tasks.csv")[0][14].clone();
    assert_eq!(predicted(&[]), "20");
    assert_eq!(predicted(&["database={ kind = 'replica', behind = 0 }"]), "20");
    assert_eq!(predicted(&["database={ kind = 'replica', behind = 1 }"]), "10");
}

#[test]
fn the_chapter_leads_to_its_programs() {
    leads_to("docs/global-computing.md", &["own_broker_scheduler", "own_forecaster", "own_resource_db"]);
}
