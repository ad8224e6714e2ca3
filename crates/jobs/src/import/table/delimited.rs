//! Rows of tables of comma-separated and tab-separated values (RFC 4180).
//!
//! The text is read as a stream. A row is at most as long as any line; of what was read the last
//! blocks are kept, in which the place of a cell is found when there is something to say about it.

use std::io::{self, Read};

use csv::ByteRecord;
use csv::ReaderBuilder;

use crate::registry::Problem;
use crate::registry::code;
use crate::text::{Broken, LONGEST_LINE, Place};

use super::cell::{Cell, trimmed};
use super::input::{Input, TextBytes};
use super::mapping::Mapping;
use super::names;
use super::row::{CellPosition, Row, Take};

/// Bytes read at a time.
const BLOCK: usize = 1 << 16;

/// Form of a table of separated values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<'a> {
    /// The byte between two cells.
    pub(super) delimiter: u8,
    /// Names of the columns of a table without a line of them.
    pub(super) names: Option<&'a [String]>,
}

/// A reader that keeps the last bytes it passed on.
struct Tail<'a> {
    text: TextBytes<'a>,
    /// The last two blocks, and how many bytes were read before each.
    older: Vec<u8>,
    newer: Vec<u8>,
    /// Bytes read before the older block.
    before: u64,
    /// Bytes that the row has so far, all of them blocks.
    of_row: usize,
}

impl Read for Tail<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.of_row > LONGEST_LINE {
            self.text.failed = Some(Broken::LongLine);
            return Err(io::Error::other("long"));
        }
        let count = self.text.read(room)?;
        self.of_row += count;
        if self.newer.len() + count > BLOCK {
            self.before += self.older.len() as u64;
            std::mem::swap(&mut self.older, &mut self.newer);
            self.newer.clear();
        }
        self.newer.extend_from_slice(&room[..count]);
        Ok(count)
    }
}

impl Tail<'_> {
    /// The bytes from `at` on, as far as they are kept.
    fn from(&self, at: u64) -> Option<Vec<u8>> {
        let whole = [&self.older[..], &self.newer[..]].concat();
        let skip = usize::try_from(at.checked_sub(self.before)?).ok()?;
        whole.get(skip..).map(<[u8]>::to_vec)
    }
}

/// A row of a table, and what its place is found in.
struct SeparatedRow<'r, 'a> {
    record: &'r ByteRecord,
    tail: &'r Tail<'a>,
    /// Column of each slot, if the table has it.
    columns: &'r [Option<usize>],
    delimiter: u8,
}

impl Row for SeparatedRow<'_, '_> {
    fn cell(&self, slot: usize) -> Cell<'_> {
        let column = self.columns.get(slot).copied().flatten();
        column.and_then(|column| self.record.get(column)).map_or(Cell::Absent, Cell::Text)
    }

    fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    fn position(&self, slot: usize) -> CellPosition {
        let column = self.columns.get(slot).copied().flatten();
        let place = column.and_then(|column| place_of(self.record, self.tail, column, self.delimiter));
        place.map_or(CellPosition::InRow(self.line()), |place| CellPosition::Placed(Box::new(place)))
    }
}

/// The place of a cell of a row, from the text that was kept.
fn place_of(record: &ByteRecord, tail: &Tail<'_>, column: usize, delimiter: u8) -> Option<Place> {
    let position = record.position()?;
    let mut text = tail.from(position.byte())?;
    let mut line = position.line();
    // the end of the line before may be counted as the beginning of this row
    let blank = text.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    text.drain(..blank);
    // of the cell: where it starts, in which line, and where that begins
    let mut cell = (0, line, 0);
    let (mut at, mut begins, mut cells, mut quoted) = (0, 0, 0, false);
    for &byte in &text {
        match byte {
            // a quote in a cell that does not begin with one is a letter of it
            b'"' if text[cell.0] == b'"' => quoted = !quoted,
            b'\n' if quoted => {
                line += 1;
                begins = at + 1;
            }
            b'\n' | b'\r' if !quoted => break,
            _ if byte == delimiter && !quoted => {
                if cells == column {
                    break;
                }
                cells += 1;
                cell = (at + 1, line, begins);
            }
            _ => {}
        }
        at += 1;
    }
    if cells < column {
        cell = (at, line, begins);
    }
    let (start, line, begins) = cell;
    let whole = text[begins..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
    let end = at.min(begins + whole.len()).max(start);
    Some(Place::new(line, whole, start - begins, end - start))
}

/// Reads a table; `take` is given each row, and what is wrong with the number of its cells.
/// Returns the number of rows.
///
/// # Errors
/// A damaged text, with the place.
pub(super) fn read(
    input: Input<'_>,
    form: Form<'_>,
    mapping: &Mapping,
    take: &mut Take<'_>,
) -> Result<u64, Problem> {
    let tail = Tail { text: input.text()?, older: Vec::new(), newer: Vec::new(), before: 0, of_row: 0 };
    let mut reader = ReaderBuilder::new()
        .delimiter(form.delimiter)
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(BLOCK)
        .from_reader(tail);
    let mut record = ByteRecord::new();
    let mut columns: Option<(Vec<Option<usize>>, usize)> = None;
    if let Some(own) = form.names {
        columns = Some((names::places(own, mapping)?, own.len()));
    }
    let mut rows = 0;
    loop {
        reader.get_mut().of_row = 0;
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let failed = reader.get_mut().text.failed.take();
                return Err(broken(failed.unwrap_or_else(|| Broken::Io(error.to_string()))));
            }
        }
        let tail = reader.get_ref();
        let Some((columns, count)) = &columns else {
            columns = Some((header(&record, tail, form.delimiter, mapping)?, record.len()));
            continue;
        };
        rows += 1;
        if record.len() != *count {
            take.refuse(|| misshapen(&record, tail, *count, form.delimiter));
            continue;
        }
        let row = SeparatedRow { record: &record, tail, columns, delimiter: form.delimiter };
        if take.row(&row).is_break() {
            break;
        }
    }
    if rows == 0 {
        let message = if columns.is_some() && form.names.is_none() {
            "the table holds the names of columns and no row"
        } else {
            "the table is empty"
        };
        return Err(Problem::new(code::NO_JOBS, message));
    }
    Ok(rows)
}

