//! The schedule of one simulation: clock, event list, the zero-time queues of the instant, and the waits.
//!
//! A *wait* is an object of its own, so that a process may have many pending at once. Its record is one word: the
//! state and, where it has one, the sequence number of the entry that will resume it. An entry whose number is not
//! in the word any more is *stale* and is passed over: that is how a timer is cancelled.
//!
//! ```text
//!            queue            grant (handed over, resumed in order)
//!   free ───────────▶ queued ───────────────▶ granted ──┐ popped
//!     │                │   ▲ schedule / unschedule       ▼
//!     │                ▼   │                           fired ──▶ free (collected)
//!     └─────────────▶ timed ──────────────────────────▶─┘
//!            time                popped
//! ```
//!
//! Where the record lives: the first wait of a process that is pending lies in the head of the process itself, in
//! the cache line that the executor touches anyway; any further one, one that is polled with the waker of a
//! combinator, and a background hold take a record from a table.
//!
//! Ordering. An instant has four phases (see [`Phase`]); within one phase entries fire by sequence number. Wake-ups
//! at the present instant never go through the event list: they wait in a first-in first-out queue. An entry of the
//! list that is due now was scheduled before this instant began, hence before every entry of that queue, and so the
//! list goes first. Nothing in this file runs process code, wakes a foreign waker or drops one.

use std::collections::{BTreeMap, BTreeSet};
use std::task::Waker;

use super::digest::Digest;
use super::error::SimError;
use super::event_list::{EventList, Key, Phase, SEQUENCE_BITS};
use super::executor::Store;
use super::process::{Extra, Name, flag};
use super::rng::Streams;
use super::time::{SimDuration, SimTime};

/// Set in a target that names a record of the table, clear in one that names a process.
pub(super) const TABLE: u32 = 1 << 27;

/// States of a wait's word: a tag in the low three bits, a sequence number above.
pub(super) mod word {
    pub(in crate::kernel) const FREE: u64 = 0;
    pub(in crate::kernel) const QUEUED: u64 = 1;
    pub(in crate::kernel) const FIRED: u64 = 2;
    pub(in crate::kernel) const TIMED: u64 = 3;
    pub(in crate::kernel) const GRANTED: u64 = 4;

    #[inline]
    pub(in crate::kernel) fn tagged(tag: u64, sequence: u64) -> u64 {
        sequence << 3 | tag
    }

    #[inline]
    pub(in crate::kernel) fn tag(word: u64) -> u64 {
        word & 7
    }
}

/// Why a process is resumed; part of the digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Start = 1,
    Hold = 2,
    Timer = 3,
    Settle = 4,
    Observe = 5,
    Grant = 6,
    Wake = 7,
}

/// A wait of the table.
#[derive(Clone, Copy, Debug)]
struct Record {
    word: u64,
    /// Who is resumed when it fires: place of the process in the low bits, its number in the high half; and flags.
    owner: u64,
}

impl Record {
    /// The owner is a waker in `foreign`.
    const FOREIGN: u64 = 1 << 28;
    const BACKGROUND: u64 = 1 << 29;

    #[inline]
    fn owner(slot: u32, id: u64) -> u64 {
        id >> flag::BITS << 32 | u64::from(slot)
    }

    #[inline]
    fn slot(self) -> u32 {
        self.owner as u32 & (TABLE - 1)
    }

    #[inline]
    fn is_special(self) -> bool {
        self.owner & (Record::FOREIGN | Record::BACKGROUND) != 0
    }
}

/// An entry of a zero-time queue.
#[derive(Clone, Copy, Debug)]
struct Due {
    sequence: u64,
    target: u32,
    kind: Kind,
    /// Low bits of the process that a foreign waker woke.
    pid: u16,
}

/// First in, first out. Cheaper than a ring: almost always empty again before it has grown.
#[derive(Debug, Default)]
struct Turns {
    due: Vec<Due>,
    served: usize,
}

impl Turns {
    #[inline]
    fn is_empty(&self) -> bool {
        self.served == self.due.len()
    }

