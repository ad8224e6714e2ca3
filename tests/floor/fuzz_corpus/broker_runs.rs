//! What holds for any few clients that call any few servers over any queues, with any scheduling
//! unit, run and judged.
//!
//! The bytes are decisions, one after another; behind the last all are 0. They make a scenario and
//! the files that it names, so everything from the language to the judge takes part.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::drawn::{self, Bytes};

/// Why a run does not come to its end: it takes more steps than a fuzzer has time for.
const REASONS: &[&str] = &["is too large", "no progress"];

/// Decisions in a row after which a run that gets nowhere is given up, and how many of others may
/// gather before work.
const PATIENCE: usize = 300;

/// A run keeps every promise, or there is a reason why not.
pub(crate) fn check(bytes: &[u8]) {
    let _ = outcome(bytes);
}

/// How it went: to the end, or the reason why not.
pub(crate) fn outcome(bytes: &[u8]) -> Result<(), String> {
    drawn::outcome(scenario, bytes, REASONS)
}

// writing into a String cannot fail

fn scenario(bytes: &mut Bytes<'_>, folder: &Path) -> String {
    let mut text = String::from("title = 'Drawn'\ndetail = 'brokers'\n");
    files(bytes, folder);
    let widest = servers(bytes, &mut text);
    queues(bytes, &mut text);
    clients(bytes, &mut text, widest);
    monitors(bytes, &mut text);
    unit(bytes, &mut text);
    let until = bytes.pick(&["", "", "until = '100s'", "until = '300s'"]);
    let warm_up = bytes.pick(&["", "", "warm-up = '20s'"]);
    let _ = writeln!(text, "[run]\ngive-up-after = {PATIENCE}\n{until}\n{warm_up}");
    let [measurements, forecasts, packets, regret, agreement] = [(); 5].map(|()| bytes.below(8) != 7);
    let _ = writeln!(
        text,
        "[record]\nmeasurements = {measurements}\nforecasts = {forecasts}\npackets = {packets}\nregret = {regret}\nagreement = {agreement}"
    );
    text
}

/// Series, and instants of arrivals and of measurements that are dropped.
fn files(bytes: &mut Bytes<'_>, folder: &Path) {
    let mut series = |unit: f64, least: usize| {
        let (mut text, mut at) = (String::new(), 0);
        for _ in 0..=bytes.below(8) {
            let _ = writeln!(text, "{at} {}", (least + bytes.below(20)) as f64 * unit);
            at += 1 + bytes.below(60);
        }
        // the last value holds for ever, and nothing would arrive at 1 byte a second
        let _ = writeln!(text, "{at} {}", (1 + bytes.below(20)) as f64 * unit);
        text
    };
    let (net, other, cpu) = (series(5_000.0, 1), series(20_000.0, 0), series(0.05, 1));
    let mut instants = |step: usize| {
        let (mut text, mut at) = (String::new(), 0);
        for _ in 0..=bytes.below(9) {
            at += bytes.below(step);
            let _ = writeln!(text, "{at}");
        }
        text
    };
    let (arrivals, dropped) = (instants(30), instants(20));
    for (name, text) in [
        ("net.txt", net),
        ("other.txt", other),
        ("cpu.txt", cpu),
        ("arrivals.txt", arrivals),
        ("dropped.txt", dropped),
    ] {
        fs::write(folder.join(name), text).expect("a file of the scenario");
    }
}

const DISCIPLINES: &[&str] = &["fcfs", "priority", "ps", "sjf"];
const OF_QUEUES: &[&str] = &["fcfs", "fair", "priority", "ps"];
const CURVES: &[&str] = &["step", "linear", "cubic"];

