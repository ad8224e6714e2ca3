//! Reading a series in either format.

use std::path::Path;

use crate::kernel::SimTime;
use crate::platform::measured::{bare, is_gap};
use crate::platform::sharing::MOST;
use crate::registry::Problem;
use crate::registry::code::{self, Code};
use crate::registry::{Complaint, Span};
use crate::text::csv::{self, Field, Row, Table};
use crate::text::{LONGEST_TEXT, Mistakes, read_file};

use super::{MeasuredSeries, SeriesFormat, SeriesOf};

/// Samples of one file: half a year of one a second.
const MOST_SAMPLES: usize = 1 << 24;

/// Samples read so far.
struct Reader<'f> {
    format: &'f SeriesFormat,
    /// On the clock of the file.
    points: Vec<(SimTime, f64)>,
    /// The time of the last sample, with a value or without.
    last: Option<SimTime>,
    missing: u64,
    problems: Mistakes<Problem>,
}

/// Reads lines of a time and a value.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read_series(text: &str, format: &SeriesFormat) -> Result<MeasuredSeries, Mistakes<Problem>> {
    let mut reader = Reader::new(format);
    let mut columns = None;
    for (line, number) in text.lines().zip(1..) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let whole = Field::piece(line, number, trimmed);
        let mut words = line.split_whitespace().map(|word| Field::piece(line, number, word));
        let (Some(time), Some(value)) = (words.next(), words.next()) else {
            reader.report(whole, code::TYPE, "this line has no value", "expected a time and a value");
            continue;
        };
        let further = words.count();
        if *columns.get_or_insert(further) != further {
            let what = "this line has another number of columns than the first";
            reader.report(
                whole,
                code::TYPE,
                what,
                "expected a time and a value, and further columns in all lines",
            );
        }
        reader.sample(time, value);
    }
    reader.done("expected lines of a time and a value")
}

/// Reads comma-separated values, whose first line names the columns.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read_series_csv(text: &str, format: &SeriesFormat) -> Result<MeasuredSeries, Mistakes<Problem>> {
    let expected = "expected a line that names the columns, such as `time,value`, and lines of samples";
    let mut reader = Reader::new(format);
    let table = Table::new(csv::Reader::new(text).with_comments()).map_err(Problem::from)?;
    let Some(mut table) = table else { return reader.done(expected) };
    let [time, value] = columns(&table, format)?;
    let read = table.each_row(|row: &Row<'_>| match (row.get(time), row.get(value)) {
        (Some(time), Some(value)) => reader.sample(time, value),
        _ => reader.report(row.whole(), code::TYPE, "this line lacks a column", "an empty cell is a gap"),
    });
    if let Err(mistake) = read {
        reader.problems.push(mistake.into());
    }
    reader.done(expected)
}

/// Reads the series in a file, which messages call `name`, at `at`: comma-separated values if its
/// name ends in `.csv` or `.csv.gz`.
///
/// # Errors
/// The file cannot be read, and everything that is wrong with it.
pub(crate) fn read_series_named(
    path: &Path,
    (name, at): (&str, Span),
    format: &SeriesFormat,
) -> Result<MeasuredSeries, Vec<Complaint>> {
    let text = read_file(path, LONGEST_TEXT).map_err(|why| {
        vec![Complaint::new(code::FILE, format!("cannot read `{name}`: {why}"), at).label("named here")]
    })?;
    let is_csv = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    let unpacked = path.extension().filter(|ending| ending.eq_ignore_ascii_case("gz")).and(path.file_stem());
    let read = if is_csv(path) || unpacked.is_some_and(|name| is_csv(Path::new(name))) {
        read_series_csv(&text, format)
    } else {
        read_series(&text, format)
    };
    read.map_err(|problems| problems.map(|problem| problem.complaint(name, Some(at))).into())
}

/// Columns of times and values.
fn columns(table: &Table<'_>, format: &SeriesFormat) -> Result<[usize; 2], Mistakes<Problem>> {
    let time = format.time.as_deref().unwrap_or("time");
    let named = table.columns([time, format.value.as_deref().unwrap_or("value")]);
    let other = table.head.len() == 2 && format.value.is_none();
    match (named, other.then(|| table.columns([time]))) {
        (Err(_), Some(Ok([time]))) => Ok([time, 1 - time]),
        (named, _) => named.map_err(|mistakes| mistakes.map(Problem::from)),
    }
}

impl<'f> Reader<'f> {
    fn new(format: &'f SeriesFormat) -> Self {
        Reader { format, points: Vec::new(), last: None, missing: 0, problems: Mistakes::new() }
    }

    fn report(&mut self, cell: Field<'_>, code: &'static Code, what: impl Into<String>, help: &str) {
        self.problems.push_with(|| Problem::of_cell(cell, code, what, help));
    }

    /// Value read of a cell; reports what is wrong with it.
    fn taken<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.problems.push(problem)).ok()
    }

    fn sample(&mut self, time: Field<'_>, value: Field<'_>) {
        let at = self.taken(self.format.units.read_time(time)).map(SimTime::from_nanos);
        let is_missing = is_gap(value);
        let number = if is_missing { None } else { self.taken(self.value(value)) };
        let Some(at) = at else { return };
        if let Some(last) = self.last.filter(|last| at <= *last) {
            let than = if at == last { "at the time of" } else { "earlier than" };
            let what = format!("this sample is {than} the one before it");
            self.report(time, code::CONTRADICTION, what, "expected times that rise");
        }
        // kept even where it is wrong, so that the next one is compared with it
        self.last = Some(at);
        self.missing += u64::from(is_missing);
        if self.points.len() == MOST_SAMPLES {
            if self.problems.is_empty() {
                let what = format!("there are more than {MOST_SAMPLES} samples");
                self.report(
                    time.whole_row(),
                    code::RANGE,
                    what,
                    "expected fewer: cut the series, or thin it out",
                );
            }
            return;
        }
        self.points.extend(number.map(|number| (at, number)));
    }

    fn value(&self, cell: Field<'_>) -> Result<f64, Problem> {
        let units = &self.format.units;
        match self.format.of {
            SeriesOf::Bandwidth => units.read_bandwidth(cell),
            SeriesOf::Availability => units.read_share(cell, units.use_of),
            SeriesOf::Load => {
                let load = bare(cell.raw()).map(|number| number.to_f64(0)).filter(|load| *load <= MOST);
                load.ok_or_else(|| {
                    let what = format!("`{}` is no load", cell.raw());
                    Problem::of_cell(cell, code::RANGE, what, "expected a number of 0 or more")
                })
            }
        }
    }

    fn done(mut self, expected: &str) -> Result<MeasuredSeries, Mistakes<Problem>> {
        if self.problems.is_empty() && self.points.is_empty() {
            let what = if self.missing > 0 {
                "no sample of the series has a value"
            } else {
                "the series has no samples"
            };
            self.problems.push(Problem::new(code::MISSING_KEY, what).help(expected));
        }
        self.problems.unless_any(MeasuredSeries::new(self.points, self.missing))
    }
}
