//! JSON read in one pass from a stream, value by value, without the text or a tree: a workload of a million jobs costs no
//! more than its jobs, and a file may be one line of any length.
//!
//! JSON as RFC 8259 has it; values stand at most 64 deep, and a text, a number or a run of blanks has at most
//! [`LONGEST_LINE`] bytes. The caller says what it expects next; every mistake has its place, in bytes from the start.

use std::io::Read;

use crate::text::{LONGEST_LINE, size};
use crate::workload::swf::{Kind, Unpacked};

/// How deep arrays and objects may stand in each other.
const DEEPEST: usize = 64;
/// Bytes read at a time.
const BLOCK: usize = 64 * 1024;

/// A mistake: where it begins, how long it is, what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bad {
    pub(super) at: u64,
    pub(super) width: usize,
    pub(super) message: String,
}

/// A JSON text and how far it is read.
pub(super) struct Reader<'a> {
    input: Unpacked<Box<dyn Read + 'a>>,
    buffer: Vec<u8>,
    /// Bytes of the buffer that are read.
    used: usize,
    /// Bytes of the text before the buffer.
    before: u64,
    /// The line, from 1.
    line: u64,
    ended: bool,
    /// Why the stream failed; what follows is as if the text ended.
    failed: Option<Kind>,
}

/// The kind of the next value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    Object,
    Array,
    Text,
    Number,
    /// `true`, `false` or `null`.
    Word,
}

type Parsed<T> = Result<T, Bad>;

impl<'a> Reader<'a> {
    /// Reads from a stream, plain or gzip.
    pub(super) fn new(input: impl Read + 'a) -> Result<Self, Kind> {
        let input: Box<dyn Read + 'a> = Box::new(input);
        Ok(Reader {
            input: Unpacked::new(input)?,
            buffer: Vec::new(),
            used: 0,
            before: 0,
            line: 1,
            ended: false,
            failed: None,
        })
    }

    /// Why the stream failed, if it did.
    pub(super) fn failed(&mut self) -> Option<Kind> {
        self.failed.take()
    }

    /// Whether the text has no byte at all.
    pub(super) fn is_empty(&mut self) -> bool {
        self.before == 0 && self.used == 0 && self.ahead(1).is_empty()
    }

    /// Where the next byte stands.
    fn at(&self) -> u64 {
        self.before + self.used as u64
    }

    /// Where the next value begins.
    pub(super) fn place(&mut self) -> u64 {
        self.peek();
        self.at()
    }

    /// Where the last value ended.
    pub(super) fn end(&self) -> u64 {
        self.at()
    }

    /// The line that stands here, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// The bytes that follow: `count` of them, or fewer where the text ends.
    fn ahead(&mut self, count: usize) -> &[u8] {
        while self.buffer.len() - self.used < count && !self.ended {
            self.before += self.used as u64;
            self.buffer.drain(..self.used);
            self.used = 0;
            let filled = self.buffer.len();
            self.buffer.resize(filled + BLOCK, 0);
            let read = self.input.read(&mut self.buffer[filled..]);
            let count = read.unwrap_or_else(|kind| {
                self.failed = Some(kind);
                0
            });
            self.ended = count == 0;
            self.buffer.truncate(filled + count);
        }
        let rest = &self.buffer[self.used..];
        &rest[..rest.len().min(count)]
    }

    fn byte(&mut self) -> Option<u8> {
        match self.buffer.get(self.used) {
            Some(byte) => Some(*byte),
            None => self.ahead(1).first().copied(),
        }
    }

    /// The character that follows, and how many bytes it has; bytes that are none stand for themselves.
    fn letter(&mut self) -> Option<(char, usize)> {
        let bytes = self.ahead(4);
        let valid = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        match valid.chars().next() {
            Some(letter) => Some((letter, letter.len_utf8())),
            None => bytes.first().map(|_| (char::REPLACEMENT_CHARACTER, 1)),
        }
    }

    fn bad<T>(&mut self, message: impl Into<String>) -> Parsed<T> {
        let width = self.letter().map_or(0, |(_, width)| width);
        Err(Bad { at: self.at(), width, message: message.into() })
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        match self.letter() {
            Some((found, _)) => {
                let found = if found.is_control() { '·' } else { found };
                self.bad(format!("unexpected `{found}`, {expected} should stand here"))
            }
            None => self.bad(format!("the text ends too early, {expected} should follow")),
        }
    }

    /// That a token is longer than is read.
    fn long<T>(at: u64, what: &str) -> Parsed<T> {
        Err(Bad { at, width: 1, message: format!("{what} is longer than {}", size(LONGEST_LINE as u64)) })
    }

