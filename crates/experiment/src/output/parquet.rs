//! Tables as Parquet files, for tools that read columns (DuckDB, pandas, polars, R).
//!
//! - *Types.* Whole numbers are INT64 (what counts or names things is marked unsigned), times,
//!   decimals and reals DOUBLE, texts and intervals BYTE_ARRAY marked as strings. Times and
//!   decimals are rounded once, to the nearest double. Every column is optional, as in the files of
//!   most writers; an empty cell is null.
//! - *Groups* of 131,072 rows, about as many as readers like to hand to one thread. Rows are
//!   gathered by column until a group is full: that much of a table is in memory, however long it
//!   is. Values that repeat are kept once in a dictionary, a column and group, until the dictionary
//!   grows too large to pay.
//! - *Codec.* Snappy: written in Rust, so that a build needs no C compiler; known to every reader;
//!   and its output depends on the input alone, while compressors that pick their search by the
//!   processor at hand may give other bytes elsewhere. Zstandard would save about a sixth of the
//!   size.
//! - *The same bytes.* The file names this program and its version as its maker, and no time.
//!   Statistics stand with each group's columns, where readers skip whole groups by them, not with
//!   each page.
//!
//! Source: github.com/apache/parquet-format, README.md, LogicalTypes.md and Encodings.md.

use std::io::{self, Write};
use std::mem;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::csv::written;
use super::table::{Cell, CellType, RowSink, RowSource, Table};

/// Rows of a group.
pub(super) const GROUP: usize = 1 << 17;

/// Bytes of a dictionary at most: 32,768 numbers. A column of a group that has more different
/// values is plain from there on; numbers that are all different would take a quarter more as a
/// dictionary and references to it.
const DICTIONARY: usize = 1 << 18;

/// Writes a table in groups of `group` rows.
///
/// # Errors
/// What the writer says.
pub(super) fn write(source: &dyn RowSource, group: usize, out: &mut (impl Write + Send)) -> io::Result<()> {
    let table = source.table();
    let properties = WriterProperties::builder()
        .set_created_by(format!("clustersim version {}", crate::output::VERSION))
        .set_compression(Compression::SNAPPY)
        .set_dictionary_page_size_limit(DICTIONARY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .build();
    let file = schema(&table).and_then(|schema| SerializedFileWriter::new(out, schema, Arc::new(properties)));
    let columns = table.columns.iter().map(|column| Gathered::of(column.kind)).collect();
    let mut sink = Sink { file: file.map_err(of_writer)?, table, columns, rows: 0, group };
    source.push(&mut sink)?;
    if sink.rows > 0 {
        sink.flush().map_err(of_writer)?;
    }
    sink.file.close().map(drop).map_err(of_writer)
}

/// A file that is being written, with the rows of its current group.
struct Sink<W: Write + Send> {
    file: SerializedFileWriter<W>,
    table: Table,
    columns: Vec<Gathered>,
    rows: usize,
    group: usize,
}

/// The cells of a column in the current group: 1 for each value and 0 for each null, and the
/// values.
struct Gathered {
    present: Vec<i16>,
    values: Values,
}

enum Values {
    Whole(Vec<i64>),
    Real(Vec<f64>),
    /// The texts one behind the other, and where each ends.
    Text(Vec<u8>, Vec<usize>),
}

impl<W: Write + Send> RowSink for Sink<W> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        debug_assert!(self.table.takes(cells), "{} has no rows of {cells:?}", self.table.name);
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.present.push(i16::from(column.values.push(cell)));
        }
        self.rows += 1;
        if self.rows == self.group { self.flush().map_err(of_writer) } else { Ok(()) }
    }
}

