//! The simulation kernel.

pub mod rng;
pub mod stats;
mod parameter;
mod time;

pub use time::{SimDuration, SimTime};
