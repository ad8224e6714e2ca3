//! Amounts of data and of work, and their rates.

use std::fmt;

use crate::units::magnitude::Magnitude;
use crate::units::{BadQuantity, Decimal};

/// An amount of data, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(u64);

/// An amount of computation, in floating-point operations.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Flops(f64);

/// A rate of data, in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Bandwidth(f64);

/// A rate of computation, in floating-point operations per second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Speed(f64);

/// Written forms of a quantity: its units without prefixes and their binary powers, those
/// that are shown, and an example of a value.
pub(super) struct Dimension {
    pub(super) bases: &'static [(&'static str, i32)],
    pub(super) units: &'static [&'static str],
    pub(super) expected: &'static str,
}

impl Dimension {
    /// A complaint about `problem`.
    pub(super) fn bad(&self, problem: String) -> BadQuantity {
        BadQuantity::new(problem, self.expected, self.units)
    }
}

const DATA: Dimension = Dimension {
    bases: &[("B", 0), ("b", -3)],
    units: &["B", "kB", "MB", "GB", "KiB", "MiB", "GiB", "b", "kb", "Mb", "Gb"],
    expected: "an amount of data with its unit, such as \"64 GiB\" or \"1500 B\"",
};
const BANDWIDTH: Dimension = Dimension {
    bases: &[("Bps", 0), ("B/s", 0), ("bps", -3), ("b/s", -3)],
    units: &["Bps", "kBps", "MBps", "GBps", "MiBps", "GiBps", "bps", "kbps", "Mbps", "Gbps"],
    expected: "a data rate with its unit, such as \"10Gbps\" (bits) or \"1.25GBps\" (bytes)",
};
const FLOPS: Dimension = Dimension {
    bases: &[("flop", 0), ("f", 0), ("op", 0)],
    units: &["f", "kf", "Mf", "Gf", "Tf", "Pf"],
    expected: "an amount of computation with its unit, such as \"1.5Gf\"",
};
const SPEED: Dimension = Dimension {
    bases: &[("flops", 0), ("f/s", 0), ("f", 0), ("op/s", 0), ("ops", 0), ("op", 0)],
    expected: "a computing speed with its unit, such as \"1.5Gf\" (operations per second)",
    ..FLOPS
};
const SHARE: Dimension = Dimension { bases: &[], units: &["%"], expected: "a share such as 0.02 or \"2%\"" };

impl Bytes {
    /// `bytes` bytes.
    pub const fn new(bytes: u64) -> Self {
        Bytes(bytes)
    }

