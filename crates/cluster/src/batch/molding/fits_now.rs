//! The free processors, when the turn of a job has come: it waits only while fewer are free than it
//! can run on.
//!
//! Asked when a job is the head of the queue, with the sizes that fit into what is free: of these
//! it gets the one with which it ends first, which is the largest unless more processors help it no
//! more. Others that wait stay as they asked to be.
//!
//! Source: "adaptive" partitioning as in E. Rosti, E. Smirni, L. W. Dowdy, G. Serazzi, B. M.
//! Carlson, "Robust partitioning policies of multiprocessor systems", Performance Evaluation
//! 19(2-3), 1994, without its targets for a share of the machine.

use crate::registry::{Entry, entry};

use super::{CandidateSizes, Molding, When};

pub(super) const ENTRY: Entry<dyn Molding> = entry! {
    "fits-now" => "when a job is the head of the queue, the size that is free; it waits only if it cannot run on so few",
    builds FitsNow
};

#[derive(Debug)]
struct FitsNow;

impl Molding for FitsNow {
    fn when(&self) -> When {
        When::Start
    }

    fn choose(&self, offers: &CandidateSizes<'_>) -> Option<u32> {
        offers.first_to_end()
    }

    fn why(&self) -> &'static str {
        "of those that were free when its turn came, it ends first with them"
    }
}
