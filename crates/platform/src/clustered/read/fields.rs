//! Lines of the texts of the Parameter Sweep Template, from left to right: `word: <field> < n :
//! field field >`.
//!
//! The signs `<` and `>` are written as they are, and blanks are free around and inside them. A
//! line that begins with `#` is a comment.

use crate::kernel::{SimDuration, SimTime};
use crate::text::{Mistake, Spot, TextLine, lines};
use crate::units::Decimal;

/// The lines that say something.
pub fn spoken(text: &str) -> impl Iterator<Item = TextLine<'_>> {
    lines(text).filter(|line| !line.is_blank() && !line.text.starts_with('#'))
}

/// A line that is read from left to right.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    line: TextLine<'a>,
    at: usize,
}

fn mistake(message: String, spot: Spot) -> Mistake {
    Mistake { message, help: None, spot }
}

impl<'a> Fields<'a> {
    /// A line, from its beginning.
    pub fn new(line: TextLine<'a>) -> Self {
        Fields { line, at: 0 }
    }

    /// Text that was not read yet, without blanks before it.
    fn rest(&mut self) -> &'a str {
        let rest = &self.line.text[self.at..];
        let trimmed = rest.trim_ascii_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Place of the reader.
    fn here(&self) -> Spot {
        Spot::new(self.line.spot().at + self.at as u64, 0)
    }

    /// Passes over a sign; whether it was there.
    pub fn sign(&mut self, sign: char) -> bool {
        let found = self.rest().starts_with(sign);
        self.at += usize::from(found);
        found
    }

    /// Text before the next one of these signs, or else up to the end.
    pub fn before(&mut self, signs: &[char]) -> TextLine<'a> {
        let rest = self.rest();
        let from = self.at;
        self.at += rest.find(signs).unwrap_or(rest.len());
        self.line.part(from..self.at)
    }

    /// Text between `<` and `>`.
    pub fn field(&mut self, what: &str) -> Result<TextLine<'a>, Mistake> {
        if !self.sign('<') {
            return Err(mistake(format!("`<` is missing before {what}"), self.here()));
        }
        let field = self.before(&['<', '>']);
        if !self.sign('>') {
            return Err(mistake(format!("`>` is missing behind {what}"), self.here()));
        }
        Ok(field)
    }

    /// One word between `<` and `>`.
    pub fn word(&mut self, what: &str) -> Result<TextLine<'a>, Mistake> {
        let field = self.field(what)?;
        match field.words().nth(1) {
            Some((_, spot)) => Err(mistake(format!("{what} should be one word"), spot)),
            None if field.is_blank() => Err(mistake(format!("{what} is missing"), field.spot())),
            None => Ok(field),
        }
    }

    /// A text that is not empty between `<` and `>`.
    pub fn name(&mut self, what: &str) -> Result<TextLine<'a>, Mistake> {
        let field = self.field(what)?;
        if field.is_blank() { Err(mistake(format!("{what} is missing"), field.spot())) } else { Ok(field) }
    }

    /// A list with the number of its items before a colon, between `<` and `>`.
    pub fn list(&mut self, what: &str) -> Result<TextLine<'a>, Mistake> {
        let field = self.field(what)?;
        let Some(colon) = field.text.find(':') else {
            return Err(mistake(format!("`:` is missing behind the number of {what}"), field.end()));
        };
        let (count, items) = (field.part(0..colon), field.part(colon + 1..field.text.len()));
        let listed = items.words().count();
        match count.text.parse::<usize>() {
            Ok(count) if count == listed => Ok(items),
            Ok(declared) => {
                Err(mistake(format!("{declared} {what} are declared and {listed} listed"), count.spot()))
            }
            Err(_) => Err(mistake(format!("the number of {what} should stand here"), count.spot())),
        }
    }

    /// Checks that nothing follows.
    pub fn end(&mut self) -> Result<(), Mistake> {
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(());
        }
        Err(mistake("the line goes on".to_owned(), self.line.part(self.at..self.line.text.len()).spot()))
    }

    /// The instant at the beginning of a line and the word behind it: `12.5:WORD`. Without an
    /// instant the word is all there is.
    pub fn instant_and_word(&mut self) -> Result<(Option<TextLine<'a>>, TextLine<'a>), Mistake> {
        if self.rest().starts_with('<') {
            let instant = self.field("the time")?;
            if !self.sign(':') {
                return Err(mistake("`:` is missing behind the time".to_owned(), self.here()));
            }
            return Ok((Some(instant), self.before(&['<', ':'])));
        }
        let first = self.before(&['<', ':']);
        let is_instant =
            first.text.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter));
        if is_instant && self.sign(':') {
            return Ok((Some(first), self.before(&['<', ':'])));
        }
        Ok((None, first))
    }
}

/// A finite number of zero or more.
pub fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
}

/// A number of bytes; fractions are rounded.
pub fn bytes(text: &str) -> Option<u64> {
    text.parse::<u64>()
        .ok()
        .or_else(|| number(text).filter(|bytes| *bytes < 1.8e19).map(|bytes| bytes.round() as u64))
}

/// An instant in seconds, rounded up to a nanosecond.
pub fn instant(text: &str) -> Option<SimTime> {
    let (number, "") = Decimal::take(text)? else { return None };
    let nanos = number.ceil_times(1_000_000_000).filter(|&nanos| nanos < u64::MAX)?;
    Some(SimTime::ZERO + SimDuration::from_nanos(nanos))
}
