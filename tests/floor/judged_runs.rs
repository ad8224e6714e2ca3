//! `check` of runs that are recorded whole: sound ones are kept, and whatever is changed afterwards
//! is broken or was listed as not checked.

use std::fs;

use serde_json::{Value as Json, json};

use clustersim_testing::program::Place;

/// The judgement of files by their hashes, which any change breaks.
const HASHES: &str = "files are as the run wrote them";

/// Rows of a table whose cells are changed one by one.
const ROWS: usize = 6;

/// The promises of a run by their state; `None` if its files cannot be read.
fn judged(place: &Place, state: &str) -> Option<Vec<String>> {
    let output = place.run(&["check", "out", "--json"]);
    let json: Json = serde_json::from_str(&output.stdout).ok()?;
    let all = json["promises"].as_array()?.iter().filter(|promise| promise["state"] == state);
    Some(all.map(|promise| promise["promise"].as_str().unwrap_or_default().to_owned()).collect())
}

fn ran(place: &Place, scenario: &str) {
    place.file("run.toml", scenario);
    let output = place.run(&["run", "run.toml", "-q", "-o", "out", "--force", "--no-progress"]);
    assert_eq!(output.status, 0, "{scenario}\n{}", output.stderr);
    let broken = judged(place, "broken").unwrap_or_else(|| panic!("{scenario}"));
    assert_eq!(broken, [""; 0], "{scenario}");
}

/// Something else in the place of a cell.
fn other(cell: &str) -> String {
    match (cell.parse::<u64>(), cell.parse::<f64>()) {
        (Ok(count), _) => (count + 1).to_string(),
        (_, Ok(number)) => format!("{:.9}", number * 1.01 + 0.001),
        _ if cell.is_empty() => "1".to_owned(),
        _ => format!("{cell}x"),
    }
}

/// Changes of a table: the column, and the whole text.
fn changes_of_table(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let names: Vec<&str> = lines[0].split(',').collect();
    let step = (lines.len() - 1).div_ceil(ROWS).max(1);
    let mut changes = Vec::new();
    for row in (1..lines.len()).step_by(step) {
        let cells: Vec<&str> = lines[row].split(',').collect();
        assert_eq!(cells.len(), names.len(), "{}", lines[row]);
        for (column, name) in names.iter().enumerate() {
            let (mut changed, cell) = (cells.clone(), other(cells[column]));
            changed[column] = &cell;
            let changed = changed.join(",");
            let all: Vec<&str> =
                (0..lines.len()).map(|line| if line == row { &*changed } else { lines[line] }).collect();
            changes.push(((*name).to_owned(), all.join("\n") + "\n"));
        }
    }
    changes
}

/// Changes of a summary: the name of the metric, and the whole text.
fn changes_of_summary(text: &str) -> Vec<(String, String)> {
    let summary: Json = serde_json::from_str(text).unwrap();
    let mut changes = Vec::new();
    for (name, metric) in summary["metrics"].as_object().unwrap() {
        let mut changed = summary.clone();
        changed["metrics"][name]["value"] = match metric["value"].as_f64() {
            None => json!(7),
            Some(value) => json!(value * 1.01 + 1.0),
        };
        changes.push((name.clone(), changed.to_string()));
    }
    for name in ["seed", "events"] {
        let mut changed = summary.clone();
        changed[name] = json!(77);
        changes.push((name.to_owned(), changed.to_string()));
    }
    changes
}

/// Returns true if the name is that of a table.
fn is_table(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "csv")
}

/// Returns true if a promise that is not judged names a column of a file, or a metric or the family
/// that it is a part of.
fn is_listed(listed: &[String], file: &str, name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let names = |promise: &String| {
        let words = promise.split([',', ' ']).collect::<Vec<_>>();
        promise.contains(file) && (words.contains(&name) || words.contains(&stem))
    };
    listed.iter().any(names)
}

