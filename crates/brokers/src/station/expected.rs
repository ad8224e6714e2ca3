//! The part of a station that others leave in the mean: when work that enters is expected to have
//! been served.
//!
//! Others arrive without memory, take the share `rho` of a station, and their sizes have a mean and
//! a variance. The state at the instant is known: how long a demand of ours would wait if no
//! other came. What follows is in means only, with one number for what is before a demand: a wait,
//! or with `ps` a number of others.
//!
//! *Behind others* (`fcfs`, and `priority` where ours is not above 0). All that arrives during a
//! sojourn is before the next packet of the sender, so with one packet outstanding
//!
//! mean sojourn = `rho` x mean sojourn of the packet before + packet / rate,
//!
//! which is exact, and tends to packet / ((1 - `rho`) rate): the sender gets the actual bandwidth.
//! While nothing of ours is there the wait w goes by dw/dt = `rho` - P(busy), where P(busy) is
//! taken to be w / (w + R). R is such that the wait at which this stands still is that of an M/G/c
//! queue: of one processor the mean residual size / rate, so that the wait is the one of Pollaczek
//! and Khinchine. A long line falls by 1 - `rho`, and an empty one fills by `rho`, as they do.
//!
//! *Before others* (`priority` above 0): what is served is not broken off, and a sender that comes
//! back at once waits for nothing.
//! *Least work first* (`sjf`): those that are smaller are before ours, also those that come while
//! it waits: (1 - `rho` of the smaller ones) divides its wait. *In turn* (`fair`): one of the
//! others is between two packets of ours, if one waits, and a new transfer waits only for what is
//! served. A sender gets the actual bandwidth, or the part that is his by turns if that is more.
//! *All at once* (`ps`): n others leave a part min(1, processors / (n + 1)), and dn/dt = arrivals -
//! departures has its rest where one processor leaves 1 - `rho`: what M/G/1-PS leaves to a customer
//! of any size, for any law.
//!
//! Left out: how the times between others' arrivals vary counts in R only, and where several
//! processors are shared the fluctuation of n.
//!
//! Sources: D. V. Lindley 1952 (the recursion); L. Kleinrock, "Queueing Systems", volumes 1 and 2,
//! 1975 and 1976 (M/G/1, its priorities and processor sharing); A. O. Allen, "Probability,
//! Statistics, and Queueing Theory", 1990 (several processors). The closures are ours.

use crate::kernel::rng::distribution::{Moments, Sampler};
use crate::kernel::rng::{Streams, math};
use crate::kernel::{SimDuration, SimTime};
use crate::station::copy::{LookLimit, StationCopy};
use crate::station::extraneous::Extraneous;
use crate::station::order::{Discipline, StationDemand};
use crate::station::rate::Rate;
use crate::station::usage::ServiceSpan;

/// Position of a demand of ours among those of others.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Turn {
    /// Behind all that is there.
    Behind,
    /// Before all that waits.
    Before,
    /// Behind those that are smaller: this share of the work of others.
    BehindSmaller(f64),
    /// One of the others between two of ours.
    Alternating,
    /// Served with the others at once.
    AtOnce,
}

/// The work of others in numbers.
#[derive(Clone, Debug)]
struct OthersInMean {
    /// The part that is left to a sender now, until when, and after that \[work/s\].
    level: f64,
    level_ends: SimTime,
    actual: f64,
    /// The rate of all processors \[work/s\].
    capacity: f64,
    /// The mean size, and the mean that is left of the one that is met, at the variability of the
    /// arrivals \[work\].
    size: f64,
    residual: f64,
    sizes: Sampler,
}

/// A station with the work of others, in means.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedStation {
    rate: Rate,
    discipline: Discipline,
    processors: f64,
    others: OthersInMean,
    turn: Turn,
    /// The work, as bits, and the priority by which that is so.
    asked: Option<(u64, i64)>,
    /// The state, until a demand says what of it is before it.
    state: Option<Box<StationCopy>>,
    /// Seconds that a demand would wait; with `ps`, the number of others.
    before: f64,
    /// With `fair`: the packets of others that wait \[s\].
    waiting: f64,
    /// Demands of ours that are there, which share the station.
    own: f64,
    /// The instant at which this is so.
    at: SimTime,
    is_first: bool,
}

/// Draws by which the share of smaller work is estimated.
const DRAWS: u32 = 1024;

/// The greatest share of a station that is taken to be the others'.
const MOST: f64 = 0.995;

