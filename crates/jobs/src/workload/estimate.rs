//! The estimate of a job's run time, which a scheduler knows.
//!
//! Logs record the time a user requested. The published figures on backfilling are made with it, or
//! with exact estimates for comparison. Logs also hold jobs that ran longer than requested; where
//! no job is killed at its limit the estimate is raised to the run time (MODELS 2.6), or else kept,
//! and then the job overruns it.

use crate::kernel::SimDuration;
use crate::registry::choices;

choices! {
    /// The source of a job's estimate.
    #[derive(Default)]
    pub enum Source {
        #[default]
        Requested = "requested", "the requested time (field 9), or the run time where none is recorded";
        Exact = "exact", "the run time";
        Soft = "soft", "the soft wall time of logs with 21 fields (field 20), or else as requested";
    }
}

choices! {
    /// The least estimate a job may have.
    #[derive(Default)]
    pub enum Floor {
        #[default]
        RunTime = "run-time", "an estimate below the run time is raised to it";
        None = "none", "estimates stay as they are, and jobs may overrun them";
    }
}

/// The rule that gives every job its estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rule {
    /// The source of the estimate.
    pub source: Source,
    /// The floor, to which a lower estimate is raised.
    pub floor: Floor,
}

/// An estimate, and what had to be done to have one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Estimate {
    /// As requested, or exact by the rule.
    AsAsked(SimDuration),
    /// No time was requested: the run time.
    NoRequest(SimDuration),
    /// The request was below the run time: raised to it.
    Raised(SimDuration),
}

impl Estimate {
    /// The estimate itself.
    pub fn duration(self) -> SimDuration {
        let (Estimate::AsAsked(span) | Estimate::NoRequest(span) | Estimate::Raised(span)) = self;
        span
    }

    /// Returns true unless nothing was requested.
    pub fn is_asked(self) -> bool {
        !matches!(self, Estimate::NoRequest(_))
    }
}

impl Rule {
    /// The estimate of a job with this request (`None` or zero: not recorded) and run time.
    pub fn estimate(self, requested: Option<SimDuration>, run_time: SimDuration) -> Estimate {
        match (self.source, requested.filter(|span| !span.is_zero())) {
            (Source::Exact, _) => Estimate::AsAsked(run_time),
            (Source::Requested | Source::Soft, None) => Estimate::NoRequest(run_time),
            (Source::Requested | Source::Soft, Some(asked))
                if asked < run_time && self.floor == Floor::RunTime =>
            {
                Estimate::Raised(run_time)
            }
            (Source::Requested | Source::Soft, Some(asked)) => Estimate::AsAsked(asked),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: SimDuration = SimDuration::from_secs(3600);
    const DAY: SimDuration = SimDuration::from_secs(86_400);

    #[test]
    fn a_request_below_the_run_time_is_raised_unless_the_floor_is_off() {
        let rule = Rule::default();
        assert_eq!(rule.estimate(Some(HOUR), DAY), Estimate::Raised(DAY));
        assert_eq!(rule.estimate(Some(DAY), HOUR), Estimate::AsAsked(DAY));
        let kept = Rule { floor: Floor::None, ..rule };
        assert_eq!(kept.estimate(Some(HOUR), DAY), Estimate::AsAsked(HOUR));
    }

    #[test]
    fn without_a_request_the_run_time_is_the_estimate() {
        assert_eq!(Rule::default().estimate(None, HOUR), Estimate::NoRequest(HOUR));
        assert_eq!(Rule::default().estimate(Some(SimDuration::ZERO), HOUR), Estimate::NoRequest(HOUR));
        assert!(!Estimate::NoRequest(HOUR).is_asked() && Estimate::Raised(HOUR).is_asked());
    }

    #[test]
    fn exact_estimates_ignore_the_request() {
        let exact = Rule { source: Source::Exact, ..Rule::default() };
        assert_eq!(exact.estimate(Some(DAY), HOUR).duration(), HOUR);
    }
}
