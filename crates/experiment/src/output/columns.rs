//! Tables in memory, column by column, for programs that take data without a file.
//!
//! - *Types.* Whole numbers are whole numbers, times nanoseconds, decimals and reals the nearest
//!   doubles. Texts and intervals stand one behind the other, as the text file spells them.
//!   Categories are numbers of words, which stand in the order in which they first appear.
//! - *Layout*: that of Apache Arrow, so that it can be handed over as it is. A column has a slot
//!   for each row, also where its cell is empty. Bits say which are not, lowest bit first; a
//!   column without empty cells has none.
//!
//! Source: arrow.apache.org/docs/format/Columnar.html.

use std::io;

use super::csv::written;
use super::table::{Cell, CellType, RowSink, RowSource, Table};
use crate::collections::NumberedTexts;

/// The rows of a table, column by column.
#[derive(Clone, PartialEq, Debug)]
pub struct TableColumns {
    /// The declaration.
    pub table: Table,
    /// The columns, in the order of the declaration.
    pub columns: Vec<ColumnCells>,
    /// Number of rows.
    pub rows: usize,
}

/// The cells of a column.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnCells {
    /// The values; where a cell is empty 0, or an empty text.
    pub values: CellValues,
    /// A bit a row, 1 where the cell is not empty; no bits at all where no cell is.
    pub present: Vec<u8>,
    /// Number of empty cells.
    pub empty: usize,
}

/// The values of a column, by its type.
#[derive(Clone, PartialEq, Debug)]
pub enum CellValues {
    /// Whole numbers from 0.
    Counts(Vec<u64>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Instants and spans in nanoseconds.
    Nanoseconds(Vec<i64>),
    /// Real numbers.
    Reals(Vec<f64>),
    /// Texts.
    Texts(Texts),
    /// Places of words.
    Categories(Vec<i32>, Texts),
}

/// Texts one behind the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Texts {
    /// All of them.
    pub bytes: Vec<u8>,
    /// The start of the first, and the end of each.
    pub ends: Vec<i64>,
}

impl Default for Texts {
    fn default() -> Self {
        Texts { bytes: Vec::new(), ends: vec![0] }
    }
}

impl Texts {
    /// Number of texts.
    pub fn count(&self) -> usize {
        self.ends.len() - 1
    }

    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.end();
    }

    /// Ends the text that was begun.
    fn end(&mut self) {
        self.ends.push(i64::try_from(self.bytes.len()).expect("it is in memory"));
    }
}

impl TableColumns {
    /// All rows of a table.
    ///
    /// # Errors
    /// A time lies more than 292 years after the start, which is more nanoseconds than a signed
    /// number holds.
    pub fn of(source: &dyn RowSource) -> io::Result<Self> {
        let table = source.table();
        let gathered = table.columns.iter().map(|column| Gathered::of(column.kind)).collect();
        let mut sink = Sink { table, gathered, rows: 0 };
        source.push(&mut sink)?;
        let columns = sink.gathered.into_iter().map(Gathered::whole).collect();
        Ok(TableColumns { table: sink.table, columns, rows: sink.rows })
    }
}

/// Columns that are being filled.
struct Sink {
    table: Table,
    gathered: Vec<Gathered>,
    rows: usize,
}

/// A column that is being filled, and the places of its words.
struct Gathered {
    cells: ColumnCells,
    words: NumberedTexts,
}

impl RowSink for Sink {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        debug_assert!(self.table.takes(cells), "{} has no rows of {cells:?}", self.table.name);
        for (place, (column, cell)) in self.gathered.iter_mut().zip(cells).enumerate() {
            column.push(cell, self.rows).ok_or_else(|| {
                let (table, column) = (self.table.name, &self.table.columns[place].name);
                let message = format!("{table}.{column} has a time more than 292 years after the start");
                io::Error::new(io::ErrorKind::InvalidData, message)
            })?;
        }
        self.rows += 1;
        Ok(())
    }
}

impl Gathered {
    fn of(kind: CellType) -> Self {
        let values = match kind {
            CellType::Count => CellValues::Counts(Vec::new()),
            CellType::Integer => CellValues::Integers(Vec::new()),
            CellType::Time => CellValues::Nanoseconds(Vec::new()),
            CellType::Decimal(_) | CellType::Real => CellValues::Reals(Vec::new()),
            CellType::Text | CellType::Intervals => CellValues::Texts(Texts::default()),
            CellType::Category => CellValues::Categories(Vec::new(), Texts::default()),
        };
        let cells = ColumnCells { values, present: Vec::new(), empty: 0 };
        Gathered { cells, words: NumberedTexts::default() }
    }

    /// Adds the cell of row `row`; `None` if it is a time that is too late.
    fn push(&mut self, cell: &Cell<'_>, row: usize) -> Option<()> {
        let is_empty = matches!(cell, Cell::Empty);
        match &mut self.cells.values {
            CellValues::Counts(values) => values.push(match *cell {
                Cell::Count(value) => value,
                _ => 0,
            }),
            CellValues::Integers(values) => values.push(cell.whole().unwrap_or_default()),
            CellValues::Nanoseconds(values) => values.push(match *cell {
                Cell::Time(span) => i64::try_from(span.as_nanos()).ok()?,
                _ => 0,
            }),
            CellValues::Reals(values) => values.push(cell.real().unwrap_or_default()),
            CellValues::Texts(texts) => match cell {
                Cell::Word(text) | Cell::Text(text) => texts.push(text),
                Cell::Intervals(_) => texts.push(&written(*cell)),
                _ => texts.end(),
            },
            CellValues::Categories(places, _) => places.push(match cell {
                Cell::Word(text) | Cell::Text(text) => self.words.number(text).cast_signed(),
                _ => 0,
            }),
        }
        self.cells.note(row, !is_empty);
        Some(())
    }

