//! Global computing: what packets, forecasts and whole days take.
//!
//! `cargo bench --bench brokers` prints what a packet of a task, a packet of others and a value of
//! a series cost, in events of the bare loop, which takes turns with the rows; then seconds of
//! processor time of whole days, and the memory of whole runs. `-- TEXT` runs only the rows whose
//! name holds TEXT; `--quick` leaves the large rows out and does each once. `-- --count ROW` does
//! the work of one row of days once, for profiles.
//!
//! A row is a whole run without files, its queues and processes made and taken down again, divided
//! by the packets. A day has five clients and ten servers, so a hundred queues of 1 MB/s; packets
//! of others have 10 kB and take 60 % of each, and 300 kB probe each queue once a minute.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::disallowed_methods, reason = "the bare loop draws with the machine's own logarithm")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

#[expect(dead_code, reason = "shared with the kernel's rows, which use more of it")]
mod bare;
mod table;

use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::process::ExitCode;

use bare::{Source, bare_best, median};
use clustersim::system::standard;
use clustersim_experiment::scenario::{Ready, Session, check, from_text};
use clustersim_forecast::{
    Adaptive, Battery, Forecaster, Last, Mean, Select, SlidingMean, SlidingMedian, Smoothing, TrimmedMean,
};
use table::{MemoryRow, Row, Table, Work, repeated, seconds_of};

/// Rounds of a row that is a ratio.
const ROUNDS: usize = 5;

/// Seconds of a run of a scenario, and its resumptions.
fn run(text: &str, base: &Path) -> (f64, u64) {
    let registry = standard();
    let scenario = check(&registry, from_text("bench.toml", text.to_owned(), base, &[])).unwrap();
    let mut events = 0;
    let seconds = seconds_of(|| {
        let Ready { run, .. } = scenario.system.assemble(&registry, &scenario).unwrap();
        let results = run.run(&Session { only_figures: true, ..Session::default() }).unwrap();
        events = black_box(results.figures().events);
    });
    (seconds, events)
}

/// So many clients and servers, each pair with queues of its own that this is the model of; users
/// who send 10 MB again and again.
fn transfers(clients: u32, servers: u32, tasks: u32, queues: &str) -> String {
    format!(
        r#"
title = "Transfers"
seed = 1
platform.server = [{{ name = "s", count = {servers}, performance = "1Gop/s" }}]
platform.queues = {{ bandwidth = "1MBps", packet = "10kB", {queues} }}
scheduler.kind = "round-robin"
predictor.kind = "nominal"
record.tasks = false
[[client]]
name = "c"
count = {clients}
tasks = {tasks}
arrivals = {{ users = 1 }}
class = [{{ send = "10MB" }}]
"#
    )
}

const OTHERS: &str =
    r#"model = { kind = "extraneous", actual = "400kBps", size = { kind = "exponential", mean = "10kB" } }"#;

/// Queues that are looked at once an hour, for so many hours.
fn looked_at(hours: u32) -> String {
    format!(
        r#"
title = "Packets of others"
seed = 1
platform.server = [{{ name = "s", count = 10, performance = "1Gop/s" }}]
platform.queues = {{ bandwidth = "1MBps", {OTHERS} }}
monitor.network = {{ every = "1h", probe = "1B", latency = false }}
predictor.kind = "nominal"
run.until = "{hours}h"
record.tasks = false
client = [{{ name = "c", count = 5, arrivals = "1h", class = [{{ instructions = "1Mop" }}] }}]
"#
    )
}

/// A day of five clients and ten servers.
fn day(model: &str) -> String {
    format!(
        r#"
title = "A day"
seed = 1
platform.server = [{{ name = "s", count = 10, performance = {{ kind = "log-uniform", low = "50Mop/s", high = "500Mop/s" }} }}]
platform.queues = {{ bandwidth = "1MBps", {model} }}
monitor.network = {{ every = "60s", probe = "300kB", stagger = true }}
monitor.server.every = "10s"
scheduler = {{ kind = "greedy", load-correction = true }}
run.until = "24h"
record.tasks = false
[[client]]
name = "c"
count = 5
arrivals = {{ kind = "exponential", mean = "60s" }}
class = [{{ send = "500kB", receive = "200kB", instructions = {{ kind = "exponential", mean = "1Gop" }} }}]
"#
    )
}

