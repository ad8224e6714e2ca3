//! What holds for any small task graph on any small platform, planned by any scheduler, executed
//! and judged.
//!
//! The bytes are decisions, one after another; behind the last all are 0. They make a scenario and
//! the files that it names, so everything from the language to the judge takes part.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::drawn::{self, Bytes};
use super::moving;

/// Why a plan is not executed to its end, which is the fault of no scheduler; the packets of a
/// large transfer may be too many.
const REASONS: &[&str] = &[
    "is too large",
    "has no plan at",
    "was lost when host",
    "would end past the end",
    "did not arrive",
    "nothing happens after",
    "no progress",
];

/// A plan is executed and keeps every promise, or there is a reason why not.
pub(crate) fn check(bytes: &[u8]) {
    let _ = outcome(bytes);
}

/// How it went: executed to the end, or the reason why not.
pub(crate) fn outcome(bytes: &[u8]) -> Result<(), String> {
    drawn::outcome(|bytes, folder| Drawn { folder }.scenario(bytes), bytes, REASONS)
}

/// A scenario that is drawn from bytes.
struct Drawn<'a> {
    folder: &'a Path,
}

impl Drawn<'_> {
    fn file(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).expect("a file of the scenario");
    }

    fn scenario(&self, bytes: &mut Bytes<'_>) -> String {
        let mut text = String::from("title = 'Drawn'\n");
        let hosts = self.platform(bytes, &mut text);
        self.application(bytes, &mut text, &hosts);
        scheduler(bytes, &mut text);
        prediction(bytes, &mut text);
        let links = bytes.pick(&["", "links = 'planned'", "links = 'ready'", "links = 'contention-free'"]);
        let cores = bytes.pick(&["all", "one"]);
        let [conserving, keep] = [bytes.below(2) == 1, bytes.below(2) == 1];
        // writing into a String cannot fail
        let _ = write!(
            text,
            "[run]\n{links}\ncores = '{cores}'\nwork-conserving = {conserving}\nkeep-data = {keep}\n[record]\ntransfers = true\n"
        );
        moving::added(bytes, &text, self.folder)
    }

    /// Writes the platform, and gives the names of its hosts.
    fn platform(&self, bytes: &mut Bytes<'_>, text: &mut String) -> Vec<String> {
        let count = 1 + bytes.below(5);
        text.push_str("[platform]\n");
        let network = bytes.pick(&["flow", "packet", "store-and-forward"]);
        let _ = writeln!(text, "network = '{network}'");
        if bytes.below(3) == 0 {
            let load = bytes.pick(&["", "load = { kind = 'uniform', low = 0, high = 0.9, every = '7s' }"]);
            let shape = bytes.pick(&["mesh", "crossbar"]);
            let _ = writeln!(
                text,
                "[[platform.cluster]]\nname = 'h'\ntopology = '{shape}'\nhosts = {count}\nspeed = '1Gf'\nbandwidth = '1kBps'\n{load}"
            );
            return (0..count).map(|host| format!("h-{host}")).collect();
        }
        for host in 0..count {
            let (speed, cores) = (1 + bytes.below(4), 1 + bytes.below(2));
            let _ =
                writeln!(text, "[[platform.host]]\nname = 'h-{host}'\nspeed = '{speed}Gf'\ncores = {cores}");
            match bytes.below(8) {
                1 => {
                    self.file(&format!("load-{host}"), "0 1\n5 0.25\n11 0.5\n30 1\n");
                    let _ = writeln!(text, "availability-trace = 'load-{host}'");
                }
                2 => {
                    let (fails, repaired) = (1 + bytes.below(40), 1 + bytes.below(20));
                    self.file(&format!("state-{host}"), &format!("0 1\n{fails} 0\n{} 1\n", fails + repaired));
                    let _ = writeln!(text, "state-trace = 'state-{host}'");
                }
                _ => {}
            }
        }
        let links = 1 + bytes.below(3);
        for link in 0..links {
            let (bandwidth, latency) = (1 + bytes.below(9), bytes.below(3));
            let _ = writeln!(
                text,
                "[[platform.link]]\nname = 'l-{link}'\nbandwidth = '{bandwidth}kBps'\nlatency = '{latency}s'"
            );
        }
        for from in 0..count {
            for to in from + 1..count {
                let pair = bytes.below(8);
                if pair == 7 {
                    continue; // a void pair
                }
                let second = if pair > 4 { format!(", 'l-{}'", (pair + 1) % links) } else { String::new() };
                let _ = writeln!(
                    text,
                    "[[platform.route]]\nfrom = 'h-{from}'\nto = 'h-{to}'\nlinks = ['l-{}'{second}]",
                    pair % links
                );
            }
        }
        (0..count).map(|host| format!("h-{host}")).collect()
    }

    fn application(&self, bytes: &mut Bytes<'_>, text: &mut String, hosts: &[String]) {
        let mut graph = String::from("DagDescription 1\n");
        let tasks = 1 + bytes.below(14);
        for task in 0..tasks {
            let _ = writeln!(graph, "node t{task} {}", f64::from(bytes.below(40) as u32) / 10.0);
            if bytes.below(6) == 5 {
                // at least one host can run it
                for (place, host) in hosts.iter().enumerate() {
                    let (can, seconds) = (bytes.below(2) == 1, bytes.below(30));
                    if place == 0 || can {
                        let _ = writeln!(graph, "time t{task} {host} {seconds}");
                    }
                }
            }
            for parent in (0..task).rev().take(4) {
                match bytes.below(4) {
                    1 => {
                        let _ = writeln!(graph, "edge t{parent} t{task}");
                    }
                    2 => {
                        let _ = writeln!(graph, "edge t{parent} t{task} {}", bytes.below(250) * 100);
                    }
                    _ => {}
                }
            }
        }
        self.file("graph", &graph);
        let count = 1 + bytes.below(3);
        let every = bytes.below(15);
        let _ = writeln!(text, "[application]\nkind = 'dag-text'\nfile = 'graph'\ncount = {count}");
        if count > 1 && bytes.below(2) == 1 {
            let _ = writeln!(text, "arrivals = {{ kind = 'constant', value = '{every}s' }}");
        }
    }
}

