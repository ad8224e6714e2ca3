//! Numbers for people: thousands in groups, as many decimals as matter.
//!
//! Times on a terminal have at most four digits, in the unit that suits them ([`span`]); where
//! several are to be compared by their numbers, all have one unit ([`time_unit_of`]). Instants are
//! exact ([`clock`]): by them a row is found in a table.

use crate::collections::StableSort as _;
use crate::kernel::{SimDuration, SimTime};

pub use crate::units::{counted, grouped};

/// A measured value with four significant digits or all of its whole ones: `0.7435`, `73.83`,
/// `8,263`.
pub fn plain(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs();
    let decimals = match size {
        size if size >= 999.95 => return signed(value),
        size if size >= 99.995 => 1,
        size if size >= 9.9995 => 2,
        size if size >= 0.99995 || size <= 0.0 => 3,
        _ => 4,
    };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    // nothing is below 0 that is rounded to it
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// A mean with the half-width of its interval: two significant digits of the half-width, and the
/// mean as precise as that: `-62.5` and `2.0`, `130,000` and `11,000`. A half-width of nothing but
/// rounding is `0`.
pub fn with_half_width(mean: f64, half_width: f64) -> (String, String) {
    if !mean.is_finite() || !half_width.is_finite() || half_width <= mean.abs() * 1e-9 {
        return (plain(mean), plain(if half_width.is_finite() { 0.0 } else { half_width }));
    }
    let decimals = decimals_of(half_width);
    (rounded(mean, decimals), rounded(half_width, decimals))
}

/// A mean time with the half-width of its interval, both in one unit: as [`with_half_width`], with
/// four digits at most.
pub fn time_with_half_width(mean: f64, half_width: f64) -> (String, String) {
    let (as_precise, half) = with_half_width(mean, half_width);
    let digits = as_precise.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0').count();
    if digits > 4 { (plain(mean), half) } else { (as_precise, half) }
}

/// A value as precise as a mean with this half-width.
pub fn as_precise_as(value: f64, mean: f64, half_width: f64) -> String {
    if !value.is_finite() || !half_width.is_finite() || half_width <= mean.abs() * 1e-9 {
        return plain(value);
    }
    rounded(value, decimals_of(half_width))
}

/// Decimals that leave two significant digits of a value above 0; below 0: digits before the point
/// that are rounded.
fn decimals_of(value: f64) -> i32 {
    // by its text, which is the same on every platform; 9.96 is 1.0e1
    let text = format!("{value:.1e}");
    let exponent: i32 = text.split_once('e').and_then(|(_, digits)| digits.parse().ok()).unwrap_or(0);
    1 - exponent
}

/// A value with so many decimals, its thousands in groups.
fn rounded(value: f64, decimals: i32) -> String {
    let text = if decimals < 0 {
        let unit = (decimals..0).fold(1.0, |unit, _| unit * 10.0);
        format!("{:.0}", (value / unit).round() * unit)
    } else {
        format!("{value:.0$}", decimals.min(17) as usize)
    };
    let (whole, rest) =
        text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let whole = digits.parse().map_or_else(|_| digits.to_owned(), grouped);
    let zero = digits.bytes().chain(rest.unwrap_or_default().bytes()).all(|digit| digit == b'0');
    let sign = if zero { "" } else { sign };
    rest.map_or_else(|| format!("{sign}{whole}"), |rest| format!("{sign}{whole}.{rest}"))
}

/// The unit in which a column of times is read, and how many seconds it has: that of the median of
/// their sizes, the lower one of two, unless the largest has more than four digits in it.
pub fn time_unit_of(seconds: impl Iterator<Item = f64>) -> (f64, &'static str) {
    let mut sizes: Vec<f64> = seconds.map(f64::abs).filter(|size| size.is_finite() && *size > 0.0).collect();
    sizes.stable_sort_by(f64::total_cmp);
    let own = time_unit(sizes.get(sizes.len().saturating_sub(1) / 2).copied().unwrap_or(0.0));
    let largest = sizes.last().copied().unwrap_or(0.0);
    let is_short = |&(scale, _): &(f64, &str)| scale >= own.0 && largest / scale < MOST;
    UNITS.into_iter().map(|(_, scale, unit)| (scale, unit)).find(is_short).unwrap_or(own)
}

fn signed(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", grouped(value.abs().round() as u64))
}

/// Above this a number of a time would have five digits.
const MOST: f64 = 9999.5;

/// Units of times: the limit in seconds below which each suits, its number of seconds, and its
/// name. A year has 365.25 days.
const UNITS: [(f64, f64, &str); 8] = [
    (1e-6, 1e-9, "ns"),
    (1e-3, 1e-6, "µs"),
    (0.01, 1e-3, "ms"),
    (120.0, 1.0, "s"),
    (7200.0, 60.0, "min"),
    (172_800.0, 3600.0, "h"),
    (MOST * 86_400.0, 86_400.0, "d"),
    (f64::INFINITY, 31_557_600.0, "years"),
];

/// A time in the unit that suits it, of four digits at most: `3.2 ms`, `44 s`, `2.295 h`, `12.4 d`.
pub fn span(seconds: f64) -> String {
    if seconds < 0.0 {
        return format!("-{}", span(-seconds));
    }
    let (scale, unit) = time_unit(seconds);
    format!("{} {unit}", plain(seconds / scale))
}

/// The same of a span of virtual time.
pub fn lasting(time: SimDuration) -> String {
    span(time.as_secs_f64())
}

/// The unit that suits a time of so many seconds, and how many seconds it has.
fn time_unit(seconds: f64) -> (f64, &'static str) {
    let suits = |&&(below, ..): &&(f64, f64, &str)| seconds > 0.0 && seconds < below;
    UNITS.iter().find(suits).map_or((1.0, "s"), |(_, scale, unit)| (*scale, *unit))
}

/// `2d 01:10:00`, with as many decimals as the time has.
pub fn clock(at: SimTime) -> String {
    let nanos = at.since(SimTime::ZERO).as_nanos();
    let (whole, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    let days = if whole >= 86_400 { format!("{}d ", whole / 86_400) } else { String::new() };
    let (hours, minutes, seconds) = (whole / 3600 % 24, whole / 60 % 60, whole % 60);
    let decimals = if rest == 0 { String::new() } else { format!(".{rest:09}") };
    format!("{days}{hours:02}:{minutes:02}:{seconds:02}{}", decimals.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_four_digits_that_matter() {
        let texts = [0.0, 0.743_474, 1.0, 73.8336, 8262.885, 999.96, 1_279.6, -12.5].map(plain);
        assert_eq!(texts, ["0", "0.7435", "1", "73.83", "8,263", "1,000", "1,280", "-12.5"]);
        assert_eq!([-0.0, -1e-16, -0.000_04, -0.000_06].map(plain), ["0", "0", "0", "-0.0001"]);
    }

    #[test]
    fn a_half_width_has_two_digits_and_the_mean_follows() {
        let text = |mean, half| {
            let (mean, half) = with_half_width(mean, half);
            format!("{mean} ± {half}")
        };
        assert_eq!(text(-62.5, 1.963_243), "-62.5 ± 2.0");
        assert_eq!(text(-129_600.0, 10_800.0), "-130,000 ± 11,000");
        assert_eq!(text(12_345.678, 2.51), "12,345.7 ± 2.5");
        assert_eq!(text(0.001_234, 0.000_099_6), "0.00123 ± 0.00010");
        assert_eq!(text(7.0, 0.996), "7.0 ± 1.0");
        assert_eq!(text(-0.000_1, 3.0), "0.0 ± 3.0");
        assert_eq!(text(0.5, 0.0), "0.5 ± 0");
        assert_eq!(text(100.0, 1e-14), "100 ± 0");
        assert_eq!(as_precise_as(3.271, -62.5, 1.96), "3.3");
        assert_eq!(time_with_half_width(299.123_456, 0.001_2), ("299.1".to_owned(), "0.0012".to_owned()));
    }

    #[test]
    fn a_column_of_times_has_the_unit_of_its_median() {
        assert_eq!(time_unit_of([-30.0, 7000.0, 500_000.0].into_iter()), (60.0, "min"));
        assert_eq!(time_unit_of([600.0, 500_000.0, 0.0].into_iter()), (60.0, "min"));
        assert_eq!(time_unit_of([].into_iter()), (1.0, "s"));
        // the longest has four digits at most
        assert_eq!(time_unit_of([600.0, 600.0, 700_000.0].into_iter()), (3600.0, "h"));
        assert_eq!(time_unit_of([0.002, 0.002, 30.0].into_iter()), (1.0, "s"));
    }

    #[test]
    fn times_take_the_unit_that_suits_them() {
        assert_eq!([44.0, 600.0, 8262.9, 1_000_000.0].map(span), ["44 s", "10 min", "2.295 h", "11.57 d"]);
        assert_eq!(
            [0.0, 12e-9, 0.000_05, 0.005, 0.0187].map(span),
            ["0 s", "12 ns", "50 µs", "5 ms", "0.0187 s"]
        );
        assert_eq!([-0.005, 1e10].map(span), ["-5 ms", "316.9 years"]);
    }

    #[test]
    fn no_time_has_more_than_four_digits() {
        let mut nanos = 1_u64;
        while nanos < u64::MAX / 11 {
            for near in [nanos - 1, nanos, nanos + 1, nanos * 3, nanos * 6] {
                let text = span(SimDuration::from_nanos(near).as_secs_f64());
                let digits: String = text.chars().filter(char::is_ascii_digit).collect();
                assert!(digits.trim_start_matches('0').len() <= 4, "{near} ns is {text}");
            }
            nanos = nanos * 11 / 10 + 1;
        }
    }

    #[test]
    fn clocks_show_days_and_decimals_where_there_are_any() {
        let at = |nanos| clock(SimTime::ZERO.saturating_add(SimDuration::from_nanos(nanos)));
        assert_eq!(at(0), "00:00:00");
        assert_eq!(at(4_210_500_000_000), "01:10:10.5");
        assert_eq!(at(90_000_000_000_001), "1d 01:00:00.000000001");
    }
}
