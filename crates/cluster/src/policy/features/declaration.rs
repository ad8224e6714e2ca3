//! Declaration of a feature: its keys, how they are read, and what it is in a run.

use crate::batch::machine::{Faults, Reservations};
use crate::batch::pools::Pool;
use crate::instrument::SiteModel;
use crate::policy::front_end::SiteFeature;
use crate::registry::{Complaint, Key, Params, Registry, Tree};
use crate::workload::Workload;

/// Parts of a run that features are made of.
#[derive(Debug)]
pub(in crate::policy) struct SiteSetting<'a> {
    pub(in crate::policy) work: &'a Workload,
    pub(in crate::policy) site: &'a SiteModel,
    /// Failures of nodes, if nodes may fail.
    pub(in crate::policy) faults: Option<Faults>,
    /// Processors that are reserved.
    pub(in crate::policy) reservations: Reservations,
    /// Pools beside processors.
    pub(in crate::policy) pools: Vec<Pool>,
}

/// Declaration of a feature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declaration {
    /// Keys of `[cluster]`, which mean something at detail `job` only.
    pub(crate) keys: &'static [Key],
    /// Looks at a scenario as written, at detail `job`, and reports what contradicts the keys.
    pub(crate) prepare: fn(&Registry, &mut Tree, &mut Vec<Complaint>),
    /// Reads the keys of a checked `[cluster]` into the site.
    pub(crate) read: fn(&Params<'_>, &mut SiteModel) -> Result<(), Complaint>,
    /// The feature, if it is in a run.
    pub(in crate::policy) build: fn(&SiteSetting<'_>) -> Option<Box<dyn SiteFeature>>,
}

impl Declaration {
    /// No keys of its own, and in no run.
    pub(super) const NONE: Declaration =
        Declaration { keys: &[], prepare: |_, _, _| {}, read: |_, _| Ok(()), build: |_| None };
}
