//! Cost of a decision: how much later the results will be back than from the best server, and where
//! that comes from.
//!
//! Between the server that was chosen and the best one lie three others: that with the least
//! predicted time, that with the least time by what was measured last, and that with the least time
//! by the state at the instant. Each step from one to the next has a cause, and the four costs add
//! up to the regret:
//!
//! | from | to | cause |
//! |---|---|---|
//! | the chosen server | the least by predictions | the rule: other wants, or servers left out |
//! | the least by predictions | the least by the last measurements | the forecast |
//! | the least by the last measurements | the least by the present state | age of measurements |
//! | the least by the present state | the best in truth | the estimate: others are means |
//!
//! A cost below 0 means that the step did good. Results are back when they will be: each server is
//! looked at ahead, with what others are going to send and do and with failures, by
//! [`Environment::would_complete`]. Further work of ours is left out. It does not come to every
//! server alike, so where tasks meet the regret is of the task alone, as the scheduler `oracle` has
//! it.
//!
//! [`Environment::would_complete`]: crate::environment::Environment::would_complete

use crate::info::{Path, PathDirection, ServerNumber};
use crate::kernel::stats::Table;
use crate::kernel::{SimDuration, SimTime};
use crate::view::View;

/// A server, and when the results will be back from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrueCompletion {
    /// The server.
    pub server: ServerNumber,
    /// The instant at which the results will be back; the end of time if never.
    pub at: SimTime,
}

/// A decision, and what others would have brought. Of equal servers each names the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecisionRegret {
    /// Instant at which it was made.
    pub at: SimTime,
    /// The number of the task.
    pub task: u64,
    /// The server that was chosen.
    pub chosen: TrueCompletion,
    /// The server with the least predicted time.
    pub by_predictions: TrueCompletion,
    /// The server with the least time by what was measured last.
    pub by_measurements: TrueCompletion,
    /// The server with the least time by the state at the instant.
    pub by_state: TrueCompletion,
    /// The server from which the results will be back first.
    pub best: TrueCompletion,
}

impl DecisionRegret {
    /// The cost of the choice of a server for the task of a view, among all `candidates`: those too
    /// that the view left out. What happens is looked at ahead, which changes nothing of it.
    pub(super) fn of(view: &mut View<'_>, candidates: &[ServerNumber], chosen: ServerNumber) -> Self {
        let mut known: Vec<TrueCompletion> = Vec::new();
        let mut completion = |view: &View<'_>, server| {
            if let Some(completion) = known.iter().find(|known| known.server == server) {
                return *completion;
            }
            let at = view.environment.would_complete(&view.call, server, candidates, SimTime::MAX);
            known.push(TrueCompletion { server, at });
            TrueCompletion { server, at }
        };
        let chosen = completion(view, chosen);
        let mut named = |view: &mut View<'_>, time: fn(&mut View<'_>, ServerNumber) -> f64| {
            let mut best: Option<(f64, ServerNumber)> = None;
            for &server in candidates {
                let time = time(view, server);
                if best.is_none_or(|(least, _)| time < least) {
                    best = Some((time, server));
                }
            }
            completion(view, best.map_or(chosen.server, |(_, server)| server))
        };
        let by_predictions = named(view, |view, server| view.estimate(server).total());
        let by_measurements = named(view, by_measurements);
        let by_state = named(view, |view, server| view.by_state(server, 0).total());
        let best = first_of(view, candidates, &known).unwrap_or(chosen);
        let (at, task) = (view.now, view.call.task);
        DecisionRegret { at, task, chosen, by_predictions, by_measurements, by_state, best }
    }

    /// The same decision, where results are back from the candidates at these instants.
    #[must_use]
    pub fn completed(self, completions: &[TrueCompletion]) -> Self {
        let at = |of: TrueCompletion| {
            let known = completions.iter().find(|completion| completion.server == of.server);
            known.copied().unwrap_or(TrueCompletion { at: SimTime::MAX, ..of })
        };
        let [chosen, by_predictions, by_measurements, by_state, _] = self.steps().map(at);
        let best = completions.iter().copied().min_by_key(|completion| completion.at).unwrap_or(chosen);
        DecisionRegret { chosen, by_predictions, by_measurements, by_state, best, ..self }
    }

    /// From the chosen server to the best one.
    pub fn steps(&self) -> [TrueCompletion; 5] {
        [self.chosen, self.by_predictions, self.by_measurements, self.by_state, self.best]
    }

    /// The costs of the rule, of the forecast, of the age of measurements and of the estimate, in
    /// seconds; nothing if the results would never be back from one of the servers.
    pub fn costs(&self) -> Option<[f64; 4]> {
        let steps = self.steps();
        if steps.iter().any(|step| step.at == SimTime::MAX) {
            return None;
        }
        let cost = |place: usize| {
            let [from, to] = [place, place + 1].map(|place| i128::from(steps[place].at.as_nanos()));
            (from - to) as f64 / 1e9
        };
        Some([0, 1, 2, 3].map(cost))
    }
}

