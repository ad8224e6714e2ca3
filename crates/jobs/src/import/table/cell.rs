//! Cells as the readers of rows give them, and the numbers and texts that they state.

use std::borrow::Cow;

/// Words that stand for no time and no number, in any case.
const UNKNOWN: [&str; 8] = ["", "nan", "none", "null", "na", "n/a", "\\n", "unknown"];

/// A cell of a row.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "texts have no types"))]
pub(super) enum Cell<'a> {
    /// Nothing: no such cell in this row, or a null.
    Absent,
    /// A text, as it stands in the file.
    Text(&'a [u8]),
    /// A whole number of a file whose values have types.
    Whole(i64),
    /// A real number of such a file.
    Real(f64),
    /// An instant of such a file: nanoseconds since 1970, and true if that is in UTC; else the
    /// time of a clock whose zone is not stated.
    Instant(i64, bool),
    /// A list of so many values with this sum; values that are unknown are not among them.
    List(u64, f64),
}

/// A number, exact as long as it is whole.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Real(f64),
}

impl Number {
    /// The nearest real number.
    pub(super) fn real(self) -> f64 {
        match self {
            Number::Whole(number) => number as f64,
            Number::Real(number) => number,
        }
    }
}

/// A text without the blanks around it.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii()
}

/// Returns true if a text stands for no time and no number.
pub(super) fn is_unknown(text: &[u8]) -> bool {
    // most cells are numbers and dates
    if text.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let text = trimmed(text);
    text.is_empty() || UNKNOWN.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

impl<'a> Cell<'a> {
    /// Returns true if the cell states no number and no time.
    pub(super) fn states_nothing(self) -> bool {
        match self {
            Cell::Absent => true,
            Cell::Text(text) => is_unknown(text),
            Cell::Real(number) => number.is_nan(),
            Cell::Whole(_) | Cell::Instant(..) => false,
            Cell::List(count, _) => count == 0,
        }
    }

    /// The number in the cell, if it is one.
    pub(super) fn number(self) -> Option<Number> {
        match self {
            Cell::Text(text) => number(trimmed(text)),
            Cell::Whole(number) => Some(Number::Whole(number)),
            Cell::Real(number) => of_real(number),
            Cell::Absent | Cell::Instant(..) | Cell::List(..) => None,
        }
    }

    /// The cell as a name; `None` if it is empty.
    pub(super) fn name(self) -> Option<Cow<'a, str>> {
        match self {
            Cell::Text(text) if text.is_ascii() => {
                let text = std::str::from_utf8(text).unwrap_or_default().trim();
                (!text.is_empty()).then_some(Cow::Borrowed(text))
            }
            Cell::Text(text) => Some(String::from_utf8_lossy(trimmed(text))),
            Cell::Whole(number) => Some(number.to_string().into()),
            Cell::Real(number) if number.is_nan() => None,
            Cell::Real(number) => Some(match of_real(number) {
                Some(Number::Whole(number)) => number.to_string().into(),
                _ => number.to_string().into(),
            }),
            Cell::Absent | Cell::Instant(..) | Cell::List(..) => None,
        }
    }

    /// The cell in a few words, for messages.
    pub(super) fn shown(self) -> String {
        match self {
            Cell::Absent => "nothing".to_owned(),
            Cell::Text(text) => {
                let text = String::from_utf8_lossy(&text[..text.len().min(160)]);
                let shown: String = text
                    .chars()
                    .take(40)
                    .map(|letter| if letter.is_control() { '·' } else { letter })
                    .collect();
                format!("`{shown}`")
            }
            Cell::Whole(number) => format!("`{number}`"),
            Cell::Real(number) => format!("`{number}`"),
            Cell::Instant(..) => "an instant".to_owned(),
            Cell::List(count, _) => format!("a list of {count}"),
        }
    }
}

/// A real number, as a whole one if it is that; `None` if it is infinite or no number.
pub(super) fn of_real(number: f64) -> Option<Number> {
    let is_whole = number.abs() < 9e15 && number.fract().abs() < f64::EPSILON;
    let number = if is_whole { Number::Whole(number as i64) } else { Number::Real(number) };
    number.real().is_finite().then_some(number)
}

/// A number in digits, with a fraction and a power of ten if it has them; no infinity.
pub(super) fn number(text: &[u8]) -> Option<Number> {
    let (is_negative, digits) = match text.first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if (1..=18).contains(&digits.len()) {
        let (whole, fraction) = match digits.iter().position(|&byte| byte == b'.') {
            Some(at) => (&digits[..at], &digits[at + 1..]),
            None => (digits, &[][..]),
        };
        // `128.0` is whole as well
        if !whole.is_empty() && fraction.iter().all(|&byte| byte == b'0') {
            let value = whole.iter().try_fold(0_i64, |value, byte| {
                byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'))
            });
            if let Some(value) = value {
                return Some(Number::Whole(if is_negative { -value } else { value }));
            }
        }
    }
    let plain = |&byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    if !text.iter().all(plain) || !digits.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    let value: f64 = text.parse().ok()?;
    of_real(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_where_they_can_be() {
        let whole = [("7", 7), (" 3 ", 3), ("128.0", 128), ("1e1", 10), ("-1", -1), ("+4.00", 4)];
        for (text, value) in whole {
            assert_eq!(Cell::Text(text.as_bytes()).number(), Some(Number::Whole(value)), "{text}");
        }
        assert_eq!(number(b"9223372036854775807").map(Number::real), Some(9_223_372_036_854_775_807.0));
        assert_eq!(number(b"128.5"), Some(Number::Real(128.5)));
        for bad in ["", "x", "0x10", "1,5", "inf", "infinity", "1e999", "--1", "+", ".", "1 2", "é", "e5"] {
            assert_eq!(number(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn words_for_unknown_are_no_numbers_but_may_be_names() {
        for word in ["", " ", "NaN", "None", "null", "NULL", "NA", "N/A", "\\N", "Unknown"] {
            assert!(Cell::Text(word.as_bytes()).states_nothing(), "{word}");
        }
        assert!(Cell::Real(f64::NAN).states_nothing() && Cell::Absent.states_nothing());
        let infinite = Cell::Real(f64::INFINITY);
        assert!(!infinite.states_nothing() && infinite.number().is_none());
        assert!(!Cell::Text(b"0").states_nothing() && !Cell::Whole(-1).states_nothing());
        assert_eq!(Cell::Text(b" NA ").name().as_deref(), Some("NA"));
        assert_eq!(Cell::Text(b"  ").name(), None);
        assert_eq!(Cell::Real(17.0).name().as_deref(), Some("17"));
    }
}