    /// The column with its words.
    fn whole(mut self) -> ColumnCells {
        if let CellValues::Categories(_, words) = &mut self.cells.values {
            self.words.texts().iter().for_each(|word| words.push(word));
        }
        self.cells
    }
}

impl ColumnCells {
    /// Notes if the cell of row `row`, the next one, is there.
    fn note(&mut self, row: usize, is_there: bool) {
        if is_there && self.present.is_empty() {
            return;
        }
        if self.present.is_empty() {
            // all rows before are there
            self.present.resize(row / 8, u8::MAX);
            if !row.is_multiple_of(8) {
                self.present.push((1 << (row % 8)) - 1);
            }
        }
        if row.is_multiple_of(8) {
            self.present.push(0);
        }
        self.present[row / 8] |= u8::from(is_there) << (row % 8);
        self.empty += usize::from(!is_there);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::Interval;
    use crate::kernel::SimDuration;
    use crate::output::Column;

    /// A table of these columns and rows.
    struct Listed(Vec<CellType>, Vec<Vec<Cell<'static>>>);

    impl RowSource for Listed {
        fn table(&self) -> Table {
            let named = self.0.iter().zip('a'..);
            Table::new("t", "rows", &[])
                .with(named.map(|(kind, name)| Column::named(name.to_string(), *kind, "", "a cell")))
        }

        fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
            self.1.iter().try_for_each(|row| sink.row(row))
        }
    }

    fn texts(all: &[&str]) -> Texts {
        let mut texts = Texts::default();
        all.iter().for_each(|text| texts.push(text));
        texts
    }

    #[test]
    fn cells_become_values_of_the_type_of_their_column() {
        const ON: &[Interval] = &[Interval { first: 0, last: 3 }, Interval { first: 7, last: 7 }];
        let kinds = [
            CellType::Count,
            CellType::Integer,
            CellType::Time,
            CellType::Decimal(6),
            CellType::Real,
            CellType::Text,
            CellType::Intervals,
            CellType::Category,
        ];
        let row = [
            Cell::Count(u64::MAX),
            Cell::Spelled("-12"),
            Cell::Time(SimDuration::from_nanos(1_500_000_001)),
            Cell::Decimal(1_666_667, 6),
            Cell::Spelled("1e3"),
            Cell::Text("a, \"b\""),
            Cell::Intervals(ON),
            Cell::Word("head"),
        ];
        let rows = vec![row.to_vec(), vec![Cell::Empty; kinds.len()]];
        let table = TableColumns::of(&Listed(kinds.to_vec(), rows)).expect("into memory");
        let values: Vec<&CellValues> = table.columns.iter().map(|column| &column.values).collect();
        assert_eq!(
            values,
            [
                &CellValues::Counts(vec![u64::MAX, 0]),
                &CellValues::Integers(vec![-12, 0]),
                &CellValues::Nanoseconds(vec![1_500_000_001, 0]),
                &CellValues::Reals(vec![1.666_667, 0.0]),
                &CellValues::Reals(vec![1000.0, 0.0]),
                &CellValues::Texts(texts(&["a, \"b\"", ""])),
                &CellValues::Texts(texts(&["0-3 7", ""])),
                &CellValues::Categories(vec![0, 0], texts(&["head"])),
            ]
        );
        assert!(table.columns.iter().all(|column| column.present == [1] && column.empty == 1));
        assert_eq!(table.rows, 2);
    }

    #[test]
    fn bits_say_which_cells_are_there_from_the_first_that_is_not() {
        for first in 0..20 {
            let cell = |row: usize| if row < first { Cell::Count(1) } else { Cell::Empty };
            let rows = (0..20).map(|row| vec![if row == 19 { Cell::Count(1) } else { cell(row) }]).collect();
            let table = TableColumns::of(&Listed(vec![CellType::Count], rows)).expect("into memory");
            let column = &table.columns[0];
            assert_eq!(column.empty, 19_usize.saturating_sub(first));
            let is_there = |row: usize| column.present[row / 8] >> (row % 8) & 1 == 1;
            let bits: Vec<usize> = (0..20).filter(|&row| column.empty == 0 || is_there(row)).collect();
            assert_eq!(bits, (0..first.min(19)).chain([19]).collect::<Vec<_>>(), "{first}");
        }
    }

    #[test]
    fn a_category_is_a_word_once() {
        let words = ["b", "b", "", "a", "b", "a"].map(|word| vec![Cell::Word(word)]);
        let table = TableColumns::of(&Listed(vec![CellType::Category], words.to_vec())).expect("into memory");
        let expected = CellValues::Categories(vec![0, 0, 1, 2, 0, 2], texts(&["b", "", "a"]));
        assert_eq!(table.columns[0].values, expected);
    }

    #[test]
    fn a_time_that_no_signed_number_holds_is_refused() {
        let last = i64::MAX.cast_unsigned();
        let of = |nanos| {
            let rows = vec![vec![Cell::Time(SimDuration::from_nanos(nanos))]];
            TableColumns::of(&Listed(vec![CellType::Time], rows))
        };
        assert_eq!(of(last).expect("it fits").columns[0].values, CellValues::Nanoseconds(vec![i64::MAX]));
        let error = of(last + 1).expect_err("too late");
        assert_eq!(error.to_string(), "t.a has a time more than 292 years after the start");
    }
}
