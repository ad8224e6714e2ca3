//! Every job gets the processors that it asks for, as if it were rigid.

use crate::registry::{Entry, entry};

use super::{CandidateSizes, Molding, When};

pub(super) const ENTRY: Entry<dyn Molding> = entry! {
    "as-requested" => "every job gets the processors that it asks for", builds AsRequested
};

#[derive(Debug)]
pub(crate) struct AsRequested;

impl Molding for AsRequested {
    fn when(&self) -> When {
        When::Never
    }

    fn choose(&self, _: &CandidateSizes<'_>) -> Option<u32> {
        None
    }

    fn why(&self) -> &'static str {
        "it asked for them"
    }
}