    /// The next byte that is no blank. Blanks without end are as the end of the text.
    fn peek(&mut self) -> Option<u8> {
        let mut blanks = 0;
        loop {
            let byte = self.byte()?;
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                _ => return Some(byte),
            }
            blanks += 1;
            if blanks > LONGEST_LINE {
                self.failed = Some(Kind::LongBlanks);
                self.ended = true;
                self.buffer.clear();
                self.used = 0;
                return None;
            }
            self.used += 1;
        }
    }

    fn take(&mut self, byte: u8, expected: &str) -> Parsed<()> {
        if self.peek() != Some(byte) {
            return self.unexpected(expected);
        }
        self.used += 1;
        Ok(())
    }

    /// The kind of the next value.
    pub(super) fn next(&mut self) -> Parsed<Next> {
        match self.peek() {
            Some(b'{') => Ok(Next::Object),
            Some(b'[') => Ok(Next::Array),
            Some(b'"') => Ok(Next::Text),
            Some(b'-' | b'0'..=b'9') => Ok(Next::Number),
            Some(b't' | b'f' | b'n') => Ok(Next::Word),
            _ => self.unexpected("a value"),
        }
    }

    /// Reads an object; `each` is given every key and must read its value.
    pub(super) fn object(&mut self, mut each: impl FnMut(&mut Self, String) -> Parsed<()>) -> Parsed<()> {
        self.take(b'{', "an object")?;
        if self.peek() == Some(b'}') {
            self.used += 1;
            return Ok(());
        }
        loop {
            if self.peek() != Some(b'"') {
                return self.unexpected("a key in quotes");
            }
            let key = self.string()?;
            self.take(b':', "a colon")?;
            each(self, key)?;
            match self.peek() {
                Some(b',') => self.used += 1,
                Some(b'}') => {
                    self.used += 1;
                    return Ok(());
                }
                _ => return self.unexpected("a comma or `}`"),
            }
        }
    }

    /// Reads an array; `each` must read every value.
    pub(super) fn array(&mut self, mut each: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.take(b'[', "an array")?;
        if self.peek() == Some(b']') {
            self.used += 1;
            return Ok(());
        }
        loop {
            each(self)?;
            match self.peek() {
                Some(b',') => self.used += 1,
                Some(b']') => {
                    self.used += 1;
                    return Ok(());
                }
                _ => return self.unexpected("a comma or `]`"),
            }
        }
    }

    /// Reads a text.
    pub(super) fn string(&mut self) -> Parsed<String> {
        self.take(b'"', "a text in quotes")?;
        let start = self.at();
        let mut bytes = Vec::new();
        let mut escapes = false;
        loop {
            let rest = if self.used < self.buffer.len() { &self.buffer[self.used..] } else { self.ahead(1) };
            if rest.is_empty() {
                return self.unexpected("the end of the text");
            }
            let plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
            let length = rest.iter().position(|byte| !plain(byte)).unwrap_or(rest.len());
            bytes.extend_from_slice(&rest[..length]);
            let stop = rest.get(length).copied();
            self.used += length;
            if bytes.len() > LONGEST_LINE {
                return Self::long(start - 1, "this text");
            }
            match stop {
                None => {}
                Some(b'"') => {
                    self.used += 1;
                    break;
                }
                Some(b'\\') => {
                    self.used += 1;
                    escapes = true;
                    let letter = self.escape()?;
                    bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(_) => return self.bad("a control character stands in a text"),
            }
        }
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to() as u64;
            let message = "from here on it is no text in UTF-8".to_owned();
            Bad { at: start + if escapes { 0 } else { valid }, width: 0, message }
        })
    }

    /// Reads what stands behind a backslash.
    fn escape(&mut self) -> Parsed<char> {
        let Some(letter) = self.byte() else { return self.unexpected("an escape") };
        let plain = match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.used += 1;
                let first = self.hex()?;
                let code = match first {
                    0xd800..0xdc00 if self.ahead(2) == b"\\u" => {
                        self.used += 2;
                        let second = self.hex()?;
                        0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff)
                    }
                    code => code,
                };
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => return self.unexpected("an escape"),
        };
        self.used += 1;
        Ok(plain)
    }

    fn hex(&mut self) -> Parsed<u32> {
        let digits = std::str::from_utf8(self.ahead(4)).ok();
        let digits = digits
            .filter(|digits| digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.used += 4;
                Ok(code)
            }
            None => self.unexpected("four hexadecimal digits"),
        }
    }

    /// Reads a number; the text of it.
    pub(super) fn number(&mut self) -> Parsed<String> {
        if self.next()? != Next::Number {
            return self.unexpected("a number");
        }
        let start = self.at();
        let mut text = String::new();
        while let Some(byte) = self.byte().filter(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)) {
            text.push(char::from(byte));
            self.used += 1;
            if text.len() > LONGEST_LINE {
                return Self::long(start, "this number");
            }
        }
        if !is_number(&text) {
            return Err(Bad { at: start, width: text.len(), message: "this is no number".to_owned() });
        }
        Ok(text)
    }

    /// Reads any value and forgets it.
    pub(super) fn skip(&mut self) -> Parsed<()> {
        self.skip_within(0)
    }

    fn skip_within(&mut self, depth: usize) -> Parsed<()> {
        if depth > DEEPEST {
            return self.bad("values stand too deep in each other");
        }
        match self.next()? {
            Next::Object => self.object(|reader, _| reader.skip_within(depth + 1)),
            Next::Array => self.array(|reader| reader.skip_within(depth + 1)),
            Next::Text => self.string().map(drop),
            Next::Number => self.number().map(drop),
            Next::Word => {
                let ahead = self.ahead(5);
                let word = ["true", "false", "null"].iter().find(|word| ahead.starts_with(word.as_bytes()));
                match word.map(|word| word.len()) {
                    Some(length) => {
                        self.used += length;
                        Ok(())
                    }
                    None => self.unexpected("a value"),
                }
            }
        }
    }

    /// Asks that nothing follows.
    pub(super) fn finish(&mut self) -> Parsed<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.unexpected("the end"),
        }
    }
}