const WITHOUT_AUTOREGRESSION: &str = r#"["last", "mean", { kind = "sliding-mean", values = 5 },
{ kind = "sliding-mean", values = 10 }, { kind = "sliding-mean", values = 20 }, { kind = "sliding-mean", values = 30 },
{ kind = "sliding-mean", values = 50 }, { kind = "sliding-median", values = 5 }, { kind = "sliding-median", values = 31 },
{ kind = "trimmed-mean", values = 31 }, { kind = "trimmed-mean", values = 51 }, { kind = "smoothing", gain = 0.05 },
{ kind = "smoothing", gain = 0.1 }, { kind = "smoothing", gain = 0.15 }, { kind = "smoothing", gain = 0.2 },
{ kind = "smoothing", gain = 0.3 }, { kind = "smoothing", gain = 0.4 }, { kind = "smoothing", gain = 0.5 },
{ kind = "smoothing", gain = 0.75 }, { kind = "smoothing", gain = 0.9 }, "adaptive-mean", "adaptive-median"]"#;

/// One client that has so many tasks of ten packets, 100 a second, on so many servers.
fn calls(servers: u32, tasks: u32, record: bool) -> String {
    format!(
        r#"
title = "Calls"
seed = 1
platform.server = [{{ name = "s", count = {servers}, performance = {{ kind = "log-uniform", low = "50Mop/s", high = "500Mop/s" }} }}]
platform.queues = {{ bandwidth = "10MBps" }}
monitor.network = {{ every = "60s", free = true, stagger = true }}
monitor.server = {{ every = "10s", stagger = true }}
predictor = {{ kind = "battery", forecasters = {WITHOUT_AUTOREGRESSION} }}
scheduler = {{ kind = "greedy", load-correction = true }}
record.tasks = {record}
[[client]]
name = "c"
tasks = {tasks}
arrivals = {{ kind = "exponential", mean = "10ms" }}
class = [{{ send = "50kB", receive = "50kB", instructions = {{ kind = "exponential", mean = "100Mop" }} }}]
"#
    )
}

/// What a piece of work costs a packet or value.
struct Share {
    name: &'static str,
    /// Pieces in the work.
    pieces: f64,
    floor: f64,
    goal: f64,
    /// Whether floor and goal are events of the bare loop; else they are microseconds.
    is_ratio: bool,
    work: Work,
}

fn shares() -> Vec<Share> {
    let run = |text: String| -> Work { Box::new(move || run(&text, Path::new("")).0) };
    let packets = |name, text: String| Share {
        name,
        pieces: 1e6,
        floor: 8.0,
        goal: 4.0,
        is_ratio: true,
        work: run(text),
    };
    let hours = 3;
    vec![
        packets("packet, 1 queue", transfers(1, 1, 1_000, "")),
        packets("packet, 10,000 queues", transfers(100, 100, 10, "")),
        Share {
            name: "packet of others",
            pieces: 100.0 * 60.0 * 3_600.0 * f64::from(hours),
            floor: 5.0,
            goal: 2.5,
            is_ratio: true,
            work: run(looked_at(hours)),
        },
        forecasts("battery, a value", Battery::standard(), 20.0, 5.0),
        forecasts("battery without AR, a value", without_autoregression(), 2.0, 0.5),
    ]
}

fn without_autoregression() -> Battery {
    let mut battery = Battery::new();
    let mut push = |forecaster: Box<dyn Forecaster>| battery.push("one".to_owned(), forecaster);
    push(Box::<Last>::default());
    push(Box::<Mean>::default());
    [5, 10, 20, 30, 50].into_iter().for_each(|values| push(Box::new(SlidingMean::new(values))));
    [5, 31].into_iter().for_each(|values| push(Box::new(SlidingMedian::new(values))));
    [31, 51].into_iter().for_each(|values| push(Box::new(TrimmedMean::new(values, 0.3))));
    for gain in [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 0.9] {
        push(Box::new(Smoothing::new(gain)));
    }
    push(Box::new(Adaptive::mean()));
    push(Box::new(Adaptive::median()));
    battery
}

