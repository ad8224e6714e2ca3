//! Duration of a task on a server: one answer for all who ask.
//!
//! A task sends its arguments, waits for its server, is served, and its results come back. When
//! they are back is worked out hop by hop, as it happens: one packet is outstanding, so the next
//! enters the first queue when the one before it has left the last. A packet is stored and
//! forwarded at each queue, and travels the latency behind it. The last packet is what is left, and
//! 0 bytes take the latencies alone. A transfer over several queues therefore takes, for each of
//! its packets, the sum of its times in all of them, not the time in the slowest.
//!
//! Answers differ only in what is known of the stations on the way ([`Foresight`]):
//!
//! | | a station is | who asks |
//! |---|---|---|
//! | `Built` | idle, at its nominal rate | deadlines; `nominal` predictions, missing measurements |
//! | `Alone` | idle, at its rate of each instant | slowdown: 1 is alone on its fastest server |
//! | `Expected` | as now, with others in the mean | the predictor `perfect`, free readings |
//! | `Known` | as now, with others and outages to come | `oracle`, regret, explanations |
//!
//! So a task alone on idle queues takes the same in all four, to the nanosecond. `Expected` is a
//! mean where others send; `Known` is what will happen, unless further work of ours comes: no
//! packet of another task, or of a probe, that is not in a queue yet. Only runs know that.
//!
//! A *figure* of a path is what a probe through the same queues finds in the long run
//! ([`Lookahead::figures`]): the bytes of a packet over the time in which it passes all queues. Who
//! has only figures divides by them (`TransferFigures`). The time that packets travel between
//! queues is in the bandwidth; it is taken out again where packets are not those that were
//! measured, as it is the same for small and for large ones.
//!
//! Sources: A. Takefusa and others, HPDC 1999, section 3.3, steps (7) to (10). What others leave is
//! in `expected`.

use crate::call::Call;
use crate::environment::Environment;
use crate::info::{NetworkInfo, Path, PathDirection, ServerNumber};
use crate::kernel::{SimDuration, SimTime, now, patience};
use crate::station::{LookLimit, Rate, StationAhead, StationDemand};

/// The knowledge of the stations on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foresight {
    /// Idle stations, as they were built.
    Built,
    /// Idle stations that serve as they do at each instant.
    Alone,
    /// Stations as they are now, where others do what their laws say in the mean.
    Expected,
    /// Stations as they are now, where others do what they are going to do.
    Known,
}

/// The instants of a task on a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The arrival of its arguments.
    pub arrived: SimTime,
    /// The end of its service.
    pub ended: SimTime,
    /// The arrival of its results; the end of time, if that is not before the bound.
    pub back: SimTime,
}

/// A task is lost on a server, as that is down or goes down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostAt(pub SimTime);

/// Queues and servers looked at ahead, for one task.
#[derive(Debug)]
pub struct Lookahead<'a> {
    environment: &'a Environment,
    foresight: Foresight,
    /// The queues on the way so far, by number.
    queues: Vec<(usize, StationAhead)>,
    /// Nothing that is not before this instant need be worked out.
    bound: SimTime,
}

/// A queue on the way: its place among those looked at, and what a packet travels behind it.
type Hop = (usize, SimDuration);

impl<'a> Lookahead<'a> {
    /// Nothing has been looked at.
    pub fn new(environment: &'a Environment, foresight: Foresight) -> Self {
        Lookahead { environment, foresight, queues: Vec::new(), bound: SimTime::MAX }
    }

    /// The same, of which only what is before an instant is of interest.
    #[must_use]
    pub fn before(self, bound: SimTime) -> Self {
        Lookahead { bound, ..self }
    }

    /// A task is sent to a server at an instant, now or, where stations are idle, at any.
    ///
    /// # Errors
    /// The task is lost there; only `Known` knows that.
    pub fn complete(
        &mut self,
        call: &Call,
        server: ServerNumber,
        from: SimTime,
    ) -> Result<Completion, LostAt> {
        let there = Path { client: call.client, server, direction: PathDirection::Send };
        let arrived = self.carry(there, (call.send, call.priority), from);
        self.serve(call, server, arrived)
    }

    /// A task has arrived at a server at an instant.
    ///
    /// # Errors
    /// The task is lost there.
    pub fn serve(
        &mut self,
        call: &Call,
        server: ServerNumber,
        arrived: SimTime,
    ) -> Result<Completion, LostAt> {
        let mut completion = Completion { arrived, ended: arrived, back: SimTime::MAX };
        if arrived >= self.bound {
            return Ok(completion);
        }
        let Call { client, receive, instructions, priority, processors, .. } = *call;
        let demand = StationDemand { work: instructions, priority, flow: u64::MAX, processors };
        let mut station = self.environment.server_ahead(server, self.foresight);
        completion.ended = match (self.foresight, self.environment.outages(server)) {
            (Foresight::Known, Some(outages)) => {
                let entry = (arrived, demand, self.limit());
                station.serve_through(outages, now(), entry).map_err(LostAt)?.end
            }
            _ => station.serve(arrived, demand, self.limit()).end,
        };
        let back = Path { client, server, direction: PathDirection::Receive };
        completion.back = self.carry(back, (receive, priority), completion.ended);
        Ok(completion)
    }

