//! What holds for any small parameter sweep on any small grid that comes and goes, run by any
//! scheduler and judged.
//!
//! The bytes are decisions, one after another; behind the last all are 0. They make a scenario and
//! the files that it names, so everything from the language to the judge takes part.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::drawn::{self, Bytes};

/// Why a run does not come to its end, which is the fault of no scheduler: no host is left that can
/// run a task.
const REASONS: &[&str] = &["nothing goes on"];

/// A run keeps every promise, or there is a reason why not.
pub(crate) fn check(bytes: &[u8]) {
    let _ = outcome(bytes);
}

/// How it went: to the end, or the reason why not.
pub(crate) fn outcome(bytes: &[u8]) -> Result<(), String> {
    drawn::outcome_and(scenario, bytes, REASONS, |text, folder| {
        let recorded = "kind = 'recorded'\nfile = 'dialogue.jsonl'\n";
        let (before, scheduler) = text.split_once(SCHEDULER).expect("a scheduler");
        let (_, behind) = scheduler.split_once("[prediction]\n").expect("predictions");
        let again = format!("{before}{SCHEDULER}{recorded}[prediction]\n{behind}");
        for (file, bytes) in drawn::tables(&again, folder).iter().filter(|(file, _)| *file != "plans.csv") {
            assert!(fs::read(folder.join(file)).unwrap() == *bytes, "{file} of the replayed run\n{text}");
        }
    })
}

const SCHEDULER: &str = "[scheduler]\n";

// writing into a String cannot fail

fn scenario(bytes: &mut Bytes<'_>, folder: &Path) -> String {
    let mut text = String::from("title = 'Drawn'\ndetail = 'sweep'\n");
    let architectures = 1 + bytes.below(2);
    let has_archive = match bytes.below(6) {
        0 | 2 => clusters(bytes, &mut text, architectures, false),
        4 => clusters(bytes, &mut text, architectures, true),
        _ => {
            grid(bytes, &mut text, folder, architectures);
            false
        }
    };
    application(bytes, &mut text, folder, architectures, has_archive);
    let plans = scheduler(bytes, &mut text);
    let mut behind = String::new();
    prediction(bytes, &mut behind);
    let until = if bytes.below(8) == 7 { "until = '100s'" } else { "" };
    let _ = writeln!(behind, "[run]\n{until}\n[record]\ntransfers = true\nloads = true\ndialogue = true");
    // what came later, so that older bytes make what they did
    if !plans && bytes.below(3) == 2 {
        text.push_str("duplicate = true\n");
    }
    links_between(bytes, &mut behind, text.matches("[[platform.cluster]]").count());
    text + &behind
}

/// Clusters behind links of the origin, and of an archive if there is to be one. Whether there is.
fn clusters(bytes: &mut Bytes<'_>, text: &mut String, architectures: usize, has_archive: bool) -> bool {
    let mut routes = String::new();
    if has_archive {
        text.push_str("[platform]\norigins = ['archive']\n");
    }
    for cluster in 0..=bytes.below(3) {
        if has_archive {
            // the archive may be behind the link of the cluster
            let is_shared = bytes.below(5) == 4;
            let (bandwidth, latency) = (1 + bytes.below(9), bytes.below(3));
            let link = if is_shared { format!("c{cluster}") } else { format!("archive-{cluster}") };
            if !is_shared {
                let _ = writeln!(
                    routes,
                    "[[platform.link]]\nname = '{link}'\nbandwidth = '{bandwidth}kBps'\nlatency = '{latency}s'"
                );
            }
            let _ = writeln!(
                routes,
                "[[platform.route]]\nfrom = 'archive'\nto = 'c{cluster}'\nlinks = ['{link}']"
            );
        }
        let (hosts, cores) = (1 + bytes.below(3), 1 + bytes.below(2));
        let (bandwidth, latency) = (1 + bytes.below(9), bytes.below(3));
        let bandwidth = match bytes.below(4) {
            3 => "{ kind = 'uniform', low = '1kBps', high = '9kBps', every = '11s' }".to_owned(),
            _ => format!("'{bandwidth}kBps'"),
        };
        let available = bytes.pick(&[
            "1",
            "0.5",
            "{ kind = 'uniform', low = 0.2, high = 1, every = '7s' }",
            "{ kind = 'uniform', low = 0, high = 0.5, every = '5s' }",
        ]);
        // the first cluster can run every task
        let architecture = if cluster == 0 { 0 } else { bytes.below(architectures) };
        let _ = writeln!(
            text,
            "[[platform.cluster]]\nname = 'c{cluster}'\nhosts = {hosts}\ncores = {cores}\narchitecture = {architecture}\n\
             link = {{ bandwidth = {bandwidth}, latency = '{latency}s' }}\navailability = {available}"
        );
        match bytes.below(6) {
            3 => text.push_str("storage = 'none'\n"),
            // the first cluster can hold the inputs of every task
            4 | 5 => {
                let least = if cluster == 0 { 4 } else { 1 };
                let _ = writeln!(text, "capacity = '{}kB'", 220 * (least + bytes.below(4)));
            }
            _ => {}
        }
        if bytes.below(4) == 3 {
            let _ = writeln!(text, "price = {}\nprice-per-byte = 0.00{}", bytes.below(9), bytes.below(9));
        }
        if bytes.below(4) == 3 {
            text.push_str("queue-wait = { kind = 'uniform', low = '0s', high = '9s' }\n");
        }
        if bytes.below(3) == 2 {
            // tasks of a minute on hosts that are mostly busy must come to their ends
            let (up, down) = (8 * (50 + bytes.below(200)), 1 + bytes.below(60));
            let _ = writeln!(
                text,
                "failures = {{ up = {{ kind = 'exponential', mean = '{up}s' }}, down = {{ kind = 'exponential', mean = '{down}s' }} }}"
            );
        }
    }
    text.push_str(&routes);
    has_archive
}

