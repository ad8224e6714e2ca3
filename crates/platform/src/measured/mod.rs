//! Platforms out of measurements: tables of hosts and of what joins them, and series, as monitoring
//! tools write them down.
//!
//! Files are comma-separated, lines that begin with `#` aside. What a file holds is given by the
//! columns that its first line names, in any order and with others:
//!
//! | columns | what a line is |
//! |---|---|
//! | `host`, `speed`, perhaps `cores` | a host |
//! | `from`, `to`, `bandwidth`, `latency`, perhaps `link` (its name) | a line between two ends |
//! | `time`, `host`, and `availability` or `use` | share of a host left, or used, from then on |
//! | `time`, `link` or `from` and `to`, and `bandwidth` or `latency` | a line from then on |
//! | `host`, then times such as `t0`, `t300` | a row of shares for each host ([`Units::use_of`]) |
//!
//! An end that is no host is a router. So a full table of measured pairs of hosts is a line for
//! each pair, and a topology with routers one for each of its cables. A line that is measured in
//! one direction only is crossed in both. Routes are the shortest by latency and lead over routers
//! only; a line from host to host is their route. A host that only series name has the speed that
//! is given for such.
//!
//! A number may have its unit (`1.5Gf`, `100Mbps`, `20ms`); a bare one has the unit that was
//! stated, and is refused where none was. Times may be those of any clock: they are shifted so that
//! the earliest sample of all series is at the start of the run. Where nothing was measured (an
//! empty field, or `NaN` or `-`) the last value holds; before the first sample of a series its
//! first value does. A host that is `use`d to 30 % is available to 70 %.
//!
//! All mistakes of all files are given at once, each at its line and column. What comes out is a
//! [`Platform`], and the same as TOML with a trace file for each series ([`Measured::toml`]).
//!
//! Sources: R. Wolski, N. Spring, J. Hayes, "The Network Weather Service", FGCS 15(5-6), 1999 (the
//! series); G. Shao, F. Berman, R. Wolski, "Using Effective Network Views to Promote Distributed
//! Application Performance", PDPTA 1999 (lines between hosts and routers). MODELS 3.1 (shift, unit,
//! gaps).

mod mark;
mod reader;
mod series;
mod toml;
mod values;

pub use mark::MARK;
pub use reader::Reader;
pub use toml::{Toml, TraceFile};
pub use values::{bare, is_gap};

use crate::collections::OrderedMap;
use crate::units::{BadQuantity, Bandwidth, Speed, duration};
use crate::{Platform, Trace};

/// The units of bare numbers.
#[derive(Clone, Debug)]
pub struct Units {
    /// Nanoseconds in a unit of time of series.
    pub time: u64,
    /// Operations per second in a unit of speed.
    pub speed: Option<f64>,
    /// Bytes per second in a unit of bandwidth.
    pub bandwidth: Option<f64>,
    /// Seconds in a unit of latency.
    pub latency: Option<f64>,
    /// The meaning of the numbers in hosts' series.
    pub use_of: Use,
}

/// The meaning of the numbers in a host's series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Shares: 0.7 is 70 %. The rows of wide tables say what is available.
    Available,
    /// Percent that are available.
    AvailablePercent,
    /// Shares that are in use.
    Used,
    /// Percent that are in use.
    UsedPercent,
}

impl Default for Units {
    fn default() -> Self {
        Units { time: 1_000_000_000, speed: None, bandwidth: None, latency: None, use_of: Use::Available }
    }
}

impl Units {
    /// States the unit of bare numbers: `time`, `speed`, `bandwidth` or `latency`, and a unit such
    /// as `ms`, `Mf` or `Mbps`.
    ///
    /// # Errors
    /// Nothing is called so, or has this unit.
    pub fn state(&mut self, of: &str, unit: &str) -> Result<(), BadQuantity> {
        let one = format!("1{unit}");
        let seconds = |nanos: u64| nanos as f64 / 1e9;
        match of {
            "time" => self.time = duration(&one)?,
            "latency" => self.latency = Some(duration(&one).map(seconds)?),
            "speed" => self.speed = Some(Speed::parse(&one)?.flops_per_sec()),
            "bandwidth" => self.bandwidth = Some(Bandwidth::parse(&one)?.bytes_per_sec()),
            _ => {
                return Err(BadQuantity {
                    problem: format!("no unit is stated of `{of}`"),
                    expected: "time, speed, bandwidth or latency",
                    help: "write such as bandwidth=Mbps".to_owned(),
                });
            }
        }
        Ok(())
    }
}

/// A host as measured.
#[derive(Clone, Debug)]
struct MeasuredHost {
    name: String,
    speed: f64,
    cores: u32,
    availability: Option<Trace>,
}

/// A line as measured: from where to where, and whether the direction back was measured by itself.
#[derive(Clone, Debug)]
struct MeasuredLine {
    name: String,
    from: String,
    to: String,
    is_one_way: bool,
    bandwidth: f64,
    latency: f64,
    over_time: OrderedMap<Measure, Trace>,
}

/// The property of a line or host that a series measures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Measure {
    Availability,
    Bandwidth,
    Latency,
}

/// A platform as measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Itself.
    pub platform: Platform,
    hosts: Vec<MeasuredHost>,
    lines: Vec<MeasuredLine>,
}
