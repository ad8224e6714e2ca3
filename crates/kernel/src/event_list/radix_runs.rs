//! A monotone radix heap that serves small buckets as sorted runs.
//!
//! Nothing is ever pushed before the last entry popped, so an entry can be filed by the highest bit
//! in which its time differs from a reference time: 65 buckets, each holding a range of times that
//! lies after all lower ones. When entries are needed, the lowest bucket is taken: a small one is
//! sorted once and served as a *run*; a large one is filed again against its own least time, which
//! moves every entry to a lower bucket. Each entry is therefore moved at most 64 times, in practice
//! twice.
//!
//! What is pushed into the range of the run in service is inserted from its back; where that would
//! move many entries it goes to a small heap next to the run, and a run that attracts too many of
//! those is filed again.

use super::{EventKey, QuaternaryHeap};

/// A bucket of at most this many entries is served as a run.
const RUN: usize = 64;
/// An insertion moves at most this many entries of the run.
const SHIFT: usize = 48;
/// The run is filed again when the heap holds this many.
const MOST_IN_HEAP: usize = 256;

/// See the [module](self).
#[derive(Debug)]
pub struct RadixRuns {
    buckets: Vec<Vec<EventKey>>,
    /// Bit `k` is set while bucket `k` is not empty.
    filled: u128,
    /// The run in service, in order; served up to `served`.
    run: Vec<EventKey>,
    served: usize,
    /// Entries due in the run's range that would have moved too many others.
    heap: QuaternaryHeap,
    /// Times are filed by the highest bit in which they differ from this one [ns].
    reference: u64,
    /// The run's range ends before this time [ns]; what is due later is in a bucket.
    end: u64,
    len: usize,
}

impl Default for RadixRuns {
    fn default() -> Self {
        Self::new()
    }
}

impl RadixRuns {
    /// An empty list.
    pub fn new() -> Self {
        RadixRuns {
            buckets: vec![Vec::new(); 65],
            filled: 0,
            run: Vec::with_capacity(4 * RUN),
            served: 0,
            heap: QuaternaryHeap::new(),
            reference: 0,
            end: 0,
            len: 0,
        }
    }

    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an entry, not earlier than the last one popped.
    #[inline]
    pub fn push(&mut self, key: EventKey) {
        self.len += 1;
        if key.time().as_nanos() >= self.end {
            self.file(key);
        } else {
            self.insert(key);
        }
    }

    /// Takes the least entry.
    #[inline]
    pub fn pop(&mut self) -> Option<EventKey> {
        if self.served == self.run.len() || !self.heap.is_empty() {
            return self.pop_slow();
        }
        let key = self.run[self.served];
        self.served += 1;
        self.len -= 1;
        Some(key)
    }

    /// [`RadixRuns::pop`] with the greatest key for nothing.
    #[inline]
    pub(super) fn pop_or_max(&mut self) -> EventKey {
        self.pop().unwrap_or(EventKey::MAX)
    }

    #[cold]
    fn pop_slow(&mut self) -> Option<EventKey> {
        let key = self.peek()?;
        if self.run.get(self.served) == Some(&key) {
            self.served += 1;
        } else {
            self.heap.pop();
        }
        self.len -= 1;
        Some(key)
    }

    /// The least entry, left where it is.
    #[inline]
    pub fn peek(&mut self) -> Option<EventKey> {
        if self.served == self.run.len() && self.heap.is_empty() {
            if self.len == 0 {
                return None;
            }
            self.refill();
        }
        match (self.run.get(self.served).copied(), self.heap.peek()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The entry `k` places behind the next one in the run in service.
    #[inline]
    pub fn ahead(&self, k: usize) -> Option<EventKey> {
        self.run.get(self.served + k).copied()
    }

    /// Keeps the entries for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(EventKey) -> bool) {
        self.run.drain(..self.served);
        self.served = 0;
        self.run.retain(|&key| keep(key));
        self.heap.retain(&mut keep);
        self.len = self.run.len() + self.heap.len();
        self.filled = 0;
        for (k, bucket) in self.buckets.iter_mut().enumerate() {
            bucket.retain(|&key| keep(key));
            self.len += bucket.len();
            self.filled |= u128::from(!bucket.is_empty()) << k;
        }
    }

    #[inline]
    fn file(&mut self, key: EventKey) {
        let k = 64 - (key.time().as_nanos() ^ self.reference).leading_zeros() as usize;
        self.filled |= 1 << k;
        self.buckets[k].push(key);
    }

    #[inline]
    fn insert(&mut self, key: EventKey) {
        if self.run.len() == self.run.capacity() && self.served > self.run.len() / 2 {
            // a run that is never exhausted must not grow
            self.run.drain(..self.served);
            self.served = 0;
        }
        let lowest = self.served.max(self.run.len().saturating_sub(SHIFT));
        let mut place = self.run.len();
        while place > lowest && key < self.run[place - 1] {
            place -= 1;
        }
        if place == lowest && place > self.served && key < self.run[place - 1] {
            self.insert_into_heap(key);
        } else {
            self.run.insert(place, key);
        }
    }

    #[cold]
    fn insert_into_heap(&mut self, key: EventKey) {
        self.heap.push(key);
        if self.heap.len() > MOST_IN_HEAP && self.end - self.reference > 1 {
            let mut keys: Vec<EventKey> = self.run.drain(..).skip(self.served).collect();
            while let Some(key) = self.heap.pop() {
                keys.push(key);
            }
            self.served = 0;
            let least = keys.iter().map(|key| key.time().as_nanos()).min().unwrap_or(self.reference);
            if least < self.reference {
                // a look at the next entry had moved the reference ahead of the clock: the buckets
                // were filed against a time that is not the least one any more
                self.buckets.iter_mut().for_each(|bucket| keys.append(bucket));
                self.filled = 0;
            }
            self.reference = least;
            self.end = least;
            keys.into_iter().for_each(|key| self.file(key));
        }
    }

    #[cold]
    fn refill(&mut self) {
        self.run.clear();
        self.served = 0;
        loop {
            let k = self.filled.trailing_zeros() as usize;
            self.filled &= !(1 << k);
            let mut bucket = std::mem::take(&mut self.buckets[k]);
            if bucket.len() <= RUN || k == 0 {
                std::mem::swap(&mut self.run, &mut bucket);
                self.buckets[k] = bucket;
                self.run.sort_unstable();
                let least = self.run[0].time().as_nanos();
                self.reference = least;
                // all times of bucket k agree from bit k up; those that differ lie beyond its range
                self.end = match k {
                    0 => least.saturating_add(1),
                    _ => (least >> (k - 1))
                        .checked_add(1)
                        .and_then(|x| x.checked_shl(k as u32 - 1))
                        .unwrap_or(0),
                };
                if self.end <= least {
                    self.end = u64::MAX;
                }
                return;
            }
            self.reference = bucket.iter().map(|key| key.time().as_nanos()).min().unwrap_or(self.reference);
            bucket.drain(..).for_each(|key| self.file(key));
            self.buckets[k] = bucket;
        }
    }
}
