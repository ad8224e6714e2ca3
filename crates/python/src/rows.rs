//! Rows of a table as this crate keeps them, and as plain bytes, by which they are pickled.
//!
//! Bytes that come back may come from anywhere, and other libraries read the rows by their
//! addresses: nothing is taken that does not fit together.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use clustersim_experiment::output::{CellValues, ColumnCells, TableColumns, Texts};

/// The rows of a table, column by column.
pub(crate) struct TableRows {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) rows: usize,
    pub(crate) columns: Vec<NamedColumn>,
}

/// A column: name, unit, meaning and cells.
pub(crate) struct NamedColumn {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) about: String,
    pub(crate) cells: ColumnCells,
}

/// A column as plain values: name, unit, meaning, type, bits of its cells, and buffers.
pub(crate) type ColumnParts<'py> =
    (String, String, String, String, usize, Bound<'py, PyBytes>, Vec<Bound<'py, PyBytes>>);

/// A table as plain values: name, meaning, number of rows, columns.
pub(crate) type TableParts<'py> = (String, String, usize, Vec<ColumnParts<'py>>);

impl From<TableColumns> for TableRows {
    fn from(TableColumns { table, columns, rows }: TableColumns) -> Self {
        let named = table.columns.into_iter().zip(columns).map(|(column, cells)| NamedColumn {
            name: column.name.into_owned(),
            unit: column.unit.to_owned(),
            about: column.about.into_owned(),
            cells,
        });
        TableRows {
            name: table.name.to_owned(),
            about: table.about.to_owned(),
            rows,
            columns: named.collect(),
        }
    }
}

impl TableRows {
    /// The table as plain values.
    pub(crate) fn parts<'py>(&self, py: Python<'py>) -> TableParts<'py> {
        let of_column = |column: &NamedColumn| {
            let cells = &column.cells;
            let buffers = buffers(&cells.values).into_iter().map(|bytes| PyBytes::new(py, &bytes)).collect();
            (
                column.name.clone(),
                column.unit.clone(),
                column.about.clone(),
                kind(&cells.values).to_owned(),
                cells.empty,
                PyBytes::new(py, &cells.present),
                buffers,
            )
        };
        let columns = self.columns.iter().map(of_column).collect();
        (self.name.clone(), self.about.clone(), self.rows, columns)
    }

    /// The table of plain values; `None` if they are not those of a table.
    pub(crate) fn of_parts((name, about, rows, columns): TableParts<'_>) -> Option<Self> {
        let of_column = |(name, unit, about, kind, empty, present, buffers): ColumnParts<'_>| {
            let buffers: Vec<&[u8]> = buffers.iter().map(PyBytesMethods::as_bytes).collect();
            let values = values(&kind, rows, &buffers)?;
            let cells = ColumnCells { values, present: present.as_bytes().to_vec(), empty };
            fits(&cells, rows).then_some(NamedColumn { name, unit, about, cells })
        };
        let columns = columns.into_iter().map(of_column).collect::<Option<_>>()?;
        Some(TableRows { name, about, rows, columns })
    }
}

/// The type of a column in one word.
pub(crate) fn kind(values: &CellValues) -> &'static str {
    match values {
        CellValues::Counts(_) => "count",
        CellValues::Integers(_) => "integer",
        CellValues::Nanoseconds(_) => "time",
        CellValues::Reals(_) => "real",
        CellValues::Texts(_) => "text",
        CellValues::Categories(..) => "category",
    }
}

fn buffers(values: &CellValues) -> Vec<Vec<u8>> {
    match values {
        CellValues::Counts(values) => vec![values.iter().flat_map(|value| value.to_le_bytes()).collect()],
        CellValues::Integers(values) | CellValues::Nanoseconds(values) => vec![of_whole(values)],
        CellValues::Reals(values) => vec![values.iter().flat_map(|value| value.to_le_bytes()).collect()],
        CellValues::Texts(texts) => vec![of_whole(&texts.ends), texts.bytes.clone()],
        CellValues::Categories(places, words) => {
            let places = places.iter().flat_map(|value| value.to_le_bytes()).collect();
            vec![places, of_whole(&words.ends), words.bytes.clone()]
        }
    }
}

fn of_whole(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The values of so many rows.
fn values(kind: &str, rows: usize, buffers: &[&[u8]]) -> Option<CellValues> {
    Some(match (kind, buffers) {
        ("count", [bytes]) => CellValues::Counts(numbers(bytes, rows, u64::from_le_bytes)?),
        ("integer", [bytes]) => CellValues::Integers(numbers(bytes, rows, i64::from_le_bytes)?),
        ("time", [bytes]) => CellValues::Nanoseconds(numbers(bytes, rows, i64::from_le_bytes)?),
        ("real", [bytes]) => CellValues::Reals(numbers(bytes, rows, f64::from_le_bytes)?),
        ("text", [ends, bytes]) => CellValues::Texts(texts(ends, bytes).filter(|all| all.count() == rows)?),
        ("category", [places, ends, bytes]) => {
            CellValues::Categories(numbers(places, rows, i32::from_le_bytes)?, texts(ends, bytes)?)
        }
        _ => return None,
    })
}

fn numbers<T, const WIDTH: usize>(bytes: &[u8], rows: usize, of: fn([u8; WIDTH]) -> T) -> Option<Vec<T>> {
    let (whole, rest) = bytes.as_chunks::<WIDTH>();
    (rest.is_empty() && whole.len() == rows).then(|| whole.iter().map(|chunk| of(*chunk)).collect())
}

fn texts(ends: &[u8], bytes: &[u8]) -> Option<Texts> {
    let ends: Vec<i64> = numbers(ends, ends.len() / 8, i64::from_le_bytes)?;
    let text = std::str::from_utf8(bytes).ok()?;
    let is_end = |end: &i64| usize::try_from(*end).is_ok_and(|end| text.is_char_boundary(end));
    let is_whole =
        ends.first() == Some(&0) && ends.last().is_some_and(|end| usize::try_from(*end) == Ok(bytes.len()));
    let fit = is_whole && ends.is_sorted() && ends.iter().all(is_end);
    fit.then(|| Texts { bytes: bytes.to_vec(), ends })
}

/// Returns true if the bits are those of so many rows, and each place is that of a word.
fn fits(cells: &ColumnCells, rows: usize) -> bool {
    let bits: usize = cells.present.iter().map(|byte| byte.count_ones() as usize).sum();
    let of_bits = if cells.empty == 0 {
        cells.present.is_empty()
    } else {
        cells.present.len() == rows.div_ceil(8) && bits.checked_add(cells.empty) == Some(rows)
    };
    let CellValues::Categories(places, words) = &cells.values else { return of_bits };
    let is_there = |row: usize| cells.empty == 0 || cells.present[row / 8] >> (row % 8) & 1 == 1;
    let is_word = |place: i32| usize::try_from(place).is_ok_and(|place| place < words.count());
    of_bits && places.iter().enumerate().all(|(row, place)| is_word(*place) || !is_there(row) && *place == 0)
}
