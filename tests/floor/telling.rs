//! What the simulator tells of itself under `-v` and `CLUSTERSIM_LOG`: with virtual time, and
//! without a trace in the results.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::rc::Rc;

use clustersim::system::standard;
use clustersim_experiment::scenario::{RunStatus, Session, Subjects, Watch, check, load};
use clustersim_kernel::Digest;

use clustersim_testing::program::{Place, program, repository};

const LOG: &str = "\
; MaxProcs: 4
1 0 -1 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1
2 1 -1 10 4 -1 -1 4 5 -1 1 1 1 -1 -1 -1 -1 -1
3 2 -1 5 2 -1 -1 2 5 -1 1 1 1 -1 -1 -1 -1 -1
4 2 -1 5 9 -1 -1 9 5 -1 1 1 1 -1 -1 -1 -1 -1
";

fn run(folder: &Path, filter: &str, flags: &[&str]) -> Output {
    fs::write(folder.join("log.swf"), LOG).unwrap();
    Command::new(program())
        .args(["run", "log.swf", "--policy", "easy", "--json", "-o", "out"])
        .args(flags)
        .env("CLUSTERSIM_LOG", filter)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn twice_verbose_tells_every_start_end_and_rejection_at_its_virtual_time() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "", &["-vv"]);
    let told = told(&output);
    let of_front_end = told.lines().filter(|line| line.starts_with("DEBUG clustersim::policy::front_end"));
    let policy: Vec<_> = of_front_end.filter_map(|line| Some(line.split_once(": ")?.1)).collect();
    assert_eq!(
        policy,
        [
            "starts at=0.0 job=1 procs=2 reason=head",
            "rejected: larger than the machine at=2.0 job=4 procs=9",
            "starts at=2.0 job=3 procs=2 reason=before-shadow",
            "ends at=7.0 job=3",
            "ends at=10.0 job=1",
            "starts at=10.0 job=2 procs=4 reason=head",
            "ends at=20.0 job=2",
        ]
    );
    assert!(told.contains("line=3 cause=\"estimate-raised\""), "{told}");
}

#[test]
fn telling_changes_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let quiet = run(folder.path(), "", &["-q"]);
    let all = run(folder.path(), "trace", &[]);
    assert!(quiet.status.success() && quiet.stderr.is_empty(), "{}", told(&quiet));
    assert!(told(&all).contains("TRACE"), "{}", told(&all));
    assert!(told(&all).contains("identical"), "{}", told(&all));
    assert_eq!(quiet.stdout, all.stdout);
}

/// A scenario of each system, and a word of the log of one subject's end.
const OF_EACH: [(&str, &str); 5] = [
    ("quickstart", "ends"),
    ("agents", "transfer"),
    ("task-graph", "ends"),
    ("parameter-sweep", "is completed"),
    ("global-computing", "a task is completed"),
];

#[test]
fn every_system_tells_its_beginning_its_end_and_what_is_over() {
    let scenarios = repository("scenarios");
    for (scenario, over) in OF_EACH {
        let place = Place::new();
        let file = scenarios.join(format!("{scenario}.toml"));
        let file = file.to_str().unwrap();
        let once = place.run(&["run", file, "-v", "--json", "-o", "out"]);
        let lines = |told: &str, what: &str| told.lines().filter(|line| line.contains(what)).count();
        for end in ["simulation begins", "simulation ends"] {
            let told: Vec<&str> = once.stderr.lines().filter(|line| line.contains(end)).collect();
            assert!(matches!(told[..], [line] if line.contains("INFO")), "{scenario}: {told:?}");
        }
        assert_eq!(lines(&once.stderr, "DEBUG"), 0, "{scenario}");
        let twice = place.run(&["run", file, "-vv", "--json", "-o", "out"]);
        assert!(lines(&twice.stderr, over) > 1, "{scenario}: {}", twice.stderr);
        assert_eq!(twice.stdout, once.stdout);
    }
}

/// A watch that keeps what it was told.
fn watched(scenario: &str) -> (Vec<RunStatus>, Option<Subjects>, [(Digest, u64); 2]) {
    let registry = standard();
    let path = repository("scenarios").join(format!("{scenario}.toml"));
    let scenario = check(&registry, load(&path, None, &[])).unwrap_or_else(|rejected| panic!("{rejected}"));
    let assembled =
        || scenario.system.assemble(&registry, &scenario).unwrap_or_else(|wrong| panic!("{wrong}"));
    let told = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&told);
    let watch: Watch = Rc::new(move |status| noted.borrow_mut().push(status));
    let sessions = [Session::of(&scenario), Session { watch: Some(watch), ..Session::of(&scenario) }];
    let subjects = assembled().run.subjects();
    let results = sessions.map(|session| {
        let results = session.make(&scenario, assembled().run).unwrap();
        let figures = results.figures();
        (figures.digest, figures.events)
    });
    (told.take(), subjects, results)
}

#[test]
fn a_run_that_is_watched_is_the_same_and_tells_how_far_it_is() {
    for (scenario, _) in OF_EACH {
        let (told, subjects, [alone, watched]) = watched(scenario);
        assert_eq!(alone, watched, "{scenario}");
        assert!(!told.is_empty(), "{scenario}");
        assert!(told.windows(2).all(|pair| pair[0].now < pair[1].now && pair[0].over <= pair[1].over));
        if let (Some(subjects), Some(last)) = (subjects, told.last()) {
            assert!(last.over > 0 && last.over <= subjects.count, "{scenario}: {last:?} of {subjects:?}");
        }
    }
}

#[test]
fn the_variable_chooses_by_module_and_json_is_one_object_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "clustersim::scenario::run=info", &["--message-format", "json"]);
    let told = told(&output);
    let lines: Vec<serde_json::Value> =
        told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_policy = lines.iter().filter(|line| line["target"] == "clustersim::scenario::run");
    assert_eq!(of_policy.count(), 2, "{told}");
    assert!(lines.iter().all(|line| line["target"] != "clustersim::policy::front_end"), "{told}");
}

#[test]
fn a_variable_that_cannot_be_read_is_bad_usage() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "clustersim=loud", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(told(&output).starts_with("error[CS0014]: CLUSTERSIM_LOG=clustersim=loud"), "{}", told(&output));
    assert!(!folder.path().join("out").exists());
}
