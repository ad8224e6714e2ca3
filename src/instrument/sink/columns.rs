//! A table as columns: what it takes to write rows as a Parquet file, without knowing the format.
//!
//! A column is a name and what it takes from a row. Rows are asked for their cells one column at a time, in groups, so
//! what lies in memory is one column of one group, however long the table is.
//!
//! The format is behind the feature `parquet`, which is off in a plain build: its library doubles the time to compile. A
//! scenario that asks for such a file is then refused before it is run ([`AVAILABLE`]). Tables are declared in
//! every build, so that their names and types cannot fall behind unseen.

use std::io::{self, Write};

/// Whether this build can write Parquet files.
pub const AVAILABLE: bool = cfg!(feature = "parquet");

/// A column of a table with rows `R`.
pub struct Column<'a, R> {
    /// What readers call it.
    pub name: String,
    /// What stands in it.
    pub cells: Cells<'a, R>,
}

/// Takes a value from a row; `None` is null.
type Cell<'a, R, V> = Box<dyn Fn(&R) -> Option<V> + 'a>;

/// Appends the text of a row, in UTF-8, and tells whether there is one.
type Text<'a, R> = Box<dyn Fn(&R, &mut Vec<u8>) -> bool + 'a>;

/// What a column takes from a row.
pub enum Cells<'a, R> {
    /// Numbers that count or name things.
    Count(Cell<'a, R, u64>),
    /// Whole numbers.
    Whole(Cell<'a, R, i64>),
    /// Real numbers.
    Real(Cell<'a, R, f64>),
    /// Texts.
    Text(Text<'a, R>),
}

impl<'a, R> Column<'a, R> {
    /// A column of numbers that count or name things.
    pub fn count(name: &str, cell: impl Fn(&R) -> Option<u64> + 'a) -> Self {
        Column { name: name.to_owned(), cells: Cells::Count(Box::new(cell)) }
    }

    /// A column of whole numbers.
    pub fn whole(name: &str, cell: impl Fn(&R) -> Option<i64> + 'a) -> Self {
        Column { name: name.to_owned(), cells: Cells::Whole(Box::new(cell)) }
    }

    /// A column of real numbers.
    pub fn real(name: &str, cell: impl Fn(&R) -> Option<f64> + 'a) -> Self {
        Column { name: name.to_owned(), cells: Cells::Real(Box::new(cell)) }
    }

    /// A column of texts; `cell` appends one and tells whether there is one.
    pub fn text(name: &str, cell: impl Fn(&R, &mut Vec<u8>) -> bool + 'a) -> Self {
        Column { name: name.to_owned(), cells: Cells::Text(Box::new(cell)) }
    }
}

/// Writes `rows` as a Parquet file.
///
/// # Errors
/// What the writer says; [`io::ErrorKind::Unsupported`] if this build cannot ([`AVAILABLE`]).
#[cfg(feature = "parquet")]
pub fn write_columns<R>(
    columns: &[Column<'_, R>],
    rows: &[R],
    out: &mut (impl Write + Send),
) -> io::Result<()> {
    super::parquet_file::write(columns, rows, super::parquet_file::GROUP, out)
}

/// Writes `rows` as a Parquet file: not in this build.
///
/// # Errors
/// [`io::ErrorKind::Unsupported`].
#[cfg(not(feature = "parquet"))]
pub fn write_columns<R>(_: &[Column<'_, R>], _: &[R], _: &mut (impl Write + Send)) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this build has no feature `parquet`"))
}
