//! What a decision cost: how much later the results would be back in truth than from the best server, and where that comes from.
//!
//! Between the server that was chosen and the best one lie three others: that with the least predicted time, that with the least time by
//! what was measured last, and that with the least time by the state at the instant. Each step from one to the next has a cause, and
//! the four costs add up to the regret:
//!
//! | from | to | cause |
//! |---|---|---|
//! | the chosen server | the least by predictions | the rule: the scheduler wants something else, or leaves servers out |
//! | the least by predictions | the least by the last measurements | the forecast |
//! | the least by the last measurements | the least by the state at the instant | the age of measurements |
//! | the least by the state at the instant | the best in truth | the estimate: queues and series change while a task is in progress |
//!
//! A cost below 0 means that the step did good. Times in truth are those of [`Environment::would_complete`], as the scheduler `oracle` has
//! them: no other work arrives until then.
//!
//! [`Environment::would_complete`]: crate::broker::environment::Environment::would_complete

use crate::broker::info::{Path, PathDirection, ServerNumber};
use crate::broker::view::View;
use crate::kernel::SimTime;
use crate::kernel::stats::Table;

/// A server, and when the results would be back from it in truth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TrueCompletion {
    /// The server.
    pub server: ServerNumber,
    /// When the results would be back; the end of time if never.
    pub at: SimTime,
}

/// A decision, and what others would have brought. Of equal servers each names the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecisionRegret {
    /// When it was made.
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
    /// The server from which the results would be back first.
    pub best: TrueCompletion,
}

impl DecisionRegret {
    /// What the choice of a server for the task of a view cost, among all `candidates`: those too that the view left out. Queues are asked
    /// about their true state, which changes nothing that happens to them.
    pub(super) fn of(view: &mut View<'_>, candidates: &[ServerNumber], chosen: ServerNumber) -> Self {
        let completion = |view: &View<'_>, server| TrueCompletion { server, at: view.would_complete(server) };
        let least = |view: &mut View<'_>, time: fn(&mut View<'_>, ServerNumber) -> f64| {
            let mut best: Option<(f64, ServerNumber)> = None;
            for &server in candidates {
                let time = time(view, server);
                if best.is_none_or(|(least, _)| time < least) {
                    best = Some((time, server));
                }
            }
            completion(view, best.map_or(chosen, |(_, server)| server))
        };
        let by_predictions = least(view, |view, server| view.estimate(server).total());
        let by_measurements = least(view, by_measurements);
        let by_state = least(view, by_state);
        let all = candidates.iter().map(|server| completion(view, *server));
        let chosen = completion(view, chosen);
        let best = all.min_by_key(|completion| completion.at).unwrap_or(chosen);
        let (at, task) = (view.now, view.call.task);
        DecisionRegret { at, task, chosen, by_predictions, by_measurements, by_state, best }
    }

    /// From the chosen server to the best one.
    pub fn steps(&self) -> [TrueCompletion; 5] {
        [self.chosen, self.by_predictions, self.by_measurements, self.by_state, self.best]
    }

    /// The costs of the rule, of the forecast, of the age of measurements and of the estimate, in seconds; nothing if the results would
    /// never be back from one of the servers.
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

/// How long a task would take by what was measured last; of what was never measured, what is nominal.
fn by_measurements(view: &mut View<'_>, server: ServerNumber) -> f64 {
    let paths = PathDirection::ALL.map(|direction| {
        let path = Path { client: view.call.client, server, direction };
        let measured = view.knowledge.db.last_network(path);
        measured.unwrap_or_else(|| view.environment.network.nominal(path))
    });
    let measured = view.knowledge.db.last_server(server);
    let mut info = measured.unwrap_or_else(|| view.environment.server(server).nominal());
    if view.corrects_load {
        info.load += f64::from(view.sent(server));
    }
    view.times(server, paths, info).total()
}

/// How long a task would take if all stayed as it is.
fn by_state(view: &mut View<'_>, server: ServerNumber) -> f64 {
    let paths = PathDirection::ALL.map(|direction| {
        let path = Path { client: view.call.client, server, direction };
        view.environment.network.info(path)
    });
    view.times(server, paths, view.environment.server(server).info()).total()
}

/// The regret of the decisions observed: all of it, and its four causes \[s\].
#[derive(Clone, Debug, Default)]
pub struct RegretFigures {
    total: Table,
    costs: [Table; 4],
}

impl RegretFigures {
    /// A decision was made. One of whose servers some would never give results back counts in no mean.
    pub(super) fn add(&mut self, decision: &DecisionRegret) {
        let Some(costs) = decision.costs() else { return };
        self.total.record(costs.iter().sum());
        self.costs.iter_mut().zip(costs).for_each(|(table, cost)| table.record(cost));
    }

    /// The means: the regret, and the costs of the rule, the forecast, the age and the estimate \[s\]; nothing without decisions.
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
