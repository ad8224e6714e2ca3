//! The simulation kernel.

mod time;

pub use time::{SimDuration, SimTime};
