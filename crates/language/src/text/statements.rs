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
pub struct TextLine<'a> {
    /// Characters, without the end of the line.
    pub text: &'a str,
    /// Bytes before it.
    at: usize,
}

/// The words of a line, each with its place.
#[derive(Clone, Debug)]
pub struct LineWords<'a> {
    rest: &'a str,
    at: usize,
}

/// The lines of a text.
pub fn lines(text: &str) -> impl Iterator<Item = TextLine<'_>> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        TextLine { text: line.trim_end_matches(['\n', '\r']), at: at - line.len() }
    })
}

impl<'a> TextLine<'a> {
    /// Returns true if it holds only blanks.
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The place of all of it.
    pub fn spot(&self) -> Spot {
        Spot::new(self.at as u64, self.text.len())
    }

    /// The place behind it.
    pub fn end(&self) -> Spot {
        Spot::new((self.at + self.text.len()) as u64, 0)
    }

    /// Words, in order.
    pub fn words(&self) -> LineWords<'a> {
        LineWords { rest: self.text, at: self.at }
    }

    /// These bytes of it, without blanks at both ends.
    #[must_use]
    pub fn part(&self, bytes: Range<usize>) -> TextLine<'a> {
        let part = &self.text[bytes.clone()];
        let text = part.trim_ascii_start();
        TextLine { text: text.trim_ascii_end(), at: self.at + bytes.start + part.len() - text.len() }
    }
}

impl<'a> Iterator for LineWords<'a> {
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
pub type Forms = [(&'static str, usize, usize, &'static str)];

/// A line that has a form: its first word, and the others.
pub struct Statement<'a, 'w> {
    /// The first word.
    pub first: &'a str,
    /// The place of the first word.
    pub spot: Spot,
    /// The words behind it, each with its place.
    pub words: &'w [(&'a str, Spot)],
}

/// Gives `each` the lines behind the heading: a line that has no form is a mistake. A form is a
/// first word, the least and most words behind it, and how it is written.
pub fn statements<'a>(
    text: &'a str,
    heading: [&str; 2],
    forms: &Forms,
    each: &mut dyn FnMut(Result<Statement<'a, '_>, Mistake>),
) -> Result<(), Mistake> {
    let mut lines = lines(text).filter(|line| !line.is_blank() && !line.text.starts_with('#'));
    let first = lines.next();
    let found: Vec<&str> = first.iter().flat_map(TextLine::words).map(|(word, _)| word).collect();
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
