//! Rows whose cells are asked for by the names of their columns: for tables that the program itself writes.

use std::borrow::Cow;

use super::{Reader, Row, Table};

/// The rows of a text below its header.
#[derive(Debug)]
pub struct NamedRows<'a> {
    table: Table<'a>,
    row: Row<'a>,
}

/// A row.
#[derive(Debug)]
pub struct NamedRow<'a, 'b> {
    table: &'b Table<'a>,
    row: &'b Row<'a>,
}

impl<'a> NamedRows<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// A column that is asked for is missing, or the header is no CSV.
    pub fn of(text: &'a str, columns: &[&str]) -> Result<Self, String> {
        let table = Table::new(Reader::new(text)).map_err(|mistake| mistake.message)?;
        let table = table.ok_or_else(|| "it is empty".to_owned())?;
        for column in columns {
            table.columns([*column]).map_err(|mistakes| mistakes[0].message.clone())?;
        }
        Ok(NamedRows { table, row: Row::default() })
    }

    /// The next row, if there is one.
    ///
    /// # Errors
    /// It is no CSV, or has not as many cells as the header.
    pub fn next_row(&mut self) -> Result<Option<NamedRow<'a, '_>>, String> {
        if !self.table.read(&mut self.row).map_err(|mistake| mistake.message)? {
            return Ok(None);
        }
        if self.row.len() != self.table.head.len() {
            return Err(format!("line {} is not whole", self.row.line()));
        }
        Ok(Some(NamedRow { table: &self.table, row: &self.row }))
    }
}

impl<'a> NamedRow<'a, '_> {
    /// The cell of a column; empty if there is no such column.
    pub fn text(&self, column: &str) -> Cow<'a, str> {
        let place = self.table.head.cells().position(|cell| cell.text() == column);
        place.and_then(|place| self.row.get(place)).map_or(Cow::Borrowed(""), super::Cell::text)
    }

    /// The cell of a column, read by `read`.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read<T>(&self, column: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T, String> {
        let wrong = || format!("`{column}` of line {} cannot be read", self.row.line());
        read(&self.text(column)).ok_or_else(wrong)
    }

    /// As [`NamedRow::read`], nothing if the cell is empty.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_any<T>(
        &self,
        column: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        if self.text(column).is_empty() { Ok(None) } else { self.read(column, read).map(Some) }
    }
}
