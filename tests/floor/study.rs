//! Studies through the built program: the same bytes whatever the threads and interruptions,
//! nothing made twice, failures told, and wrong input as diagnostics.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clustersim_kernel::rng::Streams;

use clustersim_testing::program::{Place, program};

/// Two policies, two loads, replications as asked.
fn scenario(jobs: u32, replications: u32) -> String {
    under_loads("0.4, 0.6", jobs, replications)
}

/// Two policies, loads and replications as asked.
fn under_loads(loads: &str, jobs: u32, replications: u32) -> String {
    format!(
        "title = \"Study\"\ncluster.nodes = 16\n[workload]\nkind = \"synthetic\"\njobs = {jobs}\n\
         arrivals = {{ kind = \"exponential\", mean = \"6min\" }}\n\
         sizes = {{ kind = \"uniform\", low = 1, high = 16 }}\n\
         run-times = {{ kind = \"exponential\", mean = \"1h\" }}\nestimates = 2\n[policy]\nkind = \"space-sharing\"\n\
         [[vary]]\n\"policy.backfill\" = [\"none\", \"easy\"]\n[[vary]]\n\"workload.load\" = [{loads}]\n\
         [repeat]\nreplications = {replications}\n"
    )
}

const FINAL: [&str; 4] = ["results.csv", "study.json", "scenario.toml", "scenario.resolved.toml"];

fn assert_same(place: &Place, one: &str, two: &str) {
    for name in FINAL {
        let (one, two) = (place.read(&format!("{one}/{name}")), place.read(&format!("{two}/{name}")));
        assert!(one == two, "{name} differs");
    }
}

/// How often each run stands in the journals of an unfinished study, whole lines only.
fn journaled(place: &Place, directory: &str) -> BTreeMap<(u32, Option<u32>), u32> {
    let mut counts = BTreeMap::new();
    let Ok(entries) = fs::read_dir(place.path(&format!("{directory}.partial/parts"))) else { return counts };
    for entry in entries {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        for line in bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            let row = clustersim_experiment::study::Row::of_line(&line[..line.len() - 1]).unwrap();
            *counts.entry(row.key()).or_insert(0) += 1;
        }
    }
    counts
}

