//! Rows of Parquet files.
//!
//! Columns that are not asked for are not decoded. Of those that are a block of values at a time is
//! held, so memory is bounded by pages and blocks, however many rows there are. A list is its count
//! and its sum; what no cell can be (lists of lists, groups) is refused where it is asked for.

mod deltas;
mod packed;
mod pages;
mod values;

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use parquet::schema::types::SchemaDescriptor;

use crate::collections::OrderedMap;
use crate::registry::Problem;
use crate::registry::code;
use crate::workload::swf::ErrorKind;

use super::cell::Cell;
use super::input::Input;
use super::mapping::Mapping;
use super::names;
use super::row::{CellPosition, Row, Take};
use packed::{Codec, PageFault};
use values::Values;

/// Rows that are read at a time.
const BLOCK: usize = 1024;
/// Rows that a file may have for each of its bytes: as many bytes as deflate can make of one.
const ROWS_A_BYTE: u64 = 1032;
/// Rows that a run can name.
const MOST_ROWS: u64 = u32::MAX as u64;

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
            cell if !self.mapping.paths[slot].counts => cell,
            Cell::List(count, _) => Cell::Whole(i64::try_from(count).unwrap_or(i64::MAX)),
            // a single value is one, as in JSON
            Cell::Absent => Cell::Whole(0),
            _ => Cell::Whole(1),
        }
    }

    fn line(&self) -> u64 {
        self.row
    }

    fn position(&self, _slot: usize) -> CellPosition {
        CellPosition::InRow(self.row)
    }

    fn column(&self, slot: usize) -> Option<&str> {
        self.mapping.paths.get(slot).map(|path| &*path.column)
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

/// Opens a file.
fn opened<R: ChunkReader + 'static>(file: R) -> Result<SerializedFileReader<R>, Problem> {
    let length = file.len();
    let reader = SerializedFileReader::new(file).map_err(|error| broken(&error, ""))?;
    let groups = reader.metadata().row_groups().iter();
    let rows = groups.fold(0_u64, |rows, group| rows.saturating_add(group.num_rows().max(0).unsigned_abs()));
    if rows > length.saturating_mul(ROWS_A_BYTE) {
        let message = format!("the Parquet file claims {rows} rows, more than its {length} bytes can hold");
        return Err(Problem::new(code::TABLE, message).help("fetch the file again"));
    }
    if rows > MOST_ROWS {
        return Err(ErrorKind::TooManyJobs(MOST_ROWS).into());
    }
    Ok(reader)
}

fn names_in<R: ChunkReader + 'static>(file: R) -> Result<Vec<String>, Problem> {
    let reader = opened(file)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let known = first_parts(&schema);
    let parts = parts(&known);
    let is_cell = |&at: &usize| representable(&schema.column(at), parts[known[at].as_str()]).is_ok();
    let names: Vec<String> = (0..known.len()).filter(is_cell).map(|at| known[at].clone()).collect();
    if names.is_empty() {
        let message = "no column of the Parquet file holds a value or a list of values a row";
        return Err(
            Problem::new(code::TABLE, message).help("this is no table of jobs: its columns are groups")
        );
    }
    Ok(names)
}

/// The first part of the path of each column.
fn first_parts(schema: &SchemaDescriptor) -> Vec<String> {
    let first = |column: &ColumnDescriptor| column.path().parts().first().cloned().unwrap_or_default();
    schema.columns().iter().map(|column| first(column)).collect()
}

/// The number of columns of each name.
fn parts(known: &[String]) -> OrderedMap<&str, usize> {
    let mut parts = OrderedMap::new();
    known.iter().for_each(|name| *parts.entry(name.as_str()).or_default() += 1);
    parts
}

/// Reads a file; `file_again` is the same one, for its pages.
fn read_chunks<R: ChunkReader + 'static>(
    file: R,
    file_again: &Arc<R>,
    mapping: &Mapping,
    take: &mut Take<'_>,
) -> Result<u64, Problem> {
    let reader = opened(file)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let known = first_parts(&schema);
    let slots = names::places(&known, mapping)?;
    let parts = parts(&known);
    for &column in slots.iter().flatten() {
        representable(&schema.column(column), parts[known[column].as_str()])?;
    }
    if slots.iter().all(Option::is_none) {
        let message = "the table has none of the columns that are named";
        return Err(Problem::new(code::UNKNOWN_NAME, message).help("without one, its rows cannot be read"));
    }
    let mut rows = 0;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(|error| broken(&error, &at_row(rows)))?;
        let mut left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let mut columns: Vec<Option<Values>> = known.iter().map(|_| None).collect();
        for &column in slots.iter().flatten().filter(|&&column| column < group.num_columns()) {
            if columns[column].is_none() {
                let chunk = group.metadata().column(column);
                let codec = built_in(&known[column], chunk.compression())?;
                let reader = pages::column(file_again, chunk, codec, left);
                let reader = reader.map_err(|error| broken(&error, &at_cell(rows, &known[column])))?;
                columns[column] = Some(Values::new(reader, &schema.column(column)));
            }
        }
        while left > 0 {
            let count = left.min(BLOCK);
            fill(&mut columns, &known, rows, count)?;
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

/// Reads the next rows of every column, behind so many rows.
fn fill(columns: &mut [Option<Values>], known: &[String], rows: u64, count: usize) -> Result<(), Problem> {
    for (values, name) in columns.iter_mut().zip(known) {
        let Some(values) = values else { continue };
        let found = values.next(count).map_err(|error| broken(&error, &at_cell(rows, name)))?;
        if found != count {
            let place = at_cell(rows + found as u64, name);
            let message = format!("{place}the column has fewer values than the table has rows");
            return Err(Problem::new(code::TABLE, message).help("fetch the file again"));
        }
    }
    Ok(())
}

/// The row behind so many, for a message.
fn at_row(rows: u64) -> String {
    format!("from row {} on: ", rows + 1)
}

/// The row behind so many, and a column, for a message.
fn at_cell(rows: u64, column: &str) -> String {
    format!("column `{column}`, from row {} on: ", rows + 1)
}

/// Reason that a file cannot be read; the words of the library are a note.
fn broken(error: &ParquetError, place: &str) -> Problem {
    let fault = match error {
        ParquetError::External(error) => error.downcast_ref::<PageFault>(),
        _ => None,
    };
    let message = match (error, fault) {
        (_, Some(fault)) => fault.to_string(),
        (ParquetError::EOF(_), _) => "the Parquet file is cut, or its lengths are wrong".to_owned(),
        (ParquetError::NYI(_), _) => "the Parquet file uses a part of the format that is not read".to_owned(),
        _ => "the Parquet file is damaged or cut".to_owned(),
    };
    let words = match fault {
        Some(fault) => fault.words().map(ToOwned::to_owned),
        None => Some(error.to_string()),
    };
    let note = words
        .as_deref()
        .and_then(|words| words.lines().next())
        .map(|words| format!("; the decoder says: {words}"));
    Problem::new(code::TABLE, format!("{place}{message}"))
        .help(format!("fetch the file again{}", note.unwrap_or_default()))
}

/// The codec of a column, if the program can decompress it.
fn built_in(name: &str, compression: Compression) -> Result<Codec, Problem> {
    Codec::of(compression).map_err(|codec| {
        let message = format!("the column `{name}` is compressed by {codec}, which is not built in");
        Problem::new(code::FEATURE, message)
            .help("columns may be plain, or compressed by snappy, gzip, zstd or LZ4: write the file again with one of them")
    })
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
