//! Columns as a Parquet file.
//!
//! - *Types.* Whole numbers are INT64 (what counts or names things is marked unsigned), real numbers DOUBLE, texts
//!   BYTE_ARRAY marked as strings. Every column is optional, as in the files of most writers; an empty field is null.
//! - *Groups* of 131,072 rows, about as many as readers like to hand to one thread. Values that repeat are kept once in a
//!   dictionary, a column and group, until the dictionary grows too large to pay.
//! - *Codec.* Snappy: written in Rust, so that a build needs no C compiler; known to every reader; and its output
//!   depends on the input alone, while compressors that pick their search by the processor at hand may give other bytes
//!   elsewhere. Zstandard would save about a sixth of the size.
//! - *The same bytes.* The file names this program and its version as its maker, and no time. Statistics stand with each
//!   group's columns, where readers skip whole groups by them, not with each page.
//!
//! Source: github.com/apache/parquet-format, README.md, LogicalTypes.md and Encodings.md.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::columns::{Cells, Column};

/// Rows of a group.
pub(super) const GROUP: usize = 1 << 17;

/// Bytes of a dictionary at most: 32,768 numbers. A column of a group that has more different values is plain from there
/// on; numbers that are all different would take a quarter more as a dictionary and references to it.
const DICTIONARY: usize = 1 << 18;