fn scheduler(bytes: &mut Bytes<'_>, text: &mut String) {
    let kinds = drawn::names("scheduler", &["fixed"]);
    let kind = &kinds[bytes.below(kinds.len())];
    let _ = writeln!(text, "[scheduler]\nkind = '{kind}'");
    if kind == "optimal" {
        text.push_str("nodes = 50\n");
    }
    let simple: Vec<&String> =
        kinds.iter().filter(|kind| !["take-over", "portfolio", "optimal"].contains(&kind.as_str())).collect();
    if kind == "portfolio" {
        let planning: Vec<&String> =
            simple.iter().copied().filter(|kind| *kind != "self-scheduling").collect();
        let [first, second] = [bytes.pick(&planning), bytes.pick(&planning)];
        let _ = writeln!(text, "of = ['{first}', '{second}']");
    }
    if kind == "take-over" {
        let [first, second] = [bytes.pick(&simple), bytes.pick(&simple)];
        let completions = 1 + bytes.below(9);
        let _ = writeln!(
            text,
            "schedulers = ['{first}', '{second}']\nswitch = {{ completions = {completions} }}"
        );
        return;
    }
    let merge = bytes.pick(&["append", "interleave"]);
    let replan = bytes.pick(&[
        "'never'",
        "'on-completion'",
        "{ every = 3 }",
        "{ period = '4s' }",
        "{ on-deviation = '10%' }",
        "'on-failure'",
    ]);
    let _ = writeln!(text, "merge = '{merge}'\nreplan = {replan}");
}

fn prediction(bytes: &mut Bytes<'_>, text: &mut String) {
    let error = bytes.below(100);
    let of = bytes.pick(&["perfect", "now", "mean"]);
    let with_error = [
        format!("kind = 'uniform'\nerror = '{error}%'\nof = '{of}'"),
        format!("kind = 'lognormal'\ncv = '{error}%'\nof = '{of}'"),
        format!("kind = 'gaussian'\ndeviation = '{error}%'\nof = '{of}'"),
    ];
    let prediction = match bytes.below(8) {
        0 => "kind = 'perfect'",
        1 => "kind = 'now'",
        2 => "kind = 'mean'",
        3 => "kind = 'forecast'",
        4 => "kind = 'biased'\nhosts = { h-0 = 0.5 }",
        other => &with_error[other - 5],
    };
    let _ = writeln!(text, "[prediction]\n{prediction}");
}
