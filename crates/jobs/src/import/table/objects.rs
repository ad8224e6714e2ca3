//! Rows of JSON: an array of objects, or objects one after another, a line each.
//!
//! Rows are read one by one; of a row the values that paths lead to are kept. Numbers of 64 bits
//! that stand as texts are numbers as well.

use std::ops::Range;

use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::Problem;
use crate::registry::code;
use crate::text::json::{self, Mistake, Next, Reader};
use crate::text::{LONGEST_LINE, Place};
use crate::workload::swf::ErrorKind;

use super::cell::{Cell, number};
use super::input::Input;
use super::mapping::Mapping;
use super::names::{self, MOST_NAMES};
use super::path::{JsonValue, Path, Step};
use super::row::{CellPosition, Row, Take};

/// Values of a row that are kept, and bytes of their texts, at most.
const MOST: Budget = Budget { values: 1 << 20, bytes: LONGEST_LINE };

/// A cell that is kept, its text in the row's.
#[derive(Clone, Debug, Default)]
enum Kept {
    #[default]
    Absent,
    Text(Range<usize>),
    Count(i64),
    List(u64, f64),
}

/// A row while it is read.
#[derive(Debug)]
struct ObjectRow {
    cells: Vec<Kept>,
    text: Vec<u8>,
    /// Position of the row.
    at: u64,
    /// Position and width of the value of each slot.
    places: Vec<(u64, usize)>,
    line: u64,
}

impl Row for ObjectRow {
    fn cell(&self, slot: usize) -> Cell<'_> {
        match self.cells.get(slot) {
            Some(Kept::Text(range)) => Cell::Text(&self.text[range.clone()]),
            Some(&Kept::Count(count)) => Cell::Whole(count),
            Some(&Kept::List(count, sum)) => Cell::List(count, sum),
            Some(Kept::Absent) | None => Cell::Absent,
        }
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn position(&self, slot: usize) -> CellPosition {
        let (at, width) = self.places.get(slot).copied().unwrap_or((self.at, 1));
        CellPosition::Bytes(at, width)
    }
}

/// Values of a row that may still come.
#[derive(Clone, Copy, Debug)]
struct Budget {
    values: usize,
    bytes: usize,
}

impl Budget {
    /// Takes a value with so many bytes of text that stands at `at`.
    fn take(&mut self, at: u64, bytes: usize) -> Result<(), Mistake> {
        let left = self.values.checked_sub(1).zip(self.bytes.checked_sub(bytes));
        let Some((values, bytes)) = left else {
            let most =
                format!("a row holds more than {} values, or {} bytes of them", MOST.values, MOST.bytes);
            return Err(Mistake::new(at, 1, most));
        };
        *self = Budget { values, bytes };
        Ok(())
    }
}

/// A table while it is read.
struct Objects<'m> {
    row: ObjectRow,
    mapping: &'m Mapping,
    /// The slots that are of each name.
    slots: OrderedMap<&'m str, Vec<usize>>,
    rows: u64,
    /// Values that the row may still have.
    left: Budget,
    /// True for each slot whose column the row has.
    is_set: Vec<bool>,
    /// True for each slot whose column some row has.
    seen: Vec<bool>,
    others: OrderedSet<String>,
    /// The columns that the row has twice, and the bytes of the second ones.
    twice: Vec<(String, u64)>,
    /// The columns that the row has so far, if that is looked at, and those that some row has
    /// twice.
    of_row: Option<OrderedSet<String>>,
    repeated: OrderedSet<String>,
    /// True if no further row is wanted.
    is_enough: bool,
}

/// Reads a table; `take` is given each row. Returns the number of rows.
///
/// # Errors
/// A damaged text, with the place.
pub(super) fn read(input: Input<'_>, mapping: &Mapping, take: &mut Take<'_>) -> Result<u64, Problem> {
    let mut table = Objects::new(mapping);
    table.read(input, take)?;
    if table.rows == 0 {
        return Err(ErrorKind::Empty.into());
    }
    let known: Vec<String> = table.others.iter().cloned().collect();
    names::missing(mapping, &known, |slot| table.seen[slot])?;
    Ok(table.rows)
}