impl ExpectedStation {
    /// A station at an instant to which its copy has been brought up to date, and the work of
    /// others that was taken out of it.
    pub(super) fn new(
        copy: StationCopy,
        at: SimTime,
        others: &Extraneous,
        (discipline, processors): (Discipline, u32),
    ) -> Self {
        let law = others.law();
        let size = law.size.mean().unwrap_or(1.0);
        let squared = |law: &Sampler| law.cv().map_or(1.0, |cv| cv * cv);
        let residual = size * (squared(&law.size) + squared(&law.gaps)) / 2.0;
        let others = OthersInMean {
            level: others.level(),
            level_ends: others.level_ends(),
            actual: law.actual,
            capacity: law.capacity,
            size,
            residual,
            sizes: law.size.clone(),
        };
        ExpectedStation {
            rate: copy.rate().clone(),
            discipline,
            processors: f64::from(processors),
            others,
            turn: Turn::Behind,
            asked: None,
            state: Some(Box::new(copy)),
            before: 0.0,
            waiting: 0.0,
            own: 0.0,
            at,
            is_first: true,
        }
    }

    /// The share of the station that others ask for at an instant.
    fn rho(&self, at: SimTime) -> f64 {
        let others = &self.others;
        let level = if at < others.level_ends { others.level } else { others.actual };
        let asked = (others.capacity - level) / (self.rate.at(at) * self.processors);
        asked.clamp(0.0, MOST)
    }

    /// The mean wait behind others on a station that is left to them, and R \[s\].
    fn in_rest(&self, at: SimTime) -> (f64, f64) {
        let (rho, rate) = (self.rho(at), self.rate.at(at));
        let residual = self.others.residual / rate;
        let wait = waiting_share(self.processors, rho) * residual / (self.processors * (1.0 - rho));
        (wait, if rho > 0.0 { wait * (1.0 - rho) / rho } else { residual })
    }

    /// The number of others on a shared station that is left to them.
    fn number_in_rest(&self, at: SimTime) -> f64 {
        let rho = self.rho(at);
        self.processors * rho + waiting_share(self.processors, rho) * rho / (1.0 - rho)
    }

    fn turn(&self, demand: &StationDemand) -> Turn {
        match self.discipline {
            Discipline::Priority if demand.priority > 0 => Turn::Before,
            Discipline::Fcfs | Discipline::Priority => Turn::Behind,
            Discipline::Sjf => Turn::BehindSmaller(self.smaller_share(demand.work)),
            Discipline::Fair => Turn::Alternating,
            Discipline::Ps => Turn::AtOnce,
        }
    }

    /// The share of the work of others in sizes up to this one, by draws of a stream that nothing
    /// else draws from.
    fn smaller_share(&self, work: f64) -> f64 {
        let mut stream = Streams::new(0, 0).stream("expected/sizes");
        let (mut all, mut smaller) = (0.0, 0.0);
        for _ in 0..DRAWS {
            let size = self.others.sizes.draw(&mut stream).max(0.0);
            all += size;
            smaller += if size <= work { size } else { 0.0 };
        }
        if all > 0.0 { smaller / all } else { 1.0 }
    }

    /// Takes from the state what is before a demand.
    fn begin(&mut self, demand: &StationDemand) {
        let asked = (demand.work.to_bits(), demand.priority);
        if self.asked != Some(asked) {
            (self.asked, self.turn) = (Some(asked), self.turn(demand));
        }
        let Some(mut state) = self.state.take() else { return };
        let [own, others] = state.number();
        if self.turn == Turn::AtOnce {
            (self.before, self.own) = (others as f64, own as f64);
            return;
        }
        self.waiting = others.saturating_sub(1) as f64 * self.others.size / self.rate.at(self.at);
        self.before = state.serve(self.at, *demand, LookLimit::NONE).start.since(self.at).as_secs_f64();
    }

    /// Moves on what is before a demand by a time in which nothing of ours enters.
    fn pass(&mut self, to: SimTime) {
        let span = to.since(self.at).as_secs_f64();
        if span > 0.0 {
            let (rho, (wait, scale)) = (self.rho(to), self.in_rest(to));
            self.before = match self.turn {
                Turn::Behind => drift(self.before, wait, (1.0 - rho, scale), span),
                Turn::Before | Turn::Alternating => {
                    drift(self.before, wait * (1.0 - rho), (1.0, scale), span)
                }
                Turn::BehindSmaller(share) => {
                    let left = 1.0 - rho * share;
                    drift(self.before, wait * (1.0 - rho) / left, (left, scale), span)
                }
                Turn::AtOnce => self.number_after(to, span),
            };
            self.waiting = drift(self.waiting, wait * rho, (1.0 - rho, scale), span);
        }
        self.at = self.at.max(to);
    }

