//! One entry of the event list: time, phase, sequence number and target in 128 bits, whose order as
//! an integer is the order of firing.

use crate::time::SimTime;

/// Part of an instant: at one time, everything of a lower phase fires before anything of a higher
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Occurrences: ends of holds, deliveries, wake-ups.
    Events = 0,
    /// Timers of timed waits and clock ticks: whatever occurs at the same instant wins over them.
    Timeouts = 1,
    /// Processes that asked for a closed instant with [`settle`](crate::settle).
    Decisions = 2,
    /// Observers, which see the instant after everything in it is over.
    Observations = 3,
}

/// Bits of a wait's target in a [`EventKey`].
pub(crate) const TARGET_BITS: u32 = 28;
/// Bits of a sequence number in a [`EventKey`].
pub(crate) const SEQUENCE_BITS: u32 = 34;

/// One entry of the event list; its order as an integer is the order of firing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct EventKey(u128);

impl EventKey {
    /// Below every real entry: sequence numbers begin at 1.
    pub(crate) const MIN: EventKey = EventKey(0);

    /// The end of the instant `at`: not below any real entry of that instant, and below every later
    /// one.
    pub(crate) fn end_of(at: SimTime) -> Self {
        EventKey(u128::from(at.as_nanos()) << 64 | u128::from(u64::MAX - 1))
    }

    /// Above every real entry.
    pub(crate) const MAX: EventKey = EventKey(u128::MAX);

    /// Packs an entry. `sequence` must fit 34 bits and `target` 28: the kernel renumbers before the
    /// first is reached and refuses processes beyond the second.
    #[inline]
    pub fn new(at: SimTime, phase: Phase, sequence: u64, target: u32) -> Self {
        debug_assert!(sequence < 1 << SEQUENCE_BITS && target < 1 << TARGET_BITS);
        let low = (phase as u64) << 62 | sequence << TARGET_BITS | u64::from(target);
        EventKey(u128::from(at.as_nanos()) << 64 | u128::from(low))
    }

    /// Instant at which the entry is due.
    #[inline]
    pub fn time(self) -> SimTime {
        SimTime::from_nanos((self.0 >> 64) as u64)
    }

    /// The phase of that instant in which it fires.
    #[inline]
    pub fn phase(self) -> Phase {
        match (self.0 as u64) >> 62 {
            0 => Phase::Events,
            1 => Phase::Timeouts,
            2 => Phase::Decisions,
            _ => Phase::Observations,
        }
    }

    /// The order among entries of one phase of one instant.
    #[inline]
    pub fn sequence(self) -> u64 {
        (self.0 as u64) >> TARGET_BITS & ((1 << SEQUENCE_BITS) - 1)
    }

    /// The wait that the entry resumes.
    #[inline]
    pub fn target(self) -> u32 {
        self.0 as u32 & ((1 << TARGET_BITS) - 1)
    }

    /// The same entry under another sequence number.
    pub(crate) fn renumbered(self, sequence: u64) -> Self {
        EventKey::new(self.time(), self.phase(), sequence, self.target())
    }
}

impl std::fmt::Debug for EventKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?} #{} -> {}", self.time(), self.phase(), self.sequence(), self.target())
    }
}
