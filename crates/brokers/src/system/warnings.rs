//! Warnings of a run that has more servers than its scheduler can tell apart.

use crate::measure::own_warnings::WarningKind;
use crate::measure::signs::Warning;
use crate::outcomes::BrokerOutcomes;
use crate::output::number::grouped;
use crate::station::StationTraffic;

/// All tasks on one server, for lack of measurements.
pub(super) const IDLE_SERVERS: WarningKind = WarningKind {
    code: "idle-servers",
    about: "all tasks waited for one server while others were idle, as nothing is measured: add [monitor.server]",
    definition: "a scheduler that goes by measurements had none and sent all tasks, twenty at least, to one server, where they took \
                 5 % longer in the mean than alone, while no other server had any",
};

/// Schedulers that judge servers by what is measured of them.
const PREDICTING: [&str; 4] = ["best-network", "deadline", "greedy", "least-load"];
/// The predictor that needs no measurements.
const PERFECT: &str = "perfect";
/// Completed tasks from which on it is no chance that all went to one server.
const LEAST: u64 = 20;
/// Mean slowdown from which on tasks are said to have waited for each other.
const SLOWED: f64 = 1.05;

/// Warns that all tasks waited for one server while others were idle, unknown to the
/// scheduler; `called` are the names of the scheduler and of the predictor.
pub(super) fn idle_servers(
    outcomes: &BrokerOutcomes,
    called: &[String; 2],
    is_measured: bool,
) -> Option<Warning> {
    if is_measured || !PREDICTING.contains(&&*called[0]) || called[1] == PERFECT {
        return None;
    }
    let own = |place: &usize| !outcomes.servers[*place].usage.busy[StationTraffic::Own as usize].is_zero();
    let mut used = (0..outcomes.servers.len()).filter(own);
    let (only, None) = (used.next()?, used.next()) else { return None };
    let (server, others) = (&outcomes.servers[only], outcomes.servers.len() - 1);
    let slowed = outcomes.figures.slowdown.mean().is_some_and(|mean| mean >= SLOWED);
    if others == 0 || server.completed < LEAST || !slowed {
        return None;
    }
    let idle = if others == 1 {
        "the other was".to_owned()
    } else {
        format!("{} others were", grouped(others as u64))
    };
    let text = format!(
        "all tasks went to server `{}` and waited for each other, while {idle} idle: `{}` goes by what is measured, and \
         nothing is; add [monitor.server] with `every`, or take a scheduler that goes without, such as `round-robin`",
        server.name, called[0]
    );
    Some(IDLE_SERVERS.of_run(text))
}
