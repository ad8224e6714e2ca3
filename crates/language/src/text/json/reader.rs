//! From the bytes of a text to its values, one after another.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;

use crate::text::{Broken, LONGEST_LINE, Unpacked, size};

use super::{DEEPEST, Mistake, Next, ObjectKey};

/// Bytes read at a time.
const BLOCK: usize = 64 * 1024;
/// Bytes of texts and numbers that are looked for in the buffer as a whole.
const SHORT: usize = 256;

/// A JSON text and how far it is read.
pub struct Reader<'a> {
    /// Source of further bytes, if not all are in the buffer.
    input: Option<Unpacked<Box<dyn Read + 'a>>>,
    buffer: Cow<'a, [u8]>,
    /// Bytes of the buffer that are read.
    used: usize,
    /// Bytes of the text before the buffer.
    before: u64,
    /// The line, from 1.
    line: u64,
    ended: bool,
    /// Error of a stream that failed; what follows is as if the text ended.
    failed: Option<Broken>,
    /// Arrays and objects around what is read.
    depth: usize,
    /// Name of the text in messages.
    whole: &'static str,
}

type Parsed<T> = Result<T, Mistake>;

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("at", &self.at()).field("line", &self.line).finish_non_exhaustive()
    }
}

impl<'a> Reader<'a> {
    /// Reads from a stream, plain or gzip.
    ///
    /// # Errors
    /// As [`Unpacked::new`].
    pub fn new(input: impl Read + 'a) -> Result<Self, Broken> {
        let input: Box<dyn Read + 'a> = Box::new(input);
        let input = Some(Unpacked::new(input)?);
        Ok(Reader { input, ended: false, whole: "text", ..Self::of_line("") })
    }

    /// Reads a line that is a document of its own.
    pub fn of_line(text: &'a str) -> Self {
        Reader {
            input: None,
            buffer: Cow::Borrowed(text.as_bytes()),
            used: 0,
            before: 0,
            line: 1,
            ended: true,
            failed: None,
            depth: 0,
            whole: "line",
        }
    }

    /// Error of the stream, if it failed.
    pub fn failed(&mut self) -> Option<Broken> {
        self.failed.take()
    }

    /// Returns true if the text has no byte at all.
    pub fn is_empty(&mut self) -> bool {
        self.before == 0 && self.used == 0 && self.ahead(1).is_empty()
    }

    /// Position of the next byte.
    fn at(&self) -> u64 {
        self.before + self.used as u64
    }

    /// Start of the next value.
    pub fn place(&mut self) -> u64 {
        self.peek();
        self.at()
    }

    /// End of the last value.
    pub fn end(&self) -> u64 {
        self.at()
    }

