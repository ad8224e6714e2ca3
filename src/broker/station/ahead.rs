//! Stations looked at ahead: when work will have been served that enters later, while nothing happens yet.
//!
//! A station that is looked at is copied, and the copy goes on as the station itself would. It knows all that is there at the instant,
//! in line and served. Of the work of others that is to come it knows nothing (there is none), what its law says in the mean
//! ([`expected`]), or all of it, as it is drawn from the same streams. Of work of ours there is only what is there, and what is asked
//! about.
//!
//! [`expected`]: crate::broker::station::expected

use crate::broker::outages::OutageChange;
use crate::broker::station::Extraneous;
use crate::broker::station::expected::ExpectedStation;
use crate::broker::station::fcfs::Fcfs;
use crate::broker::station::order::{Discipline, StationDemand};
use crate::broker::station::ordered::{DemandNumber, OrderedStation};
use crate::broker::station::rate::Rate;
use crate::broker::station::shared::SharedStation;
use crate::broker::station::usage::{ServiceSpan, StationTraffic};
use crate::kernel::SimTime;

/// The number of the first demand of a copy: the demands that a station has are far below.
const FIRST: DemandNumber = 1 << 63;

/// A station as it is at an instant, which goes on by itself.
#[derive(Clone, Debug)]
pub struct StationCopy {
    engine: CopiedEngine,
    demands: DemandNumber,
    ended: Vec<(DemandNumber, ServiceSpan)>,
}

/// The engine of a copy.
#[derive(Clone, Debug)]
pub(super) enum CopiedEngine {
    InOrder(Fcfs),
    Ordered(OrderedStation),
    Shared(SharedStation),
}

impl StationCopy {
    pub(super) fn new(engine: CopiedEngine) -> Self {
        StationCopy { engine, demands: FIRST, ended: Vec::new() }
    }

    /// Takes out the work of others that is to come.
    pub fn take_others(&mut self) -> Option<Extraneous> {
        match &mut self.engine {
            CopiedEngine::InOrder(fcfs) => fcfs.take_extraneous(),
            CopiedEngine::Ordered(ordered) => ordered.take_extraneous(),
            CopiedEngine::Shared(shared) => shared.take_extraneous(),
        }
    }

    /// The rate of each processor.
    pub fn rate(&self) -> &Rate {
        match &self.engine {
            CopiedEngine::InOrder(fcfs) => fcfs.rate(),
            CopiedEngine::Ordered(ordered) => ordered.rate(),
            CopiedEngine::Shared(shared) => shared.rate(),
        }
    }

    /// Everything up to an instant, but for what begins at it.
    pub fn advance(&mut self, to: SimTime) {
        match &mut self.engine {
            CopiedEngine::InOrder(fcfs) => fcfs.look(to),
            CopiedEngine::Ordered(ordered) => ordered.advance(to, &mut self.ended),
            CopiedEngine::Shared(shared) => shared.advance(to, &mut self.ended),
        }
    }

    /// Returns how many are there: of ours and of others.
    pub fn number(&self) -> [u64; 2] {
        match &self.engine {
            // what is open is not told apart
            CopiedEngine::InOrder(fcfs) => [u64::from(fcfs.is_busy()), 0],
            CopiedEngine::Ordered(ordered) => ordered.number(),
            CopiedEngine::Shared(shared) => shared.number(),
        }
    }

    /// All that is there is lost at an instant.
    fn fail(&mut self, at: SimTime) {
        self.advance(at);
        match &mut self.engine {
            CopiedEngine::InOrder(_) => {}
            CopiedEngine::Ordered(ordered) => drop(ordered.fail(at)),
            CopiedEngine::Shared(shared) => drop(shared.fail(at)),
        }
    }

    /// The station is up again at an instant, with nothing in it.
    fn repair(&mut self, at: SimTime) {
        match &mut self.engine {
            CopiedEngine::InOrder(_) => {}
            CopiedEngine::Ordered(ordered) => ordered.lose_arrivals(at),
            CopiedEngine::Shared(shared) => shared.lose_arrivals(at),
        }
    }

    /// Work of ours enters at an instant that is not before the last one, and is served: when it begins and ends.
    pub fn serve(&mut self, entry: SimTime, demand: StationDemand) -> ServiceSpan {
        // a station that never goes down serves what enters it
        let served = self.serve_until(None, entry, demand);
        served.unwrap_or(ServiceSpan { start: entry, end: entry })
    }

    /// The same on a station that goes down at an instant, if it does.
    ///
    /// # Errors
    /// The instant at which the station goes down, if the work is not done.
    fn serve_until(
        &mut self,
        down: Option<SimTime>,
        entry: SimTime,
        demand: StationDemand,
    ) -> Result<ServiceSpan, SimTime> {
        self.demands += 1;
        let (ticket, traffic) = (self.demands, StationTraffic::Own);
        match &mut self.engine {
            CopiedEngine::InOrder(fcfs) => return Ok(fcfs.enter(entry, demand.work, traffic).service),
            CopiedEngine::Ordered(ordered) => {
                ordered.enter(entry, ticket, demand, traffic, &mut self.ended);
            }
            CopiedEngine::Shared(shared) => {
                shared.enter(entry, (ticket, traffic), demand.work, &mut self.ended);
            }
        }
        loop {
            let mine = self.ended.iter().find(|(number, _)| *number == ticket).map(|(_, service)| *service);
            self.ended.clear();
            if let Some(service) = mine {
                return Ok(service);
            }
            // what is sent because something ended at the instant was there before
            let look = match &mut self.engine {
                CopiedEngine::InOrder(_) => None,
                CopiedEngine::Ordered(ordered) => {
                    ordered.begin();
                    ordered.next_look()
                }
                CopiedEngine::Shared(shared) => shared.next_look(),
            };
            let look = look.unwrap_or(SimTime::MAX);
            if let Some(down) = down.filter(|down| *down < look) {
                self.fail(down);
                return Err(down);
            }
            if look == SimTime::MAX {
                return Ok(ServiceSpan { start: look, end: look });
            }
            self.advance(look);
        }
    }

