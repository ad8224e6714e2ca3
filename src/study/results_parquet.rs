//! `results.parquet`: the rows of `results.csv`, for tools that read columns.
//!
//! The same columns under the same names in the same order, and null where a field is empty there. Numbers that count are
//! whole, metrics real. A varied key is a column of whole numbers if each of its values is one, of real numbers if each
//! is a number, else of texts as `results.csv` has them.

use std::io;

use crate::instrument::sink::{Column, write_columns};
use crate::scenario::Study;
use crate::study::results::state;
use crate::study::row::{Row, State, metrics};

/// The bytes of the file; `rows` in their order.
///
/// # Errors
/// [`io::ErrorKind::Unsupported`] if this build cannot write such files.
pub fn bytes(study: &Study, rows: &[Row]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write_columns(&columns(study, rows), rows, &mut bytes)?;
    Ok(bytes)
}

fn columns<'a>(study: &'a Study, rows: &[Row]) -> Vec<Column<'a, Row>> {
    let done = |row: &Row| row.state == State::Done;
    let mut columns = vec![
        Column::whole("point", |row: &Row| Some(i64::from(row.point))),
        Column::whole("replication", |row: &Row| row.replication.map(i64::from)),
    ];
    columns.extend(study.keys().enumerate().map(|(place, key)| varied(study, place, key)));
    columns.extend([
        Column::text("state", |row, text| put(text, Some(state(row)))),
        Column::text("digest", |row: &Row, text| {
            put(text, Some(row.digest.as_str()).filter(|digest| !digest.is_empty()))
        }),
        Column::count("events", move |row| done(row).then_some(row.events)),
        Column::count("warm-up", move |row| done(row).then_some(row.warm_up)),
    ]);
    let real = |name: &String| {
        let metric = name.clone();
        Column::real(name, move |row: &Row| row.metric(&metric))
    };
    columns.extend(metrics(study, rows).iter().map(|(name, _)| real(name)));
    columns.push(Column::text("error", |row: &Row, text| put(text, row.error.as_deref())));
    columns
}

/// The column of the varied key in this place among them.
fn varied<'a>(study: &'a Study, place: usize, key: &str) -> Column<'a, Row> {
    let value = move |row: &Row| study.points[row.point as usize].settings[place].1.as_str();
    let all = || study.points.iter().map(|point| point.settings[place].1.as_str());
    if all().all(|text| whole(text).is_some()) {
        Column::whole(key, move |row| whole(value(row)))
    } else if all().all(|text| real(text).is_some()) {
        Column::real(key, move |row| real(value(row)))
    } else {
        Column::text(key, move |row, text| put(text, Some(value(row))))
    }
}

/// A whole number, if the text is one as it is usually written: "007" is a text.
fn whole(text: &str) -> Option<i64> {
    text.parse().ok().filter(|value: &i64| value.to_string() == text)
}

/// A number, if the text is one.
fn real(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn put(text: &mut Vec<u8>, value: Option<&str>) -> bool {
    text.extend_from_slice(value.unwrap_or_default().as_bytes());
    value.is_some()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::instrument::sink::Cells;
    use crate::scenario::{from_text, study};
    use crate::study::results;
    use crate::system::standard;

    use super::*;

    #[test]
    fn the_columns_are_those_of_the_text_and_varied_numbers_are_numbers() {
        let text = "title = \"T\"\ncluster.nodes = 8\n[workload]\nkind = \"synthetic\"\njobs = 5\nsizes = 1\n\
                    arrivals = { kind = \"exponential\", mean = \"6min\" }\nrun-times = \"1h\"\n[[vary]]\n\
                    policy = [\"fcfs\", \"easy\"]\n[[vary]]\nseed = [1, 2]\n\
                    \"workload.load\" = [0.5, 1]\n\"run.until\" = [\"2h\", \"3h\"]\n";
        let written = from_text("t.toml", text.to_owned(), Path::new(""), &[]);
        let study = study(&standard(), written).expect("valid");
        let columns = columns(&study, &[]);
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let csv = String::from_utf8(results::csv(&study, &[])).expect("text");
        assert_eq!(names.join(","), csv.trim_end());
        let kinds = columns[2..6].iter().map(|column| match column.cells {
            Cells::Count(_) => "count",
            Cells::Whole(_) => "whole",
            Cells::Real(_) => "real",
            Cells::Text(_) => "text",
        });
        assert_eq!(kinds.collect::<Vec<_>>(), ["text", "whole", "real", "text"]);
    }

    #[test]
    fn only_what_is_written_as_a_number_is_one() {
        assert_eq!((whole("-3"), whole("007"), whole("+5"), whole("1.0")), (Some(-3), None, None, None));
        assert_eq!(
            (real("1.0"), real("1e3"), real("inf"), real("2h")),
            (Some(1.0), Some(1000.0), None, None)
        );
    }
}
