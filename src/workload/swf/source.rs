//! The text of a log as a stream of whole lines, decompressed on the way.
//!
//! The text is never held as a whole: a block of some hundred kilobytes is read, cut after its last line end, and
//! what follows is carried to the front of the next block. Length of a line and of the whole are bounded, so a
//! small compressed file cannot fill the memory or run for ever.

use std::io::{self, Chain, Cursor, Read};

use flate2::read::MultiGzDecoder;

use super::error::Kind;

/// Bytes read at a time.
const BLOCK: usize = 256 * 1024;
/// Longest line that is read; a job on 100,000 named nodes stays below it.
const LONGEST_LINE: usize = 4 * 1024 * 1024;
/// Longest log that is read, after decompression: some 500 million jobs.
const LONGEST_LOG: u64 = 64 * 1024 * 1024 * 1024;

/// How files of other compressors begin.
const OTHERS: [(&[u8], &str); 4] =
    [(b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "zip")];

type Prefixed<R> = Chain<Cursor<Vec<u8>>, R>;

enum Input<R: Read> {
    Plain(Prefixed<R>),
    Gzip(Box<MultiGzDecoder<Prefixed<R>>>),
}

/// Whole lines of a log, block by block.
pub(crate) struct Source<R: Read> {
    input: Input<R>,
    longest_line: usize,
    buffer: Vec<u8>,
    /// Bytes of the buffer that hold text.
    filled: usize,
    /// Bytes of the buffer that were handed out and may be overwritten.
    used: usize,
    total: u64,
    ended: bool,
}

impl<R: Read> Source<R> {
    /// Lines of a log.
    pub(super) fn new(reader: R) -> Result<Self, Kind> {
        Self::with_longest_line(reader, LONGEST_LINE)
    }

    /// Lines of up to `longest_line` bytes. Looks at the first bytes, to tell what the text is compressed by.
    pub(crate) fn with_longest_line(mut reader: R, longest_line: usize) -> Result<Self, Kind> {
        let mut head = Vec::new();
        reader.by_ref().take(6).read_to_end(&mut head).map_err(|error| Kind::Io(error.to_string()))?;
        if let Some((_, name)) = OTHERS.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Err(Kind::OtherCompression(name));
        }
        let gzip = head.starts_with(b"\x1f\x8b");
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3); // a byte order mark
        }
        let whole = Cursor::new(head).chain(reader);
        let input =
            if gzip { Input::Gzip(Box::new(MultiGzDecoder::new(whole))) } else { Input::Plain(whole) };
        Ok(Source { input, longest_line, buffer: vec![0; BLOCK], filled: 0, used: 0, total: 0, ended: false })
    }

    /// The next lines, each with its line end (the last may have been given one); `None` at the end.
    pub(crate) fn next_block(&mut self) -> Result<Option<&[u8]>, Kind> {
        self.buffer.copy_within(self.used..self.filled, 0);
        self.filled -= self.used;
        self.used = 0;
        loop {
            if self.ended {
                if self.filled == 0 {
                    return Ok(None);
                }
                // the last line has no end of its own
                self.make_room(1)?;
                self.buffer[self.filled] = b'\n';
                self.used = self.filled + 1;
                self.filled = self.used;
                return Ok(Some(&self.buffer[..self.used]));
            }
            self.make_room(BLOCK / 4)?;
            let fresh = self.filled;
            self.fill()?;
            if let Some(end) = self.buffer[fresh..self.filled].iter().rposition(|&byte| byte == b'\n') {
                self.used = fresh + end + 1;
                return Ok(Some(&self.buffer[..self.used]));
            }
        }
    }

    /// Makes room for a line that is longer than the buffer.
    fn make_room(&mut self, room: usize) -> Result<(), Kind> {
        if self.buffer.len() - self.filled < room {
            if self.filled > self.longest_line {
                return Err(Kind::LongLine(self.longest_line));
            }
            self.buffer.resize((self.buffer.len() * 2).max(self.filled + room), 0);
        }
        Ok(())
    }

    /// Fills the buffer, or as much of it as there is.
    fn fill(&mut self) -> Result<(), Kind> {
        while self.filled < self.buffer.len() && !self.ended {
            let room = &mut self.buffer[self.filled..];
            let read = match &mut self.input {
                Input::Plain(reader) => reader.read(room),
                Input::Gzip(reader) => reader.read(room),
            };
            match read {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    self.filled += count;
                    self.total += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failure(&error)),
            }
            if self.total > LONGEST_LOG {
                return Err(Kind::TooLong(LONGEST_LOG));
            }
        }
        Ok(())
    }

    fn failure(&self, error: &io::Error) -> Kind {
        match (&self.input, error.kind()) {
            (Input::Gzip(_), io::ErrorKind::UnexpectedEof) => Kind::TruncatedGzip,
            (Input::Gzip(_), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => {
                Kind::DamagedGzip(error.to_string())
            }
            _ => Kind::Io(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn text(reader: impl Read) -> Result<Vec<u8>, Kind> {
        let mut source = Source::new(reader)?;
        let mut text = Vec::new();
        while let Some(block) = source.next_block()? {
            assert!(block.ends_with(b"\n"), "a block ends with a line");
            text.extend_from_slice(block);
        }
        Ok(text)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).expect("into memory");
        encoder.finish().expect("into memory")
    }

    #[test]
    fn lines_longer_than_a_block_come_whole() {
        let long = [vec![b'x'; 3 * BLOCK], b"\nshort\nno end".to_vec()].concat();
        assert_eq!(text(&long[..]), Ok([long.clone(), b"\n".to_vec()].concat()));
        assert_eq!(text(&gzip(&long)[..]).map(|text| text.len()), Ok(long.len() + 1));
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let endless = io::repeat(b' ').take(1 << 30);
        assert_eq!(text(endless), Err(Kind::LongLine(LONGEST_LINE)));
    }

    #[test]
    fn gzip_members_follow_each_other() {
        let two = [gzip(b"one\n"), gzip(b"two\n")].concat();
        assert_eq!(text(&two[..]), Ok(b"one\ntwo\n".to_vec()));
    }

    #[test]
    fn truncated_and_damaged_gzip_are_told_apart() {
        let whole = gzip(&b"some lines of text\n".repeat(100));
        assert_eq!(text(&whole[..whole.len() / 2]), Err(Kind::TruncatedGzip));
        let mut damaged = whole.clone();
        let middle = damaged.len() - 5;
        damaged[middle] ^= 0xff;
        assert!(matches!(text(&damaged[..]), Err(Kind::DamagedGzip(_))));
        assert_eq!(text(&b"\x1f\x8b"[..]), Err(Kind::TruncatedGzip));
    }

    #[test]
    fn other_compressors_are_named() {
        assert_eq!(text(&b"BZh91AY"[..]), Err(Kind::OtherCompression("bzip2")));
    }
}
