//! Features of a site from another crate: what a front end does beyond submitting jobs, starting
//! them and ending them, as a component of its own.
//!
//! A feature holds jobs back before any policy knows of them, rejects them, and ends runs. It hears
//! of submissions, starts, interruptions, departures and changes of capacity, and may have
//! processes of its own. It composes with the features of the site by one rule: a job goes from
//! one to the next, and policies hear of it when it has passed all of them.
//!
//! ```text
//! submitted ──▶ (others have left) ──▶ first feature ──▶ second … ──▶ policy ──▶ run ──▶ left
//!                                      └ held, released     ▲          interrupted │
//!                                                           └── waits again ◀──────┘
//! ```
//!
//! What one does is among the files of a run (`features.csv`), so that `check` judges promises to
//! jobs from their release on.

mod access;
mod hooks;
mod passing;

use std::fmt::Debug;
use std::sync::Arc;

use crate::ids::JobId;
use crate::instrument::OwnReason;
use crate::measure::family::Family;
use crate::measure::metric::Value;
use crate::registry::Table;
use crate::workload::resources::Resources;
use crate::workload::{Attributes, Job};

pub use access::{FeatureAccess, FeatureRun, FeatureSite};
pub(super) use hooks::feature;
pub(crate) use hooks::metrics_of;

/// Answer of a feature to a job that is to be considered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureVerdict {
    /// The job goes on to the next feature, and to the policy behind the last.
    LetIn,
    /// The job is held, unknown to the policy, until [`FeatureSite::release`] or
    /// [`FeatureSite::reject`].
    Hold,
    /// The job leaves and has not run, for this reason.
    Reject(&'static OwnReason),
}

/// Jobs of a run, and the machine, as a feature reads them before the run.
#[derive(Clone, Debug)]
pub struct FeatureWork {
    /// The jobs, in order of submission as the workload has it: a job's [`JobId`] is its place.
    pub jobs: Arc<Vec<Job>>,
    /// Attributes that the input states of them.
    pub attributes: Arc<Attributes>,
    /// Resources of nodes and demands of jobs, where jobs ask for more than processors.
    pub resources: Option<Arc<Resources>>,
    /// Processors of the machine.
    pub procs: u32,
}

/// A feature of a site, from another crate.
///
/// Hooks are called in order of the tables of the scenario. A hook returns before any other is
/// called: what follows from the acts of one comes afterwards, within the same instant.
pub trait OwnFeature: Debug {
    /// Name in messages and files, and beginning of the names of its metrics.
    fn name(&self) -> &'static str;

    /// Reads the jobs of the run, before it begins.
    ///
    /// # Errors
    /// Message about what contradicts the keys of the feature.
    fn reads(&mut self, _work: &FeatureWork) -> Result<(), String> {
        Ok(())
    }

    /// The run begins: a feature may make processes of its own, which keep the access.
    fn begins(&mut self, _access: &FeatureAccess) {}

    /// A job is submitted, be it considered, held by another feature, or rejected by one.
    fn submitted(&mut self, _site: &mut FeatureSite<'_>, _job: JobId) {}

    /// A job comes to this feature: it was submitted, and no feature before this one holds it.
    fn considers(&mut self, _site: &mut FeatureSite<'_>, _job: JobId) -> FeatureVerdict {
        FeatureVerdict::LetIn
    }

    /// A job starts, and its run begins. The feature may name an end of the run; of all ends that
    /// are named the earliest holds.
    fn starts(&mut self, _run: &mut FeatureRun<'_>) {}

    /// A job was interrupted, and is not lost: it has left its processors.
    fn interrupted(&mut self, _site: &mut FeatureSite<'_>, _job: JobId) {}

    /// A job that was interrupted comes to this feature again, when it is to wait again.
    fn waits_again(&mut self, _site: &mut FeatureSite<'_>, _job: JobId) -> FeatureVerdict {
        FeatureVerdict::LetIn
    }

    /// A job has left for good, whatever became of it ([`FeatureSite::state`]); one that the
    /// feature held is held no longer.
    fn left(&mut self, _site: &mut FeatureSite<'_>, _job: JobId) {}

    /// Processors became free, or went out of service or came back.
    fn capacity_changed(&mut self, _site: &mut FeatureSite<'_>) {}

    /// Cause for which a job is held now, as half a sentence about it.
    fn holding(&self, _job: JobId) -> String {
        format!("held by `{}`", self.name())
    }

    /// Families of its metrics; the name of the feature and a dot come before their names.
    fn families(&self) -> &'static [Family] {
        &[]
    }

    /// Values of these metrics at the end of the run, in their order; those that are missing have
    /// no value.
    fn values(&self) -> Vec<Value> {
        Vec::new()
    }
}

/// The features by name, of which the simulator has none.
pub fn table() -> Table<dyn OwnFeature> {
    Table::new(
        "site-feature",
        "what a site does beyond giving processors to jobs, by features of another crate",
        &[],
    )
}
