//! Arming and granting of waits: free → queued, timed or granted.

use std::task::Waker;

use super::record::{Record, TABLE, word};
use super::zero_time::{Due, ZeroTimeQueue};
use super::{Caller, Core, Kind};
use crate::error::SimError;
use crate::event_list::{EventKey, Phase};
use crate::executor::Store;
use crate::time::{SimDuration, SimTime};

/// The state of a wait, wherever its record lies.
#[inline]
pub(super) fn word_of(store: &Store, records: &[Record], target: u32) -> u64 {
    if target & TABLE == 0 { store.word(target) } else { records[(target & !TABLE) as usize].word }
}

impl Core {
    #[inline]
    pub(crate) fn word(&self, target: u32) -> u64 {
        word_of(&self.store, &self.records, target)
    }

    #[inline]
    pub(super) fn set_word(&mut self, target: u32, word: u64) {
        if target & TABLE == 0 {
            self.store.set_word(target, word);
        } else {
            self.records[(target & !TABLE) as usize].word = word;
        }
    }

    #[inline]
    pub(super) fn next_sequence(&mut self) -> u64 {
        if self.sequence == self.sequence_limit {
            self.renumber();
        }
        self.sequence += 1;
        self.sequence
    }

    /// A new wait, still free, that will resume `caller`.
    #[inline]
    pub(super) fn new_wait(&mut self, caller: Caller, background: bool) -> u32 {
        if let Caller::Process(slot) = caller
            && !background
            && self.store.current_word() == word::FREE
        {
            return slot;
        }
        self.new_record(caller, background)
    }

    #[inline]
    pub(super) fn new_record(&mut self, caller: Caller, background: bool) -> u32 {
        let index = self.free_record();
        let owner = match caller {
            Caller::Process(slot) => Record::owner(slot, self.store.current_id()),
            Caller::Foreign(waker) => {
                self.foreign.insert(index, waker);
                Record::FOREIGN
            }
        };
        let background = if background {
            self.background += 1;
            Record::BACKGROUND
        } else {
            0
        };
        self.records[index as usize] = Record { word: word::FREE, owner: owner | background };
        index | TABLE
    }

    #[inline]
    fn free_record(&mut self) -> u32 {
        self.free_records.pop().unwrap_or_else(|| self.grow_table())
    }

    #[cold]
    pub(super) fn grow_table(&mut self) -> u32 {
        let index = self.records.len() as u32;
        if index >= self.wait_limit {
            self.exhaust("its processes wait for more than 2^27 things at once");
            // nothing fires any more: one record stands for all waits that have none
            return self.wait_limit - 1;
        }
        self.records.push(Record { word: word::FREE, owner: 0 });
        index
    }

    /// Arms the usual queued wait: of the process that is running, which has no other wait pending.
    #[inline]
    pub(crate) fn queue_usual(&mut self, waker: &Waker) -> Option<u32> {
        let usual = self.store.current_word() == word::FREE && Self::lent(waker);
        usual.then(|| {
            self.store.set_current_word(word::QUEUED);
            self.current
        })
    }

    /// Arms a wait that some primitive will grant.
    #[inline]
    pub(crate) fn queue(&mut self, caller: Caller) -> u32 {
        let target = self.new_wait(caller, false);
        self.set_word(target, word::QUEUED);
        target
    }

    /// [`Core::time`] for the process that is running; `None` if the waker is not the one lent to
    /// it, or the case is not the usual one.
    #[inline]
    pub(crate) fn time_lent(&mut self, waker: &Waker, delay: SimDuration, phase: Phase) -> Option<u32> {
        let at = self.now.checked_add(delay)?;
        if delay.is_zero() || self.sequence >= self.sequence_limit || !Self::lent(waker) {
            return None;
        }
        self.sequence += 1;
        let timed = word::tagged(word::TIMED, self.sequence);
        let target = if self.store.current_word() == word::FREE {
            self.store.set_current_word(timed);
            self.current
        } else {
            let index = self.free_record();
            let owner = Record::owner(self.current, self.store.current_id());
            self.records[index as usize] = Record { word: timed, owner };
            index | TABLE
        };
        self.list.push(EventKey::new(at, phase, self.sequence, target));
        Some(target)
    }