/// Changes every number of the summary and cells of every table, one by one; gives those that go
/// unseen.
fn unseen(place: &Place) -> Vec<String> {
    let listed = judged(place, "not-checked").unwrap();
    let names = place.names("out");
    let mut unseen = Vec::new();
    for file in names.iter().filter(|name| is_table(name) || *name == "summary.json") {
        let path = place.path(&format!("out/{file}"));
        let text = fs::read_to_string(&path).unwrap();
        let changes = if is_table(file) { changes_of_table(&text) } else { changes_of_summary(&text) };
        for (name, changed) in changes {
            fs::write(&path, changed).unwrap();
            let broken = judged(place, "broken");
            let is_seen = broken.is_none_or(|broken| broken.iter().any(|promise| promise != HASHES));
            if !is_seen && !is_listed(&listed, file, &name) {
                unseen.push(format!("{name} of {file}"));
            }
        }
        fs::write(&path, text).unwrap();
    }
    unseen.sort();
    unseen.dedup();
    unseen
}

/// A task graph; the rest of the scenario follows.
fn graph(platform: &str, rest: &str) -> String {
    format!(
        "title = \"A graph\"\nseed = 7\n[[platform.cluster]]\nname = \"g\"\nbandwidth = \"1MBps\"\n{platform}\n{rest}"
    )
}

/// Tasks of one, two and three cores, one of which takes no time.
const WIDE: &str = "digraph { a [size=2e9 cores=2]; b [size=3e9 cores=3]; c [size=1e9]; d [size=0 cores=2]; e [size=4e9 cores=2]; f [size=5e9]; \
                    a -> b [size=1000000]; a -> c [size=500000]; c -> d; b -> e [size=2000000]; c -> e [size=10] }";
const OF_WIDE: &str = "[application]\nkind = \"dot\"\nfile = \"wide.dot\"\ncores = \"file\"\n";

const RECORD: &str = "\n[record]\ntransfers = true\nloads = true\n";

#[test]
fn no_change_of_a_run_of_task_graphs_goes_unseen() {
    let place = Place::new();
    let mesh =
        "hosts = 3\nspeed = { kind = \"uniform\", low = \"0.7Gf\", high = \"1.4Gf\" }\ntopology = \"mesh\"";
    place.file("wide.dot", WIDE);
    let load = "\nload = { kind = \"uniform\", low = 0, high = 0.5, every = \"30s\" }";
    for (platform, rest) in [
        (mesh.to_owned(), "[application]\nkind = \"random\"\ntasks = 6\n[scheduler]\nkind = \"heft\"\n[record]\ntransfers = true\ngap = { schedulers = [\"min-min\"] }\n".to_owned()),
        (
            mesh.to_owned() + load,
            "[application]\nkind = \"fft\"\nlevels = 1\ncount = 2\narrivals = \"20s\"\nhome = \"g-0\"\nreturn-outputs = true\nfile-cache = true\ndeadline = \"5min\"\n[scheduler]\nkind = \"min-min\"\n[run]\ncost = { price = 0.1, quantum = \"1min\" }".to_owned() + RECORD,
        ),
        ("hosts = 2\ncores = 3\nspeed = \"1Gf\"\ntopology = \"mesh\"".to_owned(), OF_WIDE.to_owned() + "[scheduler]\nkind = \"heft\"\n" + RECORD),
    ] {
        ran(&place, &graph(&platform, &rest));
        assert_eq!(unseen(&place), [""; 0], "{rest}");
    }
}

