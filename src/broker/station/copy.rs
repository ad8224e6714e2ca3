//! A copy of a station, which goes on by itself from an instant: what would come of more work there.

use crate::broker::outages::OutageChange;
use crate::broker::station::Extraneous;
use crate::broker::station::fcfs::Fcfs;
use crate::broker::station::order::StationDemand;
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

    /// Returns true if work of others is still to come.
    pub(super) fn has_others(&self) -> bool {
        match &self.engine {
            CopiedEngine::InOrder(fcfs) => fcfs.extraneous().is_some(),
            CopiedEngine::Ordered(ordered) => ordered.extraneous().is_some(),
            CopiedEngine::Shared(shared) => shared.extraneous().is_some(),
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
