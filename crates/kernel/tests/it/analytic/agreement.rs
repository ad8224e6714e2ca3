//! The rule by which a simulated system agrees with theory.

use clustersim_kernel::SimDuration;
use clustersim_kernel::rng::Sampler;
use clustersim_kernel::rng::distribution::Exponential;
use clustersim_kernel::stats::{ConfidenceInterval, Table, student_quantile};

/// Runs on which a verdict rests: the seeds 1 to this.
const SEEDS: u64 = 20;

/// How far a mean may be from theory, in standard errors.
const Z: f64 = 3.3;

/// How large a standard error may be, relative to theory.
const PRECISION: f64 = 0.01;

pub(crate) fn secs(seconds: f64) -> SimDuration {
    SimDuration::ceil_secs(seconds)
}

pub(crate) fn exponential(mean: f64) -> Sampler {
    Sampler::new(Exponential::new(mean).unwrap())
}

/// The rule: `run` gives, for a seed, one value for every entry of `theory`.
pub(crate) fn agree(theory: &[(&str, f64)], run: impl Fn(u64) -> Vec<f64>) {
    let mut tables = vec![Table::new(); theory.len()];
    for seed in 1..=SEEDS {
        let values = run(seed);
        assert_eq!(values.len(), theory.len());
        for (table, value) in tables.iter_mut().zip(values) {
            table.record(value);
        }
    }
    let mut complaints = Vec::new();
    for (&(what, expected), table) in theory.iter().zip(&tables) {
        let interval = ConfidenceInterval::of_table(table, 0.95).unwrap();
        let error = interval.half_width / student_quantile(0.975, (SEEDS - 1) as f64);
        let z = (interval.mean - expected) / error;
        let precision = error / expected.abs();
        let line = format!(
            "{what}: {:.5} for {expected:.5}, z {z:.2}, standard error {:.2} %",
            interval.mean,
            precision * 100.0
        );
        println!("{line}");
        if !(z.abs() <= Z && precision <= PRECISION) {
            complaints.push(line);
        }
    }
    assert!(complaints.is_empty(), "not by the rule: {complaints:#?}");
}
