//! Marks of recognition: the format of a file, by its content. Its name may say anything, or
//! nothing.
//!
//! A format declares a [`FileMark`] next to its reader: a test of the beginning of a file, after
//! decompression. A certain mark is one that no other format has: an element of XML, the first word
//! of a text, the columns of a first line. The keys of a JSON object may be those of others too,
//! and some formats have nothing but their syntax: their marks count where no certain one is found.
//! A text without any mark is left to the reader that its name calls for, whose messages have a
//! place.

use std::path::Path;

use super::{Unpacked, open};

/// Bytes that are looked at.
const LOOKED_AT: usize = 64 * 1024;

/// Evidence that a mark gives, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Evidence {
    /// No other format has it.
    Certain,
    /// Some file of another format may have it.
    Likely,
    /// No more is known than the syntax.
    Syntax,
}

/// The mark of a format of files.
#[derive(Clone, Copy, Debug)]
pub struct FileMark {
    /// Description of such a file, in words that follow "it is".
    pub about: &'static str,
    /// Commands, or keys of a scenario, that read it, in words; `{file}` stands for its name.
    pub reader: &'static str,
    /// Evidence that it gives.
    pub evidence: Evidence,
    /// Returns true of the beginning of such a file.
    pub fits: fn(&Head<'_>) -> bool,
}

impl FileMark {
    /// A mark that no other format has.
    pub const fn new(about: &'static str, reader: &'static str, fits: fn(&Head<'_>) -> bool) -> Self {
        FileMark { about, reader, evidence: Evidence::Certain, fits }
    }

    /// The same mark with other evidence.
    #[must_use]
    pub const fn evidence(self, evidence: Evidence) -> Self {
        FileMark { evidence, ..self }
    }

    /// Commands and keys that read the file of this name.
    pub fn reader_of(&self, file: &str) -> String {
        self.reader.replace("{file}", file)
    }

    /// Returns true if the file at `path` can be read and has this mark.
    pub fn is_of(&self, path: &Path) -> bool {
        head_of(path).is_some_and(|bytes| (self.fits)(&Head::new(&bytes)))
    }
}

/// Marks are those of the same format if they describe it alike.
impl PartialEq for FileMark {
    fn eq(&self, other: &Self) -> bool {
        self.about == other.about
    }
}

impl Eq for FileMark {}

/// The beginning of the file at `path`, unpacked, if it can be read.
pub fn head_of(path: &Path) -> Option<Vec<u8>> {
    let mut unpacked = Unpacked::new(open(path).ok()?).ok()?;
    let mut head = vec![0; LOOKED_AT];
    let mut filled = 0;
    while filled < head.len() {
        match unpacked.read(&mut head[filled..]) {
            Ok(0) | Err(_) => break,
            Ok(count) => filled += count,
        }
    }
    head.truncate(filled);
    Some(head)
}

/// The beginning of a file, as marks look at it.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    bytes: &'a [u8],
    text: &'a str,
}

impl<'a> Head<'a> {
    /// The beginning of a file of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // the last character may be cut, and comments of logs are in any code
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        Head { bytes, text: text.trim_start_matches('\u{feff}').trim_start() }
    }

    /// The bytes themselves.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The text from its first character on, as far as it is UTF-8.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns true of XML and HTML.
    pub fn is_markup(&self) -> bool {
        self.text.starts_with('<')
    }

    /// Returns true of a JSON object, or a list of objects.
    pub fn is_json(&self) -> bool {
        let behind_bracket = self.text.strip_prefix('[').map(str::trim_start);
        self.text.starts_with('{') || behind_bracket.is_some_and(|rest| rest.starts_with('{'))
    }

    /// Returns true of markup that has an element of this name.
    pub fn has_element(&self, name: &str) -> bool {
        let ends = |rest: &str| {
            rest.chars().next().is_none_or(|next| next.is_whitespace() || matches!(next, '>' | '/'))
        };
        let mut behind =
            self.text.match_indices('<').filter_map(|(at, _)| self.text[at + 1..].strip_prefix(name));
        self.is_markup() && behind.any(ends)
    }

    /// Returns true of JSON that has a key of this name, at any depth.
    pub fn has_key(&self, name: &str) -> bool {
        let quoted = format!("\"{name}\"");
        let behind = self.text.match_indices(&quoted).map(|(at, _)| &self.text[at + quoted.len()..]);
        self.is_json() && behind.map(str::trim_start).any(|rest| rest.starts_with(':'))
    }

    /// Lines of a text that is neither markup nor JSON, without blanks around them; empty lines
    /// are left out.
    pub fn lines(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let text = if self.is_markup() || self.is_json() { "" } else { self.text };
        text.lines().map(str::trim).filter(|line| !line.is_empty())
    }

    /// The same lines without comments, which begin with `#` or `;`.
    pub fn statements(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.lines().filter(|line| !line.starts_with(['#', ';']))
    }

    /// Returns true if the first line that is no comment begins with this word.
    pub fn begins_with(&self, word: &str) -> bool {
        let first = |line: &'a str| line.split(|letter: char| !letter.is_ascii_alphanumeric()).next();
        self.statements().next().and_then(first) == Some(word)
    }
}

/// Returns true if a line is a table or a key of TOML; `Key=Value` without blanks may be any
/// configuration.
pub fn is_toml_line(line: &str) -> bool {
    let is_key = |name: &str| {
        let name = name.trim();
        let part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.\"' ".contains(&byte);
        !name.is_empty() && name.bytes().all(part)
    };
    let header = line.split('#').next().unwrap_or_default().trim_end();
    let header = header.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let header =
        header.map(|inner| inner.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(inner));
    let (name, _) = line.split_once('=').unwrap_or((line, ""));
    header.is_some_and(is_key) || ((line.contains(" =") || line.contains("= ")) && is_key(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head<'_> {
        Head::new(text.as_bytes())
    }

    #[test]
    fn marks_ask_for_elements_keys_and_lines() {
        let xml = head("\u{feff} <?xml version='1.0'?>\n<platform version=\"4.1\"><zones/></platform>");
        assert!(xml.is_markup() && xml.has_element("platform") && xml.has_element("zones"));
        assert!(!xml.has_element("zone") && !xml.has_key("version") && xml.lines().next().is_none());
        let json = head("[ {\"jobs\" : [], \"name\": \"profiles\"}]");
        assert!(json.is_json() && json.has_key("jobs") && !json.has_key("profiles"));
        assert!(!json.has_element("jobs") && !json.begins_with("jobs"));
        let lines = head("; a\n# b\n\n  Grid-1 x\n  y\n");
        assert!(lines.begins_with("Grid") && !lines.begins_with("Grid1"));
        assert_eq!(lines.lines().collect::<Vec<_>>(), ["; a", "# b", "Grid-1 x", "y"]);
        assert_eq!(lines.statements().collect::<Vec<_>>(), ["Grid-1 x", "y"]);
        assert!(!lines.has_element("x") && !lines.has_key("x"));
    }

    #[test]
    fn a_text_ends_where_it_is_no_utf_8() {
        let cut = Head::new(b"a = \"\xc3\xa4\"\n\xff");
        assert_eq!((cut.text(), cut.bytes().len()), ("a = \"\u{e4}\"\n", 10));
        assert_eq!(head("").lines().count(), 0);
    }
}
