//! From the lines of a dump to its records.
//!
//! A name that holds the end of a line tears its record in two. A line of too few fields and those
//! behind it are one record if together they have all fields, and the line behind is none by
//! itself. Where the last column is a name, a line that does not begin as a record does goes on
//! with the name of the one before; where the first one is, it begins the name of the one behind.

use std::mem;

use crate::registry::Problem;

use super::columns::Columns;
use super::read::Dump;
use super::record::{self, Record};

/// Most lines that a torn record may have.
const MOST_LINES: usize = 100;
/// Most bytes that a torn record may have.
const MOST_BYTES: usize = 1 << 16;

/// Lines of a record that has not ended so far.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// The lines, with their ends between them.
    text: String,
    /// Each line: its number, where it begins in the text, and the bars ahead of it.
    lines: Vec<(u64, usize, usize)>,
    bars: usize,
    /// True if the first line has all fields, and the last of them may go on.
    is_whole: bool,
}

impl Open {
    fn push(&mut self, line: u64, text: &str) {
        if !self.lines.is_empty() {
            self.text.push('\n');
        }
        self.lines.push((line, self.text.len(), self.bars));
        self.text.push_str(text);
        self.bars += bars(text);
    }

    /// Returns true if a line of so many bytes is one too many.
    fn is_full(&self, bytes: usize) -> bool {
        self.lines.len() >= MOST_LINES || self.text.len() + bytes >= MOST_BYTES
    }

    /// A line, without its end.
    fn line(&self, place: usize) -> &str {
        let end = self.lines.get(place + 1).map_or(self.text.len(), |&(_, start, _)| start - 1);
        &self.text[self.lines[place].1..end]
    }

    /// Returns true if a line is the beginning of a record.
    fn begins(&self, place: usize, columns: &Columns) -> bool {
        record::begins(self.line(place), columns)
    }

    /// Returns true if these lines and the next one, `text`, are several records, the first of them
    /// cut short, rather than the one that they make if they are joined.
    fn has_several(&self, joined: &Record<'_>, text: &str, columns: &Columns) -> bool {
        let next = (1..self.lines.len()).find(|&place| self.begins(place, columns));
        let is_next = next.is_some() || record::begins(text, columns);
        // so many fields that are cut short may be as many as one record has
        if is_next && !joined.has_forms() {
            return true;
        }
        // a name that may hold bars may be made of all that another record begins with
        next.is_some_and(|next| {
            let rest = &joined.text[self.lines[next].1..];
            Record::new(rest, columns, joined.line).is_ok_and(|rest| rest.has_forms())
        })
    }

    /// Takes the first lines away, up to the next one that begins as a record does.
    fn skip(&mut self, columns: &Columns) {
        let next = (1..self.lines.len()).find(|&place| self.begins(place, columns));
        let Some(next) = next else {
            *self = Open::default();
            return;
        };
        let (_, start, ahead) = self.lines[next];
        self.text.drain(..start);
        self.lines.drain(..next);
        self.bars -= ahead;
        for (_, place, bars) in &mut self.lines {
            (*place, *bars) = (*place - start, *bars - ahead);
        }
    }
}

impl Dump<'_> {
    /// Takes in a line of a record, or one of several.
    pub(super) fn text(&mut self, text: &str, columns: &Columns) -> Result<(), Problem> {
        let (line, whole) = (self.line, Record::new(text, columns, self.line));
        let is_short = whole.as_ref().is_err_and(|bad| bad.is_short);
        if self.open.is_whole && is_short && !self.open.is_full(text.len()) && !record::begins(text, columns)
        {
            self.open.push(line, text);
            return Ok(());
        }
        if self.open.is_whole {
            self.close(columns)?;
        }
        let is_record = whole.as_ref().is_ok_and(Record::has_name);
        if is_record && !(columns.begins_in_text && self.has_beginning(columns)) {
            self.close(columns)?;
        }
        while let Some(&(first, ..)) = self.open.lines.first() {
            let is_full = self.open.is_full(text.len());
            if !is_full && !columns.has_all(self.open.bars + bars(text), text) {
                self.open.push(line, text);
                return Ok(());
            }
            if !is_full {
                let joined = format!("{}\n{text}", self.open.text);
                if let Ok(record) = Record::new(&joined, columns, first)
                    && !self.open.has_several(&record, text, columns)
                {
                    self.open = Open::default();
                    return self.whole(&record, columns);
                }
            }
            self.first_is_short(columns)?;
        }
        match whole {
            Ok(record) => self.whole(&record, columns),
            Err(bad) if bad.is_short => {
                self.open.push(line, text);
                Ok(())
            }
            Err(bad) => self.bad(bad, &Record::of_part(text, columns, line)),
        }
    }

    /// Returns true if the open lines may be the beginning of a name, and are no record.
    fn has_beginning(&self, columns: &Columns) -> bool {
        let places = 0..self.open.lines.len();
        !places.is_empty() && places.into_iter().all(|place| !self.open.begins(place, columns))
    }

    /// Takes in a record, once no line that goes on with it can follow.
    fn whole(&mut self, record: &Record<'_>, columns: &Columns) -> Result<(), Problem> {
        if !columns.ends_in_text {
            return self.record(record);
        }
        self.open.push(record.line, record.text);
        self.open.is_whole = true;
        Ok(())
    }

    /// Counts the first of the open lines as a record that is cut short, with those behind it that
    /// do not begin as a record does.
    fn first_is_short(&mut self, columns: &Columns) -> Result<(), Problem> {
        let mut open = mem::take(&mut self.open);
        if let Some(&(line, ..)) = open.lines.first() {
            let text = open.line(0);
            if let Err(bad) = Record::new(text, columns, line) {
                self.bad(bad, &Record::of_part(text, columns, line))?;
            }
            open.skip(columns);
        }
        self.open = open;
        Ok(())
    }

    /// Ends the open record: nothing goes on with it.
    pub(super) fn close(&mut self, columns: &Columns) -> Result<(), Problem> {
        if self.open.is_whole {
            let open = mem::take(&mut self.open);
            let line = open.lines.first().map_or(self.line, |&(line, ..)| line);
            return match Record::new(&open.text, columns, line) {
                Ok(record) => self.record(&record),
                // bars of the lines behind it may be too many
                Err(bad) => {
                    if let Ok(record) = Record::new(open.line(0), columns, line) {
                        self.record(&record)?;
                    }
                    self.bad(bad, &Record::of_part("", columns, line))
                }
            };
        }
        while !self.open.lines.is_empty() {
            self.first_is_short(columns)?;
        }
        Ok(())
    }
}

/// Number of bars.
fn bars(text: &str) -> usize {
    text.bytes().filter(|&byte| byte == b'|').count()
}
