//! Streams of zstd: frames one after another, as `zstd` and `pzstd` write them.
//!
//! Source: RFC 8878. A frame is decoded block by block, so memory is bounded by its window, which
//! the decoder refuses beyond 100 MiB; checksums are compared where a frame has one.

use std::fmt;
use std::io::{self, Cursor, Read};

use ruzstd::decoding::BlockDecodingStrategy;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::errors::ReadFrameHeaderError;

/// First bytes of a frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The bytes of all frames of a stream.
pub(super) struct Frames<R: Read> {
    source: R,
    decoder: FrameDecoder,
    /// True within a frame.
    is_inside: bool,
}

impl<R: Read> fmt::Debug for Frames<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames").field("is_inside", &self.is_inside).finish_non_exhaustive()
    }
}

fn damaged(error: impl fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

impl<R: Read> Frames<R> {
    /// Returns true if a stream that begins so is one of zstd: with a frame, or with one to skip.
    pub(super) fn begin_with(head: &[u8]) -> bool {
        let is_skipped = matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
        head.starts_with(&MAGIC) || is_skipped
    }

    /// Decodes a stream.
    pub(super) fn new(source: R) -> Self {
        Frames { source, decoder: FrameDecoder::new(), is_inside: false }
    }

    /// Begins the next frame; false at the end of the stream.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            let mut first = Vec::new();
            self.source.by_ref().take(1).read_to_end(&mut first)?;
            if first.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(Cursor::new(first).chain(&mut self.source)) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped =
                        io::copy(&mut self.source.by_ref().take(u64::from(length)), &mut io::sink())?;
                    if skipped < u64::from(length) {
                        return Err(damaged("it ends in the middle"));
                    }
                }
                Err(error) => return Err(damaged(error)),
            }
        }
    }

    /// Fills some of `room`; 0 at the end.
    pub(super) fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        while !room.is_empty() {
            if !self.is_inside {
                self.is_inside = self.begin()?;
                if !self.is_inside {
                    return Ok(0);
                }
            }
            let enough = BlockDecodingStrategy::UptoBytes(room.len());
            if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder.decode_blocks(&mut self.source, enough).map_err(damaged)?;
            }
            let count = self.decoder.read(room)?;
            if count > 0 {
                return Ok(count);
            }
            if self.decoder.is_finished() {
                let (stated, found) =
                    (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
                if stated.is_some() && stated != found {
                    return Err(damaged("a checksum is wrong"));
                }
                self.is_inside = false;
            }
        }
        Ok(0)
    }
}
