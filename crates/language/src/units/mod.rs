//! Quantities as people write them: `"200us"`, `"2h30m"`, `"64 GiB"`, `"10Gbps"`, `"1.5Gf"`,
//! `"2%"`.
//!
//! A quantity is a number and a unit, with or without a space between them. The spellings are those
//! of SimGrid's platform files where it has one. Two distinctions are never guessed: `b` is a bit
//! and `B` a byte; `k M G T P` are powers of 1000 and `Ki Mi Gi Ti Pi` powers of 1024. So `KB` is
//! refused with both readings offered.
//!
//! Numbers are read as exact decimals ([`Decimal`]), never through a float: `"0.1s"` is 100,000,000
//! ns and `"1.1 GB"` is 1,100,000,000 bytes. What no whole number of nanoseconds or bytes can hold
//! is rounded up, as everywhere in the simulator. Rates and speeds are `f64` and are rounded once.
//!
//! Instants may also be dates and weekdays ([`calendar`]).
//!
//! Left out: months and years (no fixed length), and arithmetic inside a value.

pub mod calendar;
mod count;
mod decimal;
mod duration;
mod error;
mod magnitude;
mod power;
mod quantity;

pub use calendar::{Calendar, Moment};
pub use count::{counted, grouped};
pub use decimal::Decimal;
pub use duration::{duration, seconds};
pub use error::BadQuantity;
pub use power::Power;
pub use quantity::{Bandwidth, Bytes, Flops, Speed, share};

/// Flop in a second of the machines on which times were measured, unless stated otherwise.
pub const REFERENCE_SPEED: f64 = 1e10;
