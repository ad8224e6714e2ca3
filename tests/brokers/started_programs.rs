//! Programs that scenarios start end with their runs, whatever ends these, and are named and
//! refused where that is asked.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::foreign_programs::{SCENARIO, fake};
use clustersim_testing::program::{Output, Place, heeding};

/// Longest time that a process may take to be gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until something is so.
fn until(is_so: impl Fn() -> bool) -> bool {
    let tick = Duration::from_millis(10);
    (0..PATIENCE.as_millis() / tick.as_millis()).any(|_| {
        let so = is_so();
        if !so {
            sleep(tick);
        }
        so
    })
}

/// The process whose number a program wrote into a file; nothing before it has.
fn number(place: &Place, file: &str) -> Option<String> {
    let text = fs::read_to_string(place.path(file)).ok()?;
    text.ends_with('\n').then(|| text.trim().to_owned())
}

/// Returns true if the process of this number runs no more; one that nobody has waited for yet
/// counts as over.
fn is_over(number: &str) -> bool {
    if let Ok(stat) = fs::read_to_string(PathBuf::from("/proc").join(number).join("stat")) {
        return stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('Z'));
    }
    !Command::new("kill").args(["-0", number]).stderr(Stdio::null()).status().unwrap().success()
}

fn program(timeout: &str) -> String {
    format!("predictor={{ kind = 'program', command = ['sh', 'fake.sh'], timeout = '{timeout}' }}")
}

/// A child of the program that outlives it.
const CHILD: &str = "sleep 300 & echo $! >child";

#[test]
fn children_of_a_program_that_has_ended_by_itself_are_ended() {
    let ends = [
        ("finishes", format!("*hello*) {CHILD}; echo '{{\"hello\":\"fake\",\"version\":1}}' ;;"), 0),
        ("fails at once", format!("*hello*) {CHILD}; exit 3 ;;"), 1),
        ("fails later", format!("*predict*) {CHILD}; kill -9 $$ ;;"), 1),
    ];
    for (how, does, status) in ends {
        let place = Place::new();
        place.file("s.toml", SCENARIO).file("fake.sh", fake(&does));
        let output =
            place.run(&["run", "s.toml", "-q", "--no-progress", "-o", "out", "--set", &program("5s")]);
        assert_eq!(output.status, status, "{how}: {}", output.stderr);
        let child = number(&place, "child").unwrap();
        assert!(until(|| is_over(&child)), "the program {how}, and process {child} goes on");
    }
}

/// Not even a program that reads nothing and ignores signals outlives a run that is killed.
#[test]
fn whatever_signal_ends_a_run_ends_its_programs_with_their_children() {
    for signal in ["-INT", "-TERM", "-HUP", "-KILL"] {
        let place = Place::new();
        let script = format!("trap '' INT TERM HUP\n{CHILD}\necho $$ >pid\nwhile :; do sleep 300; done\n");
        place.file("s.toml", SCENARIO).file("fake.sh", script);
        let words = ["run", "s.toml", "-q", "--no-progress", "-o", "out", "--set", &program("300s")];
        let mut command = heeding();
        command.args(words).current_dir(place.path(".")).stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = command.spawn().unwrap();
        let begun = || number(&place, "child").is_some() && number(&place, "pid").is_some();
        assert!(until(begun), "the program was not started");
        let sent = Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(run.wait().unwrap().code(), None, "{signal}");
        for file in ["pid", "child"] {
            let process = number(&place, file).unwrap();
            assert!(until(|| is_over(&process)), "after {signal} the process of `{file}` goes on");
        }
    }
}

