//! The bytes of a table, which are read more than once: to see what they are, for their rows, and
//! for the place of a mistake.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};

use crate::registry::Problem;
use crate::text::{Broken, Unpacked};

/// A table in a file, or in memory.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A file.
    File(&'a File),
    /// Bytes.
    Bytes(&'a [u8]),
}

/// Bytes that can be read from any place.
pub(super) trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

impl<'a> Input<'a> {
    /// The bytes from the first on.
    pub(super) fn bytes(self) -> Result<Box<dyn ReadSeek + 'a>, Problem> {
        match self {
            Input::File(mut file) => {
                file.rewind().map_err(|error| Problem::from(Broken::Io(error.to_string())))?;
                Ok(Box::new(file))
            }
            Input::Bytes(bytes) => Ok(Box::new(Cursor::new(bytes))),
        }
    }

    /// The text from its beginning on, decompressed as it is read.
    pub(super) fn text(self) -> Result<TextBytes<'a>, Problem> {
        Ok(TextBytes { unpacked: Unpacked::new(self.bytes()?)?, failed: None })
    }

    /// The first bytes of the text, at most so many.
    pub(super) fn head(self, most: usize) -> Result<Vec<u8>, Problem> {
        let mut text = self.text()?;
        let mut head = Vec::new();
        let read = text.by_ref().take(most as u64).read_to_end(&mut head);
        match text.failed.take() {
            // a text that is cut is one up to there
            Some(broken) if head.is_empty() => Err(broken.into()),
            _ => {
                read.map(drop).unwrap_or_default();
                Ok(head)
            }
        }
    }
}

/// The bytes of a text as a stream that remembers why it failed.
pub(super) struct TextBytes<'a> {
    unpacked: Unpacked<Box<dyn ReadSeek + 'a>>,
    /// Reason that the stream failed.
    pub(super) failed: Option<Broken>,
}

impl fmt::Debug for TextBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextBytes").field("failed", &self.failed).finish_non_exhaustive()
    }
}

impl Read for TextBytes<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.unpacked.read(room).map_err(|broken| {
            let message = broken.to_string();
            self.failed = Some(broken);
            io::Error::other(message)
        })
    }
}
