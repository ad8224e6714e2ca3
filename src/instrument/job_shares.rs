//! Shares of jobs that change what the figures of a run mean.
//!
//! A mean is over the observed jobs that ran and left. Where others are missing from it, which ones
//! is no chance: the largest are rejected, the ones that wait longest are cancelled or unfinished,
//! the longest are lost. So a share of 1 % is warned of ([`MISSING`]). Jobs that were killed at
//! their limits or repaired by the reader are in the means, with other figures than were recorded:
//! of those a share of 5 % is ([`CHANGED`]).
//!
//! States are shares of the observed jobs, drops and repairs of the jobs of the log, whether the
//! window holds them or not.

use crate::measure::input_counts::InputCounts;
use crate::measure::signs::Warning;
use crate::workload::swf::{Cause, Effect, Report};

/// Share of jobs missing from the means that is warned of.
pub const MISSING: f64 = 0.01;
/// Share of jobs with other figures than were recorded that is warned of.
pub const CHANGED: f64 = 0.05;

/// The metric of the jobs that are in every mean as they are.
pub const COMPLETED: &str = "jobs.completed";

/// Jobs that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Observed jobs in a state, by the name of the metric.
    State(&'static str),
    /// Jobs of the log that were dropped.
    Dropped,
    /// Jobs of the log that were repaired.
    Repaired,
}

/// A share of jobs and the warning about it.
#[derive(Clone, Copy, Debug)]
pub struct JobShare {
    /// The code of the warning.
    pub code: &'static str,
    /// Name of the jobs in a column.
    pub label: &'static str,
    /// Jobs that are counted.
    pub counted: Counted,
    /// The share from which on it is warned of.
    pub least: f64,
    /// Meaning, to follow a share of jobs.
    pub text: &'static str,
    /// Instant at which the warning fires.
    pub definition: &'static str,
}

/// Shares of jobs, a row each: what the jobs are called, what is counted, the share that is warned
/// of, what it means, and when the warning fires.
macro_rules! job_shares {
    ($($label:literal $counted:expr, $least:expr, $text:literal, $definition:literal;)*) => {
        [$({
            let (code, label) = (concat!($label, "-jobs"), $label);
            JobShare { code, label, counted: $counted, least: $least, text: $text, definition: $definition }
        }),*]
    };
}

/// Every such share, the gravest first.
pub const JOB_SHARES: [JobShare; 7] = job_shares! {
    "rejected" Counted::State("jobs.rejected"), MISSING,
        "of the observed jobs were rejected: every figure is of the others",
        "1 % of the observed jobs or more were rejected, and are in no figure but their count";
    "dropped" Counted::Dropped, MISSING,
        "of the jobs of the log were dropped when it was read: the workload is the others",
        "1 % of the jobs of the log or more were dropped when it was read, by the causes that drop a job";
    "unfinished" Counted::State("jobs.unfinished"), MISSING,
        "of the observed jobs had not ended when the run was stopped: no mean counts them",
        "1 % of the observed jobs or more had not ended when the run was stopped, and are in no mean";
    "cancelled" Counted::State("jobs.cancelled"), MISSING,
        "of the observed jobs were cancelled: no mean counts them",
        "1 % of the observed jobs or more were cancelled, and are in no mean";
    "lost" Counted::State("jobs.lost"), MISSING,
        "of the observed jobs were lost when nodes failed: no mean counts them",
        "1 % of the observed jobs or more were lost when nodes failed, and are in no mean";
    "killed" Counted::State("jobs.killed"), CHANGED,
        "of the observed jobs were killed at their limits: means count them with the run times that the limits left",
        "5 % of the observed jobs or more were killed at their limits, and are in the means with shorter run times";
    "repaired" Counted::Repaired, CHANGED,
        "of the jobs of the log were repaired when it was read: their sizes, times or dependencies are not as recorded",
        "one cause of repair that changes sizes, run times, estimates or dependencies befell 5 % of the jobs of the log \
         or more";
};

