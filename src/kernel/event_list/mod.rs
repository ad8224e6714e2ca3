//! The event list: what is due, in the order in which it fires.
//!
//! An entry is one 128-bit [`Key`]: time, phase, sequence number and the wait it resumes. Packed like this an
//! entry takes 16 bytes, a comparison is one wide integer compare, and four children of a heap node fill one
//! cache line. Two structures keep the same order:
//!
//! - [`QuaternaryHeap`]: least overhead while few entries are pending;
//! - [`RadixRuns`]: insensitive to the number pending and to the distribution of the increments, and it knows
//!   its next entries ahead, so that the executor can prefetch their processes.
//!
//! [`EventList`] begins as the one and turns into the other as it grows and shrinks; `DESIGN.md` has the
//! measurements behind the thresholds and the structures that were not taken (binary heap, ladder, calendar).
//!
//! A cancelled timer stays in the list until it comes up or until the cancelled ones outnumber the others, when
//! [`EventList::retain`] sweeps them out: constant amortized cost, and no memory held by far time-outs that
//! never fire.

mod quaternary_heap;
mod radix_runs;

pub use quaternary_heap::QuaternaryHeap;
pub use radix_runs::RadixRuns;

use super::time::SimTime;

/// Part of an instant: at one time, everything of a lower phase fires before anything of a higher one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Occurrences: ends of holds, deliveries, wake-ups.
    Events = 0,
    /// Timers of timed waits and clock ticks: whatever occurs at the same instant wins over them.
    Timeouts = 1,
    /// Processes that asked for a closed instant with [`settle`](crate::kernel::settle).
    Decisions = 2,
    /// Observers, which see the instant after everything in it is over.
    Observations = 3,
}

/// Bits of a wait's target in a [`Key`].
pub(in crate::kernel) const TARGET_BITS: u32 = 28;
/// Bits of a sequence number in a [`Key`].
pub(in crate::kernel) const SEQUENCE_BITS: u32 = 34;

/// One entry of the event list; its order as an integer is the order of firing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// Above every real entry.
    pub(super) const MAX: Key = Key(u128::MAX);

    /// Packs an entry. `sequence` must fit 34 bits and `target` 28: the kernel renumbers before the first is
    /// reached and refuses processes beyond the second.
    #[inline]
    pub fn new(at: SimTime, phase: Phase, sequence: u64, target: u32) -> Self {
        debug_assert!(sequence < 1 << SEQUENCE_BITS && target < 1 << TARGET_BITS);
        let low = (phase as u64) << 62 | sequence << TARGET_BITS | u64::from(target);
        Key(u128::from(at.as_nanos()) << 64 | u128::from(low))
    }

    /// When the entry is due.
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
    pub(in crate::kernel) fn renumbered(self, sequence: u64) -> Self {
        Key::new(self.time(), self.phase(), sequence, self.target())
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?} #{} -> {}", self.time(), self.phase(), self.sequence(), self.target())
    }
}

/// A heap grows into runs above this many entries …
const GROW_AT: usize = 2_048;
/// … and runs shrink into a heap below this many.
const SHRINK_AT: usize = 512;

/// Which structure a list uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ListKind {
    /// A heap while few entries are pending, runs while there are many.
    #[default]
    Adaptive,
    /// Always the 4-ary heap.
    Heap,
    /// Always the radix runs.
    Runs,
}

/// The pending entries of a simulation.
#[derive(Debug)]
pub struct EventList {
    kind: ListKind,
    store: Structure,
}

#[derive(Debug)]
enum Structure {
    Heap(QuaternaryHeap),
    Runs(Box<RadixRuns>),
}

impl EventList {
    /// An empty list.
    pub fn new(kind: ListKind) -> Self {
        let store = match kind {
            ListKind::Adaptive | ListKind::Heap => Structure::Heap(QuaternaryHeap::new()),
            ListKind::Runs => Structure::Runs(Box::default()),
        };
        EventList { kind, store }
    }

