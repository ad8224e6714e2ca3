//! Values of a column of Parquet, a block at a time.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, Int96};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;

use crate::import::table::cell::Cell;

/// Nanoseconds of a day, and the Julian day of 1 January 1970.
const DAY: i64 = 86_400_000_000_000;
const EPOCH_DAY: i64 = 2_440_588;

/// Meaning of the numbers of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sense {
    /// The number itself.
    Plain,
    /// Nanoseconds in a unit of a time since 1970, and true if it is in UTC.
    Time(i64, bool),
    /// A number with so many decimal places.
    Decimal(i32),
    /// A number without a sign.
    Unsigned,
}

/// A value that is held.
#[derive(Clone, Debug)]
enum Held {
    Nothing,
    Text(ByteArray),
    Whole(i64),
    Real(f64),
    Instant(i64, bool),
    List(u64, f64),
}

/// A column of a group of rows, and the block of it that is held.
pub(super) struct Values {
    reader: ColumnReader,
    sense: Sense,
    levels: Levels,
    held: Vec<Held>,
}

/// Greatest levels of definition and repetition.
#[derive(Clone, Copy, Debug)]
struct Levels {
    definition: i16,
    repetition: i16,
}

impl Values {
    /// A column whose values come from `reader`.
    pub(super) fn new(reader: ColumnReader, column: &ColumnDescriptor) -> Self {
        let levels = Levels { definition: column.max_def_level(), repetition: column.max_rep_level() };
        Values { reader, sense: sense(column), levels, held: Vec::new() }
    }

    /// The value at a place of the block.
    pub(super) fn cell(&self, at: usize) -> Cell<'_> {
        match self.held.get(at) {
            Some(Held::Text(bytes)) => Cell::Text(bytes.data()),
            Some(&Held::Whole(number)) => Cell::Whole(number),
            Some(&Held::Real(number)) => Cell::Real(number),
            Some(&Held::Instant(nanos, is_utc)) => Cell::Instant(nanos, is_utc),
            Some(&Held::List(count, sum)) => Cell::List(count, sum),
            Some(Held::Nothing) | None => Cell::Absent,
        }
    }

    /// Reads the next block of at most `count` rows; how many there were.
    pub(super) fn next(&mut self, count: usize) -> Result<usize, ParquetError> {
        let (sense, levels, held) = (self.sense, self.levels, &mut self.held);
        held.clear();
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => {
                fill(reader, levels, count, held, |&flag| Held::Whole(i64::from(flag)))
            }
            ColumnReader::Int32ColumnReader(reader) => {
                let bits = |number: i32| {
                    if sense == Sense::Unsigned { i64::from(number as u32) } else { number.into() }
                };
                fill(reader, levels, count, held, |&number| sense.whole(bits(number)))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                fill(reader, levels, count, held, |&number| sense.whole(number))
            }
            ColumnReader::Int96ColumnReader(reader) => fill(reader, levels, count, held, instant),
            ColumnReader::FloatColumnReader(reader) => {
                fill(reader, levels, count, held, |&number| Held::Real(f64::from(number)))
            }
            ColumnReader::DoubleColumnReader(reader) => {
                fill(reader, levels, count, held, |&number| Held::Real(number))
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                fill(reader, levels, count, held, |bytes| sense.bytes(bytes))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                fill(reader, levels, count, held, |bytes| sense.bytes(bytes))
            }
        }?;
        Ok(held.len())
    }
}

impl Sense {
    fn whole(self, number: i64) -> Held {
        match self {
            Sense::Time(unit, is_utc) => match number.checked_mul(unit) {
                Some(nanos) => Held::Instant(nanos, is_utc),
                // beyond any time that is read
                None => Held::Instant(i64::MAX, is_utc),
            },
            Sense::Decimal(places) => Held::Real(decimal(number as f64, places)),
            Sense::Unsigned if number < 0 => Held::Real(number.cast_unsigned() as f64),
            Sense::Plain | Sense::Unsigned => Held::Whole(number),
        }
    }

