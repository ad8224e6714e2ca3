//! The size with which a job would end first by the estimates, given the jobs that run and those
//! that wait before it.
//!
//! It is chosen when the job comes to be considered, for the job alone: what it costs others is not
//! looked at. That is the choice of a selfish user who submits the request that a scheduler
//! promises the earliest end, as the adaptive scheduling of Cirne and Berman does for the user.
//! Deviation: they ask for the requests that a user has thought of, a few; here all sizes of the
//! job are tried.
//!
//! Source: W. Cirne and F. Berman, "Using moldability to improve the performance of supercomputer
//! jobs", JPDC 62(10), 2002.

use crate::registry::{Entry, entry};

use super::{CandidateSizes, Molding, When};

pub(super) const ENTRY: Entry<dyn Molding> = entry! {
    "earliest-end" => "when a job is submitted, the size with which it would end first by the estimates",
    source "W. Cirne and F. Berman, JPDC 62(10), 2002", builds EarliestEnd
};

#[derive(Debug)]
pub(super) struct EarliestEnd;

impl Molding for EarliestEnd {
    fn when(&self) -> When {
        When::Forecast
    }

    fn choose(&self, offers: &CandidateSizes<'_>) -> Option<u32> {
        offers.first_to_end()
    }

    fn why(&self) -> &'static str {
        "with them it was to end first, by the estimates at its submission"
    }
}
