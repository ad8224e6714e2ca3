//! From a text to rows.

use crate::text::LONGEST_LINE;

use super::{MOST_CELLS, Mistake, Row};

/// Rows of a text, one after another.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a str,
    /// The number of the line that `rest` begins with, from 1.
    line: u64,
    has_comments: bool,
}

impl<'a> Reader<'a> {
    /// The rows of a text: every line that is in no quoted cell is one.
    pub fn new(text: &'a str) -> Self {
        Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1, has_comments: false }
    }

    /// The rows of a part of a text, whose first line has this number.
    pub fn of_part(text: &'a str, line: u64) -> Self {
        if line == 1 { Reader::new(text) } else { Reader { rest: text, line, has_comments: false } }
    }

    /// The number of the line that is read next.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Bytes of the text that are not read.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// The same without lines that are blank or begin with `#`.
    #[must_use]
    pub fn with_comments(self) -> Self {
        Reader { has_comments: true, ..self }
    }

    /// Reads the next row into `row`; false if there is none.
    ///
    /// # Errors
    /// It is no CSV, or longer than any row.
    pub fn read(&mut self, row: &mut Row<'a>) -> Result<bool, Mistake> {
        let read = self.next(row);
        if read.is_err() {
            self.rest = "";
        }
        read
    }

    fn next(&mut self, row: &mut Row<'a>) -> Result<bool, Mistake> {
        loop {
            if self.rest.is_empty() {
                return Ok(false);
            }
            if self.has_comments {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                let line = &self.rest[..end];
                if line.starts_with('#') || line.trim().is_empty() {
                    self.pass(end, 1);
                    continue;
                }
            }
            row.line = self.line;
            row.text = self.rest;
            row.cells.clear();
            let (end, lines) = match plain(row) {
                Ok(end) => (end, 1),
                Err(cell) => {
                    let end = quoted(row, cell)?;
                    (end, 1 + self.rest[..end].matches('\n').count() as u64)
                }
            };
            row.text = &self.rest[..end];
            row.text = row.text.strip_suffix('\r').unwrap_or(row.text);
            self.pass(end, lines);
            return Ok(true);
        }
    }

    /// Goes on behind the line end at `end`, which so many lines are before.
    fn pass(&mut self, end: usize, lines: u64) {
        self.line += lines;
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
    }
}

/// Divides a row without quotes in one pass over it, as most rows are; answers where it ends, or
/// where the first cell begins that may have a quote or be too long.
fn plain(row: &mut Row<'_>) -> Result<usize, usize> {
    let (text, bytes) = (row.text, row.text.as_bytes());
    let bytes = &bytes[..bytes.len().min(LONGEST_LINE)];
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b',' => {
                row.trimmed(start, &text[start..at]);
                start = at + 1;
            }
            b'\n' => {
                row.trimmed(start, &text[start..at]);
                return if row.cells.len() <= MOST_CELLS { Ok(at) } else { Err(start) };
            }
            b'"' => return Err(start),
            _ => {}
        }
    }
    if bytes.len() < text.len() || row.cells.len() >= MOST_CELLS {
        return Err(start);
    }
    row.trimmed(start, &text[start..]);
    Ok(text.len())
}

/// Divides the rest of a row, from the cell on that begins at `at`; the text may go on behind the
/// row. Answers where it ends.
fn quoted(row: &mut Row<'_>, mut at: usize) -> Result<usize, Mistake> {
    let (text, bytes) = (row.text, row.text.as_bytes());
    loop {
        let open = at + blanks(&text[at..]);
        if bytes.get(open) == Some(&b'"') {
            let Some(close) = closing(bytes, open + 1) else {
                let help = "close it with `\"`; a quote within quotes is written twice";
                return Err(row.mistake(open, 1, "the quote is left open".to_owned(), help));
            };
            row.push(open + 1, close - open - 1, true);
            at = close + 1 + blanks(&text[close + 1..]);
            if !matches!(bytes.get(at), None | Some(b',' | b'\n')) {
                let width = text[at..].chars().next().map_or(0, char::len_utf8);
                let message = "something follows the closing quote".to_owned();
                let help = "expected a comma or the end of the line; a quote within quotes is written twice";
                return Err(row.mistake(at, width, message, help));
            }
        } else {
            let rest = &bytes[at..bytes.len().min(at + LONGEST_LINE + 1)];
            let length = rest.iter().position(|byte| matches!(byte, b',' | b'\n')).unwrap_or(rest.len());
            if length > LONGEST_LINE {
                return Err(row.long());
            }
            let cell = &text[at..at + length];
            row.trimmed(at, cell);
            at += length;
        }
        if at > LONGEST_LINE {
            return Err(row.long());
        }
        if row.cells.len() > MOST_CELLS {
            return Err(row.many());
        }
        match bytes.get(at) {
            Some(b',') => at += 1,
            _ => return Ok(at),
        }
    }
}

/// Bytes of the blanks that a text begins with, within its line.
fn blanks(text: &str) -> usize {
    if let Some(b'!'..=b'~') = text.as_bytes().first() {
        return 0;
    }
    text.len() - text.trim_start_matches(|letter: char| letter.is_whitespace() && letter != '\n').len()
}

/// Position of the quote that closes the cell which begins at `start`, if one does within the
/// longest row.
fn closing(bytes: &[u8], start: usize) -> Option<usize> {
    let bytes = &bytes[..bytes.len().min(LONGEST_LINE)];
    let mut at = start;
    loop {
        at += bytes.get(at..)?.iter().position(|&byte| byte == b'"')?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}