    /// Arms a wait that is over `delay` from now, in `phase` of that instant.
    ///
    /// A hold of no time lets everything go first that is already scheduled for this instant. A
    /// delay that leads past the end of time fails the run.
    #[inline]
    pub(crate) fn time(&mut self, caller: Caller, delay: SimDuration, phase: Phase, background: bool) -> u32 {
        let target = self.new_wait(caller, background);
        if delay.is_zero() && phase != Phase::Timeouts {
            self.make_due(target, phase);
            return target;
        }
        match self.now.checked_add(delay) {
            Some(at) => self.put_in_list(target, at, phase),
            None => {
                self.set_word(target, word::QUEUED);
                self.overflow(self.current, delay);
            }
        }
        target
    }

    /// Makes the wait end at a later instant, in `phase` of it.
    #[inline]
    pub(crate) fn put_in_list(&mut self, target: u32, at: SimTime, phase: Phase) {
        let sequence = self.next_sequence();
        self.set_word(target, word::tagged(word::TIMED, sequence));
        self.list.push(EventKey::new(at, phase, sequence, target));
    }

    /// Makes a wait for no time due at the present instant.
    #[inline]
    fn make_due(&mut self, target: u32, phase: Phase) {
        let granted = self.enqueue(target, Kind::of(phase), phase);
        self.set_word(target, granted);
    }

    /// Makes a new process due at the present instant; gives the state of its wait record.
    #[inline]
    pub(crate) fn start(&mut self, slot: u32, phase: Phase) -> u64 {
        self.enqueue(slot, Kind::Start, phase)
    }

    /// Enters a resumption at the present instant; gives the state of the wait record that it
    /// belongs to.
    #[inline]
    fn enqueue(&mut self, target: u32, kind: Kind, phase: Phase) -> u64 {
        let sequence = self.next_sequence();
        self.zero_time += 1;
        self.zero_time_queue(phase).push(Due { sequence, target, kind, pid: 0 });
        word::tagged(word::GRANTED, sequence)
    }

    /// The zero-time queue of a phase; time-outs wait in the list.
    #[inline]
    pub(super) fn zero_time_queue(&mut self, phase: Phase) -> &mut ZeroTimeQueue {
        match phase {
            Phase::Events | Phase::Timeouts => &mut self.ready,
            Phase::Decisions => &mut self.decisions,
            Phase::Observations => &mut self.observations,
        }
    }

    /// A queued wait is over: its owner is resumed behind everything already scheduled for this
    /// instant.
    #[inline]
    pub(crate) fn grant(&mut self, target: u32) {
        let sequence = self.next_sequence();
        let granted = word::tagged(word::GRANTED, sequence);
        let queued = if target & TABLE == 0 {
            self.store.exchange(target, word::QUEUED, granted)
        } else {
            let word = &mut self.records[(target & !TABLE) as usize].word;
            let queued = *word == word::QUEUED;
            *word = if queued { granted } else { *word };
            queued
        };
        if queued || self.lift_limit(target, granted) {
            self.zero_time += 1;
            self.ready.push(Due { sequence, target, kind: Kind::Grant, pid: 0 });
        }
    }

    /// A wait with a limit is granted before the limit: its timer is stale. Nothing if the limit
    /// was reached, and the owner has just not found out yet.
    fn lift_limit(&mut self, target: u32, granted: u64) -> bool {
        let limited = word::tag(self.word(target)) == word::TIMED;
        if limited {
            self.set_word(target, granted);
            self.one_more_stale();
        }
        limited
    }

    /// A queued wait ends `delay` from now, in `phase` of that instant, unless it is unscheduled
    /// before; nothing if it is over or has an end already. An end past the end of time is none for
    /// a limit, and fails the run otherwise.
    #[inline]
    pub(crate) fn end_after(&mut self, target: u32, delay: SimDuration, phase: Phase) {
        if self.word(target) != word::QUEUED {
            return;
        }
        if delay.is_zero() && phase == Phase::Events {
            self.make_due(target, phase);
            return;
        }
        match self.now.checked_add(delay) {
            Some(at) => self.put_in_list(target, at, phase),
            None if phase == Phase::Events => self.overflow(self.current, delay),
            None => {}
        }
    }

    /// The process at `slot` waits past the end of time.
    #[cold]
    pub(crate) fn overflow(&mut self, slot: u32, delay: SimDuration) {
        let process = self.name(slot);
        self.fail(SimError::TimeOverflow { process, at: self.now, delay });
    }

    /// Takes back [`Core::end_after`]; nothing if the wait is over already.
    pub(crate) fn unschedule(&mut self, target: u32) {
        if word::tag(self.word(target)) == word::TIMED {
            self.set_word(target, word::QUEUED);
            self.one_more_stale();
        }
    }
}
