//! Waiting lines: the processes that wait at a primitive, in which order, and what was handed to
//! each.
//!
//! An entry stays in its line from the moment its wait is armed until the waiting future collects
//! what it was handed or is dropped. It is first *queued*, and *served* from the moment its wait is
//! granted; a served entry has its place in the order no more. Entries can be taken out anywhere at
//! constant cost, so that a dropped wait leaves its queue at once.
//!
//! The entries are a doubly linked list in a vector; a future owns the place of its entry until it
//! leaves, so places need no generations.

use crate::wait::WaitKey;

/// The place of an entry, owned by the future that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryKey(u32);

const NO_ENTRY: u32 = u32::MAX;

#[derive(Debug)]
struct Entry<T> {
    wait: WaitKey,
    item: T,
    /// Neighbours in the order while queued.
    before: u32,
    behind: u32,
    queued: bool,
}

/// First come, first served. `T` is what is asked for while queued and what was handed over once
/// served.
#[derive(Debug)]
pub(super) struct Line<T> {
    entries: Vec<Option<Entry<T>>>,
    free: Vec<u32>,
    first: u32,
    last: u32,
}

impl<T> Line<T> {
    pub(super) fn new() -> Self {
        Line { entries: Vec::new(), free: Vec::new(), first: NO_ENTRY, last: NO_ENTRY }
    }

    /// Queued entries.
    pub(super) fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns true if no entry is queued.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first == NO_ENTRY
    }

    /// Returns true if no entry is left, queued or served.
    pub(super) fn is_forgotten(&self) -> bool {
        self.free.len() == self.entries.len()
    }

    #[inline]
    fn entry(&mut self, place: u32) -> &mut Entry<T> {
        self.entries[place as usize].as_mut().expect("a place belongs to a future until it leaves the line")
    }

    /// Joins the end of the line.
    #[inline]
    pub(super) fn join(&mut self, wait: WaitKey, item: T) -> EntryKey {
        let entry = Some(Entry { wait, item, before: self.last, behind: NO_ENTRY, queued: true });
        let place = if let Some(place) = self.free.pop() {
            self.entries[place as usize] = entry;
            place
        } else {
            self.entries.push(entry);
            self.entries.len() as u32 - 1
        };
        match self.last {
            NO_ENTRY => self.first = place,
            last => self.entry(last).behind = place,
        }
        self.last = place;
        EntryKey(place)
    }

    /// The first in line and what it asks for.
    #[inline]
    pub(super) fn first(&self) -> Option<(EntryKey, &T)> {
        self.at(self.first)
    }

    #[inline]
    fn at(&self, place: u32) -> Option<(EntryKey, &T)> {
        let entry = self.entries.get(place as usize)?.as_ref()?;
        Some((EntryKey(place), &entry.item))
    }

    /// All queued, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (EntryKey, &T)> {
        let mut next = self.first;
        std::iter::from_fn(move || {
            let found = self.at(next)?;
            next = self.entries[next as usize].as_ref().map_or(NO_ENTRY, |entry| entry.behind);
            Some(found)
        })
    }

    /// Serves the first in line, if there is one.
    #[inline]
    pub(super) fn serve_first(&mut self) -> Option<&T> {
        let place = self.first as usize;
        let Some(Some(entry)) = self.entries.get_mut(place) else { return None };
        entry.queued = false;
        let (wait, behind) = (entry.wait, entry.behind);
        self.first = behind;
        match self.entries.get_mut(behind as usize) {
            Some(Some(next)) => next.before = NO_ENTRY,
            _ => self.last = NO_ENTRY,
        }
        wait.grant();
        self.entries[place].as_ref().map(|entry| &entry.item)
    }

    /// Serves an entry: out of the order, and its owner is resumed.
    #[inline]
    pub(super) fn serve(&mut self, key: EntryKey) {
        self.unlink(key.0);
        self.entry(key.0).wait.grant();
    }

    /// Hands something to an entry and serves it.
    #[inline]
    pub(super) fn hand(&mut self, key: EntryKey, item: T) {
        self.entry(key.0).item = item;
        self.serve(key);
    }

    /// Returns true if an entry is still in the order.
    #[inline]
    pub(super) fn is_queued(&self, key: EntryKey) -> bool {
        self.entries[key.0 as usize].as_ref().is_some_and(|entry| entry.queued)
    }

    /// Takes an entry away; gives what it held, and whether it was still queued.
    #[inline]
    pub(super) fn leave(&mut self, key: EntryKey) -> Option<(T, bool)> {
        let queued = self.entry(key.0).queued;
        if queued {
            self.unlink(key.0);
        }
        self.free.push(key.0);
        self.entries[key.0 as usize].take().map(|entry| (entry.item, queued))
    }

    /// Takes away an entry that was served; what it held is forgotten.
    #[inline]
    pub(super) fn collect(&mut self, key: EntryKey) {
        debug_assert!(!self.is_queued(key), "only what was served is collected");
        self.free.push(key.0);
        self.entries[key.0 as usize] = None;
    }

    #[inline]
    fn unlink(&mut self, place: u32) {
        let entry = self.entry(place);
        debug_assert!(entry.queued, "an entry leaves the order once");
        entry.queued = false;
        let (before, behind) = (entry.before, entry.behind);
        match before {
            NO_ENTRY => self.first = behind,
            before => self.entry(before).behind = behind,
        }
        match behind {
            NO_ENTRY => self.last = before,
            behind => self.entry(behind).before = before,
        }
    }
}
