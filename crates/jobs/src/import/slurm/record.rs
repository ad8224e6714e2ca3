//! One record of a dump: its fields by column, each with its place for messages.

use crate::registry::Problem;
use crate::registry::code;
use crate::text::Place;

use super::columns::{Column, Columns};
use super::fields::{self, is_unknown};

/// A record.
pub(super) struct Record<'a> {
    text: &'a str,
    columns: &'a Columns,
    /// Starts of the fields, and the end of the line.
    starts: Vec<usize>,
    /// Line.
    pub(super) line: u64,
}

impl<'a> Record<'a> {
    /// Divides a line into its fields.
    pub(super) fn new(text: &'a str, columns: &'a Columns, line: u64) -> Result<Self, Problem> {
        let bars = text.bytes().enumerate().filter(|&(_, byte)| byte == b'|').map(|(at, _)| at + 1);
        let mut starts: Vec<usize> = [0].into_iter().chain(bars).collect();
        if starts.len() == columns.count + 1 && text.ends_with('|') {
            // the form of `--parsable` ends with a bar
            starts.pop();
        }
        if starts.len() > columns.count && columns.free_end {
            starts.truncate(columns.count);
        }
        let found = starts.len();
        if found != columns.count {
            let message = format!("a record has {} fields, this one has {found}", columns.count);
            let column = starts.get(columns.count).map_or(text.len(), |&start| start - 1);
            let place = Place::new(line, text.as_bytes(), column, text.len() - column);
            let problem = Problem::new(code::NOT_SACCT, message).at(place);
            return Err(if found > columns.count {
                problem.help("names of jobs may hold `|`: leave JobName out of --format, or name it last")
            } else {
                problem.help("the dump may have been cut short, or a name holds the end of a line")
            });
        }
        starts.push(text.len() + 1);
        Ok(Record { text, columns, starts, line })
    }

    /// The field of a column; `None` if there is no such column or it holds nothing that is known.
    pub(super) fn get(&self, column: Column) -> Option<&'a str> {
        let place = self.columns.place(column)?;
        let end = (self.starts[place + 1] - 1).min(self.text.len());
        let text = self.text[self.starts[place]..end].trim_end_matches('|');
        (!is_unknown(text)).then_some(text)
    }

    /// Returns true if the dump has this column.
    pub(super) fn has(&self, column: Column) -> bool {
        self.columns.place(column).is_some()
    }

    /// A field that cannot be read.
    pub(super) fn wrong(&self, column: Column, message: impl Into<String>) -> Problem {
        let start = self.columns.place(column).map_or(0, |place| self.starts[place]);
        let width = self.get(column).map_or(0, str::len);
        let place = Place::new(self.line, self.text.as_bytes(), start, width);
        Problem::new(code::SACCT_FIELD, message).at(place)
    }

    /// A field read by `read`, which `what` it must be.
    pub(super) fn read<T>(
        &self,
        column: Column,
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.get(column) else { return Ok(None) };
        match read(text) {
            Some(value) => Ok(Some(value)),
            None => Err(self.wrong(column, format!("`{}` is no {what}", shown(text)))),
        }
    }

    /// A whole amount in a column of its own, or of a resource in a list; zero is not known.
    pub(super) fn amount(&self, own: Column, list: Column, resource: &str) -> Result<Option<u32>, Problem> {
        let count = |text: &str| fields::number(text).and_then(|count| u32::try_from(count).ok());
        let own = self.read(own, "number", count)?;
        if own.is_some_and(|count| count > 0) {
            return Ok(own);
        }
        let Some(text) = self.get(list).and_then(|text| fields::resource_text(text, resource)) else {
            return Ok(None);
        };
        match count(text) {
            Some(amount) => Ok(Some(amount).filter(|&count| count > 0)),
            None => Err(self.wrong(list, format!("`{resource}=` in this list is no such number"))),
        }
    }
}

/// The beginning of a field.
fn shown(text: &str) -> String {
    text.chars().take(40).map(|letter| if letter.is_control() { '·' } else { letter }).collect()
}