    /// The number of bytes.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Reads an amount of data; bits are rounded up to whole bytes.
    ///
    /// # Errors
    /// No number, no unit, an unknown unit, or more than `u64` bytes.
    pub fn parse(text: &str) -> Result<Self, BadQuantity> {
        let (number, magnitude) = split(text, &DATA)?;
        let too_large = || DATA.bad(format!("`{text}` is more than 2^64 bytes"));
        let factor = 10u64.checked_pow(magnitude.decimal.unsigned_abs()).ok_or_else(too_large)?;
        if magnitude.binary >= 0 {
            let factor = factor.checked_mul(1 << magnitude.binary).ok_or_else(too_large)?;
            return number.ceil_times(factor).map(Bytes).ok_or_else(too_large);
        }
        let bits = number.ceil_times(factor).ok_or_else(too_large)?;
        Ok(Bytes(bits.div_ceil(1 << magnitude.binary.unsigned_abs())))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

impl Flops {
    /// The number of operations.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Reads an amount of computation.
    ///
    /// # Errors
    /// No number, no unit, an unknown unit, or more than `f64` holds.
    pub fn parse(text: &str) -> Result<Self, BadQuantity> {
        real(text, &FLOPS).map(Flops)
    }
}

impl Bandwidth {
    /// Bytes per second.
    pub const fn bytes_per_sec(self) -> f64 {
        self.0
    }

    /// Reads a data rate.
    ///
    /// # Errors
    /// No number, no unit, an unknown unit, or more than `f64` holds.
    pub fn parse(text: &str) -> Result<Self, BadQuantity> {
        real(text, &BANDWIDTH).map(Bandwidth)
    }
}

impl Speed {
    /// Operations per second.
    pub const fn flops_per_sec(self) -> f64 {
        self.0
    }

    /// Reads a computing speed.
    ///
    /// # Errors
    /// No number, no unit, an unknown unit, or more than `f64` holds.
    pub fn parse(text: &str) -> Result<Self, BadQuantity> {
        real(text, &SPEED).map(Speed)
    }
}

/// Reads a share: `"2%"` is 0.02, and so is `"0.02"`. Shares above one are allowed here; ranges are
/// the reader's.
///
/// # Errors
/// No number, anything but `%` behind it, or more than `f64` holds.
pub fn share(text: &str) -> Result<f64, BadQuantity> {
    let share = match Decimal::take(text.trim()) {
        Some((number, "")) => number.to_f64(0),
        Some((number, rest)) if rest.trim_start() == "%" => number.to_f64(-2),
        _ => return Err(SHARE.bad(format!("`{text}` is no share"))),
    };
    finite(share, text, &SHARE)
}

fn finite(value: f64, text: &str, of: &Dimension) -> Result<f64, BadQuantity> {
    if value.is_finite() { Ok(value) } else { Err(of.bad(format!("`{text}` is too large"))) }
}

fn real(text: &str, of: &Dimension) -> Result<f64, BadQuantity> {
    let (number, magnitude) = split(text, of)?;
    finite(number.to_f64(magnitude.decimal) * magnitude.binary_factor(), text, of)
}

pub(super) fn split(text: &str, of: &Dimension) -> Result<(Decimal, Magnitude), BadQuantity> {
    let trimmed = text.trim();
    let Some((number, unit)) = Decimal::take(trimmed) else {
        return Err(of.bad(match trimmed.strip_prefix('-') {
            Some(_) => format!("`{text}` is negative"),
            None => format!("`{text}` does not begin with a number"),
        }));
    };
    let unit = unit.trim_start();
    if unit.is_empty() {
        return Err(of.bad(format!("`{text}` has no unit")));
    }
    if let Some(magnitude) = Magnitude::of(unit, of.bases) {
        return Ok((number, magnitude));
    }
    let mut complaint = of.bad(format!("`{unit}` is no unit here"));
    if let Some(rest) = unit.strip_prefix('K') {
        complaint.help = format!("write `k{rest}` for 1000 or `Ki{rest}` for 1024; {}", complaint.help);
    }
    Err(complaint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_and_binary_prefixes_differ() {
        assert_eq!(Bytes::parse("64 GiB"), Ok(Bytes(64 << 30)));
        assert_eq!(Bytes::parse("64GB"), Ok(Bytes(64_000_000_000)));
        assert_eq!(Bytes::parse("1.5KiB"), Ok(Bytes(1536)));
        assert_eq!(Bytes::parse("7 B"), Ok(Bytes(7)));
    }

    #[test]
    fn bits_and_bytes_differ() {
        assert_eq!(Bytes::parse("8Mb"), Ok(Bytes(1_000_000)));
        assert_eq!(Bytes::parse("9b"), Ok(Bytes(2)));
        assert_eq!(Bandwidth::parse("10Gbps"), Bandwidth::parse("1.25GBps"));
        assert_eq!(Bandwidth::parse("8 Mib/s"), Bandwidth::parse("1MiBps"));
    }

    #[test]
    fn speeds_and_work_read_as_simgrid_writes_them() {
        assert_eq!(Speed::parse("1.5Gf"), Ok(Speed(1.5e9)));
        assert_eq!(Speed::parse("100 Mflops"), Ok(Speed(1e8)));
        assert_eq!(Flops::parse("2Tf"), Ok(Flops(2e12)));
    }

    #[test]
    fn shares_are_numbers_or_percentages() {
        assert_eq!(share("2%"), Ok(0.02));
        assert_eq!(share("2.5 %"), Ok(0.025));
        assert_eq!(share("0.02"), Ok(0.02));
        assert!(share("2 per cent").is_err());
        assert!(share("1e400").is_err());
    }

    #[test]
    fn an_ambiguous_kilobyte_is_refused_with_both_readings() {
        let complaint = Bytes::parse("64KB").expect_err("ambiguous");
        assert_eq!(complaint.problem, "`KB` is no unit here");
        assert!(complaint.help.starts_with("write `kB` for 1000 or `KiB` for 1024; units: B, kB"));
    }

    #[test]
    fn a_rate_is_no_amount_and_a_bare_number_is_neither() {
        assert!(Bytes::parse("10Gbps").is_err());
        assert!(Bandwidth::parse("10 GB").is_err());
        assert_eq!(Bytes::parse("10").expect_err("no unit").problem, "`10` has no unit");
        assert!(Bytes::parse("20 EiB").is_err());
    }
}
