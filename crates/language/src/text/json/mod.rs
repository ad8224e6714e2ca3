//! JSON in one pass, value by value, without the text or a tree: a workload of a million jobs costs
//! no more than its jobs, and a file may be one line of any length.
//!
//! The caller says what it expects next ([`Reader::object`], [`Reader::array`], [`Reader::number`],
//! …), and every mistake has its place in bytes from the start: of a line that is a document of its
//! own ([`Reader::of_line`]) it is a place in that line, in a stream [`place`] finds it. JSON as
//! RFC 8259 has it, from a stream, plain or gzip, or a line; values stand at most [`DEEPEST`] deep,
//! and a text, a number or a run of blanks has at most [`LONGEST_LINE`](crate::text::LONGEST_LINE)
//! bytes.
//!
//! All JSON that others write is read by this. What the program itself has written (journals,
//! plans, manifests, summaries) is read by `serde_json` into the types it was written from: it is
//! right or it is damaged, and no message names a column of it.

mod position;
mod reader;
#[cfg(test)]
mod tests;

pub use position::{place, places};
pub use reader::Reader;

#[cfg(test)]
use crate::text::Place;

/// Greatest depth of arrays and objects in each other.
pub const DEEPEST: usize = 64;

/// A mistake: where it begins, how long it is, what is wrong, and what was expected if that is not
/// said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Bytes before it.
    pub at: u64,
    /// Bytes that are wrong; none where something is missing.
    pub width: usize,
    /// Message, in a few words.
    pub message: String,
    /// Expected text, if that is known.
    pub expected: String,
}

/// A key of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectKey {
    /// The key itself.
    pub name: String,
    /// Bytes before it, the quote included.
    pub at: u64,
    /// Bytes with the quotes.
    pub width: usize,
}

/// The kind of the next value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// An object.
    Object,
    /// An array.
    Array,
    /// A text.
    Text,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Word,
}

impl Mistake {
    /// A mistake that is not about what should stand there.
    pub fn new(at: u64, width: usize, message: impl Into<String>) -> Self {
        Mistake { at, width, message: message.into(), expected: String::new() }
    }

    /// Message and expectation, in one line.
    pub fn sentence(&self) -> String {
        let Mistake { message, expected, .. } = self;
        match self.width {
            _ if expected.is_empty() => message.clone(),
            0 => format!("{message}, {expected} should follow"),
            _ => format!("{message}, {expected} should stand here"),
        }
    }
}
