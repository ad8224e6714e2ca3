//! Cost of a decision in truth: the run goes on from it with each other server.
//!
//! Runs are deterministic, so a run that is assembled again is the same up to the decision that is
//! taken otherwise. From there all goes on by itself: tasks in progress, later tasks and their
//! decisions, probes, failures, and others with the same draws. The task's results are back when
//! they are, wherever it ends up.
//!
//! Each other server of a decision costs a whole run, so only some decisions are run on from,
//! spread evenly over all of the run.

use crate::kernel::{SimError, SimTime, Simulation};
use crate::outcomes::BrokerOutcomes;
use crate::record::TaskState;
use crate::regret::{RegretFigures, TrueCompletion};
use crate::run::execute;
use crate::system::assembly::Again;
use crate::unit::ForcedDecision;

/// Keeps of the decisions of a run so many, spread evenly, with what happens after each by each
/// server.
///
/// # Errors
/// The error that stops one of the runs.
pub(super) fn run_on(
    again: &Again,
    outcomes: &mut BrokerOutcomes,
    count: u64,
    simulation: impl Fn() -> Simulation,
) -> Result<(), SimError> {
    let decisions = std::mem::take(&mut outcomes.regrets);
    let candidates = std::mem::take(&mut outcomes.candidates);
    let mut figures = RegretFigures::default();
    for place in spread(decisions.len(), count) {
        let decision = decisions[place];
        let mut completions = Vec::with_capacity(candidates[place].len());
        for &server in &candidates[place] {
            let at = if server == decision.chosen.server {
                received(outcomes, decision.task)
            } else {
                let forced = ForcedDecision { place: place as u64, server };
                received(&other(again, forced, decision.at, simulation())?, decision.task)
            };
            completions.push(TrueCompletion { server, at });
        }
        let decision = decision.completed(&completions);
        if decision.at >= outcomes.warm_up {
            figures.add(&decision);
        }
        outcomes.regrets.push(decision);
    }
    outcomes.figures.regret = figures;
    Ok(())
}

/// The run in which a decision at an instant is taken otherwise.
fn other(
    again: &Again,
    forced: ForcedDecision,
    at: SimTime,
    simulation: Simulation,
) -> Result<BrokerOutcomes, SimError> {
    let assembly = again.with(forced).map_err(|rejected| {
        let error = rejected.complaints.iter().map(|complaint| complaint.message.as_str());
        let error = error.collect::<Vec<_>>().join("; ").into();
        SimError::Model { process: "run on from a decision".into(), at, error }
    })?;
    let until = assembly.until;
    let problem = simulation.enter(|| assembly.problem());
    execute(problem, simulation, until)
}

/// The instant at which the results of a task were back; the end of time if never.
fn received(outcomes: &BrokerOutcomes, task: u64) -> SimTime {
    let task = usize::try_from(task).ok().and_then(|place| outcomes.tasks.get(place));
    task.filter(|task| task.state == TaskState::Completed).map_or(SimTime::MAX, |task| task.received)
}

/// The places of so many of all, spread evenly.
fn spread(all: usize, count: u64) -> impl Iterator<Item = usize> {
    let count = count.min(all as u64);
    (0..count).map(move |number| (u128::from(number) * all as u128 / u128::from(count)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_spread_evenly_and_each_is_taken_once() {
        assert_eq!(spread(10, 4).collect::<Vec<_>>(), [0, 2, 5, 7]);
        assert_eq!(spread(3, 9).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(spread(0, 5).count() + spread(7, 0).count(), 0);
    }
}
