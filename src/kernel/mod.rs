//! The simulation kernel.

pub mod rng;
mod time;

pub use time::{SimDuration, SimTime};
