//! The beginning, the upkeep and the end of a schedule: cancelled entries, sequence numbers, and up
//! to when the run goes.

use super::arming::word_of;
use super::record::{TABLE, word};
use super::zero_time::Due;
use super::{Core, Kind};
use crate::error::SimError;
use crate::event_list::{EventKey, EventList, SEQUENCE_BITS};
use crate::name::Name;
use crate::rng::Streams;
use crate::time::SimTime;

impl Core {
    pub(crate) fn new(simulation: u32, list: EventList, streams: Streams) -> Self {
        Core {
            list,
            simulation,
            streams,
            sequence_limit: (1 << SEQUENCE_BITS) - 1,
            wait_limit: TABLE,
            current: u32::MAX,
            livelock_after: 1_000_000,
            limit: EventKey::MAX,
            until: SimTime::MAX,
            ..Core::default()
        }
    }

    pub(crate) fn choose_list(&mut self, list: EventList) {
        assert!(self.list.is_empty(), "the event list is chosen before anything is scheduled");
        self.list = list;
    }

    /// The run ended at the caller's limit: that is the time now.
    pub(crate) fn reach_limit(&mut self) {
        if !self.stopped && self.until != SimTime::MAX {
            self.now = self.now.max(self.until);
        }
    }

    /// Entries of the event list, cancelled ones included.
    pub(crate) fn pending(&self) -> usize {
        self.list.len()
    }

    #[inline]
    pub(super) fn one_more_stale(&mut self) {
        self.stale += 1;
        if self.stale > 64 && self.stale * 2 > self.list.len() {
            self.sweep();
        }
    }

    /// Takes the cancelled entries out of the list.
    #[cold]
    pub(super) fn sweep(&mut self) {
        let (store, records) = (&self.store, &self.records);
        self.list
            .retain(|key| word_of(store, records, key.target()) == word::tagged(word::TIMED, key.sequence()));
        self.stale = 0;
    }

    /// Sequence numbers have run out: gives the pending entries small ones, in the same order.
    #[cold]
    pub(super) fn renumber(&mut self) {
        if self.is_bounded {
            self.exhaust("more resumptions are scheduled than it is allowed");
        }
        self.sweep();
        let mut keys = self.list.drain();
        keys.sort_unstable();
        self.sequence = 0;
        for key in keys {
            self.sequence += 1;
            self.set_word(key.target(), word::tagged(word::TIMED, self.sequence));
            self.list.push(key.renumbered(self.sequence));
        }
        // entries that were given up go first, lest one has the number that the living entry of its
        // wait is given now
        let (store, records) = (&self.store, &self.records);
        let lives = |due: &Due| {
            let granted = word::tagged(word::GRANTED, due.sequence);
            due.kind == Kind::Wake || word_of(store, records, due.target) == granted
        };
        let mut queues = [&mut self.ready, &mut self.decisions, &mut self.observations];
        self.zero_time = queues.iter_mut().map(|queue| queue.retain(lives)).sum();
        for due in queues.iter_mut().flat_map(|queue| queue.iter_mut()) {
            self.sequence += 1;
            due.sequence = self.sequence;
            let renewed = word::tagged(word::GRANTED, self.sequence);
            if due.kind == Kind::Wake {
                // looked up by its process
            } else if due.target & TABLE == 0 {
                self.store.set_word(due.target, renewed);
            } else {
                self.records[(due.target & !TABLE) as usize].word = renewed;
            }
        }
    }

    /// Ends the run with an error: nothing fires any more, not even at the present instant.
    pub(crate) fn fail(&mut self, error: SimError) {
        self.error.get_or_insert(error);
        self.ready.clear();
        self.decisions.clear();
        self.observations.clear();
        self.zero_time = 0;
        self.list_served = false;
        self.update_limit();
    }

    /// A place for a process whose future has so many bytes; `None`, and the run ends, if there is
    /// no memory for it.
    #[inline]
    pub(crate) fn place(&mut self, size: usize) -> Option<u32> {
        let slot = self.store.cut(size);
        if slot.is_none() {
            self.exhaust("its processes need more than 2 GiB of memory at once");
        }
        slot
    }

    /// Ends the run because it needs more of something than there is.
    #[cold]
    pub(crate) fn exhaust(&mut self, limit: &'static str) {
        if self.error.is_some() {
            return;
        }
        let mut counts = vec![0_usize; self.kinds.len()];
        for slot in self.store.alive() {
            counts[self.store.name(slot).0 as usize] += 1;
        }
        let processes = counts.iter().sum();
        let most = (0..counts.len()).rev().max_by_key(|&kind| counts[kind]);
        let (kind, count) = most.map_or(("none", 0), |kind| (self.kinds[kind], counts[kind]));
        self.fail(SimError::Exhausted { at: self.now, limit, processes, kind, count });
    }

    /// Ends the run when the present instant is over.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
        self.update_limit();
    }

    /// Says up to when entries fire. A run that has nothing left to wait for still closes the
    /// present instant.
    pub(crate) fn update_limit(&mut self) {
        self.limit = if self.error.is_some() {
            EventKey::MIN
        } else if self.stops() {
            EventKey::end_of(self.until.min(self.now))
        } else {
            // nothing happens at the last instant, which is never
            EventKey::end_of(self.until.min(SimTime::from_nanos(u64::MAX - 1)))
        };
    }

    /// Returns true if the run ends with the present instant.
    pub(super) fn stops(&self) -> bool {
        self.stopped || self.live == 0
    }

    /// A process ended before its first resumption.
    pub(crate) fn forget_start(&mut self, slot: u32) -> u64 {
        self.store.set_word(slot, word::FREE);
        word::FREE
    }

    pub(crate) fn name(&self, slot: u32) -> Name {
        if slot == u32::MAX {
            return Name::from("the caller");
        }
        let (kind, index) = self.store.name(slot);
        Name::stored(self.kinds[kind as usize], index)
    }
}
