//! The primitives of the slow executor: every line is a vector, and what was handed over lies in a
//! map.

use std::collections::BTreeMap;

use super::program::{KINDS, Outcome, SERVERS, UNITS, Wait};
use super::slow::{Clock, Id, Taken};

#[derive(Debug, Default)]
pub(super) struct Event {
    pub(super) occurred: bool,
    waiting: Vec<Id>,
    queued: Vec<Id>,
    /// Turns handed over: whether the `set` resumed nobody else.
    turns: BTreeMap<Id, bool>,
}

#[derive(Debug, Default)]
pub(super) struct Mailbox {
    pub(super) messages: Vec<u64>,
    receivers: Vec<Id>,
    handed: BTreeMap<Id, u64>,
}

#[derive(Debug, Default)]
struct Facility {
    busy: u32,
    queue: Vec<(i64, Id)>,
}

#[derive(Debug, Default)]
pub(super) struct Storage {
    pub(super) free: u64,
    queue: Vec<(Id, u64)>,
}

#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) level: u64,
    pub(super) room: u64,
    getters: Vec<(Id, u64)>,
    putters: Vec<(Id, u64)>,
}

#[derive(Clone, Copy, Debug)]
struct Customer {
    id: Id,
    priority: i64,
    remaining: u64,
    since: u64,
}

/// Everything that processes share.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) events: [Event; KINDS],
    pub(super) mailboxes: [Mailbox; KINDS],
    facilities: [Facility; KINDS],
    pub(super) storages: [Storage; KINDS],
    pub(super) buffer: Buffer,
    level: i64,
    watching: BTreeMap<u64, Option<Id>>,
    tickets: u64,
    serving: Option<Customer>,
    preempted: Vec<Customer>,
}

impl Default for Lines {
    fn default() -> Self {
        Lines {
            events: Default::default(),
            mailboxes: Default::default(),
            facilities: Default::default(),
            storages: [(); KINDS].map(|()| Storage { free: UNITS, queue: Vec::new() }),
            buffer: Buffer { level: UNITS / 2, room: UNITS - UNITS / 2, ..Buffer::default() },
            level: 0,
            watching: BTreeMap::new(),
            tickets: 0,
            serving: None,
            preempted: Vec::new(),
        }
    }
}

/// Takes an entry out of a line; says whether it was there.
fn leave<T>(line: &mut Vec<T>, is: impl Fn(&T) -> bool) -> bool {
    let place = line.iter().position(is);
    place.map(|place| line.remove(place)).is_some()
}

type Ready = (Outcome, Option<Taken>);

impl Lines {
    // ---- what processes do without waiting
    // --------------------------------------------------------------------------

    pub(super) fn set(&mut self, clock: &mut Clock, event: usize) {
        let event = &mut self.events[event];
        let mut resumed = !event.waiting.is_empty();
        event.waiting.drain(..).for_each(|id| clock.grant(id));
        if !event.queued.is_empty() {
            let first = event.queued.remove(0);
            event.turns.insert(first, !resumed);
            clock.grant(first);
            resumed = true;
        }
        if !resumed {
            event.occurred = true;
        }
    }

    pub(super) fn put_message(&mut self, clock: &mut Clock, mailbox: usize, message: u64) {
        let mailbox = &mut self.mailboxes[mailbox];
        if mailbox.receivers.is_empty() {
            mailbox.messages.push(message);
            // messages are numbered as they are sent
            mailbox.messages.sort_unstable();
        } else {
            let first = mailbox.receivers.remove(0);
            mailbox.handed.insert(first, message);
            clock.grant(first);
        }
    }

    pub(super) fn change(&mut self, clock: &mut Clock, by: i64) {
        self.level += by;
        self.watching.values_mut().filter_map(Option::take).for_each(|id| clock.grant(id));
    }

    pub(super) fn release(&mut self, clock: &mut Clock, facility: usize) {
        let facility = &mut self.facilities[facility];
        let Some(first) = facility.queue.iter().map(|entry| entry.0).max() else {
            facility.busy -= 1;
            return;
        };
        let place = facility.queue.iter().position(|entry| entry.0 == first).unwrap();
        clock.grant(facility.queue.remove(place).1);
    }

    pub(super) fn deallocate(&mut self, clock: &mut Clock, storage: usize, units: u64) {
        self.storages[storage].free += units;
        self.serve_storage(clock, storage);
    }

    fn serve_storage(&mut self, clock: &mut Clock, number: usize) {
        let storage = &mut self.storages[number];
        let mut place = 0;
        while let Some(&(id, units)) = storage.queue.get(place) {
            if units <= storage.free {
                storage.free -= units;
                storage.queue.remove(place);
                clock.grant(id);
            } else if number == 1 {
                // first fit
                place += 1;
            } else {
                break;
            }
        }
    }

