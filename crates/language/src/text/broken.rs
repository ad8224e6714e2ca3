//! Reasons that a stream of text cannot be read to its end.

use crate::text::{LONGEST_LINE, LONGEST_UNPACKED, size};

/// Reason that a stream of text ends before its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Broken {
    /// The file could not be opened or read.
    #[error("{0}")]
    Io(String),
    /// The gzip stream ends too early.
    #[error("the gzip stream ends in the middle: the file is truncated")]
    TruncatedGzip,
    /// The gzip stream is damaged.
    #[error("the gzip stream is damaged: {0}")]
    DamagedGzip(String),
    /// The zstd stream is damaged, or ends too early.
    #[error("the zstd stream is damaged or cut: {0}")]
    DamagedZstd(String),
    /// Compressed by something else.
    #[error("the file is compressed by {0}; only gzip and zstd are read")]
    OtherCompression(&'static str),
    /// A line without end.
    #[error("a line is longer than {}", size(LONGEST_LINE as u64))]
    LongLine,
    /// Blanks without end.
    #[error("a run of blanks is longer than {}", size(LONGEST_LINE as u64))]
    LongBlanks,
    /// More text than is sane.
    #[error("the file is longer than {} after decompression", size(LONGEST_UNPACKED))]
    TooLong,
}

impl Broken {
    /// An advice for the user, where there is one.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Broken::OtherCompression(_) => Some("decompress it first, or compress it by gzip"),
            Broken::TruncatedGzip | Broken::DamagedZstd(_) => Some("fetch the file again"),
            _ => None,
        }
    }
}
