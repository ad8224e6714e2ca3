//! Jobs that are held until others have left.
//!
//! Nothing polls: a job that leaves is asked for its dependents once, so a dependency costs one
//! look when the job is submitted and one when the other leaves. A job that is held is submitted,
//! and is in no news; it waits for capacity from the instant on at which the last of those that it
//! depends on has left. A job that can never be considered is rejected at once, and jobs that
//! depend on it hear of that in the same instant; or it is held for ever, as are those that depend
//! on it, and the run ends when no other job is left. A job whose user cancels it is not held for
//! ever: it leaves then.

mod held_jobs;
mod hooks;

use std::sync::Arc;

use super::declaration::{Declaration, SiteSetting};
use crate::policy::front_end::SiteFeature;

pub(super) const DECLARED: Declaration = Declaration { build: feature, ..Declaration::NONE };

/// The feature, if jobs depend on others.
fn feature(setting: &SiteSetting<'_>) -> Option<Box<dyn SiteFeature>> {
    let ties = Arc::clone(setting.work.dependencies.as_ref()?);
    let cancelled = setting.work.cancellations.clone();
    let holds = setting.site.holds_failed.then_some(hooks::HoldsFailed { cancelled });
    Some(Box::new(hooks::Dependent::new(ties, holds)))
}
