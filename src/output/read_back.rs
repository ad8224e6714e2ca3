//! The rows of a table once more, from its text file.

use std::borrow::Cow;
use std::io;

use super::{Cell, CellType, Column, RowSink, RowSource, Table};
use crate::collections::Interval;
use crate::kernel::SimDuration;
use crate::text::csv::{self, Reader, Row};
use crate::units::seconds;

/// The text of the file of a table.
#[derive(Clone, Debug)]
pub struct FileRows {
    table: Table,
    text: String,
}

impl FileRows {
    /// The text of the file of this table, with those of its columns that the file has.
    ///
    /// # Errors
    /// The text has no header, or a column that is not declared.
    pub fn new(declared: &Table, text: String) -> Result<Self, String> {
        let table = csv::Table::new(Reader::new(&text)).map_err(|mistake| mistake.message)?;
        let head = table.ok_or_else(|| "it is empty".to_owned())?.head;
        let column = |name: Cow<'_, str>| -> Result<Column, String> {
            let found = declared.columns.iter().find(|column| column.name == name);
            found.cloned().ok_or_else(|| format!("it has a column `{name}`"))
        };
        let columns = head.cells().map(|cell| column(cell.text())).collect::<Result<_, _>>()?;
        Ok(FileRows { table: Table { columns, ..declared.clone() }, text })
    }

    /// Pushes every row; else says what is wrong with the text.
    fn read(&self, sink: &mut dyn RowSink) -> Result<io::Result<()>, String> {
        let table = csv::Table::new(Reader::new(&self.text)).map_err(|mistake| mistake.message)?;
        let mut table = table.ok_or_else(|| "it is empty".to_owned())?;
        let mut row = Row::default();
        while table.read(&mut row).map_err(|mistake| mistake.message)? {
            if row.len() != self.table.columns.len() {
                return Err(format!("line {} is not whole", row.line()));
            }
            let texts: Vec<Cow<'_, str>> = row.cells().map(csv::Cell::text).collect();
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
            let cells = cells.collect::<Result<Vec<_>, _>>()?;
            if let Err(error) = sink.row(&cells) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }
}

/// What a text stands for in a column of this type.
fn cell<'a>(kind: CellType, text: &'a str, list: Option<&'a Vec<Interval>>) -> Option<Cell<'a>> {
    if text.is_empty() {
        return Some(Cell::Empty);
    }
    Some(match kind {
        CellType::Count => Cell::Count(text.parse().ok()?),
        CellType::Integer => Cell::Integer(text.parse().ok()?),
        CellType::Time => Cell::Time(SimDuration::from_nanos(seconds(text)?)),
        CellType::Decimal(_) | CellType::Real => Cell::Real(text.parse().ok()?),
        CellType::Text => Cell::Text(text),
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
