//! The rows of a table of a run. A cell that cannot be read is an error with its file, line and
//! column.

use crate::kernel::SimTime;
use crate::text::Place;
use crate::text::csv::{Field, Mistake, Reader, Row, Table};
use crate::units::seconds;

/// Seconds with up to nine decimals, as an instant.
pub(in crate::check) fn instant(text: &str) -> Option<SimTime> {
    seconds(text).map(SimTime::from_nanos)
}

/// The cells of a row under the columns that are asked for.
pub(in crate::check) struct Cells<'a, const N: usize> {
    file: &'static str,
    pub(in crate::check) cells: [Field<'a>; N],
}

impl<const N: usize> Cells<'_, N> {
    /// The cell as `read` makes it out.
    pub(in crate::check) fn read<T>(
        &self,
        column: usize,
        what: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, String> {
        let cell = self.cells[column];
        read(cell.raw())
            .ok_or_else(|| wrong(self.file, &cell.place(), &format!("`{}` is no {what}", cell.raw())))
    }

    /// The same, nothing if the cell is empty.
    pub(in crate::check) fn any<T>(
        &self,
        column: usize,
        what: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        if self.cells[column].raw().is_empty() { Ok(None) } else { self.read(column, what, read).map(Some) }
    }

    pub(in crate::check) fn time(&self, column: usize) -> Result<Option<SimTime>, String> {
        self.any(column, "time", instant)
    }

    pub(in crate::check) fn count(&self, column: usize) -> Result<u64, String> {
        self.read(column, "count", |text| text.parse().ok())
    }

    pub(in crate::check) fn number(&self, column: usize) -> Result<f64, String> {
        self.read(column, "number", finite)
    }

    /// The same, nothing if the cell is empty.
    pub(in crate::check) fn any_number(&self, column: usize) -> Result<Option<f64>, String> {
        self.any(column, "number", finite)
    }

    /// Two texts with a slash between: what the graph calls the task of an application.
    pub(in crate::check) fn joined(&self, first: usize, second: usize) -> String {
        format!("{}/{}", self.cells[first].text(), self.cells[second].text())
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The text of a mistake at a place of a file.
pub(in crate::check) fn wrong(file: &str, place: &Place, what: &str) -> String {
    format!("{file}, line {}, column {}: {what}", place.line, place.column)
}

/// Hands over row after row of a table.
pub(in crate::check) fn each_row<const N: usize>(
    file: &'static str,
    text: &str,
    names: [&str; N],
    mut take: impl FnMut(&Cells<'_, N>) -> Result<(), String>,
) -> Result<(), String> {
    each_row_of(file, text, &names, &mut |cells| {
        take(&Cells { file, cells: std::array::from_fn(|column| cells[column]) })
    })
}

/// The same with the cells under any number of columns.
pub(in crate::check) fn each_row_of(
    file: &'static str,
    text: &str,
    names: &[&str],
    take: &mut dyn FnMut(&[Field<'_>]) -> Result<(), String>,
) -> Result<(), String> {
    let mistaken = |mistake: &Mistake| wrong(file, &mistake.place, &mistake.message);
    let table = Table::new(Reader::new(text)).map_err(|mistake| mistaken(&mistake))?;
    let mut table = table.ok_or_else(|| format!("{file} is empty"))?;
    let columns = table.columns_of(names).map_err(|mistakes| mistaken(&mistakes[0]))?;
    let (mut row, mut cells) = (Row::default(), Vec::new());
    while table.read(&mut row).map_err(|mistake| mistaken(&mistake))? {
        if row.len() != table.head.len() {
            let what = "the row has not as many cells as there are columns";
            return Err(wrong(file, &row.whole().place(), what));
        }
        cells.clear();
        cells.extend(columns.iter().map(|&column| row.get(column).unwrap_or(row.whole())));
        take(&cells)?;
    }
    Ok(())
}
