//! Foreign programs in the place of parts of the scheduling unit: the same bytes as those of
//! built-in parts, transcripts that replace programs, and what a run says of programs that end,
//! hang or answer nonsense.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use clustersim_brokers::foreign::answer::{
    greeting, network, network_history, selection, server, server_history, taken_network, taken_server,
};
use clustersim_experiment::dialogue::answer::done;
use serde_json::Value;

use clustersim_testing::evidence::skip;
use clustersim_testing::program::{Place, repository};

/// Three clients and four servers, with a day that has probes, readings and lost measurements.
pub(crate) const SCENARIO: &str = r#"
title = "Foreign parts"
seed = 7
record = { forecasts = true, measurements = true, transcript = true }
[platform]
server = [{ name = "s", count = 4, performance = { kind = "log-uniform", low = "50Mop/s", high = "500Mop/s" }, load = { kind = "extraneous", utilization = 0.4, size = { kind = "exponential", mean = "200Mop" } } }]
queues = { bandwidth = "1MBps", latency = "20ms", model = { kind = "extraneous", actual = "400kBps", size = { kind = "exponential", mean = "10kB" } } }
[[client]]
name = "c"
count = 3
tasks = 30
arrivals = { load = 0.5 }
class = [{ send = "200kB", receive = "100kB", instructions = { kind = "exponential", mean = "1Gop" }, deadline = 3 }]
[monitor]
network = { every = "20s", probe = "100kB", drop = 0.1 }
server = { every = "5s" }
"#;

/// The forecasters of the example program.
const BATTERY: &str =
    "predictor={ kind = 'battery', forecasters = ['last', 'mean', 'sliding-median', 'smoothing'] }";

/// Tables of a run that do not name its parts.
const TABLES: [&str; 6] =
    ["tasks.csv", "attempts.csv", "forecasts.csv", "measurements.csv", "servers.csv", "summary.json"];

/// The example program, built; nothing if cargo is not there to build it.
fn example() -> Option<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("foreign_predictor");
    let manifest = repository("examples/foreign_predictor/Cargo.toml");
    let mut command = Command::new(cargo);
    command.args(["build", "--locked", "--offline", "--quiet", "--manifest-path"]).arg(manifest);
    let Ok(output) = command.arg("--target-dir").arg(&target).output() else {
        skip("no cargo to build examples/foreign_predictor with");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(target.join("debug/foreign-predictor"))
}

/// Runs the scenario with these values into a directory.
fn run(place: &Place, out: &str, keys: &[&str]) {
    let mut words = vec!["run", "s.toml", "-q", "--no-progress", "--force", "-o", out];
    words.extend(keys.iter().flat_map(|key| ["--set", key]));
    let output = place.run(&words);
    assert_eq!(output.status, 0, "{keys:?}: {}", output.stderr);
}

fn same(place: &Place, one: &str, other: &str) {
    for table in TABLES {
        let (one, other) = (format!("{one}/{table}"), format!("{other}/{table}"));
        assert!(place.read(&one) == place.read(&other), "{one} and {other} differ");
    }
}

/// HPDC 1999, section 4.2: a foreign store and forecaster in the place of the database and the
/// predictor.
#[test]
fn the_example_gives_the_bytes_of_the_built_in_parts() {
    let Some(program) = example() else { return };
    let place = Place::new();
    place.file("s.toml", SCENARIO);
    let program = |part: &str, more: &str| {
        format!("{part}={{ kind = 'program', command = ['{}', 'store']{more} }}", program.display())
    };
    run(&place, "built-in", &[BATTERY]);
    assert!(String::from_utf8(place.read("built-in/forecasts.csv")).unwrap().lines().count() > 100);
    run(&place, "both", &[&program("predictor", "")]);
    same(&place, "built-in", "both");
    // its store holds what was measured: a line for two values
    let (store, measured) = (place.names("store"), place.read("both/measurements.csv"));
    let kept = place.read(&format!("store/{}", store[0]));
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().count();
    assert_eq!((store.len(), 2 * lines(&kept)), (1, lines(&measured) - 1));
    // with a database of the simulator, as the database alone, and as the scheduler
    run(&place, "predictor", &[&program("predictor", ", stores = false")]);
    same(&place, "built-in", "predictor");
    run(&place, "database", &[BATTERY, &program("database", "")]);
    same(&place, "built-in", "database");
    assert!(place.names("database").contains(&"transcript-database.jsonl".to_owned()));
    run(&place, "last", &["predictor.kind='last'"]);
    run(&place, "last-of-program", &["predictor.kind='last'", &program("database", "")]);
    same(&place, "last", "last-of-program");
    run(&place, "scheduler", &[BATTERY, &program("scheduler", "")]);
    same(&place, "built-in", "scheduler");
    run(&place, "all", &[&program("predictor", ""), &program("scheduler", "")]);
    same(&place, "built-in", "all");
    // whether anything is recorded changes no question
    run(&place, "bare", &[&program("predictor", ""), "record={ transcript = true }"]);
    assert!(place.read("bare/transcript-predictor.jsonl") == place.read("both/transcript-predictor.jsonl"));
    explained(&place, &program("predictor", ""));
    studied(&place, &program("predictor", ""));
}