    /// The line that stands here, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Bytes of memory for what is read.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.buffer.len()
    }

    /// The bytes that follow: `count` of them, or fewer where the text ends.
    fn ahead(&mut self, count: usize) -> &[u8] {
        while self.buffer.len() - self.used < count && !self.ended {
            let Some(input) = &mut self.input else { break };
            self.before += self.used as u64;
            let buffer = self.buffer.to_mut();
            buffer.drain(..self.used);
            self.used = 0;
            let filled = buffer.len();
            buffer.resize(filled + BLOCK, 0);
            let read = input.read(&mut buffer[filled..]);
            let count = read.unwrap_or_else(|broken| {
                self.failed = Some(broken);
                0
            });
            self.ended = count == 0;
            buffer.truncate(filled + count);
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

    /// The character that follows, and how many bytes it has; bytes that are none stand for
    /// themselves.
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

    /// A mistake in the character that stands here, or at the end.
    fn bad<T>(&mut self, message: impl Into<String>, expected: &str) -> Parsed<T> {
        let width = self.letter().map_or(0, |(_, width)| width);
        Err(Mistake { at: self.at(), width, message: message.into(), expected: expected.to_owned() })
    }

    fn unexpected<T>(&mut self, expected: &str) -> Parsed<T> {
        match self.letter() {
            Some((found, _)) => {
                let found = if found.is_control() { '·' } else { found };
                self.bad(format!("unexpected `{found}`"), expected)
            }
            None => self.bad(format!("the {} ends too early", self.whole), expected),
        }
    }

    /// Mistake of a token that is longer than is read.
    fn long<T>(at: u64, what: &str) -> Parsed<T> {
        Err(Mistake::new(at, 1, format!("{what} is longer than {}", size(LONGEST_LINE as u64))))
    }

    /// The next byte that is no blank. Blanks without end are as the end of the text.
    fn peek(&mut self) -> Option<u8> {
        if let Some(byte) = self.buffer.get(self.used).filter(|byte| **byte > b' ') {
            return Some(*byte);
        }
        let mut blanks = 0;
        loop {
            let rest = &self.buffer[self.used..];
            let length = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
            let run = &rest[..length.unwrap_or(rest.len())];
            run.iter().for_each(|byte| self.line += u64::from(*byte == b'\n'));
            self.used += run.len();
            blanks += run.len();
            if blanks > LONGEST_LINE {
                self.failed = Some(Broken::LongBlanks);
                self.ended = true;
                self.buffer.to_mut().clear();
                self.used = 0;
                return None;
            }
            match length {
                Some(_) => return self.buffer.get(self.used).copied(),
                None => self.byte().map(drop)?,
            }
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
    ///
    /// # Errors
    /// No value begins here.
    pub fn next_kind(&mut self) -> Parsed<Next> {
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
    ///
    /// # Errors
    /// It is no object, or stands too deep, or `each` fails.
    pub fn object(&mut self, mut each: impl FnMut(&mut Self, ObjectKey) -> Parsed<()>) -> Parsed<()> {
        self.members(*b"{}", "an object", |reader| {
            if reader.peek() != Some(b'"') {
                return reader.unexpected("a key in quotes");
            }
            let at = reader.at();
            let name = reader.string()?;
            let key = ObjectKey { name, at, width: (reader.at() - at) as usize };
            reader.take(b':', "`:`")?;
            each(reader, key)
        })
    }

    /// Reads an array; `each` must read every value.
    ///
    /// # Errors
    /// It is no array, or stands too deep, or `each` fails.
    pub fn array(&mut self, each: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.members(*b"[]", "an array", each)
    }

    /// Reads what stands between two brackets, with commas between its members.
    fn members(
        &mut self,
        [open, close]: [u8; 2],
        what: &str,
        mut each: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<()> {
        if self.depth > DEEPEST {
            self.peek();
            return self.bad("values stand too deep in each other", "a plain value");
        }
        self.depth += 1;
        self.take(open, what)?;
        if self.peek() != Some(close) {
            each(self)?;
            while self.peek() == Some(b',') {
                self.used += 1;
                each(self)?;
            }
        }
        self.take(close, if close == b'}' { "`,` or `}`" } else { "`,` or `]`" })?;
        self.depth -= 1;
        Ok(())
    }

    /// Reads a text.
    ///
    /// # Errors
    /// It is no text.
    pub fn string(&mut self) -> Parsed<String> {
        self.take(b'"', "a text in quotes")?;
        // most texts have no escapes and lie in the buffer
        let rest = &self.buffer[self.used..];
        let length = rest.iter().take(SHORT).position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
        if let Some(length) = length
            && rest[length] == b'"'
            && let Ok(text) = std::str::from_utf8(&rest[..length])
        {
            let text = text.to_owned();
            self.used += length + 1;
            return Ok(text);
        }
        let start = self.at();
        let mut bytes = Vec::new();
        let mut escapes = false;
        loop {
            let rest = if self.used < self.buffer.len() { &self.buffer[self.used..] } else { self.ahead(1) };
            if rest.is_empty() {
                return self.bad("the text has no end", "a closing quote");
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
                Some(_) => return self.bad("a control character stands in a text", "an escape"),
            }
        }
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to() as u64;
            Mistake::new(start + if escapes { 0 } else { valid }, 0, "from here on it is no text in UTF-8")
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
    ///
    /// # Errors
    /// It is no number as RFC 8259 has them.
    pub fn number(&mut self) -> Parsed<String> {
        if self.next_kind()? != Next::Number {
            return self.unexpected("a number");
        }
        let start = self.at();
        let is_of_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        // as much as lies in the buffer, and then what follows
        let rest = &self.buffer[self.used..];
        let run = rest.iter().take(SHORT).take_while(|byte| is_of_number(byte)).count();
        let mut text = std::str::from_utf8(&rest[..run]).unwrap_or_default().to_owned();
        self.used += run;
        while let Some(byte) = self.byte().filter(is_of_number) {
            text.push(char::from(byte));
            self.used += 1;
            if text.len() > LONGEST_LINE {
                return Self::long(start, "this number");
            }
        }
        if !is_number(&text) {
            let shown: String = text.chars().take(40).collect();
            return Err(Mistake::new(start, text.len(), format!("`{shown}` is no number")));
        }
        Ok(text)
    }

    /// Reads `true`, `false` or `null`, which is nothing.
    ///
    /// # Errors
    /// It is none of them.
    pub fn word(&mut self) -> Parsed<Option<bool>> {
        self.peek();
        let ahead = self.ahead(5);
        let words = [("true", Some(true)), ("false", Some(false)), ("null", None)];
        match words.into_iter().find(|(word, _)| ahead.starts_with(word.as_bytes())) {
            Some((word, value)) => {
                self.used += word.len();
                Ok(value)
            }
            None => self.unexpected("a value"),
        }
    }

    /// Reads any value and forgets it.
    ///
    /// # Errors
    /// It is no value, or stands too deep.
    pub fn skip(&mut self) -> Parsed<()> {
        match self.next_kind()? {
            Next::Object => self.object(|reader, _| reader.skip()),
            Next::Array => self.array(Self::skip),
            Next::Text => self.string().map(drop),
            Next::Number => self.number().map(drop),
            Next::Word => self.word().map(drop),
        }
    }

    /// Asks that nothing follows.
    ///
    /// # Errors
    /// Something follows.
    pub fn finish(&mut self) -> Parsed<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => {
                let expected = format!("the end of the {}", self.whole);
                self.bad("something follows the value", &expected)
            }
        }
    }
}

/// Returns true if a text is a number as RFC 8259 has it.
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