/// The server from which the results are back first, of equals the first. What is not before that
/// of those that are `known` is not looked at.
fn first_of(
    view: &View<'_>,
    candidates: &[ServerNumber],
    known: &[TrueCompletion],
) -> Option<TrueCompletion> {
    let mut first: Option<TrueCompletion> = None;
    let least = known.iter().map(|known| known.at).min().unwrap_or(SimTime::MAX);
    for &server in candidates {
        let at = match known.iter().find(|known| known.server == server) {
            Some(known) => known.at,
            None => {
                // one that is as soon, and before the others in order, is found too
                let bound = first.map_or(least, |first| first.at.min(least));
                let bound = bound.saturating_add(SimDuration::from_nanos(1));
                view.environment.would_complete(&view.call, server, candidates, bound)
            }
        };
        if first.is_none_or(|first| at < first.at) {
            first = Some(TrueCompletion { server, at });
        }
    }
    first
}

/// Time of a task by the last measurements; where there was none, by the nominal values.
fn by_measurements(view: &mut View<'_>, server: ServerNumber) -> f64 {
    let paths = PathDirection::ALL.map(|direction| {
        let path = Path { client: view.call.client, server, direction };
        let measured = view.knowledge.db.last_network(path);
        measured.unwrap_or_else(|| view.environment.nominal(path))
    });
    let measured = view.knowledge.db.last_server(server);
    let mut info = measured.unwrap_or_else(|| view.environment.server(server).nominal());
    if view.corrects_load {
        info.load += f64::from(view.sent(server));
    }
    view.by_figures(server, paths, info).total()
}

/// The regret of the decisions observed: all of it, and its four causes \[s\].
#[derive(Clone, Debug, Default)]
pub struct RegretFigures {
    total: Table,
    costs: [Table; 4],
}

impl RegretFigures {
    /// A decision was made. One of whose servers some would never give results back counts in no
    /// mean.
    pub fn add(&mut self, decision: &DecisionRegret) {
        let Some(costs) = decision.costs() else { return };
        self.total.record(costs.iter().sum());
        self.costs.iter_mut().zip(costs).for_each(|(table, cost)| table.record(cost));
    }

    /// The means: the regret, and the costs of the rule, the forecast, the age and the estimate
    /// \[s\]; nothing without decisions.
    pub fn means(&self) -> [Option<f64>; 5] {
        let [rule, forecast, age, estimate] = [0, 1, 2, 3].map(|place| self.costs[place].mean());
        [self.total.mean(), rule, forecast, age, estimate]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_costs_of_a_decision_add_up_to_its_regret() {
        let completion = |server, secs: u64| TrueCompletion {
            server: ServerNumber(server),
            at: SimTime::from_nanos(secs * 1_000_000_000_u64),
        };
        let decision = DecisionRegret {
            at: SimTime::ZERO,
            task: 7,
            chosen: completion(0, 20),
            by_predictions: completion(1, 14),
            by_measurements: completion(2, 17),
            by_state: completion(3, 12),
            best: completion(4, 10),
        };
        assert_eq!(decision.costs(), Some([6.0, -3.0, 5.0, 2.0]));
        let never = TrueCompletion { server: ServerNumber(1), at: SimTime::MAX };
        assert_eq!(DecisionRegret { by_predictions: never, ..decision }.costs(), None);
        let mut figures = RegretFigures::default();
        assert_eq!(figures.means(), [None; 5]);
        figures.add(&decision);
        figures.add(&DecisionRegret { chosen: never, ..decision });
        assert_eq!(figures.means(), [10.0, 6.0, -3.0, 5.0, 2.0].map(Some));
    }
}
