//! Effects of failed nodes: the runs of jobs that were interrupted, and when which
//! processors were out of service.
//!
//! `FAMILIES` defines the metrics.
//!
//! Those of processor time are of all runs of the observed jobs that were accepted, so without a
//! warm-up, and if the run was not stopped, what jobs had is their work and these two exactly: a
//! job that is lost loses all its work. A checkpoint that an interruption cuts short is lost. In
//! slices the time counts in which jobs ran, and not that in which others had their processors.

use crate::batch::record::{Outage, State};
use crate::collections::{OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::kernel::stats::ratio;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;

use super::metrics::{FinishedRun, NANOS_PER_SEC, Window, counted, real};
use super::observations::{KEPT, WINDOW};

const FAIL: &str = "nodes fail (`cluster.failures`)";
const FAIL_OR_RESERVED: &str =
    "nodes fail (`cluster.failures`) or processors are reserved (`cluster.reservation`)";

/// The metrics of runs in which jobs may be interrupted, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "jobs.interrupted" [] Lower, KEPT =>
        "jobs that were interrupted and waited again, each counted once", shown FAIL_OR_RESERVED;
    "interruptions" [] Lower, KEPT => "how often jobs were interrupted", shown FAIL_OR_RESERVED;
    "node-failures" [] None, WINDOW => "failures of nodes", shown FAIL;
    "availability" [share] None, WINDOW =>
        "processor time in service / (processors x length of the window)", shown FAIL;
    "processor-time.lost" ["s"] Lower, KEPT =>
        "processor time of jobs in which they did work that had to be done again or was lost; a checkpoint \
         that an interruption cuts short is lost",
        shown FAIL_OR_RESERVED;
    "processor-time.checkpoints" ["s"] Lower, KEPT =>
        "processor time of jobs in which they wrote checkpoints that were finished", shown FAIL;
};

/// Processor time out of service in a window [processor ns].
pub(super) fn out_of_service(run: &FinishedRun<'_>, window: Window) -> u128 {
    let of = |span: &Outage| {
        let length = span.to.min(window.to).since(span.from.max(window.from));
        u128::from(length.as_nanos()) * u128::from(span.processors.count())
    };
    run.record.outages().spans().iter().map(of).sum()
}

/// The metrics, in the order in which they are shown; none where nodes do not fail.
pub(super) fn metrics(run: &FinishedRun<'_>) -> Vec<Metric> {
    if run.record.site().failures.is_none() {
        return Vec::new();
    }
    let (outages, window) = (run.record.outages(), run.window());
    let seen = Seen::of(run);
    let failed =
        outages.spans().iter().filter(|span| window.from <= span.from && span.from < window.to).count();
    let span = u128::from(window.to.since(window.from).as_nanos()) * u128::from(run.procs);
    let share = (span > 0).then(|| ratio(span - out_of_service(run, window).min(span), span));
    let (lost, written) = work(run);
    let seconds = |nanos| Some(ratio(nanos, NANOS_PER_SEC));
    vec![
        counted("jobs.interrupted", seen.jobs),
        counted("interruptions", seen.interruptions),
        counted("node-failures", failed as u64),
        real("availability", share),
        real("processor-time.lost", seconds(lost)),
        real("processor-time.checkpoints", seconds(written)),
    ]
}

/// Number of times that jobs were interrupted, and what they lost by it: the metrics of runs in
/// which they may be.
pub(super) fn interrupted(run: &FinishedRun<'_>) -> Vec<Metric> {
    let seen = Seen::of(run);
    vec![
        counted("jobs.interrupted", seen.jobs),
        counted("interruptions", seen.interruptions),
        real("processor-time.lost", Some(ratio(work(run).0, NANOS_PER_SEC))),
    ]
}

#[derive(Default)]
struct Seen {
    jobs: u64,
    interruptions: u64,
}

impl Seen {
    fn of(run: &FinishedRun<'_>) -> Self {
        let mut seen = Seen::default();
        let mut times: OrderedMap<JobId, u64> = OrderedMap::new();
        for attempt in run.record.outages().attempts() {
            *times.entry(attempt.job).or_default() += 1;
        }
        for (id, _) in run.kept() {
            let often = times.get(&id).copied().unwrap_or(0);
            seen.jobs += u64::from(often > 0);
            seen.interruptions += often;
        }
        seen
    }
}

/// Processor time in which work was done that was lost, and in which checkpoints were written, of
/// the jobs that the warm-up leaves [processor ns].
fn work(run: &FinishedRun<'_>) -> (u128, u128) {
    let checkpoint = run.record.site().failures.and_then(|failures| failures.checkpoint);
    let (mut lost, mut written) = (0, 0);
    // a run of a job: on how many processors, how long it ran, and what came of it
    let mut add = |procs: u32, ran: SimDuration, kept: SimDuration, written_in: SimDuration| {
        let procs = u128::from(procs);
        written += u128::from(written_in.as_nanos()) * procs;
        lost += u128::from(ran.saturating_sub(kept).saturating_sub(written_in).as_nanos()) * procs;
    };
    let cost = |kept: SimDuration| match checkpoint {
        Some(rule) => SimDuration::from_nanos(
            (kept.as_nanos() / rule.interval.as_nanos()).saturating_mul(rule.cost.as_nanos()),
        ),
        None => SimDuration::ZERO,
    };
    let observed: OrderedSet<JobId> = run.kept().map(|(id, _)| id).collect();
    for attempt in run.record.outages().attempts().iter().filter(|one| observed.contains(&one.job)) {
        add(attempt.procs(), attempt.ran, attempt.kept, cost(attempt.kept));
    }
    for (id, job) in run.kept() {
        let outcome = run.record.outcome(id);
        let in_slices = run.record.outages().served_at_last(id);
        let ran = in_slices.unwrap_or_else(|| outcome.end.since(outcome.start));
        match outcome.state {
            State::Lost => add(job.procs, ran, SimDuration::ZERO, SimDuration::ZERO),
            State::Completed | State::Killed => {
                let rest = job.run_time.saturating_sub(run.record.outages().kept(id));
                add(job.procs, ran, rest, ran.saturating_sub(rest));
            }
            State::Expected | State::Running | State::Rejected | State::Cancelled => {}
        }
    }
    (lost, written)
}
