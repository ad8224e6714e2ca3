//! Statistics.
mod ratio;
pub use ratio::ratio;
