//! A map in the order of its keys, of little code.
//!
//! Entries lie in a list of sorted blocks of some 4 kB each. A search halves the blocks, then one
//! block; an insertion or a removal moves the rest of one block. The standard `BTreeMap` is
//! compiled to six times the code for each type, and the crate has some 300 of them
//! (docs/performance.md).

mod entry;
mod iter;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt::{self, Debug, Formatter};
use std::ops::{Bound, Index, RangeBounds};

pub use entry::{Entry, OccupiedEntry, VacantEntry};
use iter::{Block, Position};
pub use iter::{IntoIter, Iter, IterMut, Range, RangeMut};

/// Bytes that the entries of a full block take, about.
const BYTES: usize = 4096;

/// A map whose entries are in the order of their keys.
///
/// It has the methods of [`std::collections::BTreeMap`] that the simulator uses, with the same
/// meaning.
///
/// # Complexity
/// A search takes O(log n) comparisons; an insertion or a removal also moves at most 4 kB of
/// entries (at most 16 entries where these are larger than 256 bytes).
#[derive(Clone)]
pub struct OrderedMap<K, V> {
    /// None is empty; keys ascend in a block and from block to block.
    blocks: Vec<Block<K, V>>,
    len: usize,
}

impl<K, V> OrderedMap<K, V> {
    /// Entries of a full block.
    const FULL: usize = {
        let fit = BYTES / if size_of::<(K, V)>() == 0 { 1 } else { size_of::<(K, V)>() };
        if fit < 16 {
            16
        } else if fit > 256 {
            256
        } else {
            fit
        }
    };

    /// An empty map; it allocates nothing.
    pub const fn new() -> Self {
        OrderedMap { blocks: Vec::new(), len: 0 }
    }

    /// Number of entries.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no entries.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.len = 0;
    }

    /// The entries, by key.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter::new(&self.blocks, self.len)
    }

    /// The entries, by key, with values that can be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut::new(&mut self.blocks, self.len)
    }

    /// The keys, in their order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// The values, in the order of their keys, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// The keys alone, in their order.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.into_iter().map(|(key, _)| key)
    }

    /// The values alone, in the order of their keys.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.into_iter().map(|(_, value)| value)
    }

    /// The entry with the least key.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.blocks.first().map(|block| (&block[0].0, &block[0].1))
    }

    /// The position of the entry with the least key.
    pub fn first_entry(&mut self) -> Option<OccupiedEntry<'_, K, V>> {
        (self.len > 0).then(|| OccupiedEntry::new(self, (0, 0)))
    }

    /// Removes the entry with the least key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        (self.len > 0).then(|| self.remove_at((0, 0)))
    }

    /// Keeps the entries of which `keep` says so, asked in the order of their keys.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        for block in &mut self.blocks {
            block.retain_mut(|(key, value)| keep(key, value));
        }
        self.without_empty_blocks();
    }

    /// Removes the entries of which `which` says so, asked in the order of their keys, and returns
    /// them.
    #[must_use]
    pub fn extract_if(&mut self, mut which: impl FnMut(&K, &mut V) -> bool) -> Self {
        let mut extracted = OrderedMap::new();
        for block in &mut self.blocks {
            extracted.blocks.push(block.extract_if(.., |(key, value)| which(key, value)).collect());
        }
        self.without_empty_blocks();
        extracted.without_empty_blocks();
        extracted
    }

    /// Removes blocks that became empty, and counts the entries of the others.
    fn without_empty_blocks(&mut self) {
        self.blocks.retain(|block| !block.is_empty());
        self.len = self.blocks.iter().map(Vec::len).sum();
    }

    /// Puts an entry at its position, and returns where it is then.
    fn insert_at(&mut self, (mut block, mut index): Position, key: K, value: V) -> Position {
        if self.blocks.is_empty() {
            self.blocks.push(Vec::new());
        } else if block == self.blocks.len() {
            block -= 1;
            index = self.blocks[block].len();
        }
        if self.blocks[block].len() == Self::FULL {
            // what is appended leaves full blocks behind
            let kept = if index == Self::FULL { index } else { Self::FULL / 2 };
            let rest = self.blocks[block].split_off(kept);
            self.blocks.insert(block + 1, rest);
            if index >= kept {
                (block, index) = (block + 1, index - kept);
            }
        }
        self.blocks[block].insert(index, (key, value));
        self.len += 1;
        (block, index)
    }

    /// Removes the entry at a position that has one.
    fn remove_at(&mut self, (block, index): Position) -> (K, V) {
        self.len -= 1;
        let removed = self.blocks[block].remove(index);
        let left = self.blocks[block].len();
        if left == 0 {
            self.blocks.remove(block);
        } else if left < Self::FULL / 4 {
            self.join_with_next(block);
            if block > 0 {
                self.join_with_next(block - 1);
            }
        }
        removed
    }

    /// Makes one block of two that have few entries together.
    fn join_with_next(&mut self, block: usize) {
        let entries = self.blocks[block].len();
        if self.blocks.get(block + 1).is_some_and(|next| entries + next.len() <= Self::FULL / 2) {
            let mut next = self.blocks.remove(block + 1);
            self.blocks[block].append(&mut next);
        }
    }

    /// The least position that has an entry, from this one on.
    fn normalized(&self, (block, index): Position) -> Position {
        if self.blocks.get(block).is_some_and(|entries| index == entries.len()) {
            (block + 1, 0)
        } else {
            (block, index)
        }
    }
}

