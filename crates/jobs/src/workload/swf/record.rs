//! One job line: eighteen numbers, read byte by byte without a copy.
//!
//! Almost every field is a short whole number and takes the fast path; decimals (`489.00`), signs
//! and exponents take the slow one. A line is given as part of a block that ends with a line end,
//! so the end of the block need not be tested at every byte.

use crate::text::Place;
use crate::workload::UNKNOWN_ID;

use super::error::{Error, ErrorKind};

/// Fields of a job line.
pub(super) const FIELDS: usize = 18;

/// Name of the fields, in the archive's words.
const NAMES: [&str; FIELDS] = [
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
];

/// Fields that are not kept unless asked for; they may be any number, however large, and one past
/// 64 bits is unknown.
const UNKEPT: [usize; 5] = [6, 7, 10, 17, 18];

/// Longest time a field may hold [s]: 285 years, so that a submission and a run fit into virtual
/// time.
pub(super) const MOST_SECS: u64 = 9_000_000_000;

/// The largest number that a field (counted from 1) may hold; the ones above it of each kind mean
/// "unknown" in a `Job`.
const fn most(field: usize) -> u64 {
    match field {
        2 | 3 | 4 | 9 | 18 => MOST_SECS,
        5 | 8 => u32::MAX as u64,
        11 => i8::MAX as u64,
        12..=14 => UNKNOWN_ID as u64 - 1,
        15 | 16 => u16::MAX as u64 - 1,
        _ => u64::MAX,
    }
}

/// The fields of wait time, run time and status.
const WAIT: usize = 3;
const RUN: usize = 4;
const STATUS: usize = 11;

/// A number of a log, exact to a billionth; those of equal sign are ordered by size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Number {
    /// The whole part, without sign.
    pub(super) whole: u64,
    /// Billionths beyond the whole part, rounded up.
    pub(super) nanos: u32,
    pub(super) negative: bool,
}

impl Number {
    /// The sum of two numbers that are not negative, at most the largest there is.
    fn plus(self, other: Number) -> Self {
        let nanos = self.nanos + other.nanos;
        let (carried, nanos) = (u64::from(nanos / 1_000_000_000), nanos % 1_000_000_000);
        let whole = self.whole.saturating_add(other.whole).saturating_add(carried);
        Number { whole, nanos, negative: false }
    }
}

/// The numbers of a job line, and where they stand.
pub(super) struct Record<'a> {
    numbers: [Number; FIELDS],
    /// The line without its end.
    text: &'a [u8],
    /// Line number.
    pub(super) line: u64,
    /// True if there were more than eighteen fields.
    pub(super) extra: bool,
    /// End of the eighteenth in the line.
    end: usize,
}

/// A record apart from the text that it was read from.
#[derive(Debug)]
pub(super) struct KeptRecord {
    numbers: [Number; FIELDS],
    text: Vec<u8>,
    line: u64,
    extra: bool,
    end: usize,
}

