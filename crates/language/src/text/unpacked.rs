//! The bytes of a text, decompressed as they are read: plain, gzip or zstd, as the first bytes say.

use std::cell::RefCell;
use std::io::{self, Chain, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::read::MultiGzDecoder;

use crate::text::zstd::Frames;
use crate::text::{Broken, LONGEST_UNPACKED};

/// First bytes of files of other compressors.
const OTHERS: [(&[u8], &str); 3] = [(b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"PK\x03\x04", "zip")];

thread_local! {
    /// Set when this thread is to read no further.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// From now on this thread fails to read a text when the flag is set, so that it need not be waited
/// for to the end of a long one.
pub fn stop_reading_when(flag: &Arc<AtomicBool>) {
    STOP.set(Some(Arc::clone(flag)));
}

fn is_stopped() -> bool {
    STOP.with_borrow(|stop| stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

type Prefixed<R> = Chain<Cursor<Vec<u8>>, R>;

#[derive(Debug)]
enum Input<R: Read> {
    Plain(Prefixed<R>),
    Gzip(Box<MultiGzDecoder<Prefixed<R>>>),
    Zstd(Box<Frames<Prefixed<R>>>),
}

/// The bytes of a text, at most [`LONGEST_UNPACKED`] of them, without a byte order mark.
#[derive(Debug)]
pub struct Unpacked<R: Read> {
    input: Input<R>,
    total: u64,
}

impl<R: Read> Unpacked<R> {
    /// Looks at the first bytes.
    ///
    /// # Errors
    /// They cannot be read, or another program has compressed them.
    pub fn new(mut reader: R) -> Result<Self, Broken> {
        let mut head = Vec::new();
        reader.by_ref().take(6).read_to_end(&mut head).map_err(|error| Broken::Io(error.to_string()))?;
        if let Some((_, name)) = OTHERS.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Err(Broken::OtherCompression(name));
        }
        let gzip = head.starts_with(b"\x1f\x8b");
        let zstd = Frames::<R>::begin_with(&head);
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3); // a byte order mark
        }
        let whole = Cursor::new(head).chain(reader);
        let input = match (gzip, zstd) {
            (true, _) => Input::Gzip(Box::new(MultiGzDecoder::new(whole))),
            (_, true) => Input::Zstd(Box::new(Frames::new(whole))),
            _ => Input::Plain(whole),
        };
        Ok(Unpacked { input, total: 0 })
    }

    /// Fills some of `room`; 0 at the end.
    ///
    /// # Errors
    /// The stream fails, or is longer than any text.
    pub fn read(&mut self, room: &mut [u8]) -> Result<usize, Broken> {
        if is_stopped() {
            return Err(Broken::Io("interrupted".to_owned()));
        }
        let read = loop {
            let read = match &mut self.input {
                Input::Plain(reader) => reader.read(room),
                Input::Gzip(reader) => reader.read(room),
                Input::Zstd(reader) => reader.read(room),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let count = read.map_err(|error| self.failure(&error))?;
        self.total += count as u64;
        if self.total > LONGEST_UNPACKED { Err(Broken::TooLong) } else { Ok(count) }
    }

    fn failure(&self, error: &io::Error) -> Broken {
        match (&self.input, error.kind()) {
            (Input::Gzip(_), io::ErrorKind::UnexpectedEof) => Broken::TruncatedGzip,
            (Input::Gzip(_), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
                Broken::DamagedGzip(error.to_string())
            }
            (Input::Zstd(_), io::ErrorKind::InvalidData) => Broken::DamagedZstd(error.to_string()),
            _ => Broken::Io(error.to_string()),
        }
    }
}