/// A battery that takes in values, and is asked after each.
fn forecasts(name: &'static str, battery: Battery, floor: f64, goal: f64) -> Share {
    let values = 20_000;
    let work = Box::new(move || {
        let (mut battery, source) = (battery.clone(), Source::new());
        seconds_of(|| {
            for _ in 0..values {
                battery.add(100.0 + 50.0 * source.unit());
                black_box(battery.best(Select::Mse).map(|best| best.value));
            }
        })
    });
    Share { name, pieces: f64::from(values), floor, goal, is_ratio: false, work }
}

impl Share {
    fn measure(&self, rounds: usize) {
        let (mut bare, mut seconds) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            bare.push(bare_best(100, 4_000_000));
            seconds.push(repeated(&*self.work));
        }
        let micros = median(seconds) / self.pieces * 1e6;
        let events = micros / 1e6 * median(bare);
        let Share { name, floor, goal, is_ratio, .. } = self;
        let verdict = match if *is_ratio { events } else { micros } {
            less if less <= *goal => "goal reached",
            less if less <= *floor => "floor reached",
            _ => "ABOVE THE FLOOR",
        };
        let unit = if *is_ratio { "events" } else { "us" };
        println!("{name:<32}{micros:>10.4} us{events:>10.2} events{floor:>8} {goal:>4} {unit:<7} {verdict}");
    }
}

fn row(name: &str, tasks: u32, (floor, goal): (f64, f64), text: impl Fn(&Path) -> String + 'static) -> Row {
    let ready = move || -> Work {
        let folder = tempfile::tempdir().unwrap();
        let text = text(folder.path());
        Box::new(move || run(&text, folder.path()).0)
    };
    Row { name: name.to_owned(), tasks, floor, goal, ready: Box::new(ready) }
}

/// A day of which each minute is 400 kB/s give or take, as a file.
fn measured_day(folder: &Path) -> String {
    let source = Source::new();
    let mut series = String::new();
    for minute in 0..1_440 {
        writeln!(series, "{} {}", 60 * minute, 200.0 + 400.0 * source.unit()).unwrap();
    }
    std::fs::write(folder.join("day.txt"), series).unwrap();
    day(r#"model = { kind = "measured", file = "day.txt", unit = "kBps", curve = "cubic" }"#)
}

fn memory(name: &'static str, tasks: u32, record: bool, (floor, goal): (f64, f64)) -> MemoryRow {
    MemoryRow { name, floor, goal, write: Box::new(move |_| calls(100, tasks, record)) }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let is_other = args.iter().any(|arg| arg == "--program" || arg == "--count");
    let is_quick = args.iter().any(|arg| arg == "--quick");
    let text = args.iter().find(|arg| !arg.starts_with("--")).map_or("", String::as_str);
    if !is_other {
        println!("{:<32}{:>13}{:>17}{:>8} {:>4}", "one", "takes", "or", "floor", "goal");
        for share in shares().into_iter().filter(|share| share.name.contains(text)) {
            share.measure(if is_quick { 1 } else { ROUNDS });
        }
        println!();
    }
    let rows = vec![
        row("day, 5.2e8 packets of others", 520_000_000, (120.0, 40.0), |_| day(OTHERS)),
        row("day, measured", 4_464_000, (3.0, 1.0), measured_day),
        row("1,000 servers, 1e6 tasks", 1_000_000, (60.0, 15.0), |_| calls(1_000, 1_000_000, false)),
    ];
    // what is not recorded does not grow once histories of measurements are full
    let memory = vec![
        memory("memory, 1e6 tasks recorded", 1_000_000, true, (200.0, 100.0)),
        memory("memory, 1e6 tasks", 1_000_000, false, (40.0, 20.0)),
        memory("memory, 2e6 tasks", 2_000_000, false, (40.0, 20.0)),
    ];
    Table { rows, memory, growth: |_| () }.print()
}