/// Links that join some of the clusters.
fn links_between(bytes: &mut Bytes<'_>, text: &mut String, clusters: usize) {
    for (one, other) in (0..clusters).flat_map(|one| (0..one).map(move |other| (one, other))) {
        if bytes.below(3) == 2 {
            let (bandwidth, latency) = (1 + bytes.below(40), bytes.below(2));
            let _ = writeln!(
                text,
                "[[platform.link]]\nname = 'c{one}-c{other}'\nbandwidth = '{bandwidth}kBps'\nlatency = '{latency}s'\n\
                 [[platform.route]]\nfrom = 'c{one}'\nto = 'c{other}'\nlinks = ['c{one}-c{other}']"
            );
        }
    }
}

/// Hosts of each cluster in a text of the template.
const HOSTS: usize = 2;

/// A grid in the text of the template, in which hosts and clusters come, change and go, and are all
/// there at the end.
fn grid(bytes: &mut Bytes<'_>, text: &mut String, folder: &Path, architectures: usize) {
    let count = 1 + bytes.below(3);
    // of each cluster whether it is there, and whether each of its hosts is
    let mut there = vec![(false, [false; HOSTS]); count];
    let mut events = String::from("GridDescription 1\n");
    let add = |events: &mut String, at: usize, cluster: usize, host: Option<usize>, bytes: &mut Bytes<'_>| {
        let offset = bytes.below(5);
        let _ = match host {
            None => {
                let link = bytes.pick(&["stable_5Kb", "stable_2Kb", "line"]);
                writeln!(events, "{at}:ADD_CLUSTER <c{cluster}> <{link}> <{offset}>")
            }
            Some(host) => {
                let behaviour = bytes.pick(&["stable_100", "stable_40", "loaded"]);
                let architecture = if cluster == 0 { 0 } else { (cluster + host) % architectures };
                writeln!(
                    events,
                    "{at}:ADD_HOST <c{cluster}> <h{cluster}-{host}> <{behaviour}> <{offset}> <{architecture}>"
                )
            }
        };
    };
    let mut at = 0;
    for _ in 0..4 + bytes.below(16) {
        at += bytes.below(20);
        let (cluster, host) = (bytes.below(count), bytes.below(HOSTS));
        match (&mut there[cluster], bytes.below(4)) {
            ((linked, _), _) if !*linked => {
                *linked = true;
                add(&mut events, at, cluster, None, bytes);
            }
            ((_, hosts), 0 | 1) if !hosts[host] => {
                hosts[host] = true;
                add(&mut events, at, cluster, Some(host), bytes);
            }
            ((_, hosts), 1) => {
                hosts[host] = false;
                let _ = writeln!(events, "{at}:REMOVE_HOST <h{cluster}-{host}>");
            }
            ((linked, hosts), 2) => {
                (*linked, *hosts) = (false, [false; HOSTS]);
                let _ = writeln!(events, "{at}:REMOVE_CLUSTER <c{cluster}>");
            }
            ((_, hosts), 3) if hosts[host] => {
                let _ = writeln!(events, "{at}:CHANGE_HOST_BEHAVIOR <h{cluster}-{host}> <loaded> <1>");
            }
            _ => {
                let _ = writeln!(events, "{at}:CHANGE_CLUSTER_BEHAVIOR <c{cluster}> <line> <0>");
            }
        }
    }
    at += 1 + bytes.below(250);
    for (cluster, (linked, hosts)) in there.into_iter().enumerate() {
        if !linked {
            add(&mut events, at, cluster, None, bytes);
        }
        for host in (0..HOSTS).filter(|host| !hosts[*host]) {
            add(&mut events, at, cluster, Some(host), bytes);
        }
    }
    for (name, content) in [
        ("grid.txt", &*events),
        ("loaded", "4\n100\n50\n0\n25\n"),
        ("line", "3\n0 5000\n1500 2000\n0 9000\n"),
    ] {
        fs::write(folder.join(name), content).expect("a file of the scenario");
    }
    text.push_str("[platform]\nfile = 'grid.txt'\n");
}

