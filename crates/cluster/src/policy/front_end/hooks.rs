//! Hooks of the front end: the places at which a feature of a site joins in.
//!
//! A feature is asked at each of them and does nothing unless it says otherwise; features that are
//! not in a run are not there at all. They are asked in the order of their list. A hook never leads
//! to another hook of the same instant by a call: a job that a feature rejects has left, and what
//! follows from that is asked when the hook is over ([`Site::reject`](super::Site::reject)). So
//! chains of jobs that depend on each other are a loop.

use std::fmt::Debug;
use std::sync::Arc;

use crate::batch::planned::PlannedList;
use crate::batch::pools::Pool;
use crate::collections::{Interval, IntervalSet};
use crate::ids::JobId;
use crate::instrument::{OwnCells, Reason, Requeue};
use crate::kernel::SimDuration;
use crate::measure::metric::Metric;
use crate::workload::resources::Resources;
use crate::workload::{Checkpoint, Job};

use super::{FrontEnd, Molds, Run, Site};

/// Answer of a feature to a submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::policy) enum Submission {
    /// The job is considered, as far as this feature goes.
    Considered,
    /// It waits, unknown to the policy, until the feature lets it be considered.
    Held,
    /// It is rejected.
    Rejected(Reason),
}

/// A feature of a site that joins in what the front end does.
pub(in crate::policy) trait SiteFeature: Debug {
    /// The simulation begins: the feature makes processes that go before the first submission.
    fn begins(&mut self, _front: &FrontEnd) {}

    /// Submissions begin: the feature makes processes that go behind the first one.
    fn watches(&self, _front: &FrontEnd) {}

    /// Returns true if the feature interrupts running jobs.
    fn interrupts(&self) -> bool {
        false
    }

    /// Rule by which jobs write checkpoints, if the feature has one.
    fn checkpoint(&self) -> Option<Checkpoint> {
        None
    }

    /// Returns true if the feature limits runs.
    fn limits(&self) -> bool {
        false
    }

    /// Time for which the next run of a job may last that has had processors for `held` in earlier
    /// ones, if the feature limits it.
    fn limit(&self, _job: &Job, _held: SimDuration) -> Option<SimDuration> {
        None
    }

    /// Returns true if jobs that wait may be taken out of the queues of policies.
    fn withdraws(&self) -> bool {
        false
    }

    /// Returns true if the feature submits this job, when it is time, in place of the list of
    /// submissions.
    fn submits(&self, _job: JobId) -> bool {
        false
    }

    /// Returns true if the feature withholds processors at any time.
    fn reserves(&self) -> bool {
        false
    }

    /// The nodes that the feature withholds by name at any time, a set for each reason.
    fn named_nodes(&self) -> Vec<IntervalSet> {
        Vec::new()
    }

    /// Brings a list of what the feature withholds now, or is known to, up to date; one feature of
    /// a run has such a list.
    fn planned(&self, _list: &mut PlannedList) {}

    /// Pools that the feature puts beside processors, with what jobs ask of them: policies plan
    /// with them, and a job holds its amounts while it has processors.
    fn pools(&self) -> Vec<Pool> {
        Vec::new()
    }

    /// A job is submitted. All features hear of it until one rejects it; the first that does not
    /// let it be considered decides.
    fn submitted(&mut self, _site: &mut Site<'_>, _job: JobId) -> Submission {
        Submission::Considered
    }

    /// A job is to be considered, as it was submitted or is held no longer. True if the feature
    /// takes it over, and starts or rejects it itself: no policy knows of it.
    fn takes_over(&mut self, _site: &mut Site<'_>, _job: JobId) -> bool {
        false
    }

    /// Returns true if the feature may keep jobs back that others let be considered
    /// ([`SiteFeature::lets_in`]).
    fn gates(&self) -> bool {
        false
    }

    /// A job is to be considered as far as other features go, or was interrupted and is to wait
    /// again. A feature that holds it lets it in with [`Site::consider`](super::Site::consider),
    /// and is asked once more then.
    fn lets_in(&mut self, _site: &mut Site<'_>, _job: JobId) -> Submission {
        Submission::Considered
    }

    /// Returns true if a policy may start or refuse this job, as long as it has not left; `None` if
    /// that is not the feature's business.
    fn lets(&self, _job: JobId) -> Option<bool> {
        None
    }

    /// Returns true if the feature has jobs started before all that wait.
    fn hastens(&self) -> bool {
        false
    }

    /// Returns true if a job, which all features let in, is to start now or be handed back.
    fn is_due(&self, _job: JobId) -> bool {
        false
    }

    /// A job that is due cannot start now: the feature has it again.
    fn handed_back(&mut self, _site: &mut Site<'_>, _job: JobId) {}

    /// A job has started, and its run begins: the feature may name an end of it.
    fn run(&mut self, _site: &mut Site<'_>, _run: &mut Run) {}

    /// A job that a feature took over has left its processors, which are free: true if this feature
    /// did so, and has put them, and a job that waits again, where they belong.
    fn ended(&mut self, _site: &mut Site<'_>, _job: JobId) -> bool {
        false
    }

    /// A job was interrupted and waits again.
    fn waits_again(&mut self, _site: &mut Site<'_>, _job: JobId) {}

    /// These processors are out of service from now on; jobs on them are interrupted next.
    fn failed(&mut self, _site: &mut Site<'_>, _part: Interval) {}

    /// These processors are back in service, and free.
    fn repaired(&mut self, _site: &mut Site<'_>, _part: Interval) {}

    /// Processors have become free, of which no policy knows yet: the feature may take some.
    fn capacity_changed(&mut self, _site: &mut Site<'_>) {}

    /// A job has left for good, whatever became of it: its state is known.
    fn left(&mut self, _site: &mut Site<'_>, _job: JobId) {}

    /// Metrics of the feature's own, at the end of the run.
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }

    /// Columns of the feature's own in the table of so many jobs, at the end of the run.
    ///
    /// # Errors
    /// A cell is none of its column.
    fn cells(&self, _jobs: u32) -> Result<Option<OwnCells>, String> {
        Ok(None)
    }
}

/// Parts of a site that not every run has.
#[derive(Debug)]
pub(in crate::policy) struct SiteParts {
    pub(in crate::policy) resources: Option<Arc<Resources>>,
    pub(in crate::policy) molds: Option<Molds>,
    pub(in crate::policy) features: Vec<Box<dyn SiteFeature>>,
    /// Rule for jobs that were interrupted and wait again.
    pub(in crate::policy) requeue: Requeue,
}
