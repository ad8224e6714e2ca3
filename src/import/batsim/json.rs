//! JSON read in one pass, value by value, without a tree: a workload of a million jobs costs no more than its jobs.
//!
//! JSON as RFC 8259 has it; values stand at most 64 deep. Who reads says what it expects next; every mistake has its place.

/// How deep arrays and objects may stand in each other.
const DEEPEST: usize = 64;

/// A mistake: where it begins, how long it is, what is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bad {
    pub(super) at: usize,
    pub(super) width: usize,
    pub(super) message: String,
}

/// A JSON text and how far it is read.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
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

type Read<T> = Result<T, Bad>;

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Reader { text, at: 0 }
    }

    /// Where the next value begins.
    pub(super) fn place(&mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    /// Where the last value ended.
    pub(super) fn end(&self) -> usize {
        self.at
    }

    fn bad<T>(&self, message: impl Into<String>) -> Read<T> {
        let width = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        Err(Bad { at: self.at, width, message: message.into() })
    }

    fn unexpected<T>(&self, expected: &str) -> Read<T> {
        match self.text[self.at..].chars().next() {
            Some(found) => {
                let found = if found.is_control() { '·' } else { found };
                self.bad(format!("unexpected `{found}`, {expected} should stand here"))
            }
            None => self.bad(format!("the text ends too early, {expected} should follow")),
        }
    }

    fn skip_blanks(&mut self) {
        while matches!(self.text.as_bytes().get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8, expected: &str) -> Read<()> {
        if self.peek() != Some(byte) {
            return self.unexpected(expected);
        }
        self.at += 1;
        Ok(())
    }

    /// The kind of the next value.
    pub(super) fn next(&mut self) -> Read<Next> {
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
    pub(super) fn object(&mut self, mut each: impl FnMut(&mut Self, String) -> Read<()>) -> Read<()> {
        self.take(b'{', "an object")?;
        if self.peek() == Some(b'}') {
            self.at += 1;
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
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.unexpected("a comma or `}`"),
            }
        }
    }

    /// Reads an array; `each` must read every value.
    pub(super) fn array(&mut self, mut each: impl FnMut(&mut Self) -> Read<()>) -> Read<()> {
        self.take(b'[', "an array")?;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            each(self)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.unexpected("a comma or `]`"),
            }
        }
    }

    /// Reads a text.
    pub(super) fn string(&mut self) -> Read<String> {
        self.take(b'"', "a text in quotes")?;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(length) = rest.find(['"', '\\']) else {
                self.at = self.text.len();
                return self.unexpected("the end of the text");
            };
            if let Some(control) = rest[..length].find(|letter: char| letter < ' ') {
                self.at += control;
                return self.bad("a control character stands in a text");
            }
            text += &rest[..length];
            self.at += length + 1;
            if rest.as_bytes()[length] == b'"' {
                return Ok(text);
            }
            text.push(self.escape()?);
        }
    }

    /// Reads what stands behind a backslash.
    fn escape(&mut self) -> Read<char> {
        let Some(&letter) = self.text.as_bytes().get(self.at) else { return self.unexpected("an escape") };
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
                self.at += 1;
                let first = self.hex()?;
                let code = match first {
                    0xd800..0xdc00 if self.text[self.at..].starts_with("\\u") => {
                        self.at += 2;
                        let second = self.hex()?;
                        0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff)
                    }
                    code => code,
                };
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => return self.unexpected("an escape"),
        };
        self.at += 1;
        Ok(plain)
    }

    fn hex(&mut self) -> Read<u32> {
        let digits = self.text.get(self.at..self.at + 4);
        let code = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match code.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => self.unexpected("four hexadecimal digits"),
        }
    }

    /// Reads a number; the text of it.
    pub(super) fn number(&mut self) -> Read<&'a str> {
        if self.next()? != Next::Number {
            return self.unexpected("a number");
        }
        let start = self.at;
        let bytes = self.text.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = start + usize::from(bytes[start] == b'-');
        let whole = digits(end);
        let zero_first = bytes.get(end) == Some(&b'0');
        end += whole;
        let mut lawful = whole > 0 && (whole == 1 || !zero_first);
        if bytes.get(end) == Some(&b'.') {
            lawful &= digits(end + 1) > 0;
            end += 1 + digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let signed = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let power = digits(signed.min(bytes.len()));
            lawful &= power > 0;
            end = signed + power;
        }
        if !lawful {
            return Err(Bad { at: start, width: end - start, message: "this is no number".to_owned() });
        }
        self.at = end;
        Ok(&self.text[start..end])
    }

    /// Reads any value and forgets it.
    pub(super) fn skip(&mut self) -> Read<()> {
        self.skip_within(0)
    }

    fn skip_within(&mut self, depth: usize) -> Read<()> {
        if depth > DEEPEST {
            return self.bad("values stand too deep in each other");
        }
        match self.next()? {
            Next::Object => self.object(|reader, _| reader.skip_within(depth + 1)),
            Next::Array => self.array(|reader| reader.skip_within(depth + 1)),
            Next::Text => self.string().map(drop),
            Next::Number => self.number().map(drop),
            Next::Word => {
                let word =
                    ["true", "false", "null"].iter().find(|word| self.text[self.at..].starts_with(**word));
                match word {
                    Some(word) => {
                        self.at += word.len();
                        Ok(())
                    }
                    None => self.unexpected("a value"),
                }
            }
        }
    }

    /// Asks that nothing follows.
    pub(super) fn finish(&mut self) -> Read<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => self.unexpected("the end"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_one_after_another() {
        let mut reader = Reader::new(r#" {"a" : [1, -2.5e3 , "x\u0041\n\ud83d\ude00"], "b": {"c": null}} "#);
        let mut seen = Vec::new();
        let read = reader.object(|reader, key| match reader.next()? {
            Next::Array => reader.array(|reader| {
                seen.push(match reader.next()? {
                    Next::Number => reader.number()?.to_owned(),
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
            let mut reader = Reader::new(text);
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
        assert_eq!(place(&"[".repeat(100)), DEEPEST + 1);
    }
}