/// Some servers; how many processors the widest has.
fn servers(bytes: &mut Bytes<'_>, text: &mut String) -> usize {
    let mut widest = 1;
    for server in 0..=bytes.below(3) {
        let (performance, procs) = (10 * (1 + bytes.below(20)), 1 + bytes.below(3));
        widest = widest.max(procs);
        let discipline = bytes.pick(DISCIPLINES);
        let _ = writeln!(
            text,
            "[[platform.server]]\nname = 's{server}'\ncount = {}\nprocs = {procs}\ndiscipline = '{discipline}'",
            1 + bytes.below(2)
        );
        let _ = match bytes.below(4) {
            3 => writeln!(
                text,
                "performance = {{ kind = 'uniform', low = '10Mop/s', high = '{}Mop/s' }}",
                performance + 10
            ),
            _ => writeln!(text, "performance = '{performance}Mop/s'"),
        };
        if bytes.below(3) == 2 {
            let (share, mean) = (10 * bytes.below(9), 10 * (1 + bytes.below(40)));
            let size = bytes.pick(&["exponential", "constant"]);
            let size = match size {
                "constant" => format!("'{mean}Mop'"),
                kind => format!("{{ kind = '{kind}', mean = '{mean}Mop' }}"),
            };
            let _ =
                writeln!(text, "load = {{ kind = 'extraneous', utilization = '{share}%', size = {size} }}");
        }
        if bytes.below(3) == 2 {
            let _ = writeln!(text, "availability = {{ file = 'cpu.txt', curve = '{}' }}", bytes.pick(CURVES));
        }
        if bytes.below(4) == 3 {
            let (after, repair) = (20 + bytes.below(200), bytes.below(60));
            let _ = writeln!(
                text,
                "failures = {{ after = {{ kind = 'exponential', mean = '{after}s' }}, repair = '{repair}s' }}"
            );
        }
        if bytes.below(4) == 3 {
            let _ = writeln!(text, "price = {}", bytes.below(5));
        }
    }
    widest
}

/// The keys of a queue but its name.
fn queue(bytes: &mut Bytes<'_>) -> String {
    let (bandwidth, latency) = (10 + 10 * bytes.below(30), bytes.below(4) * 150);
    let discipline = bytes.pick(OF_QUEUES);
    let model = match bytes.below(5) {
        0 | 1 => "'ideal'".to_owned(),
        2 | 3 => {
            let actual = 2 + bytes.below(bandwidth);
            let spread = bytes.pick(&["", ", spread = '3kBps', every = '20s'"]);
            let size = bytes.pick(&[
                "'4kB'",
                "{ kind = 'exponential', mean = '10kB' }",
                "{ kind = 'uniform', low = '1kB', high = '20kB' }",
            ]);
            format!("{{ kind = 'extraneous', actual = '{actual}kBps', size = {size}{spread} }}")
        }
        _ => {
            let (file, curve) = (bytes.pick(&["net.txt", "other.txt"]), bytes.pick(CURVES));
            format!("{{ kind = 'measured', file = '{file}', unit = 'Bps', curve = '{curve}' }}")
        }
    };
    format!(
        "bandwidth = '{bandwidth}kBps'\nlatency = '{latency}ms'\ndiscipline = '{discipline}'\nmodel = {model}\n"
    )
}

/// The queues of paths without a name, and some that are shared.
fn queues(bytes: &mut Bytes<'_>, text: &mut String) {
    let packet = bytes.pick(&["10kB", "3kB", "50kB", "1MB"]);
    let _ = writeln!(text, "[platform.queues]\npacket = '{packet}'\n{}", queue(bytes));
    let shared = bytes.below(4);
    for number in 0..shared {
        let _ = writeln!(text, "[[platform.queue]]\nname = 'q{number}'\n{}", queue(bytes));
    }
    if shared == 0 {
        return;
    }
    for _ in 0..=bytes.below(2) {
        let mut route = || {
            let names: Vec<String> =
                (0..=bytes.below(2)).map(|_| format!("'q{}'", bytes.below(shared))).collect();
            names.join(", ")
        };
        let (send, receive) = (route(), route());
        let (client, server) = (bytes.pick(&["*", "c0*"]), bytes.pick(&["*", "s0*"]));
        let _ = writeln!(
            text,
            "[[platform.path]]\nclient = '{client}'\nserver = '{server}'\nsend = [{send}]\nreceive = [{receive}]"
        );
    }
}

