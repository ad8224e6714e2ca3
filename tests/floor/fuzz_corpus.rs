//! The fuzzers' corpora as an ordinary test: what was hard once is tried on every run, and so is
//! every beginning of it.
//!
//! The properties are the fuzz targets' own (`fuzz/fuzz_targets` includes the modules below), the
//! corpora are `fuzz/corpus/*`: hand-made seeds, cuts of real files, and inputs that a fuzzer found
//! to reach new code.

mod agent_runs;
mod batsim;
mod broker_runs;
mod columns;
mod dependencies;
mod drawn;
mod foreign_answer;
mod graphs;
mod job_runs;
mod journal;
mod measured;
mod moving;
mod outages;
mod plans;
mod platform_trace;
mod platform_xml;
mod quantities;
mod run;
mod sacct;
mod scenario;
mod schedule;
mod series;
mod slurm_conf;
mod sweep_runs;
mod sweeps;
mod swf;
mod table;
mod trace;

use std::fs;
use std::path::Path;

use clustersim_testing::program::repository;

/// What must hold for any bytes.
type Check = fn(&[u8]);

/// A fuzz target: the name of its corpus and what must hold for any bytes.
const TARGETS: &[(&str, Check)] = &[
    ("batsim", batsim::check),
    (BROKER_RUNS, broker_runs::check),
    ("columns", columns::check),
    ("dag_text", graphs::dag_text),
    ("dax", graphs::dax),
    ("dependencies", dependencies::check),
    ("dot", graphs::dot),
    ("foreign_answer", foreign_answer::check),
    ("journal", journal::check),
    ("measured", measured::check),
    ("outages", outages::check),
    (PLANS, plans::check),
    ("platform_trace", platform_trace::check),
    ("platform_xml", platform_xml::check),
    ("pst_application", sweeps::application),
    ("pst_behaviour", sweeps::behaviour),
    ("pst_grid", sweeps::grid),
    ("quantities", quantities::check),
    (RUN, run::check),
    ("sacct", sacct::check),
    ("scenario", scenario::check),
    ("schedule", schedule::check),
    ("series", series::check),
    ("slurm_conf", slurm_conf::check),
    ("stg", graphs::stg),
    (SWEEP_RUNS, sweep_runs::check),
    ("swf", swf::check),
    ("table", table::check),
    ("trace", trace::check),
    ("wfformat", graphs::wfformat),
];

/// Inputs up to this length are tried at every beginning as well.
const TRUNCATED_UP_TO: usize = 1_000;
/// The target that runs what it reads: beginnings of a scenario are read by another target, and not
/// run.
const RUN: &str = "run";
/// The targets that make scenarios of their bytes; each is run twice.
const PLANS: &str = "plans";
const SWEEP_RUNS: &str = "sweep_runs";
const BROKER_RUNS: &str = "broker_runs";

fn replay(corpus: &Path, check: Check) -> usize {
    let are_run = [RUN, PLANS, SWEEP_RUNS, BROKER_RUNS].iter().any(|name| corpus.ends_with(name));
    let truncated_up_to = if are_run { 0 } else { TRUNCATED_UP_TO };
    let mut files: Vec<_> = fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in &files {
        let bytes = fs::read(file).unwrap();
        let beginnings = if bytes.len() <= truncated_up_to { 0..bytes.len() } else { 0..0 };
        for length in beginnings.chain([bytes.len()]) {
            let outcome = std::panic::catch_unwind(|| check(&bytes[..length]));
            assert!(outcome.is_ok(), "failed on the first {length} bytes of {}", file.display());
        }
    }
    files.len()
}

#[test]
fn every_input_of_every_corpus_keeps_the_properties_of_its_target() {
    let corpora = repository("fuzz/corpus");
    for (name, check) in TARGETS {
        let tried = replay(&corpora.join(name), *check);
        assert!(tried >= 10, "the corpus {name} has only {tried} inputs");
    }
    let mut corpora: Vec<_> =
        fs::read_dir(&corpora).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    corpora.sort();
    assert!(corpora.iter().eq(TARGETS.iter().map(|(name, _)| name)), "corpora without a target: {corpora:?}");
}

/// Decisions of a drawn scenario, more than most take.
const DECISIONS: usize = 500;
/// Decisions of a drawn plan: those that let hosts fail stand behind all others.
const DECISIONS_OF_PLANS: usize = 500;
/// Environment variable: number of scenarios drawn of each system; 100 without it.
const DRAWN: &str = "CLUSTERSIM_DRAWN_RUNS";
/// Environment variable: the seed that they are drawn from; 1 without it.
const SEED: &str = "CLUSTERSIM_DRAWN_SEED";

/// More than so many hundredths of the scenarios that are drawn run to their ends; or why others do
/// not.
fn ended(stream: &str, decisions: usize, outcome: fn(&[u8]) -> Result<(), String>, most: usize) {
    let number =
        |name, usual| std::env::var(name).map_or(usual, |text| text.parse::<u64>().expect("a number"));
    let mut stream = clustersim_kernel::rng::Streams::new(number(SEED, 1), 0).stream(stream);
    let mut drawn = || (0..decisions).map(|_| stream.below(256) as u8).collect::<Vec<u8>>();
    let runs = number(DRAWN, 100) as usize;
    let reason = |decisions: Vec<u8>| match std::panic::catch_unwind(|| outcome(&decisions)) {
        Ok(outcome) => outcome.err(),
        Err(fault) => {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("decisions");
            fs::write(&file, decisions).unwrap();
            eprintln!("an input for the corpus: {}", file.display());
            std::panic::resume_unwind(fault)
        }
    };
    let reasons: Vec<String> = (0..runs).filter_map(|_| reason(drawn())).collect();
    let ended = (runs - reasons.len()) * 100 / runs;
    assert!(ended > most, "only {ended} of 100:\n{}", reasons.join("\n"));
}

#[test]
fn most_drawn_jobs_run_to_their_ends() {
    ended("job-runs", DECISIONS, job_runs::outcome, 80);
}

#[test]
fn most_drawn_agents_run_to_their_ends() {
    ended("agent-runs", DECISIONS, agent_runs::outcome, 80);
}

#[test]
fn most_plans_of_drawn_graphs_are_executed_to_their_ends() {
    ended("plans", DECISIONS_OF_PLANS, plans::outcome, 50);
}

#[test]
fn most_drawn_sweeps_run_to_their_ends() {
    ended("sweep-runs", DECISIONS, sweep_runs::outcome, 50);
}

#[test]
fn most_drawn_brokers_run_to_their_ends() {
    ended("broker-runs", DECISIONS, broker_runs::outcome, 90);
}
