//! A text of separated values cut into rows and cells (RFC 4180).
//!
//! The text is read as a stream; the row at hand is held, with the block that it lies in. A row
//! without quotes, as nearly all are, ends at the next line feed or carriage return, and is
//! searched for the signs between cells many bytes at a time, up to the last cell that is asked
//! for. A row with quotes goes through `csv_core`, byte by byte.

use csv_core::ReadRecordResult;
use memchr::{memchr_iter, memchr3};

use super::input::TextBytes;
use crate::text::{Broken, LONGEST_LINE};

/// Bytes read at a time.
const BLOCK: usize = 1 << 18;

/// The rows of a text.
pub(super) struct SplitRows<'a> {
    text: TextBytes<'a>,
    delimiter: u8,
    /// Number of the first columns that are asked for.
    wanted: usize,
    block: Vec<u8>,
    /// Bounds of the row at hand in the block.
    row: (usize, usize),
    /// Bounds of the bytes of the block that follow the row.
    next: usize,
    filled: usize,
    /// True if the text ends at `filled`.
    is_over: bool,
    /// Error of the text behind `filled`.
    failed: Option<Broken>,
    /// Number of lines that ended before `next`; the line in which the row begins.
    lines: u64,
    line: u64,
    /// True if the last byte before `next` is a carriage return: a line feed ends the same line.
    is_returned: bool,
    /// Number of cells of the row, and the bounds of those that are asked for.
    count: usize,
    cells: Vec<(usize, usize)>,
    /// The text of a row that has quotes, without them.
    unquoted: Vec<u8>,
    is_unquoted: bool,
    quoted: csv_core::Reader,
    ends: Vec<usize>,
}

impl<'a> SplitRows<'a> {
    /// The rows of a text with this byte between cells.
    pub(super) fn new(text: TextBytes<'a>, delimiter: u8) -> Self {
        SplitRows {
            text,
            delimiter,
            wanted: usize::MAX,
            block: vec![0; BLOCK],
            row: (0, 0),
            next: 0,
            filled: 0,
            is_over: false,
            failed: None,
            lines: 0,
            line: 0,
            is_returned: false,
            count: 0,
            cells: Vec::new(),
            unquoted: Vec::new(),
            is_unquoted: false,
            quoted: csv_core::ReaderBuilder::new().delimiter(delimiter).build(),
            ends: Vec::new(),
        }
    }

    /// Asks for the cells of so many first columns, from the next row on.
    pub(super) fn want(&mut self, columns: usize) {
        self.wanted = columns;
    }

    /// Goes to the next row; false if there is none.
    ///
    /// # Errors
    /// The text cannot be read on, or the row is too long.
    pub(super) fn advance(&mut self) -> Result<bool, Broken> {
        if !self.skip_blank_lines()? {
            return Ok(false);
        }
        self.line = self.lines + 1;
        let mut searched = self.next;
        let end = loop {
            if let Some(at) = memchr3(b'\n', b'\r', b'"', &self.block[searched..self.filled]) {
                break searched + at;
            }
            if self.is_over {
                break self.filled;
            }
            let before = self.filled - self.next;
            self.read_on()?;
            searched = self.next + before;
        };
        let start = self.next;
        let ending = self.block[..self.filled].get(end).copied();
        if ending == Some(b'"') {
            return self.advance_quoted().map(|()| true);
        }
        let line = &self.block[start..end];
        if line.len() > LONGEST_LINE {
            return Err(Broken::LongLine);
        }
        self.cells.clear();
        let mut begin = 0;
        let mut signs = memchr_iter(self.delimiter, line);
        while self.cells.len() < self.wanted {
            let Some(at) = signs.next() else { break };
            self.cells.push((begin, at));
            begin = at + 1;
        }
        self.count = self.cells.len() + 1;
        if self.cells.len() < self.wanted {
            self.cells.push((begin, line.len()));
        } else {
            self.count += signs.count();
        }
        self.row = (start, start + line.len());
        self.is_unquoted = false;
        self.next = (end + 1).min(self.filled);
        self.lines += 1;
        self.is_returned = ending == Some(b'\r');
        Ok(true)
    }

