//! Queues with nodes of their own by the program: the manual's example, its explanation, and faults
//! planted in its schedule.

use std::fs;

use clustersim_testing::program::Place;

const SITE: &str = "title = \"Two queues\"\n\
    [[cluster.group]]\nnodes = 4\nfeatures = [\"cpu\"]\n\
    [[cluster.group]]\nnodes = 2\nfeatures = [\"gpu\"]\n\
    [workload]\nkind = \"swf\"\nfile = \"log.swf\"\n";
const QUEUES: &str = "[policy]\nkind = \"easy\"\n\
    [[policy.queues]]\nname = \"cpu\"\nof = \"partition\"\nnumbers = [1]\nnodes = [\"cpu\", \"gpu\"]\n\
    [[policy.queues]]\nname = \"gpu\"\nof = \"partition\"\nnumbers = [2]\nnodes = [\"gpu\"]\n";
/// Jobs as (partition, submission, processors, run time).
const JOBS: [(u32, u32, u32, u32); 5] =
    [(2, 0, 2, 100), (2, 1, 2, 50), (1, 2, 3, 50), (1, 3, 4, 50), (1, 4, 1, 60)];

fn site() -> Place {
    let place = Place::new();
    let line = |(number, (queue, submit, procs, run)): (u32, (u32, u32, u32, u32))| {
        format!("{number} {submit} -1 {run} {procs} -1 -1 {procs} {run} -1 1 1 1 1 {queue} {queue} -1 -1\n")
    };
    place.file("log.swf", (1..).zip(JOBS).map(line).collect::<String>());
    place.file("scenario.toml", SITE.to_owned() + QUEUES);
    place
}

/// Runs the site, changes cells of its schedule, and gives what is found broken.
fn broken(changes: &[(&str, &str)]) -> String {
    let place = site();
    let ran = place.run(&["run", "scenario.toml", "-o", "run", "--no-progress"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let path = place.path("run").join("jobs.csv");
    let mut jobs = fs::read_to_string(&path).unwrap();
    for (old, new) in changes {
        assert!(jobs.contains(old), "{old} is not in {jobs}");
        jobs = jobs.replacen(old, new, 1);
    }
    fs::write(path, jobs).unwrap();
    let found = place.run(&["check", "run"]).stdout;
    found.lines().filter(|line| line.contains("BROKEN")).collect()
}

#[test]
fn check_finds_a_late_head_of_a_queue_and_a_job_on_nodes_of_another() {
    assert_eq!(broken(&[]), "");
    let late = [(",52,50,102,", ",53,50,103,"), (",102,60,162,", ",103,60,163,")];
    assert!(broken(&late).contains("the head of each of several queues"));
    let stray = broken(&[("4-5", "2-3"), ("0-2", "0-1 4")]);
    assert!(stray.contains("jobs of queues with nodes of their own"), "{stray}");
}

#[test]
fn a_job_is_explained_by_the_head_of_its_own_queue() {
    let words = site().run(&["run", "scenario.toml", "--explain", "5", "--no-progress"]).stdout;
    assert!(words.contains("waits behind job 4, the head of queue `cpu`"), "{words}");
    assert!(words.contains("(48 s)"), "{words}");
}

#[test]
fn a_job_of_a_queue_that_shares_no_node_overtakes_nobody() {
    let place = site();
    let explained = |nodes: &str| {
        place.file("scenario.toml", SITE.to_owned() + &QUEUES.replace("\"cpu\", \"gpu\"", nodes));
        place.run(&["run", "scenario.toml", "--explain", "2", "--no-progress"]).stdout
    };
    // the third job starts while the second waits, on nodes that it may have or not
    assert!(explained("\"cpu\", \"gpu\"").contains("overtaken by job 3"));
    assert!(!explained("\"cpu\"").contains("overtaken"));
}