    fn serve_buffer(&mut self, clock: &mut Clock) {
        let buffer = &mut self.buffer;
        while let Some(&(id, units)) = buffer.getters.first()
            && units <= buffer.level
        {
            buffer.level -= units;
            buffer.getters.remove(0);
            clock.grant(id);
        }
        while let Some(&(id, units)) = buffer.putters.first()
            && units <= buffer.room
        {
            buffer.room -= units;
            buffer.putters.remove(0);
            clock.grant(id);
        }
    }

    // ---- waits: begun, ended, abandoned
    // -----------------------------------------------------------------------------

    /// Begins a wait: it is over at once, or has a name.
    pub(super) fn begin(
        &mut self,
        clock: &mut Clock,
        wait: &Wait,
        ticket: &mut Option<u64>,
    ) -> Result<Ready, Id> {
        match *wait {
            Wait::Event(event) | Wait::Queue(event) => {
                let event = &mut self.events[event];
                if std::mem::take(&mut event.occurred) {
                    return Ok((Outcome::Done, None));
                }
                let id = clock.queue();
                let line =
                    if matches!(wait, Wait::Event(_)) { &mut event.waiting } else { &mut event.queued };
                line.push(id);
                Err(id)
            }
            Wait::Receive(mailbox) => {
                let mailbox = &mut self.mailboxes[mailbox];
                if !mailbox.messages.is_empty() {
                    return Ok((Outcome::Message(mailbox.messages.remove(0)), None));
                }
                let id = clock.queue();
                mailbox.receivers.push(id);
                Err(id)
            }
            Wait::Reserve(number, priority) => {
                let facility = &mut self.facilities[number];
                if facility.busy < SERVERS[number] {
                    facility.busy += 1;
                    return Ok((Outcome::Server, Some(Taken::Server(number))));
                }
                let id = clock.queue();
                facility.queue.push((priority, id));
                Err(id)
            }
            Wait::Allocate(number, units) => {
                let storage = &mut self.storages[number];
                if (storage.queue.is_empty() || number == 1) && units <= storage.free {
                    storage.free -= units;
                    return Ok((Outcome::Units, Some(Taken::Units(number, units))));
                }
                let id = clock.queue();
                storage.queue.push((id, units));
                Err(id)
            }
            Wait::Get(units) => {
                if self.buffer.getters.is_empty() && units <= self.buffer.level {
                    self.buffer.level -= units;
                    self.buffer.room += units;
                    self.serve_buffer(clock);
                    return Ok((Outcome::Done, None));
                }
                let id = clock.queue();
                self.buffer.getters.push((id, units));
                Err(id)
            }
            Wait::Put(units) => {
                if self.buffer.putters.is_empty() && units <= self.buffer.room {
                    self.buffer.room -= units;
                    self.buffer.level += units;
                    self.serve_buffer(clock);
                    return Ok((Outcome::Done, None));
                }
                let id = clock.queue();
                self.buffer.putters.push((id, units));
                Err(id)
            }
            Wait::Until(least) => {
                self.wait_until(clock, least, ticket).map_or(Ok((Outcome::Done, None)), Err)
            }
            Wait::Preempt(priority, service) => Err(self.arrive(clock, priority, service)),
            ref other => unreachable!("{other:?} is no line"),
        }
    }

    /// Tests a predicate; a wait for the next change if it does not hold.
    pub(super) fn wait_until(
        &mut self,
        clock: &mut Clock,
        least: i64,
        ticket: &mut Option<u64>,
    ) -> Option<Id> {
        if self.level >= least {
            ticket.take().and_then(|ticket| self.watching.remove(&ticket));
            return None;
        }
        let id = clock.queue();
        let place = *ticket.get_or_insert_with(|| {
            self.tickets += 1;
            self.tickets
        });
        self.watching.insert(place, Some(id));
        Some(id)
    }

    /// What a wait that is over came to.
    pub(super) fn collect(&mut self, clock: &mut Clock, wait: &Wait, id: Id) -> Ready {
        match *wait {
            Wait::Queue(event) => _ = self.events[event].turns.remove(&id),
            Wait::Receive(mailbox) => {
                return (Outcome::Message(self.mailboxes[mailbox].handed.remove(&id).unwrap()), None);
            }
            Wait::Reserve(number, _) => return (Outcome::Server, Some(Taken::Server(number))),
            Wait::Allocate(number, units) => return (Outcome::Units, Some(Taken::Units(number, units))),
            Wait::Get(units) => {
                self.buffer.room += units;
                self.serve_buffer(clock);
            }
            Wait::Put(units) => {
                self.buffer.level += units;
                self.serve_buffer(clock);
            }
            Wait::Preempt(..) => self.depart(clock, id),
            _ => {}
        }
        (Outcome::Done, None)
    }