    /// Goes to the next row, which has quotes.
    fn advance_quoted(&mut self) -> Result<(), Broken> {
        loop {
            self.quoted.reset();
            let (mut read, mut written, mut ends) = (self.next, 0, 0);
            let is_whole = loop {
                let input = &self.block[read..self.filled];
                if input.is_empty() && !self.is_over {
                    break false;
                }
                let (result, taken, put, ended) =
                    self.quoted.read_record(input, &mut self.unquoted[written..], &mut self.ends[ends..]);
                (read, written, ends) = (read + taken, written + put, ends + ended);
                match result {
                    ReadRecordResult::OutputFull => {
                        let more = (2 * self.unquoted.len()).max(BLOCK);
                        self.unquoted.resize(more, 0);
                    }
                    ReadRecordResult::OutputEndsFull => self.ends.resize((2 * self.ends.len()).max(64), 0),
                    // to the reader a text is over where it is given no more of it
                    ReadRecordResult::InputEmpty => {}
                    ReadRecordResult::Record | ReadRecordResult::End => break true,
                }
            };
            if !is_whole {
                self.read_on()?;
                continue;
            }
            if read - self.next > LONGEST_LINE {
                return Err(Broken::LongLine);
            }
            let begins = std::iter::once(0).chain(self.ends[..ends].iter().copied());
            self.cells.clear();
            self.cells.extend(begins.zip(self.ends[..ends].iter().copied()).take(self.wanted));
            self.count = ends;
            let raw = &self.block[self.next..read];
            self.is_returned = raw.ends_with(b"\r");
            self.lines += memchr_iter(b'\n', raw).count() as u64 + u64::from(self.is_returned);
            let end = raw.strip_suffix(b"\n").unwrap_or(raw);
            let end = end.strip_suffix(b"\r").unwrap_or(end);
            self.row = (self.next, self.next + end.len());
            self.is_unquoted = true;
            self.next = read;
            return Ok(());
        }
    }

    /// Passes over the ends of lines in front of the next row; false if there is none.
    fn skip_blank_lines(&mut self) -> Result<bool, Broken> {
        loop {
            while self.next < self.filled {
                let byte = self.block[self.next];
                if byte != b'\n' && byte != b'\r' {
                    return Ok(true);
                }
                let is_of_return = byte == b'\n' && self.is_returned;
                self.lines += u64::from(!is_of_return);
                self.is_returned = byte == b'\r';
                self.next += 1;
            }
            if self.is_over {
                return Ok(false);
            }
            self.read_on()?;
        }
    }