impl<K: Ord, V> OrderedMap<K, V> {
    /// The position of the first entry whose key is not below `key`, and whether it has this key.
    fn search<Q: Ord + ?Sized>(&self, key: &Q) -> (Position, bool)
    where
        K: Borrow<Q>,
    {
        // the first block whose last key is not below
        let (mut block, mut end) = (0, self.blocks.len());
        while block < end {
            let middle = block.midpoint(end);
            let entries = &self.blocks[middle];
            match entries[entries.len() - 1].0.borrow().cmp(key) {
                Ordering::Less => block = middle + 1,
                Ordering::Equal => return ((middle, entries.len() - 1), true),
                Ordering::Greater => end = middle,
            }
        }
        let Some(entries) = self.blocks.get(block) else { return ((block, 0), false) };
        let (mut index, mut end) = (0, entries.len());
        while index < end {
            let middle = index.midpoint(end);
            match entries[middle].0.borrow().cmp(key) {
                Ordering::Less => index = middle + 1,
                Ordering::Equal => return ((block, middle), true),
                Ordering::Greater => end = middle,
            }
        }
        ((block, index), false)
    }

    /// Between which positions the keys of a range are.
    fn bounds<Q: Ord + ?Sized>(&self, range: &impl RangeBounds<Q>) -> (Position, Position)
    where
        K: Borrow<Q>,
    {
        let at = |bound: Bound<&Q>, unbounded: Position, after: bool| match bound {
            Bound::Unbounded => unbounded,
            Bound::Included(key) | Bound::Excluded(key) => {
                let ((block, index), found) = self.search(key);
                let beyond = found && matches!(bound, Bound::Included(_)) == after;
                self.normalized((block, index + usize::from(beyond)))
            }
        };
        let begin = at(range.start_bound(), (0, 0), false);
        let end = at(range.end_bound(), (self.blocks.len(), 0), true);
        (begin, end.max(begin))
    }

    /// The value of a key.
    #[inline]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        // many maps of a run stay empty: nothing is called for them
        if self.len == 0 {
            return None;
        }
        let ((block, index), found) = self.search(key);
        found.then(|| &self.blocks[block][index].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let ((block, index), found) = self.search(key);
        found.then(|| &mut self.blocks[block][index].1)
    }

    /// A key as it was inserted, with its value.
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        let ((block, index), found) = self.search(key);
        found.then(|| {
            let (key, value) = &self.blocks[block][index];
            (key, value)
        })
    }

    /// Returns true if a key is there.
    #[inline]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.len > 0 && self.search(key).1
    }

    /// Sets the value of a key, and returns the one before it.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let ((block, index), found) = self.search(&key);
        if found {
            return Some(std::mem::replace(&mut self.blocks[block][index].1, value));
        }
        self.insert_at((block, index), key, value);
        None
    }

    /// Removes a key, and returns its value.
    #[inline]
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        if self.len == 0 {
            return None;
        }
        let (position, found) = self.search(key);
        found.then(|| self.remove_at(position).1)
    }

    /// The position of a key, to look at, fill or empty.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let (position, found) = self.search(&key);
        Entry::new(self, key, position, found)
    }

    /// The entries with keys in a range, by key.
    pub fn range<Q: Ord + ?Sized>(&self, range: impl RangeBounds<Q>) -> Range<'_, K, V>
    where
        K: Borrow<Q>,
    {
        Range::new(&self.blocks, self.bounds(&range))
    }

    /// The entries with keys in a range, by key, with values that can be changed.
    pub fn range_mut<Q: Ord + ?Sized>(&mut self, range: impl RangeBounds<Q>) -> RangeMut<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let bounds = self.bounds(&range);
        RangeMut::new(&mut self.blocks, bounds)
    }
}

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        OrderedMap::new()
    }
}

impl<K: Debug, V: Debug> Debug for OrderedMap<K, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for OrderedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for OrderedMap<K, V> {}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> Index<&Q> for OrderedMap<K, V> {
    type Output = V;

    /// # Panics
    /// The key is not there.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map has this key")
    }
}

impl<K: Ord, V> Extend<(K, V)> for OrderedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        entries.into_iter().for_each(|(key, value)| {
            self.insert(key, value);
        });
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for OrderedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = OrderedMap::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for OrderedMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K, V> IntoIterator for OrderedMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter::new(self.blocks, self.len)
    }
}

impl<'a, K, V> IntoIterator for &'a OrderedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut OrderedMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;

    fn into_iter(self) -> IterMut<'a, K, V> {
        self.iter_mut()
    }
}

impl<K: serde::Serialize, V: serde::Serialize> serde::Serialize for OrderedMap<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, K: serde::Deserialize<'de> + Ord, V: serde::Deserialize<'de>> serde::Deserialize<'de>
    for OrderedMap<K, V>
{
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::collections::BTreeMap::deserialize(deserializer).map(|map| map.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
