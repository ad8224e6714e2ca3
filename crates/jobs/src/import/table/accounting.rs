//! Rows of accounting logs of Torque and PBS, which have a line for each event of a job:
//! `03/18/2017 00:01:15;E;6335144.bw;user=… queue=… qtime=… start=… end=…`.
//!
//! | record | row |
//! |---|---|
//! | `E`, the end of a job | the job: each of its pairs is a cell, in the column of that name |
//! | `D` or `A`, deleted or aborted, of a job that has not started | a job that never started |
//! | others | none |
//!
//! Two columns are of every row: `record`, the letter, and `id`. A job that ran several times is a
//! row for each end. A word without `=` belongs to the value before it.
//!
//! Source: Torque 6, "Accounting records"; PBS Professional 2021, "Accounting log".

use std::ops::Range;

use crate::collections::OrderedSet;
use crate::registry::{Problem, code};
use crate::text::mark::{FileMark, Head};
use crate::text::{Lines, Place};
use crate::workload::swf::ErrorKind;

use super::cell::Cell;
use super::input::Input;
use super::mapping::Mapping;
use super::names::{self, MOST_NAMES};
use super::row::{CellPosition, Row, Take};

/// The mark of such logs.
pub const ACCOUNTING: FileMark = FileMark::new(
    "an accounting log of Torque or PBS",
    "a scenario reads it: [workload] with kind = \"table\" and like = \"torque\"; `clustersim convert {file} site.toml` \
     writes one",
    |head: &Head<'_>| head.text().lines().next().is_some_and(|line| record(line.as_bytes()).is_some()),
);

/// Form of the stamp of a record.
const STAMP: &[u8] = b"dd/dd/dddd dd:dd:dd";

/// Parts of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Record<'l> {
    kind: &'l [u8],
    id: &'l [u8],
    /// Bytes of the line before the pairs.
    pairs: usize,
}

/// The parts of a line, if it is a record.
fn record(line: &[u8]) -> Option<Record<'_>> {
    let mut parts = line.splitn(4, |&byte| byte == b';');
    let stamp = parts.next()?;
    let fits = |(byte, form): (&u8, &u8)| if *form == b'd' { byte.is_ascii_digit() } else { byte == form };
    let is_stamp = stamp.len() == STAMP.len() && stamp.iter().zip(STAMP).all(fits);
    let (kind, id) = (parts.next()?, parts.next()?);
    let is_kind = kind.len() == 1 && kind[0].is_ascii_alphabetic();
    let pairs = stamp.len() + kind.len() + id.len() + 3;
    (is_stamp && is_kind).then_some(Record { kind, id, pairs: pairs.min(line.len()) })
}

/// Calls `each` with the name of every pair and the range of its value in the line.
fn pairs<'l>(line: &'l [u8], from: usize, mut each: impl FnMut(&'l [u8], Range<usize>)) {
    let mut open: Option<(&[u8], Range<usize>)> = None;
    let mut at = from;
    for word in line[from..].split(|&byte| byte == b' ') {
        let end = at + word.len();
        match word.iter().position(|&byte| byte == b'=') {
            Some(sign) => {
                if let Some((name, value)) = open.replace((&word[..sign], at + sign + 1..end)) {
                    each(name, value);
                }
            }
            None if word.is_empty() => {}
            None => {
                if let Some((_, value)) = &mut open {
                    value.end = end;
                }
            }
        }
        at = end + 1;
    }
    if let Some((name, value)) = open {
        each(name, value);
    }
}

/// A record as a row.
struct RecordRow<'l> {
    line: &'l [u8],
    number: u64,
    /// Range of the value of each slot.
    cells: &'l [Option<Range<usize>>],
}

impl Row for RecordRow<'_> {
    fn cell(&self, slot: usize) -> Cell<'_> {
        let range = self.cells.get(slot).cloned().flatten();
        range.and_then(|range| self.line.get(range)).map_or(Cell::Absent, Cell::Text)
    }

    fn line(&self) -> u64 {
        self.number
    }

    fn position(&self, slot: usize) -> CellPosition {
        let range = self.cells.get(slot).cloned().flatten().unwrap_or(0..self.line.len());
        CellPosition::Placed(Box::new(Place::new(self.number, self.line, range.start, range.len())))
    }
}

/// Reads a log; `take` is given each row, and what is no record. Returns the number of rows.
///
/// # Errors
/// A damaged text; a column that no record has.
pub(super) fn read(input: Input<'_>, mapping: &Mapping, take: &mut Take<'_>) -> Result<u64, Problem> {
    let (rows, known, seen) = rows(input, mapping, take)?;
    if let Some((_, problem)) = names::counted(mapping, |slot| seen[slot]) {
        return Err(problem);
    }
    if rows == 0 {
        return Err(ErrorKind::Empty.into());
    }
    let known: Vec<String> = known.iter().cloned().collect();
    names::missing(mapping, &known, |slot| seen[slot]).map_err(|problem| of_torque(mapping, problem))?;
    Ok(rows)
}

