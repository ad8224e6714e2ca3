//! A station with a process of its own, for work whose end is not known when it enters.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::kernel::stats::{StationLog, Visit};
use crate::kernel::{Name, Signal, SimTime, hold, now, race, settle, spawn_daemon};
use crate::station::copy::{CopiedEngine, StationCopy};
use crate::station::extraneous::Extraneous;
use crate::station::order::{Discipline, StationDemand};
use crate::station::ordered::{DemandNumber, OrderedStation};
use crate::station::rate::Rate;
use crate::station::shared::SharedStation;
use crate::station::usage::{ServiceSpan, StationTraffic, Usage};

/// The station went down before the work was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed;

#[derive(Debug)]
enum Engine {
    OrderedStation(OrderedStation),
    SharedStation(SharedStation),
}

#[derive(Debug)]
struct Pending {
    done: Signal,
    result: Cell<Option<Result<ServiceSpan, Failed>>>,
}

#[derive(Debug)]
struct State {
    engine: Engine,
    pending: OrderedMap<DemandNumber, Rc<Pending>>,
    tickets: DemandNumber,
    is_up: bool,
    has_process: bool,
    log: StationLog,
    ended: Vec<(DemandNumber, ServiceSpan)>,
}

impl State {
    /// Resumes what has been served.
    fn resume_ended(&mut self) {
        for (ticket, service) in self.ended.drain(..) {
            if let Some(pending) = self.pending.remove(&ticket) {
                pending.result.set(Some(Ok(service)));
                pending.done.set();
            }
        }
    }
}

/// Parts of a station.
#[derive(Debug)]
pub struct StationTerms {
    /// Discipline that says which demand is served next.
    pub discipline: Discipline,
    /// Number of processors.
    pub processors: u32,
    /// Rate of each processor.
    pub rate: Rate,
    /// Extraneous work of others.
    pub extraneous: Option<Extraneous>,
    /// Instant from which usage counts.
    pub from: SimTime,
}

/// A station with a process.
#[derive(Debug)]
pub struct Served {
    /// Discipline that says which demand is served next.
    pub discipline: Discipline,
    name: Name,
    news: Signal,
    state: RefCell<State>,
}

impl Served {
    /// Nothing is there.
    pub fn new(name: impl Into<Name>, terms: StationTerms) -> Rc<Self> {
        let StationTerms { discipline, processors, rate, extraneous, from } = terms;
        let engine = match discipline {
            Discipline::Ps => Engine::SharedStation(SharedStation::new(processors, rate, extraneous, from)),
            other => Engine::OrderedStation(OrderedStation::new(other, processors, rate, extraneous, from)),
        };
        let state = State {
            engine,
            pending: OrderedMap::new(),
            tickets: 0,
            is_up: true,
            has_process: false,
            log: StationLog::new(SimTime::ZERO),
            ended: Vec::new(),
        };
        let name = name.into();
        Rc::new(Served { discipline, name, news: Signal::new("work"), state: RefCell::new(state) })
    }

    /// Work enters and is served to its end. Dropped before that, it leaves the line; what is being
    /// served by then in an order is served to its end.
    ///
    /// # Errors
    /// The station is down, or goes down before the work is done.
    pub async fn serve(
        self: &Rc<Self>,
        demand: StationDemand,
        traffic: StationTraffic,
    ) -> Result<ServiceSpan, Failed> {
        let pending = Rc::new(Pending { done: Signal::new("service"), result: Cell::new(None) });
        let ticket = {
            let mut state = self.state.borrow_mut();
            let State { engine, pending: all, tickets, is_up, ended, has_process, .. } = &mut *state;
            if !*is_up {
                return Err(Failed);
            }
            *tickets += 1;
            all.insert(*tickets, Rc::clone(&pending));
            match engine {
                Engine::OrderedStation(ordered) => ordered.enter(now(), *tickets, demand, traffic, ended),
                Engine::SharedStation(shared) => shared.enter(now(), (*tickets, traffic), demand.work, ended),
            }
            if !std::mem::replace(has_process, true) {
                spawn_daemon(self.name, bring_up_to_date(Rc::clone(self)));
            }
            *tickets
        };
        let visit = {
            let mut state = self.state.borrow_mut();
            state.resume_ended();
            state.log.enter(now())
        };
        self.news.set();
        let leaving = Leaving { station: self, ticket, visit };
        pending.done.wait().await;
        drop(leaving);
        pending.result.take().unwrap_or(Err(Failed))
    }

    /// Brings the station up to date but for what begins now, and resumes what has been served.
    fn advance(&self, to: SimTime) {
        let mut state = self.state.borrow_mut();
        let State { engine, ended, is_up, .. } = &mut *state;
        if *is_up {
            match engine {
                Engine::OrderedStation(ordered) => ordered.advance(to, ended),
                Engine::SharedStation(shared) => shared.advance(to, ended),
            }
        }
        state.resume_ended();
    }

