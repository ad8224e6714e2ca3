//! A station of some processors that serves what waits in the order of a discipline.
//!
//! Demands that arrive at an instant are there before anything begins at it, so the first of all
//! that are there is served. To bring the station up to date at an instant is therefore two steps:
//! `OrderedStation::advance` does all but begin what has its turn, for which
//! `OrderedStation::begin` is called when nothing arrives any more. A demand that needs several
//! processors waits at the head of the line until they are free.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::station::extraneous::Extraneous;
use crate::station::order::{Discipline, Position, StationDemand, StationLine};
use crate::station::rate::Rate;
use crate::station::usage::{ServiceSpan, StationTraffic, Usage};

/// A demand of ours, by its number.
pub(crate) type DemandNumber = u64;

#[derive(Clone, Copy, Debug)]
struct RunningDemand {
    start: SimTime,
    demand: StationDemand,
    of: Option<(DemandNumber, StationTraffic)>,
}

/// A station that serves in order.
#[derive(Clone, Debug)]
pub(crate) struct OrderedStation {
    rate: Rate,
    extraneous: Option<Extraneous>,
    free: u32,
    /// By the end of service, then in order of start.
    running: OrderedMap<(SimTime, u64), RunningDemand>,
    started: u64,
    line: StationLine<Option<(DemandNumber, StationTraffic)>>,
    /// Positions of waiting demands of ours.
    positions: OrderedMap<DemandNumber, Position>,
    own_running: usize,
    /// The instant to which the station has been brought up to date, but for what begins at it.
    at: SimTime,
    usage: Usage,
    from: SimTime,
}

impl OrderedStation {
    /// Nothing is there; usage is counted `from` an instant on.
    pub(crate) fn new(
        discipline: Discipline,
        processors: u32,
        rate: Rate,
        extraneous: Option<Extraneous>,
        from: SimTime,
    ) -> Self {
        OrderedStation {
            rate,
            extraneous,
            free: processors,
            running: OrderedMap::new(),
            started: 0,
            line: StationLine::new(discipline),
            positions: OrderedMap::new(),
            own_running: 0,
            at: SimTime::ZERO,
            usage: Usage::default(),
            from,
        }
    }

    /// A demand of ours arrives at `now`. One of no work is over at once, if it can begin and
    /// nothing waits.
    pub(crate) fn enter(
        &mut self,
        now: SimTime,
        ticket: DemandNumber,
        demand: StationDemand,
        traffic: StationTraffic,
        ended: &mut Vec<(DemandNumber, ServiceSpan)>,
    ) {
        self.advance(now, ended);
        let is_idle = self.line.first().is_none() && demand.processors <= self.free;
        if is_idle && demand.work <= 0.0 {
            ended.push((ticket, ServiceSpan { start: now, end: now }));
            return;
        }
        let position = self.line.push(demand, Some((ticket, traffic)));
        self.positions.insert(ticket, position);
    }

    /// Takes a demand of ours out of the line at `now`; nothing if it is served or has been.
    pub(crate) fn withdraw(
        &mut self,
        now: SimTime,
        ticket: DemandNumber,
        ended: &mut Vec<(DemandNumber, ServiceSpan)>,
    ) {
        self.advance(now, ended);
        if let Some(position) = self.positions.remove(&ticket) {
            self.line.remove(position);
        }
    }

    /// Everything before `to`, and arrivals and ends of service at it. Ends of ours are added to
    /// `ended`.
    pub(crate) fn advance(&mut self, to: SimTime, ended: &mut Vec<(DemandNumber, ServiceSpan)>) {
        loop {
            let end = self.running.first_key_value().map(|((end, _), _)| *end).filter(|end| *end <= to);
            let arrival = self.extraneous.as_mut().and_then(|others| others.next_by(end.unwrap_or(to)));
            let next = arrival.or(end).unwrap_or(to);
            if next > self.at && self.has_turn() {
                // which may end before anything else happens
                self.begin();
                continue;
            }
            self.at = self.at.max(next);
            if let Some((_, others)) = arrival.zip(self.extraneous.as_mut()) {
                let demand = StationDemand { work: others.arrive(), priority: 0, flow: 0, processors: 1 };
                self.line.push(demand, None);
            } else if let Some(end) = end {
                while let Some(((at, number), running)) = self.running.pop_first() {
                    if at > end {
                        self.running.insert((at, number), running);
                        break;
                    }
                    self.end(running, end, ended);
                }
            } else {
                return;
            }
        }
    }