/// The keys of the first rows, sorted, as far as these can be read; one that a row has twice is
/// there twice.
pub(super) fn keys(input: Input<'_>) -> Vec<String> {
    let mapping = Mapping::of_columns(&[], None);
    let mut table = Objects::new(&mapping);
    table.of_row = Some(OrderedSet::new());
    let mut each = names::first_rows();
    // the reading of all rows says what is wrong with these
    drop(table.read(input, &mut Take::new(&mut each)));
    let again = table.others.iter().filter(|name| table.repeated.contains(*name));
    table.others.iter().chain(again).cloned().collect()
}

/// The places of bytes of a text, which is read again: it was not kept.
pub(super) fn places(input: Input<'_>, wanted: &[(u64, usize)]) -> Vec<Place> {
    input.bytes().ok().and_then(|bytes| json::places(bytes, wanted).ok()).unwrap_or_default()
}

/// A mistake with its line.
fn placed(input: Input<'_>, mistake: &Mistake) -> Problem {
    let problem = Problem::new(code::TABLE, mistake.sentence());
    match places(input, &[(mistake.at, mistake.width)]).pop() {
        Some(place) => problem.at(place),
        None => problem,
    }
}

impl<'m> Objects<'m> {
    fn new(mapping: &'m Mapping) -> Self {
        let slots = mapping.paths.len();
        let row = ObjectRow {
            cells: vec![Kept::Absent; slots],
            text: Vec::new(),
            at: 0,
            places: vec![(0, 0); slots],
            line: 1,
        };
        let seen = vec![false; slots];
        let mut of_name: OrderedMap<&str, Vec<usize>> = OrderedMap::new();
        for (slot, path) in mapping.paths.iter().enumerate() {
            of_name.entry(path.first()).or_default().push(slot);
            // a name that looks like a path
            if path.column != path.first() && !path.counts {
                of_name.entry(&path.column).or_default().push(slot);
            }
        }
        Objects {
            row,
            mapping,
            slots: of_name,
            rows: 0,
            left: MOST,
            is_set: seen.clone(),
            seen,
            others: OrderedSet::new(),
            twice: Vec::new(),
            of_row: None,
            repeated: OrderedSet::new(),
            is_enough: false,
        }
    }

    fn read(&mut self, input: Input<'_>, take: &mut Take<'_>) -> Result<(), Problem> {
        let mut reader = Reader::new(input.bytes()?)?;
        let read = self.rows(&mut reader, take);
        if let Some(broken) = reader.failed() {
            return Err(broken.into());
        }
        // that no further row is wanted stops the text as a mistake does
        if self.is_enough { Ok(()) } else { read.map_err(|mistake| placed(input, &mistake)) }
    }

    fn rows(&mut self, reader: &mut Reader<'_>, take: &mut Take<'_>) -> Result<(), Mistake> {
        if reader.finish().is_ok() {
            return Ok(());
        }
        if reader.next_kind()? == Next::Array {
            reader.array(|reader| self.row(reader, take))?;
            return reader.finish();
        }
        while reader.finish().is_err() {
            self.row(reader, take)?;
        }
        Ok(())
    }

    fn row(&mut self, reader: &mut Reader<'_>, take: &mut Take<'_>) -> Result<(), Mistake> {
        let at = reader.place();
        self.row.line = reader.line();
        self.row.cells.fill(Kept::Absent);
        self.row.text.clear();
        self.left = MOST;
        self.is_set.fill(false);
        self.row.at = at;
        self.row.places.fill((at, 1));
        if let Some(of_row) = &mut self.of_row {
            of_row.clear();
        }
        reader.object(|reader, key| self.column(reader, &key.name))?;
        self.rows += 1;
        if !self.twice.is_empty() {
            for (name, at) in self.twice.drain(..) {
                let twice = format!("two columns are called `{name}`, and the scenario means one");
                take.refuse_bytes(twice, (at, 1));
            }
            return Ok(());
        }
        self.is_enough = take.row(&self.row).is_break();
        if self.is_enough { Err(Mistake::new(at, 1, "")) } else { Ok(()) }
    }