    fn bytes(self, bytes: &ByteArray) -> Held {
        let Sense::Decimal(places) = self else { return Held::Text(bytes.clone()) };
        // two's complement, the highest byte first
        let sign = bytes.data().first().map_or(0, |byte| if byte & 0x80 == 0 { 0 } else { -1 });
        let value = bytes.data().iter().fold(f64::from(sign), |value, &byte| value * 256.0 + f64::from(byte));
        Held::Real(decimal(value, places))
    }
}

/// A number of units of the last of so many decimal places.
fn decimal(units: f64, places: i32) -> f64 {
    let ten = |power: f64, _| power * 10.0;
    units / (0..places.clamp(0, 300)).fold(1.0, ten)
}

/// The time of the old form of 96 bits, whose zone is not stated.
fn instant(value: &Int96) -> Held {
    let &[low, high, day] = value.data() else { return Held::Nothing };
    let nanos = (i64::from(high) << 32) | i64::from(low);
    let days = (i64::from(day) - EPOCH_DAY).checked_mul(DAY);
    Held::Instant(days.and_then(|days| days.checked_add(nanos)).unwrap_or(i64::MAX), false)
}

/// Reads rows into `held`; `of` is the meaning of a value.
fn fill<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    levels: Levels,
    count: usize,
    held: &mut Vec<Held>,
    of: impl Fn(&T::T) -> Held,
) -> Result<(), ParquetError> {
    let (mut definitions, mut repetitions, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut rows = 0;
    while rows < count {
        let (read, ..) =
            reader.read_records(count - rows, Some(&mut definitions), Some(&mut repetitions), &mut values)?;
        if read == 0 {
            break;
        }
        rows += read;
    }
    let mut values = values.iter().map(of);
    if levels.definition == 0 {
        held.extend(values);
        return Ok(());
    }
    for (at, &definition) in definitions.iter().enumerate() {
        let value = if definition == levels.definition { values.next() } else { None };
        if levels.repetition == 0 {
            held.push(value.unwrap_or(Held::Nothing));
            continue;
        }
        if repetitions.get(at).is_none_or(|&repetition| repetition == 0) {
            held.push(if definition == 0 { Held::Nothing } else { Held::List(0, 0.0) });
        }
        if let Some(Held::List(count, sum)) = held.last_mut() {
            match value {
                Some(Held::Whole(number)) => (*count, *sum) = (*count + 1, *sum + number as f64),
                Some(Held::Real(number)) if !number.is_nan() => (*count, *sum) = (*count + 1, *sum + number),
                Some(Held::Text(_) | Held::Instant(..)) => *count += 1,
                _ => {}
            }
        }
    }
    Ok(())
}

fn sense(column: &ColumnDescriptor) -> Sense {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => 1_000_000,
        TimeUnit::MICROS => 1_000,
        TimeUnit::NANOS => 1,
    };
    match column.logical_type_ref() {
        Some(LogicalType::Timestamp(stamp)) => {
            return Sense::Time(unit(&stamp.unit), stamp.is_adjusted_to_u_t_c);
        }
        Some(LogicalType::Decimal(decimal)) => return Sense::Decimal(decimal.scale),
        Some(LogicalType::Date) => return Sense::Time(DAY, false),
        Some(LogicalType::Integer(integer)) if !integer.is_signed => return Sense::Unsigned,
        _ => {}
    }
    match column.converted_type() {
        ConvertedType::TIMESTAMP_MILLIS => Sense::Time(1_000_000, true),
        ConvertedType::TIMESTAMP_MICROS => Sense::Time(1_000, true),
        ConvertedType::DECIMAL => Sense::Decimal(column.type_scale()),
        ConvertedType::DATE => Sense::Time(DAY, false),
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
            Sense::Unsigned
        }
        _ => Sense::Plain,
    }
}