    /// The number of others on a shared station after a time.
    fn number_after(&self, at: SimTime, span: f64) -> f64 {
        let each = self.rate.at(at) / self.others.size;
        let speed = (1.0 - self.rho(at)) * each * self.processors;
        drift(self.before, self.number_in_rest(at), (speed, self.processors), span)
    }

    /// Work enters at an instant that is not before the last one, and is served: when it begins and
    /// ends, in the mean.
    pub(crate) fn serve(&mut self, entry: SimTime, demand: StationDemand) -> ServiceSpan {
        self.begin(&demand);
        let comes_back = entry == self.at && !self.is_first;
        self.pass(entry);
        self.is_first = false;
        let rho = self.rho(entry);
        let one = self.others.size / self.rate.at(entry);
        let wait = match self.turn {
            Turn::AtOnce => return self.share(entry, demand.work),
            Turn::BehindSmaller(share) => self.before / (1.0 - rho * share),
            // their number is taken to be that of an M/M/1 queue
            Turn::Alternating if comes_back => one * self.waiting / (self.waiting + one),
            _ => self.before,
        };
        let start = after(entry, wait);
        let end = self.rate.end(start, demand.work / f64::from(demand.processors));
        let (sojourn, service) = (end.since(entry).as_secs_f64(), end.since(start).as_secs_f64());
        // of several processors the others go on
        if self.processors <= 1.0 {
            self.before = match self.turn {
                Turn::Behind => rho * sojourn,
                Turn::BehindSmaller(share) => rho * share * service,
                _ => 0.0,
            };
            let taken = if comes_back { wait } else { 0.0 };
            self.waiting = (self.waiting + rho * sojourn - taken).max(0.0);
        }
        self.at = end;
        ServiceSpan { start, end }
    }

    /// Service with all that is there at once, in steps in which the number of others hardly
    /// changes.
    fn share(&mut self, entry: SimTime, mut work: f64) -> ServiceSpan {
        const STEPS: u32 = 64;
        let mut at = entry;
        for step in 0..=STEPS {
            let part = |others: f64| (self.processors / (others + self.own + 1.0)).min(1.0);
            let rate = self.rate.at(at);
            let whole = work / (rate * part(self.before));
            // the time in which one of the others comes or goes
            let change = self.others.size / (rate * self.processors);
            let middle = self.number_after(at, whole.min(change) / 2.0);
            let whole = work / (rate * part(middle));
            if whole <= change || step == STEPS {
                let end = self.rate.end(at, work / part(middle));
                self.before = self.number_after(at, end.since(at).as_secs_f64());
                at = end;
                break;
            }
            self.before = self.number_after(at, change);
            work -= change * rate * part(middle);
            at = after(at, change);
        }
        self.at = at;
        ServiceSpan { start: entry, end: at }
    }

    /// The rate of a sender that has one packet of this size in the station at all times
    /// \[work/s\].
    pub(super) fn sustained(&self, at: SimTime, packet: f64) -> f64 {
        let (rho, rate) = (self.rho(at), self.rate.at(at));
        let demand = StationDemand { work: packet, priority: 0, flow: 0, processors: 1 };
        match self.turn(&demand) {
            Turn::Before => rate,
            Turn::BehindSmaller(share) => rate * (1.0 - rho * share),
            Turn::Alternating => self.left(at).max(rate * packet / (packet + self.others.size)),
            Turn::Behind | Turn::AtOnce => self.left(at),
        }
    }

    /// The rate that others leave of one processor in the mean.
    fn left(&self, at: SimTime) -> f64 {
        match &self.rate {
            // as it is written, to the last digit
            Rate::Constant(rate) if (rate - self.others.capacity).abs() <= 0.0 => self.others.level,
            _ => self.rate.at(at) * (1.0 - self.rho(at)),
        }
    }

    /// The station is as it is in the long run, at the rate of an instant, with nothing of ours.
    pub(super) fn settle(&mut self, at: SimTime) {
        self.rate = Rate::Constant(self.rate.at(at));
        self.state = None;
        self.others.level_ends = SimTime::MAX;
        let (rho, (wait, _)) = (self.rho(at), self.in_rest(at));
        let demand = StationDemand { work: self.others.size, priority: 0, flow: 0, processors: 1 };
        self.turn = self.turn(&demand);
        self.before = match self.turn {
            Turn::AtOnce => self.number_in_rest(at),
            Turn::Behind => wait,
            Turn::Before | Turn::Alternating => wait * (1.0 - rho),
            Turn::BehindSmaller(share) => wait * (1.0 - rho) / (1.0 - rho * share),
        };
        (self.waiting, self.own, self.at) = (wait * rho, 0.0, at);
    }
}

