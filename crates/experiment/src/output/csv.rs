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
/// Bytes for which there is always room: no cell but a text or a list has more, and a separator
/// behind it.
const ROOM: usize = 64;

/// Writes a table.
///
/// # Errors
/// What the writer says.
pub fn write(source: &dyn RowSource, out: &mut dyn Write) -> io::Result<()> {
    let table = source.table();
    let mut gathered = Gathered::with_room_for(CHUNK + 4096);
    gathered.put_all(header(&table).as_bytes());
    gathered.push(b'\n');
    let mut csv = Csv { table, out, gathered };
    source.push(&mut csv)?;
    csv.out.write_all(csv.gathered.bytes())
}

/// The first line of a table's file, without its end.
pub fn header(table: &Table) -> String {
    let mut line = Gathered::with_room_for(ROOM);
    for (place, column) in table.columns.iter().enumerate() {
        if place > 0 {
            line.push(b',');
        }
        text(&mut line, &column.name);
    }
    String::from_utf8_lossy(line.bytes()).into_owned()
}

/// A text file that is being written.
struct Csv<'a> {
    table: Table,
    out: &'a mut dyn Write,
    gathered: Gathered,
}

impl RowSink for Csv<'_> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        debug_assert!(self.table.takes(cells), "{} has no rows of {cells:?}", self.table.name);
        let gathered = &mut self.gathered;
        for (place, cell) in cells.iter().enumerate() {
            if place > 0 {
                gathered.push(b',');
            }
            put(gathered, *cell);
        }
        gathered.push(b'\n');
        if gathered.length >= CHUNK {
            self.out.write_all(gathered.bytes())?;
            gathered.length = 0;
        }
        Ok(())
    }
}

/// Bytes one behind the other, with room for [`ROOM`] more.
///
/// The memory is there and only its used part grows, as a check whether there is room is dearer
/// than most cells.
struct Gathered {
    memory: Vec<u8>,
    length: usize,
}

impl Gathered {
    fn with_room_for(bytes: usize) -> Self {
        Gathered { memory: vec![0; bytes + ROOM], length: 0 }
    }

    fn bytes(&self) -> &[u8] {
        &self.memory[..self.length]
    }

    /// Adds a byte.
    #[inline]
    fn push(&mut self, byte: u8) {
        self.memory[self.length] = byte;
        self.length += 1;
    }

    /// Adds the lowest `count` bytes of a word.
    #[inline]
    fn put_word(&mut self, word: u64, count: usize) {
        // all eight are written: a copy of any length costs more
        self.memory[self.length..][..AT_ONCE].copy_from_slice(&word.to_le_bytes());
        self.length += count;
    }

    /// Adds bytes of any number.
    #[inline]
    fn put_all(&mut self, bytes: &[u8]) {
        self.make_room(bytes.len());
        self.memory[self.length..][..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Makes room for so many bytes beyond those for which there always is.
    #[inline]
    fn make_room(&mut self, more: usize) {
        let needed = self.length + more + ROOM;
        if needed > self.memory.len() {
            self.memory.resize(needed.next_power_of_two(), 0);
        }
    }
}

impl Write for Gathered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Text of a cell.
pub fn written(cell: Cell<'_>) -> String {
    let mut gathered = Gathered::with_room_for(ROOM);
    put(&mut gathered, cell);
    String::from_utf8_lossy(gathered.bytes()).into_owned()
}

/// Adds a cell.
#[inline]
fn put(to: &mut Gathered, cell: Cell<'_>) {
    to.make_room(0);
    match cell {
        Cell::Empty => {}
        Cell::Count(value) => integer(to, value),
        Cell::Integer(value) => {
            if value < 0 {
                to.push(b'-');
            }
            integer(to, value.unsigned_abs());
        }
        Cell::Time(span) => seconds(to, span),
        Cell::Decimal(units, digits) => decimal(to, units, digits),
        // writing into memory cannot fail; no zero has a sign
        Cell::Real(value) => drop(to.write_fmt(format_args!("{}", value + 0.0))),
        Cell::Word(word) => to.put_all(word.as_bytes()),
        Cell::Text(value) | Cell::Spelled(value) => text(to, value),
        Cell::Intervals(parts) => intervals(to, parts),
    }
}

/// A text as a field, quoted where it must be.
fn text(to: &mut Gathered, text: &str) {
    // all bytes are looked at, many at a time, which is faster than to stop at the first
    let quotes = |found, byte| found | matches!(byte, b',' | b'"' | b'\n' | b'\r');
    // most texts have no blanks at their ends
    let is_trimmed = matches!(text.as_bytes(), [b'!'..=b'~', .., b'!'..=b'~'] | [b'!'..=b'~'] | [])
        || text.trim().len() == text.len();
    if is_trimmed && !text.bytes().fold(false, quotes) {
        return to.put_all(text.as_bytes());
    }
    to.make_room(2 * text.len() + 2);
    to.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            to.push(b'"');
        }
        to.push(byte);
    }
    to.push(b'"');
}