    /// Entries in the list, cancelled ones included.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.store {
            Structure::Heap(heap) => heap.len(),
            Structure::Runs(runs) => runs.len(),
        }
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an entry, not earlier than the last one popped.
    ///
    /// # Complexity
    /// O(log n) in a heap, amortized O(log of the span of time) in runs.
    #[inline]
    pub fn push(&mut self, key: Key) {
        match &mut self.store {
            Structure::Heap(heap) => {
                if heap.replace(key) {
                    return;
                }
                heap.push(key);
                if heap.len() > GROW_AT && self.kind == ListKind::Adaptive {
                    self.grow();
                }
            }
            Structure::Runs(runs) => runs.push(key),
        }
    }

    /// Takes the least entry.
    #[inline]
    pub fn pop(&mut self) -> Option<Key> {
        match &mut self.store {
            Structure::Heap(heap) => heap.pop(),
            Structure::Runs(runs) => {
                let key = runs.pop();
                if runs.len() < SHRINK_AT && self.kind == ListKind::Adaptive {
                    self.shrink();
                }
                key
            }
        }
    }

    /// The least entry, left where it is.
    #[inline]
    pub fn peek(&mut self) -> Option<Key> {
        match &mut self.store {
            Structure::Heap(heap) => heap.peek(),
            Structure::Runs(runs) => runs.peek(),
        }
    }

    /// An entry that is likely to come up `k` pops from now, if the structure knows; for prefetching only.
    #[inline]
    pub fn ahead(&self, k: usize) -> Option<Key> {
        match &self.store {
            Structure::Heap(_) => None,
            Structure::Runs(runs) => runs.ahead(k),
        }
    }

    /// Keeps the entries for which `keep` holds.
    pub fn retain(&mut self, keep: impl FnMut(Key) -> bool) {
        match &mut self.store {
            Structure::Heap(heap) => heap.retain(keep),
            Structure::Runs(runs) => runs.retain(keep),
        }
    }

    /// Takes everything out, in no particular order.
    pub fn drain(&mut self) -> Vec<Key> {
        let mut keys = Vec::with_capacity(self.len());
        self.retain(|key| {
            keys.push(key);
            false
        });
        keys
    }

    #[cold]
    fn grow(&mut self) {
        let keys = self.drain();
        let mut runs = Box::new(RadixRuns::new());
        keys.into_iter().for_each(|key| runs.push(key));
        self.store = Structure::Runs(runs);
    }

    #[cold]
    fn shrink(&mut self) {
        let keys = self.drain();
        let mut heap = QuaternaryHeap::new();
        keys.into_iter().for_each(|key| heap.push(key));
        self.store = Structure::Heap(heap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(at: u64, phase: Phase, sequence: u64) -> Key {
        Key::new(SimTime::from_nanos(at), phase, sequence, 7)
    }

    #[test]
    fn a_key_gives_back_its_parts_and_orders_by_time_then_phase_then_sequence() {
        let k = Key::new(SimTime::MAX, Phase::Timeouts, (1 << SEQUENCE_BITS) - 1, (1 << TARGET_BITS) - 1);
        assert_eq!(k.time(), SimTime::MAX);
        assert_eq!(k.phase(), Phase::Timeouts);
        assert_eq!(k.sequence(), (1 << SEQUENCE_BITS) - 1);
        assert_eq!(k.target(), (1 << TARGET_BITS) - 1);
        assert!(key(1, Phase::Observations, 9) < key(2, Phase::Events, 1));
        assert!(key(1, Phase::Events, 9) < key(1, Phase::Timeouts, 1));
        assert!(key(1, Phase::Events, 1) < key(1, Phase::Events, 2));
    }

    #[derive(Clone, Debug)]
    enum Op {
        Push(u64, u8),
        Pop,
        Peek,
        Retain(u64),
    }

    fn ops() -> impl Strategy<Value = Vec<Op>> {
        let increment =
            prop_oneof![Just(0_u64), 0..4_u64, 0..1_000_u64, 0..u64::from(u32::MAX), Just(1 << 40)];
        let op = prop_oneof![
            6 => (increment, 0..4_u8).prop_map(|(d, p)| Op::Push(d, p)),
            4 => Just(Op::Pop),
            1 => Just(Op::Peek),
            1 => (1..50_u64).prop_map(Op::Retain),
        ];
        prop::collection::vec(op, 1..600)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 256 }))]
        #[test]
        fn every_structure_pops_what_a_sorted_vector_pops(ops in ops(), crowd in 0..3_000_u64) {
            for kind in [ListKind::Heap, ListKind::Runs, ListKind::Adaptive] {
                let mut list = EventList::new(kind);
                let mut sorted: Vec<Key> = Vec::new();
                let (mut now, mut sequence) = (0, 0);
                let mut push = |list: &mut EventList, sorted: &mut Vec<Key>, at: u64, phase: u8| {
                    sequence += 1;
                    let phase = [Phase::Events, Phase::Timeouts, Phase::Decisions, Phase::Observations][phase as usize];
                    let k = Key::new(SimTime::from_nanos(at), phase, sequence, sequence as u32);
                    list.push(k);
                    sorted.insert(sorted.partition_point(|x| *x < k), k);
                };
                for i in 0..crowd {
                    push(&mut list, &mut sorted, i * 7919 % 10_007, 0);
                }
                for op in &ops {
                    match op {
                        Op::Push(d, phase) => push(&mut list, &mut sorted, now + d, *phase),
                        Op::Pop => {
                            let expected = if sorted.is_empty() { None } else { Some(sorted.remove(0)) };
                            prop_assert_eq!(list.pop(), expected);
                            now = expected.map_or(now, |k| k.time().as_nanos());
                        }
                        Op::Peek => prop_assert_eq!(list.peek(), sorted.first().copied()),
                        Op::Retain(m) => {
                            list.retain(|k| k.sequence() % m != 0);
                            sorted.retain(|k| k.sequence() % m != 0);
                        }
                    }
                    prop_assert_eq!(list.len(), sorted.len());
                }
                while let Some(k) = list.pop() {
                    prop_assert_eq!(k, sorted.remove(0));
                }
                prop_assert!(sorted.is_empty());
            }
        }
    }
}
