//! Values of keys of a `slurm.conf`, as Slurm reads them.
//!
//! Source: slurm.conf(5), and the behaviour of Slurm 20.02. Numbers are decimal, octal behind `0`
//! and hexadecimal behind `0x`; numbers of 32 and 64 bits may end in `K`, which is 1024. `INFINITE`
//! and `UNLIMITED` are the largest number. Times are whole minutes, seconds being rounded up.

/// A span of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConfTime {
    /// So many minutes.
    Minutes(u64),
    /// No limit.
    Unlimited,
}

/// Reason that a value cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BadValue {
    /// The mistake, in words.
    pub(super) message: String,
    /// Values that would be right, in words; empty if the message says it.
    pub(super) expected: &'static str,
}

impl From<String> for BadValue {
    fn from(message: String) -> Self {
        BadValue { message, expected: "" }
    }
}

fn is_infinite(text: &str) -> bool {
    text.eq_ignore_ascii_case("infinite") || text.eq_ignore_ascii_case("unlimited")
}

/// A time as `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-`, `days-hours` and so
/// on.
pub(super) fn time(text: &str) -> Option<ConfTime> {
    if is_infinite(text) || text == "-1" {
        return Some(ConfTime::Unlimited);
    }
    let number = |text: &str| -> Option<u64> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok())?
    };
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(number(days)?), rest),
        None => (None, text),
    };
    let parts: Vec<u64> = if days.is_some() && rest.is_empty() {
        Vec::new()
    } else {
        rest.split(':').map(number).collect::<Option<_>>()?
    };
    let [hours, minutes, seconds] = match (days, parts.as_slice()) {
        (Some(_), &[]) => [0, 0, 0],
        (Some(_), &[hours]) => [hours, 0, 0],
        (Some(_), &[hours, minutes]) => [hours, minutes, 0],
        (None, &[minutes]) => [0, minutes, 0],
        (None, &[minutes, seconds]) => [0, minutes, seconds],
        (_, &[hours, minutes, seconds]) => [hours, minutes, seconds],
        _ => return None,
    };
    let days = days.unwrap_or(0).checked_mul(86_400)?;
    let all = hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?.checked_add(seconds)?;
    // seconds are a number of 32 bits with a sign
    let all = all.checked_add(days).filter(|&all| i32::try_from(all).is_ok())?;
    Some(ConfTime::Minutes(all.div_ceil(60)))
}

/// Reads a time, or says that it is none.
pub(super) fn read_time(text: &str) -> Result<ConfTime, BadValue> {
    time(text).ok_or_else(|| {
        let message = format!("`{text}` is no time: minutes, hours:minutes:seconds or days-hours");
        BadValue { message, expected: TIMES }
    })
}

/// Forms of times.
pub(super) const TIMES: &str =
    "expected minutes, minutes:seconds, hours:minutes:seconds, days-hours and so on, or UNLIMITED";

