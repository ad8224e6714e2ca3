//! Nodes that fail, and are repaired.
//!
//! They are daemons: a run is over when its jobs are, whatever nodes would still do. A node whose
//! trace is over stays up. Each draws from a stream of its own, named after its number. At one
//! instant an end comes first: a job that would end when its node fails has ended by itself. Jobs
//! on a node that fails are interrupted, and wait again or are lost; checkpoints keep of their work
//! what they have written.

mod hooks;

use crate::batch::machine::Faults;
use crate::instrument::Failures;
use crate::policy::front_end::SiteFeature;

/// The feature, if nodes fail.
pub(super) fn feature(failing: Option<(Failures, Faults)>) -> Option<Box<dyn SiteFeature>> {
    let (rules, faults) = failing?;
    Some(Box::new(hooks::FailingNodes { rules, faults }))
}
