//! Rows of tables of every format, and the mistakes in them.

use std::ops::ControlFlow;

use crate::registry::Problem;
use crate::registry::code;
use crate::text::{Mistakes, Place};

use super::cell::Cell;

/// The cells of the mapped columns of a row, each in a slot.
pub(super) trait Row {
    /// The cell in a slot.
    fn cell(&self, slot: usize) -> Cell<'_>;

    /// The line in which the row begins, from 1; the number of the row in a file without lines.
    fn line(&self) -> u64;

    /// The position of the cell in a slot.
    fn position(&self, slot: usize) -> CellPosition;

    /// The name of the column of a slot, for messages about a file that is no text.
    fn column(&self, _slot: usize) -> Option<&str> {
        None
    }
}

/// The position of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "texts have lines"))]
pub(super) enum CellPosition {
    /// A place in a line.
    Placed(Box<Place>),
    /// Offset and length of the cell in a text that is not held \[bytes\].
    Bytes(u64, usize),
    /// A row of a file without lines, from 1.
    InRow(u64),
}

/// A mistake in the cell of a slot; a pointer, as every cell that is read may give one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct WrongCell(Box<CellMistake>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct CellMistake {
    slot: usize,
    message: String,
    help: Option<String>,
}

impl WrongCell {
    /// A mistake, in one line without a full stop.
    pub(super) fn new(slot: usize, message: impl Into<String>) -> Self {
        WrongCell(Box::new(CellMistake { slot, message: message.into(), help: None }))
    }

    /// Says how to mend it.
    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }
}

/// The mistakes in the cells of a row, each once, however often a cell is read.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct WrongCells(Vec<WrongCell>);

impl WrongCells {
    /// Notes a mistake.
    pub(super) fn push(&mut self, wrong: WrongCell) {
        if !self.0.contains(&wrong) {
            self.0.push(wrong);
        }
    }

    /// Returns the value; notes a mistake and returns `None`.
    pub(super) fn right<T>(&mut self, read: Result<T, WrongCell>) -> Option<T> {
        read.map_err(|wrong| self.push(wrong)).ok()
    }

    /// Returns true if nothing is wrong.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A mistake in a table; `bytes` are offset and length of a cell whose line is not known yet.
#[derive(Debug)]
struct Misread {
    problem: Problem,
    bytes: Option<(u64, usize)>,
}

/// Function that is given every row, and notes the wrong cells in it; it breaks where no further
/// row is wanted.
type Each<'a> = dyn FnMut(&dyn Row, &mut WrongCells) -> ControlFlow<()> + 'a;

/// Taker of the rows of a table, which collects what is wrong in them.
pub(super) struct Take<'a> {
    each: &'a mut Each<'a>,
    wrong: WrongCells,
    mistakes: Mistakes<Misread>,
}

impl<'a> Take<'a> {
    /// A taker that gives each row to this function.
    pub(super) fn new(each: &'a mut Each<'a>) -> Self {
        Take { each, wrong: WrongCells::default(), mistakes: Mistakes::new() }
    }

    /// Takes a row; breaks where no further one is wanted.
    pub(super) fn row(&mut self, row: &dyn Row) -> ControlFlow<()> {
        let flow = (self.each)(row, &mut self.wrong);
        for wrong in self.wrong.0.drain(..) {
            self.mistakes.push_with(|| Misread::new(row, wrong));
        }
        flow
    }

    /// Notes a mistake of a row that is not taken.
    pub(super) fn refuse(&mut self, problem: impl FnOnce() -> Problem) {
        self.mistakes.push_with(|| Misread { problem: problem(), bytes: None });
    }

    /// Notes a mistake at an offset and length in a text that is not held.
    pub(super) fn refuse_bytes(&mut self, message: String, bytes: (u64, usize)) {
        let problem = Problem::new(code::TABLE, message);
        self.mistakes.push(Misread { problem, bytes: Some(bytes) });
    }

    /// All mistakes in the rows, in the order of their places; `find` finds places of offsets.
    pub(super) fn into_mistakes(self, find: impl FnOnce(&[(u64, usize)]) -> Vec<Place>) -> Mistakes<Problem> {
        let wanted: Vec<(u64, usize)> = self.mistakes.iter().filter_map(|wrong| wrong.bytes).collect();
        let mut places = if wanted.is_empty() { Vec::new() } else { find(&wanted) }.into_iter();
        let mistakes =
            self.mistakes.map(|Misread { problem, bytes }| match bytes.and_then(|_| places.next()) {
                Some(place) => problem.at(place),
                None => problem,
            });
        let place = |problem: &Problem| problem.place.as_ref().map(|place| (place.line, place.column));
        mistakes.sorted_by_key(|problem| place(problem).unwrap_or((u64::MAX, 0)))
    }
}

impl Misread {
    fn new(row: &dyn Row, wrong: WrongCell) -> Self {
        let CellMistake { slot, message, help } = *wrong.0;
        let position = row.position(slot);
        let message = match position {
            CellPosition::InRow(number) => {
                let column = row.column(slot).map(|name| format!(", column `{name}`")).unwrap_or_default();
                format!("row {number}{column}: {message}")
            }
            _ => message,
        };
        let problem = Problem { help, ..Problem::new(code::TABLE, message) };
        match position {
            CellPosition::Placed(place) => Misread { problem: problem.at(*place), bytes: None },
            CellPosition::Bytes(at, width) => Misread { problem, bytes: Some((at, width)) },
            CellPosition::InRow(_) => Misread { problem, bytes: None },
        }
    }
}
