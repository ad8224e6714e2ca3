//! What a run costs, and which tasks miss its deadline.

use crate::kernel::SimTime;

use super::run::Run;
use super::tasks::ROUNDED;
use super::transfers::rows;
use super::unjudged::{AGAIN, STOPPED};
use super::{Judgement, Violation};

/// The cost is that of computations and transfers at the prices of their clusters.
pub(super) fn cost(run: &Run<'_>) -> Judgement {
    let Some(cost) = run.files.cost else { return Ok(Vec::new()) };
    if run.files.stopped || run.rows().any(|(_, row)| row.attempts > 1) {
        return Err(if run.files.stopped { STOPPED } else { AGAIN });
    }
    let price = |cluster: usize, what: usize| run.grid.prices(cluster).map_or(0.0, |prices| prices[what]);
    let computed: f64 = run
        .rows()
        .filter_map(|(_, row)| {
            let (start, end) = (row.start?, row.end?);
            Some(end.max(start).since(start).as_secs_f64() * price(run.grid.cluster_of(row.host?), 0))
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
