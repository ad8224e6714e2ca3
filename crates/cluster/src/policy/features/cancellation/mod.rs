//! Jobs that their users cancel.
//!
//! One process waits for the next time at which a job is to be cancelled, however many there are;
//! it is a daemon, so a run is over when its last job has left, even if others had patience for
//! longer. A cancellation is a time-out: what ends at the same instant has ended before, and a job
//! that would start at it does not. A job that waits is taken from its queue, and policies hear of
//! it ([`SiteEvent::Withdrawn`](crate::policy::SiteEvent::Withdrawn)). One that runs ends then.
//! Where it holds its processors for its run time, that is known when it starts, and an end of its
//! run; in slices the same process ends it. A job that is interrupted is to be cancelled as before:
//! its patience runs from its submission, and one that gives up only while it waits does so when it
//! waits again.

mod hooks;
mod times;

use std::rc::Rc;
use std::sync::Arc;

use super::declaration::{Declaration, SiteSetting};
use crate::policy::front_end::SiteFeature;

pub(super) const DECLARED: Declaration = Declaration { build: feature, ..Declaration::NONE };

/// The feature, if users cancel jobs.
fn feature(setting: &SiteSetting<'_>) -> Option<Box<dyn SiteFeature>> {
    let all = Arc::clone(setting.work.cancellations.as_ref()?);
    Some(Box::new(hooks::Cancelling(Rc::new(times::CancellationTimes::new(all)))))
}
