//! Tables as comma-separated text (RFC 4180): a header, a line a row, and nothing that depends on
//! the locale.
//!
//! Times are seconds and decimals are numbers with as many digits after the point as the value
//! needs; both are exact. Real numbers have the fewest digits that read back the same. A text with
//! a comma, a quote, a line end or blanks at its ends is quoted, its quotes doubled. An empty cell
//! has nothing between its commas.

use std::io::{self, Write};

use crate::collections::Interval;
use crate::kernel::SimDuration;

use super::table::{Cell, RowSink, RowSource, Table};

/// Bytes gathered before they are written.
const CHUNK: usize = 64 * 1024;

/// Writes a table.
///
/// # Errors
/// What the writer says.
pub fn write(source: &dyn RowSource, out: &mut dyn Write) -> io::Result<()> {
    let table = source.table();
    let mut buffer = Vec::with_capacity(CHUNK + 4096);
    buffer.extend_from_slice(header(&table).as_bytes());
    buffer.push(b'\n');
    let mut csv = Csv { table, out, buffer };
    source.push(&mut csv)?;
    csv.out.write_all(&csv.buffer)
}

/// The first line of a table's file, without its end.
pub fn header(table: &Table) -> String {
    let mut bytes = Vec::new();
    for (place, column) in table.columns.iter().enumerate() {
        if place > 0 {
            bytes.push(b',');
        }
        text(&mut bytes, &column.name);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A text file that is being written.
struct Csv<'a> {
    table: Table,
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
}

impl RowSink for Csv<'_> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        debug_assert!(self.table.takes(cells), "{} has no rows of {cells:?}", self.table.name);
        let buffer = &mut self.buffer;
        for cell in cells {
            put(buffer, *cell);
            buffer.push(b',');
        }
        // the comma behind the last cell
        buffer.pop();
        buffer.push(b'\n');
        if buffer.len() >= CHUNK {
            self.out.write_all(buffer)?;
            buffer.clear();
        }
        Ok(())
    }
}

/// Text of a cell.
pub fn written(cell: Cell<'_>) -> String {
    let mut bytes = Vec::new();
    put(&mut bytes, cell);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Adds a cell.
fn put(buffer: &mut Vec<u8>, cell: Cell<'_>) {
    match cell {
        Cell::Empty => {}
        Cell::Count(value) => integer(buffer, value),
        Cell::Integer(value) => {
            if value < 0 {
                buffer.push(b'-');
            }
            integer(buffer, value.unsigned_abs());
        }
        Cell::Time(span) => seconds(buffer, span),
        Cell::Decimal(units, digits) => decimal(buffer, units, digits),
        // writing into memory cannot fail; no zero has a sign
        Cell::Real(value) => drop(io::Write::write_fmt(buffer, format_args!("{}", value + 0.0))),
        Cell::Word(word) => buffer.extend_from_slice(word.as_bytes()),
        Cell::Text(value) | Cell::Spelled(value) => text(buffer, value),
        Cell::Intervals(parts) => intervals(buffer, parts),
    }
}

/// A text as a field, quoted where it must be.
fn text(buffer: &mut Vec<u8>, text: &str) {
    // all bytes are looked at, many at a time, which is faster than to stop at the first
    let quotes = |found, byte| found | matches!(byte, b',' | b'"' | b'\n' | b'\r');
    // most texts have no blanks at their ends
    let is_trimmed = matches!(text.as_bytes(), [b'!'..=b'~', .., b'!'..=b'~'] | [b'!'..=b'~'] | [])
        || text.trim().len() == text.len();
    if is_trimmed && !text.bytes().fold(false, quotes) {
        buffer.extend_from_slice(text.as_bytes());
        return;
    }
    buffer.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            buffer.push(b'"');
        }
        buffer.push(byte);
    }
    buffer.push(b'"');
}

/// `0-3 7 10-12`
pub(super) fn intervals(buffer: &mut Vec<u8>, intervals: &[Interval]) {
    for (place, interval) in intervals.iter().enumerate() {
        if place > 0 {
            buffer.push(b' ');
        }
        integer(buffer, u64::from(interval.first));
        if interval.last > interval.first {
            buffer.push(b'-');
            integer(buffer, u64::from(interval.last));
        }
    }
}

