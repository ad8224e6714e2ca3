//! Numbers for people: thousands in groups, as many decimals as matter.

/// A count with its thousands in groups: `122,055`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

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
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn values_keep_four_digits_that_matter() {
        let texts = [0.0, 0.743_474, 1.0, 73.8336, 8262.885, 999.96, 1_279.6, -12.5].map(plain);
        assert_eq!(texts, ["0", "0.7435", "1", "73.83", "8,263", "1,000", "1,280", "-12.5"]);
    }

    #[test]
    fn times_take_the_unit_that_suits_them() {
        assert_eq!([44.0, 600.0, 8262.9, 1_000_000.0].map(span), ["44 s", "10 min", "2.295 h", "11.57 d"]);
    }
}
