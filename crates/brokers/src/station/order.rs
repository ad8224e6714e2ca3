//! The order in which a station serves what waits.

use crate::collections::OrderedMap;
use crate::registry::choices;

choices! {
    /// Order of service.
    pub enum Discipline {
        Fcfs = "fcfs", "in order of arrival";
        Fair = "fair", "one packet of each transfer in turn; the packets of others are one transfer";
        Priority = "priority", "the greatest priority first, then in order of arrival; what is served is not broken off";
        Ps = "ps", "all at once, each with an equal part";
        Sjf = "sjf", "the least work first, then in order of arrival";
    }
}

/// Demand that waits at a station or is served.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StationDemand {
    /// Bytes or operations.
    pub work: f64,
    /// Greater ones are served first where priorities count.
    pub priority: i64,
    /// Number of its transfer; 0 for packets of others.
    pub flow: u64,
    /// Number of processors it needs at once.
    pub processors: u32,
}

/// Position in a line: the least goes first.
pub type Position = (u64, u64);

/// Waiting demands in the order of a discipline.
#[derive(Clone, Debug)]
pub(crate) struct StationLine<T> {
    discipline: Discipline,
    waiting: OrderedMap<Position, (StationDemand, T)>,
    arrivals: u64,
    /// The round of what was served last, if each transfer has one turn in a round.
    round: u64,
    /// The round of the last packet of each transfer since nothing waited.
    rounds: OrderedMap<u64, u64>,
}

impl<T> StationLine<T> {
    /// Nothing waits.
    pub(crate) fn new(discipline: Discipline) -> Self {
        StationLine {
            discipline,
            waiting: OrderedMap::new(),
            arrivals: 0,
            round: 0,
            rounds: OrderedMap::new(),
        }
    }

    /// Something arrives.
    pub(crate) fn push(&mut self, demand: StationDemand, what: T) -> Position {
        self.arrivals += 1;
        let rank = match self.discipline {
            Discipline::Fcfs | Discipline::Ps => 0,
            Discipline::Priority => (demand.priority as u64 ^ (1 << 63)).wrapping_neg().wrapping_sub(1),
            Discipline::Sjf => demand.work.max(0.0).to_bits(),
            Discipline::Fair => self.next_round(demand.flow),
        };
        let position = (rank, self.arrivals);
        self.waiting.insert(position, (demand, what));
        position
    }

    /// The round in which the next packet of a transfer has its turn.
    fn next_round(&mut self, flow: u64) -> u64 {
        // where nothing waits, no turn is taken before another
        if self.waiting.is_empty() {
            self.rounds.clear();
        }
        let last = self.rounds.entry(flow).or_default();
        *last = self.round.max(*last + 1);
        *last
    }

    /// Demand that is served next.
    pub(crate) fn first(&self) -> Option<&StationDemand> {
        self.waiting.first_key_value().map(|(_, (demand, _))| demand)
    }

    /// Takes what is served next.
    pub(crate) fn pop(&mut self) -> Option<(StationDemand, T)> {
        let ((round, _), next) = self.waiting.pop_first()?;
        if self.discipline == Discipline::Fair {
            self.round = round;
        }
        Some(next)
    }

    /// Takes what stands somewhere, if it waits still.
    pub(crate) fn remove(&mut self, position: Position) -> Option<(StationDemand, T)> {
        self.waiting.remove(&position)
    }

    /// All that waits, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(StationDemand, T)> {
        self.waiting.values()
    }

    /// Nothing waits any more.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(discipline: Discipline, waiting: &[(f64, i64, u64)]) -> Vec<usize> {
        let mut line = StationLine::new(discipline);
        for (place, (work, priority, flow)) in waiting.iter().enumerate() {
            let demand = StationDemand { work: *work, priority: *priority, flow: *flow, processors: 1 };
            line.push(demand, place);
        }
        std::iter::from_fn(|| line.pop()).map(|(_, place)| place).collect()
    }

    #[test]
    fn each_discipline_has_its_order() {
        let waiting =
            [(3.0, -1, 7), (1.0, 2, 7), (2.0, 0, 7), (1.0, 2, 8), (9.0, i64::MAX, 9), (9.0, i64::MIN, 8)];
        assert_eq!(order(Discipline::Fcfs, &waiting), [0, 1, 2, 3, 4, 5]);
        assert_eq!(order(Discipline::Priority, &waiting), [4, 1, 3, 2, 0, 5]);
        assert_eq!(order(Discipline::Sjf, &waiting), [1, 3, 2, 0, 4, 5]);
        assert_eq!(order(Discipline::Fair, &waiting), [0, 3, 4, 1, 5, 2]);
    }

    #[test]
    fn a_transfer_that_comes_again_waits_for_its_next_turn() {
        let mut line = StationLine::new(Discipline::Fair);
        let of = |flow| StationDemand { work: 1.0, priority: 0, flow, processors: 1 };
        for _ in 0..3 {
            line.push(of(0), 0);
        }
        line.push(of(1), 1);
        let mut served = Vec::new();
        while let Some((_, flow)) = line.pop() {
            served.push(flow);
            if flow == 1 && served.len() < 5 {
                line.push(of(1), 1);
            }
        }
        assert_eq!(served, [0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn transfers_that_are_over_are_forgotten() {
        let mut line = StationLine::new(Discipline::Fair);
        for flow in 0..100_000 {
            line.push(StationDemand { work: 1.0, priority: 0, flow, processors: 1 }, ());
            line.pop();
        }
        assert!(line.rounds.len() <= 1, "{}", line.rounds.len());
    }
}
