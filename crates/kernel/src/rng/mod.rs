//! Random numbers that are the same everywhere.
//!
//! A result must not depend on the machine, the C library, the optimisation level, the number of
//! threads or on which unrelated crates were linked. Three things follow:
//!
//! - [`math`] is the one door to transcendental functions, and it is the `libm` crate;
//! - [`Streams`] derives one generator per named purpose from (root seed, replication, name);
//! - [`distribution`] holds samplers of our own on top of both. `rand_distr` computes with `libm`
//!   unless anything in the build switches on `num-traits/std`, and then with the host's functions,
//!   so that a crate tested together with `proptest` and released without it draws other numbers.
//!   Only its alias table and triangular law serve here: they need additions, multiplications,
//!   divisions and square roots alone, which no feature can move.
//!
//! The traits by which a [`Stream`] draws and a law is drawn from are those of `rand`, and
//! re-exported here: a model needs no dependency on `rand`, whose version would have to be the
//! same.
//!
//! [`golden_hashes`] hashes 10,000 draws of every sampler; the table in `golden.rs`
//! is compared in the test build and in the built program, which do differ in such features.

pub mod distribution;
mod golden;
pub mod math;
mod stream;

pub use rand::Rng;
pub use rand::distr::Distribution;

pub use distribution::{InvalidParameter, Law, Moments, Sampler};
pub use golden::{SAMPLER_VERSION, golden_hashes, render_golden_hashes};
pub use stream::{KeyedStreams, Stream, Streams};