    #[inline]
    fn push(&mut self, due: Due) {
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
    fn pop(&mut self) -> Option<Due> {
        let due = *self.due.get(self.served)?;
        self.served += 1;
        if self.served == self.due.len() {
            self.due.clear();
            self.served = 0;
        }
        Some(due)
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Due> {
        self.due[self.served..].iter_mut()
    }

    fn clear(&mut self) {
        *self = Turns::default();
    }
}

/// Who polls a wait.
pub(super) enum Caller {
    /// The process at this place, which is the one that is running, with the waker lent to it.
    Process(u32),
    /// A combinator with a waker of its own.
    Foreign(Waker),
}

/// What the executor has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Resume this process.
    Poll(u32),
    /// Wake the waker of a combinator that is in `to_wake`, then resume the processes it asks for.
    Wake,
    /// The next entry lies beyond the limit of the run.
    Limit,
    /// Nothing is left that could happen.
    Idle,
}

/// See the [module](self).
pub(super) struct Core {
    pub(super) now: SimTime,
    pub(super) store: Store,
    list: EventList,
    ready: Turns,
    decisions: Turns,
    observations: Turns,
    /// Entries in these three.
    zero_time: usize,
    /// Whether the list has no more events for the present instant; it gets no new ones.
    list_served: bool,
    records: Vec<Record>,
    free_records: Vec<u32>,
    sequence: u64,
    pub(super) sequence_limit: u64,
    /// Cancelled entries still in the list.
    stale: usize,
    /// Background holds pending.
    background: usize,
    /// The process being resumed …
    pub(super) current: u32,
    /// … and the data of the waker lent to it.
    pub(super) current_data: *const (),
    pub(super) events: u64,
    pub(super) digest: Digest,
    /// `events` when the present instant began.
    instant_began: u64,
    pub(super) livelock_after: u64,
    resumed_here: BTreeMap<u32, u64>,
    /// Entries after this time wait for the next run.
    limit: SimTime,
    /// Where the caller wants the run to end …
    pub(super) until: SimTime,
    /// … unless a process ends it before.
    stopped: bool,
    /// Processes alive that are neither daemons nor observers.
    pub(super) live: usize,
    pub(super) next_pid: u64,
    pub(super) next_observer: u64,
    pub(super) kinds: Vec<&'static str>,
    pub(super) extras: BTreeMap<u32, Extra>,
    pub(super) killed: BTreeSet<u64>,
    /// Wakers of combinators, by record …
    foreign: BTreeMap<u32, Waker>,
    /// … and by process, for waits that lie in one and were last polled elsewhere.
    redirects: BTreeMap<u32, Waker>,
    /// The foreign waker whose turn it is, and why.
    pub(super) to_wake: Option<(Waker, Kind)>,
    /// While a foreign waker runs: the processes it woke.
    pub(super) woken: Option<Vec<u32>>,
    /// While a deadlock is being described: what the polled process waits for.
    pub(super) report: Option<Vec<String>>,
    pub(super) error: Option<SimError>,
    pub(super) ending: bool,
    pub(super) streams: Streams,
}

impl Core {
    pub(super) fn new(list: EventList, streams: Streams) -> Self {
        Core {
            now: SimTime::ZERO,
            store: Store::new(),
            list,
            ready: Turns::default(),
            decisions: Turns::default(),
            observations: Turns::default(),
            zero_time: 0,
            list_served: false,
            records: Vec::new(),
            free_records: Vec::new(),
            sequence: 0,
            sequence_limit: (1 << SEQUENCE_BITS) - 1,
            stale: 0,
            background: 0,
            current: u32::MAX,
            current_data: std::ptr::null(),
            events: 0,
            digest: Digest::default(),
            instant_began: 0,
            livelock_after: 1_000_000,
            resumed_here: BTreeMap::new(),
            limit: SimTime::MAX,
            until: SimTime::MAX,
            stopped: false,
            live: 0,
            next_pid: 0,
            next_observer: 0,
            kinds: Vec::new(),
            extras: BTreeMap::new(),
            killed: BTreeSet::new(),
            foreign: BTreeMap::new(),
            redirects: BTreeMap::new(),
            to_wake: None,
            woken: None,
            report: None,
            error: None,
            ending: false,
            streams,
        }
    }

    pub(super) fn choose_list(&mut self, list: EventList) {
        assert!(self.list.is_empty(), "the event list is chosen before anything is scheduled");
        self.list = list;
    }

