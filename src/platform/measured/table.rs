//! A comma-separated table: cells with their places, and numbers with their units.

use crate::registry::code::{self, Code};
use crate::units::Decimal;
use crate::workload::source::Problem;
use crate::workload::swf::Place;

/// A cell, or a whole line.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// What stands in it, without blanks around it.
    pub text: &'a str,
    /// Bytes of the line before it.
    pub column: usize,
    /// The number of the line, from 1, and its text.
    pub line: (u64, &'a str),
}

/// The first line and those after it, each with as many cells as it has. Cells are cut out of a line when it is read: those
/// of all lines would take many times the memory of the text.
#[derive(Debug)]
pub struct Table<'a> {
    text: &'a str,
    /// The first line: names of columns.
    pub head: Vec<Cell<'a>>,
}

impl<'a> Cell<'a> {
    /// What is wrong with it.
    pub fn problem(&self, code: &'static Code, what: impl Into<String>, help: &str) -> Problem {
        Problem::new(code, what).help(help).at(self.place())
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        Place::new(self.line.0, self.line.1.as_bytes(), self.column, self.text.len())
    }

    /// The whole line that it stands in.
    #[must_use]
    pub fn whole_line(&self) -> Cell<'a> {
        Cell { text: self.line.1, column: 0, line: self.line }
    }

    /// Whether nothing was measured.
    pub fn is_gap(&self) -> bool {
        matches!(self.text, "" | "-" | "NaN" | "nan" | "NA")
    }

    /// The number, if it is one without a unit.
    pub fn bare(&self) -> Option<Decimal> {
        Decimal::take(self.text).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number)
    }
}

impl<'a> Table<'a> {
    /// The table of a text.
    ///
    /// # Errors
    /// There is no line, or one that has other than as many cells as the first.
    pub fn read(text: &'a str) -> Result<Self, Problem> {
        let mut lines = lines(text);
        let Some(head) = lines.next().map(cells) else {
            return Err(Problem::new(code::MISSING_KEY, "the table is empty"));
        };
        for line in lines {
            let count = line.1.split(',').count();
            if count != head.len() {
                let what = format!("this line has {count} cells, and the first has {}", head.len());
                let whole = Cell { text: line.1, column: 0, line };
                return Err(whole.problem(code::TYPE, what, "an empty cell is a gap"));
            }
        }
        Ok(Table { text, head })
    }

    /// The lines after the first.
    pub fn rows(&self) -> impl Iterator<Item = Vec<Cell<'a>>> + use<'a> {
        lines(self.text).skip(1).map(cells)
    }

    /// Where the column of this name is.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.head.iter().position(|cell| cell.text.eq_ignore_ascii_case(name))
    }
}

/// The lines that are neither empty nor comments, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
    lines.filter(|(_, text)| !text.trim().is_empty() && !text.starts_with('#'))
}

/// The cells of a line; there is one at least.
fn cells((number, text): (u64, &str)) -> Vec<Cell<'_>> {
    let cell = |part: &'_ str| {
        let column = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        (column, part.len())
    };
    let places: Vec<(usize, usize)> = text.split(',').map(|part| cell(part.trim())).collect();
    let at = |(column, len): (usize, usize)| Cell {
        text: text.get(column..column + len).unwrap_or(""),
        column,
        line: (number, text),
    };
    places.into_iter().map(at).collect()
}
