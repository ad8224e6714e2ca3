//! The running hash over everything that happened.

use std::fmt;

use super::time::SimTime;

/// A running hash over (time, process, kind of wait) of every resumption outside the *observations*
/// phase.
///
/// Two runs with one digest resumed the same processes at the same instants in the same order. It
/// does not depend on the structure of the event list, on recording, or on assertions. It is a
/// check against accidents, not against forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Digest(u64);

impl Digest {
    /// Adds one resumption: the halves of one wide product, folded.
    #[inline]
    pub(super) fn resumption(&mut self, at: SimTime, process: u64, kind: u8) {
        let a = self.0 ^ at.as_nanos() ^ 0x9E37_79B9_7F4A_7C15;
        let b = (process << 8 | u64::from(kind)) ^ 0xD6E8_FEB8_6659_FD93 ^ self.0.rotate_left(32);
        let wide = u128::from(a) * u128::from(b);
        self.0 = (wide as u64) ^ (wide >> 64) as u64;
    }

    /// The hash as a number.
    pub fn as_u64(self) -> u64 {
        self.0
    }

    /// The hash of sixteen hexadecimal digits; `None` of any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_whole = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(text, 16).ok().filter(|_| is_whole).map(Digest)
    }
}

impl fmt::Display for Digest {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(resumptions: &[(u64, u64, u8)]) -> Digest {
        let mut digest = Digest::default();
        for &(at, process, kind) in resumptions {
            digest.resumption(SimTime::from_nanos(at), process, kind);
        }
        digest
    }

    #[test]
    fn time_process_kind_and_order_all_count() {
        let base = of(&[(1, 2, 3), (4, 5, 6)]);
        assert_eq!(base, of(&[(1, 2, 3), (4, 5, 6)]));
        for other in [
            &[(1, 2, 3), (5, 5, 6)][..],
            &[(1, 2, 3), (4, 6, 6)],
            &[(1, 2, 3), (4, 5, 7)],
            &[(4, 5, 6), (1, 2, 3)],
            &[(1, 2, 3)],
        ] {
            assert_ne!(base, of(other));
        }
    }

    #[test]
    fn it_prints_as_sixteen_digits() {
        assert_eq!(Digest(0xAB).to_string(), "00000000000000ab");
    }
}
