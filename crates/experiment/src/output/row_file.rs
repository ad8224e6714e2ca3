//! The rows of a table's text file, read by the names in its header. A cell that cannot be read is
//! an error with file, line and column.

use std::marker::PhantomData;

use crate::text::csv::{self, Field, Mistake, Reader, Stopped, each_row};
use crate::text::{Place, TextSource, Unreadable};

use super::row::{Row, Value};

/// The text of a table's file.
pub struct RowFile<'a, R> {
    table: csv::Table<'a>,
    columns: FileColumns,
    row: PhantomData<fn() -> R>,
}

/// Columns of a table as the header of its file has them.
struct FileColumns {
    file: &'static str,
    /// Place of each declared column, if the file has it.
    places: Vec<Option<usize>>,
    /// Number of the cells of a row.
    width: usize,
}

/// A line of a table's file.
pub struct FileLine<'a, 'l> {
    row: &'l csv::Row<'a>,
    columns: &'l FileColumns,
}

/// Reason that the rows of a file end early.
#[derive(Debug, thiserror::Error)]
pub enum NoRows {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The text is no such table, or a line of it is no row: a message with the place.
    #[error("{0}")]
    Wrong(String),
}

impl From<String> for NoRows {
    fn from(why: String) -> Self {
        NoRows::Wrong(why)
    }
}

/// Hands over line after line of the file of a table, of which little is in memory, with the
/// conditions of the run by the columns that the file has. Of a run that meets `required` in
/// addition no column may be missing.
///
/// # Errors
/// The file cannot be read or is no table, or the first error of `take`.
pub fn each_line<R: Row<'static>>(
    source: TextSource<'_>,
    required: impl Fn(R::Conditions) -> R::Conditions,
    mut take: impl FnMut(&FileLine<'_, '_>, R::Conditions) -> Result<(), String>,
) -> Result<(), NoRows> {
    let mut known: Option<(FileColumns, R::Conditions)> = None;
    let each = each_row(&mut source.parts()?, &mut |row| {
        match &known {
            Some((columns, met)) => take(&columns.line(row)?, *met)?,
            None => {
                let table = csv::Table::of_head(row.clone());
                let met = required(met::<R>(&table));
                known = Some((FileColumns::of::<R>(&table, met)?, met));
            }
        }
        Ok(true)
    });
    each.map_err(|stopped| match stopped {
        Stopped::Unreadable(why) => NoRows::Unreadable(why),
        Stopped::Mistake(mistake) => NoRows::Wrong(said(R::FILE, &mistake)),
        Stopped::Taker(why) => NoRows::Wrong(why),
    })?;
    if known.is_some() { Ok(()) } else { Err(NoRows::Wrong(empty(R::FILE))) }
}

impl<'a, R: Row<'a>> RowFile<'a, R> {
    /// Reads the header.
    ///
    /// # Errors
    /// The text is no table, or lacks a column that every run has.
    pub fn new(text: &'a str) -> Result<Self, String> {
        let table = head::<R>(text)?;
        let met = met::<R>(&table);
        Self::of(table, met)
    }

    /// The same of a run that meets these conditions: no column of theirs may be missing.
    ///
    /// # Errors
    /// As [`RowFile::new`].
    pub fn having(text: &'a str, met: R::Conditions) -> Result<Self, String> {
        Self::of(head::<R>(text)?, met)
    }

    fn of(table: csv::Table<'a>, met: R::Conditions) -> Result<Self, String> {
        let columns = FileColumns::of::<R>(&table, met)?;
        Ok(RowFile { table, columns, row: PhantomData })
    }

    /// Conditions of the run, by the columns of the file.
    pub fn met(&self) -> R::Conditions {
        met::<R>(&self.table)
    }

    /// Hands over row after row.
    ///
    /// # Errors
    /// A line that is no row, or the first error of `take`.
    pub fn each(
        mut self,
        mut take: impl FnMut(R, &FileLine<'a, '_>) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut row = csv::Row::default();
        while self.table.read(&mut row).map_err(|mistake| said(R::FILE, &mistake))? {
            let line = self.columns.line(&row)?;
            take(R::read(&line)?, &line)?;
        }
        Ok(())
    }

    /// All rows.
    ///
    /// # Errors
    /// As [`RowFile::each`].
    pub fn all(self) -> Result<Vec<R>, String> {
        let mut rows = Vec::new();
        self.each(|row, _| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }
}

