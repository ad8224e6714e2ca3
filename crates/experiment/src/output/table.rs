//! Tables: their declaration, their rows, and the interfaces that make and take them.
//!
//! The declaration is data: it can be listed, explained and checked without a run. Columns that
//! only some runs have are put into it when it is made. The type of a column says which cells it
//! takes; any cell may be empty. A cell of a column of decimals or reals may also be a whole
//! number: -1 for "not known".

use std::borrow::Cow;
use std::io;

use crate::collections::Interval;
use crate::kernel::stats::ratio;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::definition::Definition;

/// A table: its name, what its rows are, and its columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The name of its files, without an extension.
    pub name: &'static str,
    /// Meaning of a row, and the runs that have any, in one line without a full stop.
    pub about: &'static str,
    /// Columns, in their order.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Name for readers.
    pub name: Cow<'static, str>,
    /// Type of its cells.
    pub kind: CellType,
    /// Unit; empty for texts, counts and ratios.
    pub unit: &'static str,
    /// Meaning, in one line without a full stop.
    pub about: Cow<'static, str>,
}

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellType {
    /// Whole numbers from 0: they count or name things.
    Count,
    /// Whole numbers.
    Integer,
    /// Instants and spans, exact to the nanosecond, in seconds.
    Time,
    /// Exact numbers with at most so many decimals.
    Decimal(u8),
    /// Real numbers in double precision.
    Real,
    /// Texts.
    Text,
    /// Texts, of which there are few: words of the program, or names that many rows share.
    Category,
    /// Intervals of whole numbers, as in `0-3 7`.
    Intervals,
}