/// Reason that a text ends before its end.
fn broken(broken: Broken) -> Problem {
    match broken {
        Broken::LongLine => Problem::new(code::TABLE, format!("{broken}, or a cell of several lines is"))
            .help("this may be no table; or a cell begins with a quote that is not closed"),
        other => other.into(),
    }
}

/// The cells of a first line as texts.
fn texts(record: &ByteRecord) -> Vec<String> {
    let text = |(at, cell): (usize, &[u8])| {
        let cell = if at == 0 { cell.strip_prefix(b"\xef\xbb\xbf").unwrap_or(cell) } else { cell };
        String::from_utf8_lossy(trimmed(cell)).into_owned()
    };
    record.iter().enumerate().map(text).collect()
}

/// The cells of the first line, which may be names of columns.
///
/// # Errors
/// The text cannot be read.
pub(super) fn first_line(input: Input<'_>, delimiter: u8) -> Result<Vec<String>, Problem> {
    let tail = Tail { text: input.text()?, older: Vec::new(), newer: Vec::new(), before: 0, of_row: 0 };
    let mut reader = ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(tail);
    let mut record = ByteRecord::new();
    match reader.read_byte_record(&mut record) {
        Ok(_) => Ok(texts(&record)),
        Err(error) => {
            let failed = reader.get_mut().text.failed.take();
            Err(broken(failed.unwrap_or_else(|| Broken::Io(error.to_string()))))
        }
    }
}

/// The column of each slot, from the line of names.
fn header(
    record: &ByteRecord,
    tail: &Tail<'_>,
    delimiter: u8,
    mapping: &Mapping,
) -> Result<Vec<Option<usize>>, Problem> {
    let known = texts(record);
    let line = || {
        let mut place = place_of(record, tail, 0, delimiter)?;
        place.range = 0..place.text.len();
        Some(place)
    };
    let placed = |problem: Problem| match line() {
        Some(place) => problem.at(place),
        None => problem,
    };
    let places = names::places(&known, mapping).map_err(placed)?;
    for (slot, column) in places.iter().enumerate().filter_map(|(slot, place)| Some((slot, (*place)?))) {
        let path = &mapping.paths[slot];
        if path.counts {
            let message = format!(
                "`{}` counts the values of a list, and a cell of this table is one text",
                path.written
            );
            let problem = Problem::new(code::TABLE, message)
                .help(format!("name the column, \"{}\", if its cells are numbers", path.column));
            return Err(match place_of(record, tail, column, delimiter) {
                Some(place) => problem.at(place),
                None => problem,
            });
        }
    }
    for (slot, first) in places.iter().enumerate().filter_map(|(slot, place)| Some((slot, (*place)?))) {
        let again = known.iter().skip(first + 1).position(|name| *name == known[first]);
        if let Some(again) = again {
            let name = &mapping.paths[slot].column;
            let message = format!("two columns are called `{name}`, and the scenario means one");
            let problem = Problem::new(code::TABLE, message).help("rename one of them");
            return Err(match place_of(record, tail, first + 1 + again, delimiter) {
                Some(place) => problem.at(place),
                None => problem,
            });
        }
    }
    Ok(places)
}

/// A row has more cells than there are columns, or fewer.
fn misshapen(record: &ByteRecord, tail: &Tail<'_>, count: usize, delimiter: u8) -> Problem {
    let found = record.len();
    let message = format!("the table has {count} columns, this row has {found} cells");
    let problem = Problem::new(code::TABLE, message).help(if found < count {
        "the file may have been cut short, or a cell holds a quote that is not closed"
    } else {
        "a cell that holds the sign between cells stands in quotes"
    });
    match place_of(record, tail, found.min(count).saturating_sub(usize::from(found <= count)), delimiter) {
        Some(place) => problem.at(place),
        None => problem,
    }
}
