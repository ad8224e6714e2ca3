//! Columns by their names.

use std::borrow::Cow;

use crate::text::{Mistakes, nearest};

use super::{Fault, Field, Mistake, Reader, Row};

/// A table: its first row names the columns.
#[derive(Clone, Debug)]
pub struct Table<'a> {
    /// The first row.
    pub head: Row<'a>,
    reader: Reader<'a>,
}

impl<'a> Table<'a> {
    /// The table that `reader` reads; `None` if it has no row.
    ///
    /// # Errors
    /// Its first row is no CSV.
    pub fn new(mut reader: Reader<'a>) -> Result<Option<Self>, Mistake> {
        let mut head = Row::default();
        Ok(reader.read(&mut head)?.then_some(Table { head, reader }))
    }

    /// A table whose rows are read elsewhere, by its first row.
    pub fn of_head(head: Row<'a>) -> Self {
        Table { head, reader: Reader::new("") }
    }

    /// Reads the next row into `row`; false if there is none.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn read(&mut self, row: &mut Row<'a>) -> Result<bool, Mistake> {
        self.reader.read(row)
    }

    /// Hands every further row to `each`.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn each_row(&mut self, mut each: impl FnMut(&Row<'a>)) -> Result<(), Mistake> {
        let mut row = Row::default();
        while self.read(&mut row)? {
            each(&row);
        }
        Ok(())
    }

    /// Index of the column that `is_it` knows by its name, if there is one; a second one is a
    /// mistake.
    fn only(&self, is_it: impl Fn(&str) -> bool) -> Result<Option<usize>, Mistake> {
        let mut found = self.head.cells().enumerate().filter(|(_, cell)| is_it(&cell.text()));
        let (first, second) = (found.next(), found.next());
        if let Some((_, cell)) = second {
            let message = format!("two columns are called `{}`", cell.text());
            let help = "only one of them can be read: give the other one another name".to_owned();
            return Err(Mistake { fault: Fault::Twice, message, help, place: cell.place() });
        }
        Ok(first.map(|(column, _)| column))
    }

    /// Index of the column of this name, in small letters or large ones.
    ///
    /// # Errors
    /// Two columns are called so.
    pub fn column(&self, name: &str) -> Result<Option<usize>, Mistake> {
        self.only(|found| found.eq_ignore_ascii_case(name))
    }

    /// The table of a text that may have comments, and where its columns of these names are; `None`
    /// if it has no row.
    ///
    /// # Errors
    /// As [`Table::new`] and [`Table::columns`].
    pub fn with_columns<const N: usize>(
        text: &'a str,
        names: [&str; N],
    ) -> Result<Option<(Self, [usize; N])>, Mistakes<Mistake>> {
        let table = Table::new(Reader::new(text).with_comments())?;
        table.map(|table| table.columns(names).map(|columns| (table, columns))).transpose()
    }

    /// Indices of the columns of these names.
    ///
    /// # Errors
    /// All that are not there, each with the nearest name that is, and all that are there twice.
    pub fn columns<const N: usize>(&self, names: [&str; N]) -> Result<[usize; N], Mistakes<Mistake>> {
        self.columns_of(&names).map(|columns| std::array::from_fn(|number| columns[number]))
    }

    /// The same for a list of names.
    ///
    /// # Errors
    /// As [`Table::columns`].
    pub fn columns_of(&self, names: &[&str]) -> Result<Vec<usize>, Mistakes<Mistake>> {
        let (mut columns, mut mistakes) = (Vec::new(), Mistakes::new());
        let whole = self.head.whole();
        if self.head.len() == 1 && whole.raw().contains([';', '\t', '|']) {
            let message = "no commas stand between the columns of the first line".to_owned();
            let help = format!("write: {}", names.join(","));
            return Err(Mistake { fault: Fault::Missing, message, help, place: whole.place() }.into());
        }
        for name in names {
            match self.only(|found| found == *name) {
                Ok(Some(found)) => columns.push(found),
                Ok(None) => mistakes.push(self.missing(name, names)),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        mistakes.unless_any(columns)
    }

    fn missing(&self, name: &str, names: &[&str]) -> Mistake {
        let others: Vec<(Field<'_>, Cow<'_, str>)> = self
            .head
            .cells()
            .map(|cell| (cell, cell.text()))
            .filter(|(_, text)| !names.contains(&&**text))
            .collect();
        let near = nearest(name, others.iter().map(|(_, text)| &**text));
        let near = near.and_then(|near| others.iter().find(|(_, text)| *text == near));
        let message = format!("the first line names no column `{name}`");
        let all = names.join(",");
        let (help, place) = match near {
            Some((cell, text)) => (format!("is it `{text}`? write: {all}"), cell.place()),
            None => (format!("write: {all}"), self.head.whole().place()),
        };
        Mistake { fault: Fault::Missing, message, help, place }
    }
}
