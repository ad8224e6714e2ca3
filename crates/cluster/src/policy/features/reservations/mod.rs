//! Reservations of processors: they take what is free, and maintenance also what is not.
//!
//! ```text
//! known ──its time──▶ begun, lacks some ──takes what becomes free──▶ has all ──▶ over
//!                            └─────────────────────────────────────────────────────▲
//! ```
//!
//! A reservation takes free processors, the highest first. If these are too few when maintenance
//! begins, jobs are interrupted, the one with the highest processor first, and all at once that
//! share it, until they are enough; they wait again as jobs whose nodes fail do. An advance
//! reservation waits: what becomes free goes to it before the policy hears of it, to the one that
//! began first of several. Each ends at its time, whether it was late or not. Jobs that were
//! promised theirs run inside it ([`inside`]).
//!
//! A node that fails takes reserved processors, too. The reservation lacks them from then on, and
//! is fed with others, or does without; maintenance that does without has them again when they are
//! back, so that a repair inside its window frees nothing. Jobs inside that were on them wait
//! inside again.

mod hooks;
mod inside;
mod nodes;
mod shares;
mod standing;

use super::declaration::{Declaration, SiteSetting};
use crate::policy::front_end::SiteFeature;

pub(super) const DECLARED: Declaration = Declaration { build: feature, ..Declaration::NONE };

/// The feature, if processors are reserved.
fn feature(setting: &SiteSetting<'_>) -> Option<Box<dyn SiteFeature>> {
    let reservations = setting.reservations.clone();
    if reservations.all.is_empty() {
        return None;
    }
    Some(Box::new(hooks::ReservingProcessors::new(reservations)))
}
