//! First come, first served, one at a time: when a service ends is known when its packet enters.
//!
//! So one wait a packet is all that a station costs, and others' packets cost no event: they are
//! served in the order of their arrival when the station is next looked at. What arrives at the
//! same instant as a packet of ours was there before it. Only a packet that leaves the line
//! unserved moves others: all behind it are then served earlier.
//!
//! Source: D. V. Lindley, "The theory of queues with a single server", Proc. Cambridge Phil. Soc.
//! 48, 1952 (the recursion).

use std::collections::VecDeque;

use crate::kernel::SimTime;
use crate::station::copy::{CopiedEngine, StationCopy};
use crate::station::extraneous::Extraneous;
use crate::station::ordered::DemandNumber;
use crate::station::rate::Rate;
use crate::station::usage::{ServiceSpan, StationTraffic, Usage};

/// A service that has not ended when the station was last looked at.
#[derive(Clone, Copy, Debug)]
struct OpenService {
    number: DemandNumber,
    traffic: StationTraffic,
    entered: SimTime,
    work: f64,
    service: ServiceSpan,
}

/// Facts known of a packet of ours when it enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EnteredPacket {
    /// Number of the packet at the station.
    pub number: DemandNumber,
    /// Service of the packet, if nothing leaves the line before it.
    pub service: ServiceSpan,
    /// True if a packet of ours may leave the line before it.
    pub may_move: bool,
}

/// A station that serves one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Fcfs {
    rate: Rate,
    extraneous: Option<Extraneous>,
    /// End of the last service that is not open.
    ended: SimTime,
    /// The services that are open, of ours and of others, in order.
    open: VecDeque<OpenService>,
    /// Packets of ours so far, and when the service of the last one was to begin.
    entered: (DemandNumber, SimTime),
    usage: Usage,
    /// Instant at which the window of `usage` begins.
    from: SimTime,
}

impl Fcfs {
    /// Nothing is there; usage is counted `from` an instant on.
    pub(crate) fn new(rate: Rate, extraneous: Option<Extraneous>, from: SimTime) -> Self {
        Fcfs {
            rate,
            extraneous,
            ended: SimTime::ZERO,
            open: VecDeque::new(),
            entered: (0, SimTime::ZERO),
            usage: Usage::default(),
            from,
        }
    }

    /// A packet enters at `now`, which is not before the last look.
    #[inline]
    pub(crate) fn enter(&mut self, now: SimTime, work: f64, traffic: StationTraffic) -> EnteredPacket {
        self.look(now);
        let (last, begins) = self.entered;
        let number = last + 1;
        let service = self.serve(OpenService {
            number,
            traffic,
            entered: now,
            work,
            service: ServiceSpan { start: now, end: now },
        });
        self.entered = (number, service.start);
        EnteredPacket { number, service, may_move: begins >= now }
    }

    /// Lets others arrive up to an instant.
    #[inline]
    pub(crate) fn look(&mut self, now: SimTime) {
        while let Some(extraneous) = &mut self.extraneous
            && let Some(at) = extraneous.next_by(now)
        {
            let work = extraneous.arrive();
            self.close(at);
            let service = ServiceSpan { start: at, end: at };
            self.serve(OpenService {
                number: 0,
                traffic: StationTraffic::Extraneous,
                entered: at,
                work,
                service,
            });
        }
        self.close(now);
    }

    /// Counts what has ended by an instant.
    #[inline]
    fn close(&mut self, now: SimTime) {
        while let Some(OpenService { traffic, work, service, .. }) = self.open.front().copied()
            && service.end <= now
        {
            self.open.pop_front();
            self.ended = service.end;
            self.usage.add(traffic, service, work, self.from);
        }
    }

    /// Instant at which all that is at the station has been served.
    #[inline]
    fn free(&self) -> SimTime {
        self.open.back().map_or(self.ended, |last| last.service.end)
    }