/// Reason that a field is no number.
#[derive(Debug, PartialEq)]
enum Fault {
    NotANumber,
    TooLarge,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// The place of the next byte that is no blank.
pub(super) fn skip_blanks(block: &[u8], mut at: usize) -> usize {
    while is_blank(block[at]) {
        at += 1;
    }
    at
}

/// The place of the line end that follows.
pub(super) fn line_end(block: &[u8], at: usize) -> usize {
    // the block ends with a line end
    at + block[at..].iter().position(|&byte| byte == b'\n').unwrap_or(block.len() - at - 1)
}

/// Reads the job line that begins at `start`; answers also where the next line begins.
pub(super) fn read(block: &[u8], start: usize, line: u64) -> Result<(Record<'_>, usize), Error> {
    let mut numbers = [Number::default(); FIELDS];
    let mut at = start;
    for (field, number) in numbers.iter_mut().enumerate() {
        at = skip_blanks(block, at);
        if block[at] == b'\n' {
            let place = Place::new(line, &block[start..at], at - start, 0);
            return Err(Error { kind: ErrorKind::TooFewFields(field), place: Some(Box::new(place)) });
        }
        let (read, end) = scan(block, at);
        *number = match read {
            Ok(number) => number,
            Err(Fault::TooLarge) if UNKEPT.contains(&(field + 1)) => {
                Number { negative: true, ..Number::default() }
            }
            Err(fault) => return Err(unreadable(block, start..at, field, line, &fault)),
        };
        at = end;
    }
    let last = at - start;
    let end = skip_blanks(block, at);
    let extra = block[end] != b'\n';
    let end = if extra { line_end(block, end) } else { end };
    Ok((Record { numbers, text: &block[start..end], line, extra, end: last }, end + 1))
}

fn unreadable(block: &[u8], before: std::ops::Range<usize>, field: usize, line: u64, fault: &Fault) -> Error {
    let text = &block[before.start..line_end(block, before.end)];
    let odd = text.iter().find(|&&byte| (byte < 0x20 && !is_blank(byte)) || byte == 0x7f);
    let kind = match (odd, fault) {
        (Some(&byte), Fault::NotANumber) => ErrorKind::NotText(byte),
        (None, Fault::NotANumber) => ErrorKind::NotANumber(field + 1, NAMES[field]),
        (_, Fault::TooLarge) => ErrorKind::OutOfRange(field + 1, NAMES[field], most(field + 1)),
    };
    let column = before.end - before.start;
    let width = token(block, before.end).len();
    Error { kind, place: Some(Box::new(Place::new(line, text, column, width))) }
}

/// The bytes from here to the next blank or line end.
fn token(block: &[u8], at: usize) -> &[u8] {
    let length = block[at..].iter().position(|&byte| is_blank(byte) || byte == b'\n');
    &block[at..at + length.unwrap_or(0)]
}

/// Reads the field at `at`; answers also where it ends.
#[inline]
fn scan(block: &[u8], at: usize) -> (Result<Number, Fault>, usize) {
    let negative = block[at] == b'-';
    let digits = at + usize::from(negative);
    let mut end = digits;
    let mut whole = 0_u64;
    loop {
        let digit = block[end].wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        whole = whole.wrapping_mul(10).wrapping_add(u64::from(digit));
        end += 1;
    }
    // nineteen digits always fit
    if (1..=19).contains(&(end - digits)) && (block[end] == b'\n' || is_blank(block[end])) {
        return (Ok(Number { whole, nanos: 0, negative }), end);
    }
    let token = token(block, at);
    (parse_slowly(token), at + token.len())
}

/// The number of a whole token, if it is one.
pub(super) fn number(token: &[u8]) -> Option<Number> {
    parse_slowly(token).ok()
}

/// Reads a decimal exactly, and any other notation as the nearest `f64`.
fn parse_slowly(token: &[u8]) -> Result<Number, Fault> {
    let text = std::str::from_utf8(token).map_err(|_| Fault::NotANumber)?;
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if unsigned.starts_with(['+', '-']) || !unsigned.bytes().any(|byte| byte.is_ascii_digit()) {
        return Err(Fault::NotANumber);
    }
    if digits(whole) && digits(fraction) {
        let whole = match whole.parse() {
            Ok(whole) => whole,
            // below zero is unknown, however far below
            Err(_) if whole.is_empty() || negative => 0,
            Err(_) => return Err(Fault::TooLarge),
        };
        return Ok(with_fraction(whole, fraction, negative));
    }
    let value: f64 = unsigned.parse().map_err(|_| Fault::NotANumber)?;
    if value >= 1e18 && !negative {
        return Err(Fault::TooLarge);
    }
    let whole = value.trunc();
    Ok(with_billionths(whole as u64, ((value - whole) * 1e9).ceil() as u32, negative))
}

/// Takes nine digits of a fraction, and rounds up what lies beyond.
fn with_fraction(whole: u64, fraction: &str, negative: bool) -> Number {
    let mut nanos = 0;
    for place in 0..9 {
        nanos = nanos * 10 + fraction.as_bytes().get(place).map_or(0, |digit| u32::from(digit - b'0'));
    }
    let beyond = fraction.bytes().skip(9).any(|digit| digit != b'0');
    with_billionths(whole, nanos + u32::from(beyond), negative)
}

fn with_billionths(whole: u64, nanos: u32, negative: bool) -> Number {
    if nanos == 1_000_000_000 {
        Number { whole: whole.saturating_add(1), nanos: 0, negative }
    } else {
        Number { whole, nanos, negative }
    }
}

impl Record<'_> {
    /// A span in nanoseconds (field counted from 1); `None` if it is unknown.
    #[inline]
    pub(super) fn nanos(&self, field: usize) -> Result<Option<u64>, Error> {
        let Number { whole, nanos, negative } = self.numbers[field - 1];
        if negative {
            return Ok(None);
        }
        if whole > most(field) {
            return Err(self.wrong(field, ErrorKind::OutOfRange(field, NAMES[field - 1], most(field))));
        }
        Ok(Some(whole * 1_000_000_000 + u64::from(nanos)))
    }

    /// A whole number (field counted from 1); `None` if it is unknown.
    #[inline]
    pub(super) fn whole(&self, field: usize) -> Result<Option<u64>, Error> {
        let Number { whole, nanos, negative } = self.numbers[field - 1];
        if negative {
            return Ok(None);
        }
        if nanos != 0 {
            return Err(self.wrong(field, ErrorKind::NotWhole(field, NAMES[field - 1])));
        }
        if whole > most(field) {
            return Err(self.wrong(field, ErrorKind::OutOfRange(field, NAMES[field - 1], most(field))));
        }
        Ok(Some(whole))
    }

    /// Returns true if the line is a partial execution: its status is 2, 3 or 4.
    #[inline]
    pub(super) fn is_burst(&self) -> bool {
        matches!(self.numbers[STATUS - 1], Number { whole: 2..=4, nanos: 0, negative: false })
    }