impl<W: Write + Send> Sink<W> {
    /// Writes the group.
    fn flush(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for Gathered { present, values } in &mut self.columns {
            let mut writer = group.next_column()?.expect("the schema has these columns");
            match values {
                Values::Whole(values) => put::<Int64Type>(&mut writer, values, present)?,
                Values::Real(values) => put::<DoubleType>(&mut writer, values, present)?,
                Values::Text(whole, ends) => {
                    let whole = ByteArray::from(mem::take(whole));
                    let starts = std::iter::once(0).chain(ends.iter().copied());
                    let texts = starts.zip(&*ends).map(|(start, &end)| whole.slice(start, end - start));
                    put::<ByteArrayType>(&mut writer, &texts.collect::<Vec<_>>(), present)?;
                }
            }
            writer.close()?;
            present.clear();
            values.clear();
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

impl Gathered {
    fn of(kind: CellType) -> Self {
        let values = match kind {
            CellType::Count | CellType::Integer => Values::Whole(Vec::new()),
            CellType::Time | CellType::Decimal(_) | CellType::Real => Values::Real(Vec::new()),
            CellType::Text | CellType::Category | CellType::Intervals => Values::Text(Vec::new(), Vec::new()),
        };
        Gathered { present: Vec::new(), values }
    }
}

impl Values {
    /// Takes the value of a cell, and says whether it has one.
    fn push(&mut self, cell: &Cell<'_>) -> bool {
        match self {
            Values::Whole(values) => values.extend(cell.whole()),
            Values::Real(values) => values.extend(cell.real()),
            Values::Text(text, ends) => {
                match cell {
                    Cell::Word(part) | Cell::Text(part) => text.extend_from_slice(part.as_bytes()),
                    Cell::Intervals(_) => text.extend_from_slice(written(*cell).as_bytes()),
                    _ => return false,
                }
                ends.push(text.len());
            }
        }
        !matches!(cell, Cell::Empty)
    }

    fn clear(&mut self) {
        match self {
            Values::Whole(values) => values.clear(),
            Values::Real(values) => values.clear(),
            Values::Text(text, ends) => {
                text.clear();
                ends.clear();
            }
        }
    }
}

fn put<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
    present: &[i16],
) -> Result<(), ParquetError> {
    writer.typed::<T>().write_batch(values, Some(present), None).map(drop)
}

fn schema(table: &Table) -> Result<TypePtr, ParquetError> {
    let fields = table.columns.iter().map(|column| {
        let (physical, logical) = match column.kind {
            CellType::Count => (Physical::INT64, Some(LogicalType::integer(64, false))),
            CellType::Integer => (Physical::INT64, None),
            CellType::Time | CellType::Decimal(_) | CellType::Real => (Physical::DOUBLE, None),
            CellType::Text | CellType::Category | CellType::Intervals => {
                (Physical::BYTE_ARRAY, Some(LogicalType::String))
            }
        };
        let field = Type::primitive_type_builder(&column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        field.build().map(Arc::new)
    });
    let fields = fields.collect::<Result<_, _>>()?;
    Type::group_type_builder("schema").with_fields(fields).build().map(Arc::new)
}

/// Error of the writer below, unchanged.
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

    use crate::collections::Interval;
    use crate::kernel::SimDuration;

    use super::super::table::Column;
    use super::*;

    type Row = (Option<u64>, Option<i64>, Option<f64>, Option<&'static str>);

    /// A table whose rows are these.
    struct Rows<'a>(&'a [Row]);

    impl RowSource for Rows<'_> {
        fn table(&self) -> Table {
            let columns = [
                Column::new("count", CellType::Count, "", "a count"),
                Column::new("whole", CellType::Integer, "", "a whole number"),
                Column::new("real", CellType::Real, "", "a number"),
                Column::new("text", CellType::Text, "", "a text"),
            ];
            Table::new("t", "rows", &columns)
        }

        fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
            self.0.iter().try_for_each(|row| {
                sink.row(&[
                    row.0.map(Cell::Count).unwrap_or_default(),
                    row.1.map(Cell::Integer).unwrap_or_default(),
                    row.2.map(Cell::Real).unwrap_or_default(),
                    row.3.map(Cell::Text).unwrap_or_default(),
                ])
            })
        }
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
        write(&Rows(rows), group, &mut bytes).expect("into memory");
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
    fn cells_become_values_of_the_type_of_their_column() {
        struct One;
        impl RowSource for One {
            fn table(&self) -> Table {
                let kinds = [
                    CellType::Time,
                    CellType::Decimal(6),
                    CellType::Decimal(6),
                    CellType::Integer,
                    CellType::Real,
                ];
                let kinds = kinds.into_iter().chain([CellType::Text, CellType::Intervals]);
                Table::new("t", "rows", &[]).with(
                    kinds.zip('a'..).map(|(kind, name)| Column::named(name.to_string(), kind, "", "a cell")),
                )
            }

            fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
                sink.row(&[
                    Cell::Time(SimDuration::from_nanos(1_500_000_001)),
                    Cell::Decimal(1_666_667, 6),
                    Cell::Integer(-1),
                    Cell::Spelled("-12"),
                    Cell::Spelled("1e3"),
                    Cell::Word("head"),
                    Cell::Intervals(&[Interval::new(0, 3), Interval::new(7, 7)]),
                ])
            }
        }
        let mut bytes = Vec::new();
        write(&One, 8, &mut bytes).expect("into memory");
        let text = |text: &str| Field::Str(text.to_owned());
        let reals = [1.500_000_001, 1.666_667, -1.0].map(Field::Double);
        let others = [Field::Long(-12), Field::Double(1000.0), text("head"), text("0-3 7")];
        assert_eq!(read(&bytes), (1, vec![[&reals[..], &others[..]].concat()]));
    }

    #[test]
    fn times_are_what_the_text_is_read_back_as() {
        for (nanos, text) in [
            (1_000_000_001, "1.000000001"),
            (12_340_000_000, "12.34"),
            (9_007_199_254_740_993, "9007199.254740993"),
            (u64::MAX, "18446744073.709551615"),
        ] {
            let read: f64 = text.parse().expect("a number");
            let cell = Cell::Time(SimDuration::from_nanos(nanos));
            assert_eq!(cell.real().map(f64::to_bits), Some(read.to_bits()), "{text}");
        }
    }

    #[test]
    fn equal_rows_give_equal_bytes_that_name_their_maker() {
        let bytes = written(&ROWS, 2);
        assert_eq!(bytes, written(&ROWS, 2));
        let maker = format!("clustersim version {}", crate::output::VERSION);
        assert!(bytes.windows(maker.len()).any(|window| window == maker.as_bytes()));
    }

    #[test]
    fn a_full_disk_is_reported_as_such() {
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
            let error = write(&Rows(&ROWS), 2, &mut Full(room)).expect_err("no room");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "room for {room} bytes");
        }
        write(&Rows(&ROWS), 2, &mut Full(whole)).expect("room enough");
    }
}