/// Cell of a row under one column.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Cell<'a> {
    /// Nothing: not observed, or does not apply.
    #[default]
    Empty,
    /// A whole number from 0.
    Count(u64),
    /// A whole number.
    Integer(i64),
    /// A span, or an instant as the span from the start of simulated time.
    Time(SimDuration),
    /// So many units of 10^-digits: 1500 and 3 is 1.5.
    Decimal(u128, u8),
    /// A real number.
    Real(f64),
    /// A word of the program itself, which needs no quotes.
    Word(&'a str),
    /// Any text.
    Text(&'a str),
    /// A number in the spelling of the scenario's author, which text files keep.
    Spelled(&'a str),
    /// Intervals in ascending order.
    Intervals(&'a [Interval]),
}

/// Takes the rows of a table.
pub trait RowSink {
    /// Takes the next row: a cell for each column, in their order.
    ///
    /// # Errors
    /// What the writer below says.
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;
}

/// Has a table: declares it and makes its rows.
pub trait RowSource {
    /// The declaration, with the columns that this run has.
    fn table(&self) -> Table;

    /// Pushes every row, in order.
    ///
    /// # Errors
    /// What the sink says.
    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()>;
}

impl Table {
    /// A table of these columns.
    pub fn new(name: &'static str, about: &'static str, columns: &[Column]) -> Self {
        Table { name, about, columns: columns.to_vec() }
    }

    /// The same with more columns behind the others.
    #[must_use]
    pub fn with(mut self, columns: impl IntoIterator<Item = Column>) -> Self {
        self.columns.extend(columns);
        self
    }

    /// The place of the first of these columns that it has.
    pub fn place(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.columns.iter().position(|column| column.name == *name))
    }

    /// Returns true if a row has a cell for each column, of its type.
    pub(super) fn takes(&self, cells: &[Cell<'_>]) -> bool {
        cells.len() == self.columns.len()
            && self.columns.iter().zip(cells).all(|(column, cell)| column.kind.takes(cell))
    }

    /// Definitions of its text file and of the columns: `jobs.csv`, `jobs.csv.stretch`.
    pub fn definitions(&self) -> Vec<Definition> {
        let name = format!("{}.csv", self.name);
        let columns = self.columns.iter().map(|column| {
            let unit = if column.unit.is_empty() { String::new() } else { format!(" [{}]", column.unit) };
            let about = format!("{}{unit}", column.about);
            Definition::new("column", format!("{name}.{}", column.name), about)
                .fact("type", column.kind.about())
        });
        let columns: Vec<Definition> = columns.collect();
        [vec![Definition::new("file", name, self.about)], columns].concat()
    }
}

impl Column {
    /// A column with this name, type, unit and meaning.
    pub const fn new(name: &'static str, kind: CellType, unit: &'static str, about: &'static str) -> Self {
        Column { name: Cow::Borrowed(name), kind, unit, about: Cow::Borrowed(about) }
    }

    /// A column whose name is found at run time.
    pub fn named(name: String, kind: CellType, unit: &'static str, about: &'static str) -> Self {
        Column { name: Cow::Owned(name), ..Column::new("", kind, unit, about) }
    }
}

/// Declares columns, a line each: name, type, unit, meaning.
#[doc(hidden)]
#[macro_export]
macro_rules! __columns {
    ($($name:literal $kind:ident $(($digits:literal))? $unit:literal, $about:literal;)*) => {
        [$($crate::output::Column::new($name, $crate::output::CellType::$kind $(($digits))?, $unit, $about)),*]
    };
}

#[doc(hidden)]
pub use __columns as columns;

impl CellType {
    /// Returns true if a cell may stand under a column of this type.
    pub fn takes(self, cell: &Cell<'_>) -> bool {
        match (self, cell) {
            (_, Cell::Empty)
            | (CellType::Count, Cell::Count(_))
            | (CellType::Integer | CellType::Decimal(_) | CellType::Real, Cell::Integer(_))
            | (CellType::Integer | CellType::Real, Cell::Spelled(_))
            | (CellType::Time, Cell::Time(_))
            | (CellType::Real, Cell::Real(_))
            | (CellType::Text | CellType::Category, Cell::Word(_) | Cell::Text(_))
            | (CellType::Intervals, Cell::Intervals(_)) => true,
            (CellType::Decimal(most), Cell::Decimal(_, digits)) => most == *digits,
            _ => false,
        }
    }

    /// Description of the type.
    fn about(self) -> String {
        let text = match self {
            CellType::Count => "whole number from 0",
            CellType::Integer => "whole number",
            CellType::Time => "seconds, exact to the nanosecond",
            CellType::Decimal(digits) => {
                return format!("decimal with at most {digits} digits after the point");
            }
            CellType::Real => "real number",
            CellType::Text | CellType::Category => "text",
            CellType::Intervals => "intervals of whole numbers, as in `0-3 7`",
        };
        text.to_owned()
    }
}

impl Cell<'_> {
    /// The number in a column of whole numbers; one too large for a sign is kept as the signed one
    /// of the same bits.
    pub(super) fn whole(&self) -> Option<i64> {
        match *self {
            Cell::Count(value) => Some(value.cast_signed()),
            Cell::Integer(value) => Some(value),
            Cell::Spelled(text) => Some(text.parse().expect("a column of whole numbers has whole numbers")),
            _ => None,
        }
    }

    /// The nearest double in a column of times, decimals or reals.
    pub(super) fn real(&self) -> Option<f64> {
        match *self {
            Cell::Integer(value) => Some(value as f64),
            Cell::Time(span) => Some(ratio(u128::from(span.as_nanos()), 1_000_000_000)),
            Cell::Decimal(units, digits) => Some(ratio(units, 10_u128.pow(u32::from(digits)))),
            Cell::Real(value) => Some(value + 0.0),
            Cell::Spelled(text) => Some(text.parse().expect("a column of numbers has numbers")),
            _ => None,
        }
    }

    /// An instant.
    pub fn at(instant: SimTime) -> Self {
        Cell::Time(instant.since(SimTime::ZERO))
    }
}

/// Values as cells.
macro_rules! cells {
    ($($of:ty => $cell:expr;)*) => {
        $(impl<'a> From<$of> for Cell<'a> {
            #[inline]
            fn from(value: $of) -> Self {
                $cell(value)
            }
        })*
    };
}

cells! {
    u64 => Cell::Count;
    u32 => |count| Cell::Count(u64::from(count));
    f64 => Cell::Real;
    SimTime => Cell::at;
    SimDuration => Cell::Time;
    &'a str => Cell::Text;
    &'a [Interval] => Cell::Intervals;
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    /// Empty if there is none.
    fn from(value: Option<T>) -> Self {
        value.map(Into::into).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_fits_if_each_cell_is_of_its_column() {
        let columns = [
            Column::new("a", CellType::Count, "", "a count"),
            Column::new("b", CellType::Decimal(3), "J", "energy"),
        ];
        let table = Table::new("t", "rows", &columns);
        assert!(table.takes(&[Cell::Count(1), Cell::Decimal(1500, 3)]));
        assert!(table.takes(&[Cell::Empty, Cell::Integer(-1)]));
        assert!(!table.takes(&[Cell::Count(1)]));
        assert!(!table.takes(&[Cell::Count(1), Cell::Decimal(1, 6)]));
        assert!(!table.takes(&[Cell::Text("1"), Cell::Empty]));
    }

    #[test]
    fn a_file_and_its_columns_are_defined() {
        let table = Table::new("t", "rows", &[Column::new("b", CellType::Time, "s", "a span")]);
        let texts: Vec<String> = table.definitions().iter().map(Definition::text).collect();
        assert_eq!(
            texts,
            [
                "t.csv (file)\n    rows\n",
                "t.csv.b (column)\n    a span [s]\n  type     seconds, exact to the nanosecond\n"
            ]
        );
    }
}
