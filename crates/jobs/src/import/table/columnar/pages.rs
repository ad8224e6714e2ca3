//! Pages of a column of Parquet, between the file and the decoder of values.
//!
//! Pages of zstd are decompressed here, in Rust: the library has it from C, which would make a C
//! compiler a condition of every build. Such a column is read as if it were plain. A page that
//! names a dictionary which was not there is refused, as the decoder takes it for granted.

use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use ruzstd::decoding::StreamingDecoder;

/// Longest page after decompression \[bytes\].
const LONGEST_PAGE: u64 = 1 << 30;

/// The pages of a column.
struct Pages<R: ChunkReader> {
    inner: SerializedPageReader<R>,
    is_zstd: bool,
    has_dictionary: bool,
}

/// The reader of a column of a group of so many rows.
pub(super) fn column<R: ChunkReader + 'static>(
    file: &Arc<R>,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Result<ColumnReader, ParquetError> {
    let places =
        [chunk.dictionary_page_offset().unwrap_or(0), chunk.data_page_offset(), chunk.compressed_size()];
    if places.iter().any(|&place| place < 0) {
        return Err(ParquetError::General("a column lies before the file".to_owned()));
    }
    let is_zstd = matches!(chunk.compression(), Compression::ZSTD(_));
    let codec = if is_zstd { Compression::UNCOMPRESSED } else { chunk.compression() };
    let as_read = chunk.clone().into_builder().set_compression(codec).build()?;
    let inner = SerializedPageReader::new(Arc::clone(file), &as_read, rows, None)?;
    let pages = Pages { inner, is_zstd, has_dictionary: false };
    Ok(get_column_reader(chunk.column_descr_ptr(), Box::new(pages)))
}

impl<R: ChunkReader> Iterator for Pages<R> {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<R: ChunkReader> PageReader for Pages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let Some(page) = self.inner.get_next_page()? else { return Ok(None) };
        let page = if self.is_zstd { decompressed(page)? } else { page };
        let is_indexed = matches!(page.encoding(), Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
        if page.page_type() == PageType::DICTIONARY_PAGE {
            self.has_dictionary = true;
        } else if is_indexed && !self.has_dictionary {
            return Err(ParquetError::General("a page names a dictionary that is not there".to_owned()));
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        self.inner.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        self.inner.at_record_boundary()
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
