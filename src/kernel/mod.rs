//! The simulation kernel.

pub mod rng;
pub mod stats;
mod time;

pub use time::{SimDuration, SimTime};
