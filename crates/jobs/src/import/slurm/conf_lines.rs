//! Lines of a `slurm.conf`: how they join, which files they include, and their keys and values.
//!
//! Source: slurm.conf(5), and the behaviour of the parser of Slurm 20.02. In this order:
//!
//! 1. A `#` ends a line, unless an odd number of backslashes stands before it.
//! 2. A line whose last letters but blanks are an odd number of backslashes goes on in the next:
//!    the last of them is taken away with what follows it, and the next line is put behind as it
//!    is, blanks included and none added.
//! 3. A backslash takes the letter behind it as it is, and is itself taken away.
//! 4. `Include NAME` at the very beginning of a line stands for the file of that name next to the
//!    one that it is in; `%c` is the name of the cluster in small letters.
//! 5. `KEY=VALUE`: keys in any case, blanks allowed around the sign, values in double quotes or
//!    without blanks. Of a key that is given twice the last value holds.
//!
//! Included files are read from the folder of the first file and from below it alone, each once,
//! and at most [`DEEPEST`] within each other.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::Problem;
use crate::registry::{code, reason};
use crate::text::{self, Broken, LONGEST_LINE, Lines, Place};

use super::conf_values::BadValue;

/// Files that may include each other, the first not counted.
const DEEPEST: usize = 16;

/// A line after joining.
#[derive(Clone, Debug)]
pub(super) struct ConfLine {
    pub(super) text: String,
    /// Number of its first line in the file.
    pub(super) number: u64,
    /// File, if it is an included one.
    pub(super) file: Option<String>,
    parts: Vec<LinePart>,
}

/// A line of the file that is part of a joined one.
#[derive(Clone, Debug)]
struct LinePart {
    /// Bytes of the joined text before it.
    at: usize,
    number: u64,
    /// Text as written, without the line end.
    written: String,
}

impl LinePart {
    /// Bytes of the written line before those that stand `at` bytes into the joined text.
    fn column(&self, at: usize) -> usize {
        let mut left = at.saturating_sub(self.at);
        let mut letters = self.written.char_indices();
        while let Some((column, letter)) = letters.next() {
            if left == 0 {
                return column;
            }
            let taken = if letter == '\\' { letters.next().map(|(_, taken)| taken) } else { Some(letter) };
            left = left.saturating_sub(taken.map_or(0, char::len_utf8));
        }
        self.written.len()
    }
}

impl ConfLine {
    /// A line before any part of it is joined.
    fn new(file: Option<String>) -> Self {
        ConfLine { text: String::new(), number: 0, file, parts: Vec::new() }
    }

    /// Puts a line of the file behind, of which `text` counts.
    fn join(&mut self, number: u64, written: &str, text: &str) {
        let at = self.text.len();
        self.text.extend(unescaped(text));
        if self.parts.is_empty() {
            self.number = number;
        } else if self.text.len() == at {
            return;
        }
        self.parts.push(LinePart { at, number, written: written.to_owned() });
    }

    /// A mistake in `width` bytes from `column` on, at its place in the file.
    pub(super) fn wrong(&self, column: usize, width: usize, message: String) -> Problem {
        let problem = Problem::new(code::SLURM_CONF, message);
        let of = self.parts.iter().rposition(|part| part.at <= column).unwrap_or(0);
        let next = self.parts.get(of + 1).map_or(self.text.len(), |part| part.at);
        let Some(part) = self.parts.get(of) else { return problem };
        let (from, to) = (part.column(column), part.column((column + width).min(next)));
        let place = Place::new(part.number, part.written.as_bytes(), from, to.saturating_sub(from));
        Problem { included: self.file.as_deref().map(Box::from), ..problem.at(place) }
    }

    /// The whole line is wrong.
    pub(super) fn wrong_whole(&self, message: String) -> Problem {
        self.wrong(0, self.text.len(), message)
    }
}

/// One `Key=Value` of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    /// As written.
    pub(super) name: &'a str,
    pub(super) value: &'a str,
    /// Bytes before it, and its length.
    at: (usize, usize),
}

