//! Ends of waits: collected by their future, or given up at whatever stage; and how they change
//! hands.

use std::task::Waker;

use super::record::{Record, TABLE, word};
use super::zero_time::Due;
use super::{Caller, Core, Kind};
use crate::name::flag;

impl Core {
    /// Returns true if the wait is over: fired, or granted and about to be.
    #[inline]
    pub(crate) fn is_over(&self, target: u32) -> bool {
        matches!(word::tag(self.word(target)), word::FIRED | word::GRANTED)
    }

    /// Frees the record of a wait that has fired and lies in the process that is running: the usual
    /// case.
    #[inline]
    pub(crate) fn collect(&mut self, target: u32) -> bool {
        let usual = target == self.current
            && self.store.current_word() == word::FIRED
            && self.store.current_is_plain();
        if usual {
            self.store.set_current_word(word::FREE);
        }
        usual
    }

    /// Returns true if a wait lies in the process that is running and resumes it, and nothing asks
    /// what for.
    #[inline]
    pub(crate) fn is_usual(&self, target: u32) -> bool {
        target == self.current && self.store.current_is_plain() && self.report.is_none()
    }

    /// Returns true if a wait armed for a later instant or for no time has ended.
    #[inline]
    pub(crate) fn has_fired(&self, target: u32) -> bool {
        self.word(target) == word::FIRED
    }

    /// Gives the record back, whatever its state. What is returned must be dropped by the caller,
    /// outside the kernel.
    #[inline]
    pub(crate) fn release(&mut self, target: u32) -> Option<Waker> {
        let timed = word::tag(self.word(target)) == word::TIMED;
        self.set_word(target, word::FREE);
        let waker =
            if target & TABLE == 0 { self.release_inline(target) } else { self.release_record(target) };
        if timed {
            self.one_more_stale();
        }
        waker
    }

    #[inline]
    pub(super) fn release_inline(&mut self, slot: u32) -> Option<Waker> {
        let id = self.store.id(slot);
        if id & (flag::ALIVE | flag::REDIRECT) == flag::ALIVE {
            return None;
        }
        self.release_moved(slot, id)
    }

    #[cold]
    pub(super) fn release_moved(&mut self, slot: u32, id: u64) -> Option<Waker> {
        self.store.set_id(slot, id & !flag::REDIRECT);
        if id & flag::ALIVE == 0 {
            // the process ended before its wait, which had been moved elsewhere: now its place is
            // free
            self.store.places.reuse(slot);
        }
        self.redirects.remove(&slot)
    }

    #[inline]
    pub(super) fn release_record(&mut self, target: u32) -> Option<Waker> {
        let index = target & !TABLE;
        self.free_records.push(index);
        if !self.records[index as usize].is_special() {
            return None;
        }
        if self.make_plain(index) {
            self.background -= 1;
        }
        self.foreign.remove(&index)
    }

    /// A pending wait was polled again: from now on it resumes `caller`.
    /// What is returned must be dropped by the caller, outside the kernel.
    pub(crate) fn refresh(&mut self, target: u32, caller: Caller) -> Option<Waker> {
        if target & TABLE == 0 {
            let id = self.store.id(target);
            return match caller {
                Caller::Process(slot) if slot == target => {
                    self.store.set_id(target, id & !flag::REDIRECT);
                    self.redirects.remove(&target)
                }
                caller => {
                    self.store.set_id(target, id | flag::REDIRECT);
                    self.redirects.insert(target, caller.into_waker(self.current_waker_data()))
                }
            };
        }
        let index = target & !TABLE;
        let background = self.records[index as usize].owner & Record::BACKGROUND;
        let old = self.foreign.remove(&index);
        let owner = match caller {
            Caller::Process(slot) => Record::owner(slot, self.store.current_id()),
            Caller::Foreign(waker) => {
                self.foreign.insert(index, waker);
                Record::FOREIGN
            }
        };
        self.records[index as usize].owner = owner | background;
        old
    }

    /// A foreign waker asks for a process.
    pub(crate) fn wake(&mut self, slot: u32) {
        let id = self.store.id(slot);
        if id & flag::ALIVE == 0 || id & flag::WOKEN != 0 {
            return;
        }
        self.store.set_id(slot, id | flag::WOKEN);
        match &mut self.woken {
            Some(woken) => woken.push(slot),
            None => {
                let sequence = self.next_sequence();
                self.zero_time += 1;
                self.ready.push(Due {
                    sequence,
                    target: slot,
                    kind: Kind::Wake,
                    pid: (id >> flag::BITS) as u16,
                });
            }
        }
    }
}