/// Whether a text is a number as RFC 8259 has it.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (text, power) = match text.split_once(['e', 'E']) {
        Some((text, power)) => (text, Some(power.strip_prefix(['+', '-']).unwrap_or(power))),
        None => (text, None),
    };
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && power.is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn values_are_read_one_after_another() {
        let mut reader =
            Reader::new(&br#" {"a" : [1, -2.5e3 , "x\u0041\n\ud83d\ude00"], "b": {"c": null}} "#[..])
                .expect("a stream");
        let mut seen = Vec::new();
        let read = reader.object(|reader, key| match reader.next()? {
            Next::Array => reader.array(|reader| {
                seen.push(match reader.next()? {
                    Next::Number => reader.number()?,
                    _ => reader.string()?,
                });
                Ok(())
            }),
            _ => {
                seen.push(key);
                reader.skip()
            }
        });
        assert_eq!((read, reader.finish()), (Ok(()), Ok(())));
        assert_eq!(seen, ["1", "-2.5e3", "xA\n😀", "b"]);
    }

    #[test]
    fn mistakes_have_their_places() {
        let place = |text: &str| {
            let mut reader = Reader::new(text.as_bytes()).expect("a stream");
            reader.skip().and_then(|()| reader.finish()).expect_err(text).at
        };
        assert_eq!(place("[1, 2"), 5);
        assert_eq!(place("[1 2]"), 3);
        assert_eq!(place("{\"a\" 1}"), 5);
        assert_eq!(place("[01]"), 1);
        assert_eq!(place("[1] x"), 4);
        assert_eq!(place("\"a\\x\""), 3);
        assert_eq!(place("nul"), 0);
        assert_eq!(place("\"a"), 2);
        assert_eq!(place(&"[".repeat(100)), DEEPEST as u64 + 1);
    }

    #[test]
    fn one_line_of_any_length_is_read_and_a_token_without_end_is_not() {
        let values = 3 * LONGEST_LINE / 4;
        let text = io::Cursor::new(b"[1").chain(io::Cursor::new(b",  1").chain(io::empty()));
        assert!(Reader::new(text).expect("a stream").skip().is_err());
        let long = "[1".to_owned() + &",  1".repeat(values) + "]";
        let mut reader = Reader::new(long.as_bytes()).expect("a stream");
        assert_eq!(reader.skip().and_then(|()| reader.finish()), Ok(()));
        for (byte, what) in [(b'1', "this number"), (b'a', "this text")] {
            let start: &[u8] = if byte == b'a' { b"[\"" } else { b"[" };
            let mut reader = Reader::new(start.chain(io::repeat(byte).take(1 << 30))).expect("a stream");
            let bad = reader.skip().expect_err("without end");
            assert_eq!((bad.at, bad.message), (1, format!("{what} is longer than 4 MiB")));
            assert!(reader.buffer.capacity() < 2 * LONGEST_LINE);
        }
        let mut reader = Reader::new(io::repeat(b' ').take(1 << 30)).expect("a stream");
        assert!(reader.skip().is_err());
        assert_eq!(reader.failed(), Some(Kind::LongBlanks));
    }
}
