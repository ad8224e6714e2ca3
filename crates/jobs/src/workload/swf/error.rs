//! Mistakes in a log, and their places.

use std::fmt;

use crate::registry::Problem;
use crate::registry::code::{self, Code};
use crate::registry::problem::code_of;
use crate::text::{Broken, Place};
use crate::units::calendar::NoInstant;

/// Reason that a log cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ErrorKind {
    /// Text cannot be read to the end.
    #[error("{0}")]
    Broken(#[from] Broken),
    /// An empty log.
    #[error("the log is empty")]
    Empty,
    /// Comments, but no jobs.
    #[error("the log holds no job, only comments")]
    NoJobs,
    /// Every job had to be dropped.
    #[error(
        "none of the jobs in the log ({0}) can be used: each lacks a run time, processors or a submit time"
    )]
    NothingKept(u64),
    /// The window leaves no job.
    #[error("no job of the log is submitted in the window asked for")]
    EmptyWindow,
    /// A bound of the window is a date where there are none.
    #[error("`{0}` of the window: {1}")]
    NoInstant(&'static str, NoInstant),
    /// Bytes that no text holds.
    #[error("this is not a text: it holds byte 0x{0:02x}")]
    NotText(u8),
    /// Too few fields.
    #[error("a job line has 18 fields, this one has {0}")]
    TooFewFields(usize),
    /// A field that is no number.
    #[error("field {0} ({1}) is not a number")]
    NotANumber(usize, &'static str),
    /// A field that must be a whole number.
    #[error("field {0} ({1}) is not a whole number")]
    NotWhole(usize, &'static str),
    /// A number past its range.
    #[error("field {0} ({1}) is out of range: at most {2}")]
    OutOfRange(usize, &'static str, u64),
    /// A field behind the eighteenth that is not of the form that a scenario states.
    #[error("field {0} is not {1}")]
    NotExtended(usize, &'static str),
    /// A line without the fields that the form that a scenario states has.
    #[error("the line has {0} fields, and the form that `fields` states has 21")]
    NoExtension(usize),
    /// More jobs than a run can name.
    #[error("the log holds more than {0} jobs")]
    TooManyJobs(u64),
}

impl ErrorKind {
    /// The kind of the mistake.
    pub fn code(&self) -> &'static Code {
        match self {
            ErrorKind::Broken(broken) => code_of(broken),
            ErrorKind::Empty | ErrorKind::NoJobs | ErrorKind::NothingKept(_) | ErrorKind::EmptyWindow => {
                code::NO_JOBS
            }
            ErrorKind::NoInstant(..) => code::CONTRADICTION,
            ErrorKind::NotText(_) => code::NOT_SWF,
            ErrorKind::TooFewFields(_) => code::SWF_FIELDS,
            ErrorKind::NotANumber(..)
            | ErrorKind::NotWhole(..)
            | ErrorKind::OutOfRange(..)
            | ErrorKind::NotExtended(..)
            | ErrorKind::NoExtension(_) => code::SWF_NUMBER,
            ErrorKind::TooManyJobs(_) => code::RANGE,
        }
    }
}

/// A log that cannot be read: what is wrong, and where if it is at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The kind of the mistake.
    pub kind: ErrorKind,
    /// The place, if it is in a line.
    pub place: Option<Box<Place>>,
}

impl Error {
    /// An advice for the user, where there is one.
    pub fn help(&self) -> Option<&'static str> {
        match &self.kind {
            ErrorKind::Broken(broken) => broken.help(),
            ErrorKind::NotText(_) => {
                Some("a log is plain text in the Standard Workload Format, or that in gzip")
            }
            ErrorKind::TooFewFields(_) => Some("unknown fields are written as -1; comments begin with `;`"),
            ErrorKind::NotExtended(..) => Some("`fields` of [workload] states the form of the log"),
            ErrorKind::NoExtension(_) => {
                Some("leave `fields` out, and each line is read by the fields that it has")
            }
            ErrorKind::NoInstant(_, why) => Some(why.help()),
            ErrorKind::EmptyWindow => Some("`from` and `to` count from the first job of the log"),
            _ => None,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error { kind, place: None }
    }
}

impl From<Broken> for Error {
    fn from(broken: Broken) -> Self {
        ErrorKind::from(broken).into()
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let help = error.help().map(ToOwned::to_owned);
        Problem { help, place: error.place, ..Problem::new(error.kind.code(), error.kind.to_string()) }
    }
}

impl From<ErrorKind> for Problem {
    fn from(kind: ErrorKind) -> Self {
        Error::from(kind).into()
    }
}

impl fmt::Display for Error {
    /// `line:column: what is wrong`, or only what is wrong.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}:{}: ", place.line, place.column)?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for Error {}
