//! Tests of every distribution: moments, shape against another implementation, complaints.

use super::*;
use crate::rng::Streams;

/// Checks that a million draws (fewer would hide a wrong tail) have the moments the law claims.
pub(super) fn assert_moments(law: &(impl Law + ?Sized), relative: f64) {
    let mut stream = Streams::new(20_260, 0).stream("moments");
    let count = 1_000_000_u32;
    let mean = law.mean().expect("the tested law has a mean");
    let variance = law.variance().expect("the tested law has a variance");
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..count {
        let x = law.draw(&mut stream) - mean;
        sum += x;
        squares += x * x;
    }
    let (sum, squares) = (sum / f64::from(count), squares / f64::from(count));
    let standard_error = (variance / f64::from(count)).sqrt();
    assert!(
        sum.abs() <= 4.0 * standard_error,
        "{law:?}: mean off by {} standard errors",
        sum / standard_error
    );
    assert!(
        (squares - variance).abs() <= relative * variance,
        "{law:?}: variance {squares}, theory {variance}"
    );
}

#[test]
fn a_sampler_draws_what_its_law_draws() {
    let law = Exponential::new(3.0).expect("3 is positive");
    let sampler = Sampler::new(law.clone());
    let streams = Streams::new(1, 0);
    let (mut one, mut other) = (streams.stream("a"), streams.stream("a"));
    for _ in 0..10 {
        assert_eq!(sampler.draw(&mut one).to_bits(), law.draw(&mut other).to_bits());
    }
    assert_eq!(sampler.mean(), Some(3.0));
    assert_eq!(sampler.cv(), Some(1.0));
}

/// Greatest distance of the two empirical distribution functions (Kolmogorov and Smirnov's
/// statistic).
fn distance(mut ours: Vec<f64>, mut theirs: Vec<f64>) -> f64 {
    ours.sort_unstable_by(f64::total_cmp);
    theirs.sort_unstable_by(f64::total_cmp);
    let count = ours.len() as f64;
    let (mut below, mut greatest) = (0, 0.0_f64);
    for (index, &x) in ours.iter().enumerate() {
        // of equal values the last one counts: the laws of whole numbers tie
        if ours.get(index + 1) != Some(&x) {
            below += theirs[below..].partition_point(|&y| y <= x);
            greatest = greatest.max(((index + 1) as f64 - below as f64).abs() / count);
        }
    }
    greatest
}

/// `rand_distr` as a second opinion on the shape of a law, not only on its moments.
fn assert_same_shape(ours: &impl Law, theirs: &impl Distribution<f64>) {
    const COUNT: usize = 50_000;
    let streams = Streams::new(1, 0);
    let (mut one, mut other) = (streams.stream("ours"), streams.stream("theirs"));
    let drawn = (0..COUNT).map(|_| ours.draw(&mut one)).collect();
    let expected = (0..COUNT).map(|_| theirs.sample(&mut other)).collect();
    // exceeded by equal laws once in 10,000: sqrt(-ln(1e-4 / 2) / n)
    let apart = distance(drawn, expected);
    assert!(apart < 0.0141, "{ours:?} is {apart} away from rand_distr");
}

#[test]
fn shapes_agree_with_those_of_another_implementation() {
    let valid = "the parameters are valid";
    let pair = |mean: f64| (Poisson::new(mean).expect(valid), rand_distr::Poisson::new(mean).expect(valid));
    for (ours, theirs) in [pair(3.0), pair(29.0), pair(31.0), pair(5000.0)] {
        assert_same_shape(&ours, &theirs);
    }
    for shape in [0.3, 1.0, 2.5, 40.0] {
        let theirs = rand_distr::Gamma::new(shape, 2.0).expect(valid);
        assert_same_shape(&Gamma::new(shape, 2.0).expect(valid), &theirs);
    }
    for exponent in [0.5, 1.0, 1.7] {
        let theirs = rand_distr::Zipf::new(100_000.0, exponent).expect(valid);
        assert_same_shape(&Zipf::new(100_000, exponent).expect(valid), &theirs);
    }
    let theirs = rand_distr::Exp::new(0.5).expect(valid);
    assert_same_shape(&Exponential::new(2.0).expect(valid), &theirs);
    let theirs = rand_distr::Gamma::new(4.0, 0.5).expect(valid);
    assert_same_shape(&Erlang::new(4, 2.0).expect(valid), &theirs);
    let theirs = rand_distr::LogNormal::new(1.0, 0.8).expect(valid);
    assert_same_shape(&LogNormal::new(1.0, 0.8).expect(valid), &theirs);
    let theirs = rand_distr::Normal::new(1.0, 3.0).expect(valid);
    assert_same_shape(&Normal::new(1.0, 3.0).expect(valid), &theirs);
    let theirs = rand_distr::Weibull::new(3.0, 0.7).expect(valid);
    assert_same_shape(&Weibull::new(0.7, 3.0).expect(valid), &theirs);
    let theirs = rand_distr::Pareto::new(1.0, 1.5).expect(valid);
    assert_same_shape(&Pareto::new(1.0, 1.5).expect(valid), &theirs);
}

#[test]
fn a_wrong_parameter_is_named_with_its_rule_and_value() {
    let error = Exponential::new(-1.0).expect_err("negative");
    assert_eq!(error.to_string(), "`mean` must be a positive number, but is -1");
}
