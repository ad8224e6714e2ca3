//! A 4-ary implicit heap whose sibling groups are cache lines.
//!
//! Elements sit in groups of four, aligned to 64 bytes. The root is the last element of group 0,
//! and the children of the element at position `p` are group `p - 2`; places not in use hold the
//! greatest key, so that the least of a group is always taken over four elements without a branch.
//!
//! A pop leaves its hole at the root: the push that usually follows in the same step fills it with
//! one sift in place of two.

use super::EventKey;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Group([EventKey; 4]);

const EMPTY: Group = Group([EventKey::MAX; 4]);

/// Position of the root.
const ROOT: usize = 3;

/// See the [module](self).
#[derive(Debug)]
pub struct QuaternaryHeap {
    groups: Vec<Group>,
    /// One past the last position in use, the hole included.
    end: usize,
    /// True if the root was taken and not yet replaced.
    hole: bool,
}

impl Default for QuaternaryHeap {
    fn default() -> Self {
        Self::new()
    }
}

impl QuaternaryHeap {
    /// An empty heap.
    pub fn new() -> Self {
        QuaternaryHeap { groups: vec![EMPTY; 2], end: ROOT, hole: false }
    }

    /// Number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - ROOT - usize::from(self.hole)
    }

    /// Returns true if there are no entries.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts an entry in the hole that the last pop left, if it is still there.
    #[inline]
    pub fn replace(&mut self, key: EventKey) -> bool {
        let hole = std::mem::take(&mut self.hole);
        if hole {
            self.sift_down(key);
        }
        hole
    }

    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, key: EventKey) {
        if !self.replace(key) {
            self.append(key);
        }
    }

    /// Adds an entry while there is no hole.
    #[inline]
    pub(super) fn append(&mut self, key: EventKey) {
        debug_assert!(!self.hole);
        let place = self.end;
        self.end += 1;
        if place >> 2 == self.groups.len() {
            self.groups.push(EMPTY);
        }
        self.sift_up(place, key);
    }

    /// Takes the least entry and leaves a hole in its place.
    #[inline]
    pub fn pop(&mut self) -> Option<EventKey> {
        Some(self.pop_or_max()).filter(|&key| key != EventKey::MAX)
    }

    /// [`QuaternaryHeap::pop`] with the greatest key for nothing: a place not in use holds it
    /// anyway.
    #[inline]
    pub(super) fn pop_or_max(&mut self) -> EventKey {
        if self.hole {
            self.fill_hole();
        }
        self.hole = self.end != ROOT;
        self.groups[0].0[ROOT]
    }

    /// The least entry, left where it is.
    #[inline]
    pub fn peek(&self) -> Option<EventKey> {
        if self.is_empty() {
            return None;
        }
        if !self.hole {
            return Some(self.groups[0].0[ROOT]);
        }
        // the least of the root's children, with the hole left open for the next push
        let Group([a, b, c, d]) = self.groups[1];
        Some(a.min(b).min(c.min(d)))
    }

    /// Keeps the entries for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(EventKey) -> bool) {
        self.fill_hole();
        let mut kept = Vec::new();
        for place in ROOT..self.end {
            let key = self.groups[place >> 2].0[place & 3];
            if keep(key) {
                kept.push(key);
            }
        }
        // a sorted array is a heap
        kept.sort_unstable();
        self.groups.clear();
        self.groups.resize((ROOT + kept.len()).div_ceil(4).max(2), EMPTY);
        self.end = ROOT + kept.len();
        for (place, key) in (ROOT..).zip(kept) {
            self.groups[place >> 2].0[place & 3] = key;
        }
    }

    fn fill_hole(&mut self) {
        if self.hole {
            self.hole = false;
            self.end -= 1;
            let last = self.take(self.end);
            if self.end > ROOT {
                self.sift_down(last);
            }
        }
    }

    #[inline]
    fn take(&mut self, place: usize) -> EventKey {
        std::mem::replace(&mut self.groups[place >> 2].0[place & 3], EventKey::MAX)
    }

    #[inline]
    fn sift_up(&mut self, mut place: usize, key: EventKey) {
        while place > ROOT {
            let parent = (place >> 2) + 2;
            let above = self.groups[parent >> 2].0[parent & 3];
            if key >= above {
                break;
            }
            self.groups[place >> 2].0[place & 3] = above;
            place = parent;
        }
        self.groups[place >> 2].0[place & 3] = key;
    }

    /// Moves `key` from the root to where it belongs.
    #[inline]
    fn sift_down(&mut self, key: EventKey) {
        let mut place = ROOT;
        while let Some(&Group([a, b, c, d])) = self.groups.get(place - 2) {
            let (left, i) = if b < a { (b, 1) } else { (a, 0) };
            let (right, j) = if d < c { (d, 3) } else { (c, 2) };
            let (least, child) = if right < left { (right, j) } else { (left, i) };
            if least >= key {
                break;
            }
            self.groups[place >> 2].0[place & 3] = least;
            place = ((place - 2) << 2) + child;
        }
        self.groups[place >> 2].0[place & 3] = key;
    }
}