    /// Reads more behind what is held of the next row.
    fn read_on(&mut self) -> Result<(), Broken> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        let held = self.filled - self.next;
        if held > LONGEST_LINE {
            return Err(Broken::LongLine);
        }
        self.block.copy_within(self.next..self.filled, 0);
        (self.next, self.filled) = (0, held);
        if self.block.len() < 2 * held + BLOCK {
            self.block.resize(2 * held + BLOCK, 0);
        }
        // as much as there is room for: a row that is begun again is so seldom
        while self.filled < self.block.len() {
            match std::io::Read::read(&mut self.text, &mut self.block[self.filled..]) {
                Ok(0) => {
                    self.is_over = true;
                    break;
                }
                Ok(count) => self.filled += count,
                Err(error) => {
                    let failed = self.text.failed.take().unwrap_or_else(|| Broken::Io(error.to_string()));
                    if self.filled == held {
                        return Err(failed);
                    }
                    // the rows in front of it come first
                    self.failed = Some(failed);
                    break;
                }
            }
        }
        Ok(())
    }

    /// The number of cells of the row.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// A cell of the row; `None` if the row is shorter, or the cell was not asked for.
    pub(super) fn cell(&self, column: usize) -> Option<&[u8]> {
        let &(start, end) = self.cells.get(column)?;
        Some(if self.is_unquoted { &self.unquoted[start..end] } else { &self.raw()[start..end] })
    }

    /// The line in which the row begins, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The bytes that are held of a row that could not be read, in line [`SplitRows::line`].
    pub(super) fn unread(&self) -> &[u8] {
        &self.block[self.next..self.filled]
    }

    /// The row as it stands in the text.
    pub(super) fn raw(&self) -> &[u8] {
        &self.block[self.row.0..self.row.1]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::import::table::input::Input;

    type Cells = Vec<Vec<u8>>;

    fn rows(bytes: &[u8], delimiter: u8) -> SplitRows<'_> {
        SplitRows::new(Input::Bytes(bytes).text().expect("plain"), delimiter)
    }

    /// The rows of a text with their lines; of each the first `wanted` cells.
    fn split(bytes: &[u8], delimiter: u8, wanted: usize) -> Vec<(u64, usize, Cells)> {
        let mut rows = rows(bytes, delimiter);
        rows.want(wanted);
        let mut all = Vec::new();
        while rows.advance().expect("short") {
            let cells = (0..).map_while(|column| rows.cell(column).map(<[u8]>::to_vec)).collect();
            all.push((rows.line(), rows.count(), cells));
        }
        all
    }

    /// The same by the library for such texts.
    fn by_library(bytes: &[u8], delimiter: u8) -> Vec<Cells> {
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter);
        let records = builder.from_reader(bytes).into_byte_records();
        records.map(|record| record.expect("from memory").iter().map(<[u8]>::to_vec).collect()).collect()
    }

    proptest! {
        #[test]
        fn rows_are_those_of_the_library(text in "[ab\"\",,\n\n\r\r;é]{0,60}", wanted in 0_usize..5) {
            let all = by_library(text.as_bytes(), b',');
            let split = split(text.as_bytes(), b',', wanted);
            let counts: Vec<usize> = split.iter().map(|row| row.1).collect();
            prop_assert_eq!(counts, all.iter().map(Vec::len).collect::<Vec<_>>());
            let first = |cells: &Cells| cells.iter().take(wanted).cloned().collect::<Cells>();
            let wanted: Vec<Cells> = all.iter().map(first).collect();
            prop_assert_eq!(split.into_iter().map(|row| row.2).collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn rows_across_blocks_are_whole() {
        let quoted = format!("\"{}\"\"\n\"", "x,".repeat(150_000));
        let plain = "y".repeat(BLOCK + 17);
        let text = format!("a,b\n\n{quoted},1\r\n{plain},2\n,3\n\"\",4").repeat(3);
        let all = by_library(text.as_bytes(), b',');
        let split = split(text.as_bytes(), b',', usize::MAX);
        assert_eq!(split.iter().map(|row| row.2.clone()).collect::<Vec<_>>(), all);
        let lines: Vec<u64> = split.iter().take(6).map(|row| row.0).collect();
        assert_eq!(lines, [1, 3, 5, 6, 7, 9]);
    }

    #[test]
    fn a_row_as_it_stands_has_its_quotes_and_no_end_of_line() {
        let mut rows = rows(b"a;\"b\n\"\"\";c\r\nd;e;f\r\n", b';');
        assert!(rows.advance().expect("short"));
        assert_eq!(
            (rows.raw(), rows.cell(1), rows.count()),
            (&b"a;\"b\n\"\"\";c"[..], Some(&b"b\n\""[..]), 3)
        );
        assert!(rows.advance().expect("short"));
        assert_eq!((rows.raw(), rows.line(), rows.cell(3)), (&b"d;e;f"[..], 3, None));
        assert!(!rows.advance().expect("short"));
    }

    #[test]
    fn a_carriage_return_ends_a_row_and_a_line() {
        let found = split(b"a,b\r\r\nc,\"d\"\re,f\r\n\"g\",h\r\ni,j\r", b',', 0);
        assert_eq!(
            found.iter().map(|row| (row.0, row.1)).collect::<Vec<_>>(),
            [(1, 2), (3, 2), (4, 2), (5, 2), (6, 2)]
        );
        // longer than a line may be
        let rows = 2 * LONGEST_LINE / 4;
        let found = split("1,2\r".repeat(rows).as_bytes(), b',', 0);
        assert_eq!((found.len(), found.last().map(|row| row.0)), (rows, Some(rows as u64)));
    }

    #[test]
    fn a_row_without_end_is_not_held_whole() {
        for begin in ["", "\""] {
            let text = format!("{begin}{}", "x".repeat(LONGEST_LINE + 2 * BLOCK));
            assert_eq!(rows(text.as_bytes(), b',').advance(), Err(Broken::LongLine));
            let text = format!("{text}{begin}\n");
            assert_eq!(rows(text.as_bytes(), b',').advance(), Err(Broken::LongLine));
        }
    }
}
