//! Rows, and cells with their places.

use std::borrow::Cow;

use crate::text::{LONGEST_LINE, Place, size};

use super::{Fault, MOST_CELLS, Mistake};

/// A row; [`Reader::read`](super::Reader::read) fills it.
#[derive(Clone, Default, Debug)]
pub struct Row<'a> {
    /// The line, or the lines if a quoted cell holds line ends.
    pub(super) text: &'a str,
    pub(super) line: u64,
    pub(super) cells: Vec<Part>,
}

/// A piece of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    start: u32,
    length: u32,
    is_quoted: bool,
}

/// A cell, or a whole row.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    raw: &'a str,
    is_quoted: bool,
    /// Bytes of the row before it.
    start: usize,
    row: &'a str,
    line: u64,
}

impl<'a> Field<'a> {
    /// A piece of a line of another kind of text, which has its place as cells have theirs; `part`
    /// is cut out of `text`.
    pub fn piece(text: &'a str, line: u64, part: &'a str) -> Self {
        let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len());
        Field { raw: part, is_quoted: false, start, row: text, line }
    }

    /// Content without the quotes around it; quotes in it are doubled if it is quoted. A
    /// cell that is no text of its own (a number, a time, one of several words) is read from this.
    pub fn raw(self) -> &'a str {
        self.raw
    }

    /// Content of the cell.
    pub fn text(self) -> Cow<'a, str> {
        if self.is_quoted && self.raw.contains('"') {
            return Cow::Owned(self.raw.replace("\"\"", "\""));
        }
        Cow::Borrowed(self.raw)
    }

    /// The line that it begins in, from 1.
    pub fn line(self) -> u64 {
        self.line + self.row[..self.start].matches('\n').count() as u64
    }

    /// Place of the cell.
    pub fn place(self) -> Place {
        // a quoted cell before it may hold line ends
        let begin = self.row[..self.start].rfind('\n').map_or(0, |at| at + 1);
        let line = self.row[begin..].split('\n').next().unwrap_or_default();
        let column = self.start - begin;
        let width = self.raw.len().min(line.len() - column);
        Place::new(self.line(), line.as_bytes(), column, width)
    }

    /// The row that it stands in.
    #[must_use]
    pub fn whole_row(self) -> Self {
        Field { raw: self.row, is_quoted: false, start: 0, ..self }
    }
}

impl<'a> Row<'a> {
    /// Number of cells it has; one at least.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns true if it was never read into.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The number of its first line, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The cell of a column.
    pub fn get(&self, column: usize) -> Option<Field<'a>> {
        self.cells.get(column).map(|part| self.cell(*part))
    }

    /// Cells in order.
    pub fn cells(&self) -> impl Iterator<Item = Field<'a>> + '_ {
        self.cells.iter().map(|part| self.cell(*part))
    }

    /// All of it, as a place for what is wrong with a row.
    pub fn whole(&self) -> Field<'a> {
        Field { raw: self.text, is_quoted: false, start: 0, row: self.text, line: self.line }
    }

    fn cell(&self, part: Part) -> Field<'a> {
        let start = part.start as usize;
        let raw = &self.text[start..start + part.length as usize];
        Field { raw, is_quoted: part.is_quoted, start, row: self.text, line: self.line }
    }

    pub(super) fn mistake(&self, start: usize, width: usize, message: String, help: &str) -> Mistake {
        let end = self.text.len().min(start + width);
        let cell = Field { raw: &self.text[start..end], start, ..self.whole() };
        Mistake { fault: Fault::Form, message, help: help.to_owned(), place: cell.place() }
    }

    /// Adds the cell that `text`, which begins at `start`, is without the blanks around it.
    pub(super) fn trimmed(&mut self, start: usize, text: &str) {
        // most cells have no blanks at their ends
        if let [b'!'..=b'~', .., b'!'..=b'~'] | [b'!'..=b'~'] | [] = text.as_bytes() {
            return self.push(start, text.len(), false);
        }
        let cell = text.trim();
        let blanks = if cell.is_empty() { 0 } else { text.len() - text.trim_start().len() };
        self.push(start + blanks, cell.len(), false);
    }

    pub(super) fn push(&mut self, start: usize, length: usize, is_quoted: bool) {
        self.cells.push(Part { start: start as u32, length: length as u32, is_quoted });
    }

    pub(super) fn long(&self) -> Mistake {
        let message = format!("a line is longer than {}", size(LONGEST_LINE as u64));
        self.mistake(0, 0, message, "write fewer columns, or several tables")
    }

    pub(super) fn many(&self) -> Mistake {
        let message = format!("a line has more than {MOST_CELLS} cells");
        self.mistake(0, 0, message, "write fewer columns, or several tables")
    }
}