    /// Returns true if something waits that can begin now.
    fn has_turn(&self) -> bool {
        match &self.state.borrow().engine {
            Engine::OrderedStation(ordered) => ordered.has_turn(),
            Engine::SharedStation(_) => false,
        }
    }

    /// Begins all services that can begin now.
    fn begin(&self) {
        self.advance(now());
        if let Engine::OrderedStation(ordered) = &mut self.state.borrow_mut().engine {
            ordered.begin();
        }
    }

    fn next(&self) -> Option<SimTime> {
        match &mut self.state.borrow_mut().engine {
            Engine::OrderedStation(ordered) => ordered.next_look(),
            Engine::SharedStation(shared) => shared.next_look(),
        }
    }

    /// The station goes down: what is here is lost, and what comes is refused.
    pub fn go_down(&self) {
        self.advance(now());
        let mut state = self.state.borrow_mut();
        let State { engine, pending, is_up, .. } = &mut *state;
        *is_up = false;
        let lost = match engine {
            Engine::OrderedStation(ordered) => ordered.fail(now()),
            Engine::SharedStation(shared) => shared.fail(now()),
        };
        for pending in lost.into_iter().filter_map(|ticket| pending.remove(&ticket)) {
            pending.result.set(Some(Err(Failed)));
            pending.done.set();
        }
    }

    /// The station is up again, with nothing in it.
    pub fn go_up(&self) {
        let mut state = self.state.borrow_mut();
        match &mut state.engine {
            Engine::OrderedStation(ordered) => ordered.lose_arrivals(now()),
            Engine::SharedStation(shared) => shared.lose_arrivals(now()),
        }
        state.is_up = true;
    }

    /// Returns true if it is up.
    pub fn is_up(&self) -> bool {
        self.state.borrow().is_up
    }

    /// The rate of each processor.
    pub fn rate(&self) -> Rate {
        match &self.state.borrow().engine {
            Engine::OrderedStation(ordered) => ordered.rate().clone(),
            Engine::SharedStation(shared) => shared.rate().clone(),
        }
    }

    /// The station as it is, to be looked at ahead.
    pub fn copy(&self) -> StationCopy {
        if self.state.borrow().pending.is_empty() {
            // what others did here without us is worked out once, not for each copy
            self.advance(now());
        }
        StationCopy::new(match &self.state.borrow().engine {
            Engine::OrderedStation(ordered) => CopiedEngine::Ordered(ordered.clone()),
            Engine::SharedStation(shared) => CopiedEngine::Shared(shared.clone()),
        })
    }

    /// Numbers of demands at the station, in line and served: of ours and of others.
    pub fn number(&self) -> [u64; 2] {
        self.advance(now());
        match &self.state.borrow().engine {
            Engine::OrderedStation(ordered) => ordered.number(),
            Engine::SharedStation(shared) => shared.number(),
        }
    }

    /// Work served up to now, the end of the run.
    pub fn usage(&self, at: SimTime) -> Usage {
        self.advance(at);
        match &mut self.state.borrow_mut().engine {
            Engine::OrderedStation(ordered) => ordered.usage(at),
            Engine::SharedStation(shared) => shared.usage(at),
        }
    }

    /// Returns true if Little's law holds on what was here of ours, as it must, up to an instant.
    pub fn identity_holds(&self, at: SimTime) -> bool {
        self.state.borrow().log.identity_holds(at)
    }
}

/// Leaves the station, served or dropped.
struct Leaving<'a> {
    station: &'a Served,
    ticket: DemandNumber,
    visit: Visit,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut state = self.station.state.borrow_mut();
        state.log.leave(now(), self.visit);
        if state.pending.remove(&self.ticket).is_some() {
            let State { engine, ended, .. } = &mut *state;
            match engine {
                Engine::OrderedStation(ordered) => ordered.withdraw(now(), self.ticket, ended),
                Engine::SharedStation(shared) => shared.withdraw(now(), self.ticket, ended),
            }
            state.resume_ended();
            // what it leaves behind may begin, or end, earlier
            self.station.news.set();
        }
    }
}

/// Sleeps until the next end that concerns us, or until work enters or leaves; then serves what is
/// next, after all that arrives at that instant: of senders whose packet has ended, and of tasks
/// that the scheduler places now.
async fn bring_up_to_date(station: Rc<Served>) {
    loop {
        match station.next() {
            Some(at) => drop(race(hold(at.since(now())), station.news.wait()).await),
            None => station.news.wait().await,
        }
        station.news.clear();
        station.advance(now());
        if station.has_turn() {
            settle().await;
            // behind the scheduler, which may have been asked since
            settle().await;
            station.begin();
        }
    }
}
