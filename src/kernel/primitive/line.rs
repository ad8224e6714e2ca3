//! Waiting lines: who waits at a primitive, in which order, and what was handed to whom.
//!
//! An entry stays in its line from the moment its wait is armed until the waiting future collects what it was handed
//! or is dropped. It is first *queued*, and *served* from the moment its wait is granted; a served entry has its place
//! in the order no more. Entries can be taken out anywhere at constant cost, so that a dropped wait leaves its queue
//! at once.

use slotmap::{SlotMap, new_key_type};

use crate::kernel::wait::WaitKey;

new_key_type! {
    /// An entry of a line.
    pub(super) struct EntryKey;
}

#[derive(Debug)]
struct Entry<T> {
    wait: WaitKey,
    item: T,
    queued: bool,
    before: Option<EntryKey>,
    behind: Option<EntryKey>,
}

/// First come, first served. `T` is what is asked for while queued and what was handed over once served.
#[derive(Debug)]
pub(super) struct Line<T> {
    entries: SlotMap<EntryKey, Entry<T>>,
    first: Option<EntryKey>,
    last: Option<EntryKey>,
    queued: usize,
}

impl<T> Line<T> {
    pub(super) fn new() -> Self {
        Line { entries: SlotMap::with_key(), first: None, last: None, queued: 0 }
    }

    /// Queued entries.
    pub(super) fn len(&self) -> usize {
        self.queued
    }

    /// Whether nobody is queued.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Joins the end of the line.
    #[inline]
    pub(super) fn join(&mut self, wait: WaitKey, item: T) -> EntryKey {
        let key = self.entries.insert(Entry { wait, item, queued: true, before: self.last, behind: None });
        match self.last {
            Some(last) => self.entries[last].behind = Some(key),
            None => self.first = Some(key),
        }
        self.last = Some(key);
        self.queued += 1;
        key
    }

    /// Whether no entry is left, queued or served.
    pub(super) fn is_forgotten(&self) -> bool {
        self.entries.is_empty()
    }

    /// The first in line and what it asks for.
    #[inline]
    pub(super) fn first(&self) -> Option<(EntryKey, &T)> {
        self.first.map(|key| (key, &self.entries[key].item))
    }

    /// All queued, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (EntryKey, &T)> {
        let mut next = self.first;
        std::iter::from_fn(move || {
            let key = next?;
            let entry = &self.entries[key];
            next = entry.behind;
            Some((key, &entry.item))
        })
    }

    /// Serves an entry: out of the order, and its owner is resumed.
    #[inline]
    pub(super) fn serve(&mut self, key: EntryKey) {
        self.unlink(key);
        self.entries[key].wait.grant();
    }

    /// Hands something to an entry and serves it.
    #[inline]
    pub(super) fn hand(&mut self, key: EntryKey, item: T) {
        self.entries[key].item = item;
        self.serve(key);
    }

    /// Takes an entry away, served or not; says whether it was still queued.
    #[inline]
    pub(super) fn leave(&mut self, key: EntryKey) -> Option<(T, bool)> {
        if self.entries.get(key)?.queued {
            self.unlink(key);
            return self.entries.remove(key).map(|entry| (entry.item, true));
        }
        self.entries.remove(key).map(|entry| (entry.item, false))
    }

    #[inline]
    fn unlink(&mut self, key: EntryKey) {
        let entry = &mut self.entries[key];
        debug_assert!(entry.queued);
        entry.queued = false;
        let (before, behind) = (entry.before, entry.behind);
        match before {
            Some(before) => self.entries[before].behind = behind,
            None => self.first = behind,
        }
        match behind {
            Some(behind) => self.entries[behind].before = before,
            None => self.last = before,
        }
        self.queued -= 1;
    }
}
