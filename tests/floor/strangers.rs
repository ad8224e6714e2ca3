//! Scenarios of others: what they name outside their folder is never quoted, `--confined` refuses
//! it, and what titles hide is shown.

use std::fs;

use clustersim_testing::program::Place;

const SECRET: &str = "hunter2-of-the-owner";

const SWEEP: &str = "\
title = \"Sweep\"
application.kind = \"mcell\"
[[platform.cluster]]
name = \"a\"
hosts = 2
link = { bandwidth = \"10kBps\" }
availability-trace = FILE
";

const JOBS: &str = "\
title = \"Jobs\"
cluster.nodes = 8
workload = { kind = \"swf\", file = FILE }
";

const GRAPH: &str = "\
title = \"Graph\"
application = { kind = \"file\", file = FILE }
[[platform.cluster]]
name = \"g\"
hosts = 3
speed = \"1Gf\"
bandwidth = \"1MBps\"
";

/// A place with a secret next to the folder `theirs` of a scenario, and a link to it in that
/// folder.
fn place() -> Place {
    let place = Place::new();
    for name in
        ["secret", "secret.txt", "secret.csv", "secret.xml", "secret.dag", "secret.dot", "secret.toml"]
    {
        place.file(name, format!("time,value\n1,{SECRET}\n{SECRET} = 3 <{SECRET}>\n"));
    }
    place.file("theirs/plain", format!("{SECRET} 1\n"));
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.csv", place.path("theirs/link.csv")).unwrap();
    place
}

#[test]
fn what_stands_in_files_outside_the_folder_is_never_quoted() {
    let place = place();
    let files: Vec<String> = place
        .names(".")
        .into_iter()
        .filter(|name| name.starts_with("secret"))
        .map(|name| format!("../{name}"))
        .collect();
    let linked = cfg!(unix).then(|| "link.csv".to_owned());
    let mut told = 0;
    for scenario in [SWEEP, JOBS, GRAPH, "include = [FILE]\n"] {
        for file in files.iter().chain(&linked) {
            for command in ["validate", "run"] {
                place.file("theirs/s.toml", scenario.replace("FILE", &format!("\"{file}\"")));
                let ended = place.run(&[command, "theirs/s.toml"]);
                assert_eq!(ended.status, 2, "{file}\n{scenario}\n{}", ended.stderr);
                assert!(!ended.stderr.contains(SECRET), "{file}\n{scenario}\n{}", ended.stderr);
                told += usize::from(ended.stderr.contains("not quoted"));
                let json = place.run(&[command, "theirs/s.toml", "--message-format", "json"]);
                assert!(!json.stderr.contains(SECRET), "{}", json.stderr);
            }
        }
    }
    assert!(told > 20, "{told}");
    // what is its own is quoted as ever
    place.file("theirs/s.toml", SWEEP.replace("FILE", "\"plain\""));
    let ended = place.run(&["run", "theirs/s.toml"]);
    assert!(ended.stderr.contains(SECRET), "{}", ended.stderr);
}

#[test]
fn confined_scenarios_read_their_folder_only() {
    let place = place();
    let told = |scenario: &str| {
        place.file("theirs/s.toml", scenario);
        let ended = place.run(&["run", "theirs/s.toml", "--confined", "-q", "-o", "out", "--force"]);
        (ended.status, ended.stderr)
    };
    for file in ["../secret.csv", "/etc/hostname", "link.csv"] {
        let (status, text) = told(&SWEEP.replace("FILE", &format!("\"{file}\"")));
        assert_eq!(status, 2, "{text}");
        assert!(file != "../secret.csv" || text.contains("which --confined forbids"), "{text}");
    }
    place.file("theirs/good.csv", "time,value\n0,1\n");
    let (status, text) = told(&SWEEP.replace("FILE", "\"good.csv\""));
    assert_eq!(status, 0, "{text}");
}

#[test]
fn a_page_shows_what_a_title_hides() {
    let place = Place::new();
    place.file(
        "s.toml",
        JOBS.replace("\"Jobs\"", "\"a\\u202Eb\\u0007c\"").replace(
            "{ kind = \"swf\", file = FILE }",
            "{ kind = \"synthetic\", jobs = 3, arrivals = \"60s\", sizes = 1, run-times = \"1h\" }",
        ),
    );
    let ended = place.run(&["run", "s.toml", "-q", "-o", "out"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let page = fs::read_to_string(place.path("out/report.html")).unwrap();
    assert!(page.contains("<h1>a\\u202Eb\\u0007c</h1>"), "the title as a heading");
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_as_the_place_of_results_leaves_nothing_behind() {
    let place = Place::new();
    place.file(
        "s.toml",
        JOBS.replace(
            "{ kind = \"swf\", file = FILE }",
            "{ kind = \"synthetic\", jobs = 3, arrivals = \"60s\", sizes = 1, run-times = \"1h\" }",
        ),
    );
    std::os::unix::fs::symlink("nowhere", place.path("link")).unwrap();
    for more in ["", "[repeat]\nreplications = 2\n"] {
        let text = fs::read_to_string(place.path("s.toml")).unwrap();
        place.file("s.toml", text + more);
        let before = place.names(".");
        let ended = place.run(&["run", "s.toml", "-q", "-o", "link"]);
        assert_eq!(ended.status, 1, "{}", ended.stderr);
        assert!(ended.stderr.contains("it is a symbolic link to nothing"), "{}", ended.stderr);
        assert_eq!(place.names("."), before);
    }
}

#[test]
fn a_run_that_recorded_no_jobs_says_so_when_it_is_checked() {
    let place = Place::new();
    let model = "{ kind = \"synthetic\", jobs = 3, arrivals = \"60s\", sizes = 1, run-times = \"1h\" }";
    let jobs = JOBS.replace("{ kind = \"swf\", file = FILE }", model);
    place.file("s.toml", jobs + "[record]\njobs = false\n");
    assert_eq!(place.run(&["run", "s.toml", "-q", "-o", "out"]).status, 0);
    let ended = place.run(&["check", "out"]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("the run in out did not record jobs.csv"), "{}", ended.stderr);
}