/// An explanation names the forecasters of the program.
fn explained(place: &Place, program: &str) {
    let words = ["run", "s.toml", "--no-progress", "--explain", "60", "-o", "why", "--set", program];
    let output = place.run(&words);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.contains("smoothing 3") || output.stdout.contains("mean 1"), "{}", output.stdout);
    same(place, "built-in", "why");
    let asked = |out: &str| place.read(&format!("{out}/transcript-predictor.jsonl"));
    assert!(asked("both") == asked("why"), "an explanation asks more");
}

/// Each run of a study has a process of its own, on any number of threads.
fn studied(place: &Place, program: &str) {
    let study =
        format!("{SCENARIO}[[vary]]\nscheduler = [\"greedy\", \"least-load\"]\n[repeat]\nreplications = 4\n");
    place.file("study.toml", study.replace("record = ", "# "));
    for (out, predictor, threads) in [("one", program, "1"), ("four", program, "4"), ("own", BATTERY, "2")] {
        let words =
            ["run", "study.toml", "-q", "--no-progress", "-j", threads, "-o", out, "--set", predictor];
        let output = place.run(&words);
        assert_eq!(output.status, 0, "{}", output.stderr);
    }
    let results = |out: &str| place.read(&format!("{out}/results.csv"));
    assert!(results("one") == results("four") && results("one") == results("own"));
    assert!(place.names("store").len() >= 16);
}

/// A program that answers everything at once, one case a line; `on` takes the place of a case.
pub(crate) fn fake(on: &str) -> String {
    format!(
        r#"echo $$ >pid
while read -r line; do
case "$line" in
{on}
*'"hello"'*) echo '{{"hello":"fake","version":1}}' ;;
*'"predict":"network"'*) echo '{{"bandwidth":1e6,"latency":0.02}}' ;;
*'"predict":"server"'*) echo '{{"performance":1e8,"load":0.5,"availability":1,"up":true}}' ;;
*'"get"'*) echo '{{"count":0,"measurements":[]}}' ;;
*'"select"'*) echo '{{"servers":["s-2"]}}' ;;
*) echo '{{"ok":true}}' ;;
esac
done
"#
    )
}

