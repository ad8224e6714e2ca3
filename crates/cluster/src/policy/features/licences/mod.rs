//! Licences: pools of the site beside processors, of which jobs hold amounts while they run.
//!
//! The feature declares the pools, and all others follow from that: the front end gives and takes
//! back, and policies plan with what is free of them and when. A job that asks for more of a pool
//! than there is, or for one that the site has not, would wait for ever; it is rejected when it is
//! submitted.

mod hooks;

use super::declaration::{Declaration, SiteSetting};
use crate::policy::front_end::SiteFeature;

pub(super) const DECLARED: Declaration = Declaration { build: feature, ..Declaration::NONE };

/// The feature, if the site has pools; one that jobs ask for and that it has not is of nothing.
fn feature(setting: &SiteSetting<'_>) -> Option<Box<dyn SiteFeature>> {
    let pools = setting.pools.clone();
    (!pools.is_empty()).then(|| Box::new(hooks::Licences::new(pools)) as Box<dyn SiteFeature>)
}
