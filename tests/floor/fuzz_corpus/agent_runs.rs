//! What holds for any few agents on any small platform, with flows, background traffic and
//! failures, run and judged.
//!
//! The bytes are decisions, one after another; behind the last all are 0.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::drawn::{self, Bytes};

/// Why a run does not come to its end: a failure takes an agent, or what was sent, for which
/// another waits for ever.
const REASONS: &[&str] = &["the run is too large", "deadlock", "no progress"];

/// How it went: to the end, or the reason why not.
pub(crate) fn outcome(bytes: &[u8]) -> Result<(), String> {
    drawn::outcome(scenario, bytes, REASONS)
}

// writing into a String cannot fail

fn scenario(bytes: &mut Bytes<'_>, folder: &Path) -> String {
    let seed = bytes.below(256);
    let mut text = format!("title = 'Drawn'\nseed = {seed}\n");
    let until = bytes.pick(&["", "", "", "until = '40s'", "until = '500s'"]);
    let _ = writeln!(text, "[run]\n{until}\ngive-up-after = 2000");
    let [tasks, operations] = [(); 2].map(|()| bytes.below(8) != 7);
    let _ = writeln!(text, "[record]\ntasks = {tasks}\noperations = {operations}\nreport = false");
    let fails = bytes.below(3) == 2;
    traces(bytes, folder, fails);
    let hosts = platform(bytes, &mut text, fails);
    network(bytes, &mut text);
    agents(bytes, &mut text, &hosts);
    if bytes.below(3) == 2 {
        let (from, to) = (host(bytes, &hosts), host(bytes, &hosts));
        let (size, gap) = (bytes.below(200), 1 + bytes.below(20));
        let _ = writeln!(
            text,
            "[[platform.traffic]]\nfrom = ['{from}']\nto = ['h*', '{to}']\nsize = '{size}kB'\n\
             interval = {{ kind = 'exponential', mean = '{gap}s' }}\nstart = '{}s'\ncount = {}",
            bytes.below(9),
            1 + bytes.below(9)
        );
    }
    for number in 0..bytes.below(12).saturating_sub(6) {
        let (from, to) = (host(bytes, &hosts), host(bytes, &hosts));
        let (size, start) = (bytes.pick(&["0kB", "7B", "30kB", "1MB", "5MB"]), bytes.below(100));
        let cap = bytes.pick(&["", "rate-cap = '10kBps'", "rate-cap = '300kBps'"]);
        let _ = writeln!(
            text,
            "[[flows.flow]]\nname = 'f{number}'\nfrom = '{from}'\nto = '{to}'\nsize = '{size}'\nstart = '{start}s'\n{cap}"
        );
    }
    text
}

fn host(bytes: &mut Bytes<'_>, hosts: &[String]) -> String {
    hosts[bytes.below(hosts.len())].clone()
}

/// Values over time, of hosts and of links.
fn traces(bytes: &mut Bytes<'_>, folder: &Path, fails: bool) {
    let mut series = |values: &[&str]| {
        let (mut text, mut at) = (String::from("PERIODICITY 20\n"), 0);
        for _ in 0..=bytes.below(5) {
            let _ = writeln!(text, "{at} {}", bytes.pick(values));
            at += 1 + bytes.below(30);
        }
        // what is nought for ever ends nothing
        let _ = writeln!(text, "{at} {}", values[0]);
        text
    };
    let states: &[&str] = if fails { &["1", "1", "0"] } else { &["1"] };
    for (name, values) in [
        ("cpu.trace", &["0.5", "1", "0.1", "0"][..]),
        ("bandwidth.trace", &["200000", "50000", "1000000"]),
        ("latency.trace", &["0.001", "0", "0.5"]),
        ("state.trace", states),
    ] {
        fs::write(folder.join(name), series(values)).expect("a file of the scenario");
    }
}

