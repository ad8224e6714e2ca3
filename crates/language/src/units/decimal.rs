//! Exact decimal numbers: digits and a power of ten.
//!
//! A number in a scenario is finite and decimal, so it can be carried without loss until its unit
//! is known. A mantissa has at most 38 significant digits and the exponent at most three; longer
//! ones are refused, not cut.

/// A non-negative decimal number, `digits × 10^exponent`, held exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    /// Takes a number off the front of `text`: digits, a point and digits, and an exponent
    /// (`1e-6`).
    ///
    /// Gives the number and the rest of the text, or `None` if `text` does not begin with a number
    /// that can be held. An `e` that is not followed by digits is left in the rest.
    pub fn take(text: &str) -> Option<(Decimal, &str)> {
        let (whole, rest) = take_digits(text);
        let (fraction, rest) = match rest.strip_prefix('.') {
            Some(after) => take_digits(after),
            None => ("", rest),
        };
        if whole.is_empty() && fraction.is_empty() || rest.starts_with('.') {
            return None;
        }
        let fraction = fraction.trim_end_matches('0');
        let mut digits: u128 = 0;
        for digit in whole.bytes().chain(fraction.bytes()) {
            digits = digits.checked_mul(10)?.checked_add(u128::from(digit - b'0'))?;
        }
        let (power, rest) = take_exponent(rest)?;
        let exponent = power - i32::try_from(fraction.len()).ok()?;
        Some((Decimal { digits, exponent }, rest))
    }

    /// The least whole number not below `self × factor`, or `None` if `u64` cannot hold it.
    pub fn ceil_times(self, factor: u64) -> Option<u64> {
        if self.digits == 0 {
            return Some(0);
        }
        if self.exponent >= 0 {
            let power = 10u128.checked_pow(self.exponent.unsigned_abs())?;
            let value = self.digits.checked_mul(power)?.checked_mul(u128::from(factor))?;
            return u64::try_from(value).ok();
        }
        let product = self.digits.checked_mul(u128::from(factor))?;
        // a divisor past 10^38 exceeds every product: what is left is more than nothing and at most
        // one
        let value = match 10u128.checked_pow(self.exponent.unsigned_abs()) {
            Some(divisor) => product.div_ceil(divisor),
            None => 1,
        };
        u64::try_from(value).ok()
    }

    /// The nearest `f64` to `self × 10^power`, rounded once; infinite when too large.
    pub fn to_f64(self, power: i32) -> f64 {
        // the standard library's parser rounds correctly, and it is the same on every platform
        format!("{}e{}", self.digits, self.exponent + power).parse().unwrap_or(f64::INFINITY)
    }
}

fn take_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// The exponent at the front of `text`, zero if there is none; `None` if it has more than three
/// digits.
fn take_exponent(text: &str) -> Option<(i32, &str)> {
    let Some(after) = text.strip_prefix(['e', 'E']) else { return Some((0, text)) };
    let (sign, unsigned) = match after.strip_prefix('-') {
        Some(unsigned) => (-1, unsigned),
        None => (1, after.strip_prefix('+').unwrap_or(after)),
    };
    let (power, rest) = take_digits(unsigned);
    match power.len() {
        0 => Some((0, text)),
        1..=3 => Some((sign * power.parse::<i32>().ok()?, rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        let (decimal, rest) = Decimal::take(text).expect("the text begins with a number");
        assert_eq!(rest, "", "nothing is left of {text}");
        decimal
    }

    #[test]
    fn a_decimal_fraction_is_exact() {
        assert_eq!(decimal("0.1").ceil_times(1_000_000_000), Some(100_000_000));
        assert_eq!(decimal("1.10").ceil_times(1_000_000_000), Some(1_100_000_000));
        assert_eq!(decimal("1e-6").ceil_times(1_000_000_000), Some(1_000));
        assert_eq!(decimal(".5").ceil_times(10), Some(5));
    }

    #[test]
    fn what_is_no_whole_number_is_rounded_up() {
        assert_eq!(decimal("0.0000000001").ceil_times(1_000_000_000), Some(1));
        assert_eq!(decimal("1e-300").ceil_times(7), Some(1));
        assert_eq!(decimal("0.000").ceil_times(7), Some(0));
    }

    #[test]
    fn too_large_numbers_are_reported_not_wrapped() {
        assert_eq!(decimal("18446744073709551615").ceil_times(1), Some(u64::MAX));
        assert_eq!(decimal("18446744073709551616").ceil_times(1), None);
        assert_eq!(decimal("1e30").ceil_times(1_000_000_000), None);
        assert!(Decimal::take(&"9".repeat(60)).is_none());
    }

    #[test]
    fn a_text_without_a_number_gives_none_and_a_unit_is_left_over() {
        assert!(Decimal::take("ms").is_none());
        assert!(Decimal::take(".").is_none());
        assert!(Decimal::take("1.2.3").is_none());
        assert_eq!(Decimal::take("3e").map(|(_, rest)| rest), Some("e"));
        assert_eq!(Decimal::take("1.5Gf").map(|(_, rest)| rest), Some("Gf"));
    }

    #[test]
    fn a_float_is_rounded_once() {
        assert!((decimal("0.1").to_f64(0) - 0.1).abs() < f64::MIN_POSITIVE);
        assert!(decimal("1e999").to_f64(0).is_infinite());
    }
}
