//! Columns of Parquet that are compressed by zstd, decompressed in Rust: the library has it from C,
//! which would make a C compiler a condition of every build.
//!
//! A column is read as if it were plain, and its pages are decompressed on the way.

use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use ruzstd::decoding::StreamingDecoder;

/// Longest page after decompression \[bytes\].
const LONGEST_PAGE: u64 = 1 << 30;

/// The pages of a column, decompressed.
struct Pages<R: ChunkReader>(SerializedPageReader<R>);

/// The reader of a column of a group of so many rows.
pub(super) fn column<R: ChunkReader + 'static>(
    file: &Arc<R>,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Result<ColumnReader, ParquetError> {
    let plain = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
    let pages = SerializedPageReader::new(Arc::clone(file), &plain, rows, None)?;
    Ok(get_column_reader(chunk.column_descr_ptr(), Box::new(Pages(pages))))
}

impl<R: ChunkReader> Iterator for Pages<R> {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<R: ChunkReader> PageReader for Pages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        self.0.get_next_page()?.map(decompressed).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        self.0.at_record_boundary()
    }
}

/// The same page, decompressed; levels of the second version are plain.
fn decompressed(mut page: Page) -> Result<Page, ParquetError> {
    match &mut page {
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = unpacked(buf, 0)?,
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed, .. } => {
            if *is_compressed {
                *buf = unpacked(buf, *def_levels_byte_len as usize + *rep_levels_byte_len as usize)?;
                *is_compressed = false;
            }
        }
    }
    Ok(page)
}

/// The bytes of a page, of which the first `plain` are not compressed.
fn unpacked(bytes: &Bytes, plain: usize) -> Result<Bytes, ParquetError> {
    let damaged = |what: String| ParquetError::General(format!("a page of zstd: {what}"));
    let Some((levels, packed)) = bytes.split_at_checked(plain) else {
        return Err(damaged("it is shorter than its levels".to_owned()));
    };
    let mut unpacked = levels.to_vec();
    if !packed.is_empty() {
        let decoder = StreamingDecoder::new(packed).map_err(|error| damaged(error.to_string()))?;
        let mut decoder = decoder.take(LONGEST_PAGE);
        decoder.read_to_end(&mut unpacked).map_err(|error| damaged(error.to_string()))?;
        if decoder.limit() == 0 {
            return Err(damaged("it is longer than 1 GiB".to_owned()));
        }
    }
    Ok(Bytes::from(unpacked))
}
