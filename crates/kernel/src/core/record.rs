//! Wait records: their states, and the table of those that do not lie in the head of a process.

use crate::name::flag;

/// Set in a target that names a record of the table, clear in one that names a process.
pub(crate) const TABLE: u32 = 1 << 27;

/// States of a wait's word: a tag in the low three bits, a sequence number above.
pub(crate) mod word {
    pub(crate) const FREE: u64 = 0;
    pub(crate) const QUEUED: u64 = 1;
    pub(crate) const FIRED: u64 = 2;
    pub(crate) const TIMED: u64 = 3;
    pub(crate) const GRANTED: u64 = 4;

    #[inline]
    pub(crate) fn tagged(tag: u64, sequence: u64) -> u64 {
        sequence << 3 | tag
    }

    #[inline]
    pub(crate) fn tag(word: u64) -> u64 {
        word & 7
    }
}

/// A wait of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) word: u64,
    /// The process that is resumed when it fires: its place in the low bits, its number in the high
    /// half; and flags.
    pub(super) owner: u64,
}

impl Record {
    /// The owner is a waker in `foreign`.
    pub(super) const FOREIGN: u64 = 1 << 28;
    pub(super) const BACKGROUND: u64 = 1 << 29;

    #[inline]
    pub(super) fn owner(slot: u32, id: u64) -> u64 {
        id >> flag::BITS << 32 | u64::from(slot)
    }

    #[inline]
    pub(super) fn slot(self) -> u32 {
        self.owner as u32 & (TABLE - 1)
    }

    #[inline]
    pub(super) fn is_special(self) -> bool {
        self.owner & (Record::FOREIGN | Record::BACKGROUND) != 0
    }
}
