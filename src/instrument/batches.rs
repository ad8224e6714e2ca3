//! Half-widths of the means of a single run: batch means over its jobs, in order of submission.
//!
//! Jobs of one run wait in the same queue, so their waits are not independent and the spread of the
//! jobs says nothing of the spread of the mean. Means of long batches nearly are ([`BatchMeans`]).
//! An interval is only worth anything where something random was drawn, and only for means over
//! jobs: a utilization or a quantile is none.
//!
//! Fewer than [`LEAST_BATCHES`] full batches give no interval. That the batches are long enough is
//! another matter: where neighbouring means correlate, the interval is too narrow, and [`warning`]
//! says so.

use crate::kernel::stats::{BatchMeans, CONFIDENCE};

use super::metrics::FinishedRun;
use super::signs::Warning;

/// Full batches that an interval rests on at least.
pub const LEAST_BATCHES: usize = 20;

/// Half-width of the confidence interval of one mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfWidth {
    /// The metric, such as `wait-time.mean`.
    pub metric: &'static str,
    /// Half of the interval's width, in the metric's unit.
    pub half_width: f64,
    /// True if neighbouring batches correlate, at 1 %: then it is too narrow.
    pub correlates: bool,
    /// Number of independent observations that the run is worth; `None` with too few batches to
    /// say.
    pub worth: Option<f64>,
    /// True if it is worth enough of them for the interval to be believed.
    pub long_enough: bool,
}

/// The half-widths of the per-job means of a run; none with too few jobs.
///
/// Jobs that do not fill a batch at the end are part of the mean and not of its half-width.
pub fn half_widths(run: &FinishedRun<'_>) -> Vec<HalfWidth> {
    const METRICS: [&str; 4] =
        ["wait-time.mean", "response-time.mean", "slowdown.mean", "bounded-slowdown.mean"];
    let mut batches = [(); 4].map(|()| BatchMeans::default());
    for (id, job) in run.observed() {
        let seen = run.observe(id, job);
        let values =
            [seen.wait.as_secs_f64(), seen.response.as_secs_f64(), seen.slowdown(), seen.bounded_slowdown()];
        for (batch, value) in batches.iter_mut().zip(values) {
            batch.record(value);
        }
    }
    METRICS.into_iter().zip(&batches).filter_map(|(metric, batch)| half_width(metric, batch)).collect()
}

/// The half-width of a mean over these batches; none with too few of them.
pub fn half_width(metric: &'static str, batches: &BatchMeans) -> Option<HalfWidth> {
    if batches.means().len() < LEAST_BATCHES {
        return None;
    }
    let half_width = batches.widest_interval(CONFIDENCE)?.half_width;
    let (correlates, worth) = (batches.neighbours_clearly_correlate(), batches.worth());
    Some(HalfWidth { metric, half_width, correlates, worth, long_enough: batches.is_worth_enough() })
}

/// That intervals are too narrow, if any is.
pub fn warning(half_widths: &[HalfWidth]) -> Option<Warning> {
    let metrics: Vec<&str> =
        half_widths.iter().filter(|found| found.correlates).map(|found| found.metric).collect();
    let text = || format!("intervals too narrow: neighbouring batches correlate ({})", metrics.join(", "));
    (!metrics.is_empty()).then(|| Warning { code: "batches-correlate", text: text() })
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::ids::JobId;
    use crate::instrument::{Reason, Record};
    use crate::kernel::stats::WarmUp;
    use crate::kernel::{SimDuration, SimTime};
    use crate::workload::Job;

    use super::*;

    /// The half-widths of jobs that wait so many seconds each and then run for 10 s.
    fn of(waits: &[u64]) -> Vec<HalfWidth> {
        let (mut jobs, mut record) = (Vec::new(), Record::new(waits.len()));
        for (place, &wait) in (0..).zip(waits) {
            jobs.push(Job::new(1, SimTime::ZERO, 1, SimDuration::from_secs(10)));
            let start = SimTime::from_nanos(wait * 1_000_000_000);
            record.started(JobId(place), start, &[Interval::new(0, 0)], Reason::Head);
            record.ended(JobId(place), start.saturating_add(SimDuration::from_secs(10)));
        }
        half_widths(&FinishedRun {
            jobs: &jobs,
            record: &record,
            procs: 1,
            until: None,
            warm_up: WarmUp::None,
        })
    }

    #[test]
    fn twenty_jobs_worked_by_hand() {
        let waits: Vec<u64> = (0..20).map(|place| 10 * (place % 2)).collect();
        let found = of(&waits);
        // ten 0 and ten 10: variance 500/19, t(0.975, 19) = 2.093024: 2.093024 × sqrt(500/19/20) =
        // 2.400864
        let close = |metric: &str, expected: f64| {
            let found = found.iter().find(|found| found.metric == metric).expect("an interval");
            assert!((found.half_width - expected).abs() < 1e-5, "{found:?}");
        };
        close("wait-time.mean", 2.400_864);
        close("response-time.mean", 2.400_864);
        close("slowdown.mean", 0.240_086_4);
        close("bounded-slowdown.mean", 0.240_086_4);
        assert_eq!(warning(&found), None);
    }

    #[test]
    fn too_few_jobs_have_no_interval_and_a_slow_wave_a_warning() {
        assert_eq!(of(&[1; 19]), []);
        let wave: Vec<u64> = (0..4000).map(|place| u64::from(place % 2000 < 1000)).collect();
        let warning = warning(&of(&wave)).expect("they correlate");
        assert_eq!(warning.code, "batches-correlate");
        assert!(warning.text.contains("wait-time.mean"), "{}", warning.text);
    }
}