/// Writes `rows` in groups of `group`.
///
/// # Errors
/// What the writer says.
pub(super) fn write<R>(
    columns: &[Column<'_, R>],
    rows: &[R],
    group: usize,
    out: &mut (impl Write + Send),
) -> io::Result<()> {
    groups(columns, rows, group, out).map_err(of_writer)
}

fn groups<R>(
    columns: &[Column<'_, R>],
    rows: &[R],
    group: usize,
    out: &mut (impl Write + Send),
) -> Result<(), ParquetError> {
    let properties = WriterProperties::builder()
        .set_created_by(concat!("clustersim version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::SNAPPY)
        .set_dictionary_page_size_limit(DICTIONARY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .build();
    let mut file = SerializedFileWriter::new(out, schema(columns)?, Arc::new(properties))?;
    let mut present = Vec::new();
    for rows in rows.chunks(group) {
        let mut writer = file.next_row_group()?;
        for column in columns {
            let mut writer = writer.next_column()?.expect("the schema was made from these columns");
            present.clear();
            match &column.cells {
                Cells::Count(cell) => {
                    // an unsigned number is kept as the signed one of the same bits
                    let values = gather(rows, &mut present, |row| cell(row).map(u64::cast_signed));
                    put::<Int64Type>(&mut writer, &values, &present)?;
                }
                Cells::Whole(cell) => {
                    put::<Int64Type>(&mut writer, &gather(rows, &mut present, cell), &present)?;
                }
                Cells::Real(cell) => {
                    put::<DoubleType>(&mut writer, &gather(rows, &mut present, cell), &present)?;
                }
                Cells::Text(cell) => {
                    put::<ByteArrayType>(&mut writer, &texts(rows, &mut present, cell), &present)?;
                }
            }
            writer.close()?;
        }
        writer.close()?;
    }
    file.close().map(drop)
}

/// The values that there are; `present` gets 1 for each of them and 0 for each null.
fn gather<R, V>(rows: &[R], present: &mut Vec<i16>, cell: impl Fn(&R) -> Option<V>) -> Vec<V> {
    let mut values = Vec::with_capacity(rows.len());
    for row in rows {
        let value = cell(row);
        present.push(i16::from(value.is_some()));
        values.extend(value);
    }
    values
}

/// The texts that there are, as parts of one.
fn texts<R>(rows: &[R], present: &mut Vec<i16>, cell: impl Fn(&R, &mut Vec<u8>) -> bool) -> Vec<ByteArray> {
    let (mut whole, mut ends) = (Vec::new(), Vec::with_capacity(rows.len()));
    for row in rows {
        let before = whole.len();
        let there = cell(row, &mut whole);
        present.push(i16::from(there));
        if there {
            ends.push(whole.len());
        } else {
            whole.truncate(before);
        }
    }
    let whole = ByteArray::from(whole);
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(&ends).map(|(start, &end)| whole.slice(start, end - start)).collect()
}

fn put<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
    present: &[i16],
) -> Result<(), ParquetError> {
    writer.typed::<T>().write_batch(values, Some(present), None).map(drop)
}

fn schema<R>(columns: &[Column<'_, R>]) -> Result<TypePtr, ParquetError> {
    let field = |column: &Column<'_, R>| {
        let (physical, logical) = match column.cells {
            Cells::Count(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Cells::Whole(_) => (Physical::INT64, None),
            Cells::Real(_) => (Physical::DOUBLE, None),
            Cells::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(&column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder("schema").with_fields(fields).build().map(Arc::new)
}

/// What the writer below said, as it said it.
fn of_writer(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::*;

    type Row = (Option<u64>, Option<i64>, Option<f64>, Option<&'static str>);

    fn columns() -> Vec<Column<'static, Row>> {
        let text = |row: &Row, text: &mut Vec<u8>| {
            // what is written for a row that has none must not be seen
            text.extend_from_slice(row.3.unwrap_or("never").as_bytes());
            row.3.is_some()
        };
        vec![
            Column::count("count", |row: &Row| row.0),
            Column::whole("whole", |row: &Row| row.1),
            Column::real("real", |row: &Row| row.2),
            Column::text("text", text),
        ]
    }

    const ROWS: [Row; 5] = [
        (Some(0), Some(-1), Some(0.1), Some("a")),
        (Some(u64::MAX), None, None, None),
        (None, Some(i64::MIN), Some(-0.0), Some("")),
        (Some(7), Some(i64::MAX), Some(f64::MAX), Some("ärger, \"x\"\n")),
        (None, None, None, None),
    ];

    fn written(rows: &[Row], group: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&columns(), rows, group, &mut bytes).expect("into memory");
        bytes
    }

    fn read(bytes: &[u8]) -> (usize, Vec<Vec<Field>>) {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("writable");
        let reader = SerializedFileReader::new(file).expect("a Parquet file");
        let groups = reader.metadata().num_row_groups();
        let rows = reader.get_row_iter(None).expect("rows");
        let fields = rows.map(|row| row.expect("a row").into_columns().into_iter().map(|(_, field)| field));
        (groups, fields.map(Iterator::collect).collect())
    }

    #[test]
    fn values_and_nulls_come_back_whatever_the_groups() {
        let field = |row: &Row| {
            vec![
                row.0.map_or(Field::Null, Field::ULong),
                row.1.map_or(Field::Null, Field::Long),
                row.2.map_or(Field::Null, Field::Double),
                row.3.map_or(Field::Null, |text| Field::Str(text.to_owned())),
            ]
        };
        let expected: Vec<_> = ROWS.iter().map(field).collect();
        for (group, groups) in [(1, 5), (2, 3), (5, 1), (100, 1)] {
            assert_eq!(read(&written(&ROWS, group)), (groups, expected.clone()), "groups of {group}");
        }
        assert_eq!(read(&written(&[], 2)), (0, Vec::new()), "a table without rows");
    }

    #[test]
    fn equal_rows_give_equal_bytes_that_name_their_maker() {
        let bytes = written(&ROWS, 2);
        assert_eq!(bytes, written(&ROWS, 2));
        let maker = concat!("clustersim version ", env!("CARGO_PKG_VERSION"));
        assert!(bytes.windows(maker.len()).any(|window| window == maker.as_bytes()));
    }

    #[test]
    fn a_full_disk_is_told_as_such() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let whole = written(&ROWS, 2).len();
        for room in [0, 10, whole / 2, whole - 1] {
            let error = write(&columns(), &ROWS, 2, &mut Full(room)).expect_err("no room");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "room for {room} bytes");
        }
        write(&columns(), &ROWS, 2, &mut Full(whole)).expect("room enough");
    }
}
