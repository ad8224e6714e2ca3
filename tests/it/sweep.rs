//! Studies in shards: made in any order and any number of times, by a stand-in for Slurm, and by Slurm itself where it is
//! installed, they end with the bytes of a study on one machine.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::program::{Output, Place, repository};

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

/// Runs the tasks of an array one after another, notes what was asked, and loses task 1 of the first array.
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
        let mut command = Command::new(env!("CARGO_BIN_EXE_clustersim"));
        let command = command.args(arguments).current_dir(place.path("")).env("PATH", &path);
        let output = command.env("NO_COLOR", "1").output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Output {
            status: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
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

#[test]
fn a_real_slurm_loses_a_task_and_a_node_and_the_bytes_are_the_same() {
    let found = |name: &str| {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&paths).any(|folder| folder.join(name).exists())
    };
    if !["slurmctld", "slurmd", "munged", "sbatch"].into_iter().all(found) {
        // past the test harness, which shows nothing of a test that passes
        let _ = writeln!(
            std::io::stderr().lock(),
            "SKIPPED: Slurm is not installed; `.ci/full slurm` installs it"
        );
        return;
    }
    let output =
        Command::new(repository(".ci/slurm")).arg(env!("CARGO_BIN_EXE_clustersim")).output().unwrap();
    let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{}", told.concat());
}