    /// Undoes a wait that has not returned.
    pub(super) fn abandon(&mut self, clock: &mut Clock, wait: &Wait, id: Id, ticket: Option<u64>) {
        match *wait {
            Wait::Event(event) => _ = leave(&mut self.events[event].waiting, |other| *other == id),
            Wait::Queue(event) => {
                let event = &mut self.events[event];
                leave(&mut event.queued, |other| *other == id);
                let Some(alone) = event.turns.remove(&id) else { return };
                if !event.queued.is_empty() {
                    let next = event.queued.remove(0);
                    event.turns.insert(next, alone);
                    clock.grant(next);
                } else if alone && event.waiting.is_empty() {
                    event.occurred = true;
                } else if alone {
                    event.waiting.drain(..).for_each(|id| clock.grant(id));
                }
            }
            Wait::Receive(number) => {
                let mailbox = &mut self.mailboxes[number];
                leave(&mut mailbox.receivers, |other| *other == id);
                if let Some(message) = mailbox.handed.remove(&id) {
                    self.put_message(clock, number, message);
                }
            }
            Wait::Reserve(number, _) => {
                if !leave(&mut self.facilities[number].queue, |entry| entry.1 == id) {
                    self.release(clock, number);
                }
            }
            Wait::Allocate(number, units) => {
                if !leave(&mut self.storages[number].queue, |entry| entry.0 == id) {
                    self.storages[number].free += units;
                }
                self.serve_storage(clock, number);
            }
            Wait::Get(units) => {
                if !leave(&mut self.buffer.getters, |entry| entry.0 == id) {
                    self.buffer.level += units;
                }
                self.serve_buffer(clock);
            }
            Wait::Put(units) => {
                if !leave(&mut self.buffer.putters, |entry| entry.0 == id) {
                    self.buffer.room += units;
                }
                self.serve_buffer(clock);
            }
            Wait::Until(_) => _ = ticket.and_then(|ticket| self.watching.remove(&ticket)),
            Wait::Preempt(..) => self.depart(clock, id),
            ref other => unreachable!("{other:?} is no line"),
        }
    }

    // ---- preemptive resume
    // ------------------------------------------------------------------------------------------

    fn arrive(&mut self, clock: &mut Clock, priority: i64, service: u64) -> Id {
        let id = clock.queue();
        if let Some(mut victim) = self.serving.filter(|victim| victim.priority < priority) {
            victim.remaining -= clock.now - victim.since;
            self.serving = None;
            // who ends in this instant has finished
            if victim.remaining > 0 {
                clock.unschedule(victim.id);
                let place = self.preempted.partition_point(|other| other.priority > victim.priority);
                self.preempted.insert(place, victim);
            }
        }
        let customer = Customer { id, priority, remaining: service, since: clock.now };
        let place = self.preempted.partition_point(|other| other.priority >= priority);
        self.preempted.insert(place, customer);
        if self.serving.is_none() {
            self.serve(clock, place);
        }
        id
    }

    fn serve(&mut self, clock: &mut Clock, place: usize) {
        let mut customer = self.preempted.remove(place);
        customer.since = clock.now;
        clock.schedule(customer.id, customer.remaining);
        self.serving = Some(customer);
    }

    fn depart(&mut self, clock: &mut Clock, id: Id) {
        leave(&mut self.preempted, |customer| customer.id == id);
        if self.serving.is_some_and(|customer| customer.id == id) {
            self.serving = None;
        }
        if self.serving.is_none() && !self.preempted.is_empty() {
            self.serve(clock, 0);
        }
    }

    // ---- what is left
    // -----------------------------------------------------------------------------------------------

    pub(super) fn busy(&self) -> usize {
        let servers: u32 = self.facilities.iter().map(|facility| facility.busy).sum();
        servers as usize + usize::from(self.serving.is_some())
    }

    pub(super) fn waiting(&self) -> usize {
        let events: usize = self.events.iter().map(|event| event.waiting.len() + event.queued.len()).sum();
        let mailboxes: usize = self.mailboxes.iter().map(|mailbox| mailbox.receivers.len()).sum();
        let facilities: usize = self.facilities.iter().map(|facility| facility.queue.len()).sum();
        let storages: usize = self.storages.iter().map(|storage| storage.queue.len()).sum();
        events + mailboxes + facilities + storages + self.preempted.len() + self.watching.len()
    }
}
