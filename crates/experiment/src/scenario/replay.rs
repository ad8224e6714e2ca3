//! Replays: runs of scenarios whose workload records a schedule of its own.

use crate::fidelity::{ErrorCause, FidelityRules, ReplayFacts};
use crate::registry::{Complaint, Registry, code};
use crate::scenario::run::Ready;
use crate::scenario::system::System;
use crate::scenario::valid::{Rejected, Scenario};

/// Request for a replay.
#[derive(Clone, Copy)]
pub struct ReplayRequest<'a> {
    /// The components.
    pub registry: &'a Registry,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The rules of the account, which state the machine.
    pub rules: &'a FidelityRules,
    /// Causes whose jobs start as recorded.
    pub as_recorded: &'a [ErrorCause],
}

/// A replay that is ready to begin: [`Results::replayed`](super::Results::replayed) has its jobs.
#[derive(Debug)]
pub struct ScheduleReplay {
    /// The run.
    pub ready: Ready,
    /// Its machine and its jobs.
    pub facts: ReplayFacts,
}

impl dyn System + '_ {
    /// Rejection of a scenario whose system has no recorded schedule.
    #[expect(clippy::unnecessary_box_returns, reason = "rejections are boxed, as they carry the texts")]
    pub(super) fn no_schedule(&self, scenario: &Scenario) -> Box<Rejected> {
        let message = format!("a scenario of {} has no recorded schedule to be compared with", self.about());
        let complaint = Complaint::nowhere(code::CONTRADICTION, message);
        scenario.reject(complaint.help("scenarios that replay a log of jobs have one"))
    }
}