#[test]
fn the_page_of_an_unfinished_study_is_replaced_by_its_results() {
    let place = Place::new();
    place.file("study.toml", scenario(20, 2));
    let page = "<!DOCTYPE html>\n<meta name=\"clustersim\" content=\"unfinished\">";
    for (name, before) in [("shown", Some(page)), ("new", None)] {
        if let Some(page) = before {
            place.file(&format!("{name}/report.html"), page);
        }
        let output = place.run(&["run", "study.toml", "-o", name, "-q"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
    }
    assert_eq!(place.names("shown"), place.names("new"));
    assert_same(&place, "shown", "new");
    assert!(place.read("shown/report.html") == place.read("new/report.html"));
    // a page of something else is not taken away
    place.file("other/report.html", "<!DOCTYPE html>\n");
    assert_eq!(place.run(&["run", "study.toml", "-o", "other", "-q"]).status, 2);
    assert_eq!(place.read("other/report.html"), b"<!DOCTYPE html>\n");
}

#[test]
fn one_thread_and_eight_give_the_same_bytes_and_a_complete_study_is_compared() {
    let place = Place::new();
    place.file("s.toml", scenario(200, 6));
    let one = place.run(&["run", "s.toml", "-o", "one", "-j", "1"]);
    assert_eq!(one.status, 0, "{}", one.stderr);
    let eight = place.run(&["run", "s.toml", "-o", "eight", "-j", "8"]);
    assert_eq!(one.stdout, eight.stdout);
    assert_same(&place, "one", "eight");
    let again = place.run(&["run", "s.toml", "-o", "one", "-j", "3"]);
    assert!(again.status == 0 && again.stderr.contains("identical"), "{}", again.stderr);
    assert_eq!(place.names("."), ["eight", "one", "s.toml"]);
    let rows = String::from_utf8(place.read("one/results.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 4 * 6);
}

#[test]
fn one_run_of_a_study_alone_is_the_same_run() {
    let place = Place::new();
    place.file("s.toml", scenario(100, 3));
    place.run(&["run", "s.toml", "-o", "all"]);
    let one = place.run(&["run", "s.toml", "--point", "2", "--replication", "1", "-o", "one", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(&one.stdout).unwrap();
    let rows = String::from_utf8(place.read("all/results.csv")).unwrap();
    let row = rows.lines().find(|line| line.starts_with("2,1,")).unwrap();
    assert!(row.contains(summary["digest"].as_str().unwrap()), "{row}");
    let again = place.run(&["run", "one/manifest.json"]);
    assert!(again.stderr.contains("identical"), "{}", again.stderr);
    let missing = place.run(&["run", "s.toml", "--point", "4"]);
    assert!(missing.status == 2 && missing.stderr.contains("no point 4"), "{}", missing.stderr);
}

#[test]
fn a_study_killed_at_random_instants_ends_as_if_it_had_not_been_and_repeats_no_run() {
    // 2 policies x 5 loads x 10 replications
    let place = Place::new();
    place.file("s.toml", under_loads("0.4, 0.5, 0.6, 0.7, 0.8", 2000, 10));
    let whole = place.run(&["run", "s.toml", "-o", "whole"]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let mut stream = Streams::new(7, 0).stream("kills");
    let (mut kills, mut studies) = (0, 0);
    // longer where a run takes longer than that: each study has to end
    let mut longest = 60_000.0;
    while kills < 50 {
        studies += 1;
        assert!(studies < 40, "the studies end before they can be killed: {kills} kills");
        let directory = format!("killed-{studies}");
        loop {
            let threads = if stream.uniform01() < 0.5 { "1" } else { "2" };
            let mut child = Command::new(program())
                .args(["run", "s.toml", "-o", &directory, "-j", threads])
                .current_dir(place.path("."))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            sleep(Duration::from_micros((3_000.0 + longest * stream.uniform01()) as u64));
            if let Some(status) = child.try_wait().unwrap() {
                assert!(status.success());
                break;
            }
            child.kill().unwrap();
            let over = child.wait().unwrap().success();
            if over {
                break;
            }
            kills += 1;
            longest *= 1.02;
            let counts = journaled(&place, &directory);
            assert!(counts.values().all(|&count| count == 1), "a run was made twice: {counts:?}");
        }
        assert_same(&place, "whole", &directory);
        assert!(!place.path(&format!("{directory}.partial")).exists());
        fs::remove_dir_all(place.path(&directory)).unwrap();
    }
}

/// A study that was begun in `directory` and stopped in the midst of its runs: its journal is full.
fn begun(place: &Place, file: &str, directory: &str) {
    let stopped = place.squeezed(16, &["run", file, "-o", directory, "-j", "1"]);
    assert_eq!(stopped.status, 1, "{}", stopped.stderr);
    assert!(!journaled(place, directory).is_empty());
}

#[test]
fn a_place_that_is_taken_is_refused_with_what_takes_it() {
    let place = Place::new();
    place.file("s.toml", scenario(100, 5)).file("other.toml", scenario(101, 5));
    begun(&place, "s.toml", "d");
    let another = place.run(&["run", "other.toml", "-o", "d"]);
    assert!(another.status == 2 && another.stderr.contains("another study was begun"), "{}", another.stderr);
    let alone = place.run(&["run", "other.toml", "--point", "0", "--replication", "0", "-o", "d"]);
    assert!(
        alone.status == 2 && alone.stderr.contains("an unfinished study lies in d.partial"),
        "{}",
        alone.stderr
    );
    assert!(!journaled(&place, "d").is_empty(), "what was done is kept");
    let forced = place.run(&["run", "other.toml", "-o", "d", "--force"]);
    assert!(forced.status == 0 && !forced.stderr.contains("continued"), "{}", forced.stderr);
    place.run(&["run", "other.toml", "-o", "other"]);
    assert_same(&place, "other", "d");
    let finished = place.run(&["run", "s.toml", "-o", "d"]);
    assert!(
        finished.status == 2 && finished.stderr.contains("d exists and holds something else"),
        "{}",
        finished.stderr
    );

    place.file("file", "").file("beside.partial", "");
    let file = place.run(&["run", "s.toml", "-o", "file"]);
    assert!(file.status == 2 && file.stderr.contains("file exists and holds"), "{}", file.stderr);
    let beside = place.run(&["run", "s.toml", "-o", "beside"]);
    assert!(beside.status == 1 && beside.stderr.contains("beside.partial"), "{}", beside.stderr);
    // an administrator may write anywhere but there
    fs::create_dir(place.path("locked")).unwrap();
    fs::set_permissions(place.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    let root = fs::metadata(place.path("locked")).unwrap().uid() == 0;
    let locked = if root { "/proc/self" } else { "locked" };
    let locked = place.run(&["run", "s.toml", "-o", &format!("{locked}/d")]);
    assert!(locked.status == 1 && locked.stderr.contains("d.partial.lock: "), "{}", locked.stderr);
}

#[test]
fn a_finished_study_is_repeated_from_its_manifest_and_found_the_same() {
    let place = Place::new();
    place.file("s.toml", scenario(100, 3));
    place.run(&["run", "s.toml", "-o", "d"]);
    let names = place.names("d");
    let before: Vec<_> = names.iter().map(|name| place.read(&format!("d/{name}"))).collect();
    let again = place.run(&["run", "d/manifest.json", "-j", "1"]);
    assert!(
        again.status == 0 && again.stderr.contains("identical to the complete run in d"),
        "{}",
        again.stderr
    );
    let after: Vec<_> = names.iter().map(|name| place.read(&format!("d/{name}"))).collect();
    assert!(before == after && place.names(".") == ["d", "s.toml"]);
    let elsewhere = place.run(&["run", "d/manifest.json", "-o", "e"]);
    assert_eq!(elsewhere.status, 0, "{}", elsewhere.stderr);
    for name in ["results.csv", "study.json", "report.html", "scenario.resolved.toml"] {
        assert!(place.read(&format!("d/{name}")) == place.read(&format!("e/{name}")), "{name}");
    }
    let manifest = String::from_utf8(place.read("d/manifest.json")).unwrap();
    let results = manifest.split("\"results.csv\": \"").nth(1).unwrap();
    place.file("d/manifest.json", manifest.replace(&results[..64], &"0".repeat(64)));
    let other = place.run(&["run", "d/manifest.json"]);
    assert!(
        other.status == 1 && other.stderr.contains("differs from the one in d, in results.csv"),
        "{}",
        other.stderr
    );
    let text = String::from_utf8(place.read("d/scenario.resolved.toml")).unwrap();
    place.file("d/scenario.resolved.toml", text.replace("jobs = 100", "jobs = 99"));
    let changed = place.run(&["run", "d/manifest.json"]);
    assert!(changed.status == 2 && changed.stderr.contains("cannot be repeated"), "{}", changed.stderr);
}

#[test]
fn a_study_that_was_stopped_before_its_move_is_moved_and_not_made_again() {
    let place = Place::new();
    place.file("s.toml", scenario(100, 5)).file("other.toml", scenario(101, 5));
    place.run(&["run", "s.toml", "-o", "whole"]);
    // stopped behind the manifest, and again when the plan was taken away; the mark tells moving
    // from making
    for plan in [true, false] {
        begun(&place, "s.toml", "d");
        let (kept, marked) = (place.read("d.partial/plan.json"), "<!-- moved -->");
        fs::remove_dir_all(place.path("d.partial")).unwrap();
        place.run(&["run", "s.toml", "-o", "d"]);
        fs::rename(place.path("d"), place.path("d.partial")).unwrap();
        place.file("d.partial/report.html", marked);
        if plan {
            place.file("d.partial/plan.json", kept).file("d.partial/parts/part-00000.0.jsonl", "");
        } else {
            let other = place.run(&["run", "other.toml", "-o", "elsewhere"]);
            assert_eq!(other.status, 0, "{}", other.stderr);
            fs::remove_dir_all(place.path("elsewhere")).unwrap();
        }
        let next = place.run(&["run", "s.toml", "-o", "d"]);
        assert!(next.status == 0 && next.stderr.contains("results in d"), "{}", next.stderr);
        assert_eq!(place.read("d/report.html"), marked.as_bytes(), "it was made again");
        assert_same(&place, "whole", "d");
        assert_eq!(place.names("d"), place.names("whole"));
        fs::remove_dir_all(place.path("d")).unwrap();
    }
    // the complete study there is another one: it is no reason to keep this one out
    place.run(&["run", "other.toml", "-o", "d"]);
    fs::rename(place.path("d"), place.path("d.partial")).unwrap();
    assert_eq!(place.run(&["run", "s.toml", "-o", "d"]).status, 0);
    assert_same(&place, "whole", "d");
}

#[test]
fn a_study_that_replaces_another_may_be_stopped_between_any_two_files() {
    let place = Place::new();
    place.file("s.toml", scenario(100, 5)).file("other.toml", scenario(101, 5));
    place.run(&["run", "s.toml", "-o", "whole"]);
    place.run(&["run", "other.toml", "-o", "old"]);
    begun(&place, "s.toml", "plan");
    let order = ["scenario.toml", "scenario.resolved.toml", "results.csv", "study.json", "report.html"];
    let copy = |name: &str, from: &str, to: &str| {
        place.file(&format!("{to}/{name}"), place.read(&format!("{from}/{name}")));
    };
    for moved in 0..=order.len() {
        for name in order {
            copy(name, "old", "d");
        }
        place.file("d/jobs.csv", "of an older run").file("d/notes.txt", "mine");
        for (number, name) in order.into_iter().enumerate() {
            copy(name, "whole", if number < moved { "d" } else { "d.partial" });
        }
        copy("manifest.json", "whole", "d.partial");
        copy("plan.json", "plan.partial", "d.partial");
        let refused = place.run(&["run", "s.toml", "-o", "d"]);
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        let next = place.run(&["run", "s.toml", "-o", "d", "--force"]);
        assert_eq!(next.status, 0, "{moved} moved: {}", next.stderr);
        for name in place.names("whole") {
            let (one, two) = (place.read(&format!("whole/{name}")), place.read(&format!("d/{name}")));
            assert!(one == two, "{moved} moved: {name} differs");
        }
        assert_eq!(place.names("d").len(), place.names("whole").len() + 1, "{:?}", place.names("d"));
        assert!(!place.path("d.partial").exists());
        fs::remove_dir_all(place.path("d")).unwrap();
    }
}

#[test]
fn an_input_that_goes_away_stops_the_study_and_is_no_result() {
    let place = Place::new();
    let header = "; MaxProcs: 4\n";
    let job = |number: u32| format!("{number} {number} -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n");
    let log = header.to_owned() + &(1..60_000).map(job).collect::<String>();
    let text = "title = \"Log\"\n[workload]\nkind = \"swf\"\nfile = \"log.swf\"\nrandomize = { kind = \"jitter\", by = \"10min\" }\n\
                [repeat]\nreplications = 16\n";
    place.file("s.toml", text).file("log.swf", &log);
    let whole = place.run(&["run", "s.toml", "-o", "whole"]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let mut child = Command::new(program())
        .args(["run", "s.toml", "-o", "d", "-j", "1"])
        .current_dir(place.path("."))
        .env("NO_COLOR", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while journaled(&place, "d").is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "the study was over too soon");
        sleep(Duration::from_millis(1));
    }
    fs::rename(place.path("log.swf"), place.path("away.swf")).unwrap();
    let stopped = clustersim_testing::program::Output::of(child.wait_with_output().unwrap());
    assert_eq!(stopped.status, 1, "{}", stopped.stderr);
    assert!(
        stopped.stderr.contains("the study in d cannot go on: ") && stopped.stderr.contains("log.swf"),
        "{}",
        stopped.stderr
    );
    fs::rename(place.path("away.swf"), place.path("log.swf")).unwrap();
    let next = place.run(&["run", "s.toml", "-o", "d"]);
    assert!(next.status == 0 && next.stderr.contains("is continued"), "{}", next.stderr);
    assert_same(&place, "whole", "d");
}

#[test]
fn a_run_that_fails_is_told_with_its_command_and_does_not_stop_the_others() {
    let place = Place::new();
    // some replications draw a job that is larger than the machine, but the first does not
    let sizes = "\"workload.sizes\" = [4, { kind = \"uniform\", low = 1, high = 17 }]";
    place.file("s.toml", scenario(8, 6).replace("\"workload.load\" = [0.4, 0.6]", sizes));
    let run = place.run(&["run", "s.toml", "-o", "out"]);
    assert_eq!(run.status, 4, "{}", run.stderr);
    let summary: serde_json::Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    let failures = summary["failures"].as_array().unwrap();
    assert!((1..12).contains(&failures.len()), "{}", failures.len());
    assert!(run.stderr.contains(&format!("{} of 24 runs failed", failures.len())), "{}", run.stderr);
    assert_eq!(summary["points"][0]["metrics"]["wait-time.mean"]["n"], 6);
    let (point, replication) = (&failures[0]["point"], failures[0]["replication"].to_string());
    let command = failures[0]["reproduce"].as_str().unwrap();
    let wanted = format!("clustersim run scenario.resolved.toml --point 1 --replication {replication}");
    assert_eq!((point, command), (&serde_json::json!(1), wanted.as_str()));
    let alone =
        place.run(&["run", "out/scenario.resolved.toml", "--point", "1", "--replication", &replication]);
    assert_eq!(alone.status, 2, "{}", alone.stderr);
}

#[test]
fn replications_end_when_the_interval_is_narrow_and_a_bound_holds_its_worse_end() {
    let place = Place::new();
    let until = "until = { metric = \"wait-time.mean\", half-width = \"25%\", at-most = 60 }";
    place.file("s.toml", scenario(300, 1).replace("replications = 1", until));
    place.run(&["run", "s.toml", "-o", "one", "-j", "1"]);
    place.run(&["run", "s.toml", "-o", "eight", "-j", "8"]);
    assert_same(&place, "one", "eight");
    let summary: serde_json::Value = serde_json::from_slice(&place.read("one/study.json")).unwrap();
    for point in summary["points"].as_array().unwrap() {
        let (wait, count) = (&point["metrics"]["wait-time.mean"], point["replications"].as_u64().unwrap());
        let relative = wait["half_width"].as_f64().unwrap() / wait["mean"].as_f64().unwrap();
        assert!((10..=60).contains(&count) && (relative <= 0.25 || count == 60), "{count}: {relative}");
    }
    let wait = &summary["points"][0]["metrics"]["wait-time.mean"];
    let (mean, half) = (wait["mean"].as_f64().unwrap(), wait["half_width"].as_f64().unwrap());
    let bound = |value: f64| format!("expect.\"wait-time.mean\"=< {value}");
    let inside = bound(mean + half / 2.0);
    let run = place.run(&["run", "s.toml", "-o", "expect", "--set", &inside]);
    assert!(run.status == 3 && run.stderr.contains("point 0"), "{}", run.stderr);
}

#[test]
fn a_log_draws_nothing_and_is_run_once_a_point() {
    let place = Place::new();
    let log = "; MaxProcs: 4\n1 0 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n2 1 -1 50 1 -1 -1 1 50 -1 1 1 1 1 1 1 -1 -1\n";
    place.file("log.swf", log);
    let run =
        place.run(&["run", "log.swf", "--vary", "policy=easy,fcfs", "--replications", "7", "-o", "out"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("no interval"), "{}", run.stdout);
    assert!(
        run.stdout.contains(
            "one run of each point, not 7: nothing random was drawn, so every replication would be"
        ),
        "{}",
        run.stdout
    );
    assert_eq!(String::from_utf8(place.read("out/results.csv")).unwrap().lines().count(), 3);
    // who asks for none gets no such line
    let run = place.run(&["run", "log.swf", "--vary", "policy=easy,fcfs", "-o", "one"]);
    assert!(run.status == 0 && !run.stdout.contains("one run of each"), "{}", run.stdout);
}

/// The matrices of the answer, as `study.json` has them.
fn matrices(place: &Place, directory: &str) -> Vec<serde_json::Value> {
    let study: serde_json::Value =
        serde_json::from_slice(&place.read(&format!("{directory}/study.json"))).unwrap();
    study["findings"]["matrices"].as_array().unwrap().clone()
}

fn heading(matrix: &serde_json::Value) -> &str {
    matrix["heading"].as_str().unwrap()
}

#[test]
fn the_asked_question_is_answered_by_the_terminal_the_files_and_the_page_alike() {
    let place = Place::new();
    place.file("s.toml", scenario(100, 6));
    let asked = ["--axis", "workload.load", "--metric", "utilization", "--metric", "wait-time.p95"];
    let compared = place.run(&[&["compare", "s.toml", "-o", "out"][..], &asked].concat());
    assert_eq!(compared.status, 0, "{}", compared.stderr);
    let found = matrices(&place, "out");
    let names: Vec<&str> = found.iter().map(|matrix| matrix["metric"].as_str().unwrap()).collect();
    assert_eq!(names, ["utilization", "wait-time.p95"]);
    assert!(heading(&found[0]).starts_with("utilization against 0.4 [percentage points, 95 % interval]"));
    assert!(heading(&found[1]).ends_with("secondary"), "{}", found[1]);
    let page = String::from_utf8(place.read("out/report.html")).unwrap();
    let data = page.split("id=\"data\"").nth(1).unwrap();
    for matrix in &found {
        assert_eq!(matrix["columns"], serde_json::json!(["backfill none", "backfill easy"]));
        for row in matrix["rows"].as_array().unwrap() {
            let figures =
                row["cells"].as_array().unwrap().iter().map(|cell| cell["figure"].as_str().unwrap());
            let figures: Vec<&str> = figures.collect();
            assert!(figures.iter().all(|figure| data.contains(figure)), "{figures:?}");
            let label = row["label"].as_str().unwrap();
            let same = |line: &str| line.starts_with(label) && figures.iter().all(|one| line.contains(one));
            assert!(compared.stdout.lines().any(same), "{label} {figures:?}: {}", compared.stdout);
        }
    }
    let study: serde_json::Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    let first = &study["comparisons"][0];
    assert_eq!((&first["axis"], &first["pairs_list"][0]["metric"]), (&1.into(), &"utilization".into()));
    // the same runs answer another question in their directory, and the manifest repeats the one
    // that was asked last
    let other = place.run(&["compare", "s.toml", "-o", "out", "--metric", "makespan"]);
    assert!(other.status == 0 && other.stdout.contains("makespan against none"), "{}", other.stderr);
    assert_eq!(matrices(&place, "out")[0]["metric"], "makespan");
    assert_eq!(place.names("."), ["out", "s.toml"]);
    let again = place.run(&["run", "out/manifest.json"]);
    assert!(again.status == 0 && again.stderr.contains("identical"), "{}", again.stderr);
    assert!(heading(&matrices(&place, "out")[0]).starts_with("makespan against none"));
}

#[test]
fn a_question_in_the_scenario_is_the_family_and_a_later_one_says_so() {
    let place = Place::new();
    let question = "[question]\nmetrics = [\"wait-time.p95\"]\naxis = \"workload.load\"\nbaseline = 0.6\n";
    let asked = format!("{}{question}detect = \"20 %\"\n", scenario(100, 6));
    place.file("s.toml", &asked).file("plain.toml", scenario(100, 6));
    let run = place.run(&["run", "s.toml", "-o", "out"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let heading_of = |directory: &str| heading(&matrices(&place, directory)[0]).to_owned();
    assert!(heading_of("out").starts_with("wait-time.p95 against 0.6 ["), "{}", heading_of("out"));
    assert!(heading_of("out").ends_with("primary"), "{}", heading_of("out"));
    let study: serde_json::Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    assert_eq!(
        (&study["comparisons"][0]["detect"], &study["comparisons"][0]["baseline"]),
        (&0.2.into(), &1.into())
    );
    // the question decides no run: the same study has the same results and identity
    assert_eq!(place.run(&["run", "plain.toml", "-o", "plain"]).status, 0);
    assert_eq!(place.read("out/results.csv"), place.read("plain/results.csv"));
    let identity = |directory: &str| {
        let manifest = place.read(&format!("{directory}/manifest.json"));
        serde_json::from_slice::<serde_json::Value>(&manifest).unwrap()["identity"].clone()
    };
    assert_eq!(identity("out"), identity("plain"));
    // its resolved file asks the same
    let again = place.run(&["run", "out/scenario.resolved.toml", "-o", "out"]);
    assert!(again.status == 0 && again.stderr.contains("identical"), "{}", again.stderr);
    // another metric was not what the study was made for
    let later = place.run(&["compare", "s.toml", "-o", "out", "--metric", "makespan"]);
    assert!(later.stdout.contains("asked afterwards"), "{}", later.stdout);
    for (key, words) in [
        ("metrics = [\"wait-time.maen\"]", "wait-time.mean"),
        ("axis = \"workload.laod\"", "workload.load"),
        ("baseline = \"esay\"", "easy"),
        ("detect = \"-1 %\"", "detect"),
        ("metric = \"makespan\"", "metrics"),
    ] {
        place.file("wrong.toml", format!("{}[question]\n{key}\n", scenario(100, 6)));
        let refused = place.run(&["run", "wrong.toml", "-o", "wrong"]);
        assert!(refused.status == 2 && refused.stderr.contains(words), "{key}: {}", refused.stderr);
    }
}

#[test]
fn the_matrices_are_printed_for_a_paper() {
    let place = Place::new();
    place.file("s.toml", scenario(100, 6));
    let paper = |format: &str| {
        let run = place.run(&["compare", "s.toml", "-o", "out", "--metric", "makespan", "--format", format]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stdout
    };
    let markdown = paper("markdown");
    assert!(markdown.starts_with("**makespan against none [%, 95 % interval]"), "{markdown}");
    assert!(markdown.contains("|  | load 0.4 | load 0.6 |\n|:---|---:|---:|\n| none | "), "{markdown}");
    let latex = paper("latex");
    assert!(latex.contains("\\toprule\n & load 0.4 & load 0.6 \\\\\n\\midrule\nnone & "), "{latex}");
    let csv = paper("csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines.len() == 5 && lines[1].starts_with("makespan,primary,,none,load 0.4,0,"), "{csv}");
}

#[test]
fn an_axis_from_the_command_line_is_compared_and_a_plan_keeps_that() {
    let place = Place::new();
    place.file("s.toml", scenario(60, 2));
    let vary = ["--vary", "workload.load=0.4,0.5"];
    let made = place.run(&[&["run", "s.toml", "-o", "made"][..], &vary].concat());
    assert_eq!(made.status, 0, "{}", made.stderr);
    assert!(heading(&matrices(&place, "made")[0]).contains(" against 0.4 ["));
    let planned =
        place.run(&[&["sweep", "plan", "s.toml", "-o", "cut", "--shards", "1"][..], &vary].concat());
    assert_eq!(planned.status, 0, "{}", planned.stderr);
    assert_eq!(place.run(&["sweep", "shard", "cut", "--index", "0"]).status, 0);
    assert_eq!(place.run(&["sweep", "collect", "cut"]).status, 0);
    assert_same(&place, "made", "cut");
    // --axis says otherwise
    let asked = [&["compare", "s.toml", "-o", "asked", "--axis", "policy.backfill"][..], &vary].concat();
    assert_eq!(place.run(&asked).status, 0);
    assert!(heading(&matrices(&place, "asked")[0]).contains(" against none ["));
}

#[test]
fn what_is_wrong_at_a_point_or_with_the_question_is_refused_once_before_the_first_run() {
    let place = Place::new();
    let load = "\"workload.load\" = [0.4, 0.6]";
    place.file("sizes.toml", scenario(50, 10).replace(load, "\"workload.sizes\" = [4, 99]"));
    // the jobs are the same at all points, but a policy does not go with them
    let molding = "\"policy.molding\" = [\"as-requested\", \"earliest-end\"]";
    place.file("molding.toml", scenario(50, 10).replace(load, molding));
    for (file, words) in [("sizes.toml", "needs 99 processors"), ("molding.toml", "no job is moldable")] {
        for command in [
            &["validate"][..],
            &["run", "-o", "out"],
            &["compare", "-o", "out"],
            &["sweep", "plan", "-o", "out"],
        ] {
            let told = place.run(&[command, &[file]].concat());
            assert_eq!((told.status, told.stdout.as_str()), (2, ""), "{command:?} {file}: {}", told.stderr);
            assert_eq!(told.stderr.matches("error[").count(), 1, "{command:?} {file}: {}", told.stderr);
            assert!(told.stderr.contains(words) && told.stderr.contains("at point 1"), "{}", told.stderr);
        }
    }
    place.file("s.toml", scenario(50, 10));
    for (question, words) in [
        (["--axis", "workload.jobs"], "no axis varies `workload.jobs`"),
        (["--metric", "wait-time.maen"], "unknown metric `wait-time.maen`"),
    ] {
        let told = place.run(&[&["compare", "s.toml", "-o", "out"][..], &question].concat());
        assert!(told.status == 2 && told.stderr.contains(words), "{}", told.stderr);
    }
    assert_eq!(place.names("."), ["molding.toml", "s.toml", "sizes.toml"]);
}

#[test]
fn the_plan_is_printed_and_nothing_is_run() {
    let place = Place::new();
    place.file("s.toml", scenario(100, 5));
    let run = place.run(&["run", "s.toml", "--vary", "seed=1,2,3", "--replications", "4", "--dry-run"]);
    assert!(run.stdout.contains("runs           48") && run.stdout.contains("seed = 3"), "{}", run.stdout);
    assert_eq!(place.names("."), ["s.toml"]);
}

#[test]
fn a_dry_run_estimates_what_is_left_of_the_study_and_keeps_nothing() {
    let place = Place::new();
    place.file("s.toml", scenario(100, 40));
    let dry = |more: &[&str]| {
        let told = place.run(&[&["run", "s.toml", "-o", "out", "-j", "2", "--dry-run"][..], more].concat());
        assert_eq!((told.status, told.stderr.as_str()), (0, ""));
        told.stdout
    };
    let first = dry(&[]);
    let cost = first.lines().filter(|line| line.starts_with(" CPU time") || line.starts_with(" time"));
    let [processor, clock] = cost.collect::<Vec<_>>()[..] else { panic!("two lines of cost: {first}") };
    assert!(processor.starts_with(" CPU time       about "), "{processor}");
    assert!(processor.ends_with(", by the first run of each point"), "{processor}");
    assert!(clock.starts_with(" time           about ") && clock.ends_with(" with 2 threads"), "{clock}");
    assert_eq!(place.names("."), ["s.toml"]);
    begun(&place, "s.toml", "out");
    let before = journaled(&place, "out");
    let made = format!(" made           {}\n", before.len());
    assert!(dry(&[]).contains(&made));
    assert!(!dry(&["--seed", "3"]).contains(" made "), "another study");
    assert_eq!(journaled(&place, "out"), before);
    place.run(&["run", "s.toml", "-o", "out"]);
    let complete = dry(&[]);
    assert!(complete.contains(" CPU time       none: out is complete\n"), "{complete}");
}

#[test]
fn a_comparison_without_chance_says_why_there_is_no_verdict_and_what_to_add() {
    let place = Place::new();
    let job = |job: u32| {
        let (number, submit, run, user) = (job + 1, job * 50_000, 300 + job, job % 3);
        format!("{number} {submit} -1 {run} 4 -1 -1 4 900 -1 1 {user} -1 -1 -1 -1 -1 -1\n")
    };
    let log = (0..40).map(job).collect::<Vec<_>>().concat();
    place.file("log.swf", format!("; MaxProcs: 6\n; UnixStartTime: 0\n{log}"));
    let vary = ["compare", "log.swf", "--vary", "policy=fcfs,easy"];
    let run = |more: &[&str]| place.run(&[&vary[..], more].concat());
    let fixed = run(&["-o", "fixed"]);
    assert_eq!(fixed.status, 0, "{}", fixed.stderr);
    let told = |text: &str| fixed.stdout.contains(text);
    assert!(fixed.stdout.matches("warm-up-not-over").count() <= 1, "a line a code: {}", fixed.stdout);
    assert!(told("\nno interval and no test: nothing random was drawn"), "{}", fixed.stdout);
    assert!(!told("Holm") && !fixed.stderr.contains("replications"), "{}{}", fixed.stdout, fixed.stderr);
    // what it says to add is right
    assert!(told("--set workload.randomize=weeks"), "{}", fixed.stdout);
    let drawn = run(&["-o", "drawn", "--set", "workload.randomize=weeks"]);
    assert_eq!(drawn.status, 0, "{}", drawn.stderr);
    for words in
        ["1 test, Holm 5 %, n = 10, primary", "3 tests, Holm 5 %, n = 10, secondary", "\n= identical\n"]
    {
        assert!(drawn.stdout.contains(words), "{}", drawn.stdout);
    }
    assert!(drawn.stderr.contains("10 replications of each point"), "{}", drawn.stderr);
    let one = run(&["-o", "drawn", "--set", "workload.randomize=weeks", "--metric", "wait-time.max"]);
    assert!(one.stdout.contains("1 test, Holm 5 %, n = 10, primary"), "{}", one.stdout);
    let all = run(&["-o", "drawn", "--set", "workload.randomize=weeks", "--metric", "all"]);
    assert!(all.stdout.contains("wait-time.p95") && all.stdout.contains("throughput"), "{}", all.stdout);
    let unknown = run(&["-o", "drawn", "--set", "workload.randomize=weeks", "--metric", "wait-time"]);
    assert!(unknown.status == 2 && unknown.stderr.contains("unknown metric"), "{}", unknown.stderr);
}

#[test]
fn a_wrong_value_on_a_late_point_is_told_by_validate_with_its_place() {
    let place = Place::new();
    let text = scenario(100, 2)
        .replace("\"policy.backfill\" = [\"none\", \"easy\"]", "\"workload.sizes\" = [4, 32]");
    place.file("s.toml", text);
    let told = place.run(&["validate", "s.toml"]);
    assert_eq!((told.status, told.stdout.as_str()), (2, ""), "{}", told.stderr);
    assert!(told.stderr.contains("needs 32 processors, but the machine has 16"), "{}", told.stderr);
    assert!(told.stderr.contains("at point 2: workload.sizes = 32, workload.load = 0.4"), "{}", told.stderr);
    assert_eq!(told.stderr.matches("error[").count(), 1, "each mistake once: {}", told.stderr);
    // very many workloads are not all drawn, and that is said
    let many: Vec<String> = (1..=120).map(|jobs| jobs.to_string()).collect();
    let text = scenario(100, 2)
        .replace("\"workload.load\" = [0.4, 0.6]", &format!("\"workload.jobs\" = [{}]", many.join(", ")));
    place.file("many.toml", text);
    let told = place.run(&["validate", "many.toml"]);
    assert_eq!(told.stdout, "many.toml: valid\n", "{}", told.stderr);
    assert!(told.stderr.contains("first 100 different workloads were drawn; 40 points"), "{}", told.stderr);
}
