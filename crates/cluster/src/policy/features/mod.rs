//! Features of a site, one folder each: what its front end does beyond submitting jobs, starting
//! them and ending them. [`ALL`] lists them in the order in which they are asked.

mod cancellation;
mod declaration;
mod dependencies;
mod failures;
mod licences;
mod reservations;
mod time_limit;

use crate::registry::Key;

use super::front_end::SiteFeature;

pub(crate) use declaration::Declaration;
pub(super) use declaration::SiteSetting;

/// The features, of which each is its module and its line here.
pub(crate) const ALL: &[Declaration] = &[
    time_limit::DECLARED,
    failures::DECLARED,
    licences::DECLARED,
    reservations::DECLARED,
    cancellation::DECLARED,
    dependencies::DECLARED,
];

/// Keys of `[cluster]` of all of them.
pub(crate) const KEYS: &[Key] = &{
    let (mut lists, mut at): ([&[Key]; ALL.len()], usize) = ([&[]; ALL.len()], 0);
    while at < ALL.len() {
        lists[at] = ALL[at].keys;
        at += 1;
    }
    Key::joined::<{ count() }>(&lists)
};

const fn count() -> usize {
    let (mut count, mut at) = (0, 0);
    while at < ALL.len() {
        count += ALL[at].keys.len();
        at += 1;
    }
    count
}

/// The features of a run.
pub(super) fn of(setting: &SiteSetting<'_>) -> Vec<Box<dyn SiteFeature>> {
    ALL.iter().filter_map(|one| (one.build)(setting)).collect()
}
