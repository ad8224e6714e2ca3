//! Decompression of pages of Parquet, bounded by the bytes that a page has in the file.
//!
//! The library asks for as many bytes as a page claims to have, which may be two thousand million
//! in a file of a hundred. Here a page grows as it is decompressed, and ends where it is longer
//! than any of its size can be in use. Zstd is decompressed in Rust: the library has it from C,
//! which would make a C compiler a condition of every build.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use parquet::basic::Compression;
use ruzstd::decoding::StreamingDecoder;

/// Longest page after decompression \[bytes\].
const LONGEST: usize = 1 << 30;
/// Length up to which any page may grow \[bytes\]; writers make pages of a mebibyte.
const ALWAYS: usize = 64 << 20;
/// Bytes that each byte of a longer page may become, at most: as many as deflate can make of one.
const MOST_OF_A_BYTE: usize = 1032;
/// Bytes that each byte of Snappy can become: 64 of every copy, which takes two at least.
const MOST_OF_SNAPPY: usize = 32;

/// A codec that is built in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Codec {
    Plain,
    Snappy,
    Gzip,
    Zstd,
    /// LZ4 in the frames of Hadoop; older writers left these away, or took those of LZ4 itself.
    Lz4,
    Lz4Raw,
}

impl Codec {
    /// The codec of a column, or the name of one that is not built in.
    pub(super) fn of(compression: Compression) -> Result<Codec, &'static str> {
        match compression {
            Compression::UNCOMPRESSED => Ok(Codec::Plain),
            Compression::SNAPPY => Ok(Codec::Snappy),
            Compression::GZIP(_) => Ok(Codec::Gzip),
            Compression::ZSTD(_) => Ok(Codec::Zstd),
            Compression::LZ4 => Ok(Codec::Lz4),
            Compression::LZ4_RAW => Ok(Codec::Lz4Raw),
            Compression::BROTLI(_) => Err("Brotli"),
            Compression::LZO => Err("LZO"),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Codec::Plain => "plain bytes",
            Codec::Snappy => "Snappy",
            Codec::Gzip => "gzip",
            Codec::Zstd => "zstd",
            Codec::Lz4 | Codec::Lz4Raw => "LZ4",
        }
    }

    /// Appends the decompressed bytes of a page.
    ///
    /// # Errors
    /// The page is damaged, or too long.
    pub(super) fn unpack(self, packed: &[u8], into: &mut Vec<u8>) -> Result<(), PageFault> {
        let most = packed.len().saturating_mul(MOST_OF_A_BYTE).clamp(ALWAYS, LONGEST);
        match self {
            Codec::Plain => into.extend_from_slice(packed),
            Codec::Snappy => {
                let length = snap::raw::decompress_len(packed).map_err(|error| self.damaged(&error))?;
                if length > packed.len().saturating_mul(MOST_OF_SNAPPY).saturating_add(1) {
                    return Err(self.damaged(&format!("{length} bytes of {}", packed.len())));
                }
                let start = grown(into, length, most)?;
                snap::raw::Decoder::new()
                    .decompress(packed, &mut into[start..])
                    .map_err(|error| self.damaged(&error))?;
            }
            Codec::Gzip => self.drain(MultiGzDecoder::new(packed), most, into)?,
            Codec::Zstd => {
                let decoder = StreamingDecoder::new(packed).map_err(|error| self.damaged(&error))?;
                self.drain(decoder, most, into)?;
            }
            Codec::Lz4Raw => self.block(packed, most, into)?,
            Codec::Lz4 => {
                let start = into.len();
                if self.frames(packed, most, into).is_err() {
                    into.truncate(start);
                    let frames = self.drain(lz4_flex::frame::FrameDecoder::new(packed), most, into);
                    if frames.is_err() {
                        into.truncate(start);
                        self.block(packed, most, into)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn damaged(self, error: &impl ToString) -> PageFault {
        PageFault::Damaged(self, error.to_string())
    }

    /// Appends a whole stream.
    fn drain(self, stream: impl Read, most: usize, into: &mut Vec<u8>) -> Result<(), PageFault> {
        let mut stream = stream.take(most as u64 + 1);
        stream.read_to_end(into).map_err(|error: io::Error| self.damaged(&error))?;
        if stream.limit() == 0 { Err(PageFault::Long(most)) } else { Ok(()) }
    }

    /// Appends a block of LZ4, whose length stands nowhere in it.
    fn block(self, packed: &[u8], most: usize, into: &mut Vec<u8>) -> Result<(), PageFault> {
        let longest = packed.len().saturating_mul(256);
        let mut length = packed.len().saturating_mul(4).max(64);
        loop {
            let start = grown(into, length.min(longest), most)?;
            match lz4_flex::block::decompress_into(packed, &mut into[start..]) {
                Ok(count) => {
                    into.truncate(start + count);
                    return Ok(());
                }
                Err(lz4_flex::block::DecompressError::OutputTooSmall { .. }) if length < longest => {
                    into.truncate(start);
                    length = length.saturating_mul(4);
                }
                Err(error) => return Err(self.damaged(&error)),
            }
        }
    }

    /// Appends blocks of LZ4, each behind its length and that of its bytes here, the highest byte
    /// first.
    fn frames(self, mut packed: &[u8], most: usize, into: &mut Vec<u8>) -> Result<(), PageFault> {
        let cut = || self.damaged(&"a frame is cut");
        while !packed.is_empty() {
            let (lengths, rest) = packed.split_first_chunk::<8>().ok_or_else(cut)?;
            let [a, b, c, d, e, f, g, h] = *lengths;
            let (length, here) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
            let (block, rest) = rest.split_at_checked(here as usize).ok_or_else(cut)?;
            if length as usize > block.len().saturating_mul(256) {
                return Err(self.damaged(&"a frame claims more than it can hold"));
            }
            let start = grown(into, length as usize, most)?;
            let count = lz4_flex::block::decompress_into(block, &mut into[start..]);
            if count.map_err(|error| self.damaged(&error))? != length as usize {
                return Err(self.damaged(&"a frame has another length than it says"));
            }
            packed = rest;
        }
        Ok(())
    }
}

/// Appends `more` zero bytes, of at most `most`; the place of the first.
fn grown(into: &mut Vec<u8>, more: usize, most: usize) -> Result<usize, PageFault> {
    if more > most || into.len().saturating_add(more) > LONGEST {
        return Err(PageFault::Long(most));
    }
    let start = into.len();
    into.resize(start + more, 0);
    Ok(start)
}

/// Reason that a page cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageFault {
    /// Bytes that cannot be decompressed, with the decoder's words.
    #[error("a page of {} is damaged or cut", .0.name())]
    Damaged(Codec, String),
    /// A page longer than this after decompression \[bytes\].
    #[error("a page is longer than {0} bytes after decompression, which no page of its size is")]
    Long(usize),
    /// A dictionary that a page names is not there.
    #[error("a page names a dictionary that is not there")]
    NoDictionary,
    /// Levels are longer than their page.
    #[error("a page is shorter than its levels")]
    Levels,
    /// More values are claimed than fit.
    #[error("a page claims {0} values, more than its {1} bytes can hold")]
    Values(u32, usize),
    /// Texts that are stated by differences are none.
    #[error("a page of texts is damaged")]
    Texts,
    /// A column lies outside the file.
    #[error("a column lies before the file")]
    Outside,
}

impl PageFault {
    /// The words of a decoder.
    pub(super) fn words(&self) -> Option<&str> {
        match self {
            PageFault::Damaged(_, words) => Some(words),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn unpacked(codec: Codec, packed: &[u8]) -> Result<Vec<u8>, String> {
        let mut into = b"levels".to_vec();
        codec.unpack(packed, &mut into).map_err(|fault| fault.to_string())?;
        Ok(into.split_off(6))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).expect("into memory");
        encoder.finish().expect("into memory")
    }

    fn hadoop(blocks: &[&[u8]]) -> Vec<u8> {
        let frame = |block: &&[u8]| {
            let packed = lz4_flex::block::compress(block);
            [&(block.len() as u32).to_be_bytes()[..], &(packed.len() as u32).to_be_bytes(), &packed].concat()
        };
        blocks.iter().flat_map(frame).collect()
    }

    #[test]
    fn every_codec_gives_back_what_went_in() {
        let plain: Vec<u8> = (0..200_000_u32).map(|at| (at / 7 % 13) as u8).collect();
        let zeros = vec![0; 1 << 20];
        for bytes in [&plain[..], &zeros, b"x", b""] {
            let snappy = snap::raw::Encoder::new().compress_vec(bytes).expect("into memory");
            let raw = lz4_flex::block::compress(bytes);
            let (left, right) = bytes.split_at(bytes.len() / 3);
            for (codec, packed) in [
                (Codec::Plain, bytes.to_vec()),
                (Codec::Snappy, snappy),
                (Codec::Gzip, gzip(bytes)),
                (
                    Codec::Zstd,
                    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest),
                ),
                (Codec::Lz4Raw, raw.clone()),
                (Codec::Lz4, raw),
                (Codec::Lz4, hadoop(&[bytes])),
                (Codec::Lz4, hadoop(&[left, right])),
            ] {
                assert_eq!(unpacked(codec, &packed).as_deref(), Ok(bytes), "{codec:?} of {}", bytes.len());
            }
        }
    }

    /// A stream of zstd with so many blocks of 128 KiB of one byte each.
    fn blocks_of_zeros(count: u32) -> Vec<u8> {
        let block = |at: u32| {
            let head = (131_072 << 3) | (1 << 1) | u32::from(at + 1 == count);
            [&head.to_le_bytes()[..3], &[0]].concat()
        };
        let mut stream = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38];
        stream.extend((0..count).flat_map(block));
        stream
    }

    #[test]
    fn what_claims_too_much_is_refused_before_it_is_made() {
        assert_eq!(unpacked(Codec::Zstd, &blocks_of_zeros(512)).map(|bytes| bytes.len()), Ok(ALWAYS));
        let long = unpacked(Codec::Zstd, &blocks_of_zeros(513)).expect_err("too long");
        assert!(long.contains("longer than 67108864 bytes after decompression"), "{long}");
        // a length of 2^31 in five bytes
        let snappy = unpacked(Codec::Snappy, &[0x80, 0x80, 0x80, 0x80, 0x08, 0]);
        assert_eq!(snappy, Err("a page of Snappy is damaged or cut".to_owned()));
        let frame = [&u32::MAX.to_be_bytes()[..], &1_u32.to_be_bytes(), &[0]].concat();
        assert_eq!(unpacked(Codec::Lz4, &frame), Err("a page of LZ4 is damaged or cut".to_owned()));
        for codec in [Codec::Snappy, Codec::Gzip, Codec::Zstd, Codec::Lz4Raw, Codec::Lz4] {
            assert!(unpacked(codec, b"\xff\xff\xff").is_err(), "{codec:?}");
        }
    }
}