fn after(at: SimTime, secs: f64) -> SimTime {
    at.saturating_add(SimDuration::ceil_secs(secs))
}

/// A value that goes towards `target` at the speed `speed` (`target` - value) / (value + `scale`),
/// after a time.
fn drift(value: f64, target: f64, (speed, scale): (f64, f64), span: f64) -> f64 {
    // after as many halves of its time constant it is there
    const STEPS: u32 = 32;
    let decay = |from: f64, at: f64, secs: f64| {
        let left = math::exp(-secs * speed / (at + scale).max(f64::MIN_POSITIVE));
        target + (from - target) * left
    };
    let (mut value, mut left) = (value, span);
    for _ in 0..STEPS {
        let step = left.min((value + scale) / speed / 2.0);
        let middle = decay(value, value, step / 2.0);
        value = decay(value, middle, step);
        left -= step;
        if left <= 0.0 {
            return value;
        }
        if value + scale <= 0.0 {
            return target;
        }
    }
    target
}

/// The share of demands that find all processors busy, of an M/M/c queue at `rho` (A. K. Erlang).
fn waiting_share(processors: f64, rho: f64) -> f64 {
    let offered = processors * rho;
    let (mut blocked, mut number) = (1.0, 1.0);
    while number <= processors {
        blocked = offered * blocked / (number + offered * blocked);
        number += 1.0;
    }
    blocked / (1.0 - rho * (1.0 - blocked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::distribution::Constant;

    #[test]
    fn a_line_falls_and_fills_as_a_queue_does_and_stops_at_the_mean_wait() {
        // rho 0.5, residual 1 s: the mean wait is 1 s
        let of = |value, span| drift(value, 1.0, (0.5, 1.0), span);
        // 100 s of work fall by half of the time
        assert!((of(100.0, 20.0) - 90.0).abs() < 0.3, "{}", of(100.0, 20.0));
        // an empty line fills by rho at first
        assert!((of(0.0, 0.02) / 0.01 - 1.0).abs() < 0.05, "{}", of(0.0, 0.02));
        assert!([0.0, 5.0, 100.0].iter().all(|value| (of(*value, 5000.0) - 1.0).abs() < 1e-6));
    }

    /// A station at 100 work/s with others of 10 in the mean and 20 left of the one that is met,
    /// who take the share `rho`.
    fn station(processors: f64, rho: f64) -> ExpectedStation {
        let capacity = 100.0 * processors;
        let others = OthersInMean {
            level: capacity * (1.0 - rho),
            level_ends: SimTime::MAX,
            actual: capacity * (1.0 - rho),
            capacity,
            size: 10.0,
            residual: 20.0,
            sizes: Sampler::new(Constant::new(10.0).expect("finite")),
        };
        ExpectedStation {
            rate: Rate::Constant(100.0),
            discipline: Discipline::Fcfs,
            processors,
            others,
            turn: Turn::Behind,
            asked: None,
            state: None,
            before: 0.0,
            waiting: 0.0,
            own: 0.0,
            at: SimTime::ZERO,
            is_first: true,
        }
    }

    /// One processor at 0.6: 0.2 s of residual time, a mean wait of 0.6/0.4 of it. Four at 0.8:
    /// Erlang's 0.59643 of it over 4 * 0.2.
    #[test]
    fn a_line_stands_still_at_the_wait_of_pollaczek_and_khinchine() {
        for (processors, rho, expected) in [(1.0, 0.6, 0.3), (4.0, 0.8, 0.149_107)] {
            let (wait, residual) = station(processors, rho).in_rest(SimTime::ZERO);
            assert!((wait - expected).abs() < 1e-5, "{wait}");
            // dw/dt = rho - w / (w + R)
            assert!((rho - wait / (wait + residual)).abs() < 1e-9, "{residual}");
        }
        assert_eq!(station(1.0, 0.0).in_rest(SimTime::ZERO), (0.0, 0.2));
    }

    /// M/M/4 at 0.8: MODELS of queues have 0.59643; of one processor it is rho.
    #[test]
    fn the_share_that_waits_is_erlangs() {
        assert!((waiting_share(4.0, 0.8) - 0.59643).abs() < 1e-5);
        assert!((waiting_share(1.0, 0.3) - 0.3).abs() < 1e-12 && waiting_share(2.0, 0.0).abs() < 1e-12);
    }
}
