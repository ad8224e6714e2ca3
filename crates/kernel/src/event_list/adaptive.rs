//! The event list that the kernel uses: a heap while few entries are pending, runs while there are
//! many.

use super::{EventKey, QuaternaryHeap, RadixRuns};

/// A heap grows into runs above this many entries …
const GROW_AT: usize = 2_048;
/// … and runs shrink into a heap below this many.
const SHRINK_AT: usize = 512;

/// Structure that a list uses.
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

impl Default for EventList {
    fn default() -> Self {
        Self::new(ListKind::default())
    }
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

    /// Returns true if nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an entry, not earlier than the last one popped.
    ///
    /// # Complexity
    /// O(log n) in a heap, amortized O(log of the span of time) in runs.
    #[inline]
    pub fn push(&mut self, key: EventKey) {
        match &mut self.store {
            Structure::Heap(heap) => {
                if heap.replace(key) {
                    return;
                }
                heap.append(key);
                if heap.len() > GROW_AT && self.kind == ListKind::Adaptive {
                    self.grow();
                }
            }
            Structure::Runs(runs) => runs.push(key),
        }
    }

    /// Takes the least entry.
    #[inline]
    pub fn pop(&mut self) -> Option<EventKey> {
        Some(self.pop_or_max()).filter(|&key| key != EventKey::MAX)
    }

    /// [`EventList::pop`] with [`EventKey::MAX`], whose time is
    /// [`SimTime::MAX`](crate::SimTime::MAX), for nothing.
    #[inline]
    pub(crate) fn pop_or_max(&mut self) -> EventKey {
        match &mut self.store {
            Structure::Heap(heap) => heap.pop_or_max(),
            Structure::Runs(runs) => {
                let key = runs.pop_or_max();
                if runs.len() < SHRINK_AT && self.kind == ListKind::Adaptive {
                    self.shrink();
                }
                key
            }
        }
    }

    /// The least entry, left where it is.
    #[inline]
    pub fn peek(&mut self) -> Option<EventKey> {
        match &mut self.store {
            Structure::Heap(heap) => heap.peek(),
            Structure::Runs(runs) => runs.peek(),
        }
    }

    /// An entry that is likely to come up `k` pops from now, if the structure knows; for
    /// prefetching only.
    #[inline]
    pub fn ahead(&self, k: usize) -> Option<EventKey> {
        match &self.store {
            Structure::Heap(_) => None,
            Structure::Runs(runs) => runs.ahead(k),
        }
    }

    /// Keeps the entries for which `keep` holds.
    pub fn retain(&mut self, keep: impl FnMut(EventKey) -> bool) {
        match &mut self.store {
            Structure::Heap(heap) => heap.retain(keep),
            Structure::Runs(runs) => runs.retain(keep),
        }
    }

    /// Takes everything out, in no particular order.
    pub fn drain(&mut self) -> Vec<EventKey> {
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