    /// The same by what is known of a server, which may be down.
    ///
    /// # Errors
    /// The instant at which the work is lost: its entry, or that at which the server goes down.
    pub fn serve_through(
        &mut self,
        (now, is_up): (SimTime, bool),
        entry: SimTime,
        demand: StationDemand,
        next: impl Fn(SimTime) -> Option<OutageChange>,
    ) -> Result<ServiceSpan, SimTime> {
        let (mut at, mut works) = (now, is_up);
        while let Some(change) = next(at).filter(|change| change.at <= entry) {
            if works && change.fails {
                self.fail(change.at);
                works = false;
            }
            if !works && change.works {
                self.repair(change.at);
            }
            (at, works) = (change.at, change.works);
        }
        if !works {
            return Err(entry);
        }
        let mut down = next(at);
        while let Some(change) = down.filter(|change| !change.fails) {
            down = next(change.at);
        }
        self.serve_until(down.map(|change| change.at), entry, demand)
    }
}

/// A station looked at ahead.
#[derive(Clone, Debug)]
pub enum StationAhead {
    /// Nothing is there and nothing else comes: work is divided among so many processors at most.
    Alone(Rate, u32),
    /// All that is there goes on, with all that its copy knows of others.
    Copied(Box<StationCopy>),
    /// Others come as their law says in the mean.
    Expected(Box<ExpectedStation>),
}

impl StationAhead {
    /// A station on which nothing is, of some processors.
    pub fn alone(rate: Rate, discipline: Discipline, processors: u32) -> Self {
        // what is shared gives each one processor at most
        StationAhead::Alone(rate, if discipline == Discipline::Ps { 1 } else { processors })
    }

    /// A station as it is now, with all that others are going to do on it.
    pub fn known(copy: StationCopy) -> Self {
        StationAhead::Copied(Box::new(copy))
    }

    /// A station as it is now, on which others do what their law says in the mean.
    pub fn expected(
        mut copy: StationCopy,
        now: SimTime,
        (discipline, processors): (Discipline, u32),
    ) -> Self {
        copy.advance(now);
        match copy.take_others().filter(|others| others.level() < others.law().capacity) {
            None => StationAhead::Copied(Box::new(copy)),
            Some(others) => {
                let station = ExpectedStation::new(copy, now, &others, (discipline, processors));
                StationAhead::Expected(Box::new(station))
            }
        }
    }

    /// Work enters at an instant that is not before the last one, and is served: when it begins and ends.
    pub fn serve(&mut self, entry: SimTime, demand: StationDemand) -> ServiceSpan {
        match self {
            StationAhead::Alone(rate, most) => {
                let processors = demand.processors.min(*most).max(1);
                ServiceSpan { start: entry, end: rate.end(entry, demand.work / f64::from(processors)) }
            }
            StationAhead::Copied(copy) => copy.serve(entry, demand),
            StationAhead::Expected(expected) => expected.serve(entry, demand),
        }
    }

    /// The same on a server that goes down and up, as in [`StationCopy::serve_through`]; only a station that is copied does.
    ///
    /// # Errors
    /// The instant at which the work is lost.
    pub fn serve_through(
        &mut self,
        state: (SimTime, bool),
        entry: SimTime,
        demand: StationDemand,
        next: impl Fn(SimTime) -> Option<OutageChange>,
    ) -> Result<ServiceSpan, SimTime> {
        match self {
            StationAhead::Copied(copy) => copy.serve_through(state, entry, demand, next),
            other => Ok(other.serve(entry, demand)),
        }
    }

    /// Returns true if whatever enters from an instant on is alone there, and always served as fast.
    pub fn is_lone(&mut self, at: SimTime) -> bool {
        match self {
            StationAhead::Alone(rate, _) => matches!(rate, Rate::Constant(_)),
            StationAhead::Expected(_) => false,
            StationAhead::Copied(copy) => {
                let has_others = match &copy.engine {
                    CopiedEngine::InOrder(fcfs) => fcfs.extraneous().is_some(),
                    CopiedEngine::Ordered(ordered) => ordered.extraneous().is_some(),
                    CopiedEngine::Shared(shared) => shared.extraneous().is_some(),
                };
                if has_others || !matches!(copy.rate(), Rate::Constant(_)) {
                    return false;
                }
                copy.advance(at);
                copy.number() == [0, 0]
            }
        }
    }

    /// The rate of a sender in the long run that has one packet of this size in the station at all times \[work/s\], by what is there
    /// at an instant.
    pub fn sustained(&self, at: SimTime, packet: f64) -> f64 {
        match self {
            StationAhead::Alone(rate, _) => rate.at(at),
            StationAhead::Copied(copy) => copy.rate().at(at),
            StationAhead::Expected(expected) => expected.sustained(at, packet),
        }
    }

    /// The same station at the rate of an instant, and as busy with others as it is in the long run: with nothing of ours.
    pub fn settled(&mut self, at: SimTime) {
        match self {
            StationAhead::Expected(expected) => expected.settle(at),
            StationAhead::Alone(rate, _) => *rate = Rate::Constant(rate.at(at)),
            StationAhead::Copied(copy) => {
                *self = StationAhead::Alone(Rate::Constant(copy.rate().at(at)), 1);
            }
        }
    }
}
