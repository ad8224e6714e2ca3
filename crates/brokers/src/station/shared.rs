//! A station that serves all at once: each of n has an equal part, and no more than one processor.
//!
//! What each has been served since the station was last empty is the same for all, so one number
//! orders the ends.
//!
//! Source: L. Kleinrock, "Time-shared systems: a theoretical treatment", JACM 14(2), 1967.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::station::extraneous::Extraneous;
use crate::station::ordered::DemandNumber;
use crate::station::rate::Rate;
use crate::station::usage::{ServiceSpan, StationTraffic, Usage};

#[derive(Clone, Copy, Debug)]
struct Inside {
    entered: SimTime,
    work: f64,
    of: Option<(DemandNumber, StationTraffic)>,
}

/// A station that is shared.
#[derive(Clone, Debug)]
pub(crate) struct SharedStation {
    rate: Rate,
    processors: f64,
    extraneous: Option<Extraneous>,
    /// Keyed by the service that each will have had in the end, as the bits of a number of 0 or
    /// more, then by order of arrival.
    inside: OrderedMap<(u64, u64), Inside>,
    keys: OrderedMap<DemandNumber, (u64, u64)>,
    arrivals: u64,
    /// Service that each has had since the station was empty.
    served: f64,
    /// Instant of that.
    at: SimTime,
    number: [u64; 3],
    /// Time of processors by kind of traffic \[s\], and work.
    busy: [f64; 3],
    work: [f64; 3],
    from: SimTime,
}

impl SharedStation {
    /// Nothing is there; usage is counted `from` an instant on.
    pub(crate) fn new(processors: u32, rate: Rate, extraneous: Option<Extraneous>, from: SimTime) -> Self {
        SharedStation {
            rate,
            processors: f64::from(processors),
            extraneous,
            inside: OrderedMap::new(),
            keys: OrderedMap::new(),
            arrivals: 0,
            served: 0.0,
            at: SimTime::ZERO,
            number: [0; 3],
            busy: [0.0; 3],
            work: [0.0; 3],
            from,
        }
    }

    /// The part of the station's rate that each has.
    fn part(&self) -> f64 {
        (self.processors / self.inside.len() as f64).min(1.0)
    }

    /// Lets time pass in which nothing comes or ends.
    fn pass(&mut self, to: SimTime) {
        if !self.inside.is_empty() && to > self.at {
            let part = self.part();
            self.served += self.rate.work(self.at, to) * part;
            let span = to.since(self.at.max(self.from)).as_secs_f64() * part;
            for (busy, number) in self.busy.iter_mut().zip(self.number) {
                *busy += span * number as f64;
            }
        }
        self.at = self.at.max(to);
    }

    fn add(&mut self, at: SimTime, work: f64, of: Option<(DemandNumber, StationTraffic)>) {
        self.pass(at);
        if self.inside.is_empty() {
            self.served = 0.0;
        }
        self.arrivals += 1;
        let key = ((self.served + work.max(0.0)).to_bits(), self.arrivals);
        self.inside.insert(key, Inside { entered: at, work, of });
        if let Some((ticket, _)) = of {
            self.keys.insert(ticket, key);
        }
        self.number[of.map_or(StationTraffic::Extraneous, |(_, traffic)| traffic) as usize] += 1;
    }

    /// A demand of ours arrives at `now`.
    pub(crate) fn enter(
        &mut self,
        now: SimTime,
        (ticket, traffic): (DemandNumber, StationTraffic),
        work: f64,
        ended: &mut Vec<(DemandNumber, ServiceSpan)>,
    ) {
        self.advance(now, ended);
        self.add(now, work, Some((ticket, traffic)));
    }

    /// A demand of ours leaves at `now`, with what is left of it.
    pub(crate) fn withdraw(
        &mut self,
        now: SimTime,
        ticket: DemandNumber,
        ended: &mut Vec<(DemandNumber, ServiceSpan)>,
    ) {
        self.advance(now, ended);
        self.pass(now);
        if let Some(inside) = self.keys.remove(&ticket).and_then(|key| self.inside.remove(&key)) {
            let traffic = inside.of.map_or(StationTraffic::Extraneous, |(_, traffic)| traffic);
            self.number[traffic as usize] -= 1;
        }
    }

    /// End of the next demand if no other comes.
    fn next_end(&mut self) -> Option<SimTime> {
        let ((target, _), _) = self.inside.first_key_value()?;
        let left = (f64::from_bits(*target) - self.served).max(0.0) / self.part();
        Some(self.rate.end(self.at, left))
    }

    /// Everything up to `to` and at it. Ends of ours are added to `ended`.
    pub(crate) fn advance(&mut self, to: SimTime, ended: &mut Vec<(DemandNumber, ServiceSpan)>) {
        loop {
            let end = self.next_end().filter(|end| *end <= to);
            let arrival = self.extraneous.as_mut().and_then(|others| others.next_by(end.unwrap_or(to)));
            match (arrival, end) {
                (Some(at), end) if end != Some(at) => {
                    let work = self.extraneous.as_mut().map_or(0.0, Extraneous::arrive);
                    self.add(at, work, None);
                }
                (_, Some(end)) => self.end(end, ended),
                _ => return,
            }
        }
    }

    fn end(&mut self, end: SimTime, ended: &mut Vec<(DemandNumber, ServiceSpan)>) {
        self.pass(end);
        let Some(((target, _), _)) = self.inside.first_key_value() else { return };
        let target = *target;
        // rounding an end up to a nanosecond serves none of the others more
        self.served = f64::from_bits(target);
        while let Some(entry) = self.inside.first_entry()
            && entry.key().0 == target
        {
            let Inside { entered, work, of } = entry.remove();
            let traffic = of.map_or(StationTraffic::Extraneous, |(_, traffic)| traffic);
            self.number[traffic as usize] -= 1;
            if end > self.from {
                self.work[traffic as usize] += work;
            }
            if let Some((ticket, _)) = of {
                self.keys.remove(&ticket);
                ended.push((ticket, ServiceSpan { start: entered, end }));
            }
        }
    }

    /// Instant at which the station is to be brought up to date for its demands of ours; `None` if
    /// it has none.
    pub(crate) fn next_look(&mut self) -> Option<SimTime> {
        if self.keys.is_empty() { None } else { self.next_end() }
    }

    /// Everything is lost at an instant to which the station has been brought up to date.
    pub(crate) fn fail(&mut self, at: SimTime) -> Vec<DemandNumber> {
        self.pass(at);
        self.inside.clear();
        self.number = [0; 3];
        std::mem::take(&mut self.keys).into_keys().collect()
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

    /// Numbers of demands here: of ours and of others.
    pub(crate) fn number(&self) -> [u64; 2] {
        let [own, probes, others] = self.number;
        [own + probes, others]
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
    pub(crate) fn usage(&mut self, now: SimTime) -> Usage {
        self.pass(now);
        Usage { busy: self.busy.map(SimDuration::ceil_secs), work: self.work }
    }
}