/// The pair that begins at or after `at`, and its end.
fn pair(text: &str, at: usize) -> Option<(Pair<'_>, usize)> {
    let skip = |from: usize| {
        text[from..].find(|letter: char| !letter.is_whitespace()).map_or(text.len(), |blanks| from + blanks)
    };
    let begin = skip(at);
    let is_of_key = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
    let key_end = text[begin..].find(|letter| !is_of_key(letter)).map_or(text.len(), |length| begin + length);
    let sign = skip(key_end);
    let sign = if text[sign..].starts_with(['+', '-', '*', '/']) { sign + 1 } else { sign };
    if key_end == begin || !text[sign..].starts_with('=') {
        return None;
    }
    let from = skip(sign + 1);
    let quoted = text[from..].strip_prefix('"').and_then(|rest| {
        let length = rest.find('"')?;
        let behind = rest[length + 1..].chars().next();
        behind.is_none_or(char::is_whitespace).then(|| (&rest[..length], from + length + 2))
    });
    let bare = || {
        let end = text[from..].find(char::is_whitespace).map_or(text.len(), |length| from + length);
        (from < end).then(|| (&text[from..end], end))
    };
    let (value, end) = quoted.or_else(bare)?;
    Some((Pair { name: &text[begin..key_end], value, at: (begin, end - begin) }, end))
}

/// The first pair of a line, and the rest behind it.
pub(super) fn first_pair(line: &ConfLine) -> Option<(Pair<'_>, &str)> {
    pair(&line.text, 0).map(|(pair, end)| (pair, line.text[end..].trim()))
}

/// A line of several pairs.
pub(super) struct Line<'a> {
    pub(super) conf: &'a ConfLine,
    pub(super) pairs: Vec<Pair<'a>>,
}

impl<'a> Line<'a> {
    pub(super) fn new(conf: &'a ConfLine) -> Result<Self, Problem> {
        let (text, mut at, mut pairs) = (conf.text.as_str(), 0, Vec::new());
        while let Some(begin) =
            text[at..].find(|letter: char| !letter.is_whitespace()).map(|blanks| at + blanks)
        {
            let Some((found, end)) = pair(text, begin) else {
                let word = text[begin..].split_whitespace().next().unwrap_or_default();
                let problem = conf.wrong(begin, word.len(), format!("`{word}` is no KEY=VALUE"));
                return Err(problem.help("a value with blanks in it stands in double quotes"));
            };
            pairs.push(found);
            at = end;
        }
        Ok(Line { conf, pairs })
    }

    /// A pair is wrong.
    pub(super) fn wrong_at(&self, pair: &Pair<'_>, bad: impl Into<BadValue>) -> Problem {
        let bad = bad.into();
        expecting(self.conf.wrong(pair.at.0, pair.at.1, bad.message), bad.expected)
    }

    /// The last value of a key, which is given in small letters.
    pub(super) fn get(&self, key: &str) -> Option<&Pair<'a>> {
        self.pairs.iter().rev().find(|pair| pair.name.eq_ignore_ascii_case(key))
    }

    /// The value of the first of these keys that the line has, or else that the defaults have.
    pub(super) fn text_of<'b>(&'b self, defaults: &'b Defaults, keys: &[&str]) -> Option<&'b str> {
        let own = keys.iter().find_map(|key| self.get(key)).map(|pair| pair.value);
        own.or_else(|| keys.iter().find_map(|key| defaults.get(*key)).map(String::as_str))
    }

    /// Reads the value of a key; an error is at the value, or at the line if it is a default.
    pub(super) fn read<T>(
        &self,
        defaults: &Defaults,
        key: &str,
        read: impl FnOnce(&str) -> Result<T, BadValue>,
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.text_of(defaults, &[key]) else { return Ok(None) };
        read(text).map(Some).map_err(|bad| match self.get(key) {
            Some(pair) => self.wrong_at(pair, bad),
            None => expecting(self.conf.wrong_whole(bad.message), bad.expected),
        })
    }

    /// Takes the pairs in as defaults of later lines.
    pub(super) fn set(&self, defaults: &mut Defaults) {
        defaults
            .extend(self.pairs.iter().map(|pair| (pair.name.to_ascii_lowercase(), pair.value.to_owned())));
    }
}

/// A problem with the values that were expected.
fn expecting(problem: Problem, expected: &str) -> Problem {
    if expected.is_empty() { problem } else { problem.help(expected) }
}

