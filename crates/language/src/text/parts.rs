//! The text of a file in parts that end with a line, so that little of it is in memory.

use std::io::{Read, Take};
use std::path::Path;

use super::Unreadable;
use super::input::{damaged, open_anywhere, unpacked};

/// Bytes that are read at a time.
const PART: u64 = 256 * 1024;

/// Place of a text.
#[derive(Clone, Copy, Debug)]
pub enum TextSource<'a> {
    /// Memory.
    Text(&'a str),
    /// A regular file that the user named, or that the program wrote, of at most so many bytes
    /// after decompression.
    File(&'a Path, u64),
}

impl<'a> TextSource<'a> {
    /// The text from its beginning on.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn parts(self) -> Result<TextParts<'a>, Unreadable> {
        match self {
            TextSource::Text(text) => TextParts::new(text.as_bytes(), u64::MAX - 1),
            TextSource::File(path, longest) => TextParts::new(open_anywhere(path)?, longest),
        }
    }
}

/// A text in parts, plain or gzip, without a byte order mark.
pub struct TextParts<'a> {
    input: Take<Box<dyn Read + 'a>>,
    is_packed: bool,
    longest: u64,
    /// The part, and what follows its last line.
    bytes: Vec<u8>,
    /// Bytes of the part.
    length: usize,
    /// Bytes before the part.
    before: usize,
    is_over: bool,
}

impl<'a> TextParts<'a> {
    /// The text of a file of at most `longest` bytes after decompression.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn new(file: impl Read + 'a, longest: u64) -> Result<Self, Unreadable> {
        let (input, is_packed) = unpacked(file)?;
        let input = input.take(longest + 1);
        let bytes = Vec::new();
        Ok(TextParts { input, is_packed, longest, bytes, length: 0, before: 0, is_over: false })
    }

    /// Goes on to a part that begins `used` bytes behind the beginning of this one, and holds more
    /// lines; false if there are none.
    ///
    /// # Errors
    /// What follows cannot be read, or is too long.
    pub fn advance(&mut self, used: usize) -> Result<bool, Unreadable> {
        self.bytes.drain(..used);
        self.length -= used;
        self.before += used;
        while !self.is_over {
            let fresh = self.bytes.len();
            let read = self.input.by_ref().take(PART).read_to_end(&mut self.bytes);
            self.is_over = (read.map_err(|error| damaged(error, self.is_packed))? as u64) < PART;
            if self.before == 0 && fresh == 0 && self.bytes.starts_with(b"\xef\xbb\xbf") {
                self.bytes.drain(..3);
            }
            if self.input.limit() == 0 {
                return Err(Unreadable::Long(self.longest));
            }
            let end = self.bytes[fresh.min(self.bytes.len())..].iter().rposition(|byte| *byte == b'\n');
            if self.is_over {
                let is_more = self.bytes.len() > self.length;
                self.length = self.bytes.len();
                return Ok(is_more);
            }
            if let Some(end) = end {
                self.length = fresh + end + 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The part: whole lines, the last of the text with or without an end.
    ///
    /// # Errors
    /// It is no text.
    pub fn text(&self) -> Result<&str, Unreadable> {
        str::from_utf8(&self.bytes[..self.length])
            .map_err(|error| Unreadable::NotText(self.before + error.valid_up_to()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    /// All parts, where each but the last line of a part is used.
    fn parts(bytes: &[u8], longest: u64) -> Result<(String, usize), Unreadable> {
        let (mut all, mut count, mut used) = (String::new(), 0, 0);
        let mut parts = TextParts::new(bytes, longest)?;
        while parts.advance(used)? {
            let text = parts.text()?;
            let lines = &text.as_bytes()[..text.len() - 1];
            used = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            all.push_str(&text[..used]);
            count += 1;
        }
        all.push_str(parts.text()?);
        Ok((all, count))
    }

    #[test]
    fn parts_are_the_whole_text() {
        let long = (0..100_000).fold(String::new(), |all, line| all + &line.to_string() + "\u{e4}\n");
        for text in ["", "a", "a\n", "a\nb", &long, &long[..long.len() - 1]] {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(text.as_bytes()).expect("into memory");
            let packed = packed.finish().expect("into memory");
            let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
            for bytes in [text.as_bytes(), &packed, &marked] {
                assert_eq!(parts(bytes, 1 << 30).expect("text").0, text);
            }
        }
        assert!(parts(long.as_bytes(), 1 << 30).expect("text").1 > 2);
    }

    #[test]
    fn what_cannot_be_read_whole_cannot_be_read_in_parts() {
        let long = "a line\n".repeat(100_000);
        let broken = [long.as_bytes(), b"ab\xff\n"].concat();
        for (bytes, longest) in [(long.as_bytes(), 5), (long.as_bytes(), 699_999), (&broken, 1 << 30)] {
            let whole = super::super::input::read_whole(bytes, longest).expect_err("refused");
            assert_eq!(parts(bytes, longest).expect_err("refused").to_string(), whole.to_string());
        }
        assert!(parts(long.as_bytes(), 700_000).is_ok());
        assert!(matches!(parts(b"\x1f\x8babc", 100), Err(Unreadable::Damaged(_))));
    }
}
