//! Rows of tables of comma-separated and tab-separated values (RFC 4180).
//!
//! The text is read as a stream, a row at a time ([`split`](super::split)); the place of a cell is
//! found in the row when there is something to say about it.

use crate::collections::OrderedMap;
use crate::registry::Problem;
use crate::registry::code;
use crate::text::{Broken, Place};

use super::cell::{Cell, trimmed};
use super::input::Input;
use super::mapping::Mapping;
use super::names;
use super::row::{CellPosition, Row, Take};
use super::split::SplitRows;

/// Form of a table of separated values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<'a> {
    /// The byte between two cells.
    pub(super) delimiter: u8,
    /// Names of the columns of a table without a line of them.
    pub(super) names: Option<&'a [String]>,
}

/// A row of a table.
struct SeparatedRow<'r, 'a> {
    rows: &'r SplitRows<'a>,
    /// Column of each slot, if the table has it.
    columns: &'r [Option<usize>],
    delimiter: u8,
}

impl Row for SeparatedRow<'_, '_> {
    fn cell(&self, slot: usize) -> Cell<'_> {
        let column = self.columns.get(slot).copied().flatten();
        column.and_then(|column| self.rows.cell(column)).map_or(Cell::Absent, Cell::Text)
    }

    fn line(&self) -> u64 {
        self.rows.line()
    }

    fn position(&self, slot: usize) -> CellPosition {
        match self.columns.get(slot).copied().flatten() {
            Some(column) => CellPosition::Placed(Box::new(place_of(self.rows, column, self.delimiter))),
            None => {
                let mut place = place_of(self.rows, 0, self.delimiter);
                place.width = self.rows.raw().split(|&byte| byte == b'\n').next().map_or(0, <[u8]>::len);
                place.range = 0..place.text.len();
                CellPosition::Placed(Box::new(place))
            }
        }
    }
}

/// The place of a cell of a row.
fn place_of(rows: &SplitRows<'_>, column: usize, delimiter: u8) -> Place {
    let (text, mut line) = (rows.raw(), rows.line());
    // of the cell: where it starts, in which line, and where that begins
    let mut cell = (0, line, 0);
    let (mut at, mut begins, mut cells) = (0, 0, 0);
    // a quote is a letter in a cell that does not begin with one, and behind that which ends it
    let (mut quoted, mut is_ended) = (false, false);
    for &byte in text {
        match byte {
            b'"' if quoted => (quoted, is_ended) = (false, true),
            // at its beginning, or the second of two
            b'"' if at == cell.0 || is_ended => (quoted, is_ended) = (true, false),
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
                is_ended = false;
            }
            _ => is_ended = false,
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
    Place::new(line, whole, start - begins, end - start)
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
    let delimiter = form.delimiter;
    let mut rows = SplitRows::new(input.text()?, delimiter);
    let (columns, count) = match form.names {
        Some(own) => {
            let places = names::places(own, mapping)?;
            if let Some((_, problem)) = names::counted(mapping, |slot| places[slot].is_some()) {
                return Err(problem);
            }
            (places, own.len())
        }
        None if advance(&mut rows)? => (header(&rows, delimiter, mapping)?, rows.count()),
        None => return Err(Problem::new(code::NO_JOBS, "the table is empty")),
    };
    rows.want(columns.iter().flatten().max().map_or(0, |last| last + 1));
    let mut read = 0;
    while advance(&mut rows)? {
        read += 1;
        if rows.count() != count {
            take.refuse(|| misshapen(&rows, count, delimiter));
            continue;
        }
        if take.row(&SeparatedRow { rows: &rows, columns: &columns, delimiter }).is_break() {
            break;
        }
    }
    if read == 0 {
        let message = match form.names {
            None => "the table holds the names of columns and no row",
            Some(_) => "the table is empty",
        };
        return Err(Problem::new(code::NO_JOBS, message));
    }
    Ok(read)
}

/// Goes to the next row; false if there is none.
///
/// # Errors
/// The text is damaged, or the row is too long: at its place.
fn advance(rows: &mut SplitRows<'_>) -> Result<bool, Problem> {
    rows.advance().map_err(|broken| match broken {
        Broken::LongLine => Problem::new(code::TABLE, format!("{broken}, or a cell of several lines is"))
            .help("this may be no table; or a cell begins with a quote that is not closed")
            .at(Place::new(rows.line(), rows.unread(), 0, 1)),
        other => other.into(),
    })
}

/// The cells of a first line as texts.
fn texts(rows: &SplitRows<'_>) -> Vec<String> {
    let text = |column| {
        let cell = rows.cell(column).unwrap_or_default();
        let cell = if column == 0 { cell.strip_prefix(b"\xef\xbb\xbf").unwrap_or(cell) } else { cell };
        String::from_utf8_lossy(trimmed(cell)).into_owned()
    };
    (0..rows.count()).map(text).collect()
}

/// The cells of the first line, which may be names of columns.
///
/// # Errors
/// The text cannot be read.
pub(super) fn first_line(input: Input<'_>, delimiter: u8) -> Result<Vec<String>, Problem> {
    let mut rows = SplitRows::new(input.text()?, delimiter);
    let is_there = advance(&mut rows)?;
    Ok(if is_there { texts(&rows) } else { Vec::new() })
}

/// The column of each slot, from the line of names.
fn header(rows: &SplitRows<'_>, delimiter: u8, mapping: &Mapping) -> Result<Vec<Option<usize>>, Problem> {
    let known = texts(rows);
    let placed = |problem: Problem| {
        let mut place = place_of(rows, 0, delimiter);
        place.range = 0..place.text.len();
        problem.at(place)
    };
    let places = names::places(&known, mapping).map_err(placed)?;
    if let Some((slot, problem)) = names::counted(mapping, |slot| places[slot].is_some()) {
        return Err(problem.at(place_of(rows, places[slot].unwrap_or(0), delimiter)));
    }
    let mut meant: OrderedMap<&str, (usize, usize)> = OrderedMap::new();
    for (slot, first) in places.iter().enumerate().filter_map(|(slot, place)| Some((slot, (*place)?))) {
        meant.entry(&known[first]).or_insert((slot, first));
    }
    for (column, name) in known.iter().enumerate() {
        if let Some((slot, _)) = meant.get(name.as_str()).filter(|(_, first)| *first != column) {
            let name = &mapping.paths[*slot].column;
            let message = format!("two columns are called `{name}`, and the scenario means one");
            let problem = Problem::new(code::TABLE, message).help("rename one of them");
            return Err(problem.at(place_of(rows, column, delimiter)));
        }
    }
    Ok(places)
}

/// A row has more cells than there are columns, or fewer.
fn misshapen(rows: &SplitRows<'_>, count: usize, delimiter: u8) -> Problem {
    let found = rows.count();
    let message = format!("the table has {count} columns, this row has {found} cells");
    let problem = Problem::new(code::TABLE, message).help(if found < count {
        "the file may have been cut short, or a cell holds a quote that is not closed"
    } else {
        "a cell that holds the sign between cells stands in quotes"
    });
    let column = found.min(count).saturating_sub(usize::from(found <= count));
    problem.at(place_of(rows, column, delimiter))
}