/// Hosts that all reach each other; their names.
fn platform(bytes: &mut Bytes<'_>, text: &mut String, fails: bool) -> Vec<String> {
    if bytes.below(3) == 2 {
        return cluster(bytes, text, fails);
    }
    let hosts: Vec<String> = (0..=bytes.below(6)).map(|number| format!("h{number}")).collect();
    for name in &hosts {
        let (speed, cores) = (1 + bytes.below(20), 1 + bytes.below(3));
        let _ = writeln!(text, "[[platform.host]]\nname = '{name}'\nspeed = '{speed}0Mf'\ncores = {cores}");
        let more = [
            "availability-trace = 'cpu.trace'",
            "availability = 0.3",
            "load = { kind = 'uniform', low = 0, high = 0.9 }",
        ];
        let _ = writeln!(text, "{}", more.get(bytes.below(8)).copied().unwrap_or_default());
        if fails && bytes.below(2) == 1 {
            text.push_str("state-trace = 'state.trace'\n");
        }
    }
    let links = 1 + bytes.below(hosts.len());
    for link in 0..links {
        let (rate, latency) = (1 + bytes.below(30), bytes.pick(&["0s", "1ms", "70ms", "2s"]));
        let sharing = bytes.pick(&["shared", "shared", "fatpipe"]);
        let _ = writeln!(
            text,
            "[[platform.link]]\nname = 'l{link}'\nbandwidth = '{rate}0kBps'\nlatency = '{latency}'\nsharing = '{sharing}'"
        );
        let more = ["bandwidth-trace = 'bandwidth.trace'", "latency-trace = 'latency.trace'"];
        let _ = writeln!(text, "{}", more.get(bytes.below(8)).copied().unwrap_or_default());
        if fails && bytes.below(4) == 3 {
            text.push_str("state-trace = 'state.trace'\n");
        }
    }
    for (number, from) in hosts.iter().enumerate() {
        for (other, to) in hosts.iter().enumerate().skip(number + 1) {
            let (one, two) = (number % links, other % links);
            let route = if one == two { format!("'l{one}'") } else { format!("'l{one}', 'l{two}'") };
            let _ = writeln!(text, "[[platform.route]]\nfrom = '{from}'\nto = '{to}'\nlinks = [{route}]");
        }
    }
    hosts
}

fn cluster(bytes: &mut Bytes<'_>, text: &mut String, fails: bool) -> Vec<String> {
    let (topology, more, count) = match bytes.below(5) {
        0 => ("star", "backbone = { bandwidth = '500kBps', latency = '1ms' }", 1 + bytes.below(6)),
        1 => ("torus", "dimensions = [2, 3]", 6),
        2 => ("fat-tree", "down = [2, 2]\nup = [1, 2]\ncables = [1, 1]", 4),
        3 => ("mesh", "", 1 + bytes.below(6)),
        _ => ("crossbar", "", 1 + bytes.below(6)),
    };
    let sharing = bytes.pick(&["shared", "split-duplex", "fatpipe"]);
    let sharing = if topology == "mesh" { String::new() } else { format!("sharing = '{sharing}'") };
    let (speed, rate) = (1 + bytes.below(20), 1 + bytes.below(30));
    let _ = writeln!(
        text,
        "[[platform.cluster]]\nname = 'c'\nprefix = 'h'\ntopology = '{topology}'\n{more}\nhosts = {count}\ncores = {}\n\
         speed = {{ kind = 'uniform', low = '{speed}Mf', high = '{speed}0Mf' }}\nbandwidth = '{rate}0kBps'\nlatency = '{}'\n{sharing}",
        1 + bytes.below(3),
        bytes.pick(&["0s", "2ms", "100ms"])
    );
    if fails {
        let (up, down) = (20 + bytes.below(200), bytes.below(60));
        let _ = writeln!(
            text,
            "failures = {{ up = {{ kind = 'exponential', mean = '{up}s' }}, down = '{down}s' }}"
        );
    }
    (0..count).map(|number| format!("h{number}")).collect()
}

