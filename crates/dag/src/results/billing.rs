//! Cost of a run: hosts that are used are billed by the time for which they are busy, or rented.
//!
//! A host is *busy* while one of its cores at least computes. It is *rented* from the start of its
//! first task or transfer to the end of its last. The time of each host is rounded up to whole
//! quanta. Attempts that a failure lost are not billed.
//!
//! Source: S. Abrishami, M. Naghibzadeh, D. H. J. Epema, Future Generation Computer Systems 29(1),
//! 2013 (hosts leased by whole intervals at a price each). Billing of the busy time is a choice of
//! ours.

use crate::execution::{Attempts, Outcomes};
use crate::kernel::{SimDuration, SimTime};
use crate::platform::HostId;

/// The time that is billed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BilledTime {
    /// Time in which a host computes.
    Busy,
    /// Time from its first use to its last.
    Rented,
}

/// The prices of hosts, and how they are billed.
#[derive(Clone, PartialEq, Debug)]
pub struct Billing {
    /// The price of an hour of each host.
    pub prices: Vec<f64>,
    /// Time that is billed.
    pub time: BilledTime,
    /// The time of a host is rounded up to a multiple of this.
    pub quantum: SimDuration,
}

/// Seconds of an hour.
const HOUR: f64 = 3600.0;

impl Billing {
    /// Cost of each host.
    pub fn by_host(&self, outcomes: &Outcomes) -> Vec<f64> {
        let uses = uses(outcomes);
        let quantum = self.quantum.as_nanos().max(1);
        uses.into_iter()
            .zip(&self.prices)
            .map(|(mut uses, price)| {
                let nanos = match self.time {
                    BilledTime::Busy => busy(&mut uses.computes),
                    BilledTime::Rented => uses.rented.map_or(0, |(from, to)| to.since(from).as_nanos()),
                };
                let billed = SimDuration::from_nanos(nanos.div_ceil(quantum).saturating_mul(quantum));
                price * billed.as_secs_f64() / HOUR
            })
            .collect()
    }

    /// Cost of all hosts.
    pub fn cost(&self, outcomes: &Outcomes) -> f64 {
        self.by_host(outcomes).iter().sum()
    }
}

/// Instant at which a host was used.
#[derive(Clone, Default)]
struct Uses {
    computes: Vec<(SimTime, SimTime)>,
    /// The beginning of its first use, and the end of its last.
    rented: Option<(SimTime, SimTime)>,
}

impl Uses {
    fn use_it(&mut self, from: SimTime, to: SimTime) {
        let (first, last) = self.rented.unwrap_or((from, to));
        self.rented = Some((first.min(from), last.max(to)));
    }
}

/// Attempts that were lost and transfers that were broken off count up to then, what goes on when
/// the run ends up to its end.
fn uses(outcomes: &Outcomes) -> Vec<Uses> {
    let grid = &outcomes.problem.grid;
    let mut hosts = vec![Uses::default(); grid.hosts().len()];
    let last = outcomes.ended_at;
    let attempts = Attempts::of(outcomes);
    for attempt in attempts.numbers().map(|number| attempts.get(number)) {
        let uses = &mut hosts[grid.host_of(attempt.core).index()];
        let end = attempt.over().unwrap_or(last).max(attempt.start);
        uses.computes.push((attempt.start, end));
        uses.use_it(attempt.start, end);
    }
    for (place, transfer) in (0..).zip(&outcomes.transfers) {
        if let Some(start) = transfer.start.get() {
            let over = transfer.end.get().or_else(|| attempts.broken_off(place));
            let end = over.unwrap_or(last).max(start);
            for host in [transfer.from, transfer.to].map(HostId::index) {
                hosts[host].use_it(start, end);
            }
        }
    }
    hosts
}

/// The time that these spans cover together, in nanoseconds; sorts them.
fn busy(spans: &mut [(SimTime, SimTime)]) -> u64 {
    spans.sort_unstable();
    let (mut covered, mut until) = (0, SimTime::ZERO);
    for &(start, end) in &*spans {
        covered += end.since(start.max(until).min(end)).as_nanos();
        until = until.max(end);
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_several_cores_are_counted_once() {
        let at = |secs: u64| SimTime::from_nanos(secs * 1_000_000_000);
        let busy = |spans: &[(u64, u64)]| {
            let mut spans: Vec<_> = spans.iter().map(|&(from, to)| (at(from), at(to))).collect();
            busy(&mut spans) / 1_000_000_000
        };
        assert_eq!(busy(&[]), 0);
        assert_eq!(busy(&[(5, 9), (0, 2), (1, 3)]), 7);
        assert_eq!(busy(&[(0, 10), (2, 3), (10, 11)]), 11);
    }
}
