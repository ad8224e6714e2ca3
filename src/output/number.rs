//! Numbers for people: thousands in groups, as many decimals as matter.

use crate::collections::StableSort as _;
use crate::kernel::{SimDuration, SimTime};

pub use crate::units::grouped;

/// A measured value with four significant digits or all of its whole ones: `0.7435`, `73.83`, `8,263`.
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

/// A mean with the half-width of its interval: two significant digits of the half-width, and the mean as precise as that:
/// `-62.5` and `2.0`, `130,000` and `11,000`. A half-width of nothing but rounding is `0`.
pub fn with_half_width(mean: f64, half_width: f64) -> (String, String) {
    if !mean.is_finite() || !half_width.is_finite() || half_width <= mean.abs() * 1e-9 {
        return (plain(mean), plain(if half_width.is_finite() { 0.0 } else { half_width }));
    }
    let decimals = decimals_of(half_width);
    (rounded(mean, decimals), rounded(half_width, decimals))
}

/// A value as precise as a mean with this half-width.
pub fn as_precise_as(value: f64, mean: f64, half_width: f64) -> String {
    if !value.is_finite() || !half_width.is_finite() || half_width <= mean.abs() * 1e-9 {
        return plain(value);
    }
    rounded(value, decimals_of(half_width))
}

/// Decimals that leave two significant digits of a value above 0; below 0: digits before the point that are rounded.
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

/// The unit in which a column of times is read: that of the median of their sizes, the lower one of two; and how many
/// seconds it has.
pub fn time_unit_of(seconds: impl Iterator<Item = f64>) -> (f64, &'static str) {
    let mut sizes: Vec<f64> = seconds.map(f64::abs).filter(|size| size.is_finite() && *size > 0.0).collect();
    sizes.stable_sort_by(f64::total_cmp);
    time_unit(sizes.get(sizes.len().saturating_sub(1) / 2).copied().unwrap_or(0.0))
}

fn signed(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", grouped(value.abs().round() as u64))
}

/// A time in the unit that suits it: `44 s`, `2.30 h`, `12.4 d`.
pub fn span(seconds: f64) -> String {
    if seconds < 0.0 {
        return format!("-{}", span(-seconds));
    }
    let (scale, unit) = time_unit(seconds);
    format!("{} {unit}", plain(seconds / scale))
}

/// The unit that suits a time of so many seconds, and how many seconds it has.
pub fn time_unit(seconds: f64) -> (f64, &'static str) {
    match seconds {
        seconds if seconds < 120.0 => (1.0, "s"),
        seconds if seconds < 7200.0 => (60.0, "min"),
        seconds if seconds < 172_800.0 => (3600.0, "h"),
        _ => (86_400.0, "d"),
    }
}

/// `1 h 10 min`, `97 s`: exact, where a clock would look like a time of day.
pub fn lasting(span: SimDuration) -> String {
    let whole = span.as_nanos() / 1_000_000_000;
    if whole < 120 {
        return span.to_string();
    }
    let rest = SimDuration::from_nanos(span.as_nanos() - whole / 60 * 60_000_000_000);
    let parts = [(whole / 86_400, "d"), (whole / 3600 % 24, "h"), (whole / 60 % 60, "min")];
    let parts = parts.iter().filter(|part| part.0 > 0).map(|(count, unit)| format!("{count} {unit}"));
    let seconds = (rest > SimDuration::ZERO).then(|| rest.to_string());
    parts.chain(seconds).collect::<Vec<_>>().join(" ")
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
    }

    #[test]
    fn a_column_of_times_has_the_unit_of_its_median() {
        assert_eq!(time_unit_of([-30.0, 7000.0, 500_000.0].into_iter()), (60.0, "min"));
        assert_eq!(time_unit_of([600.0, 500_000.0, 0.0].into_iter()), (60.0, "min"));
        assert_eq!(time_unit_of([].into_iter()), (1.0, "s"));
    }

    #[test]
    fn times_take_the_unit_that_suits_them() {
        assert_eq!([44.0, 600.0, 8262.9, 1_000_000.0].map(span), ["44 s", "10 min", "2.295 h", "11.57 d"]);
    }

    #[test]
    fn clocks_show_days_and_decimals_where_there_are_any() {
        let at = |nanos| clock(SimTime::ZERO.saturating_add(SimDuration::from_nanos(nanos)));
        assert_eq!(at(0), "00:00:00");
        assert_eq!(at(4_210_500_000_000), "01:10:10.5");
        assert_eq!(at(90_000_000_000_001), "1d 01:00:00.000000001");
    }

    #[test]
    fn spans_are_exact() {
        let of = |nanos| lasting(SimDuration::from_nanos(nanos));
        assert_eq!(
            [97_000_000_000, 200_000_000_000, 7_200_000_000_000].map(of),
            ["97 s", "3 min 20 s", "2 h"]
        );
        assert_eq!(of(90_061_500_000_000), "1 d 1 h 1 min 1.5 s");
    }
}
