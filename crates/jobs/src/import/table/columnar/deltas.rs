//! Texts that a page of Parquet states by differences, written out as plain ones.
//!
//! Lengths are differences in blocks (`DELTA_LENGTH_BYTE_ARRAY`), and a text may begin as the one
//! before it (`DELTA_BYTE_ARRAY`). The library believes such lengths: a damaged one is an index out
//! of bounds there. Here their number is that of the values of the page at most, each is decoded
//! when its text is, and compared with the bytes that are left; texts that share their beginnings
//! grow no longer than any page.

/// Longest page of texts that are written out \[bytes\].
const LONGEST: usize = 1 << 30;

/// Form of the texts of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TextForm {
    /// Of any length, which stands in front of each.
    Any,
    /// All of this length \[bytes\].
    Fixed(usize),
}

/// Writes out at most `most` texts whose lengths stand in front of all; `None` if they are damaged.
pub(super) fn by_lengths(bytes: &[u8], most: u64, form: TextForm, into: &mut Vec<u8>) -> Option<()> {
    let (mut lengths, mut texts) = Numbers::new(bytes, most)?;
    while lengths.left > 0 {
        let (text, rest) = texts.split_at_checked(lengths.length()?)?;
        append(&[text], form, into)?;
        texts = rest;
    }
    Some(())
}

/// Writes out at most `most` texts that begin as the one before: the lengths of the beginnings,
/// then the rests as [`by_lengths`] has them; `None` if they are damaged.
pub(super) fn by_beginnings(bytes: &[u8], most: u64, form: TextForm, into: &mut Vec<u8>) -> Option<()> {
    let (mut beginnings, rests) = Numbers::new(bytes, most)?;
    let (mut lengths, mut rests) = Numbers::new(rests, most)?;
    if beginnings.left != lengths.left {
        return None;
    }
    let mut before: Vec<u8> = Vec::new();
    while lengths.left > 0 {
        let shared = beginnings.length().filter(|&shared| shared <= before.len())?;
        let (text, rest) = rests.split_at_checked(lengths.length()?)?;
        append(&[&before[..shared], text], form, into)?;
        before.truncate(shared);
        before.extend_from_slice(text);
        rests = rest;
    }
    Some(())
}

/// Appends a text in two parts, as a plain page has it.
fn append(parts: &[&[u8]], form: TextForm, into: &mut Vec<u8>) -> Option<()> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    if into.len() + length > LONGEST {
        return None;
    }
    match form {
        TextForm::Any => into.extend_from_slice(&u32::try_from(length).ok()?.to_le_bytes()),
        TextForm::Fixed(fixed) if fixed == length => {}
        TextForm::Fixed(_) => return None,
    }
    parts.iter().for_each(|part| into.extend_from_slice(part));
    Some(())
}

/// Numbers of 32 bits that are differences in blocks (`DELTA_BINARY_PACKED`), decoded one by one.
#[derive(Clone, Debug)]
struct Numbers<'b> {
    /// Bytes from the next block on.
    bytes: &'b [u8],
    /// Parts of a block, and numbers of a part.
    parts: usize,
    in_part: u64,
    /// Numbers that are still to come.
    left: u64,
    /// The next number.
    next: i32,
    /// Least difference of the block.
    least: i32,
    /// Bits of a difference in each of the parts that follow.
    widths: &'b [u8],
    /// The part at hand, the bits of a difference in it, and the place of the next one.
    part: &'b [u8],
    width: u8,
    at: u64,
}

