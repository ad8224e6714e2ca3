//! Rows of Parquet files.
//!
//! Columns that are not asked for are not decoded. Of those that are a block of values at a time is
//! held, so memory is bounded by pages and blocks, however many rows there are. A list is its count
//! and its sum; what no cell can be (lists of lists, groups) is refused where it is asked for.

mod pages;
mod values;

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use parquet::schema::types::SchemaDescriptor;

use crate::registry::Problem;
use crate::registry::code;

use super::cell::Cell;
use super::input::Input;
use super::mapping::Mapping;
use super::names;
use super::row::{CellPosition, Row, Take};
use values::Values;

/// Rows that are read at a time.
const BLOCK: usize = 1024;

/// A row of the block that is held.
struct ColumnRow<'r> {
    columns: &'r [Option<Values>],
    /// Column of each slot among these.
    slots: &'r [Option<usize>],
    mapping: &'r Mapping,
    at: usize,
    /// Row in the file, from 1.
    row: u64,
}

impl Row for ColumnRow<'_> {
    fn cell(&self, slot: usize) -> Cell<'_> {
        let column = self.slots.get(slot).copied().flatten();
        let values = column.and_then(|column| self.columns.get(column)?.as_ref());
        match values.map_or(Cell::Absent, |values| values.cell(self.at)) {
            Cell::List(count, _) if self.mapping.paths[slot].counts => {
                Cell::Whole(i64::try_from(count).unwrap_or(i64::MAX))
            }
            cell => cell,
        }
    }

    fn line(&self) -> u64 {
        self.row
    }

    fn position(&self, _slot: usize) -> CellPosition {
        CellPosition::InRow(self.row)
    }
}

/// Reads a table; `take` is given each row. Returns the number of rows.
///
/// # Errors
/// A damaged file.
pub(super) fn read(input: Input<'_>, mapping: &Mapping, take: &mut Take<'_>) -> Result<u64, Problem> {
    match input {
        Input::File(file) => {
            let file = file.try_clone().map_err(|error| Problem::new(code::FILE, error.to_string()))?;
            let again = file.try_clone().map_err(|error| Problem::new(code::FILE, error.to_string()))?;
            read_chunks(file, &Arc::new(again), mapping, take)
        }
        Input::Bytes(bytes) => {
            let bytes = bytes::Bytes::copy_from_slice(bytes);
            read_chunks(bytes.clone(), &Arc::new(bytes), mapping, take)
        }
    }
}

/// The names of the columns whose values can be those of cells.
///
/// # Errors
/// The file is damaged.
pub(super) fn names(input: Input<'_>) -> Result<Vec<String>, Problem> {
    match input {
        Input::File(file) => {
            let file = file.try_clone().map_err(|error| Problem::new(code::FILE, error.to_string()))?;
            names_in(file)
        }
        Input::Bytes(bytes) => names_in(bytes::Bytes::copy_from_slice(bytes)),
    }
}

fn names_in<R: ChunkReader + 'static>(file: R) -> Result<Vec<String>, Problem> {
    let reader = SerializedFileReader::new(file).map_err(|error| broken(&error))?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let known = first_parts(&schema);
    let is_cell = |at: usize| {
        let parts = known.iter().filter(|name| **name == known[at]).count();
        representable(&schema.column(at), parts).is_ok()
    };
    Ok((0..known.len()).filter(|&at| is_cell(at)).map(|at| known[at].clone()).collect())
}

/// The first part of the path of each column.
fn first_parts(schema: &SchemaDescriptor) -> Vec<String> {
    let first = |column: &ColumnDescriptor| column.path().parts().first().cloned().unwrap_or_default();
    schema.columns().iter().map(|column| first(column)).collect()
}

/// Reads a file; `file_again` is the same one, for its pages.
fn read_chunks<R: ChunkReader + 'static>(
    file: R,
    file_again: &Arc<R>,
    mapping: &Mapping,
    take: &mut Take<'_>,
) -> Result<u64, Problem> {
    let reader = SerializedFileReader::new(file).map_err(|error| broken(&error))?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let known = first_parts(&schema);
    let slots = names::places(&known, mapping)?;
    for &column in slots.iter().flatten() {
        let parts = known.iter().filter(|name| **name == known[column]).count();
        representable(&schema.column(column), parts)?;
    }
    let mut rows = 0;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(|error| broken(&error))?;
        let mut left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let mut columns: Vec<Option<Values>> = known.iter().map(|_| None).collect();
        for &column in slots.iter().flatten().filter(|&&column| column < group.num_columns()) {
            if columns[column].is_none() {
                let chunk = group.metadata().column(column);
                built_in(&known[column], chunk.compression())?;
                let reader = pages::column(file_again, chunk, left);
                let reader = reader.map_err(|error| broken(&error))?;
                columns[column] = Some(Values::new(reader, &schema.column(column)));
            }
        }
        while left > 0 {
            let count = left.min(BLOCK);
            fill(&mut columns, &known, count)?;
            for at in 0..count {
                rows += 1;
                let row = ColumnRow { columns: &columns, slots: &slots, mapping, at, row: rows };
                if take.row(&row).is_break() {
                    return Ok(rows);
                }
            }
            left -= count;
        }
    }
    if rows == 0 {
        return Err(Problem::new(code::NO_JOBS, "the table holds columns and no row"));
    }
    Ok(rows)
}

/// Reads the next rows of every column.
fn fill(columns: &mut [Option<Values>], known: &[String], count: usize) -> Result<(), Problem> {
    for (values, name) in columns.iter_mut().zip(known) {
        let Some(values) = values else { continue };
        if values.next(count).map_err(|error| broken(&error))? != count {
            let message = format!("the column `{name}` has fewer values than the table has rows");
            return Err(Problem::new(code::TABLE, message).help("fetch the file again"));
        }
    }
    Ok(())
}

/// Reason that a file cannot be read.
fn broken(error: &ParquetError) -> Problem {
    let text = error.to_string();
    let message = text.lines().next().unwrap_or_default();
    Problem::new(code::TABLE, format!("the Parquet file is damaged or cut: {message}"))
        .help("fetch the file again")
}

/// Succeeds if the program can decompress a column.
fn built_in(name: &str, compression: Compression) -> Result<(), Problem> {
    let codec = match compression {
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::ZSTD(_)
        | Compression::LZ4
        | Compression::LZ4_RAW => return Ok(()),
        Compression::BROTLI(_) => "Brotli",
        Compression::LZO => "LZO",
    };
    let message = format!("the column `{name}` is compressed by {codec}, which is not built in");
    Err(Problem::new(code::FEATURE, message)
        .help("columns may be plain, or compressed by snappy, gzip, zstd or LZ4: write the file again with one of them"))
}

/// Succeeds if the values of a column can be those of cells; `parts` are the columns of its name.
fn representable(column: &ColumnDescriptor, parts: usize) -> Result<(), Problem> {
    let what = match (parts, column.max_rep_level()) {
        (1, 0 | 1) => return Ok(()),
        (1, _) => "lists of lists",
        _ => "groups of several values",
    };
    let name = column.path().parts().first().cloned().unwrap_or_default();
    Err(Problem::new(code::TABLE, format!("the column `{name}` holds {what}, and no column of jobs does")))
}
