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
    /// Column in letters, from 1, as messages have it.
    pub letter: u32,
    /// Bytes that are wrong, from the column on; 0 where something is missing.
    pub width: usize,
    /// The line itself, or the part of a long one around the place: at most [`Place::SHOWN`] bytes.
    /// Bytes that are no text, and letters that are not visible, are replaced by dots.
    pub text: Box<str>,
    /// True if the text does not begin with the line.
    pub is_cut: bool,
    /// The bytes of [`Place::text`] that are wrong.
    pub range: Range<usize>,
}

impl Place {
    /// Bytes of a line that are kept to be shown.
    pub const SHOWN: usize = 240;

    /// The place `column` bytes into a line.
    pub fn new(line: u64, bytes: &[u8], column: usize, width: usize) -> Self {
        Self::within(line, bytes, (0, 0), (column, width))
    }

    /// The place `at` bytes into a line of which the bytes behind the first `from` bytes and
    /// letters are known: all, or at least as many as are shown in front of the place.
    pub fn within(
        line: u64,
        known: &[u8],
        (from, letters): (usize, usize),
        (at, width): (usize, usize),
    ) -> Self {
        let far = from > 0 || at + width.min(Self::SHOWN / 4) > Self::SHOWN;
        let end = at.saturating_sub(from).min(known.len());
        let cut = if far { end.saturating_sub(Self::SHOWN / 4) } else { 0 };
        // a letter of several bytes is shown whole
        let cut = cut + known[cut..].iter().take_while(|&&byte| far && !begins_letter(byte)).count();
        let (bytes, from) = (&known[cut..], from + cut);
        let letters = letters + known[..cut].iter().filter(|&&byte| begins_letter(byte)).count();
        let column = at.saturating_sub(from);
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
        let letter = letters + text[..start].chars().count() + 1;
        let letter = u32::try_from(letter).unwrap_or(u32::MAX);
        // a tab is one column wide here, as it is one byte
        Place { line, column: at + 1, letter, width, text: text.into(), is_cut: from > 0, range }
    }
}

/// Returns true if a byte of a text is the first of a letter.
pub(in crate::text) fn begins_letter(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_found_in_the_text_that_is_shown() {
        let at = |bytes: &[u8], column, width| {
            let place = Place::new(1, bytes, column, width);
            (place.text[place.range.clone()].to_owned(), place.text.into_string())
        };
        assert_eq!(at(b"a\tbc d", 2, 2), ("bc".to_owned(), "a·bc d".to_owned()));
        assert_eq!(at("é, ü\u{202e}x".as_bytes(), 4, 2), ("ü".to_owned(), "é, ü·x".to_owned()));
        assert_eq!(at(b"\xff\xfe,x", 3, 1), ("x".to_owned(), "··,x".to_owned()));
        assert_eq!(at("é\0x".as_bytes(), 3, 1), ("x".to_owned(), "···x".to_owned()));
        assert_eq!(at(b"ab", 2, 0), (String::new(), "ab".to_owned()));
        assert_eq!(at(&[b'a'; 999], 500, 9), ("a".repeat(9), "a".repeat(Place::SHOWN)));
        let far = Place::new(1, "é".repeat(500).as_bytes(), 600, 2);
        assert_eq!((far.column, far.is_cut, &far.text[far.range.clone()]), (601, true, "é"));
        let known = &"é".repeat(500)[300..];
        assert_eq!(Place::within(1, known.as_bytes(), (300, 150), (600, 2)), far);
        assert_eq!((far.letter, Place::new(1, "é, üx".as_bytes(), 4, 2).letter), (301, 4));
        let end = Place::new(1, &[b'a'; 999], 999, 0);
        assert_eq!((end.column, end.range, end.text.len()), (1000, 60..60, 60));
    }
}
