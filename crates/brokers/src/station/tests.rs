//! Every station against a slow one, which works out again at each instant what is there, what has
//! its turn and what each gets.
//!
//! Senders arrive, have one piece of work at the station at a time, and give up after a while;
//! others' work arrives, and servers fail.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::kernel::rng::distribution::{Exponential, Sampler};
use crate::kernel::rng::{Stream, Streams};
use crate::kernel::{SimDuration, SimTime, Simulation, hold, now, spawn, timed};
use crate::queue::{PacketQueue, QueuedPacket};
use crate::station::served::StationTerms;
use crate::station::{
    Discipline, Extraneous, ExtraneousLaw, ExtraneousStreams, Rate, Served, ServiceSpan, StationDemand,
    StationTraffic,
};

const ALL: [Discipline; 5] =
    [Discipline::Fcfs, Discipline::Fair, Discipline::Priority, Discipline::Ps, Discipline::Sjf];
const SECOND: u64 = 1_000_000_000;
/// Instant at which the station is looked at for the last time.
const END: u64 = 400 * SECOND;

/// One who has work for a station, a piece after the other.
#[derive(Clone, Debug)]
struct Sender {
    at: u64,
    /// Instant at which the sender gives up.
    until: u64,
    pieces: Vec<f64>,
    priority: i64,
    processors: u32,
}

/// Events at a station: its senders, others' work and failures.
#[derive(Clone, Debug)]
struct Case {
    discipline: Discipline,
    processors: u32,
    rate: f64,
    senders: Vec<Sender>,
    /// The part left to a sender, if others send.
    actual: Option<f64>,
    /// Instants of each failure of the station and of its repair.
    failures: Vec<[u64; 2]>,
    streams: Streams,
}

/// Services by sender and piece, and the time of all processors in use.
#[derive(Clone, PartialEq, Debug, Default)]
struct Seen {
    services: BTreeMap<(usize, usize), [u64; 2]>,
    busy: f64,
}

impl Case {
    /// Instants and works are whole seconds, so that much comes together, or any.
    fn drawn(seed: u64, discipline: Discipline, processors: u32, is_whole: bool) -> Self {
        let streams = Streams::new(seed, 0);
        let mut stream = streams.stream("case");
        let span = |stream: &mut Stream, most: u64| {
            if is_whole { SECOND * (1 + stream.below(most)) } else { 1 + stream.below(most * SECOND) }
        };
        let count = 30;
        // each has a rank of its own
        let mut works: Vec<f64> = (1..=4 * count).map(|work| work as f64 / 8.0).collect();
        let mut ranks: Vec<i64> = (1..=count).collect();
        let mut take = |stream: &mut Stream| {
            let work = works.swap_remove(stream.below(works.len() as u64) as usize);
            if is_whole {
                work.ceil() + f64::from(works.len() as u32) / 1024.0
            } else {
                work * stream.open01()
            }
        };
        let senders = (0..count).map(|_| {
            let at = span(&mut stream, 150);
            let patience = if stream.below(2) == 0 { 15 } else { 200 };
            Sender {
                at,
                until: at + span(&mut stream, patience),
                pieces: (0..=stream.below(4)).map(|_| take(&mut stream)).collect(),
                priority: ranks.swap_remove(stream.below(ranks.len() as u64) as usize) - 10,
                processors: 1 + stream.below(processors.into()) as u32,
            }
        });
        let senders = senders.collect();
        let failures = match stream.below(2) {
            0 => Vec::new(),
            _ => [30, 95].map(|at| [at * SECOND + 123_456_789, (at + 7) * SECOND + 234_567_891]).to_vec(),
        };
        let actual = (stream.below(2) == 0).then_some(0.7 * f64::from(processors));
        Case { discipline, processors, rate: 1.0, senders, actual, failures, streams }
    }

    fn others(&self) -> Option<Extraneous> {
        let exponential = |mean| Sampler::new(Exponential::new(mean).expect("positive"));
        let actual = self.actual?;
        let capacity = self.rate * f64::from(self.processors);
        let law =
            ExtraneousLaw { capacity, actual, size: exponential(2.0), gaps: exponential(1.0), spread: None };
        Some(Extraneous::new(law, ExtraneousStreams::new(&self.streams, "station")))
    }

