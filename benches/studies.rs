//! Studies of many short runs: the processor time and the memory of a hundred thousand runs.
//!
//! `cargo bench --bench studies` runs the program on a study of 100,000 runs of 100 jobs, with one
//! thread and with two; `-- RUNS` states another number of them. Processor time is that of the
//! whole process, files included, and a run's share of it stands in events of the bare loop too.
//! Bytes a run are by how much the greatest memory exceeds that of a tenth of the runs (Linux).

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::disallowed_methods, reason = "the bare loop draws with the machine's own logarithm")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

#[expect(dead_code, reason = "shared with the kernel's rows, which use more of it")]
mod bare;

use std::fs;
use std::process::{Command, ExitCode};
use std::time::Instant;

use bare::{bare_best, median};
use clustersim::system::standard;

/// Points of the study: two policies at five loads.
const POINTS: u64 = 10;
/// The study; its number of replications follows.
const STUDY: &str = r#"
title = "Short runs"
seed = 1
[cluster]
nodes = 64
[workload]
kind = "synthetic"
jobs = 100
arrivals = { kind = "exponential", mean = "6min" }
sizes = { kind = "log-uniform", low = 1, high = 64 }
run-times = { kind = "hyperexponential", mean = "1h", cv = 2 }
estimates = { kind = "uniform", low = 1, high = 5 }
[run]
warm-up = 10
[policy]
kind = "space-sharing"
[[vary]]
"policy.backfill" = ["none", "easy"]
[[vary]]
"workload.load" = [0.5, 0.55, 0.6, 0.65, 0.7]
[repeat]
replications = "#;

/// Processor time and time by the clock [s], and the greatest memory [MB].
struct Taken {
    processor: f64,
    clock: f64,
    megabytes: f64,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [first, words @ ..] = &words[..]
        && first == "--program"
    {
        return program(words);
    }
    let runs = words.iter().find_map(|word| word.parse().ok()).unwrap_or(100_000);
    let bare = median((0..3).map(|_| bare_best(100, 4_000_000)).collect());
    println!("| runs | threads | processor s | clock s | MB | bytes a run | bare events a run |");
    println!("|---|---|---|---|---|---|---|");
    for threads in [1, 2] {
        let (few, all) = (study(runs / 10, threads), study(runs, threads));
        let Taken { processor, clock, megabytes } = all;
        let bytes = (megabytes - few.megabytes) * 1e6 / (runs - runs / 10) as f64;
        let events = processor / runs as f64 * bare;
        println!(
            "| {runs} | {threads} | {processor:.1} | {clock:.1} | {megabytes:.0} | {bytes:.0} | {events:.0} |"
        );
    }
    ExitCode::SUCCESS
}

/// Runs the program on a study of so many runs.
fn study(runs: u64, threads: usize) -> Taken {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.toml");
    fs::write(&path, format!("{STUDY}{}\n", runs / POINTS)).unwrap();
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.arg("--program").arg("run").arg(&path).arg("-o").arg(folder.path().join("out"));
    let output = program.args(["-q", "--no-progress", "-j", &threads.to_string()]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> =
        printed.lines().last().unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
    let [processor, clock, megabytes] = numbers[..] else { panic!("three numbers: {numbers:?}") };
    Taken { processor, clock, megabytes }
}

/// The program itself; its last line is [`Taken`].
fn program(words: &[String]) -> ExitCode {
    let begun = Instant::now();
    let named = std::iter::once("clustersim".into()).chain(words.iter().map(Into::into));
    let status = clustersim_cli::status(&standard(), named);
    let memory = fs::read_to_string("/proc/self/status").unwrap();
    let peak = memory.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kibibytes: f64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    // user and system time in hundredths of a second, twelve and thirteen fields behind the name
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit(')').next().unwrap().split_whitespace().skip(11).take(2);
    let ticks: f64 = fields.map(|field| field.parse::<f64>().unwrap()).sum();
    println!("\n{} {} {}", ticks / 100.0, begun.elapsed().as_secs_f64(), kibibytes * 1024.0 / 1e6);
    ExitCode::from(status)
}
