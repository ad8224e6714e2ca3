//! Texts of lines of words: what a line may say, and the places of words and of what is wrong.
//!
//! Formats of their own (task graphs and grids of DAGSim, the Standard Task Graph Set) are read by
//! these: words with blanks between, the first of which says what a line is.

use std::ops::Range;

use crate::text::Mistakes;

/// A place in a text: bytes before it, after decompression, and how many are at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// Bytes before it.
    pub at: u64,
    /// Bytes that are wrong; none where something is missing.
    pub width: u32,
}

impl Spot {
    /// No place: there is no text.
    pub const NOWHERE: Spot = Spot { at: u64::MAX, width: 0 };

    /// The `width` bytes from `at` on.
    pub fn new(at: u64, width: usize) -> Self {
        Spot { at, width: u32::try_from(width).unwrap_or(u32::MAX) }
    }
}

/// A mistake in a text, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Message, in one line without a full stop.
    pub message: String,
    /// Remedy.
    pub help: Option<String>,
    /// Place of the mistake.
    pub spot: Spot,
}

impl Mistake {
    /// A mistake without advice.
    pub fn new(message: impl Into<String>, spot: Spot) -> Self {
        Mistake { message: message.into(), help: None, spot }
    }
}

impl Mistakes<Mistake> {
    /// Notes what is wrong at a place.
    pub fn at(&mut self, spot: Spot, message: impl Into<String>) {
        self.push_with(|| Mistake::new(message, spot));
    }

    /// The mistakes in the order of their places.
    #[must_use]
    pub fn in_order(self) -> Self {
        self.sorted_by_key(|mistake| mistake.spot)
    }
}

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// Bytes before it.
    at: usize,
}

/// The words of a line, each with its place.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    rest: &'a str,
    at: usize,
}

/// The lines of a text.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        Line { text: line.trim_end_matches(['\n', '\r']), at: at - line.len() }
    })
}

impl<'a> Line<'a> {
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The place of all of it.
    pub(crate) fn spot(&self) -> Spot {
        Spot::new(self.at as u64, self.text.len())
    }

    /// The place behind it.
    pub(crate) fn end(&self) -> Spot {
        Spot::new((self.at + self.text.len()) as u64, 0)
    }

    pub(crate) fn words(&self) -> Words<'a> {
        Words { rest: self.text, at: self.at }
    }

    /// These bytes of it, without blanks at both ends.
    pub(crate) fn part(&self, bytes: Range<usize>) -> Line<'a> {
        let part = &self.text[bytes.clone()];
        let text = part.trim_ascii_start();
        Line { text: text.trim_ascii_end(), at: self.at + bytes.start + part.len() - text.len() }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = (&'a str, Spot);

    fn next(&mut self) -> Option<(&'a str, Spot)> {
        let rest = self.rest.trim_ascii_start();
        self.at += self.rest.len() - rest.len();
        let length = rest.find(|letter: char| letter.is_ascii_whitespace()).unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        let found = (&rest[..length], Spot::new(self.at as u64, length));
        self.rest = &rest[length..];
        self.at += length;
        Some(found)
    }
}

/// Forms of the lines of a file.
pub(crate) type Forms = [(&'static str, usize, usize, &'static str)];

/// A line that has a form: its first word, and the others.
pub(crate) struct Statement<'a, 'w> {
    pub(crate) first: &'a str,
    pub(crate) spot: Spot,
    pub(crate) words: &'w [(&'a str, Spot)],
}

/// Gives `each` the lines behind the heading: a line that has no form is a mistake. A form is a
/// first word, the least and most words behind it, and how it is written.
pub(crate) fn statements<'a>(
    text: &'a str,
    heading: [&str; 2],
    forms: &Forms,
    each: &mut dyn FnMut(Result<Statement<'a, '_>, Mistake>),
) -> Result<(), Mistake> {
    let mut lines = lines(text).filter(|line| !line.is_blank() && !line.text.starts_with('#'));
    let first = lines.next();
    let found: Vec<&str> = first.iter().flat_map(Line::words).map(|(word, _)| word).collect();
    if found != heading {
        let message = format!("the first line should be `{} {}`", heading[0], heading[1]);
        let spot = first.map_or(Spot::new(text.len() as u64, 0), |line| line.spot());
        return Err(Mistake { message, help: None, spot });
    }
    let mut words = Vec::new();
    for line in lines {
        words.clear();
        words.extend(line.words());
        let Some((first, spot)) = words.first().copied() else { continue };
        let wrong = |message: String, help: String, spot| Err(Mistake { message, help: Some(help), spot });
        let Some((_, least, most, form)) = forms.iter().find(|(word, ..)| *word == first) else {
            let known: Vec<&str> = forms.iter().map(|(word, ..)| *word).collect();
            each(wrong(format!("unknown line `{first}`"), format!("known: {}", known.join(", ")), spot));
            continue;
        };
        let count = words.len() - 1;
        let form = || format!("write `{form}`");
        each(if count < *least {
            wrong(format!("`{first}` lacks words"), form(), line.end())
        } else if count > *most {
            wrong(format!("`{first}` has too many words"), form(), words[most + 1].1)
        } else {
            Ok(Statement { first, spot, words: &words[1..] })
        });
    }
    Ok(())
}
