//! Steps of features of another crate in the record: the jobs that they held back, rejected or
//! ended.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::registry::definition::words;

words! {
    /// Act of a feature of another crate on a job.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum FeatureAct {
        Held = "held", "it kept the job back, which no policy knew then";
        Started = "started", "it had taken the job over, which it had started";
        Rejected = "rejected", "it rejected the job";
        Ended = "ended", "it ended the run of the job";
    }
}

/// Step of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FeatureStep {
    /// The job.
    pub job: JobId,
    /// Number of the feature in the scenario, from 1.
    pub feature: u32,
    /// Name of the feature.
    pub name: &'static str,
    /// The act.
    pub act: FeatureAct,
    /// Instant at which it began.
    pub from: SimTime,
    /// Instant at which it was over; [`SimTime::MAX`] if the run was over before.
    pub to: SimTime,
}

/// Steps of the features of another crate in a run, in order of their beginnings.
#[derive(Clone, Debug, Default)]
pub struct FeatureSteps(Vec<FeatureStep>);

impl FeatureSteps {
    /// Notes an act; a hold lasts until it is closed. Gives its place.
    pub fn add(&mut self, step: FeatureStep) -> usize {
        self.0.push(step);
        self.0.len() - 1
    }

    /// Notes that the hold at a place is over.
    ///
    /// # Panics
    /// If there is none.
    pub fn close(&mut self, place: usize, now: SimTime) {
        self.0[place].to = now;
    }

    /// The holds of each job.
    pub fn holds(&self) -> OrderedMap<JobId, Vec<FeatureStep>> {
        let mut holds: OrderedMap<JobId, Vec<FeatureStep>> = OrderedMap::new();
        for step in self.0.iter().filter(|step| step.act == FeatureAct::Held) {
            holds.entry(step.job).or_default().push(*step);
        }
        holds
    }

    /// All of them.
    pub fn all(&self) -> &[FeatureStep] {
        &self.0
    }

    /// Gives the jobs other ids.
    pub(super) fn rename(&mut self, name: impl Fn(JobId) -> JobId) {
        self.0.iter_mut().for_each(|step| step.job = name(step.job));
    }
}
