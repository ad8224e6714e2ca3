//! A copy of a station, which goes on by itself from an instant: what would come of more work
//! there.

use crate::kernel::SimTime;
use crate::outages::ServerOutages;
use crate::station::Extraneous;
use crate::station::fcfs::Fcfs;
use crate::station::order::StationDemand;
use crate::station::ordered::{DemandNumber, OrderedStation};
use crate::station::rate::Rate;
use crate::station::shared::SharedStation;
use crate::station::usage::{ServiceSpan, StationTraffic};

/// The end of a look ahead at a station, which may have no end of its own: where others send more
/// than is served, work that shares the station or is behind them takes longer the longer it takes.
#[derive(Clone, Copy, Debug)]
pub struct LookLimit {
    /// Instant from which on nothing need be worked out.
    pub bound: SimTime,
    /// As many others as have gathered at the station while work of ours is there, once a hundred
    /// times as many have come or gone, keep it there for good.
    pub patience: u64,
}

/// Arrivals and ends to each of the others that may gather.
const STEPS: u64 = 100;

impl LookLimit {
    /// All is worked out.
    pub const NONE: LookLimit = LookLimit { bound: SimTime::MAX, patience: u64::MAX };
}

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

    /// The next arrival of others, if it is before an instant.
    fn next_arrival(&mut self, before: SimTime) -> Option<SimTime> {
        let others = match &mut self.engine {
            CopiedEngine::InOrder(_) => return None,
            CopiedEngine::Ordered(ordered) => ordered.extraneous_mut(),
            CopiedEngine::Shared(shared) => shared.extraneous_mut(),
        };
        others?.next_by(before).filter(|at| *at < before)
    }

    /// Work of ours enters at an instant that is not before the last one, and is served: when it
    /// begins and ends. The end of time, if that is past a limit.
    pub fn serve(&mut self, entry: SimTime, demand: StationDemand, limit: LookLimit) -> ServiceSpan {
        // a station that never goes down serves what enters it
        let served = self.serve_until(None, entry, demand, limit);
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
        limit: LookLimit,
    ) -> Result<ServiceSpan, SimTime> {
        let never = ServiceSpan { start: entry, end: SimTime::MAX };
        let (mut steps, [_, before]) = (0_u64, self.number());
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
            let next = self.next_arrival(look.min(limit.bound)).unwrap_or(look);
            if let Some(down) = down.filter(|down| *down < next) {
                self.fail(down);
                return Err(down);
            }
            // with no end in sight, arrivals make it no nearer
            if look == SimTime::MAX || next >= limit.bound {
                return Ok(never);
            }
            steps += 1;
            if steps.is_multiple_of(limit.patience)
                && steps / limit.patience >= STEPS
                && self.number()[1].saturating_sub(before) > limit.patience
            {
                return down.map_or(Ok(never), Err);
            }
            self.advance(next);
        }
    }

    /// The same by what is known of a server, which may be down.
    ///
    /// # Errors
    /// The instant at which the work is lost: its entry, or that at which the server goes down.
    pub fn serve_through(
        &mut self,
        outages: &ServerOutages,
        now: SimTime,
        (entry, demand, limit): (SimTime, StationDemand, LookLimit),
    ) -> Result<ServiceSpan, SimTime> {
        let (mut at, mut works) = (now, outages.is_up(now));
        while let Some(change) = outages.next_change(at).filter(|change| change.at <= entry) {
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
        self.serve_until(outages.next_failure(at), entry, demand, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimDuration;
    use crate::kernel::rng::Streams;
    use crate::kernel::rng::distribution::{Exponential, Sampler};
    use crate::station::{Discipline, ExtraneousLaw, ExtraneousStreams};

    /// A station that serves 1 a second, to which others bring so much in a second.
    fn copy(discipline: Discipline, brought: f64) -> StationCopy {
        let law = |mean| Sampler::new(Exponential::new(mean).expect("positive"));
        let (size, gaps) = (law(1.0), law(1.0));
        let law = ExtraneousLaw { capacity: brought, actual: 0.0, size, gaps, spread: None };
        let others = Some(Extraneous::new(law, ExtraneousStreams::new(&Streams::new(5, 0), "s")));
        let (rate, from) = (Rate::Constant(1.0), SimTime::ZERO);
        StationCopy::new(match discipline {
            Discipline::Ps => CopiedEngine::Shared(SharedStation::new(1, rate, others, from)),
            other => CopiedEngine::Ordered(OrderedStation::new(other, 1, rate, others, from)),
        })
    }

    /// The end of work that enters among others.
    fn served(brought: f64, work: f64, discipline: Discipline, limit: LookLimit) -> SimTime {
        let demand = StationDemand { work, priority: 0, flow: u64::MAX, processors: 1 };
        copy(discipline, brought).serve(SimTime::from_nanos(20_000_000_000), demand, limit).end
    }

    const WAITS: [Discipline; 2] = [Discipline::Ps, Discipline::Sjf];

    #[test]
    fn work_behind_more_than_is_served_is_given_up_as_others_gather() {
        // shared among ever more it would be served after some e^300 s
        let limit = LookLimit { patience: 100, ..LookLimit::NONE };
        assert_eq!(WAITS.map(|discipline| served(4.0, 100.0, discipline, limit)), [SimTime::MAX; 2]);
        // what others send later is behind it
        assert!(served(4.0, 100.0, Discipline::Fcfs, limit) < SimTime::MAX);
    }

    #[test]
    fn work_behind_as_much_as_is_served_is_worked_out_to_its_end() {
        for discipline in WAITS {
            let end = served(0.5, 2000.0, discipline, LookLimit::NONE);
            let limit = |bound, patience| LookLimit { bound, patience };
            let at = |nanos| end + SimDuration::from_nanos(nanos);
            // more than a thousand others come and go, and do not gather
            assert_eq!(served(0.5, 2000.0, discipline, limit(at(1), 10)), end);
            assert_eq!(served(0.5, 2000.0, discipline, limit(at(0), u64::MAX)), SimTime::MAX);
        }
    }
}