    fn terms(&self) -> StationTerms {
        StationTerms {
            discipline: self.discipline,
            processors: self.processors,
            rate: Rate::Constant(self.rate),
            extraneous: self.others(),
            from: SimTime::ZERO,
        }
    }
}

/// The station of a server, or of a queue.
#[derive(Clone, Debug)]
enum Fast {
    Server(Rc<Served>),
    Queue(Rc<PacketQueue>),
}

impl Fast {
    fn new(case: &Case, is_queue: bool) -> Self {
        if is_queue {
            let queue = PacketQueue::new("q".into(), 0, SimDuration::ZERO, 1.0, case.terms());
            return Fast::Queue(Rc::new(queue));
        }
        let server = Served::new("server", case.terms());
        for [down, up] in case.failures.iter().copied() {
            let server = Rc::clone(&server);
            spawn("failure", async move {
                hold(SimDuration::from_nanos(down)).await;
                server.go_down();
                hold(SimDuration::from_nanos(up - down)).await;
                server.go_up();
            });
        }
        Fast::Server(server)
    }

    async fn serve(&self, demand: StationDemand) -> Option<ServiceSpan> {
        match self {
            Fast::Server(server) => server.serve(demand, StationTraffic::Own).await.ok(),
            Fast::Queue(queue) => {
                let StationDemand { work, priority, flow, .. } = demand;
                let packet = QueuedPacket { bytes: work, traffic: StationTraffic::Own, priority, flow };
                Some(queue.pass(&packet).await)
            }
        }
    }

    /// Sends all pieces of a sender, until one is lost.
    async fn send(&self, number: usize, sender: &Sender, seen: &RefCell<Seen>) {
        let Sender { priority, processors, .. } = *sender;
        for (piece, work) in sender.pieces.iter().copied().enumerate() {
            let demand = StationDemand { work, priority, flow: number as u64 + 1, processors };
            let Some(service) = self.serve(demand).await else { return };
            assert_eq!(service.end, now());
            let span = [service.start, service.end].map(SimTime::as_nanos);
            seen.borrow_mut().services.insert((number, piece), span);
        }
    }

    fn busy(&self) -> SimDuration {
        let usage = match self {
            Fast::Server(server) => server.usage(now()),
            Fast::Queue(queue) => queue.usage(now()),
        };
        usage.total()
    }
}

/// Runs a case on the station of a server, or of a queue.
fn fast(case: &Case, is_queue: bool) -> Seen {
    let seen = Rc::new(RefCell::new(Seen::default()));
    let simulation = Simulation::with_streams(case.streams);
    simulation.enter(|| {
        let station = Fast::new(case, is_queue);
        for (number, sender) in case.senders.iter().cloned().enumerate() {
            let (station, seen) = (station.clone(), Rc::clone(&seen));
            spawn("sender", async move {
                hold(SimDuration::from_nanos(sender.at)).await;
                let patience = SimDuration::from_nanos(sender.until - sender.at);
                timed(patience, station.send(number, &sender, &seen)).await;
            });
        }
        let seen = Rc::clone(&seen);
        spawn("the end", async move {
            hold(SimDuration::from_nanos(END)).await;
            seen.borrow_mut().busy = station.busy().as_secs_f64();
        });
    });
    simulation.run().expect("it ends");
    seen.take()
}

/// A piece of work at the station.
#[derive(Clone, Copy, Debug)]
struct Here {
    /// The sender and the piece; nothing for others' work.
    of: Option<(usize, usize)>,
    work: f64,
    left: f64,
    processors: u32,
    /// Rank of the piece: the least goes first.
    rank: (i64, f64, u64, usize),
    began: Option<u64>,
    entered: u64,
}

/// The slow station.
#[derive(Debug)]
struct Slow<'a> {
    case: &'a Case,
    has_failures: bool,
    now: u64,
    here: Vec<Here>,
    others: Vec<(u64, f64)>,
    /// The next piece of each sender and when it enters; nothing if there is none, or the one
    /// before it is here.
    next: Vec<Option<(usize, u64)>>,
    arrivals: usize,
    rounds: (u64, BTreeMap<usize, u64>),
    seen: Seen,
}

