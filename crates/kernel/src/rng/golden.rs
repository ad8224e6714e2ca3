//! A hash of what every sampler draws, so that no build and no upgrade can move a draw unseen.
//!
//! The expected table is `samplers.txt`. A unit test compares it with the test build,
//! another with the built program: cargo may give the two different features of shared
//! dependencies, and that is exactly how values have moved before. A change that moves a hash on
//! purpose raises [`SAMPLER_VERSION`], which every run's manifest names.

use std::fmt::Write;

use rand::Rng;

use super::distribution::{
    BoundedPareto, Constant, Discrete, Empirical, Erlang, Exponential, Gamma, Geometric, Hyperexponential,
    InvalidParameter, LogNormal, LogUniform, Normal, Pareto, Poisson, Sampler, Triangular, TruncatedNormal,
    Uniform, Weibull, Zipf,
};
use super::stream::{Fnv1a, Streams};

/// Version of stream derivation and samplers together: equal versions draw equal numbers.
pub const SAMPLER_VERSION: u32 = 1;

/// Draws hashed of each sampler.
const DRAWS: u32 = 10_000;

/// One sampler of every kind (several where a kind has several algorithms), in a fixed order.
fn specimens() -> Result<Vec<(&'static str, Sampler)>, InvalidParameter> {
    let normal = Normal::new(10.0, 4.0)?;
    Ok(vec![
        ("constant", Sampler::new(Constant::new(1.5)?)),
        ("uniform", Sampler::new(Uniform::new(1.0, 3.0)?)),
        ("log-uniform", Sampler::new(LogUniform::new(1.0, 1000.0)?)),
        ("triangular", Sampler::new(Triangular::new(1.0, 2.0, 5.0)?)),
        ("exponential", Sampler::new(Exponential::new(2.0)?)),
        ("erlang", Sampler::new(Erlang::new(4, 2.0)?)),
        ("hyperexponential", Sampler::new(Hyperexponential::balanced(3600.0, 3.0)?)),
        ("normal", Sampler::new(normal.clone())),
        ("truncated-normal", Sampler::new(TruncatedNormal::new(normal.clone(), 0.0, 100.0)?)),
        ("truncated-normal/tail", Sampler::new(TruncatedNormal::new(normal, 20.0, f64::INFINITY)?)),
        ("lognormal", Sampler::new(LogNormal::with_mean_cv(10.0, 2.0)?)),
        ("weibull", Sampler::new(Weibull::new(0.7, 5.0)?)),
        ("gamma", Sampler::new(Gamma::new(2.5, 2.0)?)),
        ("gamma/shape-below-1", Sampler::new(Gamma::new(0.4, 2.0)?)),
        ("pareto", Sampler::new(Pareto::new(1.0, 1.5)?)),
        ("bounded-pareto", Sampler::new(BoundedPareto::new(1.0, 1e6, 1.1)?)),
        ("discrete", Sampler::new(Discrete::new(&[(1.0, 0.5), (2.0, 0.3), (8.0, 0.2)])?)),
        ("empirical", Sampler::new(Empirical::new(vec![3.0, 1.0, 4.0, 1.0, 5.0])?)),
        ("geometric", Sampler::new(Geometric::new(6.0)?)),
        ("poisson", Sampler::new(Poisson::new(3.0)?)),
        ("poisson/large", Sampler::new(Poisson::new(1000.0)?)),
        ("zipf", Sampler::new(Zipf::new(1000, 1.2)?)),
    ])
}

/// For the raw generator and each sampler: its name, and a 64-bit FNV-1a hash of the bits of 10,000
/// draws.
pub fn golden_hashes() -> Vec<(&'static str, u64)> {
    let streams = Streams::new(1, 0);
    let mut raw = streams.stream("golden/stream");
    let words = (0..DRAWS).fold(Fnv1a::new(), |hash, _| hash.bytes(&raw.next_u64().to_le_bytes()));
    let mut hashes = vec![("stream", words.0)];
    for (name, sampler) in specimens().expect("the specimens' parameters are valid: a unit test makes them") {
        let mut stream = streams.stream(name);
        let draw = |hash: Fnv1a, _| hash.bytes(&sampler.draw(&mut stream).to_bits().to_le_bytes());
        hashes.push((name, (0..DRAWS).fold(Fnv1a::new(), draw).0));
    }
    hashes
}

/// The golden table as text: the version, then a line a sampler.
pub fn render_golden_hashes() -> String {
    let mut text = format!("sampler-version {SAMPLER_VERSION}\n");
    for (name, hash) in golden_hashes() {
        writeln!(text, "{name} {hash:016x}").expect("writing to a string does not fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sampler_draws_what_the_golden_table_says() {
        assert_eq!(render_golden_hashes(), include_str!("samplers.txt"));
    }

    #[test]
    fn no_two_samplers_hash_alike() {
        let mut hashes: Vec<u64> = golden_hashes().into_iter().map(|(_, hash)| hash).collect();
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }
}