fn application(
    bytes: &mut Bytes<'_>,
    text: &mut String,
    folder: &Path,
    architectures: usize,
    has_archive: bool,
) {
    let (tasks, shared) = (1 + bytes.below(14), bytes.below(5));
    let (mut files, mut works) = (Vec::new(), String::new());
    let file = |files: &mut Vec<(usize, usize)>, bytes: &mut Bytes<'_>, scale: usize| {
        let size = bytes.below(40) * scale;
        files.push((size, if bytes.below(4) == 3 { bytes.below(40) * scale } else { size }));
        files.len() - 1
    };
    for _ in 0..shared {
        file(&mut files, bytes, 5_000);
    }
    let arrivals = bytes.below(4) == 3;
    let mut at = 0;
    for task in 0..tasks {
        let mut inputs: Vec<usize> = (0..shared).filter(|_| bytes.below(3) == 0).collect();
        inputs.extend((0..bytes.below(3)).map(|_| file(&mut files, bytes, 1_000)));
        let outputs: Vec<usize> = (0..bytes.below(3)).map(|_| file(&mut files, bytes, 1_000)).collect();
        let times: Vec<usize> = (0..architectures).map(|_| bytes.below(60)).collect();
        let estimates = times.iter().map(|time| (time / 2 + bytes.below(60)).max(1)).collect::<Vec<_>>();
        let list = |numbers: &[usize]| {
            let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
            format!("< {} : {} >", numbers.len(), numbers.join(" "))
        };
        if arrivals {
            at += bytes.below(30);
            let _ = write!(works, "{at}:");
        }
        let _ = writeln!(
            works,
            "Work: <{task}> {} {} {} {}",
            list(&inputs),
            list(&outputs),
            list(&times),
            list(&estimates)
        );
    }
    let version = 1 + usize::from(arrivals);
    let mut application = format!("WorkDescription {version} {} {tasks}\n", files.len());
    for (number, (size, estimate)) in files.iter().enumerate() {
        let _ = writeln!(application, "File: <{number}> <f{number}> <{size}> <{estimate}>");
    }
    fs::write(folder.join("application.txt"), application + &works).expect("a file of the scenario");
    text.push_str("[application]\nkind = 'pst'\nfile = 'application.txt'\n");
    if has_archive && !files.is_empty() {
        let origins = bytes.pick(&[
            "{ 'f*' = 'archive', 'f0' = 'origin' }",
            "{ 'f*' = 'archive' }",
            "{ 'f0' = 'archive' }",
        ]);
        let _ = writeln!(text, "origins = {origins}");
    }
}

/// A scheduler, and whether it plans.
fn scheduler(bytes: &mut Bytes<'_>, text: &mut String) -> bool {
    let names = drawn::names("heuristic", &[]);
    let heuristic = &names[bytes.below(names.len())];
    let interval = bytes.pick(&[
        "'once'",
        "'9s'",
        "'40s'",
        "'constant'",
        "{ kind = 's2', min = '5s' }",
        "{ kind = 's3', min = '8s' }",
    ]);
    let subset = bytes.pick(&[
        "'all'",
        "{ kind = 'random', tasks = 3 }",
        "{ kind = 'sharing', tasks = 2 }",
        "'sharing'",
    ]);
    let fill = bytes.pick(&["horizon", "proportional", "all"]);
    let delta =
        bytes.pick(&["delta = 'interval'", "delta = 'tuned'", "delta-span = '0s'", "delta-span = '30s'"]);
    let (keep, links) = (bytes.below(4), bytes.pick(&["greedy", "in-order", "hybrid"]));
    let [steal, computed, duplicate] = [2, 4, 3].map(|of| bytes.below(of) == of - 1);
    let replan = bytes.pick(&["'add', 'idle'", "'idle'", "'add', 'remove', 'idle'", "'add', 'remove'"]);
    let planning =
        bytes.pick(&["", "", "planning-time = '3s'", "planning-time = '25s'", "per-look = '100ms'"]);
    let completion = if computed { "computed" } else { "returned" };
    let _ = writeln!(text, "{SCHEDULER}kind = 'plan'\nheuristic = '{heuristic}'\nlinks = '{links}'");
    // a workqueue has no plans
    if ["h0", "workqueue", "data-aware-workqueue"].contains(&heuristic.as_str()) {
        return false;
    }
    let _ = writeln!(
        text,
        "interval = {interval}\nsubset = {subset}\nfill = '{fill}'\n{delta}\n\
         keep = {keep}\nsteal = {steal}\nduplicate = {duplicate}\nreplan-on = [{replan}]\n{planning}\ncompletion = '{completion}'"
    );
    true
}

fn prediction(bytes: &mut Bytes<'_>, text: &mut String) {
    let error = bytes.below(100);
    let kind = match bytes.below(5) {
        0 => "kind = 'perfect'".to_owned(),
        1 => "kind = 'forecast'".to_owned(),
        2 => format!("kind = 'fitted'\ndelay = '{}s'", bytes.below(30)),
        3 => "kind = 'fitted'\nquantile = 0.1".to_owned(),
        _ => format!("kind = 'uniform'\nerror = '{error}%'"),
    };
    let (estimates, progress) = (bytes.pick(&["file", "real"]), bytes.pick(&["simple", "measured"]));
    let _ = writeln!(text, "[prediction]\n{kind}\nestimates = '{estimates}'\nprogress = '{progress}'");
}
