//! What moves while a drawn plan is executed: hosts and links that fail again and again, streams,
//! tasks of no time, files, an early end, tasks of several cores.
//!
//! Its decisions stand behind all others, so that older bytes make what they did: where every
//! decision is 0, nothing is added.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::drawn::Bytes;

/// Decisions in a row after which a run that gets nowhere is given up.
const PATIENCE: usize = 300;

/// The scenario with what its last bytes add.
pub(crate) fn added(bytes: &mut Bytes<'_>, text: &str, folder: &Path) -> String {
    let text = failing(bytes, text, folder);
    let text = stream(bytes, &text);
    without_time(bytes, folder);
    let text = files(bytes, &text);
    let until =
        if bytes.below(6) == 5 { format!("until = '{}s'\n", 1 + bytes.below(120)) } else { String::new() };
    let loads = if bytes.below(2) == 1 { "loads = true\n" } else { "" };
    let text = text
        .replace("[run]\n", &format!("[run]\ngive-up-after = {PATIENCE}\n{until}"))
        .replace("[record]\n", &format!("[record]\n{loads}"));
    wide(bytes, &text, folder)
}

/// Hosts and links fail, most of them over and over.
fn failing(bytes: &mut Bytes<'_>, text: &str, folder: &Path) -> String {
    let mut added = String::new();
    let (hosts_fail, links_fail) = (bytes.below(3) > 0, bytes.below(3) == 2);
    let mut parts = text.split_inclusive("]]\n").peekable();
    while let Some(part) = parts.next() {
        added.push_str(part);
        let states =
            parts.peek().is_some_and(|next| next.lines().any(|line| line.starts_with("state-trace")));
        if part.ends_with("[[platform.cluster]]\n") && hosts_fail {
            let (up, down) = (2 + bytes.below(100), 1 + bytes.below(30));
            let law = bytes.pick(&["constant', value", "exponential', mean"]);
            let down = format!("{{ kind = '{law} = '{down}s' }}");
            let _ = writeln!(
                added,
                "failures = {{ up = {{ kind = 'exponential', mean = '{up}s' }}, down = {down} }}"
            );
        } else if part.ends_with("[[platform.host]]\n") && hosts_fail && !states {
            added.push_str(&trace(bytes, folder, &format!("host-{}", added.len())));
        } else if part.ends_with("[[platform.link]]\n") && links_fail {
            added.push_str(&trace(bytes, folder, &format!("link-{}", added.len())));
        }
    }
    added
}

/// A trace of states in a file of that name; nothing for every third.
fn trace(bytes: &mut Bytes<'_>, folder: &Path, name: &str) -> String {
    let kind = bytes.below(9);
    let (fails, down, again) = (bytes.below(60), 1 + bytes.below(20), 1 + bytes.below(60));
    let works = if fails == 0 { "" } else { "0 1\n" };
    let repaired = format!("{} 1\n", fails + down);
    let (repaired, period) = match kind {
        0..3 => return String::new(),
        // it fails for good
        3 => (String::new(), String::new()),
        4 => (repaired, String::new()),
        _ => (repaired, format!(", periodicity = '{again}s'")),
    };
    let states = format!("{works}{fails} 0\n{repaired}");
    fs::write(folder.join(name), states).expect("a file of the scenario");
    format!("state-trace = {{ file = '{name}'{period} }}\n")
}

/// More copies, which arrive without memory.
fn stream(bytes: &mut Bytes<'_>, text: &str) -> String {
    if bytes.below(3) < 2 {
        return text.to_owned();
    }
    let (count, mean) = (2 + bytes.below(4), 1 + bytes.below(60));
    let of_copies = |line: &&str| !line.starts_with("count = ") && !line.starts_with("arrivals = ");
    let others: Vec<&str> = text.lines().filter(of_copies).collect();
    let arrivals = format!("count = {count}\narrivals = {{ kind = 'exponential', mean = '{mean}s' }}");
    others.join("\n").replace("[application]", &format!("[application]\n{arrivals}")) + "\n"
}

/// Some tasks take no time, and some edges carry nothing.
fn without_time(bytes: &mut Bytes<'_>, folder: &Path) {
    let share = bytes.pick(&[0, 0, 1, 2, 4]);
    if share == 0 {
        return;
    }
    let graph = fs::read_to_string(folder.join("graph")).expect("the graph of the scenario");
    let mut lighter = String::new();
    for line in graph.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let is_nothing = bytes.below(4) < share;
        let _ = match words[..] {
            ["node", name, _] if is_nothing => writeln!(lighter, "node {name} 0"),
            ["edge", from, to, _] if is_nothing => writeln!(lighter, "edge {from} {to} 0"),
            ["time", name, host, _] if is_nothing => writeln!(lighter, "time {name} {host} 0"),
            _ => writeln!(lighter, "{line}"),
        };
    }
    fs::write(folder.join("graph"), lighter).expect("the graph of the scenario");
}

/// Files are sent once to a host, begin at one, and come back to it.
fn files(bytes: &mut Bytes<'_>, text: &str) -> String {
    let mut keys = String::new();
    if bytes.below(3) == 2 {
        keys.push_str("file-cache = true\n");
    }
    if bytes.below(4) == 3 {
        let returned = bytes.below(2) == 1;
        let _ = writeln!(keys, "home = 'h-0'\nreturn-outputs = {returned}");
    }
    text.replace("[application]\n", &format!("[application]\n{keys}"))
}

/// Some tasks hold two cores: the graph in DOT, which can say so.
fn wide(bytes: &mut Bytes<'_>, text: &str, folder: &Path) -> String {
    if bytes.below(3) < 2 {
        return text.to_owned();
    }
    let graph = fs::read_to_string(folder.join("graph")).expect("the graph of the scenario");
    let mut dot = String::from("digraph g {\n");
    for line in graph.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let _ = match words[..] {
            ["node", name, cost] => {
                let flop = cost.parse::<f64>().expect("a cost") * 1e9;
                writeln!(dot, "{name} [size=\"{flop}\", cores={}];", 1 + bytes.below(2))
            }
            ["edge", from, to] => writeln!(dot, "{from} -> {to};"),
            ["edge", from, to, size] => writeln!(dot, "{from} -> {to} [size=\"{size}\"];"),
            // how long it takes on a host is not to be said in DOT
            _ => Ok(()),
        };
    }
    dot.push_str("}\n");
    fs::write(folder.join("wide.dot"), dot).expect("the graph of the scenario");
    let law = bytes.pick(&["", "efficiency = { kind = 'amdahl', parallel = 0.9 }\n"]);
    let of_file = format!("kind = 'dot'\nfile = 'wide.dot'\ncores = 'file'\n{law}");
    let text = text
        .replace("kind = 'dag-text'\nfile = 'graph'\n", &of_file)
        .replace("cores = 'one'", "cores = 'all'");
    // some host has two cores
    let of_cluster = text.replacen("\nspeed = '1Gf'\nbandwidth", "\ncores = 2\nspeed = '1Gf'\nbandwidth", 1);
    if text.contains("cores = 2\n") { text } else { of_cluster.replacen("cores = 1\n", "cores = 2\n", 1) }
}