/// A parameter sweep; the rest of the scenario follows.
fn sweep(seed: u64, first: &str, rest: &str) -> String {
    let cluster = |name: &str, more: &str| {
        format!(
            "[[platform.cluster]]\nname = \"{name}\"\nhosts = 2\nlink = {{ bandwidth = \"20kBps\" }}\n{more}\n"
        )
    };
    let files = "files = [{ name = \"shared\", sharing = { random = 2 }, count = 3, size = \"200kB\" }, \
                 { name = \"own\", sharing = \"private\", count = 1, size = \"20kB\" }]";
    format!(
        "title = \"A sweep\"\nseed = {seed}\n{}{}[application]\nkind = \"generated\"\ntasks = 7\n\
         time = {{ kind = \"uniform\", low = \"10s\", high = \"110s\" }}\noutput = \"10kB\"\n{files}\n{rest}",
        cluster("a", first),
        cluster("b", "availability = { kind = \"uniform\", low = 0.4, high = 1.0, every = \"5s\" }"),
    )
}

#[test]
fn no_change_of_a_run_of_a_parameter_sweep_goes_unseen() {
    let place = Place::new();
    let (priced, limited) = ("price = 0.5\nprice-per-byte = 0.001", "capacity = \"500kB\"");
    let planned = "[scheduler]\nkind = \"plan\"\nheuristic = \"xsufferage\"\ninterval = \"60s\"\n[run]\ndeadline = \"4min\"\nbudget = 100";
    let twice = "[scheduler]\nkind = \"plan\"\nheuristic = \"workqueue\"\nduplicate = true";
    for (first, rest) in [(priced, planned), (limited, twice)] {
        let budget = if first == priced { rest.to_owned() } else { rest.replace("\nbudget = 100", "") };
        ran(&place, &sweep(3, first, &(budget + RECORD)));
        assert_eq!(unseen(&place), [""; 0], "{rest}");
    }
}

/// Calls of two clients to three servers, of which one is faster; the rest of the scenario follows.
fn calls(seed: u64, rest: &str) -> String {
    format!(
        "title = \"Calls\"\nseed = {seed}\n[platform]\nserver = [\n\
         {{ name = \"s\", count = 2, performance = \"100Mop/s\", procs = 2 }},\n\
         {{ name = \"f\", performance = \"150Mop/s\", procs = 2 }},\n]\n\
         queues = {{ bandwidth = \"1MBps\", latency = \"20ms\" }}\n\
         [record]\npackets = true\nmeasurements = true\nforecasts = true\nregret = true\n\
         [[client]]\nname = \"c\"\ncount = 2\ntasks = 20\narrivals = {{ load = 0.6 }}\n\
         class = [{{ send = \"500kB\", receive = \"200kB\", \
         instructions = {{ kind = \"exponential\", mean = \"1Gop\" }}, deadline = 2.0 }}]\n{rest}"
    )
}

const GREEDY: &str = "[monitor]\nserver = { every = \"2s\" }\nnetwork = { every = \"5s\", free = true }\n\
     [predictor]\nkind = \"battery\"\n[scheduler]\nkind = \"greedy\"\nfallbacks = 1\n";
const IN_TURN: &str = "[scheduler]\nkind = \"round-robin\"\nquery-time = \"1s\"\n";

#[test]
fn no_change_of_a_run_of_calls_goes_unseen() {
    let place = Place::new();
    ran(&place, &calls(5, GREEDY));
    assert_eq!(unseen(&place), [""; 0]);
}

#[test]
fn a_server_against_the_rule_of_the_scheduler_is_seen() {
    let place = Place::new();
    for rest in [IN_TURN, "[scheduler]\nkind = \"fastest\"\n"] {
        ran(&place, &calls(6, rest));
        // the same row but for its server, which is what other promises hold against packets and
        // decisions
        let tasks = String::from_utf8(place.read("out/tasks.csv")).unwrap();
        let (other, is_moved) = (["f", "s-0"], |line: &&str| line.starts_with("7,"));
        let line = tasks.lines().find(is_moved).unwrap();
        let server = line.split(',').nth(3).unwrap();
        let moved = line.replacen(server, if server == other[0] { other[1] } else { other[0] }, 1);
        fs::write(place.path("out/tasks.csv"), tasks.replacen(line, &moved, 1)).unwrap();
        let broken = judged(&place, "broken").unwrap();
        assert!(broken.iter().any(|promise| promise.contains("scheduler's rule")), "{rest}: {broken:?}");
    }
}