    /// The run ended at the caller's limit: that is the time now.
    pub(super) fn reach_limit(&mut self) {
        if !self.stopped && self.until != SimTime::MAX {
            self.now = self.now.max(self.until);
        }
    }

    /// Entries of the event list, cancelled ones included.
    pub(super) fn pending(&self) -> usize {
        self.list.len()
    }

    // ---- what comes next ------------------------------------------------------------------------------------

    /// Finds what fires next, advances the clock to it and books its resumption.
    #[inline]
    pub(super) fn next(&mut self) -> Step {
        loop {
            let step = if self.zero_time != 0 { self.next_at_this_instant() } else { self.next_in_time() };
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// Takes the next entry of the list.
    #[inline]
    fn next_in_time(&mut self) -> Option<Step> {
        if self.background != 0 && self.list.len() - self.stale == self.background {
            return Some(Step::Idle);
        }
        let Some(key) = self.list.pop() else { return Some(Step::Idle) };
        if key.time() > self.limit {
            self.list.push(key);
            return Some(Step::Limit);
        }
        self.fire_timed(key)
    }

    /// Serves the zero-time queues, after what the list has for the same phase of this instant.
    #[inline]
    fn next_at_this_instant(&mut self) -> Option<Step> {
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
    fn next_by_phase(&mut self) -> Result<Due, Option<Step>> {
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
        let queue = match phase {
            Phase::Events => &mut self.ready,
            Phase::Decisions => &mut self.decisions,
            _ => &mut self.observations,
        };
        queue.pop().ok_or(None)
    }

    #[inline]
    fn fire_timed(&mut self, key: Key) -> Option<Step> {
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
        let kind = match key.phase() {
            Phase::Events => Kind::Hold,
            Phase::Timeouts => Kind::Timer,
            Phase::Decisions => Kind::Settle,
            Phase::Observations => Kind::Observe,
        };
        if let Some(ahead) = self.list.ahead(PREFETCH_DISTANCE)
            && ahead.target() & TABLE == 0
        {
            self.store.prefetch(ahead.target());
        }
        self.resume_owner(target, id, kind)
    }

    #[inline]
    fn fire_due(&mut self, due: Due) -> Option<Step> {
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

    /// Finds out whom a wait resumes that has fired; `id` is that of the process that it lies in, if it lies in one.
    #[expect(clippy::inline_always, reason = "measured: a tenth of a resumption")]
    #[inline(always)]
    fn resume_owner(&mut self, target: u32, id: u64, kind: Kind) -> Option<Step> {
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
    fn fire_moved(&mut self, target: u32, kind: Kind) -> Option<Step> {
        let waker = self.redirects.remove(&target)?;
        self.store.set_id(target, self.store.id(target) & !flag::REDIRECT);
        self.to_wake = Some((waker, kind));
        Some(Step::Wake)
    }

    /// Fires a wait of a combinator, or in the background.
    #[cold]
    fn fire_special(&mut self, index: u32, kind: Kind) -> Option<Step> {
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
    fn make_plain(&mut self, index: u32) -> bool {
        let owner = &mut self.records[index as usize].owner;
        let background = *owner & Record::BACKGROUND != 0;
        *owner &= !(Record::FOREIGN | Record::BACKGROUND);
        background
    }

    /// Books the resumption of a process.
    pub(super) fn resume(&mut self, slot: u32, kind: Kind) -> Step {
        let id = self.store.make_current(slot);
        self.book(slot, id, kind)
    }

    #[expect(clippy::inline_always, reason = "as `resume_owner`")]
    #[inline(always)]
    fn book(&mut self, slot: u32, id: u64, kind: Kind) -> Step {
        if id & flag::OBSERVER == 0 {
            self.events += 1;
            self.digest.resumption(self.now, id >> flag::BITS, kind as u8);
        }
        self.current = slot;
        Step::Poll(slot)
    }

    /// Counts resumptions per process once an instant has had suspiciously many.
    #[cold]
    fn watch_livelock(&mut self, target: u32) {
        if self.events - self.instant_began == self.livelock_after + 1 {
            self.resumed_here.clear();
        }
        let slot = if target & TABLE == 0 { target } else { self.records[(target & !TABLE) as usize].slot() };
        let count = self.resumed_here.entry(slot).or_insert(0);
        *count += 1;
        if *count > self.livelock_after && self.error.is_none() {
            let (process, resumptions) = (self.name(slot), self.livelock_after);
            self.fail(SimError::Livelock { process, at: self.now, resumptions });
        }
    }

    // ---- waits ----------------------------------------------------------------------------------------------

    #[inline]
    pub(super) fn word(&self, target: u32) -> u64 {
        if target & TABLE == 0 {
            self.store.word(target)
        } else {
            self.records[(target & !TABLE) as usize].word
        }
    }

    #[inline]
    fn set_word(&mut self, target: u32, word: u64) {
        if target & TABLE == 0 {
            self.store.set_word(target, word);
        } else {
            self.records[(target & !TABLE) as usize].word = word;
        }
    }

    #[inline]
    fn next_sequence(&mut self) -> u64 {
        if self.sequence == self.sequence_limit {
            self.renumber();
        }
        self.sequence += 1;
        self.sequence
    }

    /// Whether a waker is the one lent to the process that is running.
    #[inline]
    pub(super) fn lent(&self, waker: &Waker) -> bool {
        waker.data() == self.current_data && super::executor::is_ours(waker)
    }

    /// A new wait, still free, that will resume `caller`.
    #[inline]
    fn new_wait(&mut self, caller: Caller, background: bool) -> u32 {
        if let Caller::Process(slot) = caller
            && !background
            && self.store.current_word() == word::FREE
        {
            return slot;
        }
        self.new_record(caller, background)
    }

    #[inline]
    fn new_record(&mut self, caller: Caller, background: bool) -> u32 {
        let index = match self.free_records.pop() {
            Some(index) => index,
            None => self.grow_table(),
        };
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

    #[cold]
    fn grow_table(&mut self) -> u32 {
        let index = self.records.len() as u32;
        assert!(index < TABLE, "more than 2^27 waits at once");
        self.records.push(Record { word: word::FREE, owner: 0 });
        index
    }

    /// Arms the usual queued wait: of the process that is running, which has no other wait pending.
    #[inline]
    pub(super) fn queue_usual(&mut self, waker: &Waker) -> Option<u32> {
        let usual = self.store.current_word() == word::FREE && self.lent(waker);
        usual.then(|| {
            self.store.set_current_word(word::QUEUED);
            self.current
        })
    }

    /// Arms a wait that some primitive will grant.
    #[inline]
    pub(super) fn queue(&mut self, caller: Caller) -> u32 {
        let target = self.new_wait(caller, false);
        self.set_word(target, word::QUEUED);
        target
    }

    /// [`Core::time`] for the process that is running; `None` if the waker is not the one lent to it, or the case is
    /// not the usual one.
    #[inline]
    pub(super) fn time_lent(&mut self, waker: &Waker, delay: SimDuration, phase: Phase) -> Option<u32> {
        let at = self.now.checked_add(delay)?;
        if delay.is_zero() || self.sequence >= self.sequence_limit || !self.lent(waker) {
            return None;
        }
        self.sequence += 1;
        let timed = word::tagged(word::TIMED, self.sequence);
        let target = if self.store.current_word() == word::FREE {
            self.store.set_current_word(timed);
            self.current
        } else {
            let index = match self.free_records.pop() {
                Some(index) => index,
                None => self.grow_table(),
            };
            let owner = Record::owner(self.current, self.store.current_id());
            self.records[index as usize] = Record { word: timed, owner };
            index | TABLE
        };
        self.list.push(Key::new(at, phase, self.sequence, target));
        Some(target)
    }

    /// Arms a wait that is over `delay` from now, in `phase` of that instant.
    ///
    /// A hold of no time lets everything go first that is already scheduled for this instant. A delay that leads past
    /// the end of time fails the run.
    #[inline]
    pub(super) fn time(&mut self, caller: Caller, delay: SimDuration, phase: Phase, background: bool) -> u32 {
        let target = self.new_wait(caller, background);
        if delay.is_zero() && phase != Phase::Timeouts {
            let kind = match phase {
                Phase::Events => Kind::Hold,
                Phase::Decisions => Kind::Settle,
                _ => Kind::Observe,
            };
            self.make_due(target, kind, phase);
            return target;
        }
        match self.now.checked_add(delay) {
            Some(at) => self.put_in_list(target, at, phase),
            None => {
                self.set_word(target, word::QUEUED);
                let process = self.name(self.current);
                self.fail(SimError::TimeOverflow { process, at: self.now, delay });
            }
        }
        target
    }

    #[inline]
    fn put_in_list(&mut self, target: u32, at: SimTime, phase: Phase) {
        let sequence = self.next_sequence();
        self.set_word(target, word::tagged(word::TIMED, sequence));
        self.list.push(Key::new(at, phase, sequence, target));
    }

    #[inline]
    fn make_due(&mut self, target: u32, kind: Kind, phase: Phase) {
        let sequence = self.next_sequence();
        self.set_word(target, word::tagged(word::GRANTED, sequence));
        let due = Due { sequence, target, kind, pid: 0 };
        self.zero_time += 1;
        match phase {
            Phase::Events | Phase::Timeouts => self.ready.push(due),
            Phase::Decisions => self.decisions.push(due),
            Phase::Observations => self.observations.push(due),
        }
    }

    /// Makes a new process due at the present instant.
    #[inline]
    pub(super) fn start(&mut self, slot: u32, phase: Phase) {
        let sequence = self.next_sequence();
        self.store.set_word(slot, word::tagged(word::GRANTED, sequence));
        let due = Due { sequence, target: slot, kind: Kind::Start, pid: 0 };
        self.zero_time += 1;
        if phase == Phase::Events {
            self.ready.push(due);
        } else {
            self.observations.push(due);
        }
    }

    /// A queued wait is over: its owner is resumed behind everything already scheduled for this instant.
    #[inline]
    pub(super) fn grant(&mut self, target: u32) {
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
        debug_assert!(queued, "only a queued wait is granted");
        if queued {
            self.zero_time += 1;
            self.ready.push(Due { sequence, target, kind: Kind::Grant, pid: 0 });
        }
    }

    /// A queued wait will be over `delay` from now unless it is unscheduled before.
    pub(super) fn schedule(&mut self, target: u32, delay: SimDuration) {
        debug_assert_eq!(self.word(target), word::QUEUED, "only a queued wait is scheduled");
        if delay.is_zero() {
            self.make_due(target, Kind::Hold, Phase::Events);
            return;
        }
        match self.now.checked_add(delay) {
            Some(at) => self.put_in_list(target, at, Phase::Events),
            None => {
                let process = self.name(self.current);
                self.fail(SimError::TimeOverflow { process, at: self.now, delay });
            }
        }
    }

    /// Takes back [`Core::schedule`]; nothing if the wait is over already.
    pub(super) fn unschedule(&mut self, target: u32) {
        if word::tag(self.word(target)) == word::TIMED {
            self.set_word(target, word::QUEUED);
            self.one_more_stale();
        }
    }

    /// Whether the wait is over: fired, or granted and about to be.
    #[inline]
    pub(super) fn is_over(&self, target: u32) -> bool {
        matches!(word::tag(self.word(target)), word::FIRED | word::GRANTED)
    }

    /// Frees the record of a wait that has fired and lies in the process that is running: the usual case.
    #[inline]
    pub(super) fn collect(&mut self, target: u32) -> bool {
        let usual = target == self.current
            && self.store.current_word() == word::FIRED
            && self.store.current_is_plain();
        if usual {
            self.store.set_current_word(word::FREE);
        }
        usual
    }

    /// Whether a wait lies in the process that is running and resumes it, and nobody asks what for.
    #[inline]
    pub(super) fn is_usual(&self, target: u32) -> bool {
        target == self.current && self.store.current_is_plain() && self.report.is_none()
    }

    /// Whether a wait armed for a later instant or a zero-time turn has had that turn.
    #[inline]
    pub(super) fn has_fired(&self, target: u32) -> bool {
        self.word(target) == word::FIRED
    }

    /// Gives the record back, whatever its state. What is returned must be dropped by the caller, outside the kernel.
    #[inline]
    pub(super) fn release(&mut self, target: u32) -> Option<Waker> {
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
    fn release_inline(&mut self, slot: u32) -> Option<Waker> {
        let id = self.store.id(slot);
        if id & (flag::ALIVE | flag::REDIRECT) == flag::ALIVE {
            return None;
        }
        self.release_moved(slot, id)
    }

    #[cold]
    fn release_moved(&mut self, slot: u32, id: u64) -> Option<Waker> {
        self.store.set_id(slot, id & !flag::REDIRECT);
        if id & flag::ALIVE == 0 {
            // the process ended before its wait, which had been moved elsewhere: now its place is free
            self.store.reuse(slot);
        }
        self.redirects.remove(&slot)
    }

    #[inline]
    fn release_record(&mut self, target: u32) -> Option<Waker> {
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
    pub(super) fn refresh(&mut self, target: u32, caller: Caller) -> Option<Waker> {
        if target & TABLE == 0 {
            let id = self.store.id(target);
            return match caller {
                Caller::Process(slot) if slot == target => {
                    self.store.set_id(target, id & !flag::REDIRECT);
                    self.redirects.remove(&target)
                }
                caller => {
                    self.store.set_id(target, id | flag::REDIRECT);
                    self.redirects.insert(target, caller.into_waker(self.current_data))
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
    pub(super) fn wake(&mut self, slot: u32) {
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

    // ---- upkeep ---------------------------------------------------------------------------------------------

    #[inline]
    fn one_more_stale(&mut self) {
        self.stale += 1;
        if self.stale > 64 && self.stale * 2 > self.list.len() {
            self.sweep();
        }
    }

    /// Takes the cancelled entries out of the list.
    #[cold]
    fn sweep(&mut self) {
        let (store, records) = (&self.store, &self.records);
        self.list.retain(|key| {
            let target = key.target();
            let word = if target & TABLE == 0 {
                store.word(target)
            } else {
                records[(target & !TABLE) as usize].word
            };
            word == word::tagged(word::TIMED, key.sequence())
        });
        self.stale = 0;
    }

    /// Sequence numbers have run out: gives the pending entries small ones, in the same order.
    #[cold]
    fn renumber(&mut self) {
        self.sweep();
        let mut keys = self.list.drain();
        keys.sort_unstable();
        self.sequence = 0;
        for key in keys {
            self.sequence += 1;
            self.set_word(key.target(), word::tagged(word::TIMED, self.sequence));
            self.list.push(key.renumbered(self.sequence));
        }
        let mut queues = [&mut self.ready, &mut self.decisions, &mut self.observations];
        for due in queues.iter_mut().flat_map(|queue| queue.iter_mut()) {
            self.sequence += 1;
            let word = if due.target & TABLE == 0 {
                self.store.word(due.target)
            } else {
                self.records[(due.target & !TABLE) as usize].word
            };
            if due.kind != Kind::Wake && word == word::tagged(word::GRANTED, due.sequence) {
                let renewed = word::tagged(word::GRANTED, self.sequence);
                if due.target & TABLE == 0 {
                    self.store.set_word(due.target, renewed);
                } else {
                    self.records[(due.target & !TABLE) as usize].word = renewed;
                }
            }
            due.sequence = self.sequence;
        }
    }

    /// Ends the run with an error: nothing later than the present instant fires any more.
    pub(super) fn fail(&mut self, error: SimError) {
        self.error.get_or_insert(error);
        self.ready.clear();
        self.decisions.clear();
        self.observations.clear();
        self.zero_time = 0;
        self.update_limit();
    }

    /// Ends the run when the present instant is over.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
        self.update_limit();
    }

    /// Says up to when entries fire. A run that has nothing left to wait for still closes the present instant.
    pub(super) fn update_limit(&mut self) {
        self.limit = if self.error.is_some() {
            SimTime::ZERO
        } else if self.stopped || self.live == 0 {
            self.until.min(self.now)
        } else {
            self.until
        };
    }

    /// A process ended before its first resumption.
    pub(super) fn forget_start(&mut self, slot: u32) {
        self.store.set_word(slot, word::FREE);
    }

    pub(super) fn name(&self, slot: u32) -> Name {
        if slot == u32::MAX {
            return Name::from("the caller");
        }
        let (kind, index) = self.store.name(slot);
        Name::new(self.kinds[kind as usize], index)
    }
}

/// How many entries ahead a process is brought into the cache.
const PREFETCH_DISTANCE: usize = 8;