/// Seconds with as many decimals as the value needs.
fn seconds(buffer: &mut Vec<u8>, span: SimDuration) {
    let nanos = span.as_nanos();
    integer(buffer, nanos / 1_000_000_000);
    decimals(buffer, nanos % 1_000_000_000, 9);
}

/// So many units of 10^-`digits`, with as many decimals as the value needs.
fn decimal(buffer: &mut Vec<u8>, units: u128, digits: u8) {
    let scale = 10_u64.pow(u32::from(digits));
    let (whole, rest) = match u64::try_from(units) {
        Ok(units) => (units / scale, units % scale),
        Err(_) => {
            let scale = u128::from(scale);
            // past 2^64 it is no longer exact
            (u64::try_from(units / scale).unwrap_or(u64::MAX), (units % scale) as u64)
        }
    };
    integer(buffer, whole);
    decimals(buffer, rest, usize::from(digits));
}

/// `rest` in units of 10^-`digits` behind a point, without idle zeros.
fn decimals(buffer: &mut Vec<u8>, mut rest: u64, mut digits: usize) {
    if rest == 0 {
        return;
    }
    while rest.is_multiple_of(10) {
        rest /= 10;
        digits -= 1;
    }
    buffer.push(b'.');
    put_digits(buffer, rest, digits);
}

/// A whole number.
fn integer(buffer: &mut Vec<u8>, value: u64) {
    if value < 10 {
        buffer.push(b'0' + value as u8);
    } else {
        put_digits(buffer, value, value.ilog10() as usize + 1);
    }
}

/// Digits that one step writes.
const AT_ONCE: usize = 8;
/// The least number that has more.
const BEYOND: u64 = 100_000_000;

/// The last `count` digits of a number.
fn put_digits(buffer: &mut Vec<u8>, value: u64, count: usize) {
    if count > AT_ONCE {
        put_digits(buffer, value / BEYOND, count - AT_ONCE);
        buffer.extend_from_slice(&eight_digits(value % BEYOND).to_le_bytes());
        return;
    }
    // all eight are written, as one word, and those too many are taken back: a copy of any length
    // costs more
    let end = buffer.len() + count;
    buffer.extend_from_slice(&(eight_digits(value) >> (8 * (AT_ONCE - count))).to_le_bytes());
    buffer.truncate(end);
}

