//! A text as a stream of whole lines, decompressed on the way.
//!
//! The text is never held as a whole: a block of some hundred kilobytes is read, cut after its last
//! line end, and what follows is carried to the front of the next block. The length of a line is
//! bounded, and so is that of the whole ([`Unpacked`]): a small compressed file cannot fill the
//! memory or run for ever.

use std::io::Read;

use crate::text::{Broken, LONGEST_LINE, Unpacked};

/// Bytes read at a time.
const BLOCK: usize = 256 * 1024;

/// Whole lines of a text, block by block.
#[derive(Debug)]
pub struct Lines<R: Read> {
    input: Unpacked<R>,
    buffer: Vec<u8>,
    /// Bytes of the buffer that hold text.
    filled: usize,
    /// Bytes of the buffer that were handed out and may be overwritten.
    used: usize,
    ended: bool,
}

impl<R: Read> Lines<R> {
    /// Lines of a text, plain, gzip or zstd; the first bytes say which.
    ///
    /// # Errors
    /// As [`Unpacked::new`].
    pub fn new(reader: R) -> Result<Self, Broken> {
        let input = Unpacked::new(reader)?;
        Ok(Lines { input, buffer: vec![0; BLOCK], filled: 0, used: 0, ended: false })
    }

    /// The next lines, each with its line end (the last may have been given one); `None` at the
    /// end.
    ///
    /// # Errors
    /// The stream fails, or a line is longer than any.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>, Broken> {
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
    fn make_room(&mut self, room: usize) -> Result<(), Broken> {
        if self.buffer.len() - self.filled < room {
            if self.filled > LONGEST_LINE {
                return Err(Broken::LongLine);
            }
            self.buffer.resize((self.buffer.len() * 2).max(self.filled + room), 0);
        }
        Ok(())
    }

    /// Fills the buffer, or as much of it as there is.
    fn fill(&mut self) -> Result<(), Broken> {
        while self.filled < self.buffer.len() && !self.ended {
            match self.input.read(&mut self.buffer[self.filled..])? {
                0 => self.ended = true,
                count => self.filled += count,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn text(reader: impl Read) -> Result<Vec<u8>, Broken> {
        let mut lines = Lines::new(reader)?;
        let mut text = Vec::new();
        while let Some(block) = lines.next_block()? {
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
        assert_eq!(text(endless), Err(Broken::LongLine));
    }

    #[test]
    fn gzip_members_follow_each_other() {
        let two = [gzip(b"one\n"), gzip(b"two\n")].concat();
        assert_eq!(text(&two[..]), Ok(b"one\ntwo\n".to_vec()));
    }

    #[test]
    fn truncated_and_damaged_gzip_are_distinguished() {
        let whole = gzip(&b"some lines of text\n".repeat(100));
        assert_eq!(text(&whole[..whole.len() / 2]), Err(Broken::TruncatedGzip));
        let mut damaged = whole.clone();
        let middle = damaged.len() - 5;
        damaged[middle] ^= 0xff;
        assert!(matches!(text(&damaged[..]), Err(Broken::DamagedGzip(_))));
        assert_eq!(text(&b"\x1f\x8b"[..]), Err(Broken::TruncatedGzip));
    }

    #[test]
    fn frames_of_zstd_follow_each_other_and_a_damaged_one_is_refused() {
        use ruzstd::encoding::CompressionLevel;
        use ruzstd::encoding::compress_to_vec;

        let frame = |text: &[u8]| compress_to_vec(text, CompressionLevel::Fastest);
        let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc";
        let long = b"some lines of text\n".repeat(40_000);
        let all = [&skipped[..], &frame(&long), skipped, &frame(b"end\n")].concat();
        assert_eq!(text(&all[..]), Ok([&long[..], b"end\n"].concat()));
        let whole = frame(&long);
        for cut in [5, whole.len() / 2, whole.len() - 1] {
            assert!(matches!(text(&whole[..cut]), Err(Broken::DamagedZstd(_))), "{cut} bytes");
        }
        assert!(matches!(text(&skipped[..9]), Err(Broken::DamagedZstd(_))));
    }

    #[test]
    fn other_compressors_are_named() {
        assert_eq!(text(&b"BZh91AY"[..]), Err(Broken::OtherCompression("bzip2")));
    }
}
