//! Studies in shards: made in any order and any number of times, by a stand-in for Slurm, and by
//! Slurm itself where it is installed, they end with the bytes of a study on one machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use clustersim_testing::evidence;
use clustersim_testing::program::{Output, Place, program, repository};

const STUDY: &str = "\
title = \"Shards\"
cluster.procs = 16
[workload]
kind = \"synthetic\"
jobs = 100
arrivals = { kind = \"exponential\", mean = \"10min\" }
sizes = { kind = \"log-uniform\", low = 1, high = 16 }
run-times = { kind = \"exponential\", mean = \"1h\" }
[[vary]]
policy = [\"fcfs\", \"easy\"]
[repeat]
replications = 6
";

/// Runs the tasks of an array one after another, notes what was asked, and loses task 1 of the
/// first array.
const SBATCH: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo "$@" >>"$here/asked"
array= directory= script=
for word in "$@"; do
    case $word in
        --array=*) array=${word#--array=} ;;
        --chdir=*) directory=${word#--chdir=} ;;
        -*) ;;
        *) script=$word ;;
    esac
done
cd "$directory" || exit 1
id=$(($(cat "$here/last" 2>/dev/null || echo 100) + 1))
echo "$id" >"$here/last"
if [ -n "$array" ]; then
    [ "$array" = "0-2%4" ] && tasks="0 2" || tasks=1
    for task in $tasks; do
        SLURM_ARRAY_JOB_ID=$id SLURM_ARRAY_TASK_ID=$task sh "$script" >>"logs/shard-$task.log" 2>&1
    done
else
    sh "$script" >>logs/collect.log 2>&1
fi
echo "$id;local"
"#;

const SQUEUE: &str = "#!/bin/sh\necho '0 COMPLETED None'\necho '1 FAILED JobLaunchFailure'\n";

fn place() -> Place {
    let place = Place::new();
    place.file("study.toml", STUDY);
    let local = place.run(&["run", "study.toml", "-o", "local"]);
    assert_eq!(local.status, 0, "{}", local.stderr);
    place
}

fn assert_same_results(place: &Place, directory: &str) {
    assert_eq!(place.names(directory).len(), place.names("local").len(), "{:?}", place.names(directory));
    for name in place.names("local").iter().filter(|name| *name != "manifest.json") {
        assert_eq!(
            place.read(&format!("local/{name}")),
            place.read(&format!("{directory}/{name}")),
            "{name}"
        );
    }
}

#[test]
fn shards_in_any_order_end_with_the_bytes_of_one_machine() {
    let place = place();
    assert_eq!(place.run(&["sweep", "plan", "study.toml", "-o", "wide", "--shards", "5"]).status, 0);
    for index in ["4", "0", "2", "2"] {
        let shard = place.run(&["sweep", "shard", "wide", "--index", index]);
        assert_eq!(shard.status, 0, "{}", shard.stderr);
    }
    let early = place.run(&["sweep", "collect", "wide"]);
    assert!(early.status == 4 && early.stderr.contains("2 of 5 shards are missing: 1,3"), "{}", early.stderr);
    let status = place.run(&["sweep", "status", "wide", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status.stdout).unwrap();
    assert_eq!((&status["done"], &status["missing"][0]["shard"]), (&3.into(), &1.into()));
    for index in ["3", "1"] {
        assert_eq!(place.run(&["sweep", "shard", "wide", "--index", index]).status, 0);
    }
    let collected = place.run(&["sweep", "collect", "wide"]);
    assert_eq!(collected.status, 0, "{}", collected.stderr);
    assert_same_results(&place, "wide");
    assert_eq!(place.run(&["sweep", "collect", "wide"]).status, 0, "again changes nothing");
}

#[test]
fn a_plan_takes_the_changes_that_a_run_takes() {
    let place = place();
    let changes = ["--set", "workload.jobs=40", "--vary", "workload.load=0.5,0.7", "--replications", "2"];
    let file = ["study.toml", "-o"];
    let asked = |words: &[&str], at: &str| place.run(&[words, &file, &[at], &changes].concat());
    assert_eq!(asked(&["run"], "whole").status, 0);
    let planned = asked(&["sweep", "plan"], "cut");
    assert_eq!(planned.status, 0, "{}", planned.stderr);
    for index in 0..8 {
        let shard = place.run(&["sweep", "shard", "cut", "--index", &index.to_string()]);
        assert_eq!(shard.status, 0, "{}", shard.stderr);
    }
    let collected = place.run(&["sweep", "collect", "cut"]);
    assert_eq!(collected.status, 0, "{}", collected.stderr);
    assert_eq!(asked(&["sweep"], "here").status, 0);
    for name in ["results.csv", "study.json", "scenario.resolved.toml"] {
        assert!(place.read(&format!("cut/{name}")) == place.read(&format!("whole/{name}")), "{name} differs");
        assert!(
            place.read(&format!("here/{name}")) == place.read(&format!("whole/{name}")),
            "{name} differs"
        );
    }
}

#[test]
fn a_changed_plan_a_wrong_index_and_a_taken_directory_are_mistakes() {
    let place = place();
    assert_eq!(place.run(&["sweep", "shard", "local", "--index", "0"]).status, 2);
    assert_eq!(place.run(&["sweep", "plan", "study.toml", "-o", "local"]).status, 2);
    place.run(&["sweep", "plan", "study.toml", "-o", "wide", "--shards", "2"]);
    assert_eq!(place.run(&["sweep", "shard", "wide", "--index", "2"]).status, 2);
    let plan = String::from_utf8(place.read("wide/plan.json")).unwrap();
    place.file("wide/plan.json", plan.replace("jobs = 100", "jobs = 101"));
    let changed = place.run(&["sweep", "shard", "wide", "--index", "0"]);
    assert!(changed.status == 2 && changed.stderr.contains("CS0032"), "{}", changed.stderr);
}

#[test]
fn an_array_is_submitted_resumed_and_collected() {
    let place = place();
    for (name, text) in [("bin/sbatch", SBATCH), ("bin/squeue", SQUEUE)] {
        place.file(name, text);
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    let run = |arguments: &[&str]| -> Output {
        let mut command = Command::new(program());
        place.wait(command.args(arguments).env("PATH", &path))
    };
    let options = ["--engine", "slurm", "--shards", "3", "--throttle", "4", "--", "--partition=short"];
    let begun: Vec<&str> = ["sweep", "study.toml", "-o", "wide"].into_iter().chain(options).collect();
    let begun = run(&begun);
    assert_eq!(begun.status, 0, "{}", begun.stderr);
    let status = run(&["sweep", "status", "wide"]).stdout;
    assert!(status.contains("missing  1") && status.contains("1  failed"), "{status}");
    let resumed = run(&["sweep", "resume", "wide"]);
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    let asked = String::from_utf8(place.read("bin/asked")).unwrap();
    let asked: Vec<&str> = asked.lines().collect();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert!(asked[0].contains("--array=0-2%4 ") && asked[0].ends_with("--partition=short slurm/job.sh"));
    assert!(asked[1].contains("--dependency=afterany:101 ") && asked[2].contains("--array=1%4 "));
    assert_eq!(run(&["sweep", "status", "wide"]).stdout, " complete\n");
    for name in ["results.csv", "study.json", "scenario.toml", "scenario.resolved.toml"] {
        assert_eq!(place.read(&format!("local/{name}")), place.read(&format!("wide/{name}")), "{name}");
    }
}

/// Notes what was asked and begins nothing.
const SBATCH_LATER: &str = "#!/bin/sh\necho \"$@\" >>\"$(dirname \"$0\")/asked\"\necho 7\n";

/// Takes a task back into the queue.
const SCONTROL: &str = "#!/bin/sh\necho \"$@\" >>\"$(dirname \"$0\")/requeued\"\n";

/// A task of the array, as Slurm runs it the first time or again, begun in the background.
fn task(place: &Place, restart: u32) -> Child {
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    // a shell that runs in the background of a script hands ignored signals on
    let mut command = Command::new("env");
    command.args(["--default-signal=TERM", "sh", "slurm/job.sh"]).current_dir(place.path("wide"));
    command.env("PATH", path).env("SLURM_ARRAY_JOB_ID", "7").env("SLURM_ARRAY_TASK_ID", "0");
    command.env("SLURM_RESTART_COUNT", restart.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn rows(place: &Place) -> usize {
    let names = place.names("wide/parts").into_iter();
    let journals = names.filter(|name| name.starts_with("part-00000.") && name.contains(".jsonl"));
    journals
        .map(|name| place.read(&format!("wide/parts/{name}")).split(|&byte| byte == b'\n').count() - 1)
        .sum()
}

#[test]
fn a_task_that_is_told_to_end_keeps_what_is_done_and_asks_for_another_try() {
    let place = Place::new();
    place.file("study.toml", STUDY.replace("jobs = 100", "jobs = 12000").replace("= 6", "= 30"));
    assert_eq!(place.run(&["run", "study.toml", "-o", "local"]).status, 0);
    for (name, text) in [("bin/sbatch", SBATCH_LATER), ("bin/squeue", SQUEUE), ("bin/scontrol", SCONTROL)] {
        place.file(name, text);
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    let options = ["--engine", "slurm", "--shards", "2", "--retries", "2"];
    let begun = [&["sweep", "study.toml", "-o", "wide"][..], &options].concat();
    let begun = place.wait(Command::new(program()).args(begun).env("PATH", path));
    assert_eq!(begun.status, 0, "{}", begun.stderr);

    let requeued = || fs::read_to_string(place.path("bin/requeued")).unwrap_or_default().lines().count();
    let mut done = 0;
    for restart in 0..3 {
        let mut shard = task(&place, restart);
        while rows(&place) < done + 2 {
            assert!(shard.try_wait().unwrap().is_none(), "the shard was over too soon");
            sleep(Duration::from_millis(1));
        }
        assert!(Command::new("kill").args(["-TERM", &shard.id().to_string()]).status().unwrap().success());
        let ended = Output::of(shard.wait_with_output().unwrap());
        assert_eq!(ended.status, 75, "{}", ended.stderr);
        assert!(!place.path("wide/parts/part-00000.json").exists(), "a shard that was stopped is not done");
        let now = rows(&place);
        assert!(now >= done + 2 && now < 30, "{now} rows are left of {done} and two more");
        done = now;
        // two retries were allowed: the third try is not taken back into the queue
        assert_eq!(requeued(), (restart as usize + 1).min(2));
    }
    assert_eq!(fs::read_to_string(place.path("bin/requeued")).unwrap(), "requeue 7_0\n".repeat(2));
    let last = Output::of(task(&place, 1).wait_with_output().unwrap());
    assert_eq!(last.status, 0, "{}", last.stderr);
    assert!(last.stderr.contains(&format!("30 runs, {} made now", 30 - done)), "{done}: {}", last.stderr);
    assert_eq!(rows(&place), 30, "no run was made twice");
    assert_eq!(place.run(&["sweep", "shard", "wide", "--index", "1"]).status, 0);
    let collected = place.run(&["sweep", "collect", "wide"]);
    assert_eq!(collected.status, 0, "{}", collected.stderr);
    for name in place.names("local").iter().filter(|name| *name != "manifest.json") {
        assert!(
            place.read(&format!("local/{name}")) == place.read(&format!("wide/{name}")),
            "{name} differs"
        );
    }
}

#[test]
fn whatever_starts_commands_may_start_the_shards() {
    let place = place();
    assert_eq!(place.run(&["sweep", "plan", "study.toml", "-o", "wide", "--shards", "7"]).status, 0);
    // as GNU parallel does; every shard twice, so that tries of one overlap
    let shards = "for index in 0 1 2 3 4 5 6; do echo $index; echo $index; done | xargs -P 4 -n 1 \"$0\" sweep shard wide --index";
    let all = place.wait(Command::new("sh").args(["-c", shards, program()]));
    assert_eq!(all.status, 0, "{}", all.stderr);
    let collected = place.run(&["sweep", "collect", "wide"]);
    assert_eq!(collected.status, 0, "{}", collected.stderr);
    assert_same_results(&place, "wide");
}

#[test]
fn a_collector_that_was_stopped_is_known_by_what_it_left() {
    let place = place();
    let made = || {
        let _ = fs::remove_dir_all(place.path("wide"));
        assert_eq!(place.run(&["sweep", "plan", "study.toml", "-o", "wide", "--shards", "2"]).status, 0);
        for index in ["0", "1"] {
            assert_eq!(place.run(&["sweep", "shard", "wide", "--index", index]).status, 0);
        }
    };
    made();
    let kept = ["plan.json", "shards.json"].map(|name| place.read(&format!("wide/{name}")));
    // what it removes behind the manifest, in its order: plan, parts, shards
    for left in 0..3 {
        made();
        assert_eq!(place.run(&["sweep", "collect", "wide"]).status, 0);
        place.file("wide/shards.json", &kept[1]);
        if left < 2 {
            place.file("wide/parts/part-00000.0.jsonl", "");
        }
        if left < 1 {
            made();
            for name in place.names("local") {
                place.file(&format!("wide/{name}"), place.read(&format!("local/{name}")));
            }
            let status = place.run(&["sweep", "status", "wide"]).stdout;
            assert!(status.contains("done     2"), "{status}");
        } else {
            assert_eq!(place.run(&["sweep", "status", "wide"]).stdout, " complete\n");
        }
        let again = place.run(&["sweep", "collect", "wide"]);
        assert_eq!(again.status, 0, "{left}: {}", again.stderr);
        assert_same_results(&place, "wide");
    }
    // before the manifest: some files lie where they belong, the others beside
    let order = ["scenario.toml", "scenario.resolved.toml", "results.csv", "study.json", "report.html"];
    for moved in 0..=order.len() {
        made();
        for (number, name) in order.into_iter().enumerate() {
            let to = if number < moved { "wide" } else { "wide.partial" };
            place.file(&format!("{to}/{name}"), place.read(&format!("local/{name}")));
        }
        place.file("wide.partial/manifest.json", place.read("local/manifest.json"));
        place.file("wide.partial/plan.json", &kept[0]);
        let again = place.run(&["sweep", "collect", "wide"]);
        assert_eq!(again.status, 0, "{moved} moved: {}", again.stderr);
        assert_same_results(&place, "wide");
        assert!(!place.path("wide.partial").exists());
    }
}

#[test]
fn a_journal_that_was_lost_behind_its_seal_is_made_again() {
    let place = place();
    place.run(&["sweep", "plan", "study.toml", "-o", "wide", "--shards", "2"]);
    for index in ["0", "1"] {
        assert_eq!(place.run(&["sweep", "shard", "wide", "--index", index]).status, 0);
    }
    place.file("wide/parts/part-00001.0.jsonl", "");
    let early = place.run(&["sweep", "collect", "wide"]);
    assert!(early.status == 4 && early.stderr.contains("1 of 2 shards are missing: 1"), "{}", early.stderr);
    assert_eq!(place.run(&["sweep", "shard", "wide", "--index", "1"]).status, 0);
    assert_eq!(place.run(&["sweep", "collect", "wide"]).status, 0);
    assert_same_results(&place, "wide");
}

#[test]
fn a_real_slurm_loses_a_task_and_a_node_and_the_bytes_are_the_same() {
    let found = |name: &str| {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&paths).any(|folder| folder.join(name).exists())
    };
    if !["slurmctld", "slurmd", "munged", "sbatch"].into_iter().all(found) {
        evidence::skip("Slurm is not installed; `.ci/full slurm` installs it");
        return;
    }
    let output = Command::new(repository(".ci/slurm")).arg(program()).output().unwrap();
    let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{}", told.concat());
}