/// A whole number up to `most`, which is that of its type.
fn whole(text: &str, most: u64) -> Result<u64, BadValue> {
    if is_infinite(text) {
        return Ok(most);
    }
    let (expected, has_unit) = match most {
        MOST_16 => ("expected a whole number from 0 to 65535, or UNLIMITED", false),
        MOST_32 => ("expected a whole number from 0 to 4294967295, 4K or UNLIMITED", true),
        _ => ("expected a whole number from 0 on, 4K or UNLIMITED", true),
    };
    let bad = |message: String| BadValue { message, expected };
    let (digits, times) = match text.strip_suffix(['k', 'K']).filter(|_| has_unit) {
        Some(digits) => (digits, 1024),
        None => (text, 1),
    };
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    let number = if let Some(digits) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        u64::from_str_radix(digits, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    match number.ok().filter(|_| !digits.starts_with(['-', '+'])) {
        Some(number) => {
            let number = number.checked_mul(times).filter(|&number| number <= most);
            number.ok_or_else(|| bad(format!("`{text}` is more than {most}")))
        }
        None if is_number(digits) && (digits == "0" || !digits.starts_with('0')) => {
            Err(bad(format!("`{text}` is more than {most}")))
        }
        None if text.strip_prefix('-').is_some_and(is_number) => Err(bad(format!("`{text}` is below zero"))),
        None => Err(bad(format!("`{text}` is no whole number"))),
    }
}

/// The largest number of 16 bits.
const MOST_16: u64 = u16::MAX as u64;
/// The largest number of 32 bits.
const MOST_32: u64 = u32::MAX as u64;

/// Reads a number of 64 bits.
pub(super) fn read_u64(text: &str) -> Result<u64, BadValue> {
    whole(text, u64::MAX)
}

/// Reads a number of 32 bits.
pub(super) fn read_u32(text: &str) -> Result<u32, BadValue> {
    whole(text, MOST_32).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

/// Reads a number of 16 bits.
pub(super) fn read_u16(text: &str) -> Result<u16, BadValue> {
    whole(text, MOST_16).map(|number| u16::try_from(number).unwrap_or(u16::MAX))
}

/// Reads a truth.
pub(super) fn read_flag(text: &str) -> Result<bool, BadValue> {
    let is = |words: [&str; 4]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(["yes", "up", "true", "1"]) {
        Ok(true)
    } else if is(["no", "down", "false", "0"]) {
        Ok(false)
    } else {
        let message = format!("`{text}` is neither YES nor NO");
        Err(BadValue { message, expected: "expected YES, UP, TRUE or 1, or else NO, DOWN, FALSE or 0" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_minutes_rounded_up() {
        for (text, minutes) in [
            ("30", 30),
            ("0", 0),
            ("30:30", 31),
            ("1:00:00", 60),
            ("1:00:01", 61),
            ("7-0", 7 * 1440),
            ("7-", 7 * 1440),
            ("1-12", 2160),
            ("1-12:30", 2190),
            ("2-00:00:01", 2881),
        ] {
            assert_eq!(time(text), Some(ConfTime::Minutes(minutes)), "{text}");
        }
        for unlimited in ["UNLIMITED", "infinite", "Infinite", "-1"] {
            assert_eq!(time(unlimited), Some(ConfTime::Unlimited), "{unlimited}");
        }
        for bad in ["", "soon", "-5", "1:2:3:4", "1-2:3:4:5", "1--2", "1:", ":1", "1.5", "99999-0", "1d"] {
            assert_eq!(time(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_are_of_any_base_and_bounded() {
        let u32_of = |text: &str| read_u32(text).map_err(|bad| bad.message);
        let u16_of = |text: &str| read_u16(text).map_err(|bad| bad.message);
        for (text, number) in [
            ("10", 10),
            ("0", 0),
            ("010", 8),
            ("0x10", 16),
            ("2k", 2048),
            ("+3", 3),
            ("4294967295", u32::MAX),
        ] {
            assert_eq!(u32_of(text), Ok(number), "{text}");
        }
        assert_eq!((read_u32("UNLIMITED"), read_u16("infinite")), (Ok(u32::MAX), Ok(u16::MAX)));
        assert_eq!(u32_of("4294967296"), Err("`4294967296` is more than 4294967295".to_owned()));
        assert_eq!(
            u32_of("99999999999999999999999"),
            Err("`99999999999999999999999` is more than 4294967295".to_owned())
        );
        assert_eq!(u16_of("65536"), Err("`65536` is more than 65535".to_owned()));
        assert_eq!(u32_of("-5"), Err("`-5` is below zero".to_owned()));
        for bad in ["1.5", "many", "09", "1kk", "k", "0x", "+-3", "1e3"] {
            assert_eq!(u32_of(bad), Err(format!("`{bad}` is no whole number")), "{bad}");
        }
        assert_eq!(u16_of("1k"), Err("`1k` is no whole number".to_owned()));
        assert_eq!((read_u64("0x10k"), read_u64("INFINITE")), (Ok(16_384), Ok(u64::MAX)));
        let most = read_u64("18446744073709551615k").map_err(|bad| bad.message);
        assert_eq!(most, Err(format!("`18446744073709551615k` is more than {}", u64::MAX)));
        // each says which values there are
        let expected = [read_u16("x").err(), read_u32("x").err(), read_u64("x").err(), read_flag("x").err()];
        let expected: Vec<_> = expected.into_iter().flatten().map(|bad| bad.expected).collect();
        assert!(
            expected.len() == 4 && expected.iter().all(|text| text.starts_with("expected ")),
            "{expected:?}"
        );
    }

    #[test]
    fn truths_are_words_or_digits() {
        assert_eq!(["yes", "Up", "TRUE", "1"].map(read_flag), [Ok(true), Ok(true), Ok(true), Ok(true)]);
        assert_eq!(["NO", "down", "false", "0"].map(read_flag), [Ok(false), Ok(false), Ok(false), Ok(false)]);
        assert!(read_flag("maybe").is_err());
    }
}
