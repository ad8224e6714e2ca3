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

/// The first line and those after it, each with as many cells as it has.
#[derive(Debug)]
pub struct Table<'a> {
    /// The first line: names of columns.
    pub head: Vec<Cell<'a>>,
    /// The lines after it.
    pub rows: Vec<Vec<Cell<'a>>>,
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
        let lines = text.trim_start_matches('\u{feff}').lines().zip(1..).map(|(text, number)| (number, text));
        let mut lines =
            lines.filter(|(_, text)| !text.trim().is_empty() && !text.starts_with('#')).map(cells);
        let Some(head) = lines.next() else {
            return Err(Problem::new(code::MISSING_KEY, "the table is empty"));
        };
        let mut rows = Vec::new();
        for row in lines {
            if row.len() != head.len() {
                let what = format!("this line has {} cells, and the first has {}", row.len(), head.len());
                return Err(row[0].whole_line().problem(code::TYPE, what, "an empty cell is a gap"));
            }
            rows.push(row);
        }
        Ok(Table { head, rows })
    }

    /// Where the column of this name is.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.head.iter().position(|cell| cell.text.eq_ignore_ascii_case(name))
    }
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
