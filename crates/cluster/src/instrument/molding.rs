//! Moldable jobs that were given other numbers of processors than they asked for.
//!
//! `FAMILIES` defines the metrics.
//!
//! The dedicated time of a job is its run time alone on the processors that it asked for. Slowdowns
//! are response times over that, so that a policy which gives jobs fewer processors pays for it,
//! and one that gives them more may come below 1. For a job that was given what it asked for it is
//! its run time.

use crate::kernel::stats::ratio;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;

use super::metrics::{FinishedRun, counted, real};
use super::observations::OBSERVED;

const MOLDED: &str =
    "moldable jobs get other sizes than they ask for (`workload.moldable` and `policy.molding`)";

/// The metrics of runs in which jobs get other sizes, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "jobs.molded" [] None, OBSERVED =>
        "jobs that ran on another number of processors than they asked for", shown MOLDED;
    "molding.size-ratio" [] None, OBSERVED =>
        "mean of processors that a job got / processors that it asked for", shown MOLDED;
};

/// The metrics, in the order in which they are shown; none where jobs get what they ask for.
pub(super) fn metrics(run: &FinishedRun<'_>) -> Vec<Metric> {
    if !run.record.site().users.molds {
        return Vec::new();
    }
    let (mut molded, mut jobs, mut sum) = (0, 0, 0.0);
    for (id, job) in run.observed() {
        jobs += 1;
        molded += u64::from(run.record.asked(id).is_some());
        sum += ratio(u128::from(job.procs), u128::from(run.asked(id).procs));
    }
    let mean = (jobs > 0).then(|| sum / f64::from(jobs));
    vec![counted("jobs.molded", molded), real("molding.size-ratio", mean)]
}
