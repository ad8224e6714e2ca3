//! Half-widths of the means of a single run: batch means over a [`Cohort`], in its own order.
//!
//! Subjects of one run wait in the same queue, so their waits are not independent and the spread of
//! the subjects says nothing of the spread of the mean. Means of long batches nearly are
//! ([`BatchMeans`]). An interval is only worth anything where something random was drawn, and only
//! for means over subjects: a utilization or a quantile is none. Subjects that do not fill a batch
//! at the end are part of the mean and not of its half-width.
//!
//! Fewer than [`LEAST_BATCHES`] full batches give no interval. That the batches are long enough is
//! another matter: where neighbouring means correlate, the interval is too narrow, and [`warning`]
//! says so.

use crate::kernel::stats::{BatchMeans, CONFIDENCE, WarmUp};

use super::cohort::Cohort;
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

/// The half-widths of the means of a cohort; none of means with too few batches.
pub fn half_widths(cohort: &dyn Cohort, warm_up: WarmUp) -> Vec<HalfWidth> {
    let batches = cohort.batches(warm_up);
    cohort.means().iter().zip(&batches).filter_map(|(metric, batches)| half_width(metric, batches)).collect()
}

/// The half-width of a mean over these batches; none with too few of them.
fn half_width(metric: &'static str, batches: &BatchMeans) -> Option<HalfWidth> {
    if batches.means().len() < LEAST_BATCHES {
        return None;
    }
    let half_width = batches.widest_interval(CONFIDENCE)?.half_width;
    let (correlates, worth) = (batches.neighbours_clearly_correlate(), batches.worth());
    Some(HalfWidth { metric, half_width, correlates, worth, long_enough: batches.is_worth_enough() })
}

/// Warning of intervals that are too narrow, if any is.
pub fn warning(half_widths: &[HalfWidth]) -> Option<Warning> {
    let metrics: Vec<&str> =
        half_widths.iter().filter(|found| found.correlates).map(|found| found.metric).collect();
    let text = || format!("intervals too narrow: neighbouring batches correlate ({})", metrics.join(", "));
    (!metrics.is_empty()).then(|| Warning { code: "batches-correlate", text: text() })
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;
    use crate::measure::cohort::{ListedCohort, Subject};

    use super::*;

    /// The half-widths of subjects that come a second after each other and have these values.
    fn of(values: impl IntoIterator<Item = f64>) -> Vec<HalfWidth> {
        let mut cohort = ListedCohort::new(None, &["wait.mean"]);
        for (second, value) in (0..).zip(values) {
            let begin = SimTime::from_nanos(second * 1_000_000_000);
            let (served, end) = (Some(begin), Some(begin));
            let subject = Subject { begin, served, end, area: 1.0, class: 0, done: true };
            cohort.push(subject, &[Some(value)]);
        }
        half_widths(&cohort, WarmUp::None)
    }

    #[test]
    fn a_slow_wave_has_a_warning_and_a_fast_one_has_none() {
        let fast = of((0..4000).map(|place| f64::from(place % 2)));
        assert_eq!((fast.len(), warning(&fast)), (1, None));
        let slow = of((0..4000).map(|place| f64::from(u8::from(place % 2000 < 1000))));
        let warning = warning(&slow).expect("they correlate");
        assert_eq!(warning.code, "batches-correlate");
        assert!(warning.text.contains("wait.mean"), "{}", warning.text);
    }

    #[test]
    fn what_comes_at_once_has_no_interval() {
        assert_eq!(of([]), []);
        assert_eq!(of((0..99).map(f64::from)), [], "fewer instants than a stream has");
    }
}