    /// Reads the value of a column into the slots that are of it.
    fn column(&mut self, reader: &mut Reader<'_>, name: &str) -> Result<(), Mistake> {
        if self.rows < MOST_NAMES as u64 && self.others.len() < MOST_NAMES && !self.others.contains(name) {
            self.others.insert(name.to_owned());
        }
        if let Some(of_row) = &mut self.of_row
            && !of_row.insert(name.to_owned())
        {
            self.repeated.insert(name.to_owned());
        }
        let Some(slots) = self.slots.get(name) else { return reader.skip() };
        let at = reader.place();
        if slots.iter().any(|&slot| self.is_set[slot]) {
            self.twice.push((name.to_owned(), at));
            return reader.skip();
        }
        slots.iter().for_each(|&slot| self.is_set[slot] = true);
        let value = value(reader, &mut self.left)?;
        let width = usize::try_from(reader.end().saturating_sub(at)).unwrap_or(usize::MAX);
        for &slot in slots {
            let path: &Path = &self.mapping.paths[slot];
            self.row.places[slot] = (at, width);
            let is_plain = path.column == name && !path.counts;
            let steps = if is_plain { &path.steps[..0] } else { &path.steps[1..] };
            self.seen[slot] |= self.row.keep(slot, &value, steps, path.counts);
        }
        Ok(())
    }
}

impl ObjectRow {
    /// Keeps what the path leads to; returns true if it leads to something.
    fn keep(&mut self, slot: usize, value: &JsonValue, steps: &[Step], counts: bool) -> bool {
        let mut count = 0;
        let mut first = None;
        value.follow(steps, &mut |found| {
            count += found.count();
            first = first.or(Some(found));
        });
        self.cells[slot] = match first {
            _ if counts => Kept::Count(i64::try_from(count).unwrap_or(i64::MAX)),
            None | Some(JsonValue::Nothing) => Kept::Absent,
            Some(JsonValue::Text(text) | JsonValue::Number(text)) => {
                let start = self.text.len();
                self.text.extend_from_slice(text.as_bytes());
                Kept::Text(start..self.text.len())
            }
            Some(JsonValue::List(values)) => {
                let numbers = values.iter().filter_map(|value| match value {
                    JsonValue::Number(text) | JsonValue::Text(text) => number(text.as_bytes()),
                    _ => None,
                });
                let (count, sum) =
                    numbers.fold((0, 0.0), |(count, sum), number| (count + 1, sum + number.real()));
                Kept::List(count, sum)
            }
            Some(JsonValue::Object(members)) => Kept::List(members.len() as u64, 0.0),
        };
        first.is_some()
    }
}

/// Reads a value with all that is in it.
fn value(reader: &mut Reader<'_>, left: &mut Budget) -> Result<JsonValue, Mistake> {
    let at = reader.place();
    left.take(at, 0)?;
    let mut kept = |text: String| left.take(at, text.len()).map(|()| text);
    Ok(match reader.next_kind()? {
        Next::Text => JsonValue::Text(kept(reader.string()?)?),
        Next::Number => JsonValue::Number(kept(reader.number()?)?),
        Next::Word => match reader.word()? {
            None => JsonValue::Nothing,
            Some(flag) => JsonValue::Text(flag.to_string()),
        },
        Next::Array => {
            let mut values = Vec::new();
            reader.array(|reader| {
                values.push(value(reader, left)?);
                Ok(())
            })?;
            JsonValue::List(values)
        }
        Next::Object => {
            let mut members = Vec::new();
            reader.object(|reader, key| {
                left.take(at, key.name.len())?;
                members.push((key.name, value(reader, left)?));
                Ok(())
            })?;
            JsonValue::Object(members)
        }
    })
}
