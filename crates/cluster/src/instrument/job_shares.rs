//! Shares of jobs that change what the figures of a run mean.
//!
//! A mean is over the observed jobs that ran and left. Where others are missing from it, which ones
//! is no chance: the largest are rejected, the ones that wait longest are cancelled or unfinished,
//! the longest are lost. So a share of 1 % is warned of ([`MISSING`]). Jobs that were killed at
//! their limits or repaired by the reader are in the means, with other figures than were recorded:
//! of those a share of 5 % is ([`CHANGED`]).

use crate::measure::input_counts::InputCounts;
use crate::measure::own_warnings::{Counted, Share, Shares, WarningKind};
use crate::workload::swf::{Cause, Effect, Report};

/// Share of jobs missing from the means that is warned of.
pub const MISSING: f64 = 0.01;
/// Share of jobs with other figures than were recorded that is warned of.
pub const CHANGED: f64 = 0.05;

/// Shares of jobs, a row each: what the jobs are called, what is counted, the share that is warned
/// of, what it means, and when the warning fires.
macro_rules! job_shares {
    ($($label:literal $counted:expr, $least:expr, $text:literal, $definition:literal;)*) => {
        [$({
            let (code, label) = (concat!($label, "-jobs"), $label);
            let kind = WarningKind { code, about: $text, definition: $definition };
            Share { kind, label, counted: $counted, least: $least }
        }),*]
    };
}

/// Every such share, the gravest first.
pub const JOB_SHARES: Shares = Shares { complete: "jobs.completed", others: &OTHERS };

const OTHERS: [Share; 7] = job_shares! {
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
        records: report.jobs.saturating_sub(report.total(Effect::Folded) + report.total(Effect::NotRun)),
        dropped: report.total(Effect::Dropped) + report.total(Effect::Unread),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(states: &[(&str, f64)]) -> Vec<&'static str> {
        let state = |name: &str| states.iter().find(|(known, _)| *known == name).map_or(0.0, |found| found.1);
        JOB_SHARES.warnings(state, None).into_iter().map(|warning| warning.code).collect()
    }

    #[test]
    fn jobs_that_no_mean_counts_are_warned_of_earlier_than_jobs_that_were_changed() {
        let few =
            [("jobs.completed", 920.0), ("jobs.killed", 49.0), ("jobs.lost", 11.0), ("jobs.cancelled", 20.0)];
        assert_eq!(codes(&few), ["cancelled-jobs", "lost-jobs"]);
        assert_eq!(
            codes(&[("jobs.killed", 5.0), ("jobs.unfinished", 95.0)]),
            ["unfinished-jobs", "killed-jobs"]
        );
        assert_eq!(codes(&[("jobs.completed", 990.0), ("jobs.rejected", 10.0)]), ["rejected-jobs"]);
        assert_eq!(codes(&[("jobs.completed", 991.0), ("jobs.rejected", 9.0)]), [""; 0]);
    }
}
