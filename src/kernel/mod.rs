//! The simulation kernel.

mod parameter;
pub mod rng;
pub mod stats;
mod time;

pub use time::{SimDuration, SimTime};
