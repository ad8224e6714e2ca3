//! Use of pools beside processors, where the site has any.
//!
//! `FAMILIES` defines the metrics.
//!
//! A job holds what it asks for from its start to its end, in each of its runs.

use crate::batch::pools::Pools;
use crate::batch::record::State;
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::kernel::stats::ratio;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;

use super::metrics::{FinishedRun, real};
use super::observations::WINDOW;

/// The metrics of runs beside pools, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "pools.utilization" [share] None, WINDOW =>
        "amount of a pool that running jobs held, over time / (amount of the pool x length of the window)",
        parts &[
            ("mean", "the mean over the pools of the site"),
            ("max", "that of the pool that was used most"),
        ],
        shown "the site has pools (`cluster.pools`)";
};

/// The metrics, in the order in which they are shown; none if there are no pools.
pub(super) fn metrics(run: &FinishedRun<'_>) -> Vec<Metric> {
    let Some(pools) = run.record.pools() else { return Vec::new() };
    let window = run.window();
    let span = u128::from(window.to.since(window.from).as_nanos());
    let held = held(run, pools);
    // one of nothing is one that jobs ask for and that the site has not
    let sizes = pools.each().zip(held).filter(|((_, count), _)| *count > 0);
    let share = |((_, count), held): ((&str, u32), u128)| ratio(held, span.saturating_mul(count.into()));
    let shares: Vec<f64> = if span > 0 { sizes.map(share).collect() } else { Vec::new() };
    let mean = (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
    let max = shares.iter().copied().reduce(f64::max);
    vec![real("pools.utilization.mean", mean), real("pools.utilization.max", max)]
}

/// Amounts of each pool that jobs held within the window \[ns\].
fn held(run: &FinishedRun<'_>, pools: &Pools) -> Vec<u128> {
    let window = run.window();
    let mut held = vec![0_u128; pools.each().count()];
    let mut holds = |job: JobId, start: SimTime, end: SimTime| {
        let time = u128::from(end.min(window.to).since(start.max(window.from)).as_nanos());
        for share in pools.asked(job) {
            held[share.pool] = held[share.pool].saturating_add(time * u128::from(share.amount));
        }
    };
    for (outcome, id) in run.record.outcomes().zip((0..).map(JobId)) {
        match outcome.state {
            State::Expected | State::Rejected => {}
            State::Running => holds(id, outcome.start, window.to),
            _ => holds(id, outcome.start, outcome.end),
        }
    }
    for one in run.record.outages().attempts() {
        holds(one.job, one.start, one.end);
    }
    held
}