    fn end(
        &mut self,
        RunningDemand { start, demand, of }: RunningDemand,
        end: SimTime,
        ended: &mut Vec<(DemandNumber, ServiceSpan)>,
    ) {
        self.free += demand.processors;
        let service = ServiceSpan { start, end };
        let traffic = of.map_or(StationTraffic::Extraneous, |(_, traffic)| traffic);
        (0..demand.processors).for_each(|_| self.usage.add(traffic, service, 0.0, self.from));
        self.usage.add(traffic, ServiceSpan { start: end, end }, demand.work, self.from);
        if let Some((ticket, _)) = of {
            self.own_running -= 1;
            ended.push((ticket, service));
        }
    }

    /// Returns true if the first in line can begin.
    pub(crate) fn has_turn(&self) -> bool {
        self.line.first().is_some_and(|first| first.processors <= self.free)
    }

    /// Serves the first in line as long as there are processors, at the instant to which the
    /// station has been brought up to date.
    pub(crate) fn begin(&mut self) {
        while self.has_turn()
            && let Some((demand, of)) = self.line.pop()
        {
            self.free -= demand.processors;
            self.started += 1;
            if let Some((ticket, _)) = of {
                self.positions.remove(&ticket);
                self.own_running += 1;
            }
            let end = self.rate.end(self.at, demand.work / f64::from(demand.processors));
            self.running.insert((end, self.started), RunningDemand { start: self.at, demand, of });
        }
    }

    /// Instant at which the station is to be brought up to date for its demands of ours; `None` if
    /// it has none.
    pub(crate) fn next_look(&self) -> Option<SimTime> {
        if !self.positions.is_empty() {
            return self.running.first_key_value().map(|((end, _), _)| *end);
        }
        if self.own_running == 0 {
            return None;
        }
        self.running.iter().find(|(_, running)| running.of.is_some()).map(|((end, _), _)| *end)
    }

    /// Everything of ours and of others is lost at an instant to which the station has been brought
    /// up to date.
    pub(crate) fn fail(&mut self, at: SimTime) -> Vec<DemandNumber> {
        let mut lost = Vec::new();
        for (_, running) in std::mem::take(&mut self.running) {
            self.free += running.demand.processors;
            let service = ServiceSpan { start: running.start, end: at };
            let traffic = running.of.map_or(StationTraffic::Extraneous, |(_, traffic)| traffic);
            (0..running.demand.processors).for_each(|_| self.usage.add(traffic, service, 0.0, self.from));
            lost.extend(running.of.map(|(ticket, _)| ticket));
        }
        lost.extend(self.line.iter().filter_map(|(_, of)| of.map(|(ticket, _)| ticket)));
        self.line.clear();
        self.positions.clear();
        self.own_running = 0;
        lost
    }

    /// Others that arrive up to an instant are lost, as the station is down.
    pub(crate) fn lose_arrivals(&mut self, to: SimTime) {
        while let Some(others) = &mut self.extraneous
            && others.next_by(to).is_some()
        {
            others.arrive();
        }
        self.at = self.at.max(to);
    }

    /// Numbers of demands here, in line and served: of ours and of others.
    pub(crate) fn number(&self) -> [u64; 2] {
        let served = self.running.values().map(|running| running.of);
        let waiting = self.line.iter().map(|(_, of)| *of);
        let mut number = [0, 0];
        served.chain(waiting).for_each(|of| number[usize::from(of.is_none())] += 1);
        number
    }

    /// Rate of service.
    pub(crate) fn rate(&self) -> &Rate {
        &self.rate
    }

    /// Extraneous work of others at the station.
    pub(super) fn extraneous(&self) -> Option<&Extraneous> {
        self.extraneous.as_ref()
    }

    /// The same, to be asked for what comes next.
    pub(super) fn extraneous_mut(&mut self) -> Option<&mut Extraneous> {
        self.extraneous.as_mut()
    }

    /// Takes out what others are going to do here.
    pub(super) fn take_extraneous(&mut self) -> Option<Extraneous> {
        self.extraneous.take()
    }

    /// Work served up to `now`, to which the station has been brought up to date.
    pub(crate) fn usage(&self, now: SimTime) -> Usage {
        let mut usage = self.usage;
        for running in self.running.values() {
            let traffic = running.of.map_or(StationTraffic::Extraneous, |(_, traffic)| traffic);
            let service = ServiceSpan { start: running.start, end: now };
            (0..running.demand.processors).for_each(|_| usage.add(traffic, service, 0.0, self.from));
        }
        usage
    }
}