    /// The arrival of data that is sent along a path from an instant on, with its priority.
    pub fn carry(&mut self, path: Path, (bytes, priority): (f64, i64), from: SimTime) -> SimTime {
        if from >= self.bound {
            return SimTime::MAX;
        }
        let hops = self.hops(path);
        if bytes <= 0.0 {
            return hops.iter().fold(from, |at, (_, latency)| at.saturating_add(*latency));
        }
        let packet = self.environment.packet;
        let (mut left, mut at) = (bytes, from);
        while left > 0.0 {
            at = self.pass(&hops, (left.min(packet), priority), at);
            left = (left - packet).max(0.0);
            if at >= self.bound {
                return SimTime::MAX;
            }
            // whole packets that are alone all take what this one would take now
            if left > packet && hops.iter().all(|(place, _)| self.queues[*place].1.is_lone(at)) {
                let begun = at;
                at = self.pass(&hops, (packet, priority), at);
                left -= packet;
                let more = ((left / packet).ceil() - 1.0).max(0.0);
                let span = at.since(begun).checked_mul(more as u64).unwrap_or(SimDuration::MAX);
                at = at.saturating_add(span);
                left -= more * packet;
            }
        }
        at.saturating_add(hops.last().map_or(SimDuration::ZERO, |(_, latency)| *latency))
    }

    /// The end of the look at each station.
    fn limit(&self) -> LookLimit {
        match self.foresight {
            Foresight::Known => LookLimit { bound: self.bound, patience: patience() },
            _ => LookLimit::NONE,
        }
    }

    /// A packet passes all queues of a route; the latency behind the last one is left out.
    fn pass(&mut self, hops: &[Hop], (bytes, priority): (f64, i64), from: SimTime) -> SimTime {
        let demand = StationDemand { work: bytes, priority, flow: u64::MAX, processors: 1 };
        let mut at = from;
        for (place, (queue, latency)) in hops.iter().enumerate() {
            let limit = self.limit();
            at = self.queues[*queue].1.serve(at, demand, limit).end;
            if at == SimTime::MAX {
                return at;
            }
            if place + 1 < hops.len() {
                at = at.saturating_add(*latency);
            }
        }
        at
    }

    fn hops(&mut self, path: Path) -> Vec<Hop> {
        let network = &self.environment.network;
        let hops = network.described(path).iter().enumerate();
        hops.map(|(place, described)| {
            let number = described.number;
            let known = self.queues.iter().position(|(other, _)| *other == number);
            let queue = known.unwrap_or_else(|| {
                let ahead = match self.foresight {
                    Foresight::Built => StationAhead::Alone(Rate::Constant(described.nominal), 1),
                    Foresight::Alone => StationAhead::Alone(described.rate.clone(), 1),
                    foresight => network.queue_ahead(path, place, foresight),
                };
                self.queues.push((number, ahead));
                self.queues.len() - 1
            });
            (queue, described.latency)
        })
        .collect()
    }

    /// The figures that a probe of packets of `packet` bytes finds of a path in the long run, if it
    /// is the only work of ours and rates stay as they are at this instant.
    pub fn figures(&mut self, path: Path, packet: f64) -> NetworkInfo {
        let time = if self.foresight == Foresight::Built { SimTime::ZERO } else { now() };
        let hops = self.hops(path);
        let latency: f64 = hops.iter().map(|(_, latency)| latency.as_secs_f64()).sum();
        let bandwidth = match hops[..] {
            [(only, _)] => self.queues[only].1.sustained(time, packet),
            _ => packet / self.cycle(&hops, packet, time).as_secs_f64(),
        };
        NetworkInfo { time, bandwidth, latency }
    }

    /// The time from one packet to the next of a sender that never stops.
    fn cycle(&mut self, hops: &[Hop], packet: f64, at: SimTime) -> SimDuration {
        /// Packets after which it is taken to have settled, as it has long before where others take
        /// 99 %.
        const MOST: u32 = 1000;
        self.queues.iter_mut().for_each(|(_, queue)| queue.settled(at));
        let (mut left, mut before) = (at, SimDuration::ZERO);
        for _ in 0..MOST {
            let next = self.pass(hops, (packet, 0), left);
            let cycle = next.since(left);
            if cycle.as_nanos().abs_diff(before.as_nanos()) <= 1 {
                return cycle;
            }
            (left, before) = (next, cycle);
        }
        before
    }
}

/// A path in figures, as they were measured or predicted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct TransferFigures {
    /// The figures.
    pub info: NetworkInfo,
    /// Bytes of a packet.
    pub packet: f64,
    /// Seconds that a packet travels between the queues of the path.
    pub between: f64,
}

impl TransferFigures {
    /// Seconds that data takes: packets x travel between queues + bytes / bandwidth + latency,
    /// where the travel is taken out of the bandwidth and the latency, which have it. On a path of
    /// one queue bytes / bandwidth + latency.
    pub(crate) fn seconds(&self, bytes: f64) -> f64 {
        let TransferFigures { info: NetworkInfo { bandwidth, latency, .. }, packet, between } = *self;
        if between <= 0.0 || bytes <= 0.0 {
            return bytes / bandwidth + latency;
        }
        let byte = (bandwidth.recip() - between / packet).max(0.0);
        (bytes / packet).ceil() * between + bytes * byte + (latency - between).max(0.0)
    }
}