impl Slow<'_> {
    fn is_shared(&self) -> bool {
        self.case.discipline == Discipline::Ps
    }

    fn part(&self) -> f64 {
        (f64::from(self.case.processors) / self.here.len() as f64).min(1.0)
    }

    /// End of a piece, if all stays as it is.
    fn end(&self, here: &Here) -> Option<u64> {
        let mut rate = Rate::Constant(self.case.rate);
        let mut after = |at: u64, work: f64| rate.end(SimTime::from_nanos(at), work).as_nanos();
        if self.is_shared() {
            return Some(after(self.now, here.left.max(0.0) / self.part()));
        }
        Some(after(here.began?, here.work / f64::from(here.processors)))
    }

    fn instants(&self) -> impl Iterator<Item = u64> {
        let failures = self.case.failures.iter().flatten().copied().filter(|_| self.has_failures);
        let senders = self.case.senders.iter().map(|sender| sender.until);
        let ends = self.here.iter().filter_map(|here| self.end(here));
        let entries = self.next.iter().flatten().map(|(_, at)| *at);
        let others = self.others.iter().map(|(at, _)| *at);
        failures.chain(senders).chain(ends).chain(entries).chain(others)
    }

    fn is_down(&self) -> bool {
        self.has_failures && self.case.failures.iter().any(|[down, up]| (*down..*up).contains(&self.now))
    }

    fn pass(&mut self, to: u64) {
        let seconds = (to - self.now) as f64 / 1e9;
        let (part, is_shared) = (self.part(), self.is_shared());
        for here in &mut self.here {
            here.left -= seconds * part * self.case.rate;
            let processors = if is_shared { part } else { f64::from(here.processors) };
            self.seen.busy += if is_shared || here.began.is_some() { seconds * processors } else { 0.0 };
        }
    }

    fn enter(&mut self, of: Option<(usize, usize)>, work: f64) {
        let sender = of.map(|(sender, _)| &self.case.senders[sender]);
        let (priority, processors) = sender.map_or((0, 1), |sender| (sender.priority, sender.processors));
        let flow = of.map_or(0, |(sender, _)| sender + 1);
        if self.here.iter().all(|here| here.began.is_some()) {
            self.rounds.1.clear();
        }
        let last = self.rounds.1.entry(flow).or_default();
        *last = self.rounds.0.max(*last + 1);
        let round = *last;
        self.arrivals += 1;
        let rank = match self.case.discipline {
            Discipline::Fcfs | Discipline::Ps => (0, 0.0, 0, self.arrivals),
            Discipline::Priority => (-priority, 0.0, 0, self.arrivals),
            Discipline::Sjf => (0, work, 0, self.arrivals),
            Discipline::Fair => (0, 0.0, round, self.arrivals),
        };
        let entered = self.now;
        self.here.push(Here { of, work, left: work, processors, rank, began: None, entered });
    }

    fn leave_served(&mut self) {
        let now = self.now;
        let ended: Vec<Here> = self.here.iter().copied().filter(|here| self.end(here) == Some(now)).collect();
        self.here.retain(|here| !ended.iter().any(|other| other.rank == here.rank));
        for here in ended {
            let Some((sender, piece)) = here.of.filter(|(sender, _)| self.case.senders[*sender].until >= now)
            else {
                continue;
            };
            self.seen.services.insert((sender, piece), [here.began.unwrap_or(here.entered), now]);
            let has_more = piece + 1 < self.case.senders[sender].pieces.len();
            self.next[sender] = has_more.then_some((piece + 1, now));
        }
    }

    fn arrive(&mut self) {
        let (now, is_down) = (self.now, self.is_down());
        if is_down {
            self.here.clear();
        }
        while let Some((_, work)) = self.others.first().copied().filter(|(at, _)| *at == now) {
            self.others.remove(0);
            if !is_down {
                self.enter(None, work);
            }
        }
        for sender in 0..self.next.len() {
            if let Some((piece, _)) = self.next[sender].filter(|(_, at)| *at == now) {
                self.next[sender] = None;
                if !is_down {
                    self.enter(Some((sender, piece)), self.case.senders[sender].pieces[piece]);
                }
            }
        }
    }

    fn begin(&mut self) {
        let (now, senders) = (self.now, &self.case.senders);
        let is_shared = self.is_shared();
        self.here.retain(|here| {
            let gives_up = here.of.is_some_and(|(sender, _)| senders[sender].until == now);
            !gives_up || here.began.is_some() && !is_shared
        });
        if is_shared {
            return;
        }
        loop {
            let waits = self.here.iter_mut().filter(|here| here.began.is_none());
            let first = waits.min_by(|one, other| one.rank.partial_cmp(&other.rank).expect("numbers"));
            let Some(first) = first.map(|first| (first.rank, first.processors)) else { return };
            let used: u32 =
                self.here.iter().filter(|here| here.began.is_some()).map(|here| here.processors).sum();
            if used + first.1 > self.case.processors {
                return;
            }
            for here in self.here.iter_mut().filter(|here| here.rank == first.0) {
                here.began = Some(now);
                self.rounds.0 = here.rank.2;
            }
        }
    }
}