impl<'b> Numbers<'b> {
    /// The numbers at the beginning of bytes, and the bytes behind them; `None` if they are damaged
    /// or more than `most`.
    fn new(mut bytes: &'b [u8], most: u64) -> Option<(Self, &'b [u8])> {
        let (in_block, parts) = (number(&mut bytes)?, number(&mut bytes)?);
        let left = number(&mut bytes).filter(|&count| count <= most)?;
        let next = signed(number(&mut bytes)?);
        let in_part =
            in_block.checked_div(parts).filter(|&in_part| in_part > 0 && in_part.is_multiple_of(8))?;
        let parts = usize::try_from(parts).ok()?;
        let (widths, part) = (&[][..], &[][..]);
        let numbers =
            Numbers { bytes, parts, in_part, left, next, least: 0, widths, part, width: 0, at: in_part };
        let mut rest = numbers.clone();
        // the first number stands before the blocks
        let mut behind = left.saturating_sub(1);
        while behind > 0 {
            rest.enter_part(behind)?;
            behind = behind.saturating_sub(in_part);
        }
        Some((numbers, rest.bytes))
    }

    /// Goes to the next part, of which at most `behind` numbers are stated; `None` if it is cut.
    fn enter_part(&mut self, behind: u64) -> Option<()> {
        if self.widths.is_empty() {
            self.least = signed(number(&mut self.bytes)?);
            (self.widths, self.bytes) = self.bytes.split_at_checked(self.parts)?;
        }
        let (&width, widths) = self.widths.split_first().filter(|(width, _)| **width <= 32)?;
        let length = usize::try_from(self.in_part.checked_mul(width.into())? / 8).ok()?;
        // the last part may end behind its last number
        let is_last = behind <= self.in_part;
        let length = if is_last { length.min(self.bytes.len()) } else { length };
        (self.part, self.bytes) = self.bytes.split_at_checked(length)?;
        (self.widths, self.width, self.at) = (widths, width, 0);
        Some(())
    }

    /// Takes the next number as a length; `None` if it is cut or below zero.
    fn length(&mut self) -> Option<usize> {
        let taken = usize::try_from(self.next).ok()?;
        self.left = self.left.checked_sub(1)?;
        if self.left > 0 {
            if self.at == self.in_part {
                self.enter_part(self.left)?;
            }
            let more = bits(self.part, self.at.checked_mul(self.width.into())?, self.width)?;
            self.next = self.next.wrapping_add(self.least).wrapping_add(more.cast_signed());
            self.at += 1;
        }
        Some(taken)
    }
}

/// A number of so many bits, the lowest first, from a bit on.
fn bits(bytes: &[u8], from: u64, width: u8) -> Option<u32> {
    if width > 32 {
        return None;
    }
    let first = usize::try_from(from / 8).ok()?;
    let end = usize::try_from((from + u64::from(width)).div_ceil(8)).ok()?;
    let whole =
        bytes.get(first..end)?.iter().rev().fold(0_u64, |whole, &byte| (whole << 8) | u64::from(byte));
    Some(((whole >> (from % 8)) & ((1_u64 << width) - 1)) as u32)
}