/// Values that later lines of a kind have if they state none, by keys in small letters.
pub(super) type Defaults = OrderedMap<String, String>;

/// A physical line without its comment, and true if it goes on in the next.
fn piece(text: &str) -> (&str, bool) {
    let mut escapes = 0_usize;
    let comment = text.bytes().position(|byte| {
        let ends = byte == b'#' && escapes.is_multiple_of(2);
        escapes = if byte == b'\\' { escapes + 1 } else { 0 };
        ends
    });
    let text = &text[..comment.unwrap_or(text.len())];
    let trimmed = text.trim_end();
    let slashes = trimmed.bytes().rev().take_while(|&byte| byte == b'\\').count();
    if slashes % 2 == 1 { (&trimmed[..trimmed.len() - 1], true) } else { (trimmed, false) }
}

/// Letters of a line without the backslashes that take letters as they are.
fn unescaped(text: &str) -> impl Iterator<Item = char> {
    let mut letters = text.chars();
    std::iter::from_fn(move || match letters.next()? {
        '\\' => letters.next(),
        letter => Some(letter),
    })
}

/// A line, of this number, is too long.
fn too_long(line: u64) -> Problem {
    let message = format!("the line is longer than {LONGEST_LINE} bytes");
    Problem::new(code::SLURM_CONF, message).at(Place::new(line, b"", 0, 0))
}

/// Receiver of the lines of a configuration.
type See<'s> = dyn FnMut(&ConfLine) -> Result<(), Problem> + 's;

/// Lines of a configuration and of the files that it includes.
#[derive(Debug, Default)]
pub(super) struct ConfFiles {
    /// Folder from which files may be included.
    root: Option<PathBuf>,
    seen: OrderedSet<PathBuf>,
    cluster: Option<String>,
    /// Included files, in the order in which they were read.
    pub(super) included: Vec<PathBuf>,
    /// Includes that were not followed, in words.
    pub(super) remarks: Vec<String>,
}

/// File that is read.
struct Source {
    /// The path of the file, if it may include others.
    path: Option<PathBuf>,
    depth: usize,
    shown: Option<String>,
}

impl ConfFiles {
    /// Reads a configuration, and the files that it includes if its path is known.
    pub(super) fn read(
        &mut self,
        reader: impl Read,
        path: Option<&Path>,
        see: &mut See<'_>,
    ) -> Result<(), Problem> {
        if let Some(path) = path {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            self.root = Some(folder.unwrap_or(Path::new(".")).to_owned());
            self.seen.extend(fs::canonicalize(path).ok());
        }
        let path = path.map(Path::to_owned);
        self.file(Lines::new(reader)?, &Source { path, depth: 0, shown: None }, see)
    }

    fn file<R: Read>(
        &mut self,
        mut lines: Lines<R>,
        source: &Source,
        see: &mut See<'_>,
    ) -> Result<(), Problem> {
        let mut joined = ConfLine::new(source.shown.clone());
        let (mut goes_on, mut line, mut held) = (false, 0_u64, 0);
        let of = |problem: Problem| Problem { included: source.shown.as_deref().map(Box::from), ..problem };
        loop {
            let block = match lines.next_block() {
                Ok(Some(block)) => block,
                Ok(None) => break,
                Err(Broken::LongLine) => return Err(of(too_long(line + 1))),
                Err(error) => return Err(of(error.into())),
            };
            for bytes in block.split_inclusive(|&byte| byte == b'\n') {
                line += 1;
                let text = std::str::from_utf8(bytes).map_err(|error| {
                    let place = Place::new(line, bytes, error.valid_up_to(), 1);
                    of(Problem::new(code::SLURM_CONF, "the line is no text in UTF-8").at(place))
                })?;
                let written = text.trim_end_matches(['\n', '\r']);
                if written.len() > LONGEST_LINE {
                    return Err(of(too_long(line)));
                }
                let (text, on) = piece(text);
                joined.join(line, written, text);
                goes_on = on;
                held += written.len();
                if !on {
                    self.line(&joined, source, see)?;
                    (joined, held) = (ConfLine::new(source.shown.clone()), 0);
                } else if held > LONGEST_LINE {
                    let message = format!("the line goes on for more than {LONGEST_LINE} bytes");
                    return Err(joined.wrong_whole(message));
                }
            }
        }
        if goes_on { self.line(&joined, source, see) } else { Ok(()) }
    }

