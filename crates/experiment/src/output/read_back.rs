//! The rows of a table once more, from its text file, block by block: little of it is in memory,
//! however long it is.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use super::{Cell, CellType, Column, RowSink, RowSource, Table};
use crate::collections::Interval;
use crate::kernel::SimDuration;
use crate::text::csv::{self, Row};
use crate::text::{LONGEST_UNPACKED, TextSource};
use crate::units::seconds;

/// The file of a table.
#[derive(Clone, Debug)]
pub struct FileRows {
    table: Table,
    source: Source,
}

/// Place of the text.
#[derive(Clone, Debug)]
enum Source {
    Text(String),
    File(PathBuf),
}

impl FileRows {
    /// The text of the file of this table, with those of its columns that the file has. Columns
    /// with a dot in their names were added to it by others than its system, and are texts.
    ///
    /// # Errors
    /// The text has no header, or a column that is not declared.
    pub fn new(declared: &Table, text: String) -> Result<Self, String> {
        Self::of(declared, Source::Text(text))
    }

    /// The same of the file at a path, which is read whenever its rows are asked for.
    ///
    /// # Errors
    /// As [`FileRows::new`], or it cannot be read.
    pub fn open(declared: &Table, path: PathBuf) -> Result<Self, String> {
        Self::of(declared, Source::File(path))
    }

    fn of(declared: &Table, source: Source) -> Result<Self, String> {
        let column = |name: Cow<'_, str>| -> Result<Column, String> {
            let found = declared.columns.iter().find(|column| column.name == name);
            let added = |name: &str| Column::named(name.to_owned(), CellType::Text, "", "");
            let found = found.cloned().or_else(|| name.contains('.').then(|| added(&name)));
            found.ok_or_else(|| format!("it has a column `{name}`"))
        };
        let mut columns = None;
        source.read(&mut |row| {
            columns = Some(row.cells().map(|cell| column(cell.text())).collect::<Result<_, _>>()?);
            Ok(false)
        })?;
        let columns = columns.ok_or_else(|| "it is empty".to_owned())?;
        Ok(FileRows { table: Table { columns, ..declared.clone() }, source })
    }

    /// Pushes every row; else says what is wrong with the text.
    fn read(&self, sink: &mut dyn RowSink) -> Result<io::Result<()>, String> {
        let (mut is_head, mut written) = (true, Ok(()));
        self.source.read(&mut |row| {
            if !std::mem::take(&mut is_head) {
                written = self.push_row(row, sink)?;
            }
            Ok(written.is_ok())
        })?;
        Ok(written)
    }

    fn push_row(&self, row: &Row<'_>, sink: &mut dyn RowSink) -> Result<io::Result<()>, String> {
        if row.len() != self.table.columns.len() {
            return Err(format!("line {} is not whole", row.line()));
        }
        let texts: Vec<Cow<'_, str>> = row.cells().map(csv::Field::text).collect();
        let columns = || self.table.columns.iter().zip(&texts);
        let wrong = |column: &Column| format!("`{}` of line {} cannot be read", column.name, row.line());
        let mut intervals = Vec::new();
        for (column, text) in columns().filter(|(column, _)| column.kind == CellType::Intervals) {
            intervals.push(Interval::parse_all(text).ok_or_else(|| wrong(column))?);
        }
        let mut lists = intervals.iter();
        let cells = columns().map(|(column, text)| {
            let list = if column.kind == CellType::Intervals { lists.next() } else { None };
            cell(column.kind, text, list).ok_or_else(|| wrong(column))
        });
        Ok(sink.row(&cells.collect::<Result<Vec<_>, _>>()?))
    }
}

impl Source {
    /// Hands over row after row, the header first, until `take` wants no more.
    fn read(&self, take: &mut dyn FnMut(&Row<'_>) -> Result<bool, String>) -> Result<(), String> {
        let source = match self {
            Source::Text(text) => TextSource::Text(text),
            Source::File(path) => TextSource::File(path, LONGEST_UNPACKED),
        };
        let mut parts = source.parts().map_err(|error| error.to_string())?;
        csv::each_row(&mut parts, take).map_err(|stopped| stopped.to_string())
    }
}

/// Cell that a text stands for in a column of this type.
fn cell<'a>(kind: CellType, text: &'a str, list: Option<&'a Vec<Interval>>) -> Option<Cell<'a>> {
    if text.is_empty() {
        return Some(Cell::Empty);
    }
    Some(match kind {
        CellType::Count => Cell::Count(text.parse().ok()?),
        CellType::Integer => Cell::Integer(text.parse().ok()?),
        CellType::Time => Cell::Time(SimDuration::from_nanos(seconds(text)?)),
        CellType::Decimal(_) | CellType::Real => Cell::Real(text.parse().ok()?),
        CellType::Text | CellType::Category => Cell::Text(text),
        CellType::Intervals => Cell::Intervals(list?),
    })
}

impl RowSource for FileRows {
    fn table(&self) -> Table {
        self.table.clone()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.read(sink).unwrap_or_else(|why| Err(io::Error::new(io::ErrorKind::InvalidData, why)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{TableFormat, columns};

    fn declared() -> Table {
        let columns = columns! {
            "number" Count "", "a number";
            "name" Text "", "a name";
            "at" Time "s", "a time";
            "on" Intervals "", "lanes";
            "share" Real "", "a share";
        };
        Table::new("things", "a row a thing", &columns)
    }

    fn again(text: &str) -> Result<String, String> {
        let rows = FileRows::new(&declared(), text.to_owned())?;
        let bytes = TableFormat::Csv.bytes(&rows).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn a_file_that_is_read_and_written_again_is_the_same() {
        for text in [
            "number,name,at,on,share\n1,\"a, \"\"b\"\"\",1.500000001,0-3 7,0.25\n2,,,,\n",
            "number,at\n1,2\n",
            "at,number\n",
        ] {
            assert_eq!(again(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn every_cell_may_be_quoted_and_lines_may_end_otherwise() {
        assert_eq!(again("\"number\",\"at\"\r\n\"1\",\"2\"\r\n").as_deref(), Ok("number,at\n1,2\n"));
    }

    #[test]
    fn long_tables_are_read_in_parts_that_end_with_a_row() {
        let row = |number: u32| format!("{number},\"{}\n\"\n", "x, ".repeat(number as usize % 700));
        let text: String = ["number,name\n".to_owned()].into_iter().chain((0..2_000).map(row)).collect();
        assert!(text.len() > 1_000_000 && again(&text).as_deref() == Ok(&text));
        let wrong = format!("{text}1,a\nx,b\n");
        assert_eq!(again(&wrong), Err("`number` of line 4003 cannot be read".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, why) in [
            ("", "it is empty"),
            ("number,colour\n", "it has a column `colour`"),
            ("number,at\n1,2\n3\n", "line 3 is not whole"),
            ("number,at\n1,soon\n", "`at` of line 2 cannot be read"),
            ("number,on\n1,3-\n", "`on` of line 2 cannot be read"),
        ] {
            assert_eq!(again(text), Err(why.to_owned()));
        }
    }
}
