//! Counts of jobs by their final states.
//!
//! **Observed jobs** are those submitted after the warm-up and, if the run was stopped, by its end
//! ([`FinishedRun::submitted`]). All counts of states are of them, each observed job has exactly
//! one state, and so the counts add up: submitted = completed + killed + cancelled + lost +
//! rejected + unfinished. A warm-up of a number of jobs counts accepted ones: a rejected job is
//! observed if the accepted jobs submitted before it are at least as many.
//!
//! `FAMILIES` defines them.

use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;
use crate::workload::Job;

use super::metrics::{FinishedRun, counted};
use super::observations::SUBMITTED;
use crate::batch::record::State;

/// The counts of states, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "jobs.submitted" [] None, SUBMITTED =>
        "all observed jobs: `jobs.completed` + `jobs.killed` + `jobs.cancelled` + `jobs.lost` + \
         `jobs.rejected` + `jobs.unfinished`";
    "jobs.completed" [] Higher, SUBMITTED => "jobs that ended by themselves";
    "jobs.killed" [] Lower, SUBMITTED =>
        "jobs that their limits ended, or the ends of the reservations inside which they ran",
        shown "jobs are killed (`cluster.kill-at-estimate`, jobs inside reservations, or the workload is of Batsim)";
    "jobs.cancelled" [] Lower, SUBMITTED =>
        "jobs that their users cancelled, waiting or running",
        shown "users cancel jobs (`patience` and `cancelled` of the workload)";
    "jobs.lost" [] Lower, SUBMITTED =>
        "jobs that ended because a node failed", shown "nodes fail (`cluster.failures`)";
    "jobs.rejected" [] Lower, SUBMITTED => "jobs that were refused; no mean is over them";
    "jobs.unfinished" [] Lower, SUBMITTED => "jobs that had not left when the run ended";
    "jobs.held-for-ever" [] Lower, SUBMITTED =>
        "jobs of `jobs.unfinished` that wait for others which did not succeed, or wait for ever themselves",
        shown "failed dependencies hold jobs (`cluster.on-failed-dependency`)";
};

impl FinishedRun<'_> {
    /// The observed jobs: submitted after the warm-up and, if the run was stopped, by its end.
    /// Every count is of them.
    pub fn submitted(&self) -> impl Iterator<Item = (JobId, &Job)> + Clone {
        let end = self.until.unwrap_or(SimTime::MAX);
        let mut accepted = 0;
        self.ids().filter(move |&(id, job)| {
            let before = accepted;
            accepted += u64::from(self.record.state(id) != State::Rejected);
            self.warm_up.keeps(before, job.submit_time)
                && job.submit_time <= end
                && !self.record.never_submitted().contains(&id)
        })
    }

    /// Number of observed jobs are in each state, with the names of metrics, in the order in which
    /// they are shown. States that the site does not know are left out.
    pub(super) fn counts(&self) -> Vec<Metric> {
        let mut of_state = [0; State::ALL.len()];
        self.submitted().for_each(|(id, _)| of_state[self.record.state(id) as usize] += 1);
        let of = |states: &[State]| states.iter().map(|&state| of_state[state as usize]).sum();
        let site = self.record.site();
        let known = [
            ("jobs.submitted", true, &State::ALL[..]),
            ("jobs.completed", true, &[State::Completed]),
            ("jobs.killed", site.walltime.is_some() || site.users.kills || site.inside, &[State::Killed]),
            ("jobs.cancelled", site.users.cancels, &[State::Cancelled]),
            ("jobs.lost", site.failures.is_some(), &[State::Lost]),
            ("jobs.rejected", true, &[State::Rejected]),
            ("jobs.unfinished", true, &[State::Expected, State::Running]),
        ];
        let known = known.into_iter().filter(|row| row.1);
        let mut counts: Vec<Metric> = known.map(|(name, _, states)| counted(name, of(states))).collect();
        if site.holds_failed {
            let held = self.record.held_for_ever();
            let held = self.submitted().filter(|(id, _)| held.contains(id)).count();
            counts.push(counted("jobs.held-for-ever", held as u64));
        }
        counts
    }
}