/// The eight digits of a number below 10^8 as text, the first one in the lowest byte.
///
/// The number is halved three times over, into fours, pairs and single digits, and all parts of a
/// step are divided by one multiplication: `a / 100` is `a * 10486 >> 20` below 10^4, and `a / 10`
/// is `a * 103 >> 10` below 100.
fn eight_digits(value: u64) -> u64 {
    let fours = value / 10_000 + ((value % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds + ((fours - 100 * hundreds) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    let digits = tens + ((pairs - 10 * tens) << 8);
    digits + 0x3030_3030_3030_3030
}

#[cfg(test)]
mod tests {
    use super::super::table::{CellType, Column};
    use super::*;

    /// A table of one column whose rows are these cells.
    struct One<'a>(CellType, &'a [Cell<'a>]);

    impl RowSource for One<'_> {
        fn table(&self) -> Table {
            Table::new("t", "rows", &[Column::new("a, b", self.0, "", "a cell")])
        }

        fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
            self.1.iter().try_for_each(|cell| sink.row(&[*cell]))
        }
    }

    fn written(kind: CellType, cells: &[Cell<'_>]) -> Vec<String> {
        let mut bytes = Vec::new();
        write(&One(kind, cells), &mut bytes).expect("into memory");
        let text = String::from_utf8(bytes).expect("UTF-8");
        let rows = text.strip_prefix("\"a, b\"\n").expect("the header").strip_suffix('\n').expect("an end");
        rows.split('\n').map(str::to_owned).collect()
    }

    #[test]
    fn only_texts_that_need_quotes_have_them() {
        let cells = ["plain", "a, b", "\"x\"", "a\rb", "=cmd", ""].map(Cell::Text);
        assert_eq!(
            written(CellType::Text, &cells),
            ["plain", "\"a, b\"", "\"\"\"x\"\"\"", "\"a\rb\"", "=cmd", ""]
        );
        assert_eq!(written(CellType::Text, &[Cell::Word("head"), Cell::Empty]), ["head", ""]);
        assert_eq!(written(CellType::Text, &[Cell::Text("a\nb")]), ["\"a", "b\""]);
    }

    #[test]
    fn whole_numbers_have_all_their_digits() {
        let counts = [0, 9, 10, 99, 100, 12_345, u64::MAX].map(Cell::Count);
        let texts = ["0", "9", "10", "99", "100", "12345", "18446744073709551615"];
        assert_eq!(written(CellType::Count, &counts), texts);
        let integers = [-1, 0, i64::MIN, i64::MAX].map(Cell::Integer);
        let texts = ["-1", "0", "-9223372036854775808", "9223372036854775807"];
        assert_eq!(written(CellType::Integer, &integers), texts);
    }

    #[test]
    fn whole_numbers_are_those_of_the_standard_library() {
        let powers = (0..20).map(|digits| 10_u64.pow(digits));
        let numbers = powers.flat_map(|power| [power - 1, power, power + 1, power / 7 * 9, power / 81 * 10]);
        let numbers = numbers.chain((0..10_000).map(|number| number * 10_007)).collect::<Vec<u64>>();
        let cells: Vec<Cell<'_>> = numbers.iter().copied().map(Cell::Count).collect();
        let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
        assert_eq!(written(CellType::Count, &cells), texts);
    }

    #[test]
    fn times_keep_every_nanosecond() {
        let spans = [0, 1, 1_000_000_001, 12_340_000_000, u64::MAX];
        let cells = spans.map(|nanos| Cell::Time(SimDuration::from_nanos(nanos)));
        assert_eq!(
            written(CellType::Time, &cells),
            ["0", "0.000000001", "1.000000001", "12.34", "18446744073.709551615"]
        );
    }

    #[test]
    fn decimals_have_no_idle_zeros() {
        let written = |digits, units: &[u128]| {
            let cells: Vec<Cell<'_>> = units.iter().map(|units| Cell::Decimal(*units, digits)).collect();
            written(CellType::Decimal(digits), &cells)
        };
        assert_eq!(written(0, &[0, 17, u128::from(u64::MAX)]), ["0", "17", "18446744073709551615"]);
        assert_eq!(written(6, &[1_500_000, 1, 1_666_667]), ["1.5", "0.000001", "1.666667"]);
        assert_eq!(
            written(12, &[0, 1_000_000_000_001, 30_060_500_000_000_000]),
            ["0", "1.000000000001", "30060.5"]
        );
        let wide = u128::from(u64::MAX) * 1_000_000 + 50_000;
        assert_eq!(written(6, &[wide]), ["18446744073709551615.05"]);
    }

    #[test]
    fn reals_are_short_and_spelled_numbers_stay_as_they_are() {
        let cells = [Cell::Real(0.1), Cell::Real(1.0), Cell::Real(1e21), Cell::Spelled("1e3"), Cell::Empty];
        assert_eq!(written(CellType::Real, &cells), ["0.1", "1", "1000000000000000000000", "1e3", ""]);
        assert_eq!(written(CellType::Real, &[Cell::Real(-0.0)]), ["0"]);
    }

    #[test]
    fn intervals_of_one_are_single_numbers() {
        let parts = [Interval::new(0, 3), Interval::new(7, 7), Interval::new(10, 12)];
        assert_eq!(
            written(CellType::Intervals, &[Cell::Intervals(&parts), Cell::Intervals(&[])]),
            ["0-3 7 10-12", ""]
        );
    }

    #[test]
    fn long_tables_are_written_in_parts() {
        let cells = vec![Cell::Count(1_234_567); CHUNK / 4];
        assert!(written(CellType::Count, &cells).iter().all(|row| row == "1234567"));
    }
}
