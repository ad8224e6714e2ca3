//! Texts that a page of Parquet states by differences, written out as plain ones.
//!
//! Lengths are differences in blocks (`DELTA_LENGTH_BYTE_ARRAY`), and a text may begin as the one
//! before it (`DELTA_BYTE_ARRAY`). The library believes such lengths: a damaged one is an index out
//! of bounds there. Here every length is compared with the bytes that are left, and texts that
//! share their beginnings grow no longer than any page.

/// Values that each byte can state at most: a block of 128 takes five.
const VALUES_A_BYTE: u64 = 64;
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

/// Writes out texts whose lengths stand in front of all; `None` if they are damaged.
pub(super) fn by_lengths(bytes: &[u8], form: TextForm, into: &mut Vec<u8>) -> Option<()> {
    let (lengths, mut texts) = numbers(bytes)?;
    for length in lengths {
        let (text, rest) = texts.split_at_checked(usize::try_from(length).ok()?)?;
        append(&[text], form, into)?;
        texts = rest;
    }
    Some(())
}

/// Writes out texts that begin as the one before: the lengths of the beginnings, then the rests as
/// [`by_lengths`] has them; `None` if they are damaged.
pub(super) fn by_beginnings(bytes: &[u8], form: TextForm, into: &mut Vec<u8>) -> Option<()> {
    let (shared, rests) = numbers(bytes)?;
    let (lengths, mut rests) = numbers(rests)?;
    if shared.len() != lengths.len() {
        return None;
    }
    let mut before: Vec<u8> = Vec::new();
    for (shared, length) in shared.into_iter().zip(lengths) {
        let shared = usize::try_from(shared).ok().filter(|&shared| shared <= before.len())?;
        let (text, rest) = rests.split_at_checked(usize::try_from(length).ok()?)?;
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

/// The numbers of 32 bits at the beginning of bytes, which are differences in blocks
/// (`DELTA_BINARY_PACKED`), and the bytes behind them.
fn numbers(mut bytes: &[u8]) -> Option<(Vec<i32>, &[u8])> {
    let (in_block, parts) = (number(&mut bytes)?, number(&mut bytes)?);
    let count = number(&mut bytes)?;
    let mut last = signed(number(&mut bytes)?);
    let in_part = in_block.checked_div(parts).filter(|&in_part| in_part > 0 && in_part.is_multiple_of(8))?;
    if count > (bytes.len() as u64 + 1).saturating_mul(VALUES_A_BYTE) {
        return None;
    }
    let mut numbers = Vec::with_capacity(usize::try_from(count).ok()?);
    if count > 0 {
        numbers.push(last);
    }
    while (numbers.len() as u64) < count {
        let least = signed(number(&mut bytes)?);
        let (widths, rest) = bytes.split_at_checked(usize::try_from(parts).ok()?)?;
        bytes = rest;
        for &width in widths {
            let left = (count - numbers.len() as u64).min(in_part);
            if left == 0 {
                break;
            }
            let length = usize::try_from(in_part.checked_mul(width.into())? / 8).ok()?;
            // the last part may end behind its last number
            let (part, rest) = bytes.split_at(length.min(bytes.len()));
            for place in 0..left {
                let more = bits(part, place.checked_mul(width.into())?, width)?;
                last = last.wrapping_add(least).wrapping_add(more.cast_signed());
                numbers.push(last);
            }
            bytes = rest;
        }
    }
    Some((numbers, bytes))
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
        assert_eq!(by_lengths(&lengths, TextForm::Any, &mut into), Some(()));
        assert_eq!(into, plain(&["a", "bb", "cc"]));
        let beginnings = [packed(&[0, 1, 3]), packed(&[2, 2, 2]), b"abcdef".to_vec()].concat();
        let mut into = Vec::new();
        assert_eq!(by_beginnings(&beginnings, TextForm::Any, &mut into), Some(()));
        assert_eq!(into, plain(&["ab", "acd", "acdef"]));
        let fixed = [packed(&[2, 2]), b"abcd".to_vec()].concat();
        let mut into = Vec::new();
        assert_eq!(by_lengths(&fixed, TextForm::Fixed(2), &mut into), Some(()));
        assert_eq!(into, b"abcd");
        assert_eq!(by_lengths(&fixed, TextForm::Fixed(3), &mut into), None);
        assert_eq!(by_lengths(&packed(&[]), TextForm::Any, &mut Vec::new()), Some(()));
    }

    #[test]
    fn lengths_beyond_the_bytes_are_damage() {
        let into = Vec::new;
        assert_eq!(
            by_lengths(&[packed(&[1, 2, 2]), b"abbc".to_vec()].concat(), TextForm::Any, &mut into()),
            None
        );
        // -1, and a beginning longer than the text before
        assert_eq!(by_lengths(&[0x80, 0x01, 4, 1, 1], TextForm::Any, &mut into()), None);
        let beginnings = [packed(&[1]), packed(&[1]), b"a".to_vec()].concat();
        assert_eq!(by_beginnings(&beginnings, TextForm::Any, &mut into()), None);
        // 2^40 texts in a few bytes, no parts, and a block that is cut
        let many = [0x80, 0x01, 4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0];
        assert_eq!(by_lengths(&many, TextForm::Any, &mut into()), None);
        assert_eq!(by_lengths(&[0x80, 0x01, 0, 1, 0], TextForm::Any, &mut into()), None);
        let whole = packed(&[1, 2]);
        assert_eq!(by_lengths(&whole[..8], TextForm::Any, &mut into()), None);
    }
}
