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
//! A feature may also take a job over, and say itself when it is to start: then the policy starts
//! it before all that wait, if it can start, and else the feature has it again.
//!
//! What one does is among the files of a run (`features.csv`), so that `check` judges promises to
//! jobs from their release on.

mod access;
mod hooks;
mod passing;
mod work;

use std::fmt::Debug;

use crate::ids::JobId;
use crate::instrument::FeatureCell;
use crate::measure::family::Family;
use crate::measure::metric::Value;
use crate::output::Column;
use crate::registry::{Registry, Table};
use crate::scenario::{self, Addition};

pub use access::{FeatureAccess, FeatureRun, FeatureSite};
pub(super) use hooks::feature;
pub(crate) use hooks::metrics_of;
pub use work::{FeatureVerdict, FeatureWork};

/// A feature of a site, from another crate.
///
/// Hooks are called in order of the tables of the scenario; whether they let a job in, those that
/// take jobs over are asked last. A hook returns before any other is called: what follows from the
/// acts of one comes afterwards, within the same instant.
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

    /// Returns true if the feature takes jobs over ([`FeatureVerdict::TakeOver`],
    /// [`FeatureSite::start`]), which not every policy goes with.
    fn takes_over(&self) -> bool {
        false
    }

    /// A job is submitted, be it considered, held by another feature, or rejected by one.
    fn submitted(&mut self, _site: &mut FeatureSite<'_>, _job: JobId) {}

    /// A job comes to this feature: it was submitted, and no feature before this one holds it.
    fn considers(&mut self, _site: &mut FeatureSite<'_>, _job: JobId) -> FeatureVerdict {
        FeatureVerdict::LetIn
    }

    /// A job that the feature took over cannot start now: the feature holds it from now on.
    fn not_started(&mut self, _site: &mut FeatureSite<'_>, _job: JobId) {}

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

    /// Columns of its own in the table of jobs; the name of the feature and a dot come before their
    /// names.
    fn columns(&self) -> &'static [Column] {
        &[]
    }

    /// Cells of a job under these columns at the end of the run, in their order; those that are
    /// missing are empty.
    fn cells(&self, _job: JobId) -> Vec<FeatureCell> {
        Vec::new()
    }
}

/// Adds the metrics and columns of a feature to the words that `list`, `explain`, the schema and
/// the manual know; those that its values have are [`OwnFeature::families`] and
/// [`OwnFeature::columns`].
pub fn declare_feature(
    registry: &mut Registry,
    name: &'static str,
    families: &'static [Family],
    columns: &'static [Column],
) {
    scenario::declare(registry, Addition { name, families, system: "cluster", table: "jobs", columns });
}

/// The features by name, of which the simulator has none.
pub fn table() -> Table<dyn OwnFeature> {
    Table::new(
        "site-feature",
        "what a site does beyond giving processors to jobs, by features of another crate",
        &[],
    )
}