/// `0-3 7 10-12`
fn intervals(to: &mut Gathered, intervals: &[Interval]) {
    for (place, interval) in intervals.iter().enumerate() {
        to.make_room(0);
        if place > 0 {
            to.push(b' ');
        }
        integer(to, u64::from(interval.first));
        if interval.last > interval.first {
            to.push(b'-');
            integer(to, u64::from(interval.last));
        }
    }
}

/// Seconds with as many decimals as the value needs.
#[inline]
fn seconds(to: &mut Gathered, span: SimDuration) {
    let nanos = span.as_nanos();
    integer(to, nanos / 1_000_000_000);
    decimals(to, nanos % 1_000_000_000, 9);
}

/// So many units of 10^-`digits`, with as many decimals as the value needs.
fn decimal(to: &mut Gathered, units: u128, digits: u8) {
    let scale = 10_u64.pow(u32::from(digits));
    let (whole, rest) = match u64::try_from(units) {
        Ok(units) => (units / scale, units % scale),
        Err(_) => {
            let scale = u128::from(scale);
            // past 2^64 it is no longer exact
            (u64::try_from(units / scale).unwrap_or(u64::MAX), (units % scale) as u64)
        }
    };
    integer(to, whole);
    decimals(to, rest, usize::from(digits));
}

/// `rest` in units of 10^-`digits` behind a point, without idle zeros.
#[inline]
fn decimals(to: &mut Gathered, mut rest: u64, mut digits: usize) {
    if rest == 0 {
        return;
    }
    while rest.is_multiple_of(10) {
        rest /= 10;
        digits -= 1;
    }
    to.push(b'.');
    if digits > 2 * AT_ONCE {
        digits_of(to, rest / BEYOND / BEYOND, digits - 2 * AT_ONCE);
    }
    if digits > AT_ONCE {
        digits_of(to, rest / BEYOND % BEYOND, (digits - AT_ONCE).min(AT_ONCE));
    }
    digits_of(to, rest % BEYOND, digits.min(AT_ONCE));
}

/// A whole number.
#[inline]
fn integer(to: &mut Gathered, value: u64) {
    if value < 10 {
        to.push(b'0' + value as u8);
    } else if value < BEYOND {
        let digits = eight_digits(value);
        // zeros before the first digit
        let idle = ((digits ^ ZEROS).trailing_zeros() / 8) as usize;
        to.put_word(digits >> (8 * idle), AT_ONCE - idle);
    } else {
        long_integer(to, value);
    }
}

/// A whole number of more than eight digits.
fn long_integer(to: &mut Gathered, value: u64) {
    integer(to, value / BEYOND);
    digits_of(to, value % BEYOND, AT_ONCE);
}

/// Digits that one step writes.
const AT_ONCE: usize = 8;
/// The least number that has more.
const BEYOND: u64 = 100_000_000;
/// Eight digits 0.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The last `count` digits of a number below 10^8.
#[inline]
fn digits_of(to: &mut Gathered, value: u64, count: usize) {
    to.put_word(eight_digits(value) >> (8 * (AT_ONCE - count)), count);
}

/// The eight digits of a number below 10^8 as text, the first one in the lowest byte.
///
/// The number is halved three times over, into fours, pairs and single digits, and all parts of a
/// step are divided by one multiplication: `a / 100` is `a * 10486 >> 20` below 10^4, and `a / 10`
/// is `a * 103 >> 10` below 100.
#[inline]
fn eight_digits(value: u64) -> u64 {
    let fours = value / 10_000 + ((value % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let pairs = hundreds + ((fours - 100 * hundreds) << 16);
    let tens = ((pairs * 103) >> 10) & 0x000F_000F_000F_000F;
    let digits = tens + ((pairs - 10 * tens) << 8);
    digits + ZEROS
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