    /// Returns true if the line is the last partial execution of its job: completed (3) or killed
    /// (4).
    pub(super) fn is_last_burst(&self) -> bool {
        self.is_burst() && self.numbers[STATUS - 1].whole > 2
    }

    /// The record apart from its text.
    pub(super) fn kept(&self) -> KeptRecord {
        let Record { numbers, text, line, extra, end } = *self;
        KeptRecord { numbers, text: text.to_vec(), line, extra, end }
    }

    /// The text behind field 18.
    pub(super) fn more(&self) -> &str {
        std::str::from_utf8(&self.text[self.end..]).unwrap_or_default()
    }

    /// The error of a field that was read, but cannot be used.
    pub(super) fn wrong(&self, field: usize, kind: ErrorKind) -> Error {
        let mut column = 0;
        let mut width = 0;
        for (count, part) in
            self.text.split(|&byte| is_blank(byte)).filter(|part| !part.is_empty()).enumerate()
        {
            if count + 1 == field {
                // both point into the line's text
                column = part.as_ptr() as usize - self.text.as_ptr() as usize;
                width = part.len();
            }
        }
        Error { kind, place: Some(Box::new(Place::new(self.line, self.text, column, width))) }
    }
}

impl KeptRecord {
    /// The record again.
    pub(super) fn record(&self) -> Record<'_> {
        let KeptRecord { numbers, text, line, extra, end } = self;
        Record { numbers: *numbers, text, line: *line, extra: *extra, end: *end }
    }

    /// Takes in a later burst of the same job: run times add up, of what is asked for and used the
    /// most counts, the status is the last one, and all else stays as the first burst that states
    /// it has it.
    pub(super) fn join(&mut self, later: &Record<'_>) {
        for (field, (number, other)) in (1..).zip(self.numbers.iter_mut().zip(later.numbers)) {
            *number = match field {
                STATUS => other,
                // the wait of a later burst begins at the end of the one before it
                WAIT => continue,
                _ if other.negative => continue,
                _ if number.negative => other,
                RUN => number.plus(other),
                5..=10 => other.max(*number),
                _ => continue,
            };
        }
        self.extra |= later.extra;
    }

    /// The status of the job as that of a line that sums it up: 1 if its last burst completed it, 0
    /// if that was killed, and unknown if it was to be continued.
    pub(super) fn sum_up(&mut self) {
        let status = &mut self.numbers[STATUS - 1];
        *status = match status.whole {
            3 => Number { whole: 1, ..*status },
            4 => Number { whole: 0, ..*status },
            _ => Number { negative: true, ..*status },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(text: &str) -> Result<Number, Fault> {
        let block = format!("{text}\n");
        let (number, end) = scan(block.as_bytes(), 0);
        assert_eq!(end, text.len());
        number
    }

    const fn known(whole: u64, nanos: u32) -> Number {
        Number { whole, nanos, negative: false }
    }

    #[test]
    fn whole_numbers_decimals_and_exponents_are_read() {
        assert_eq!(scanned("0"), Ok(known(0, 0)));
        assert_eq!(scanned("489.00"), Ok(known(489, 0)));
        assert_eq!(scanned("+7"), Ok(known(7, 0)));
        assert_eq!(scanned("0.25"), Ok(known(0, 250_000_000)));
        assert_eq!(scanned(".5"), Ok(known(0, 500_000_000)));
        assert_eq!(scanned("5."), Ok(known(5, 0)));
        assert_eq!(scanned("1.5e3"), Ok(known(1500, 0)));
        assert_eq!(scanned("-1").map(|number| number.negative), Ok(true));
        assert_eq!(scanned("-1.0").map(|number| number.negative), Ok(true));
    }

    #[test]
    fn a_fraction_past_the_ninth_digit_rounds_up() {
        assert_eq!(scanned("0.0000000001"), Ok(known(0, 1)));
        assert_eq!(scanned("1.9999999999"), Ok(known(2, 0)));
        assert_eq!(scanned("1.0000000000"), Ok(known(1, 0)));
    }

    #[test]
    fn large_numbers_are_read_or_refused_never_wrapped() {
        assert_eq!(scanned("9999999999999999999"), Ok(known(9_999_999_999_999_999_999, 0)));
        assert_eq!(scanned("18446744073709551615"), Ok(known(u64::MAX, 0)));
        assert_eq!(scanned("18446744073709551616"), Err(Fault::TooLarge));
        assert_eq!(scanned("0000000000000000000000042"), Ok(known(42, 0)));
        assert_eq!(scanned("1e300"), Err(Fault::TooLarge));
        for text in ["-99999999999999999999", "-1e300"] {
            assert_eq!(scanned(text).map(|number| number.negative), Ok(true), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["-", "+", ".", "x", "1x", "0x10", "nan", "inf", "--1", "+-1", "1,5", "{3}", "é", "-."] {
            assert_eq!(scanned(text), Err(Fault::NotANumber), "{text}");
        }
    }
}