fn network(bytes: &mut Bytes<'_>, text: &mut String) {
    let discipline = bytes.pick(&["fifo", "frfo", "shared"]);
    let _ = match bytes.below(6) {
        0..=2 => writeln!(text, "[platform.network]\nkind = 'flow'"),
        3 => writeln!(
            text,
            "[platform.network]\nkind = 'flow'\nlatency-factor = 13.01\nbandwidth-factor = 0.97\nweight-size = '20537B'\n\
             cross-traffic = 0.05\ntcp-window = '64KiB'"
        ),
        4 => {
            let size = 5 + 10 * bytes.below(10);
            writeln!(
                text,
                "[platform.network]\nkind = 'packet'\nsize = '{size}kB'\ndiscipline = '{discipline}'"
            )
        }
        _ => writeln!(text, "[platform.network]\nkind = 'store-and-forward'\ndiscipline = '{discipline}'"),
    };
}

/// One or two programs, each of some agents.
fn agents(bytes: &mut Bytes<'_>, text: &mut String, hosts: &[String]) {
    let first = bytes.below(5);
    program(first, bytes, text, hosts);
    let second = bytes.below(10);
    if second < 5 && second != first {
        program(second, bytes, text, hosts);
    }
}

fn program(which: usize, bytes: &mut Bytes<'_>, text: &mut String, hosts: &[String]) {
    let (data, work) =
        (bytes.pick(&["0B", "1B", "40kB", "700kB"]), bytes.pick(&["0f", "10Mf", "1f", "200Mf"]));
    let costs = format!("data = '{data}', work = '{work}'");
    let count = bytes.below(30);
    let one = match which {
        0 => {
            let strategy =
                bytes.pick(&["workqueue", "cpu", "bandwidth", "throughput-literal", "throughput-swapped"]);
            let (serves, knows) = (bytes.pick(&["at-once", "full-pool"]), bytes.pick(&["nominal", "probed"]));
            let pool = bytes.pick(&["", ", pool = 1", ", pool = 3"]);
            format!(
                "kind = 'master', tasks = {count}, {costs}, strategy = '{strategy}', serves = '{serves}', knows = '{knows}'{pool}"
            )
        }
        1 => format!("kind = 'dispatcher', tasks = {count}, {costs}, ahead = {}", 1 + bytes.below(4)),
        2 => {
            let (order, shares) = (bytes.pick(&["bandwidth", "scenario"]), bytes.pick(&["optimal", "equal"]));
            let rounds = 1 + bytes.below(4);
            format!(
                "kind = 'divisible-master', {costs}, order = '{order}', shares = '{shares}', rounds = {rounds}"
            )
        }
        3 => format!("kind = 'ring-peer', rounds = {}, {costs}", count % 6),
        _ => format!("kind = 'token-player', tokens = {}, passes = {}, {costs}", 1 + count % 4, 1 + count),
    };
    let others = ["'worker'", "'server'", "'divisible-worker'"];
    let others = others.get(which).map_or_else(|| format!("{{ {one} }}"), |other| (*other).to_owned());
    let place = |bytes: &mut Bytes<'_>| match bytes.below(3) {
        0 => "hosts = ['*']".to_owned(),
        _ => format!("host = '{}'", host(bytes, hosts)),
    };
    if which < 3 {
        let _ = writeln!(text, "[[agent]]\nhost = '{}'\nrole = {{ {one} }}", host(bytes, hosts));
    }
    for _ in 0..=bytes.below(2) {
        let place = place(bytes);
        let _ = writeln!(text, "[[agent]]\n{place}\nrole = {others}\neach = {}", 1 + bytes.below(2));
        let more = ["start = '3s'", "kill = '60s'", "on-failure = 'restart'", "name = 'x'"];
        let _ = writeln!(text, "{}", more.get(bytes.below(8)).copied().unwrap_or_default());
    }
}
