//! One process at a time works on a directory: of several that begin at once one does, the others
//! say so and end with 75; and whatever instant a process ends at, the next one is not kept out.

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clustersim_testing::program::{Output, Place, program};

fn study(jobs: u32, replications: u32) -> String {
    format!(
        "title = \"Crowd\"\ncluster.nodes = 16\n[workload]\nkind = \"synthetic\"\njobs = {jobs}\n\
         arrivals = {{ kind = \"exponential\", mean = \"10min\" }}\n\
         sizes = {{ kind = \"uniform\", low = 1, high = 16 }}\n\
         run-times = {{ kind = \"exponential\", mean = \"1h\" }}\n\
         [[vary]]\npolicy = [\"fcfs\", \"easy\"]\n[repeat]\nreplications = {replications}\n"
    )
}

/// Begins the program several times at once, and waits for all.
fn crowd(place: &Place, many: usize, arguments: &[&str]) -> Vec<Output> {
    let children: Vec<Child> = (0..many).map(|_| begin(place, arguments)).collect();
    children.into_iter().map(|child| Output::of(child.wait_with_output().unwrap())).collect()
}

fn begin(place: &Place, arguments: &[&str]) -> Child {
    Command::new(program())
        .args(arguments)
        .current_dir(place.path("."))
        .env("NO_COLOR", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// How many ended with 0; the others must have found the place taken.
fn done(outputs: &[Output]) -> usize {
    for output in outputs.iter().filter(|output| output.status != 0) {
        assert_eq!(output.status, 75, "{}", output.stderr);
        assert!(output.stderr.contains("another process works on"), "{}", output.stderr);
    }
    outputs.iter().filter(|output| output.status == 0).count()
}

#[test]
fn of_several_that_begin_one_study_at_once_one_makes_it() {
    let place = Place::new();
    place.file("s.toml", study(4000, 40));
    for round in 0..4 {
        let directory = format!("d{round}");
        if round % 2 == 1 {
            // what an interrupted run left has to be cleared first, under the lock
            place.file(&format!("{directory}.partial/jobs.csv"), "half a row");
            place.file(&format!("{directory}.partial.lock"), "");
        }
        let outputs = crowd(&place, 6, &["run", "s.toml", "-o", &directory, "-j", "1"]);
        assert!(done(&outputs) < 6, "round {round}: nobody found it taken");
        // who comes when it is over makes it again, and compares
        let made = outputs.iter().filter(|output| output.stderr.contains("results in")).count();
        assert_eq!(made, 1, "round {round}");
        assert!(place.read(&format!("{directory}/results.csv")) == place.read("d0/results.csv"));
        assert_eq!(place.names(&directory), place.names("d0"));
    }
    assert_eq!(place.names("."), ["d0", "d1", "d2", "d3", "s.toml"]);
}

#[test]
fn a_crowd_on_short_studies_and_runs_leaves_them_whole_and_nothing_else() {
    let place = Place::new();
    place.file("s.toml", study(5, 2));
    assert_eq!(place.run(&["run", "s.toml", "-o", "whole"]).status, 0);
    let one = ["run", "s.toml", "--point", "1", "--replication", "1", "-o"];
    assert_eq!(place.run(&[&one[..], &["single"]].concat()).status, 0);
    for round in 0..12 {
        let several = format!("several-{round}");
        assert!(done(&crowd(&place, 4, &["run", "s.toml", "-o", &several])) > 0, "round {round}");
        assert!(place.read(&format!("{several}/study.json")) == place.read("whole/study.json"));
        assert_eq!(place.names(&several), place.names("whole"));
        let alone = format!("single-{round}");
        assert!(done(&crowd(&place, 4, &[&one[..], &[&alone]].concat())) > 0, "round {round}");
        assert!(place.read(&format!("{alone}/jobs.csv")) == place.read("single/jobs.csv"));
        assert_eq!(place.names(&alone), place.names("single"));
        // a finished one is made again and compared, by one at a time as well
        assert!(done(&crowd(&place, 3, &["run", "s.toml", "-o", &several])) > 0, "round {round}");
        assert_eq!(place.names(&several), place.names("whole"));
    }
    assert_eq!(place.names(".").len(), 3 + 2 * 12, "{:?}", place.names("."));
}

#[test]
fn several_collectors_and_planners_at_once_do_the_work_of_one() {
    let place = Place::new();
    place.file("s.toml", study(20, 6));
    assert_eq!(place.run(&["run", "s.toml", "-o", "whole"]).status, 0);
    for round in 0..6 {
        let wide = format!("wide-{round}");
        assert!(done(&crowd(&place, 3, &["sweep", "plan", "s.toml", "-o", &wide, "--shards", "2"])) > 0);
        for index in ["0", "1"] {
            // two tries of one shard at once are allowed: each has its own journal
            assert_eq!(done(&crowd(&place, 2, &["sweep", "shard", &wide, "--index", index])), 2);
        }
        assert!(done(&crowd(&place, 4, &["sweep", "collect", &wide])) > 0, "round {round}");
        for name in ["results.csv", "study.json", "report.html"] {
            assert!(place.read(&format!("{wide}/{name}")) == place.read(&format!("whole/{name}")), "{name}");
        }
        assert_eq!(place.names(&wide), place.names("whole"));
    }
    assert_eq!(place.names(".").len(), 2 + 6, "{:?}", place.names("."));
}

#[test]
fn a_process_that_was_killed_keeps_nobody_out() {
    let place = Place::new();
    place.file("s.toml", study(4000, 40));
    let mut child = begin(&place, &["run", "s.toml", "-o", "d", "-j", "1"]);
    while !place.path("d.partial/plan.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the study ended before it began");
        sleep(Duration::from_millis(2));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-STOP", &id]).status().unwrap().success());
    let second = place.run(&["run", "s.toml", "-o", "d"]);
    assert_eq!(second.status, 75, "{}", second.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.names("."), ["d.partial", "d.partial.lock", "s.toml"]);
    let third = place.run(&["run", "s.toml", "-o", "d"]);
    assert_eq!(third.status, 0, "{}", third.stderr);
    assert_eq!(place.names("."), ["d", "s.toml"]);
}