/// What a run says with such a program as a part, on standard error.
fn message(part: &str, script: &str, status: i32) -> String {
    let place = Place::new();
    place.file("s.toml", SCENARIO).file("fake.sh", script);
    let key = format!("{part}={{ kind = 'program', command = ['sh', 'fake.sh'], timeout = '700ms' }}");
    let output = place.run(&["run", "s.toml", "-q", "--no-progress", "-o", "out", "--set", &key]);
    assert_eq!(output.status, status, "{script}: {}", output.stderr);
    assert_eq!(status == 0, place.path("out").exists(), "a run that fails has no results");
    let left = place.path(&format!("out.partial/transcript-{part}.jsonl"));
    assert_eq!(status != 0, left.exists(), "a run that fails leaves its transcript");
    // whatever the program does, it does not outlive the run
    let pid = fs::read_to_string(place.path("pid")).unwrap();
    let alive = Command::new("kill").args(["-0", pid.trim()]).output().unwrap();
    assert!(!alive.status.success(), "{script}: the program is still there");
    output.stderr.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_program_that_answers_is_believed() {
    message("predictor", &fake(""), 0);
    message("database", &fake(""), 0);
    message("scheduler", &fake(""), 0);
}

/// A part, what its program does, and what is said of it.
const FAULTS: &[(&str, &str, &str)] = &[
    ("predictor", "*hello*) exit 3 ;;", "ended with exit status 3 before it answered"),
    ("predictor", "*hello*) kill -9 $$ ;;", "was ended by signal 9 before it answered"),
    (
        "predictor",
        "*hello*) printf '{\"he'; exit 0 ;;",
        "ended with exit status 0 in the middle of a line, `{\"he`",
    ),
    ("predictor", "*hello*) exec >&-; sleep 60 ;;", "closed its output before it answered"),
    (
        "predictor",
        "*hello*) sleep 60 ;;",
        "has not answered after 0.7 s\nasked: {\"hello\":\"clustersim\",\"version\":1",
    ),
    (
        "predictor",
        "*\\\"predict\\\":*) printf '{'; sleep 60 ;;",
        "has not answered with a whole line after 0.7 s, only with 1 bytes",
    ),
    (
        "predictor",
        "*\\\"predict\\\":*) while :; do printf x; sleep 0.05; done ;;",
        "has not answered with a whole line after 0.7 s",
    ),
    (
        "predictor",
        "*\\\"predict\\\":*) exec tr '\\0' x </dev/zero ;;",
        "answered with a line of more than 1048576 bytes",
    ),
    ("predictor", "*put*) exec yes '{\"ok\":true}' ;;", "wrote more than it was asked for, `{\"ok\":true}"),
    ("predictor", "*put*) printf '\\377\\n' ;;", "answered with bytes that are not UTF-8"),
    ("predictor", "*hello*) echo hello ;;", "gave an answer that cannot be: byte 1: "),
    (
        "predictor",
        "*hello*) echo '{\"hello\":\"new\",\"version\":2}' ;;",
        "it speaks version 2 of the protocol, expected version 1",
    ),
    ("predictor", "*hello*) echo '{\"hello\":\"new\"}' ;;", "`version` is missing"),
    (
        "predictor",
        "*put*) echo '{\"error\":\"the disk is full\"}' ;;",
        "the program says: the disk is full\nasked: {\"put\":\"server\",\"time\":0,",
    ),
    ("predictor", "*put*) echo '{}' ;;", "`ok` is missing"),
    ("predictor", "*\\\"predict\\\":\\\"network\\\"*) echo '{\"bandwidth\":1e6}' ;;", "`latency` is missing"),
    (
        "predictor",
        "*\\\"predict\\\":\\\"network\\\"*) echo '{\"bandwidth\":NaN,\"latency\":0}' ;;",
        "\nanswer: {\"bandwidth\":NaN,\"latency\":0}",
    ),
    (
        "predictor",
        "*\\\"predict\\\":\\\"network\\\"*) echo '{\"bandwidth\":-4,\"latency\":0}' ;;",
        "-4 is out of range",
    ),
    (
        "predictor",
        "*\\\"predict\\\":\\\"server\\\"*) echo '{\"performance\":1,\"load\":1e400,\"availability\":1,\"up\":true}' ;;",
        "1e400 is out of range",
    ),
    (
        "predictor",
        "*finish*) echo '{\"ok\":true}'; echo '{\"ok\":true}' ;;",
        "wrote more than it was asked for",
    ),
    (
        "predictor",
        "*finish*) exit 0 ;;",
        "ended with exit status 0 before it answered\nasked: {\"finish\":\"run\",\"time\":",
    ),
    (
        "database",
        "*get*) echo '{\"count\":0,\"measurements\":[{\"time\":0,\"performance\":1,\"load\":0,\"availability\":1,\"up\":true}]}' ;;",
        "there are 1 measurements, and `count` is 0",
    ),
    ("database", "*get*) echo '{\"count\":2}' ;;", "`measurements` is missing"),
    ("scheduler", "*select*) echo '{\"servers\":[\"s-9\"]}' ;;", "no candidate is called `s-9`"),
    ("scheduler", "*select*) echo '{\"servers\":[\"s-1\",\"s-1\"]}' ;;", "the server `s-1` is there twice"),
    ("scheduler", "*select*) echo '{\"servers\":\"s-1\"}' ;;", "byte 12: "),
];

#[test]
fn what_a_program_does_wrong_ends_the_run_and_is_told_with_what_was_asked() {
    for (part, does, expected) in FAULTS {
        let message = message(part, &fake(does), 1);
        assert!(message.contains(&format!("the program of `{part}` (sh fake.sh) ")), "{message}");
        assert!(message.contains(expected) && message.contains("\nasked: {"), "{does}: {message}");
    }
}

#[test]
fn a_program_that_reads_nothing_does_not_hold_up_the_run() {
    let message = message("predictor", "echo $$ >pid; exec sleep 60", 1);
    assert!(message.contains("has not answered after 0.7 s"), "{message}");
}

#[test]
fn a_transcript_stands_in_for_its_program() {
    let place = Place::new();
    place.file("s.toml", SCENARIO).file("fake.sh", fake(""));
    let command = "command = ['sh', 'fake.sh']";
    run(
        &place,
        "out",
        &[
            &format!("predictor={{ kind = 'program', {command} }}"),
            &format!("scheduler={{ kind = 'program', {command} }}"),
        ],
    );
    fs::remove_file(place.path("fake.sh")).unwrap();
    let replay =
        |part: &str| format!("{part}={{ kind = 'program', replay = 'out/transcript-{part}.jsonl' }}");
    let (predictor, scheduler) = (replay("predictor"), replay("scheduler"));
    run(&place, "again", &[&predictor, &scheduler]);
    same(&place, "out", "again");
    let transcript = |out: &str| place.read(&format!("{out}/transcript-predictor.jsonl"));
    assert!(transcript("out") == transcript("again"));
    // the transcript is an input of the run, and its resolved scenario finds it
    let manifest = String::from_utf8(place.read("again/manifest.json")).unwrap();
    assert!(manifest.contains("out/transcript-predictor.jsonl"), "{manifest}");
    let words = ["run", "again/scenario.resolved.toml", "-q", "--no-progress", "-o", "resolved"];
    assert_eq!(place.run(&words).status, 0);
    same(&place, "out", "resolved");
    let message = |keys: &[&str]| {
        let mut words = vec!["run", "s.toml", "-q", "--no-progress", "-o", "none"];
        words.extend(keys.iter().flat_map(|key| ["--set", key]));
        let output = place.run(&words);
        assert_eq!(output.status, 1, "{}", output.stderr);
        output.stderr
    };
    let other = message(&[&predictor, &scheduler, "seed=8"]);
    assert!(other.contains("(out/transcript-predictor.jsonl) cannot be replayed: line 1 of the transcript has another question, {\"hello\""), "{other}");
    let text = String::from_utf8(transcript("out")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    place.file("out/transcript-predictor.jsonl", lines[..40].join("\n"));
    let short = message(&[&predictor, &scheduler]);
    assert!(short.contains("cannot be replayed: the transcript ends after 40 lines"), "{short}");
}

#[test]
fn a_program_that_cannot_be_started_is_a_mistake_at_its_key() {
    let place = Place::new();
    place.file("text", "no program");
    let cases = [
        ("predictor", "command = ['./nothing']", "cannot start `./nothing`: there is no such file"),
        (
            "database",
            "command = ['no-such-program-at-all']",
            "cannot start `no-such-program-at-all`: it is in no directory of PATH",
        ),
        ("scheduler", "command = ['./text']", "cannot start `./text`: permission denied"),
        ("scheduler", "command = ['/']", "cannot start `/`: it is a directory"),
        ("predictor", "command = []", "this command names no program"),
        ("predictor", "command = ['']", "this command names no program"),
        ("predictor", "stores = true", "nothing says which program"),
        ("predictor", "replay = 'nothing.jsonl'", "cannot read `nothing.jsonl`: there is no such file"),
        ("predictor", "command = ['sh'], timeout = '0s'", "timeout"),
    ];
    for (part, keys, expected) in cases {
        let line = format!("{part} = {{ kind = \"program\", {keys} }}\n");
        place.file("s.toml", format!("{line}{SCENARIO}"));
        let output = place.run(&["run", "s.toml", "-q", "--no-progress", "-o", "out"]);
        assert_eq!(output.status, 2, "{keys}: {}", output.stderr);
        assert!(output.stderr.contains(expected), "{keys}: {}", output.stderr);
        assert!(output.stderr.contains("s.toml:1:"), "{keys}: {}", output.stderr);
        assert!(!place.path("out").exists());
    }
    let two = "database = { kind = \"program\", command = [\"sh\"] }\npredictor = { kind = \"program\", command = [\"sh\"] }\n";
    place.file("s.toml", format!("{two}{SCENARIO}"));
    let output = place.run(&["run", "s.toml", "-q", "--no-progress", "-o", "out"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(
        output.stderr.contains("s.toml:1:21") && output.stderr.contains("`program` would be a second one"),
        "{}",
        output.stderr
    );
}

/// What only looks at a scenario runs none of its programs; a file that is no program after all
/// ends the run.
#[test]
fn a_program_is_started_by_a_run_and_nothing_else() {
    let place = Place::new();
    let line =
        "predictor = { kind = \"program\", command = [\"sh\", \"-c\", \"echo started >pid; cat >pid\"] }\n";
    place.file("s.toml", format!("{line}{SCENARIO}")).file("none", "\u{7f}none");
    let dry = ["run", "s.toml", "--dry-run", "--vary", "seed=1,2"];
    for words in [&["validate", "s.toml"][..], &dry[..3], &dry] {
        let output = place.run(words);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let told = output.stdout.contains("CPU time       not estimated, as runs start programs");
        assert_eq!(told, words.len() == 5, "{}", output.stdout);
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(!place.path("pid").exists());
    fs::set_permissions(place.path("none"), fs::Permissions::from_mode(0o755)).unwrap();
    let key = "predictor={ kind = 'program', command = ['./none'] }";
    let output = place.run(&["run", "s.toml", "-q", "--no-progress", "-o", "out", "--set", key]);
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert!(output.stderr.contains("(./none) cannot be started: "), "{}", output.stderr);
}

/// The keys of a JSON object in their order, and the first one's value.
fn shape(line: &str) -> (String, Vec<String>) {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}: {why}"));
    let members = value.as_object().unwrap();
    let first = members.values().next().unwrap().as_str().unwrap_or_default().to_owned();
    (first, members.keys().cloned().collect())
}

/// The questions of the chapter are those that are asked, and its answers are taken.
#[test]
fn the_chapter_shows_the_protocol_as_it_is() {
    let chapter = fs::read_to_string(repository("docs/global-computing.md")).unwrap();
    let blocks = chapter.split("```json\n").skip(1).map(|block| block.split("```").next().unwrap());
    let shown: Vec<Vec<&str>> = blocks
        .map(|block| block.lines().collect::<Vec<_>>())
        .collect::<Vec<_>>()
        .concat()
        .chunks(2)
        .map(<[_]>::to_vec)
        .collect();
    assert!(shown.len() >= 9, "{shown:?}");
    let place = Place::new();
    place.file("s.toml", SCENARIO).file("fake.sh", fake(""));
    let program = |part: &str| format!("{part}={{ kind = 'program', command = ['sh', 'fake.sh'] }}");
    run(&place, "both", &[&program("predictor"), &program("scheduler")]);
    run(&place, "database", &[&program("database")]);
    run(&place, "last", &[&program("database"), "predictor.kind='last'"]);
    let files = [
        "both/transcript-predictor",
        "both/transcript-scheduler",
        "database/transcript-database",
        "last/transcript-database",
    ];
    let mut asked = Vec::new();
    for file in files {
        let text = String::from_utf8(place.read(&format!("{file}.jsonl"))).unwrap();
        let questions = text.lines().filter_map(|line| line.strip_prefix("{\"to\":")?.strip_suffix('}'));
        asked.extend(questions.map(shape));
    }
    for pair in shown {
        let [question, answer] = pair[..] else { panic!("{pair:?}") };
        let (first, keys) = shape(question);
        assert!(asked.contains(&(first.clone(), keys.clone())), "{question} is asked nowhere");
        let taken = match (keys[0].as_str(), first.as_str()) {
            ("hello", _) => greeting(answer).err(),
            ("put", "network") => taken_network(answer).err(),
            ("put", _) => taken_server(answer).err(),
            ("predict", "network") => network(answer).err(),
            ("predict", _) => server(answer).err(),
            ("get", "network") => network_history(answer).err(),
            ("get", _) => server_history(answer).err(),
            ("select", _) => selection(answer).err(),
            _ => done(answer).err(),
        };
        assert_eq!(taken, None, "{answer}");
    }
}
