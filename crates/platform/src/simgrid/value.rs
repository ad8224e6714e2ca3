//! Values of attributes: quantities as SimGrid spells them, lists, ranges and choices.
//!
//! A quantity without a unit is in bytes per second, operations per second or seconds, as SimGrid
//! has it.

use crate::units::{BadQuantity, Bandwidth, Decimal, Speed};

/// Reason that a value cannot be read, and what was expected.
pub(super) type Wrong = (String, &'static str);

/// Units of time: their name, the power of ten and what it is multiplied by.
const TIMES: &[(&str, i32, f64)] = &[
    ("ps", -12, 1.0),
    ("ns", -9, 1.0),
    ("us", -6, 1.0),
    ("ms", -3, 1.0),
    ("s", 0, 1.0),
    ("m", 0, 60.0),
    ("h", 0, 3600.0),
    ("d", 0, 86_400.0),
    ("w", 0, 604_800.0),
];

/// The most hosts that one range may name.
const MOST: usize = 1 << 20;

/// A number without a unit.
fn bare(text: &str) -> Option<f64> {
    match Decimal::take(text) {
        Some((number, "")) => Some(number.to_f64(0)),
        _ => None,
    }
}

/// A quantity with its unit, or a bare number.
fn quantity(
    text: &str,
    parse: impl FnOnce(&str) -> Result<f64, BadQuantity>,
    expected: &'static str,
) -> Result<f64, Wrong> {
    let text = text.trim();
    bare(text).map_or_else(|| parse(text).map_err(|error| (error.problem, expected)), Ok)
}

/// Bytes per second.
pub(super) fn bandwidth(text: &str) -> Result<f64, Wrong> {
    let expected = "expected a bandwidth, such as \"125MBps\" (bytes) or \"1Gbps\" (bits)";
    quantity(text, |text| Bandwidth::parse(text).map(Bandwidth::bytes_per_sec), expected)
}

/// Operations per second.
pub(super) fn speed(text: &str) -> Result<f64, Wrong> {
    let expected = "expected operations per second, such as \"1.5Gf\"";
    quantity(text, |text| Speed::parse(text).map(Speed::flops_per_sec), expected)
}

/// Seconds.
pub(super) fn seconds(text: &str) -> Result<f64, Wrong> {
    const EXPECTED: &str = "expected a time, such as \"50us\", \"1ms\" or \"2s\"";
    let text = text.trim();
    let Some((number, unit)) = Decimal::take(text) else {
        return Err((format!("`{text}` is no time"), EXPECTED));
    };
    let unit = unit.trim_start();
    match TIMES.iter().find(|(name, ..)| *name == unit) {
        None if unit.is_empty() => Ok(number.to_f64(0)),
        None => Err((format!("`{unit}` is no unit of time"), EXPECTED)),
        Some(&(_, power, times)) => Ok(number.to_f64(power) * times),
    }
}

/// A whole number.
pub(super) fn count(text: &str) -> Result<u32, Wrong> {
    text.trim().parse().map_err(|_| (format!("`{text}` is no whole number"), "expected a number such as 4"))
}

/// Numbers with commas between them.
pub(super) fn counts(text: &str) -> Result<Vec<u32>, Wrong> {
    text.split(',').map(count).collect()
}

/// Three coordinates with blanks between them.
pub(super) fn coordinates(text: &str) -> Result<[f64; 3], Wrong> {
    let numbers: Option<Vec<f64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) if x.is_finite() && y.is_finite() && z.is_finite() => Ok([x, y, z]),
        _ => Err((format!("`{text}` is no place"), "expected three numbers, such as \"25.5 9.4 1.4\"")),
    }
}

/// The numbers of hosts: single ones and ranges, with commas or semicolons between them.
pub(super) fn radical(text: &str) -> Result<Vec<u32>, Wrong> {
    const EXPECTED: &str = "expected numbers and ranges, such as \"0-9,20-29\"";
    let mut numbers = Vec::new();
    for part in text.split([',', ';']) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let [Ok(from), Ok(to)] = [from, to].map(|end| end.trim().parse::<u32>()) else {
            return Err((format!("`{part}` is no range of numbers"), EXPECTED));
        };
        if to < from {
            return Err((format!("the range `{part}` ends before it begins"), EXPECTED));
        }
        if (to - from) as usize >= MOST - numbers.len() {
            return Err(("these are more than 2^20 hosts".to_owned(), "expected fewer"));
        }
        numbers.extend(from..=to);
    }
    Ok(numbers)
}

/// One of some words, in upper or lower case.
pub(super) fn choice<T: Copy>(text: &str, words: &[(&str, T)]) -> Option<T> {
    words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, choice)| *choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_as_simgrid_spells_them() {
        assert_eq!(bandwidth("125MBps"), Ok(125e6));
        assert_eq!(bandwidth("1.25E9Bps"), Ok(1.25e9));
        assert_eq!(bandwidth("10 Gbps"), Ok(1.25e9));
        assert_eq!(bandwidth("1MiBps"), Ok(1_048_576.0));
        assert_eq!(bandwidth("1000"), Ok(1000.0));
        assert_eq!(speed("98.095Mf"), Ok(98.095e6));
        assert_eq!(seconds("59.904us"), Ok(5.9904e-5));
        assert_eq!(seconds("1.0E-4s"), Ok(1e-4));
        assert_eq!(seconds("2m"), Ok(120.0));
        assert_eq!(seconds("0"), Ok(0.0));
        assert!(bandwidth("1KBps").is_err() && seconds("1 parsec").is_err() && speed("fast").is_err());
    }

    #[test]
    fn ranges_name_hosts_in_their_order() {
        assert_eq!(radical("1-3,58,7-8"), Ok(vec![1, 2, 3, 58, 7, 8]));
        assert!(radical("3-1").is_err() && radical("a").is_err() && radical("").is_err());
        assert!(radical("0-4294967295").is_err());
    }
}
