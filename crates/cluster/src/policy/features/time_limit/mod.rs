//! Limits of time: a run that has had the time of its job's limit ends there.
//!
//! A limit is of each run, on the time for which the job has its processors, the writing of
//! checkpoints included. A job that was interrupted has its full limit again, or what its earlier
//! runs have left of it. It is what the job requested, with the grace of the site, or a walltime of
//! its own. That is known when a run begins, so a limit is an end of the run and no event; policies
//! plan with the lesser of what they take a run to last and its limit.

mod hooks;
mod keys;

use super::declaration::{Declaration, SiteSetting};
use crate::policy::front_end::SiteFeature;

pub(super) const DECLARED: Declaration =
    Declaration { keys: keys::KEYS, prepare: keys::prepare, read: keys::read, build: feature };

/// The feature, if the site kills jobs at their requests, or some have walltimes of their own.
fn feature(setting: &SiteSetting<'_>) -> Option<Box<dyn SiteFeature>> {
    let walltime = setting.site.walltime;
    (walltime.is_some() || setting.work.kills).then(|| Box::new(hooks::TimeLimit(walltime)) as Box<_>)
}
