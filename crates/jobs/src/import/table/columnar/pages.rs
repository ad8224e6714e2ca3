//! Pages of a column of Parquet, between the file and the decoder of values.
//!
//! Pages are decompressed here ([`packed`](super::packed)), and texts that are stated by
//! differences written out ([`deltas`](super::deltas)); to the library every column is plain. What
//! the decoder takes for granted is looked at before: that a dictionary that a page names was
//! there, and that it holds as many values as it claims, which are asked for at once.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;

use super::deltas::{self, TextForm};
use super::packed::{Codec, PageFault};

impl From<PageFault> for ParquetError {
    fn from(fault: PageFault) -> Self {
        ParquetError::External(Box::new(fault))
    }
}

/// The pages of a column.
struct Pages<R: ChunkReader> {
    inner: SerializedPageReader<R>,
    codec: Codec,
    has_dictionary: bool,
    /// Greatest levels of repetition and definition.
    levels: [i16; 2],
    /// Form of the texts, if it is a column of these.
    texts: Option<TextForm>,
}

/// The reader of a column of a group of so many rows.
pub(super) fn column<R: ChunkReader + 'static>(
    file: &Arc<R>,
    chunk: &ColumnChunkMetaData,
    codec: Codec,
    rows: usize,
) -> Result<ColumnReader, ParquetError> {
    let places =
        [chunk.dictionary_page_offset().unwrap_or(0), chunk.data_page_offset(), chunk.compressed_size()];
    if places.iter().any(|&place| place < 0) {
        return Err(PageFault::Outside.into());
    }
    let as_read = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
    let inner = SerializedPageReader::new(Arc::clone(file), &as_read, rows, None)?;
    let column = chunk.column_descr();
    let levels = [column.max_rep_level(), column.max_def_level()];
    let texts = match column.physical_type() {
        Type::BYTE_ARRAY => Some(TextForm::Any),
        Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(column.type_length()).ok().map(TextForm::Fixed),
        _ => None,
    };
    let pages = Pages { inner, codec, has_dictionary: false, levels, texts };
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
        let page = decompressed(self.codec, page)?;
        let is_indexed = matches!(page.encoding(), Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
        if page.page_type() == PageType::DICTIONARY_PAGE {
            self.has_dictionary = true;
        } else if is_indexed && !self.has_dictionary {
            return Err(PageFault::NoDictionary.into());
        }
        if let Page::DictionaryPage { num_values, buf, .. } = &page
            && *num_values as usize > buf.len()
        {
            // a value takes a byte at least
            return Err(PageFault::Values(*num_values, buf.len()).into());
        }
        Ok(Some(written_out(page, self.texts, self.levels)?))
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
fn decompressed(codec: Codec, mut page: Page) -> Result<Page, PageFault> {
    if codec == Codec::Plain {
        return Ok(page);
    }
    match &mut page {
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = unpacked(codec, buf, 0)?,
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed, .. } => {
            if *is_compressed {
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                *buf = unpacked(codec, buf, levels)?;
                *is_compressed = false;
            }
        }
    }
    Ok(page)
}

/// The bytes of a page, of which the first `plain` are not compressed.
fn unpacked(codec: Codec, bytes: &Bytes, plain: usize) -> Result<Bytes, PageFault> {
    let (levels, packed) = bytes.split_at_checked(plain).ok_or(PageFault::Levels)?;
    let mut unpacked = levels.to_vec();
    // a page without values has no bytes
    if !packed.is_empty() {
        codec.unpack(packed, &mut unpacked)?;
    }
    Ok(Bytes::from(unpacked))
}

/// The same page with texts that are plain, if it states them by differences.
fn written_out(mut page: Page, form: Option<TextForm>, levels: [i16; 2]) -> Result<Page, PageFault> {
    let start = start_of_values(&page, levels);
    let values = u64::from(page.num_values());
    let (Page::DataPage { buf, encoding, .. } | Page::DataPageV2 { buf, encoding, .. }) = &mut page else {
        return Ok(page);
    };
    let write: fn(&[u8], u64, TextForm, &mut Vec<u8>) -> Option<()> = match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => deltas::by_lengths,
        Encoding::DELTA_BYTE_ARRAY => deltas::by_beginnings,
        _ => return Ok(page),
    };
    let form = form.ok_or(PageFault::Texts)?;
    let (of_levels, texts) = start.and_then(|start| buf.split_at_checked(start)).ok_or(PageFault::Levels)?;
    let mut plain = of_levels.to_vec();
    // a page without values has no bytes
    if !texts.is_empty() {
        write(texts, values, form, &mut plain).ok_or(PageFault::Texts)?;
    }
    *buf = Bytes::from(plain);
    *encoding = Encoding::PLAIN;
    Ok(page)
}

/// The place of the first value of a page, behind its levels.
fn start_of_values(page: &Page, levels: [i16; 2]) -> Option<usize> {
    match page {
        Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
            Some(*def_levels_byte_len as usize + *rep_levels_byte_len as usize)
        }
        _ => {
            let mut start = 0_usize;
            // each behind its length
            for _ in levels.iter().filter(|&&level| level > 0) {
                let length = page.buffer().get(start..)?.first_chunk::<4>()?;
                start = start.checked_add(4 + u32::from_le_bytes(*length) as usize)?;
            }
            Some(start)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of so many texts of no length, in blocks of 2^15 numbers, in either form of a page.
    fn page_of_empty_texts(count: u32, encoding: Encoding, is_second: bool) -> Page {
        let mut lengths = vec![0x80, 0x80, 0x02, 4, count as u8 | 0x80, (count >> 7) as u8 | 0x80];
        lengths.extend([(count >> 14) as u8, 0]);
        (1..count).step_by(1 << 15).for_each(|_| lengths.extend([0; 5]));
        if encoding == Encoding::DELTA_BYTE_ARRAY {
            lengths = lengths.repeat(2);
        }
        let buf = Bytes::from(lengths);
        if is_second {
            return Page::DataPageV2 {
                buf,
                num_values: count,
                encoding,
                num_nulls: 0,
                num_rows: count,
                def_levels_byte_len: 0,
                rep_levels_byte_len: 0,
                is_compressed: false,
                statistics: None,
            };
        }
        let (def_level_encoding, rep_level_encoding) = (Encoding::RLE, Encoding::RLE);
        Page::DataPage {
            buf,
            num_values: count,
            encoding,
            def_level_encoding,
            rep_level_encoding,
            statistics: None,
        }
    }

    #[test]
    fn a_page_has_as_many_texts_as_it_says_in_however_few_bytes() {
        for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
            for is_second in [false, true] {
                let page = page_of_empty_texts(100_000, encoding, is_second);
                assert!(page.buffer().len() < 60, "{}", page.buffer().len());
                let page = written_out(page, Some(TextForm::Any), [0, 0]).expect("legal");
                assert_eq!((page.buffer().len(), page.encoding()), (400_000, Encoding::PLAIN));
                let mut page = page_of_empty_texts(100_000, encoding, is_second);
                match &mut page {
                    Page::DataPage { num_values, .. } | Page::DataPageV2 { num_values, .. } => {
                        *num_values -= 1;
                    }
                    Page::DictionaryPage { .. } => {}
                }
                assert!(written_out(page, Some(TextForm::Any), [0, 0]).is_err(), "one more than it says");
            }
        }
    }
}
