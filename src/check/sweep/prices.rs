//! What a run costs, and which tasks miss its deadline.

use crate::kernel::SimTime;

use super::run::Run;
use super::tasks::ROUNDED;
use super::transfers::rows;
use super::unjudged::{AGAIN, NO_DUPLICATES, STOPPED};
use super::{Judgement, Violation};

/// The cost is that of computations, those that were thrown away among them, and of transfers, at the prices of their clusters.
pub(super) fn cost(run: &Run<'_>) -> Judgement {
    let Some(cost) = run.files.cost else { return Ok(Vec::new()) };
    let is_lost = run.files.lost.is_some_and(|lost| lost > 0.0);
    if run.files.stopped || is_lost || run.rows().any(|(_, row)| row.attempts > 1) {
        return Err(if run.files.stopped { STOPPED } else { AGAIN });
    }
    if run.duplicates.is_none() && run.files.discarded.is_some_and(|time| time > 0.0) {
        return Err(NO_DUPLICATES);
    }
    let price = |cluster: usize, what: usize| run.grid.prices(cluster).map_or(0.0, |prices| prices[what]);
    let counted = run.rows().filter_map(|(_, row)| Some((row.host?, row.start?, row.end?)));
    let thrown_away = run.thrown_away().map(|(_, host, start, end)| (host, start, end));
    let computed: f64 = counted
        .chain(thrown_away)
        .map(|(host, start, end)| {
            end.max(start).since(start).as_secs_f64() * price(run.grid.cluster_of(host), 0)
        })
        .sum();
    let arrived = rows(run)?.iter().filter(|row| row.end.is_some());
    let sent: f64 = arrived.filter_map(|row| Some(row.bytes as f64 * price(row.cluster?, 1))).sum();
    let right = computed + sent;
    let is_right = (cost - right).abs() <= ROUNDED * right.max(1.0);
    let wrong =
        || Violation::of_no_job(SimTime::ZERO, format!("the cost is {cost}, and {right} by the prices"));
    Ok(if is_right { Vec::new() } else { vec![wrong()] })
}

/// As many tasks are not completed by the deadline as the summary has.
pub(super) fn deadline(run: &Run<'_>) -> Vec<Violation> {
    let Some((deadline, reported)) = run.files.deadline else { return Vec::new() };
    let is_met = |completed: Option<SimTime>| completed.is_some_and(|completed| completed <= deadline);
    let met = run.rows().filter(|(_, row)| is_met(row.completed)).count();
    let missed = (run.works.len() - met) as u64;
    if missed == reported {
        return Vec::new();
    }
    vec![Violation::of_no_job(
        deadline,
        format!("{missed} tasks miss the deadline, and {reported} are reported"),
    )]
}
