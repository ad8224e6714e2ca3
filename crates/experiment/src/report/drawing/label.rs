//! Speeds, data rates and times as a picture writes them: three digits and a prefix.

/// `value` with the prefix that leaves one to three digits before the point, and `unit`: `1.5 G` +
/// `f`.
pub fn prefixed(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 6] =
        [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    let (factor, prefix) =
        PREFIXES.into_iter().find(|(factor, _)| value >= 0.9995 * factor).unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", digits(value / factor))
}

/// Three digits, without zeros at the end.
fn digits(value: f64) -> String {
    let places = match value {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.places$}");
    if places == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// A computing speed.
pub fn speed(value: f64) -> String {
    prefixed(value, "f")
}

/// A data rate.
pub fn bandwidth(value: f64) -> String {
    prefixed(value, "Bps")
}

/// A span of time in seconds.
pub fn latency(seconds: f64) -> String {
    let (factor, unit) = match seconds {
        seconds if seconds <= 0.0 => return "0 s".to_owned(),
        seconds if seconds >= 0.9995 => (1.0, "s"),
        seconds if seconds >= 0.9995e-3 => (1e3, "ms"),
        seconds if seconds >= 0.9995e-6 => (1e6, "us"),
        _ => (1e9, "ns"),
    };
    format!("{} {unit}", digits(seconds * factor))
}

/// Range from the least to the largest of the values, written once if they read the same.
pub fn range(values: impl Iterator<Item = f64>, write: fn(f64) -> String) -> String {
    let ends = values.fold(None, |ends: Option<(f64, f64)>, value| match ends {
        Some((least, most)) => Some((least.min(value), most.max(value))),
        None => Some((value, value)),
    });
    let Some((least, most)) = ends else { return String::new() };
    let (low, high) = (write(least), write(most));
    let unit = |text: &str| text.split_once(' ').map(|(_, unit)| unit.to_owned());
    match low.split_once(' ') {
        _ if low == high => low,
        // a unit that both have is written once
        Some((number, of_low)) if unit(&high).as_deref() == Some(of_low) => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// At most so many letters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    // the end of a name says more than its middle
    let letters: Vec<char> = text.chars().collect();
    let head: String = letters[..most / 2].iter().collect();
    let tail: String = letters[letters.len() - (most - most / 2 - 1)..].iter().collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_enough() {
        assert_eq!([1.5e9, 999.6e6, 100e6, 98.095e6].map(speed), ["1.5 Gf", "1 Gf", "100 Mf", "98.1 Mf"]);
        assert_eq!([1.25e8, 41_279_125.0, 12.0].map(bandwidth), ["125 MBps", "41.3 MBps", "12 Bps"]);
        assert_eq!(
            [0.0, 5e-5, 0.01, 1.5, 59.904e-6].map(latency),
            ["0 s", "50 us", "10 ms", "1.5 s", "59.9 us"]
        );
        assert_eq!(range([2e9, 1e9].into_iter(), speed), "1 to 2 Gf");
        assert_eq!(cut("a-very-long-name-of-a-host-17", 15), "a-very-…host-17");
    }
}
