//! Every number that a run of a cluster writes is made again by `check`, or is on its list of what
//! is not, with a reason.
//!
//! Runs that are recorded whole are changed, one number or cell at a time, with the hash in the
//! manifest made again as one would who hides the change. Each change is found, or the list has
//! what was changed.

use std::fs;

use clustersim_experiment::output::hash;
use serde_json::Value as Json;

use clustersim_testing::program::Place;

const JOBS: &str = "\
[workload]
kind = \"synthetic\"
jobs = 9
load = 0.9
arrivals = { kind = \"exponential\", mean = \"10min\" }
sizes = { kind = \"uniform\", low = 1, high = 8 }
run-times = { kind = \"exponential\", mean = \"1h\" }
estimates = { kind = \"uniform\", low = 0.5, high = 2.0 }
";

/// A finished run whose files can be changed.
struct Recorded {
    place: Place,
    manifest: Json,
    /// Promises that `check` lists as not checked.
    listed: Vec<String>,
    missed: Vec<String>,
}

impl Recorded {
    /// Runs a scenario, which keeps its promises.
    fn new(scenario: &str) -> Self {
        let place = Place::new();
        place.file("s.toml", format!("title = \"Whole\"\nseed = 3\n{scenario}"));
        let ran = place.run(&["run", "s.toml", "-o", "out", "-q", "--no-progress"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let output = place.run(&["check", "out", "--json"]);
        assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
        let judged: Json = serde_json::from_str(&output.stdout).unwrap();
        let all = judged["promises"].as_array().unwrap().iter();
        let listed = all.filter(|promise| promise["state"] == "not-checked");
        let listed = listed.map(|promise| promise["promise"].as_str().unwrap().to_owned()).collect();
        let manifest = serde_json::from_slice(&place.read("out/manifest.json")).unwrap();
        Recorded { place, manifest, listed, missed: Vec::new() }
    }

    /// Changes a file, hides that, and notes the change if `check` finds nothing.
    fn plant(&mut self, file: &str, bytes: &[u8], what: &str, may_be_listed: &str) {
        let before = self.place.read(&format!("out/{file}"));
        self.place.file(&format!("out/{file}"), bytes);
        if file != "manifest.json" {
            let mut manifest = self.manifest.clone();
            manifest["outputs"][file] = Json::String(hash::of_bytes(bytes));
            self.place.file("out/manifest.json", manifest.to_string());
        }
        let output = self.place.run(&["check", "out"]);
        assert!([0, 1, 2].contains(&output.status), "{what}: {}", output.stderr);
        let is_listed = self.listed.iter().any(|family| family.contains(may_be_listed));
        if output.status == 0 && (may_be_listed.is_empty() || !is_listed) {
            self.missed.push(what.to_owned());
        }
        self.place.file(&format!("out/{file}"), before);
        self.place.file("out/manifest.json", self.manifest.to_string());
    }

    /// Changes every number of a JSON file, one at a time.
    fn numbers_of(&mut self, file: &str) {
        let whole: Json = serde_json::from_slice(&self.place.read(&format!("out/{file}"))).unwrap();
        let mut paths = Vec::new();
        leaves(&whole, &mut Vec::new(), &mut paths);
        for path in paths {
            let mut changed = whole.clone();
            let leaf = path.iter().fold(&mut changed, |here, key| match key.parse::<usize>() {
                Ok(place) if here.is_array() => &mut here[place],
                _ => &mut here[key.as_str()],
            });
            *leaf = other(leaf);
            let name =
                path.iter().find(|key| !["metrics", "classes", "value"].contains(&key.as_str())).unwrap();
            let metric = if path[0] == "classes" { &path[2] } else { name };
            let stem = metric.rsplit_once('.').map_or(metric.as_str(), |(stem, part)| {
                if ["mean", "median", "p95", "max"].contains(&part) { stem } else { metric }
            });
            self.plant(file, changed.to_string().as_bytes(), &format!("{file}: {}", path.join("/")), stem);
        }
    }

    /// Changes every cell of a table, one at a time; `listed` gives what the list has of columns
    /// that are not checked.
    fn cells_of(&mut self, file: &str, listed: &[(&str, &str)]) {
        let text = String::from_utf8(self.place.read(&format!("out/{file}"))).unwrap();
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        for line in 1..rows.len() {
            for column in 0..rows[0].len() {
                let cell = another(rows[line][column]);
                let mut changed = rows.clone();
                changed[line][column] = &cell;
                let lines: Vec<String> = changed.iter().map(|row| row.join(",") + "\n").collect();
                let name = rows[0][column];
                let family =
                    listed.iter().find(|(listed, _)| *listed == name).map_or("", |(_, family)| family);
                let what = format!("{file}, line {}: {name} is {cell}", line + 1);
                self.plant(file, lines.concat().as_bytes(), &what, family);
            }
        }
    }

    /// Changes the summary, the manifest, and every table.
    fn all(mut self, tables: &[(&str, &[(&str, &str)])]) {
        self.numbers_of("summary.json");
        self.numbers_of("manifest.json");
        for (file, listed) in tables {
            self.cells_of(file, listed);
        }
        let written = fs::read_dir(self.place.path("out")).unwrap().count();
        // manifest, summary, both scenarios, and the log
        assert_eq!(written, tables.len() + 5, "every table that was written is changed");
        assert_eq!(self.missed, [""; 0]);
    }
}

/// The paths of all values but words, and of what is no result.
fn leaves(json: &Json, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    const NO_NUMBERS: [&str; 6] = ["schema", "unit", "interval", "outputs", "identity", "invocation"];
    let members: Vec<(String, &Json)> = match json {
        Json::Object(members) => members.iter().map(|(name, member)| (name.clone(), member)).collect(),
        Json::Array(members) => (0..).map(|place: usize| place.to_string()).zip(members).collect(),
        _ => return found.push(path.clone()),
    };
    for (name, member) in members {
        if !NO_NUMBERS.contains(&name.as_str()) {
            path.push(name);
            leaves(member, path, found);
            path.pop();
        }
    }
}

/// Another value of the same kind.
fn other(json: &Json) -> Json {
    match json {
        Json::Number(number) if number.is_u64() => (number.as_u64().unwrap() + 1).into(),
        Json::Number(number) => (number.as_f64().unwrap() * 1.000_01 + 1e-6).into(),
        Json::Bool(yes) => (!yes).into(),
        Json::String(text) => format!("{text}x").into(),
        _ => 7.into(),
    }
}

/// Another cell: a greater number, one more processor, or a longer word.
fn another(cell: &str) -> String {
    if cell.is_empty() {
        return "7".to_owned();
    }
    if let Ok(number) = cell.parse::<i64>() {
        return (number + 1).to_string();
    }
    if cell.parse::<f64>().is_ok() {
        let (whole, rest) = cell.split_once('.').unwrap();
        return format!("{}.{rest}", whole.parse::<u64>().unwrap() + 1);
    }
    match cell.rsplit_once('-') {
        Some((before, last)) if last.parse::<u32>().is_ok() => {
            format!("{before}-{}", last.parse::<u32>().unwrap() + 1)
        }
        _ => format!("{cell}x"),
    }
}

/// Columns of jobs whose places are known.
const PLACED: &[(&str, &str)] = &[("reason", "(reason)")];
/// Columns of jobs that may be anywhere.
const OF_JOBS: &[(&str, &str)] = &[("reason", "(reason)"), ("allocated_resources", "given the processors")];
/// Columns of earlier runs of jobs.
const OF_ATTEMPTS: &[(&str, &str)] = &[("allocated_resources", "given the processors")];

#[test]
fn space_sharing_with_limits_and_power_is_made_again() {
    Recorded::new(&format!(
        "cluster = {{ nodes = 8, power = {{ idle = \"100W\", busy = \"250.5W\" }}, kill-at-estimate = true }}\n{JOBS}\
         patience = {{ kind = \"exponential\", mean = \"9h\" }}\n\
         [run]\nwarm-up = 2\n[record]\nswf = true\nreport = false\nclasses = \"user\"\n"
    ))
    .all(&[("jobs.csv", OF_JOBS)]);
}

#[test]
fn slices_are_made_again() {
    Recorded::new(&format!(
        "cluster = {{ nodes = 8, mpl = 3 }}\n{JOBS}\
         [policy]\nkind = \"bgs\"\nquantum = \"200s\"\nswitch = \"3s\"\n[record]\nswf = true\nreport = false\n"
    ))
    .all(&[("jobs.csv", PLACED), ("usage.csv", &[]), ("matrix.csv", &[])]);
}

#[test]
fn failures_and_checkpoints_are_made_again() {
    let failures = "{ processors-per-node = 2, up = { kind = \"exponential\", mean = \"6h\" }, \
                    down = { kind = \"exponential\", mean = \"1h\" }, checkpoint = { interval = \"20min\", cost = \"1min\" } }";
    Recorded::new(&format!(
        "cluster = {{ nodes = 8, failures = {failures} }}\n{JOBS}[record]\nswf = true\nreport = false\n"
    ))
    .all(&[
        ("jobs.csv", OF_JOBS),
        ("attempts.csv", OF_ATTEMPTS),
        ("outages.csv", &[("from", "when nodes failed"), ("to", "when nodes failed")]),
    ]);
}

#[test]
fn reservations_are_made_again() {
    let reservations = "\
[[cluster.reservation]]
at = \"1h\"
for = \"30min\"
processors = 5
use = \"maintenance\"
every = \"3h\"
times = 2
[[cluster.reservation]]
at = \"2h\"
for = \"1h\"
processors = 3
use = \"advance\"
";
    Recorded::new(&format!(
        "[cluster]\nnodes = 8\n{reservations}{JOBS}[record]\nswf = true\nreport = false\n"
    ))
    .all(&[("jobs.csv", OF_JOBS), ("attempts.csv", OF_ATTEMPTS), ("reservations.csv", &[])]);
}

#[test]
fn jobs_that_depend_on_others_are_made_again() {
    let line = |(number, submit, run, procs, user, before, think): (u32, u32, u32, u32, u32, i32, i32)| {
        format!("{number} {submit} -1 {run} {procs} -1 -1 {procs} -1 -1 1 {user} 1 1 1 1 {before} {think}\n")
    };
    let log = [
        (1, 0, 50, 2, 7, -1, -1),
        (2, 5, 90, 3, 8, -1, -1),
        (3, 10, 20, 1, 7, 1, 15),
        (4, 20, 30, 4, 8, 2, 40),
        (5, 30, 60, 2, 9, 3, 5),
        (6, 31, 10, 1, 9, -1, -1),
    ]
    .map(line)
    .concat();
    for preceding in ["after", "think-time"] {
        let place = Place::new();
        place.file("log.swf", format!("; MaxProcs: 4\n{log}"));
        let file = place.path("log.swf").display().to_string();
        Recorded::new(&format!(
            "workload = {{ kind = \"swf\", file = '{file}', preceding = \"{preceding}\" }}\n\
             [record]\nswf = true\nreport = false\nclasses = \"user\"\n"
        ))
        .all(&[("jobs.csv", OF_JOBS)]);
    }
}

#[test]
fn tasks_and_processors_are_made_again() {
    const TASKS: &str = "\
cluster = { nodes = 3, detail = \"task\", dedicated = false }
[workload]
kind = \"parallel\"
jobs = 4
arrivals = { kind = \"exponential\", mean = \"60ms\" }
class = [
    { kind = \"video\", name = \"stream\", tasks = { kind = \"constant\", value = 2 }, frames = { kind = \"constant\", value = 6 }, compute = \"5ms\", period = \"33ms\", deadline = \"66ms\", frame-size = \"64 KiB\" },
    { kind = \"comm\", name = \"work\", tasks = { kind = \"constant\", value = 2 }, iterations = { kind = \"constant\", value = 12 }, compute = { kind = \"uniform\", low = \"4500us\", high = \"5500us\" }, pattern = { kind = \"nn\" }, messages = 1, message-size = \"1 KiB\" },
]
[policy]
kind = \"gang\"
quantum = \"50ms\"
switch = \"200us\"
[record]
swf = true
report = false
";
    let tasks = "what each task did";
    let jobs = [("reason", "(reason)"), ("starting_time", tasks), ("allocated_resources", tasks)];
    let executions = [
        ("interrupt_ns", tasks),
        ("scheduler_ns", tasks),
        ("frames_due", tasks),
        ("jitter_ns", "deadlines.jitter"),
        ("first_dispatch_time", tasks),
    ];
    let profile = [("node", tasks)];
    Recorded::new(TASKS).all(&[
        ("jobs.csv", &jobs),
        ("executions.csv", &executions),
        ("profile.csv", &profile),
        ("usage.csv", &[]),
    ]);
}

/// The list of what is not checked is short, and the manual has all of it.
#[test]
fn the_list_of_what_is_not_checked_is_in_the_manual() {
    let manual = fs::read_to_string(clustersim_testing::program::repository("docs/batch.md")).unwrap();
    let manual: String = manual.split_whitespace().collect::<Vec<_>>().join(" ");
    for scenario in [
        format!("cluster.nodes = 8\n{JOBS}"),
        format!("cluster = {{ nodes = 8, mpl = 2 }}\npolicy = \"bmgs\"\n{JOBS}"),
    ] {
        let recorded = Recorded::new(&scenario);
        let place = &recorded.place;
        let output = place.run(&["check", "out", "--json"]);
        let judged: Json = serde_json::from_str(&output.stdout).unwrap();
        let all = judged["promises"].as_array().unwrap();
        let listed: Vec<&Json> = all.iter().filter(|promise| promise["state"] == "not-checked").collect();
        assert!(!listed.is_empty() && listed.len() <= 12, "{listed:?}");
        for why in listed.iter().map(|promise| promise["why"].as_str().unwrap()) {
            assert!(manual.contains(why), "{why}");
        }
    }
}
