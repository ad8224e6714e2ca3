//! Facts that a system declares of its files and programs.

use crate::registry::Span;
use crate::text::mark::FileMark;

/// A scenario that is one file: its mark, the text of its table, and the key that names the file.
#[derive(Clone, Copy, Debug)]
pub struct BareFile {
    /// The mark of such a file.
    pub mark: &'static FileMark,
    /// The tables, without the key.
    pub text: &'static str,
    /// The key, dotted.
    pub key: &'static str,
}

/// A table with a start, an end and lanes, by its columns.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleColumns {
    /// File of the rows.
    pub file: &'static str,
    /// Meaning of a row.
    pub what: &'static str,
    /// The columns that identify a row, its name first.
    pub key: &'static [&'static str],
    /// Column of the start, exact seconds; empty where it does not start.
    pub start: &'static str,
    /// Column of the end.
    pub end: &'static str,
    /// The lanes that it is on, as intervals.
    pub lanes: &'static str,
    /// Column of the reason for the start, which need not be there.
    pub reason: &'static str,
}

/// A program that a run starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartedProgram {
    /// The key that names it, from the root on.
    pub key: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Place where the program is named.
    pub span: Span,
}
