//! Comma-separated values (RFC 4180), read row by row without a copy, each cell with its place.
//!
//! A row is the text up to a line end; the cells of a row are the texts between its commas, without
//! blanks around them. A cell that begins with a quote ends with the next one that is not doubled,
//! and may hold commas, line ends, blanks and doubled quotes. Lines end with LF or CRLF, and a byte
//! order mark is passed over. Of a table that people write ([`Reader::with_comments`]) lines that
//! are blank, and lines that begin with `#`, count for nothing.
//!
//! A row is at most [`LONGEST_LINE`](crate::text::LONGEST_LINE) long and has at most [`MOST_CELLS`]
//! cells. What is no CSV is a quote that is left open, and text behind a quote that is closed: a
//! [`Mistake`] with its place, after which nothing more is read, as it is not certain what follows.
//!
//! The text is in memory, bounded as all that is read whole, or comes in parts ([`each_row`]); rows
//! come one by one. Reading allocates nothing per row or cell: a [`Row`] is read into again and
//! again, and a [`Field`] is a piece of the text. Only [`Field::text`] of a cell with doubled
//! quotes is a copy.

mod parts;
mod reader;
mod row;
mod table;
#[cfg(test)]
mod tests;

use crate::text::Place;

pub use parts::{Stopped, each_row};
pub use reader::Reader;
pub use row::{Field, Row};
pub use table::Table;

/// The most cells of a row.
pub const MOST_CELLS: usize = 1 << 20;

/// Kind of a mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The text is no CSV.
    Form,
    /// A column is missing.
    Missing,
    /// A column is there twice.
    Twice,
}

/// Mistakes of a table, where, and how to mend it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Of what kind it is.
    pub fault: Fault,
    /// Message, in one line without a full stop.
    pub message: String,
    /// Remedy.
    pub help: String,
    /// Place of the mistake.
    pub place: Place,
}
