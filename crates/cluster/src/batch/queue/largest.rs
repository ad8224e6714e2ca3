//! Largest job first: the job of the most tasks is considered first.
//!
//! The counterpart of [`smallest`](super::smallest). Large jobs are hard to place, so they are
//! placed first and small ones fill what is left, by backfilling: without it the largest job keeps
//! all others waiting until it fits.
//!
//! Source: packing in order of decreasing size, E. G. Coffman, M. R. Garey, D. S. Johnson, SIAM J.
//! Computing 7(1), 1978.

use crate::registry::{Entry, entry};

use super::{Discipline, Keyed};

pub(super) const ENTRY: Entry<dyn Discipline> = entry! {
    "largest" => "largest job first: jobs are considered in order of the processors they need, most first, earlier ones first at equal need",
    source "E. G. Coffman, M. R. Garey, D. S. Johnson, SIAM J. Computing 7(1), 1978 (first fit decreasing)",
    builds LARGEST
};

/// The key falls as the need rises.
pub(super) const LARGEST: Keyed = Keyed { key: |job| u64::MAX - u64::from(job.procs), overtakes: false };
