//! The zero-time queues of an instant.

use super::Kind;

/// An entry of a zero-time queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) sequence: u64,
    pub(super) target: u32,
    pub(super) kind: Kind,
    /// Low bits of the process that a foreign waker woke.
    pub(super) pid: u16,
}

/// First in, first out. Cheaper than a ring: almost always empty again before it has grown.
#[derive(Debug, Default)]
pub(super) struct ZeroTimeQueue {
    due: Vec<Due>,
    served: usize,
}

impl ZeroTimeQueue {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.served == self.due.len()
    }

    #[inline]
    pub(super) fn push(&mut self, due: Due) {
        if self.due.len() == self.due.capacity() {
            self.make_room();
        }
        self.due.push(due);
    }

    /// Forgets what was served, so that a chain that never ends takes no more room.
    #[cold]
    fn make_room(&mut self) {
        if self.served > self.due.len() / 2 {
            self.due.drain(..self.served);
            self.served = 0;
        } else {
            self.due.reserve(32);
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Due> {
        let due = *self.due.get(self.served)?;
        self.served += 1;
        if self.served == self.due.len() {
            self.due.clear();
            self.served = 0;
        }
        Some(due)
    }

    /// Keeps the entries for which `keep` holds; gives how many are left.
    pub(super) fn retain(&mut self, keep: impl FnMut(&Due) -> bool) -> usize {
        self.due.drain(..self.served);
        self.served = 0;
        self.due.retain(keep);
        self.due.len()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Due> {
        self.due[self.served..].iter_mut()
    }

    pub(super) fn clear(&mut self) {
        *self = ZeroTimeQueue::default();
    }
}