#[test]
fn a_failed_run_keeps_what_its_programs_were_asked_and_answered() {
    let place = Place::new();
    let bad = "*\\\"predict\\\":\\\"network\\\"*) echo '{\"bandwidth\":-4,\"latency\":0}' ;;";
    place.file("s.toml", SCENARIO).file("fake.sh", fake(bad));
    let words = ["run", "s.toml", "--no-progress", "-o", "out", "--set", &program("5s")];
    let output = place.run(&words);
    assert_eq!(output.status, 1, "{}", output.stderr);
    let told = "note: the failed run left transcript-predictor.jsonl in out.partial\n";
    assert!(output.stderr.contains(told), "{}", output.stderr);
    assert_eq!(place.names("out.partial"), ["transcript-predictor.jsonl"]);
    let text = String::from_utf8(place.read("out.partial/transcript-predictor.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("{\"to\":{\"hello\""), "{text}");
    let [.., asked, came] = lines[..] else { panic!("{text}") };
    assert!(asked.starts_with("{\"to\":{\"predict\":\"network\""), "{asked}");
    assert_eq!(came, "{\"from\":{\"bandwidth\":-4,\"latency\":0}}");
    // it fails again without the program, and the run that succeeds takes the place
    let replay = "predictor={ kind = 'program', replay = 'kept.jsonl' }";
    place.file("kept.jsonl", &text);
    let again = place.run(&["run", "s.toml", "-q", "--no-progress", "-o", "again", "--set", replay]);
    assert_eq!(again.status, 1, "{}", again.stderr);
    assert!(again.stderr.contains("-4 is out of range"), "{}", again.stderr);
    place.file("fake.sh", fake(""));
    assert_eq!(place.run(&words).status, 0);
    assert!(!place.path("out.partial").exists() && place.path("out/transcript-predictor.jsonl").exists());
}

/// Runs the program with the variable that forbids programs.
fn with_variable(place: &Place, value: &str, words: &[&str]) -> Output {
    let mut command = Command::new(clustersim_testing::program::program());
    place.wait(command.args(words).env("CLUSTERSIM_FORBID_PROGRAMS", value))
}

#[test]
fn a_scenario_that_starts_a_program_is_refused_at_its_place_where_that_is_forbidden() {
    let place = Place::new();
    let line = "scheduler = { kind = \"program\", command = [\"sh\", \"fake.sh\"] }\n";
    place.file("s.toml", format!("{line}{SCENARIO}")).file("fake.sh", fake(""));
    place.file("plain.toml", SCENARIO);
    let refused = |output: &Output, at: &str| {
        assert_eq!(output.status, 2, "{}", output.stderr);
        let told = "error[CS0041]: the scenario starts a program, `sh fake.sh`";
        assert!(output.stderr.contains(told) && output.stderr.contains(at), "{}", output.stderr);
        assert!(!place.path("pid").exists(), "the program was started");
    };
    let run = ["run", "s.toml", "-q", "--no-progress", "-o", "out"];
    let forbid = "--forbid-programs";
    refused(&place.run(&[&run[..], &[forbid]].concat()), "s.toml:1:43");
    refused(&with_variable(&place, "1", &run), "s.toml:1:43");
    refused(&place.run(&["validate", "s.toml", forbid]), "s.toml:1:43");
    refused(&place.run(&["validate", "s.toml", "--confined"]), "s.toml:1:43");
    refused(
        &place.run(&["sweep", "plan", "s.toml", "-o", "plan", "--replications", "2", forbid]),
        "s.toml:1:43",
    );
    // also where only a point of a study does
    let vary = "scheduler=\"greedy\",{ kind = \"program\", command = [\"sh\", \"fake.sh\"] }";
    for words in [["run", "plain.toml", "--vary"], ["compare", "plain.toml", "--vary"]] {
        refused(&place.run(&[&words[..], &[vary, forbid, "-q", "--no-progress"]].concat()), "--vary");
    }
    // a scenario without programs is not concerned, nor one whose transcript replaces them
    let quiet = ["-q", "--no-progress", forbid];
    assert_eq!(place.run(&[&["run", "plain.toml", "-o", "plain"], &quiet[..]].concat()).status, 0);
    assert_eq!(with_variable(&place, "0", &run).status, 0, "0 forbids nothing");
    let replay = "scheduler={ kind = 'program', replay = 'out/transcript-scheduler.jsonl' }";
    let words = ["run", "plain.toml", "-o", "replayed", "--set", replay];
    let output = place.run(&[&words[..], &quiet[..]].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
}

#[test]
fn validate_names_the_programs_that_a_run_would_start() {
    let place = Place::new();
    let parts = "database = { kind = \"program\", command = [\"sh\", \"-c\", \"exit 1\"] }\n\
                 scheduler = { kind = \"program\", command = [\"sh\", \"fake.sh\"] }\n";
    place.file("s.toml", format!("{parts}{SCENARIO}")).file("plain.toml", SCENARIO);
    let output = place.run(&["validate", "s.toml", "plain.toml"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let starts = "it starts `sh -c exit 1` (database.command), `sh fake.sh` (scheduler.command)";
    assert_eq!(output.stdout, format!("s.toml: valid; {starts}\nplain.toml: valid\n"));
}

#[test]
fn the_help_of_run_says_that_a_scenario_can_start_programs() {
    let output = Place::new().run(&["run", "--help"]);
    assert!(output.stdout.contains("A scenario can start programs"), "{}", output.stdout);
    assert!(output.stdout.contains("--forbid-programs"), "{}", output.stdout);
}
