//! Whatever the program is given, it answers: no input makes it fail by a mistake of its own
//! (status 101), bad input is told as such (status 2), and nothing is left behind by a run that did
//! not happen.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use clustersim_testing::program::{program, repository};

fn clustersim(folder: &Path, args: &[&str]) -> Output {
    Command::new(program()).args(args).env_remove("CLUSTERSIM_LOG").current_dir(folder).output().unwrap()
}

/// The status, after the message was looked at: a refusal says `error`, and nothing panics.
fn status(output: &Output, what: &str) -> i32 {
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!told.contains("panicked"), "{what}: {told}");
    let status = output.status.code().unwrap();
    assert_eq!(status != 0, told.contains("error"), "{what}: status {status} with {told}");
    status
}

/// A log of one job on 4 processors with one field (from 1) replaced.
fn log_with(field: usize, value: &str) -> String {
    let mut fields: Vec<&str> = "1 0 -1 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1".split(' ').collect();
    fields[field - 1] = value;
    format!("; MaxProcs: 4\n{}\n", fields.join(" "))
}

#[test]
fn every_input_of_the_fuzzers_corpora_is_run_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let corpora = repository("fuzz/corpus");
    for (corpus, endings) in [("swf", &["swf", "swf.gz"][..]), ("scenario", &["toml"])] {
        for entry in fs::read_dir(corpora.join(corpus)).unwrap() {
            let input = entry.unwrap().path();
            for ending in endings {
                let name = format!("input.{ending}");
                fs::copy(&input, folder.path().join(&name)).unwrap();
                let args = ["run", &name, "--dry-run", "--procs", "64"];
                let output = clustersim(folder.path(), &args[..if *ending == "toml" { 3 } else { 5 }]);
                let status = status(&output, &format!("{} as {name}", input.display()));
                assert!([0, 2].contains(&status), "{}: status {status}", input.display());
            }
        }
    }
}

#[test]
fn garbage_is_marked_at_its_place_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    for before in 0..300 {
        let mut bytes = vec![0xb7; before];
        bytes.extend([0, 1, 2]);
        fs::write(folder.path().join("log.swf"), &bytes).unwrap();
        let output = clustersim(folder.path(), &["run", "log.swf", "-o", "out", "--message-format", "json"]);
        assert_eq!(status(&output, "garbage"), 2);
    }
    fs::write(folder.path().join("log.swf"), b"; \xff\xff\n1 2 \xff\xff\x00 4\n").unwrap();
    let output = clustersim(folder.path(), &["run", "log.swf", "--message-format", "json"]);
    let told: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!((&told["at"]["line"], &told["at"]["column"]), (&2.into(), &5.into()), "{told}");
}

#[test]
fn numbers_that_no_log_can_mean_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let huge = "9".repeat(400);
    for field in [2, 4, 5] {
        for value in ["NaN", "inf", "-inf", "1e300", "1000000000000000", &huge, "0x10", "1_000", "١"] {
            fs::write(folder.path().join("log.swf"), log_with(field, value)).unwrap();
            let output = clustersim(folder.path(), &["run", "log.swf", "-o", "out"]);
            assert_eq!(status(&output, &format!("field {field} = {value}")), 2, "field {field} = {value}");
        }
    }
    assert!(!folder.path().join("out").exists());
    assert!(!folder.path().join("out.partial").exists());
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.swf"), log_with(1, "1")).unwrap();
    let wrong: &[&[&str]] = &[
        &["--procs", "0"],
        &["--procs", "-3"],
        &["--procs", "1000000000000"],
        &["--procs", "3", "--nodes", "3"],
        &["--policy", "eazy"],
        &["--policy", ""],
        &["--seed", "-1"],
        &["--seed", "18446744073709551615"],
        &["--from", "10d"],
        &["--from", "3h", "--to", "2h"],
        &["--from=-3h"],
        &["--to=1e30d"],
        &["--set", "workload.load=0"],
        &["--set", "workload.load=-1"],
        &["--set", "workload.load=nan"],
        &["--set", "workload.load=inf"],
        &["--set", ""],
        &["--set", "="],
        &["--set", "a..b=1"],
        &["--set", "policy.backfill.kind.x=1"],
    ];
    for flags in wrong {
        let args = [&["run", "log.swf", "-o", "out"], *flags].concat();
        assert_eq!(status(&clustersim(folder.path(), &args), &format!("{flags:?}")), 2, "{flags:?}");
    }
    assert!(!folder.path().join("out").exists());
}

#[test]
fn sizes_and_times_that_cannot_be_drawn_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = [
        ("jobs", "0"),
        ("jobs", "-1"),
        ("jobs", "1e12"),
        ("sizes", "5"),
        ("sizes", "-1"),
        ("sizes", "nan"),
        ("sizes", "{ kind = \"uniform\", low = 5, high = 1 }"),
        ("sizes", "{ kind = \"lognormal\", mean = 1, cv = -1 }"),
        ("run-times", "\"-1h\""),
        ("run-times", "\"600y\""),
        ("run-times", "\"1 parsec\""),
        ("run-times", "{ kind = \"exponential\", mean = 0 }"),
        ("run-times", "{ kind = \"exponential\", mean = \"1e30h\" }"),
        ("run-times", "{ kind = \"pareto\", shape = 0.01, scale = \"1h\" }"),
        ("arrivals", "{ kind = \"nope\" }"),
        ("arrivals", "{}"),
        ("load", "0"),
        ("load", "1e-300"),
    ];
    for (key, value) in wrong {
        let mut keys = vec![("jobs", "3"), ("arrivals", "\"1h\""), ("sizes", "1"), ("run-times", "\"1h\"")];
        keys.retain(|(other, _)| *other != key);
        keys.push((key, value));
        let keys = keys.iter().map(|(key, value)| format!("{key} = {value}")).collect::<Vec<_>>().join("\n");
        let scenario =
            format!("title = \"t\"\n[cluster]\nprocs = 4\n[workload]\nkind = \"synthetic\"\n{keys}\n");
        fs::write(folder.path().join("s.toml"), scenario).unwrap();
        let output = clustersim(folder.path(), &["run", "s.toml", "-o", "out"]);
        assert_eq!(status(&output, &format!("{key} = {value}")), 2, "{key} = {value}");
    }
    assert!(!folder.path().join("out").exists());
}
