//! Reservations of processors: what they had, and whether they had it in time.
//!
//! `FAMILIES` defines the metrics; interruptions are counted as where nodes fail
//! ([`outages`](super::outages)).
//!
//! Utilization counts what jobs have of the whole machine, be processors reserved or not.

use crate::batch::record::{Reason, ReservedProcessors};
use crate::ids::JobId;
use crate::kernel::stats::ratio;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;
use crate::workload::Job;

use super::metrics::{FinishedRun, NANOS_PER_SEC, Window, counted, real};
use super::observations::{OBSERVED, WINDOW};
use super::outages::interrupted;

const RESERVED: &str = "processors are reserved (`cluster.reservation`)";

/// The metrics of runs in which processors are reserved, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "reservations.started" [] None, WINDOW =>
        "reservations that began; one that is repeated counts each time", shown RESERVED;
    "reservations.jobs" [] None, OBSERVED => "jobs that ran inside reservations and are over", shown RESERVED;
    "reservations.processor-time" ["s"] None, WINDOW =>
        "processor time that reservations had", shown RESERVED;
    "reservations.late" [] Lower, WINDOW =>
        "reservations of `reservations.started` that did not have all their processors when they began",
        shown RESERVED;
    "reservations.lateness" ["s"] Lower, WINDOW =>
        "longest time for which a late reservation lacked processors, up to its end at most", shown RESERVED;
};

/// The metrics, in the order in which they are shown; none where nothing is reserved.
pub(super) fn metrics(run: &FinishedRun<'_>) -> Vec<Metric> {
    if !run.record.site().reserves {
        return Vec::new();
    }
    let (reserved, window) = (run.record.reserved(), run.window());
    let begun = || reserved.begun().iter().filter(|one| window.from <= one.from && one.from < window.to);
    let late = || begun().map(|one| one.lacked(window.to)).filter(|lacked| !lacked.is_zero());
    let longest = late().max().unwrap_or_default();
    let time = ratio(held(run, window), NANOS_PER_SEC);
    // where nodes fail, too, these are reported with them
    let mut metrics = if run.record.site().failures.is_none() { interrupted(run) } else { Vec::new() };
    metrics.extend([
        counted("reservations.started", begun().count() as u64),
        counted("reservations.jobs", inside(run)),
        real("reservations.processor-time", Some(time)),
        counted("reservations.late", late().count() as u64),
        real("reservations.lateness", Some(longest.as_secs_f64())),
    ]);
    metrics
}

/// Jobs that ran inside reservations.
fn inside(run: &FinishedRun<'_>) -> u64 {
    let inside = |&(id, _): &(JobId, &Job)| run.record.outcome(id).reason == Reason::Inside;
    run.observed().filter(inside).count() as u64
}

/// Processor time that reservations had in a window [processor ns].
fn held(run: &FinishedRun<'_>, window: Window) -> u128 {
    let of = |one: &ReservedProcessors| {
        let length = one.to.min(window.to).since(one.from.max(window.from));
        u128::from(length.as_nanos()) * u128::from(one.processors.count())
    };
    run.record.reserved().taken().iter().map(of).sum()
}