fn slow(case: &Case, has_failures: bool) -> Seen {
    let mut others = Vec::new();
    if let Some(mut drawn) = case.others() {
        while let Some(at) = drawn.next_by(SimTime::from_nanos(END)) {
            others.push((at.as_nanos(), drawn.arrive()));
        }
    }
    let next = case.senders.iter().map(|sender| Some((0, sender.at))).collect();
    let (here, rounds, seen) = (Vec::new(), (0, BTreeMap::new()), Seen::default());
    let mut slow = Slow { case, has_failures, now: 0, here, others, next, arrivals: 0, rounds, seen };
    while let Some(next) = slow.instants().filter(|at| *at > slow.now && *at <= END).min() {
        let ends: Vec<Option<u64>> = slow.here.iter().map(|here| slow.end(here)).collect();
        slow.pass(next);
        slow.now = next;
        if slow.is_shared() {
            // what ends now has nothing left
            let all = slow.here.iter_mut().zip(ends);
            all.filter(|(_, end)| *end == Some(next)).for_each(|(here, _)| here.left = 0.0);
        }
        slow.leave_served();
        slow.arrive();
        slow.begin();
    }
    slow.pass(END);
    slow.seen
}

fn assert_same(case: &Case, is_queue: bool) {
    let (fast, slow) = (fast(case, is_queue), slow(case, !is_queue));
    let tolerance = if case.discipline == Discipline::Ps { 1_000 } else { 0 };
    let differs = |key: &(usize, usize)| match (fast.services.get(key), slow.services.get(key)) {
        (Some(one), Some(other)) => (0..2).any(|place| one[place].abs_diff(other[place]) > tolerance),
        (one, other) => one.is_some() || other.is_some(),
    };
    let all = fast.services.keys().chain(slow.services.keys());
    let wrong = all.filter(|key| differs(key)).min_by_key(|key| slow.services.get(key));
    if let Some(key) = wrong {
        let (one, other) = (fast.services.get(key), slow.services.get(key));
        panic!("{key:?} {:?}: {one:?} and slowly {other:?} in {case:#?}", case.senders[key.0]);
    }
    assert!((fast.busy - slow.busy).abs() < 1e-5, "{} and slowly {} in {case:#?}", fast.busy, slow.busy);
    assert!(slow.services.len() > 5, "hardly anything is served in {case:#?}");
}

#[test]
fn every_station_agrees_with_the_slow_one() {
    for discipline in ALL {
        for processors in 1..=4 {
            for seed in 0..40 {
                assert_same(&Case::drawn(seed, discipline, processors, false), false);
            }
        }
    }
}

#[test]
fn every_queue_agrees_with_the_slow_one() {
    for discipline in ALL {
        for seed in 0..40 {
            assert_same(&Case::drawn(seed, discipline, 1, false), true);
        }
    }
}

#[test]
fn what_comes_and_leaves_at_one_instant_does_so_before_anything_begins() {
    for discipline in [Discipline::Priority, Discipline::Sjf] {
        for processors in 1..=4 {
            for seed in 0..40 {
                let case = Case::drawn(seed, discipline, processors, true);
                assert_same(&case, false);
                if processors == 1 {
                    assert_same(&case, true);
                }
            }
        }
    }
}