    /// Puts something behind all that is there.
    #[inline]
    fn serve(&mut self, mut new: OpenService) -> ServiceSpan {
        let start = new.entered.max(self.free());
        new.service = ServiceSpan { start, end: self.rate.end(start, new.work) };
        self.open.push_back(new);
        new.service
    }

    /// A packet of ours leaves at `now`: one that is not served by then leaves the line, and those
    /// behind it move up. Returns true if it did.
    pub(crate) fn withdraw(&mut self, now: SimTime, number: DemandNumber) -> bool {
        self.look(now);
        let place = self.open.iter().position(|open| open.number == number && open.service.start >= now);
        let Some(place) = place else { return false };
        let behind = self.open.split_off(place);
        for open in behind.into_iter().skip(1) {
            self.serve(open);
        }
        true
    }

    /// The service of a packet of ours that has not ended when the station was last looked at.
    pub(crate) fn service(&self, number: DemandNumber) -> Option<ServiceSpan> {
        self.open.iter().find(|open| open.number == number).map(|open| open.service)
    }

    /// The station as it is, to be looked at ahead.
    pub(crate) fn copy(&self) -> StationCopy {
        StationCopy::new(CopiedEngine::InOrder(self.clone()))
    }

    /// Rate of service.
    pub(crate) fn rate(&self) -> &Rate {
        &self.rate
    }

    /// Extraneous work of others at the station.
    pub(crate) fn extraneous(&self) -> Option<&Extraneous> {
        self.extraneous.as_ref()
    }

    /// Takes out what others are going to do here.
    pub(super) fn take_extraneous(&mut self) -> Option<Extraneous> {
        self.extraneous.take()
    }

    /// Returns true if something was here that had not been served when the station was last looked
    /// at.
    pub(super) fn is_busy(&self) -> bool {
        !self.open.is_empty()
    }

    /// Usage of the station up to `now`, the end of the run; all of the work that was on its way
    /// then counts.
    pub(crate) fn usage(&mut self, now: SimTime) -> Usage {
        self.look(now);
        let mut usage = self.usage;
        for OpenService { traffic, work, service, .. } in &self.open {
            let served = ServiceSpan { start: service.start.min(now), end: now };
            usage.add(*traffic, served, 0.0, self.from);
            usage.work[*traffic as usize] += work;
        }
        usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimDuration;

    fn secs(secs: u64) -> SimTime {
        SimTime::from_secs(secs).expect("in range")
    }

    #[test]
    fn what_leaves_the_line_takes_nothing_of_the_station() {
        let mut fcfs = Fcfs::new(Rate::Constant(1.0), None, SimTime::ZERO);
        let first = fcfs.enter(secs(0), 4.0, StationTraffic::Own);
        let [second, third] = [3.0, 2.0].map(|work| fcfs.enter(secs(1), work, StationTraffic::Own));
        assert_eq!([second.may_move, third.may_move], [false, true]);
        assert_eq!(third.service, ServiceSpan { start: secs(7), end: secs(9) });
        // the first one is served: it is, to its end
        assert!(!fcfs.withdraw(secs(2), first.number) && fcfs.withdraw(secs(2), second.number));
        assert_eq!(fcfs.service(third.number), Some(ServiceSpan { start: secs(4), end: secs(6) }));
        let usage = fcfs.usage(secs(5));
        assert_eq!((usage.total(), usage.work), (SimDuration::from_secs(5), [6.0, 0.0, 0.0]));
    }

    #[test]
    fn what_would_begin_at_an_instant_may_leave_at_it() {
        let mut fcfs = Fcfs::new(Rate::Constant(1.0), None, SimTime::ZERO);
        fcfs.enter(secs(0), 4.0, StationTraffic::Own);
        let [second, third] = [1.0, 1.0].map(|work| fcfs.enter(secs(1), work, StationTraffic::Probe));
        assert!(fcfs.withdraw(secs(4), second.number));
        assert_eq!(fcfs.service(third.number), Some(ServiceSpan { start: secs(4), end: secs(5) }));
    }
}