#[test]
fn sound_runs_are_kept() {
    let place = Place::new();
    let hosts = [
        "hosts = 2\nspeed = \"1Gf\"",
        "hosts = 3\nspeed = \"1Gf\"\ncores = 2\ntopology = \"mesh\"",
        "hosts = 4\nspeed = \"1Gf\"\nlatency = \"0.1s\"\ntopology = \"mesh\"\nfailures = { up = { kind = \"exponential\", mean = \"300s\" }, down = \"10s\" }",
    ];
    let applications = [
        "kind = \"stencil\"\nrows = 3\ncolumns = 2\ncount = 2\narrivals = \"10s\"\nfile-cache = true",
        "kind = \"montage-like\"\nimages = 3\nhome = \"g-1\"\nreturn-outputs = true",
        "kind = \"fft\"\nlevels = 2\nccr = 5",
    ];
    let schedulers = [
        "kind = \"dls\"\nreplan = \"on-completion\"",
        "kind = \"self-scheduling\"",
        "kind = \"heft\"\nreplan = { on-deviation = \"5%\" }",
    ];
    let predictions = ["kind = \"now\"", "kind = \"uniform\"\nerror = \"30%\"", "kind = \"perfect\""];
    let links = ["planned", "ready", "contention-free"];
    for case in 0..9 {
        let (one, two, three) = (case % 3, case / 3, (case + case / 3) % 3);
        // a task that a failed host loses is placed again by a plan that is made then
        let scheduler = if one == 2 { schedulers[0] } else { schedulers[two] };
        let rest = format!(
            "[application]\n{}\n[scheduler]\n{scheduler}\n[prediction]\n{}\n[run]\nlinks = \"{}\"\n{RECORD}",
            applications[three],
            predictions[one],
            links[(two + one) % 3]
        );
        ran(&place, &graph(hosts[one], &rest));
    }
    for case in 0..12_u64 {
        let first = ["storage = \"none\"", "capacity = \"500kB\"\ncores = 2", "availability = 0.5"]
            [case as usize % 3];
        let more = [
            "duplicate = true",
            "links = \"in-order\"",
            "steal = true",
            "duplicate = true\nlinks = \"in-order\"",
        ];
        let scheduler = ["sufferage-2", "min-min", "max-min"][case as usize / 4];
        let rest = format!(
            "[scheduler]\nkind = \"plan\"\nheuristic = \"{scheduler}\"\ninterval = \"once\"\n{}\n[prediction]\nkind = \"uniform\"\nerror = 0.4\n{RECORD}",
            more[case as usize % 4]
        );
        ran(&place, &sweep(case, first, &rest));
    }
}

#[test]
fn sound_runs_of_tasks_of_several_cores_are_kept() {
    let place = Place::new();
    place.file("wide.dot", WIDE);
    let failing = "\nfailures = { up = { kind = \"exponential\", mean = \"20s\" }, down = \"3s\" }";
    for (number, scheduler) in ["heft", "cpop", "dls", "etf", "min-min", "self-scheduling"].iter().enumerate()
    {
        let links = ["planned", "ready", "contention-free"][number % 3];
        for (more, replan) in [("", ""), (failing, "replan = \"on-completion\"\n")] {
            let replan = if *scheduler == "self-scheduling" { "" } else { replan };
            let rest = format!(
                "{OF_WIDE}count = 2\narrivals = \"3s\"\n[scheduler]\nkind = \"{scheduler}\"\n{replan}[run]\nlinks = \"{links}\"\n{RECORD}"
            );
            let platform = "hosts = 2\ncores = 4\nspeed = \"1Gf\"\ntopology = \"mesh\"";
            ran(&place, &graph(&format!("{platform}{more}"), &rest));
        }
    }
}