/// Takes a number off the front of bytes: seven bits in each, the lowest first.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A number whose lowest bit is its sign.
fn signed(number: u64) -> i32 {
    ((number >> 1).cast_signed() ^ -(number & 1).cast_signed()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(texts: &[&str]) -> Vec<u8> {
        let mut into = Vec::new();
        texts.iter().for_each(|text| append(&[text.as_bytes()], TextForm::Any, &mut into).expect("short"));
        into
    }

    /// Numbers in one block of four parts, eight bits each.
    fn packed(numbers: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x80, 0x01, 4, numbers.len() as u8];
        bytes.push(numbers.first().map_or(0, |first| first * 2));
        if numbers.len() > 1 {
            // the least difference is none: these numbers rise
            bytes.extend([0, 8, 0, 0, 0]);
            bytes.extend(numbers.windows(2).map(|pair| pair[1] - pair[0]));
            bytes.resize(bytes.len() + 33 - numbers.len(), 0);
        }
        bytes
    }

    #[test]
    fn texts_come_out_plain() {
        let lengths = [packed(&[1, 2, 2]), b"abbcc".to_vec()].concat();
        let mut into = Vec::new();
        assert_eq!(by_lengths(&lengths, 9, TextForm::Any, &mut into), Some(()));
        assert_eq!(into, plain(&["a", "bb", "cc"]));
        let beginnings = [packed(&[0, 1, 3]), packed(&[2, 2, 2]), b"abcdef".to_vec()].concat();
        let mut into = Vec::new();
        assert_eq!(by_beginnings(&beginnings, 9, TextForm::Any, &mut into), Some(()));
        assert_eq!(into, plain(&["ab", "acd", "acdef"]));
        let fixed = [packed(&[2, 2]), b"abcd".to_vec()].concat();
        let mut into = Vec::new();
        assert_eq!(by_lengths(&fixed, 9, TextForm::Fixed(2), &mut into), Some(()));
        assert_eq!(into, b"abcd");
        assert_eq!(by_lengths(&fixed, 9, TextForm::Fixed(3), &mut into), None);
        assert_eq!(by_lengths(&packed(&[]), 9, TextForm::Any, &mut Vec::new()), Some(()));
    }

    #[test]
    fn lengths_beyond_the_bytes_are_damage() {
        let into = Vec::new;
        assert_eq!(
            by_lengths(&[packed(&[1, 2, 2]), b"abbc".to_vec()].concat(), 9, TextForm::Any, &mut into()),
            None
        );
        // -1, and a beginning longer than the text before
        assert_eq!(by_lengths(&[0x80, 0x01, 4, 1, 1], 9, TextForm::Any, &mut into()), None);
        let beginnings = [packed(&[1]), packed(&[1]), b"a".to_vec()].concat();
        assert_eq!(by_beginnings(&beginnings, 9, TextForm::Any, &mut into()), None);
        // more texts than values, no parts, and a block that is cut
        let two = [packed(&[1, 2]), b"abb".to_vec()].concat();
        assert_eq!(by_lengths(&two, 2, TextForm::Any, &mut into()), Some(()));
        assert_eq!(by_lengths(&two, 1, TextForm::Any, &mut into()), None);
        let many = [0x80, 0x01, 4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0];
        assert_eq!(by_lengths(&many, 9, TextForm::Any, &mut into()), None);
        assert_eq!(by_lengths(&[0x80, 0x01, 0, 1, 0], 9, TextForm::Any, &mut into()), None);
        let whole = packed(&[1, 2]);
        assert_eq!(by_lengths(&whole[..8], 9, TextForm::Any, &mut into()), None);
    }

    /// So many equal lengths in blocks of 2^20 numbers, which take six bytes each.
    fn equal(count: u32, length: u8) -> Vec<u8> {
        let leb = |mut value: u32, into: &mut Vec<u8>| {
            while value >= 0x80 {
                into.push(value as u8 | 0x80);
                value >>= 7;
            }
            into.push(value as u8);
        };
        let mut bytes = Vec::new();
        [1 << 20, 4, count].into_iter().for_each(|value| leb(value, &mut bytes));
        bytes.push(2 * length);
        (0..count.saturating_sub(1).div_ceil(1 << 20)).for_each(|_| bytes.extend([0; 5]));
        bytes
    }

    #[test]
    fn as_many_texts_as_the_page_has_values_are_written_out_however_few_its_bytes() {
        let count = 3_000_000;
        let mut into = Vec::new();
        assert_eq!(by_lengths(&equal(count, 0), count.into(), TextForm::Any, &mut into), Some(()));
        assert_eq!(into.len(), 4 * count as usize);
        let beginnings = [equal(count, 0), equal(count, 0)].concat();
        into.clear();
        assert_eq!(by_beginnings(&beginnings, count.into(), TextForm::Any, &mut into), Some(()));
        assert_eq!(into.len(), 4 * count as usize);
        // none is set aside before it is known that there are so many
        let none = by_lengths(&equal(u32::MAX, 1), u32::MAX.into(), TextForm::Any, &mut into);
        assert_eq!((none, into.capacity() < 64 << 20), (None, true));
    }
}
