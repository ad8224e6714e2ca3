//! The beginning and the end of a process, as the schedule books them.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::{Core, Role, word};
use crate::event_list::Phase;
use crate::name::{Name, flag};

/// Observers are numbered apart, so that adding one moves no other process's number.
const OBSERVER_NUMBERS: u64 = 1 << 48;

/// State that few processes have: waits for their end, interrupts, and waits that these end.
#[derive(Debug, Default)]
pub(crate) struct Extra {
    pub(crate) joiners: Vec<u32>,
    pub(crate) reasons: VecDeque<Cow<'static, str>>,
    pub(crate) interruptible: Vec<u32>,
}

impl Core {
    /// Takes a process, which lies in its place already, into the run; gives its number.
    #[inline]
    pub(crate) fn enrol(&mut self, slot: u32, name: Name, role: Role) -> u64 {
        let (number, flags) = match role {
            Role::Worker => (self.next_pid, 0),
            Role::Daemon => (self.next_pid, flag::DAEMON),
            Role::Observer => (self.next_observer + OBSERVER_NUMBERS, flag::DAEMON | flag::OBSERVER),
        };
        let flags = flags | flag::ALIVE | flag::FRESH;
        match role {
            Role::Observer => self.next_observer += 1,
            _ => self.next_pid += 1,
        }
        if role == Role::Worker {
            self.live += 1;
            if self.live == 1 {
                self.update_limit();
            }
        }
        let kind = self.kind_of(name.kind());
        let word = self.start(slot, if role == Role::Observer { Phase::Observations } else { Phase::Events });
        self.store.enter(slot, number << flag::BITS | flags, (kind, name.index_stored()), word);
        number
    }

    /// The number of a kind. Most processes are of the kind of the one that was started before
    /// them.
    #[inline]
    fn kind_of(&mut self, kind: &'static str) -> u32 {
        if !self.kinds.get(self.latest_kind as usize).is_some_and(|latest| std::ptr::eq(*latest, kind)) {
            self.latest_kind = self.find_kind(kind);
        }
        self.latest_kind
    }

    fn find_kind(&mut self, kind: &'static str) -> u32 {
        let known = self.kinds.iter().position(|known| std::ptr::eq(*known, kind));
        let place = known.unwrap_or_else(|| {
            // each literal once, even if two are equal: a kind is only ever printed
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        place as u32
    }

    /// Books the end of a process, whose future is dropped already; wakes those that wait for it.
    #[inline]
    pub(crate) fn leave(&mut self, slot: u32, killed: bool) {
        let (id, mut word) = self.store.leave(slot);
        if id & flag::DAEMON == 0 {
            self.live -= 1;
            if self.live == 0 {
                self.update_limit();
            }
        }
        if id & flag::FRESH != 0 {
            word = self.forget_start(slot);
        }
        if killed {
            self.killed.insert(id >> flag::BITS);
        }
        if id & flag::EXTRA != 0
            && let Some(extra) = self.extras.remove(&slot)
        {
            extra.joiners.into_iter().for_each(|joiner| self.grant(joiner));
        }
        if word == word::FREE {
            self.store.places.reuse(slot);
        }
    }

    /// The rarely used state of the process at this place, made if it has none.
    pub(crate) fn extra(&mut self, slot: u32) -> &mut Extra {
        let id = self.store.id(slot);
        self.store.set_id(slot, id | flag::EXTRA);
        self.extras.entry(slot).or_default()
    }
}
