//! Actions of users on jobs besides submitting them, as metrics show it.
//!
//! `FAMILIES` defines the metrics.

use crate::kernel::SimDuration;
use crate::kernel::stats::ratio;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;

use super::metrics::{FinishedRun, NANOS_PER_SEC, counted, real};
use super::observations::OBSERVED;

/// The metrics of what users do, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "jobs.held" [] None, OBSERVED => "jobs that were held until others had left", shown DEPEND;
    "held-time.mean" ["s"] None, "the jobs of `jobs.held`" =>
        "mean time from the submission of a held job to its release, a part of its wait", shown DEPEND;
    "jobs.followed" [] None, OBSERVED =>
        "jobs that were submitted when another had left, after the think time of their user",
        shown "jobs are submitted after others (`preceding` of the workload)";
};

const DEPEND: &str = "jobs wait for others (`dependencies` and `preceding` of the workload)";

/// The metrics, in the order in which they are shown; none of what users do not do.
pub(super) fn metrics(run: &FinishedRun<'_>) -> Vec<Metric> {
    let habits = run.record.site().users;
    let mut metrics = Vec::new();
    if habits.depends {
        let released = run.record.releases();
        let held: Vec<SimDuration> = run
            .observed()
            .filter_map(|(id, job)| released.get(&id).map(|at| at.since(job.submit_time)))
            .collect();
        let sum: u128 = held.iter().map(|span| u128::from(span.as_nanos())).sum();
        let mean = (!held.is_empty()).then(|| ratio(sum, held.len() as u128 * NANOS_PER_SEC));
        metrics.push(counted("jobs.held", held.len() as u64));
        metrics.push(real("held-time.mean", mean));
    }
    if habits.follows {
        let followed = run.observed().filter(|(id, _)| run.record.followers().contains(id)).count();
        metrics.push(counted("jobs.followed", followed as u64));
    }
    metrics
}
