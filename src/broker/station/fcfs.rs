//! First come, first served, one at a time: when a service ends is known when its packet enters.
//!
//! So one wait a packet is all that a station costs, and others' packets cost no event: they are served in the order of their arrival
//! when the station is next looked at. What arrives at the same instant as a packet of ours was there before it.
//!
//! Source: D. V. Lindley, "The theory of queues with a single server", Proc. Cambridge Phil. Soc. 48, 1952 (the recursion).

use std::collections::VecDeque;

use crate::broker::station::extraneous::Extraneous;
use crate::broker::station::rate::Rate;
use crate::broker::station::usage::{ServiceSpan, StationTraffic, Usage};
use crate::kernel::SimTime;

/// A station that serves one after the other.
#[derive(Debug)]
pub struct Fcfs {
    rate: Rate,
    extraneous: Option<Extraneous>,
    /// When all that is there has been served.
    free: SimTime,
    /// Services of ours that have not ended when the station was last looked at, in order.
    open: VecDeque<(StationTraffic, ServiceSpan)>,
    usage: Usage,
    /// When the window of `usage` begins.
    from: SimTime,
}

impl Fcfs {
    /// Nothing is there; usage is counted `from` an instant on.
    pub fn new(rate: Rate, extraneous: Option<Extraneous>, from: SimTime) -> Self {
        Fcfs { rate, extraneous, free: SimTime::ZERO, open: VecDeque::new(), usage: Usage::default(), from }
    }

    /// A packet enters at `now`, which is not before the last look.
    #[inline]
    pub fn enter(&mut self, now: SimTime, work: f64, traffic: StationTraffic) -> ServiceSpan {
        self.look(now);
        let service = self.serve(now, work, traffic);
        self.open.push_back((traffic, service));
        service
    }

    /// Lets others arrive up to an instant.
    #[inline]
    pub fn look(&mut self, now: SimTime) {
        while self.open.front().is_some_and(|(_, service)| service.end <= now) {
            self.open.pop_front();
        }
        while let Some(extraneous) = &mut self.extraneous
            && let Some(at) = extraneous.next_by(now)
        {
            let work = extraneous.arrive();
            self.serve(at, work, StationTraffic::Extraneous);
        }
    }

    #[inline]
    fn serve(&mut self, at: SimTime, work: f64, traffic: StationTraffic) -> ServiceSpan {
        let start = at.max(self.free);
        let service = ServiceSpan { start, end: self.rate.end(start, work) };
        self.free = service.end;
        self.usage.add(traffic, service, work, self.from);
        service
    }

    /// When a packet that entered at `entry`, or as soon as the last look, would leave if no other came.
    pub fn would_end(&mut self, entry: SimTime, work: f64) -> SimTime {
        self.rate.end(self.free.max(entry), work)
    }

    /// How fast it serves.
    pub fn rate(&self) -> &Rate {
        &self.rate
    }

    /// What others do here.
    pub fn extraneous(&self) -> Option<&Extraneous> {
        self.extraneous.as_ref()
    }

    /// What was served up to `now`, the end of the run; then the station is of no further use.
    pub fn usage(&mut self, now: SimTime) -> Usage {
        self.look(now);
        let mut usage = self.usage;
        // it serves without a break until it is free
        let mut beyond = self.free.since(now.max(self.from));
        for (traffic, service) in &self.open {
            let own = service.clipped(now.max(self.from), SimTime::MAX);
            let busy = &mut usage.busy[*traffic as usize];
            *busy = busy.saturating_sub(own);
            beyond = beyond.saturating_sub(own);
        }
        let others = &mut usage.busy[StationTraffic::Extraneous as usize];
        *others = others.saturating_sub(beyond);
        usage
    }
}
