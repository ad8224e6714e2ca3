//! Power.

use std::fmt;

use super::BadQuantity;
use super::quantity::{Dimension, split};

/// A power, in whole milliwatts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Power(u64);

const POWER: Dimension = Dimension {
    bases: &[("W", 0)],
    units: &["W", "kW"],
    expected: "a power with its unit, such as \"95 W\" or \"1.2 kW\"",
};
/// The most power there is [mW]: so that the energy of any machine over all of time is a number.
const MOST: u64 = 1_000_000_000;

impl Power {
    /// So many milliwatts, 1 MW at the most.
    pub const fn from_milliwatts(milliwatts: u64) -> Option<Self> {
        if milliwatts <= MOST { Some(Power(milliwatts)) } else { None }
    }

    /// Milliwatts.
    pub const fn milliwatts(self) -> u64 {
        self.0
    }

    /// Reads a power, rounded up to whole milliwatts.
    ///
    /// # Errors
    /// No number, no unit, an unknown unit, or more than 1 MW.
    pub fn parse(text: &str) -> Result<Self, BadQuantity> {
        let (number, magnitude) = split(text, &POWER)?;
        let factor = 10_u64.checked_pow(magnitude.decimal.unsigned_abs() + 3);
        let milliwatts =
            factor.filter(|_| magnitude.binary == 0).and_then(|factor| number.ceil_times(factor));
        let too_much = || POWER.bad(format!("`{text}` is more than 1 MW"));
        milliwatts.and_then(Power::from_milliwatts).ok_or_else(too_much)
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} W", self.0 as f64 / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_is_whole_milliwatts() {
        assert_eq!(Power::parse("95.5W"), Ok(Power(95_500)));
        assert_eq!(Power::parse("1.2 kW"), Ok(Power(1_200_000)));
        assert_eq!(Power::parse("0.0001 W"), Ok(Power(1)));
        assert_eq!(Power::parse("0 W"), Ok(Power(0)));
        assert_eq!(Power::parse("1 MW").map(|power| power.to_string()), Ok("1000000 W".to_owned()));
    }

    #[test]
    fn what_is_no_power_is_reported() {
        let problem = |text| Power::parse(text).expect_err("no power").problem;
        assert_eq!(problem("95"), "`95` has no unit");
        assert_eq!(problem("95 J"), "`J` is no unit here");
        assert_eq!(problem("2 MW"), "`2 MW` is more than 1 MW");
        assert_eq!(problem("9 EW"), "`9 EW` is more than 1 MW");
        assert_eq!(problem("-5 W"), "`-5 W` is negative");
    }
}