fn clients(bytes: &mut Bytes<'_>, text: &mut String, widest: usize) {
    for client in 0..=bytes.below(2) {
        let (count, tasks) = (1 + bytes.below(2), bytes.below(14));
        let mean = 1 + bytes.below(40);
        let arrivals = match bytes.below(6) {
            0 | 1 => format!("{{ kind = 'exponential', mean = '{mean}s' }}"),
            2 => format!("'{}s'", mean / 8),
            3 => format!("{{ load = '{}%' }}", 10 + 10 * bytes.below(12)),
            4 => format!("{{ users = {}, think = '{}s' }}", 1 + bytes.below(3), mean / 4),
            _ => "{ file = 'arrivals.txt' }".to_owned(),
        };
        let _ = writeln!(
            text,
            "[[client]]\nname = 'c{client}'\ncount = {count}\ntasks = {tasks}\narrivals = {arrivals}"
        );
        for _ in 0..=bytes.below(2) {
            let sizes = match bytes.below(8) {
                6 => "preset = 'linpack'\nn = 200\n".to_owned(),
                7 => "preset = 'ep'\nn = 27\n".to_owned(),
                _ => {
                    let [send, receive] = [(); 2].map(|()| bytes.below(6) * bytes.below(50));
                    // of a load the mean must be above 0
                    let instructions = 1 + 20 * bytes.below(60);
                    format!(
                        "send = '{send}kB'\nreceive = '{receive}kB'\ninstructions = {{ kind = 'exponential', mean = '{instructions}Mop' }}\n"
                    )
                }
            };
            let deadline = match bytes.below(4) {
                0 => String::new(),
                1 => format!("deadline-after = '{}s'\n", 1 + bytes.below(60)),
                _ => format!("deadline = {}\n", 1 + bytes.below(5)),
            };
            let _ = writeln!(
                text,
                "[[client.class]]\n{sizes}{deadline}weight = {}\npriority = {}\nprocs = {}",
                1 + bytes.below(3),
                bytes.below(3),
                1 + bytes.below(widest)
            );
        }
    }
}

fn monitors(bytes: &mut Bytes<'_>, text: &mut String) {
    let common = |bytes: &mut Bytes<'_>| {
        let stagger = bytes.below(2) == 1;
        let drop = bytes.pick(&["", "", "drop = '20%'\n", "drop-at = 'dropped.txt'\n"]);
        format!(
            "every = '{}s'\nphase = '{}s'\nstagger = {stagger}\n{drop}",
            5 + bytes.below(60),
            bytes.below(9)
        )
    };
    if bytes.below(4) != 3 {
        let [free, latency] = [(); 2].map(|()| bytes.below(3) == 2);
        let timeout = bytes.pick(&["", "", "timeout = '2s'\n", "timeout = '90s'\n"]);
        let (probe, common) = (1 + bytes.below(60), common(bytes));
        let _ = writeln!(
            text,
            "[monitor.network]\nprobe = '{probe}kB'\nfree = {free}\nlatency = {latency}\n{timeout}{common}"
        );
    }
    if bytes.below(4) != 3 {
        let cost = bytes.pick(&["0op", "0op", "5Mop"]);
        let _ = writeln!(text, "[monitor.server]\ncost = '{cost}'\n{}", common(bytes));
    }
}

/// The scheduling unit: everything but foreign programs.
fn unit(bytes: &mut Bytes<'_>, text: &mut String) {
    let predictors = drawn::names("predictor", &["program"]);
    let predictor = &predictors[bytes.below(predictors.len())];
    let _ = writeln!(text, "[predictor]\nkind = '{predictor}'");
    if predictor == "battery" {
        let forecasters = bytes.pick(&[
            "",
            "forecasters = ['last']",
            "forecasters = ['mean', { kind = 'smoothing', gain = 0.5 }]",
        ]);
        let (select, horizon) = (bytes.pick(&["mse", "mae"]), 1 + bytes.below(3));
        let window = bytes.pick(&["", "window = 3"]);
        let _ = writeln!(text, "{forecasters}\nselect = '{select}'\nhorizon = {horizon}\n{window}");
    }
    let schedulers = drawn::names("broker", &["program"]);
    let scheduler = &schedulers[bytes.below(schedulers.len())];
    let (corrects, fallbacks) = (bytes.below(2) == 1, bytes.below(3));
    let opt = bytes.pick(&["", "opt = 0.9", "opt = 0.4"]);
    let used = bytes.pick(&["first", "first", "first", "all"]);
    let query = bytes.pick(&["'0s'", "'500ms'", "{ kind = 'exponential', mean = '2s' }"]);
    let _ = writeln!(
        text,
        "[scheduler]\nkind = '{scheduler}'\nload-correction = {corrects}\nfallbacks = {fallbacks}\n{opt}\nuse = '{used}'\nquery-time = {query}"
    );
    if bytes.below(3) == 2 {
        let _ = writeln!(text, "[database]\nkind = 'memory'\nhistory = {}", 1 + bytes.below(5));
    }
}
