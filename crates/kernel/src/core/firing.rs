//! The next event: from the list and the zero-time queues to the process that is resumed.

use super::record::{Record, TABLE, word};
use super::zero_time::Due;
use super::{Core, Kind, Step};
use crate::error::SimError;
use crate::event_list::{EventKey, Phase};
use crate::name::flag;
use crate::time::SimTime;

impl Core {
    /// Finds what fires next, advances the clock to it and books its resumption.
    #[inline]
    pub(crate) fn next(&mut self) -> Step {
        loop {
            let step = if self.zero_time != 0 { self.next_at_this_instant() } else { self.next_in_time() };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// Takes the next entry of the list.
    #[inline]
    pub(super) fn next_in_time(&mut self) -> Option<Step> {
        if self.background != 0
            && self.list.len() - self.stale == self.background
            && self.list.peek().is_none_or(|key| key.time() > self.now)
        {
            return Some(Step::Idle);
        }
        let key = self.list.pop_or_max();
        if key > self.limit {
            return self.nothing_before_limit(key);
        }
        self.fire_timed(key)
    }

    /// The next step if the key is beyond every limit; the key that an empty list gives is, too.
    #[cold]
    fn nothing_before_limit(&mut self, key: EventKey) -> Option<Step> {
        if key == EventKey::MAX {
            return Some(Step::Idle);
        }
        if key.time() == SimTime::MAX && self.until == SimTime::MAX && self.error.is_none() && !self.stops() {
            let target = key.target();
            if self.word(target) != word::tagged(word::TIMED, key.sequence()) {
                self.stale -= 1;
                return None;
            }
            let slot =
                if target & TABLE == 0 { target } else { self.records[(target & !TABLE) as usize].slot() };
            self.overflow(slot, SimTime::MAX.since(self.now));
        }
        self.list.push(key);
        Some(Step::Limit)
    }

    /// Serves the zero-time queues, after what the list has for the same phase of this instant.
    #[inline]
    pub(super) fn next_at_this_instant(&mut self) -> Option<Step> {
        let due = if self.list_served && !self.ready.is_empty() {
            self.ready.pop()?
        } else {
            match self.next_by_phase() {
                Ok(due) => due,
                Err(step) => return step,
            }
        };
        self.zero_time -= 1;
        if self.events - self.instant_began > self.livelock_after {
            self.watch_livelock(due.target);
        }
        self.fire_due(due)
    }

    /// Looks through the phases: the list may have entries for this instant that go first.
    pub(super) fn next_by_phase(&mut self) -> Result<Due, Option<Step>> {
        if self.error.is_some() {
            return Err(Some(Step::Limit));
        }
        let phase = if !self.ready.is_empty() {
            Phase::Events
        } else if !self.decisions.is_empty() {
            Phase::Decisions
        } else {
            Phase::Observations
        };
        let due_now = self.list.peek().filter(|key| key.time() == self.now);
        if let Some(key) = due_now
            && key.phase() <= phase
        {
            self.list.pop();
            return Err(self.fire_timed(key));
        }
        self.list_served = due_now.is_none_or(|key| key.phase() > Phase::Events);
        self.zero_time_queue(phase).pop().ok_or(None)
    }

    #[inline]
    pub(super) fn fire_timed(&mut self, key: EventKey) -> Option<Step> {
        let target = key.target();
        let expected = word::tagged(word::TIMED, key.sequence());
        let claimed = if target & TABLE == 0 {
            self.store.claim(target, expected, word::FIRED)
        } else {
            let record = &mut self.records[(target & !TABLE) as usize];
            (record.word == expected).then(|| {
                record.word = word::FIRED;
                0
            })
        };
        let Some(id) = claimed else {
            self.stale -= 1;
            return None;
        };
        debug_assert!(key.time() >= self.now, "time never runs backwards");
        if key.time() > self.now {
            self.now = key.time();
            self.instant_began = self.events;
            self.list_served = false;
        } else if self.events - self.instant_began > self.livelock_after {
            self.watch_livelock(target);
        }
        if let Some(ahead) = self.list.ahead(PREFETCH_DISTANCE)
            && ahead.target() & TABLE == 0
        {
            self.store.prefetch(ahead.target());
        }
        self.resume_owner(target, id, Kind::of(key.phase()))
    }

    #[inline]
    pub(super) fn fire_due(&mut self, due: Due) -> Option<Step> {
        let expected = word::tagged(word::GRANTED, due.sequence);
        match due.kind {
            Kind::Wake => {
                let id = self.store.id(due.target);
                let same = id & flag::WOKEN != 0 && (id >> flag::BITS) as u16 == due.pid;
                same.then(|| self.resume(due.target, Kind::Wake))
            }
            Kind::Start => {
                let id = self.store.claim(due.target, expected, word::FREE)?;
                self.store.set_id(due.target, id & !flag::FRESH);
                Some(self.book(due.target, id, Kind::Start))
            }
            kind if due.target & TABLE == 0 => {
                let id = self.store.claim(due.target, expected, word::FIRED)?;
                self.resume_owner(due.target, id, kind)
            }
            kind => {
                let record = &mut self.records[(due.target & !TABLE) as usize];
                if record.word != expected {
                    return None;
                }
                record.word = word::FIRED;
                self.resume_owner(due.target, 0, kind)
            }
        }
    }

    /// Finds the process that a wait resumes that has fired; `id` is that of the process that it
    /// lies in, if it lies in one.
    #[expect(clippy::inline_always, reason = "on the path of every resumption; two callers")]
    #[inline(always)]
    pub(super) fn resume_owner(&mut self, target: u32, id: u64, kind: Kind) -> Option<Step> {
        if target & TABLE == 0 {
            if id & (flag::REDIRECT | flag::ALIVE) == flag::ALIVE {
                return Some(self.book(target, id, kind));
            }
            return self.fire_moved(target, kind);
        }
        let record = self.records[(target & !TABLE) as usize];
        if record.is_special() {
            return self.fire_special(target & !TABLE, kind);
        }
        let id = self.store.make_current(record.slot());
        let alive = id & flag::ALIVE != 0 && Record::owner(record.slot(), id) == record.owner;
        alive.then(|| self.book(record.slot(), id, kind))
    }

    /// Fires a wait that lies in one process and was last polled by another, or by a combinator.
    #[cold]
    pub(super) fn fire_moved(&mut self, target: u32, kind: Kind) -> Option<Step> {
        let waker = self.redirects.remove(&target)?;
        self.store.set_id(target, self.store.id(target) & !flag::REDIRECT);
        self.to_wake = Some((waker, kind));
        Some(Step::Wake)
    }

    /// Fires a wait of a combinator, or in the background.
    #[cold]
    pub(super) fn fire_special(&mut self, index: u32, kind: Kind) -> Option<Step> {
        let foreign = self.records[index as usize].owner & Record::FOREIGN != 0;
        if self.make_plain(index) {
            self.background -= 1;
        }
        if foreign {
            self.to_wake = self.foreign.remove(&index).map(|waker| (waker, kind));
            return self.to_wake.is_some().then_some(Step::Wake);
        }
        let owner = self.records[index as usize];
        let id = self.store.id(owner.slot());
        let alive = id & flag::ALIVE != 0 && Record::owner(owner.slot(), id) == owner.owner;
        alive.then(|| self.resume(owner.slot(), kind))
    }

    /// Takes the flags off a record; says whether it was in the background.
    pub(super) fn make_plain(&mut self, index: u32) -> bool {
        let owner = &mut self.records[index as usize].owner;
        let background = *owner & Record::BACKGROUND != 0;
        *owner &= !(Record::FOREIGN | Record::BACKGROUND);
        background
    }

    /// Books the resumption of a process.
    pub(crate) fn resume(&mut self, slot: u32, kind: Kind) -> Step {
        let id = self.store.make_current(slot);
        self.book(slot, id, kind)
    }

    #[expect(clippy::inline_always, reason = "as `resume_owner`")]
    #[inline(always)]
    pub(super) fn book(&mut self, slot: u32, id: u64, kind: Kind) -> Step {
        if id & flag::OBSERVER == 0 {
            self.events += 1;
            self.digest.resumption(self.now, id >> flag::BITS, kind as u8);
        }
        self.current = slot;
        Step::Poll(slot)
    }

    /// Books the resumption of a process by the waker of a combinator, if it still asks for it.
    pub(crate) fn resume_woken(&mut self, slot: u32, kind: Kind) -> bool {
        let id = self.store.id(slot);
        if id & flag::ALIVE == 0 || id & flag::WOKEN == 0 {
            return false;
        }
        if self.events - self.instant_began > self.livelock_after {
            self.watch_livelock(slot);
        }
        self.resume(slot, kind);
        true
    }

    /// Counts resumptions per process once an instant has had suspiciously many.
    #[cold]
    pub(super) fn watch_livelock(&mut self, target: u32) {
        if self.events - self.instant_began == self.livelock_after + 1 {
            self.resumed_here.clear();
        }
        let slot = if target & TABLE == 0 {
            target
        } else {
            let record = self.records[(target & !TABLE) as usize];
            if record.owner & Record::FOREIGN != 0 {
                // which process it resumes is known when its waker has run
                return;
            }
            record.slot()
        };
        let count = self.resumed_here.entry(slot).or_insert(0);
        *count += 1;
        if *count > self.livelock_after && self.error.is_none() {
            let (process, resumptions) = (self.name(slot), self.livelock_after);
            self.fail(SimError::Livelock { process, at: self.now, resumptions, before: Vec::new() });
        }
    }
}

/// Number of entries ahead at which a process is brought into the cache.
const PREFETCH_DISTANCE: usize = 8;
