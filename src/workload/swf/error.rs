//! What is wrong with a log, and where.

use std::fmt;

use crate::registry::Excerpt;
use crate::registry::code::{self, Code};
use crate::text::{LONGEST_LINE, LONGEST_UNPACKED, size};
use crate::units::calendar::NoInstant;
use crate::workload::resources::TooManyDemands;

/// A place in a log's text, after decompression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Line, from 1.
    pub line: u64,
    /// Column in bytes, from 1.
    pub column: usize,
    /// Bytes that are wrong, from the column on; 0 where something is missing.
    pub width: usize,
    /// The line itself: at most [`Place::SHOWN`] bytes of it, unprintable ones replaced.
    pub text: String,
}

impl Place {
    /// Bytes of a line that are kept to be shown.
    pub const SHOWN: usize = 240;

    /// The place `column` bytes into a line.
    pub(crate) fn new(line: u64, bytes: &[u8], column: usize, width: usize) -> Self {
        let shown = &bytes[..bytes.len().min(Self::SHOWN)];
        let text =
            shown.iter().map(|&byte| if (0x20..0x7f).contains(&byte) { char::from(byte) } else { '·' });
        let text = text.collect::<String>();
        // a tab is one column wide here, as it is one byte
        Place { line, column: column + 1, width, text }
    }

    /// The place as a complaint shows it; `file` is what messages call the log.
    pub(crate) fn excerpt(self, file: String) -> Excerpt {
        // the text shows every byte of the line as one character, be it longer than one byte or not
        let at = |byte: usize| self.text.char_indices().nth(byte).map_or(self.text.len(), |(at, _)| at);
        let range = at(self.column - 1)..at(self.column - 1 + self.width);
        Excerpt { file, line: self.line, text: self.text, range }
    }
}

/// Why a log cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Kind {
    /// The file could not be opened or read.
    #[error("{0}")]
    Io(String),
    /// There is nothing in it.
    #[error("the log is empty")]
    Empty,
    /// There are comments, but no jobs.
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
    /// The gzip stream ends too early.
    #[error("the gzip stream ends in the middle: the file is truncated")]
    TruncatedGzip,
    /// The gzip stream is damaged.
    #[error("the gzip stream is damaged: {0}")]
    DamagedGzip(String),
    /// Compressed by something else.
    #[error("the file is compressed by {0}; only gzip is read")]
    OtherCompression(&'static str),
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
    /// A line without end.
    #[error("a line is longer than {}", size(LONGEST_LINE as u64))]
    LongLine,
    /// Blanks without end.
    #[error("a run of blanks is longer than {}", size(LONGEST_LINE as u64))]
    LongBlanks,
    /// More text than is sane.
    #[error("the file is longer than {} after decompression", size(LONGEST_UNPACKED))]
    TooLong,
    /// More jobs than a run can name.
    #[error("the log holds more than {0} jobs")]
    TooManyJobs(u64),
    /// More different amounts of memory than can be told apart.
    #[error("{0}")]
    TooManyDemands(TooManyDemands),
}

impl Kind {
    /// What kind of mistake it is.
    pub(crate) fn code(&self) -> &'static Code {
        match self {
            Kind::Io(_) => code::FILE,
            Kind::Empty | Kind::NoJobs | Kind::NothingKept(_) | Kind::EmptyWindow => code::NO_JOBS,
            Kind::NoInstant(..) => code::CONTRADICTION,
            Kind::TruncatedGzip | Kind::DamagedGzip(_) | Kind::OtherCompression(_) => code::COMPRESSED,
            Kind::NotText(_) | Kind::LongLine => code::NOT_SWF,
            Kind::TooFewFields(_) => code::SWF_FIELDS,
            Kind::NotANumber(..) | Kind::NotWhole(..) | Kind::OutOfRange(..) => code::SWF_NUMBER,
            Kind::TooLong | Kind::LongBlanks | Kind::TooManyJobs(_) | Kind::TooManyDemands(_) => code::RANGE,
        }
    }
}

/// A log that cannot be read: what is wrong, and where if it is at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// What is wrong.
    pub kind: Kind,
    /// Where, if it is in a line.
    pub place: Option<Box<Place>>,
}

impl Error {
    /// An advice for the user, where there is one.
    pub fn help(&self) -> Option<&'static str> {
        match self.kind {
            Kind::NotText(_) => Some("a log is plain text in the Standard Workload Format, or that in gzip"),
            Kind::TooFewFields(_) => Some("unknown fields are written as -1; comments begin with `;`"),
            Kind::OtherCompression(_) => Some("decompress it first, or compress it by gzip"),
            Kind::TruncatedGzip => Some("fetch the file again"),
            Kind::NoInstant(_, why) => Some(why.help()),
            Kind::EmptyWindow => Some("`from` and `to` count from the first job of the log"),
            _ => None,
        }
    }
}

impl From<Kind> for Error {
    fn from(kind: Kind) -> Self {
        Error { kind, place: None }
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