    fn line(&mut self, conf: &ConfLine, source: &Source, see: &mut See<'_>) -> Result<(), Problem> {
        if conf.text.trim().is_empty() {
            return Ok(());
        }
        let word = conf.text.get(..7).filter(|word| word.eq_ignore_ascii_case("include"));
        if word.is_some() && conf.text[7..].starts_with(char::is_whitespace) {
            return self.include(conf, source, see);
        }
        if let Some((pair, _)) =
            first_pair(conf).filter(|(pair, _)| pair.name.eq_ignore_ascii_case("clustername"))
        {
            self.cluster = Some(pair.value.to_lowercase());
        }
        see(conf)
    }

    fn include(&mut self, conf: &ConfLine, source: &Source, see: &mut See<'_>) -> Result<(), Problem> {
        let written = conf.text[7..].split_whitespace().next().unwrap_or_default();
        let number = conf.number;
        let (Some(root), Some(path)) = (&self.root, &source.path) else {
            self.remarks.push(format!(
                "line {number} includes {written}, which was not read: convert the parts joined"
            ));
            return Ok(());
        };
        let column = conf.text.len() - conf.text[7..].trim_start().len();
        let wrong = |message: String| conf.wrong(column, written.len(), message);
        let name = match (written.contains("%c"), &self.cluster) {
            (true, None) => {
                return Err(wrong(format!(
                    "`{written}` has the name of the cluster, which no line before states"
                )));
            }
            (true, Some(cluster)) => written.replace("%c", cluster),
            (false, _) => written.to_owned(),
        };
        let file = path.parent().unwrap_or(Path::new("")).join(&name);
        let leads_out = Path::new(&name)
            .components()
            .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
        let real = fs::canonicalize(&file);
        if text::is_outside(root, &file) || (leads_out && real.is_err()) {
            let problem = wrong(format!("`{name}` is outside the folder of this file, and is not read"));
            return Err(problem.help("copy it into the folder of this file, and write its name alone"));
        }
        if source.depth >= DEEPEST {
            return Err(wrong(format!("files include each other more than {DEEPEST} deep")));
        }
        let opened = real.and_then(|real| Ok((real, text::open(&file)?)));
        let (real, opened) =
            opened.map_err(|error| wrong(format!("cannot read `{name}`: {}", reason(&error))))?;
        if !self.seen.insert(real) {
            self.remarks.push(format!("line {number} includes {name} once more, which is read once"));
            return Ok(());
        }
        self.included.push(file.clone());
        let shown = Some(file.display().to_string());
        let inner = Source { path: Some(file), depth: source.depth + 1, shown };
        self.file(Lines::new(opened)?, &inner, see)
    }
}