impl FileColumns {
    /// The columns of a run that meets these conditions.
    fn of<'r, R: Row<'r>>(table: &csv::Table<'_>, met: R::Conditions) -> Result<Self, String> {
        let (columns, all) = (R::table(met).columns, R::declared().columns);
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        let found = table.columns_of(&names).map_err(|mistakes| said(R::FILE, &mistakes[0]))?;
        let place = |name: &str| names.iter().position(|own| *own == name).map(|own| found[own]);
        let places = all.iter().map(|column| place(&column.name)).collect();
        Ok(FileColumns { file: R::FILE, places, width: table.head.len() })
    }

    /// A row as a line that has a cell for each column.
    fn line<'a, 'l>(&'l self, row: &'l csv::Row<'a>) -> Result<FileLine<'a, 'l>, String> {
        if row.len() != self.width {
            let what = "the row has not as many cells as there are columns";
            return Err(placed(self.file, &row.whole().place(), what));
        }
        Ok(FileLine { row, columns: self })
    }
}

impl<'a> FileLine<'a, '_> {
    /// The value under a declared column.
    ///
    /// # Errors
    /// The cell is no such value, with its place.
    #[inline]
    pub fn value<T: Value<'a>>(&self, column: usize) -> Result<T, String> {
        let Some(field) = self.columns.places[column].and_then(|place| self.row.get(place)) else {
            return T::absent().ok_or_else(|| self.wrong("the row lacks a cell"));
        };
        T::read(field).ok_or_else(|| self.is_no(field, T::NOUN))
    }

    /// The value that `find` makes of a text of the row; the error says which cell is none.
    ///
    /// # Errors
    /// It makes none.
    pub fn find<T>(&self, text: &str, noun: &str, find: impl FnOnce(&str) -> Option<T>) -> Result<T, String> {
        find(text).ok_or_else(|| {
            let is_it = |cell: &Field<'_>| std::ptr::eq(cell.raw().as_ptr(), text.as_ptr());
            let is_same = |cell: &Field<'_>| cell.text() == text;
            let cell = self.row.cells().find(is_it).or_else(|| self.row.cells().find(is_same));
            self.is_no(cell.unwrap_or(self.row.whole()), noun)
        })
    }

    /// Cells under the declared columns that the file has, in their order.
    pub fn cells(&self) -> impl Iterator<Item = Field<'a>> + '_ {
        self.columns.places.iter().filter_map(|place| self.row.get((*place)?))
    }

    /// Error message for the whole line.
    pub fn wrong(&self, what: &str) -> String {
        placed(self.columns.file, &self.row.whole().place(), what)
    }

    fn is_no(&self, field: Field<'_>, noun: &str) -> String {
        placed(self.columns.file, &field.place(), &format!("`{}` is no {noun}", field.raw()))
    }
}

fn head<'a, R: Row<'a>>(text: &'a str) -> Result<csv::Table<'a>, String> {
    let table = csv::Table::new(Reader::new(text)).map_err(|mistake| said(R::FILE, &mistake))?;
    table.ok_or_else(|| empty(R::FILE))
}

fn empty(file: &str) -> String {
    format!("{file} is empty")
}

/// Conditions of the run, by the columns of the file.
fn met<'r, R: Row<'r>>(table: &csv::Table<'_>) -> R::Conditions {
    R::met(&|name| matches!(table.column(name), Ok(Some(_))))
}

fn said(file: &str, mistake: &Mistake) -> String {
    placed(file, &mistake.place, &mistake.message)
}

/// Error message for a place of a file.
fn placed(file: &str, place: &Place, what: &str) -> String {
    format!("{file}, line {}, column {}: {what}", place.line, place.column)
}