/// The reason that a log lacks columns, with the source that names them unless a mapping does.
fn of_torque(mapping: &Mapping, problem: Problem) -> Problem {
    // every record has a pair for the time in the queue
    if mapping.paths.iter().any(|path| path.column == "qtime") {
        return problem;
    }
    let message = format!("this is an accounting log of Torque or PBS: {}", problem.message);
    let help = format!("like = \"torque\" says what its pairs mean; {}", problem.help.unwrap_or_default());
    Problem::new(problem.code, message).help(help)
}

/// The names of the pairs of the first rows, sorted.
pub(super) fn keys(input: Input<'_>) -> Vec<String> {
    let mapping = Mapping::of_columns(&[], None);
    let mut each = names::first_rows();
    // the reading of all rows says what is wrong with these
    let read = rows(input, &mapping, &mut Take::new(&mut each));
    read.map(|(_, known, _)| known.iter().cloned().collect()).unwrap_or_default()
}

/// Reads all rows; returns their number, the names of their pairs, and for each slot true if some
/// row has it.
fn rows(
    input: Input<'_>,
    mapping: &Mapping,
    take: &mut Take<'_>,
) -> Result<(u64, OrderedSet<String>, Vec<bool>), Problem> {
    let mut lines = Lines::new(input.bytes()?)?;
    let mut cells: Vec<Option<Range<usize>>> = vec![None; mapping.paths.len()];
    let mut seen = vec![false; mapping.paths.len()];
    let mut known: OrderedSet<String> = ["id", "record"].map(ToOwned::to_owned).into_iter().collect();
    let mut started: OrderedSet<Vec<u8>> = OrderedSet::new();
    let (mut count, mut number) = (0_u64, 0);
    while let Some(block) = lines.next_block()? {
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            number += 1;
            let line = line.trim_ascii_end();
            if line.is_empty() {
                continue;
            }
            let Some(found) = record(line) else {
                take.refuse(|| {
                    let problem = Problem::new(code::TABLE, "this line is no record of an accounting log");
                    problem
                        .at(Place::new(number, line, 0, line.len()))
                        .help("records are written as MM/DD/YYYY HH:MM:SS;TYPE;ID;NAME=VALUE …, a line each")
                });
                continue;
            };
            let is_row = match found.kind {
                b"S" => {
                    started.insert(found.id.to_vec());
                    false
                }
                b"E" => {
                    started.remove(found.id);
                    true
                }
                b"D" | b"A" => !started.contains(found.id),
                _ => false,
            };
            if !is_row {
                continue;
            }
            cells.fill(None);
            let mut put = |name: &[u8], value: Range<usize>| {
                if count < MOST_NAMES as u64
                    && known.len() < MOST_NAMES
                    && let Ok(name) = std::str::from_utf8(name)
                    && !known.contains(name)
                {
                    known.insert(name.to_owned());
                }
                for (slot, _) in
                    mapping.paths.iter().enumerate().filter(|(_, path)| path.column.as_bytes() == name)
                {
                    (cells[slot], seen[slot]) = (Some(value.clone()), true);
                }
            };
            let kind = STAMP.len() + 1;
            put(b"record", kind..kind + 1);
            put(b"id", kind + 2..kind + 2 + found.id.len());
            pairs(line, found.pairs, put);
            count += 1;
            if take.row(&RecordRow { line, number, cells: &cells }).is_break() {
                return Ok((count, known, seen));
            }
        }
    }
    Ok((count, known, seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_known_by_their_stamp_and_letter() {
        let found = record(b"03/18/2017 00:01:15;E;6335144.bw;user=a start=1").expect("a record");
        assert_eq!((found.kind, found.id, found.pairs), (&b"E"[..], &b"6335144.bw"[..], 33));
        assert_eq!(record(b"03/18/2017 00:01:15;Q;1").map(|found| found.pairs), Some(23));
        for other in ["03/18/2017 00:01:15,E,6335144.bw", "a;E;b", "03/18/2017 00:01:15;E", ""] {
            assert!(record(other.as_bytes()).is_none(), "{other}");
        }
    }

    #[test]
    fn a_word_without_a_sign_belongs_to_the_value_before_it() {
        let line = b"x user=a jobname=my  job b=  c=d=e";
        let mut found = Vec::new();
        pairs(line, 0, |name, value| found.push((name, &line[value])));
        let expected: [(&[u8], &[u8]); 4] =
            [(b"user", b"a"), (b"jobname", b"my  job"), (b"b", b""), (b"c", b"d=e")];
        assert_eq!(found, expected);
    }
}