#[cfg(test)]
impl ConfLine {
    /// A line of a file as it is.
    pub(super) fn of(text: &str, number: u64) -> Self {
        let mut line = ConfLine::new(None);
        line.join(number, text, text);
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> Vec<String> {
        let mut seen = Vec::new();
        let mut files = ConfFiles::default();
        let read = files.read(text.as_bytes(), None, &mut |line| {
            seen.push(format!("{}:{}", line.number, line.text));
            Ok(())
        });
        read.expect("no line is refused here");
        seen
    }

    #[test]
    fn lines_join_as_slurm_joins_them() {
        // no blank is put between the parts, and blanks of the next line stay
        assert_eq!(joined("Nodes=a[1-2],\\\nb[3-4] X=1\nY=2"), ["1:Nodes=a[1-2],b[3-4] X=1", "3:Y=2"]);
        assert_eq!(joined("Nodes=a \\  \n   X=1"), ["1:Nodes=a    X=1"]);
        // a comment is cut first, and hides a backslash in it
        assert_eq!(joined("A=1 \\ # more\nB=2\nC=3 # x \\\nD=4"), ["1:A=1 B=2", "3:C=3", "4:D=4"]);
        // two backslashes are one, and no joint; three are one and a joint
        assert_eq!(joined("A=x\\\\\nB=2"), ["1:A=x\\", "2:B=2"]);
        assert_eq!(joined("A=x\\\\\\\nB"), ["1:A=x\\B"]);
        // a sign behind a backslash is no comment, quotes protect none
        assert_eq!(joined("A=x\\#y # z\nB=\"p#q\""), ["1:A=x#y", "2:B=\"p"]);
        assert_eq!(joined("A=1\\"), ["1:A=1"]);
        assert_eq!(joined("\n # only\n\\\n\nA=1"), ["5:A=1"]);
    }

    #[test]
    fn pairs_are_known_with_blanks_and_quotes() {
        let pairs = |text: &str| -> Result<Vec<(String, String)>, String> {
            let conf = ConfLine::of(text, 1);
            let line = Line::new(&conf).map_err(|problem| problem.message)?;
            Ok(line.pairs.iter().map(|pair| (pair.name.to_owned(), pair.value.to_owned())).collect())
        };
        let both = |pairs: &[(&str, &str)]| -> Result<Vec<(String, String)>, String> {
            Ok(pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
        };
        assert_eq!(pairs("A=1 b = \"x y\"  C+=2"), both(&[("A", "1"), ("b", "x y"), ("C", "2")]));
        assert_eq!(pairs("Nodes=\"\" A=\"x\"y"), both(&[("Nodes", ""), ("A", "\"x\"y")]));
        // a value that is missing is the next word, as the pattern of Slurm has it
        assert_eq!(pairs("Nodes= State=UP"), both(&[("Nodes", "State=UP")]));
        assert_eq!(pairs("A=1 word"), Err("`word` is no KEY=VALUE".to_owned()));
        assert_eq!(pairs("A="), Err("`A=` is no KEY=VALUE".to_owned()));
        assert_eq!(pairs("=1"), Err("`=1` is no KEY=VALUE".to_owned()));
    }

    #[test]
    fn places_are_those_of_the_file() {
        let at = |text: &str, word: &str| {
            let mut found = Vec::new();
            let mut files = ConfFiles::default();
            let read = files.read(text.as_bytes(), None, &mut |line| {
                let Some(column) = line.text.find(word) else { return Ok(()) };
                let place = line.wrong(column, word.len(), String::new()).place.expect("a place");
                found.push((place.line, place.column, place.text[place.range.clone()].to_owned()));
                Ok(())
            });
            read.expect("no line is refused here");
            found.remove(0)
        };
        let word = |line, column, text: &str| (line, column, text.to_owned());
        assert_eq!(at("A=1 B=2 # B\n", "B"), word(1, 5, "B"));
        assert_eq!(at("\nA=1 \\ # more\n  B=2 \\\nC=3\n", "B=2"), word(3, 3, "B=2"));
        assert_eq!(at("A=1 \\\n#\\\nC=3", "A"), word(1, 1, "A"));
        assert_eq!(at("A=1 \\\n\\\n\\\nC=3\n", "C=3"), word(4, 1, "C=3"));
        // backslashes are in the file and not in the text, letters have several bytes
        assert_eq!(at("A=é\\#\\x B=2\n", "B"), word(1, 10, "B"));
        // a value that goes on is shown as far as its first line has it
        assert_eq!(at("A=1,\\\n2\n", "A=1,2"), word(1, 1, "A=1,"));
        assert_eq!(at("\\\n A=1\n", " A=1"), word(2, 1, " A=1"));
    }

    #[test]
    fn a_line_that_is_too_long_is_named() {
        let refused = |text: &str| {
            let mut files = ConfFiles::default();
            let problem = files.read(text.as_bytes(), None, &mut |_| Ok(())).expect_err("too long");
            (problem.message, problem.place.map(|place| (place.line, place.column)))
        };
        let long = format!("A=1\nB={}\n", "x".repeat(LONGEST_LINE + 1));
        let message = format!("the line is longer than {LONGEST_LINE} bytes");
        assert_eq!(refused(&long), (message, Some((2, 1))));
        let part = format!("{}\\\n", "x".repeat(LONGEST_LINE / 4));
        let message = format!("the line goes on for more than {LONGEST_LINE} bytes");
        assert_eq!(refused(&format!("A=1\nB={}", part.repeat(5))), (message, Some((2, 1))));
    }
}
