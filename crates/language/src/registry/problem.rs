//! A mistake in an input file, of whatever format, and its report to the author of a scenario.

use crate::registry::code::{self, Code};
use crate::registry::{Complaint, Excerpt, Span};
use crate::text::csv::{Fault, Field, Mistake};
use crate::text::{Broken, Place};

/// A mistake in an input file, at its place.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The kind of mistake.
    pub code: &'static Code,
    /// The mistake, in one line without a full stop.
    pub message: String,
    /// The way to mend it.
    pub help: Option<String>,
    /// The place, if it is in a line.
    pub place: Option<Box<Place>>,
    /// The file next to the input that is at fault, as written and where it is named, if it is not
    /// the input.
    pub companion: Option<(String, Span)>,
    /// The file that the one at fault includes, if the place is in it.
    pub included: Option<Box<str>>,
}

impl Problem {
    /// A mistake without a place.
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Problem { code, message: message.into(), help: None, place: None, companion: None, included: None }
    }

    /// Says how to mend it.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Problem { help: Some(help.into()), ..self }
    }

    /// Says where it is.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Problem { place: Some(Box::new(place)), ..self }
    }

    /// A mistake in a cell of a table.
    pub fn of_cell(
        cell: Field<'_>,
        code: &'static Code,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Problem::new(code, message).help(help).at(cell.place())
    }

    /// As a complaint about the file `written`, which is named at `span` if it is named anywhere.
    pub fn complaint(self, written: &str, span: Option<Span>) -> Complaint {
        let (written, span) = match self.companion {
            Some((companion, at)) => (companion, Some(at)),
            None => (written.to_owned(), span),
        };
        let written = self.included.map_or(written, String::from);
        let message = match &self.place {
            Some(_) => self.message,
            None => format!("cannot use `{written}`: {}", self.message),
        };
        let excerpt = self.place.map(|place| Box::new(Excerpt::at(*place, written)));
        Complaint { span, excerpt, help: self.help, ..Complaint::nowhere(self.code, message) }
    }
}

impl From<Mistake> for Problem {
    fn from(mistake: Mistake) -> Self {
        let code = match mistake.fault {
            Fault::Form => code::TYPE,
            Fault::Missing => code::MISSING_KEY,
            Fault::Twice => code::CONTRADICTION,
        };
        Problem::new(code, mistake.message).help(mistake.help).at(mistake.place)
    }
}

/// The kind of mistake that ends a text early.
pub fn code_of(broken: &Broken) -> &'static Code {
    match broken {
        Broken::Io(_) => code::FILE,
        Broken::TruncatedGzip
        | Broken::DamagedGzip(_)
        | Broken::DamagedZstd(_)
        | Broken::OtherCompression(_) => code::COMPRESSED,
        Broken::LongLine => code::NOT_SWF,
        Broken::LongBlanks | Broken::TooLong => code::RANGE,
    }
}

impl From<Broken> for Problem {
    fn from(broken: Broken) -> Self {
        let help = broken.help().map(ToOwned::to_owned);
        Problem { help, ..Problem::new(code_of(&broken), broken.to_string()) }
    }
}
