//! The simulation kernel.

mod parameter;
mod time;

pub use time::{SimDuration, SimTime};
pub mod stats;
