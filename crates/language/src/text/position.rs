//! A place in a text that is not held: its line, and what of the line is at fault.
//!
//! A text that is held for as long as there may be something to say about it is one of
//! [`Sources`](crate::text::Sources), and a [`Span`](crate::text::Span) points into it. Logs,
//! dumps, tables and workloads are larger than that: of these only the line is kept.

use std::ops::Range;

use crate::text::is_hidden;

/// A place in a line of a text, after decompression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Line, from 1.
    pub line: u64,
    /// Column in bytes, from 1.
    pub column: usize,
    /// Bytes that are wrong, from the column on; 0 where something is missing.
    pub width: usize,
    /// The line itself: at most [`Place::SHOWN`] bytes of it; what is no text, or is not visible,
    /// is replaced by dots.
    pub text: String,
    /// The bytes of [`Place::text`] that are wrong.
    pub range: Range<usize>,
}

impl Place {
    /// Bytes of a line that are kept to be shown.
    pub const SHOWN: usize = 240;

    /// The place `column` bytes into a line.
    pub fn new(line: u64, bytes: &[u8], column: usize, width: usize) -> Self {
        let mut text = String::new();
        let (mut read, mut start, mut end) = (0, None, None);
        let mut put = |letter: char, length: usize| {
            if start.is_none() && column < read + length {
                start = Some(text.len());
            }
            if end.is_none() && column + width <= read {
                end = Some(text.len());
            }
            text.push(if is_hidden(letter) { '·' } else { letter });
            read += length;
        };
        let shown = &bytes[..bytes.len().min(Self::SHOWN)];
        let is_text = !shown.iter().any(|&byte| byte < 0x20 && byte != b'\t');
        for chunk in shown.utf8_chunks() {
            for letter in chunk.valid().chars() {
                if is_text || letter.is_ascii() {
                    put(letter, letter.len_utf8());
                } else {
                    // letters among other bytes are there by chance
                    (0..letter.len_utf8()).for_each(|_| put('·', 1));
                }
            }
            chunk.invalid().iter().for_each(|_| put('·', 1));
        }
        let start = start.unwrap_or(text.len());
        let range = start..end.unwrap_or(text.len()).max(start);
        // a tab is one column wide here, as it is one byte
        Place { line, column: column + 1, width, text, range }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_found_in_the_text_that_is_shown() {
        let at = |bytes: &[u8], column, width| {
            let place = Place::new(1, bytes, column, width);
            (place.text[place.range.clone()].to_owned(), place.text)
        };
        assert_eq!(at(b"a\tbc d", 2, 2), ("bc".to_owned(), "a·bc d".to_owned()));
        assert_eq!(at("é, ü\u{202e}x".as_bytes(), 4, 2), ("ü".to_owned(), "é, ü·x".to_owned()));
        assert_eq!(at(b"\xff\xfe,x", 3, 1), ("x".to_owned(), "··,x".to_owned()));
        assert_eq!(at("é\0x".as_bytes(), 3, 1), ("x".to_owned(), "···x".to_owned()));
        assert_eq!(at(b"ab", 2, 0), (String::new(), "ab".to_owned()));
        assert_eq!(at(&[b'a'; 999], 500, 9), (String::new(), "a".repeat(Place::SHOWN)));
    }
}
