//! Protocol buffer messages as bytes: fields one after another, in the order in which they are put.
//!
//! A field is its number and wire type as a varint, then its value: a varint, eight bytes, or a
//! length and that many bytes. Nothing else of the format is needed for a trace.
//!
//! Source: Protocol Buffers documentation, "Encoding".

const VARINT: u64 = 0;
const FIXED: u64 = 1;
const BYTES: u64 = 2;

/// A message that is put together; cleared and used again, it keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    /// Empties it.
    pub(super) fn clear(&mut self) -> &mut Self {
        self.0.clear();
        self
    }

    /// Puts a whole number.
    pub(super) fn number(&mut self, field: u64, value: u64) -> &mut Self {
        varint(&mut self.0, field << 3 | VARINT);
        varint(&mut self.0, value);
        self
    }

    /// Puts a whole number in eight bytes.
    pub(super) fn fixed(&mut self, field: u64, value: u64) -> &mut Self {
        varint(&mut self.0, field << 3 | FIXED);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Puts a text.
    pub(super) fn text(&mut self, field: u64, text: &str) -> &mut Self {
        self.bytes(field, text.as_bytes())
    }

    /// Puts a message.
    pub(super) fn message(&mut self, field: u64, message: &Message) -> &mut Self {
        self.bytes(field, &message.0)
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        varint(&mut self.0, field << 3 | BYTES);
        varint(&mut self.0, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Bytes put so far.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Seven bits a byte, the lowest first; the highest bit of a byte says that more follow.
fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_as_the_documentation_shows_them() {
        let mut inner = Message::default();
        assert_eq!(inner.number(1, 150).as_bytes(), [0x08, 0x96, 0x01]);
        let mut outer = Message::default();
        outer.text(2, "testing");
        assert_eq!(outer.as_bytes(), [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67]);
        assert_eq!(outer.clear().message(3, &inner).as_bytes(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
    }

    #[test]
    fn the_largest_number_takes_ten_bytes() {
        let mut message = Message::default();
        message.number(16, u64::MAX);
        let mut expected = vec![0x80, 0x01];
        expected.extend([0xff; 9]);
        expected.push(0x01);
        assert_eq!(message.as_bytes(), expected);
    }
}
