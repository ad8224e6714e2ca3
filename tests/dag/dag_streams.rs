//! Streams of workflows of which each is planned over what is planned: every run keeps what the
//! judge of runs asks for.

use std::fmt::Write as _;

use clustersim_testing::program::Place;

/// The next of a fixed series of numbers below a bound.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

fn drawn(seed: u64) -> String {
    let mut draws = Draws(seed);
    let mut text = format!("title = \"Test\"\nseed = {seed}\n");
    let kind = draws.of(&[
        "kind = \"random\", tasks = 9",
        "kind = \"montage-like\", images = 3",
        "kind = \"fork-join\", stages = 2, width = 4",
        "kind = \"stencil\", rows = 3, columns = 3",
        "kind = \"lu\", tiles = 4",
    ]);
    let every = draws.of(&["10s", "40s", "5min"]);
    let cache = draws.of(&["", ", file-cache = true"]);
    let _ = writeln!(text, "application = {{ {kind}, count = 3, arrivals = \"{every}\"{cache} }}");
    let rule = draws.of(&["heft", "min-min", "etf", "random", "round-robin", "peft", "dls-dagsim", "cpop"]);
    let replan = draws.of(&["", "", ", replan = { every = 3 }", ", replan = { on-deviation = \"10%\" }"]);
    let _ = writeln!(text, "scheduler = {{ kind = \"{rule}\", merge = \"append\"{replan} }}");
    let hosts = 2 + draws.below(3);
    let speed = draws.of(&["\"1Gf\"", "{ kind = \"uniform\", low = \"0.7Gf\", high = \"1.4Gf\" }"]);
    let bandwidth = draws.of(&["\"100kBps\"", "\"1MBps\"", "\"10MBps\""]);
    let cores = 1 + draws.below(2);
    let load = draws.of(&["", "load = { kind = \"uniform\", low = 0, high = 0.5, every = \"10s\" }\n"]);
    let _ = write!(
        text,
        "[[platform.cluster]]\nname = \"g\"\ntopology = \"mesh\"\nhosts = {hosts}\ncores = {cores}\nspeed = {speed}\n\
         bandwidth = {bandwidth}\n{load}"
    );
    let prediction =
        draws.of(&["kind = \"uniform\"\nerror = \"20%\"", "kind = \"mean\"", "kind = \"forecast\""]);
    let links = draws.of(&["planned", "planned", "contention-free", "ready"]);
    let _ = write!(
        text,
        "[prediction]\n{prediction}\n[run]\nlinks = \"{links}\"\n[record]\ntransfers = true\nloads = true\n"
    );
    text
}

#[test]
fn drawn_streams_that_append_keep_every_promise() {
    let place = Place::new();
    for seed in 0..60 {
        place.file("scenario.toml", drawn(seed));
        let output = place.run(&["run", "scenario.toml", "-q", "--no-progress", "--force", "-o", "out"]);
        assert_eq!(output.status, 0, "{}: {}", drawn(seed), output.stderr);
        let judged = place.run(&["check", "out"]);
        assert_eq!(judged.status, 0, "{}: {}", drawn(seed), judged.stdout);
    }
}

/// Workflows of one task on a single core, that come one by one: with exponential gaps and times, a
/// queue of which the mean response time is 1 / (1 - load) mean times.
fn single_tasks(count: u32, arrivals: &str) -> String {
    format!(
        "title = \"Queue\"\nscheduler = {{ kind = \"olb\", merge = \"append\" }}\n\
         [application]\nkind = \"random\"\ntasks = 1\ncount = {count}\narrivals = {arrivals}\n\
         cost = {{ kind = \"exponential\", mean = \"10Gf\" }}\n\
         [[platform.host]]\nname = \"h\"\nspeed = \"1Gf\"\n"
    )
}

#[test]
fn means_of_a_stream_have_half_widths_and_those_of_a_set_have_none() {
    let place = Place::new();
    place.file("stream.toml", single_tasks(2000, "{ kind = \"exponential\", mean = \"20s\" }"));
    let output = place.run(&["run", "stream.toml", "-q", "--json", "-o", "stream"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let summary: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let [mean, half_width] = ["value", "half-width"]
        .map(|member| summary["metrics"]["response-time.mean"][member].as_f64().unwrap());
    assert!((mean - 20.0).abs() <= half_width && half_width < 3.0, "{mean} ± {half_width}");
    assert!(summary["metrics"]["normalized-response-time.mean"]["half-width"].is_number());
    assert!(summary["metrics"]["makespan"]["half-width"].is_null());
    assert_eq!(place.run(&["check", "stream"]).status, 0);
    place.file("set.toml", single_tasks(200, "\"0s\""));
    let output = place.run(&["run", "set.toml", "-q", "--json", "-o", "set"]);
    let summary: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(summary["interval"], "none", "{}", output.stderr);
}
