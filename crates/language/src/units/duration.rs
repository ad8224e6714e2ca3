//! Durations: `"200us"`, `"90 s"`, `"2h30m"`.
//!
//! A duration is one or more numbers with their units, largest unit first, each unit at most once.
//! The result is a whole number of nanoseconds, rounded up.

use crate::units::{BadQuantity, Decimal};

/// Nanoseconds in each unit, largest first; the first spelling of a length is the one suggested.
const UNITS: &[(&str, u64)] = &[
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ns", 1),
];

/// The spellings that a message lists.
const KNOWN: &[&str] = &["ns", "us", "ms", "s", "min", "h", "d"];

const EXPECTED: &str = "a duration with its unit, such as \"90s\", \"200us\" or \"2h30m\"";

/// Reads seconds as files of results have them: a whole number, or one with up to nine decimals; in
/// nanoseconds.
pub fn seconds(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || decimals.len() > 9 || !digits(decimals) {
        return None;
    }
    let mut fraction = if decimals.is_empty() { 0 } else { decimals.parse::<u64>().ok()? };
    for _ in decimals.len()..9 {
        fraction *= 10;
    }
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(fraction)
}

/// Reads a duration, in whole nanoseconds, rounded up.
///
/// # Errors
/// No number, no unit, an unknown unit, units out of order or twice, or more than `u64` nanoseconds
/// (584 years).
pub fn duration(text: &str) -> Result<u64, BadQuantity> {
    let bad = |problem: String| BadQuantity::new(problem, EXPECTED, KNOWN);
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(bad("an empty text is no duration".into()));
    }
    let (mut total, mut last) = (0u64, u64::MAX);
    while !rest.is_empty() {
        let Some((number, after)) = Decimal::take(rest) else {
            return Err(bad(match rest.strip_prefix('-') {
                Some(_) => format!("`{text}` is negative"),
                None => format!("`{rest}` does not begin with a number"),
            }));
        };
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (unit, tail) = after.split_at(end);
        if unit.is_empty() {
            return Err(bad(format!("`{text}` has a number without a unit")));
        }
        let Some(&(_, nanos)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(bad(format!("`{unit}` is no unit of time")));
        };
        if nanos >= last {
            return Err(bad(format!("`{text}` has its units out of order or twice")));
        }
        last = nanos;
        let part = number.ceil_times(nanos);
        total = part
            .and_then(|part| total.checked_add(part))
            .ok_or_else(|| bad(format!("`{text}` is more than 584 years, the longest span")))?;
        rest = tail.trim_start();
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_its_length() {
        assert_eq!(duration("7ns"), Ok(7));
        assert_eq!(duration("200us"), Ok(200_000));
        assert_eq!(duration("200 µs"), Ok(200_000));
        assert_eq!(duration("5ms"), Ok(5_000_000));
        assert_eq!(duration("90 s"), Ok(90_000_000_000));
        assert_eq!(duration("1.5min"), Ok(90_000_000_000));
        assert_eq!(duration("1h"), Ok(3_600_000_000_000));
        assert_eq!(duration("0.5d"), Ok(43_200_000_000_000));
    }

    #[test]
    fn parts_add_up_largest_first() {
        assert_eq!(duration("2h30m"), Ok(9_000_000_000_000));
        assert_eq!(duration("1d 2h 3min 4s"), Ok(93_784_000_000_000));
        assert!(duration("30m2h").is_err());
        assert!(duration("1m1min").is_err());
    }

    #[test]
    fn a_tenth_of_a_second_is_exact() {
        assert_eq!(duration("0.1s"), Ok(100_000_000));
        assert_eq!(duration("1e-6s"), Ok(1_000));
    }

    #[test]
    fn each_mistake_is_named() {
        let problem = |text| duration(text).expect_err("no duration").problem;
        assert_eq!(problem("10 parsecs"), "`parsecs` is no unit of time");
        assert_eq!(problem("10"), "`10` has a number without a unit");
        assert_eq!(problem("soon"), "`soon` does not begin with a number");
        assert_eq!(problem("-3s"), "`-3s` is negative");
        assert_eq!(problem(""), "an empty text is no duration");
        assert_eq!(problem("1e9 d"), "`1e9 d` is more than 584 years, the longest span");
    }

    #[test]
    fn seconds_of_files_are_read_to_the_nanosecond() {
        assert_eq!(
            ["0", "1.000000001", "12.34"].map(seconds),
            [Some(0), Some(1_000_000_001), Some(12_340_000_000)]
        );
        assert_eq!(
            ["", ".5", "1.", "1e3", "-1", "+1", "1.0000000001", "18446744074"].map(seconds),
            [None, None, Some(1_000_000_000), None, None, None, None, None]
        );
    }
}