/// Counts of a log's jobs, of what its reader reports.
pub fn counts_of(report: &Report) -> InputCounts {
    let repaired = report.tallies().filter(|(cause, _)| changes_job(*cause)).map(|(_, tally)| tally.count);
    InputCounts {
        records: report.jobs.saturating_sub(report.total(Effect::Folded)),
        dropped: report.total(Effect::Dropped),
        repaired: repaired.max().unwrap_or(0),
    }
}

/// Returns true if a repair changes the size, run time, estimate or dependency of a job; others
/// change its number or its place only.
fn changes_job(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::ProcsFromRequest
            | Cause::EstimateFromRunTime
            | Cause::EstimateRaised
            | Cause::CutAtWalltime
            | Cause::PrecedingAbsent
            | Cause::PrecedingLater
    )
}

impl JobShare {
    /// Number of jobs it is; `state` gives the metric of a name, 0 where there is none.
    pub fn count(&self, state: impl Fn(&str) -> f64, log: Option<InputCounts>) -> f64 {
        match self.counted {
            Counted::State(metric) => state(metric),
            Counted::Dropped => log.map_or(0.0, |log| log.dropped as f64),
            Counted::Repaired => log.map_or(0.0, |log| log.repaired as f64),
        }
    }

    /// The share itself, from 0 to 1; 0 of no jobs.
    pub fn share(&self, state: impl Fn(&str) -> f64, log: Option<InputCounts>) -> f64 {
        let all = match self.counted {
            Counted::State(_) => observed(&state),
            Counted::Dropped | Counted::Repaired => log.map_or(0.0, |log| log.records as f64),
        };
        if all > 0.0 { self.count(state, log) / all } else { 0.0 }
    }

    /// The warning, where the share is large enough.
    pub fn warning(&self, state: impl Fn(&str) -> f64, log: Option<InputCounts>) -> Option<Warning> {
        let share = self.share(state, log);
        (share >= self.least)
            .then(|| Warning { code: self.code, text: format!("{:.1} % {}", share * 100.0, self.text) })
    }
}

/// The observed jobs: those of all states.
fn observed(state: impl Fn(&str) -> f64) -> f64 {
    let others = JOB_SHARES.iter().map(|share| match share.counted {
        Counted::State(metric) => state(metric),
        Counted::Dropped | Counted::Repaired => 0.0,
    });
    state(COMPLETED) + others.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(states: &[(&str, f64)], log: Option<InputCounts>) -> Vec<&'static str> {
        let state = |name: &str| states.iter().find(|(known, _)| *known == name).map_or(0.0, |found| found.1);
        JOB_SHARES.iter().filter_map(|share| share.warning(state, log)).map(|warning| warning.code).collect()
    }

    #[test]
    fn a_share_is_warned_of_from_its_bound_on() {
        assert_eq!(codes(&[(COMPLETED, 990.0), ("jobs.rejected", 10.0)], None), ["rejected-jobs"]);
        assert_eq!(codes(&[(COMPLETED, 991.0), ("jobs.rejected", 9.0)], None), [""; 0]);
        let few = [(COMPLETED, 920.0), ("jobs.killed", 49.0), ("jobs.lost", 11.0), ("jobs.cancelled", 20.0)];
        assert_eq!(codes(&few, None), ["cancelled-jobs", "lost-jobs"]);
        assert_eq!(
            codes(&[("jobs.killed", 5.0), ("jobs.unfinished", 95.0)], None),
            ["unfinished-jobs", "killed-jobs"]
        );
        assert_eq!(codes(&[], None), [""; 0]);
    }

    #[test]
    fn drops_and_repairs_are_shares_of_the_log() {
        let log = |dropped, repaired| Some(InputCounts { records: 1000, dropped, repaired });
        assert_eq!(codes(&[(COMPLETED, 5.0)], log(10, 50)), ["dropped-jobs", "repaired-jobs"]);
        assert_eq!(codes(&[(COMPLETED, 5.0)], log(9, 49)), [""; 0]);
    }
}
