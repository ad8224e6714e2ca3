//! Numbers in few bytes: seven bits a byte, the lowest first, as base 64.
//!
//! What may be negative alternates (0, -1, 1, -2, ...), so that small numbers are short. The script
//! reads the columns in the order in which they are written.

/// Columns of numbers that are being written.
#[derive(Debug, Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
}

impl Packed {
    /// None yet, with memory for so many bytes.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Packed { bytes: Vec::with_capacity(bytes) }
    }

    /// Adds a number from 0.
    #[inline]
    pub(super) fn unsigned(&mut self, mut value: u64) {
        while value >= 128 {
            self.bytes.push(value as u8 | 128);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// Adds a number that may be negative.
    #[inline]
    pub(super) fn signed(&mut self, value: i64) {
        self.unsigned(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    /// Adds each of these as the difference to the one before.
    pub(super) fn differences(&mut self, values: impl Iterator<Item = u64>) {
        let mut before = 0_u64;
        for value in values {
            self.signed(value.wrapping_sub(before).cast_signed());
            before = value;
        }
    }

    /// Number of bytes.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// All of it as text.
    pub(super) fn text(&self) -> String {
        base64(&self.bytes)
    }
}

/// RFC 4648, with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    let (groups, rest) = bytes.as_chunks();
    let mut text = vec![b'='; bytes.len().div_ceil(3) * 4];
    let (places, _) = text.as_chunks_mut();
    for (place, group) in places.iter_mut().zip(groups) {
        *place = letters(*group);
    }
    if let Some(last) = places.get_mut(groups.len()) {
        let mut group = [0; 3];
        group[..rest.len()].copy_from_slice(rest);
        last[..=rest.len()].copy_from_slice(&letters(group)[..=rest.len()]);
    }
    String::from_utf8(text).expect("letters of ASCII")
}

/// The four letters of three bytes.
#[inline]
fn letters([first, second, third]: [u8; 3]) -> [u8; 4] {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (one, two) = (first >> 2, (first & 3) << 4 | second >> 4);
    let (three, four) = ((second & 15) << 2 | third >> 6, third & 63);
    [
        LETTERS[usize::from(one)],
        LETTERS[usize::from(two)],
        LETTERS[usize::from(three)],
        LETTERS[usize::from(four)],
    ]
}

/// Reads the columns again, as the script does.
#[cfg(test)]
pub(super) struct Reader {
    bytes: Vec<u8>,
    next: usize,
}

#[cfg(test)]
impl Reader {
    pub(super) fn of(text: &str) -> Self {
        const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let values: Vec<u32> =
            text.chars().filter_map(|letter| LETTERS.find(letter)).map(|value| value as u32).collect();
        let mut bytes = Vec::new();
        for group in values.chunks(4) {
            let bits = group.iter().enumerate().fold(0, |bits, (at, value)| bits | value << (18 - 6 * at));
            bytes.extend((0..group.len() - 1).map(|at| (bits >> (16 - 8 * at)) as u8));
        }
        Reader { bytes, next: 0 }
    }

    pub(super) fn unsigned(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.bytes[self.next];
            self.next += 1;
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    }

    pub(super) fn signed(&mut self) -> i64 {
        let value = self.unsigned();
        (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.next == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_reads_back() {
        let mut packed = Packed::default();
        packed.differences([7, 3, u64::MAX, 0].into_iter());
        packed.unsigned(300);
        let mut reader = Reader::of(&packed.text());
        assert_eq!([reader.signed(), reader.signed()], [7, -4]);
        assert_eq!([reader.signed(), reader.signed()], [-4, 1]);
        assert_eq!((reader.unsigned(), packed.len(), reader.is_at_end()), (300, 6, true));
    }

    #[test]
    fn base_64_is_the_published_one() {
        let texts = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
