//! Nodes that fail, and are repaired.
//!
//! They are daemons: a run is over when its jobs are, whatever nodes would still do. A node whose
//! trace is over stays up. Each draws from a stream of its own, named after its number. At one
//! instant an end comes first: a job that would end when its node fails has ended by itself. Jobs
//! on a node that fails are interrupted, and wait again or are lost; checkpoints keep of their work
//! what they have written.

mod hooks;

use super::declaration::{Declaration, SiteSetting};
use crate::policy::front_end::SiteFeature;

pub(super) const DECLARED: Declaration = Declaration { build: feature, ..Declaration::NONE };

/// The feature, if nodes fail.
fn feature(setting: &SiteSetting<'_>) -> Option<Box<dyn SiteFeature>> {
    let (rules, faults) = (setting.site.failures?, setting.faults.clone()?);
    Some(Box::new(hooks::FailingNodes { rules, faults }))
}
