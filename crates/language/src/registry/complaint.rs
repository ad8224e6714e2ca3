//! Complaints about the author's input: the mistake, its place, and the way to mend it.
//!
//! A complaint carries places, not text: the place that shows it has the
//! [`Sources`](crate::registry::Sources).

use std::fmt;
use std::ops::Range;

use crate::registry::Span;
use crate::registry::code::Code;
use crate::text::{MOST_MISTAKES, Mistakes, Place};

/// A mistake in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The kind of mistake.
    pub code: &'static Code,
    /// The mistake, in one line without a full stop.
    pub message: String,
    /// Where; `None` when no text is at fault (a missing file named on the command line).
    pub span: Option<Span>,
    /// A place in an input file that is too large to be held as a text.
    pub excerpt: Option<Box<Excerpt>>,
    /// A few words at the place, for example what was expected.
    pub label: Box<str>,
    /// The way to mend it.
    pub help: Option<String>,
    /// Remarks that the author should know.
    pub notes: Box<[Note]>,
    /// Further mistakes of the same text, which are only counted.
    pub besides: u64,
}

/// The mistakes of a text, as complaints.
pub type Complaints = Mistakes<Complaint>;

/// One line of an input file, and what of it is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The name of the file in messages.
    pub file: String,
    /// The line's number, from 1.
    pub line: u64,
    /// The line's text, printable.
    pub text: String,
    /// The bytes of the text that are wrong.
    pub range: Range<usize>,
    /// Column of these in the line, in letters from 1, where the text does not begin with it.
    pub column: Option<usize>,
}

/// A remark that belongs to a complaint, with its own place if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The remark, in one line.
    pub message: String,
    /// The place.
    pub span: Option<Span>,
}

impl Excerpt {
    /// The line of a place; `file` is what messages call the file.
    pub fn at(place: Place, file: impl Into<String>) -> Self {
        let column = place.is_cut.then_some(place.letter as usize);
        Excerpt { file: file.into(), line: place.line, text: place.text.into(), range: place.range, column }
    }
}

impl From<Complaint> for Vec<Complaint> {
    /// A complaint where several are reported.
    fn from(complaint: Complaint) -> Self {
        vec![complaint]
    }
}

impl Complaints {
    /// Adds complaints, and counts what each stands for.
    pub fn take(&mut self, complaints: Vec<Complaint>) {
        for mut complaint in complaints {
            let besides = std::mem::take(&mut complaint.besides);
            self.push(complaint);
            self.add_uncounted(besides);
        }
    }
}

impl From<Complaints> for Vec<Complaint> {
    /// The complaints that are kept, the last of which stands for the others.
    fn from(complaints: Complaints) -> Self {
        let (mut kept, more) = complaints.into_parts();
        if let Some(last) = kept.last_mut() {
            last.besides += more;
        }
        kept
    }
}

impl Complaint {
    /// A complaint about the text at `span`.
    pub fn new(code: &'static Code, message: impl Into<String>, span: Span) -> Self {
        Complaint { span: Some(span), ..Self::nowhere(code, message) }
    }

    /// A complaint that no text is at fault for.
    pub fn nowhere(code: &'static Code, message: impl Into<String>) -> Self {
        Complaint {
            code,
            message: message.into(),
            span: None,
            excerpt: None,
            label: "".into(),
            help: None,
            notes: Box::default(),
            besides: 0,
        }
    }

    /// Says a few words at the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into().into_boxed_str();
        self
    }

    /// Points into an input file; `span` then only says where that file is named.
    #[must_use]
    pub fn excerpt(mut self, excerpt: Excerpt) -> Self {
        self.excerpt = Some(Box::new(excerpt));
        self
    }

    /// Says how to mend it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says how to mend it by a search among many names, unless as many complaints came before as
    /// are shown: it would make checking quadratic.
    #[must_use]
    pub fn help_while_few(self, before: usize, help: impl FnOnce() -> String) -> Self {
        if before < MOST_MISTAKES { self.help(help()) } else { self }
    }

    /// Adds a remark.
    #[must_use]
    pub fn note(mut self, message: impl Into<String>, span: Option<Span>) -> Self {
        let mut notes = std::mem::take(&mut self.notes).into_vec();
        notes.push(Note { message: message.into(), span });
        self.notes = notes.into_boxed_slice();
        self
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.message, self.code.id)
    }
}

impl std::error::Error for Complaint {}
